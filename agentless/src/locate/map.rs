//! What is known of the project without asking anybody.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use patchwright_edits::EditRules;
use patchwright_index::{
    Chunk, Element, ElementKind, Index, Query, Retrieval, RetrievalOptions, Retrieved, TreeOptions, excerpt,
    windows,
};
use patchwright_protocol::{Excerpt, Failure};
use patchwright_session::Stop;
use patchwright_syntax::{ProjectPath, Skeleton, SkeletonLineKind, Source, Span};
use patchwright_validation::TestHarness;
use serde::{Deserialize, Serialize};

use super::whole;

/// Lines of a file that is shown whole when it is named without anything in it.
const WHOLE_FILE: u32 = 300;

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Place {
    pub(super) path: String,
    /// The first line, from 1.
    pub(super) first: u32,
    /// The last line.
    pub(super) last: u32,
}

impl Place {
    /// Its lines.
    pub(super) fn span(&self) -> Span {
        Span { first: self.first, last: self.last }
    }
}

/// The index of a project, and what in it may be changed.
pub(super) struct RepositoryMap {
    pub(super) index: Arc<Index>,
    changeable: BTreeSet<String>,
    /// What the words of the bug find.
    pub(super) retrieved: Retrieved,
    chunks: Vec<Chunk>,
}

impl RepositoryMap {
    /// Makes the index and looks for words in it, as blocking work: large sources take long, and a session must end when it is told to.
    pub(super) async fn of(harness: &TestHarness, rules: &EditRules, words: &str) -> Result<Self, Stop> {
        let (index, query) = (harness.index().await?, Query::of_text(words));
        let searched = Arc::clone(&index);
        let (retrieved, chunks) = patchwright_blocking::spawn(move |_| {
            let retrieval = Retrieval::build(&searched, RetrievalOptions::default());
            (retrieval.search(&query), retrieval.chunks().to_vec())
        })
        .await?;
        for problem in index.problems() {
            tracing::debug!(path = problem.path, "left out of the index: {}", problem.message);
        }
        let files = index.files().map(|file| file.path.clone()).collect();
        let allowed = rules.allowed(files).map_err(Failure::environment)?;
        let changeable = allowed.iter().map(ToString::to_string).collect();
        Ok(Self { index, changeable, retrieved, chunks })
    }

