//! What is known of the project without asking anybody.

use std::collections::BTreeSet;

use patchwright_agent::Stop;
use patchwright_code::{
    EditRules, Index, IndexOptions, ProjectPath, Query, Retrieval, RetrievalOptions, Retrieved, Source, Span,
    TreeOptions, windows,
};
use patchwright_prompts::Excerpt;
use patchwright_testbed::TestBed;
use serde::{Deserialize, Serialize};

/// What stands for lines between two windows.
const GAP: &str = "...";

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Place {
    pub(super) path: String,
    /// The first line, from 1.
    pub(super) first: u32,
    /// The last line.
    pub(super) last: u32,
}

/// The index of a project, and what in it may be changed.
pub(super) struct Map<'a> {
    bed: &'a TestBed,
    pub(super) index: Index,
    changeable: BTreeSet<String>,
    /// What the words of the bug find.
    pub(super) retrieved: Retrieved,
}

impl<'a> Map<'a> {
    pub(super) fn of(bed: &'a TestBed, rules: &EditRules, words: &str) -> Result<Self, Stop> {
        let unreadable = |error: &dyn std::fmt::Display| Stop::Environment(error.to_string());
        let index = Index::build(bed.project().root(), &IndexOptions::default())
            .map_err(|error| unreadable(&error))?;
        for problem in index.problems() {
            tracing::debug!(path = problem.path, "left out of the index: {}", problem.message);
        }
        let files = index.files().map(|file| file.path.clone()).collect();
        let allowed = rules.allowed(files).map_err(|error| unreadable(&error))?;
        let changeable = allowed.iter().map(ToString::to_string).collect();
        let retrieved = Retrieval::build(&index, RetrievalOptions::default()).search(&Query::of_text(words));
        Ok(Self { bed, index, changeable, retrieved })
    }

    /// Whether a repair may change a file.
    pub(super) fn may_change(&self, path: &str) -> bool {
        self.changeable.contains(path)
    }

    /// The files that a repair may change, as a tree.
    pub(super) fn tree(&self) -> String {
        let only = self.changeable.iter().cloned().collect();
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
            } else {
                invented.push(path);
            }
        }
        invented.sort();
        invented.dedup();
        (places, invented)
    }

    /// What is shown of some places, widened by `context` lines: file by file in the order in which they are first named.
    pub(super) fn excerpts(&self, places: &[Place], context: u32, numbered: bool) -> Vec<Excerpt> {
        let mut paths: Vec<&str> = Vec::new();
        for place in places {
            if !paths.contains(&place.path.as_str()) {
                paths.push(&place.path);
            }
        }
        let excerpt = |path: &str| {
            let source = self.source(path)?;
            let spans: Vec<Span> = places
                .iter()
                .filter(|place| place.path == path)
                .map(|place| Span { first: place.first, last: place.last })
                .collect();
            let count = u32::try_from(source.line_count()).unwrap_or(u32::MAX);
            let text = render(&source, &windows(&spans, context, count), count, numbered);
            (!text.is_empty()).then(|| Excerpt { path: path.to_owned(), text })
        };
        paths.into_iter().filter_map(excerpt).collect()
    }

    pub(super) fn source(&self, path: &str) -> Option<Source> {
        self.bed.project().read(&ProjectPath::new(path).ok()?).ok()
    }
}

/// Windows of a file as text, with a mark where lines are left out.
fn render(source: &Source, windows: &[Span], count: u32, numbered: bool) -> String {
    let lines = source.lines();
    let mut text = String::new();
    let mut next = 1;
    for window in windows {
        if window.first > next {
            text.push_str(GAP);
            text.push('\n');
        }
        for number in window.first..=window.last {
            let line = lines.get(number as usize - 1).copied().unwrap_or_default();
            if numbered {
                text.push_str(&format!("{number}|"));
            }
            text.push_str(line);
            text.push('\n');
        }
        next = window.last + 1;
    }
    if !windows.is_empty() && next <= count {
        text.push_str(GAP);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_marked() {
        let source = Source::from_text("a\nb\nc\nd\ne\n");
        let check = |spans: &[(u32, u32)], numbered: bool, expect: &str| {
            let spans: Vec<Span> =
                spans.iter().map(|(first, last)| Span { first: *first, last: *last }).collect();
            assert_eq!(render(&source, &spans, 5, numbered), expect);
        };
        check(&[(1, 5)], false, "a\nb\nc\nd\ne\n");
        check(&[(2, 2), (4, 4)], true, "...\n2|b\n...\n4|d\n...\n");
        check(&[(4, 5)], false, "...\nd\ne\n");
        check(&[], false, "");
    }
}