    /// The index of a folder with some files, all of which may be changed.
    #[cfg(test)]
    #[expect(clippy::unwrap_used, reason = "a test that cannot write fails")]
    pub(super) fn of_files(files: &[(&str, &str)]) -> (tempfile::TempDir, Self) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            std::fs::write(folder.path().join(path), text).unwrap();
        }
        let index = Arc::new(Index::build(folder.path()).unwrap());
        let changeable = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        (folder, Self { index, changeable, retrieved: Retrieved::default(), chunks: Vec::new() })
    }

    /// Parses files that will be asked about, as blocking work and in parallel.
    pub(super) async fn parse(&self, files: &[String]) -> Result<(), Stop> {
        let (index, files) = (Arc::clone(&self.index), files.to_vec());
        Ok(patchwright_blocking::spawn(move |_| index.parse(files.iter().map(String::as_str))).await?)
    }

    /// How many files a repair may change.
    pub(super) fn changeable(&self) -> usize {
        self.changeable.len()
    }

    /// The files with code that a repair may change.
    pub(super) fn written(&self) -> Vec<String> {
        let has_code = |path: &&String| self.index.file(path).is_some_and(|file| file.lines > 0);
        self.changeable.iter().filter(has_code).cloned().collect()
    }

    /// Is true if a repair may change a file.
    pub(super) fn may_change(&self, path: &str) -> bool {
        self.changeable.contains(path)
    }

    /// The code in pieces that begin and end where definitions do, each as its file's path and a text that begins with it.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.chunks.chunk_by(|left, right| left.path == right.path).flat_map(|of_file| {
            let source = of_file.first().and_then(|chunk| self.source(chunk.path.as_str()));
            let lines = source.as_deref().map(Source::lines).unwrap_or_default();
            let piece = |chunk: &Chunk| {
                let rows = chunk.lines.first as usize - 1..chunk.lines.last as usize;
                let text = lines.get(rows).unwrap_or_default().join("\n");
                (chunk.path.to_string(), format!("{}\n{text}", chunk.path))
            };
            of_file.iter().map(piece).collect::<Vec<_>>()
        })
    }

    /// The files that a repair may change, as a tree.
    pub(super) fn tree(&self) -> String {
        self.tree_of(self.changeable.iter().cloned().collect())
    }

    /// Some files as a tree.
    pub(super) fn tree_of(&self, only: Vec<String>) -> String {
        self.index.tree(&TreeOptions { only, other_files: false, ..TreeOptions::default() })
    }

    /// The paths of files in the index.
    pub(super) fn paths(&self, files: &[String]) -> Vec<ProjectPath> {
        files.iter().filter_map(|path| self.index.file(path)).map(|file| file.path.clone()).collect()
    }

    /// The places that an answer names and that may be changed, and what it names besides. `within` are the files that the
    /// model was shown.
    pub(super) fn read(&self, answer: &str, within: &[ProjectPath]) -> (Vec<Place>, Vec<String>) {
        let located = self.index.locate(answer, within);
        let mut invented: Vec<String> = located.unlocated.into_iter().map(|one| one.asked).collect();
        let mut places = Vec::new();
        for location in located.locations {
            let path = location.path.to_string();
            if self.may_change(&path) {
                let place = |span: &Span| Place { path: path.clone(), first: span.first, last: span.last };
                places.extend(location.ranges.iter().map(place));
                // A file that is named alone is meant as a whole, as long as that helps.
                let lines = self.index.file(&path).map_or(0, |file| file.lines);
                if location.ranges.is_empty() && (1..=WHOLE_FILE).contains(&lines) {
                    places.push(Place { path, first: 1, last: lines });
                }
            } else {
                invented.push(path);
            }
        }
        invented.sort();
        invented.dedup();
        (places, invented)
    }

    /// The lines that code at some places depends on and that stand in the same files: what comes before the first definition
    /// (imports, constants), and of the classes around the places their heads and fields.
    pub(super) fn frame(&self, places: &[Place]) -> Vec<Place> {
        let mut frame = Vec::new();
        let paths: BTreeSet<&str> = places.iter().map(|place| place.path.as_str()).collect();
        for path in paths {
            let elements = self.index.elements(path);
            let line = |number: u32| Place { path: path.to_owned(), first: number, last: number };
            let defines = |element: &&Element| element.kind != ElementKind::Variable;
            let first = elements.iter().filter(defines).map(|element| element.lines.first).min();
            let before = |number: &u32| first.is_none_or(|first| *number < first);
            let head = self.index.skeleton(path).into_iter().flat_map(Skeleton::lines);
            let head = head.filter(|line| line.kind == SkeletonLineKind::Code).map(|line| line.number);
            frame.extend(head.filter(before).map(line));
            let holds = |class: &&Element| {
                let inside = |place: &Place| place.path == path && class.lines.contains(place.first);
                class.kind == ElementKind::Class && places.iter().any(inside)
            };
            for class in elements.iter().filter(holds) {
                frame.push(line(class.declaration_line));
                let field = |element: &&Element| {
                    element.kind == ElementKind::Variable
                        && element
                            .qualified
                            .strip_prefix(&class.qualified)
                            .is_some_and(|rest| rest.starts_with('.'))
                        && class.lines.contains(element.lines.first)
                };
                let lines = |element: &Element| Place {
                    path: path.to_owned(),
                    first: element.declaration_line,
                    last: element.lines.last,
                };
                frame.extend(elements.iter().filter(field).map(lines));
            }
        }
        frame
    }

    /// The skeletons of some files.
    pub(super) fn skeletons(&self, files: &[String]) -> Vec<Excerpt> {
        let skeleton = |path: &String| {
            let text = self.index.skeleton(path)?.render();
            Some(Excerpt { path: path.clone(), text })
        };
        files.iter().filter_map(skeleton).collect()
    }

    /// The definition around a line, by its name: of functions the outermost, of classes the innermost.
    pub(super) fn around(&self, path: &str, line: u32) -> Option<&str> {
        let holds = |element: &&Element| element.lines.contains(line);
        let mut holding = self.index.elements(path).iter().filter(holds);
        let innermost = holding.clone().filter(|element| element.kind == ElementKind::Class);
        let found = holding.find(|element| element.kind.is_callable());
        let found = found.or(innermost.min_by_key(|element| element.lines.last - element.lines.first));
        found.map(|element| element.qualified.as_str())
    }

    /// The lines that are shown for places in a file of `count` lines: `context` lines more on both sides, and the functions that hold
    /// them, or `others`, whole. Whoever names a class does not name each of its functions.
    pub(super) fn windows(
        &self,
        places: &[Place],
        others: &[Place],
        context: u32,
        (path, count): (&str, u32),
    ) -> Vec<Span> {
        let own = spans_of(places, path);
        let functions = whole::functions(self.index.elements(path));
        let in_function = |span: &Span| functions.iter().any(|function| function.encloses(*span));
        let others = spans_of(others, path).into_iter().filter(in_function);
        let located: Vec<Span> = own.iter().copied().chain(others).collect();
        whole::whole(&windows(&own, context, count), &functions, &located, count)
    }

    /// What is shown of some places, widened by `context` lines: file by file in the order in which they are first named.
    pub(super) fn excerpts(&self, places: &[Place], context: u32) -> Vec<Excerpt> {
        self.shown(places, |source, path, count| {
            excerpt(source, &self.windows(places, &[], context, (path, count)), true)
        })
    }

    /// The same without numbers, with what the code at these places depends on in its own file. `others` are shown beside them.
    pub(super) fn framed(&self, places: &[Place], others: &[Place], context: u32) -> Vec<Excerpt> {
        let frame = self.frame(places);
        self.shown(places, |source, path, count| {
            let mut spans = self.windows(places, others, context, (path, count));
            spans.extend(spans_of(&frame, path));
            excerpt(source, &windows(&spans, 0, count), false)
        })
    }

    /// What `text` makes of each file with a place, from its source, path and count of lines.
    fn shown(&self, places: &[Place], text: impl Fn(&Source, &str, u32) -> String) -> Vec<Excerpt> {
        let mut paths: Vec<&str> = Vec::new();
        for place in places {
            if !paths.contains(&place.path.as_str()) {
                paths.push(&place.path);
            }
        }
        let excerpt = |path: &str| {
            let source = self.source(path)?;
            let count = u32::try_from(source.line_count()).unwrap_or(u32::MAX);
            let text = text(&source, path, count);
            (!text.is_empty()).then(|| Excerpt { path: path.to_owned(), text })
        };
        paths.into_iter().filter_map(excerpt).collect()
    }

    pub(super) fn source(&self, path: &str) -> Option<Cow<'_, Source>> {
        match self.index.file(path) {
            Some(file) => file.source(),
            None => self.index.project().read(&ProjectPath::new(path).ok()?).ok().map(Cow::Owned),
        }
    }
}

pub(super) fn spans_of(places: &[Place], path: &str) -> Vec<Span> {
    let here = places.iter().filter(|place| place.path == path);
    here.map(Place::span).collect()
}
