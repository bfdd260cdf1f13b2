//! The code and the tests that are shown to whoever writes a test: what the issue names, and what its words find.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use patchwright_detection::adapters::package_of;
use patchwright_edits::EditRules;
use patchwright_fault_localization::{FileLines, Localization};
use patchwright_index::{
    Chunk, Element, ElementKind, Index, IndexedFile, Mention, Query, Retrieval, RetrievalOptions,
    TestSubject, excerpt, mentions, windows,
};
use patchwright_initial_context::NearTests;
use patchwright_prompts::folded;
use patchwright_protocol::{Excerpt, Failure, TestId};
use patchwright_syntax::{ProjectPath, Source, Span};
use patchwright_validation::{TestHarness, TestLayout};
use serde::Serialize;

use crate::example_names::with_example_names;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breadth {
    /// Functions that the issue may be about, and the nearest tests.
    Narrow,
    /// Whole files, of production code and of tests, with the numbers of their lines.
    Wide,
}

impl Breadth {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Narrow => "functions",
            Self::Wide => "files",
        }
    }

    /// Bytes of production code, and of tests.
    fn bytes(self) -> (usize, usize) {
        match self {
            Self::Narrow => (20_000, 8_000),
            Self::Wide => (64_000, 32_000),
        }
    }

    /// A file up to so many bytes is shown whole.
    fn whole(self) -> usize {
        match self {
            Self::Narrow => 3_000,
            Self::Wide => 20_000,
        }
    }
}

/// Pieces of code that words find and that are looked at, and files of tests.
const CHUNKS: usize = 12;
const TEST_FILES: usize = 12;
/// Pieces of code that an issue names, at most.
const NAMED: usize = 8;
/// A piece is near that is so by this share of the nearest.
const LEAST_SHARE: f64 = 0.4;
/// Lines of the head of a test file that is shown as an example, and of its end.
const HEAD: u32 = 40;
const END: u32 = 12;

/// The code and the tests that are shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surroundings {
    pub(crate) files: Vec<Excerpt>,
    pub(crate) tests: Vec<Excerpt>,
    pub(crate) numbered: bool,
    /// The path of a test file that could be written.
    pub(crate) example: String,
    /// The lines in which the bug may be, as far as somebody said so: those that were given, and the code that the issue names.
    pub(crate) suspicious: Vec<FileLines>,
}

/// The files that are shown, as their stage records them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ShownFiles {
    files: Vec<String>,
    pub(crate) tests: Vec<String>,
}

impl fmt::Display for ShownFiles {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |paths: &[String]| if paths.is_empty() { "none".to_owned() } else { paths.join(", ") };
        write!(formatter, "code: {}\ntests: {}", named(&self.files), named(&self.tests))
    }
}

/// What is shown of one file, by how near it is.
struct Shown {
    path: ProjectPath,
    spans: Vec<Span>,
}

/// An index with what the words of an issue find in it.
struct Found {
    index: Arc<Index>,
    /// The code that the issue names, or that was given.
    suspicious: Vec<(ProjectPath, Span)>,
    /// Pieces of production code: those that the issue names, then what its words find.
    pieces: Vec<(ProjectPath, Span)>,
    /// Files of tests, the nearest first.
    tests: Vec<ProjectPath>,
}

impl Surroundings {
    /// Looks for the code that an issue is about, and for tests of it.
    pub(crate) async fn find(
        harness: &TestHarness,
        issue: &str,
        localization: &Localization,
        breadth: Breadth,
    ) -> Result<Self, Failure> {
        let (rules, text) = (harness.rules(), folded(issue));
        let index = harness.index().await?;
        let given: Vec<(String, u32)> =
            localization.lines().iter().map(|line| (line.path.clone(), line.line)).collect();
        let words = text.clone();
        let found = patchwright_blocking::spawn(move |_| found(index, &rules, &words, &given)).await??;
        let layout = harness.test_layout();
        let example = example(&layout, &found);
        let Found { index, suspicious, pieces, tests } = found;
        let suspicious =
            suspicious.into_iter().map(|(path, lines)| (path.to_string(), lines.first..=lines.last));
        let suspicious = suspicious.collect();
        let shared = Arc::clone(&index);
        let shown = pieces.clone();
        let files = patchwright_blocking::spawn(move |_| code(&shared, &shown, breadth)).await?;
        let tests = tests_of(&index, &pieces, &tests, &text, breadth).await?;
        Ok(Self { files, tests, numbered: breadth == Breadth::Wide, example, suspicious })
    }

    /// The files that are shown.
    pub(crate) fn paths(&self) -> ShownFiles {
        let paths = |excerpts: &[Excerpt]| excerpts.iter().map(|file| file.path.clone()).collect();
        ShownFiles { files: paths(&self.files), tests: paths(&self.tests) }
    }
}

fn found(
    index: Arc<Index>,
    rules: &EditRules,
    issue: &str,
    given: &[(String, u32)],
) -> Result<Found, Failure> {
    let retrieval = Retrieval::build(&index, RetrievalOptions { tests: true, ..RetrievalOptions::default() });
    let retrieved = retrieval.search(&Query::of_text(issue));
    let paths = index.files().map(|file| file.path.clone()).collect();
    let allowed: BTreeSet<ProjectPath> =
        rules.allowed(paths).map_err(Failure::environment)?.into_iter().collect();
    let is_production = |path: &ProjectPath| {
        allowed.contains(path) && index.file(path.as_str()).is_some_and(|file| !file.test)
    };
    let lines = given.iter().filter_map(|(path, line)| around(&index, path, *line));
    // What an example calls is named as what stands between backticks is.
    let named = mentions(&index, &with_example_names(issue), |file| is_production(&file.path));
    let named = named.into_iter().map(|Mention { path, lines, .. }| (path, lines));
    let suspicious: Vec<(ProjectPath, Span)> = lines.chain(named.take(NAMED)).collect();
    // A file is worth more than its best piece: what its other pieces and its name say counts too.
    let best = |path: &ProjectPath| retrieved.chunks.iter().find(|(chunk, _)| chunk.path == *path);
    let of_files = retrieved.files.iter().filter(|(path, _)| is_production(path)).take(CHUNKS / 3);
    let of_files = of_files.filter_map(|(path, _)| best(path)).map(|(chunk, _)| chunk);
    let production = retrieved.chunks.iter().filter(|(chunk, _)| is_production(&chunk.path));
    let best_score = production.clone().next().map_or(0.0, |(_, score)| *score);
    let by_words =
        production.take_while(|(_, score)| *score >= best_score * LEAST_SHARE).map(|(chunk, _)| chunk);
    let by_words = of_files.chain(by_words.take(CHUNKS)).map(|Chunk { path, lines }| (path.clone(), *lines));
    let mut pieces: Vec<(ProjectPath, Span)> = Vec::new();
    for piece in suspicious.iter().cloned().chain(by_words) {
        if !pieces.contains(&piece) {
            pieces.push(piece);
        }
    }
    let is_test = |path: &&ProjectPath| {
        !allowed.contains(*path) && index.file(path.as_str()).is_some_and(|file| file.test)
    };
    let by_words = retrieved.files.iter().map(|(path, _)| path).filter(is_test);
    let tests = by_words.take(TEST_FILES).cloned().collect::<Vec<_>>();
    // Whatever words say: how tests look here is always worth showing.
    let tests = if tests.is_empty() {
        let any = index.files().filter(|file| is_test(&&file.path) && file.lines > 3);
        any.map(|file| file.path.clone()).take(TEST_FILES).collect()
    } else {
        tests
    };
    Ok(Found { index, suspicious, pieces, tests })
}

/// The innermost definition around a line, or the line alone.
fn around(index: &Index, path: &str, line: u32) -> Option<(ProjectPath, Span)> {
    let path: ProjectPath = match index.find_path(path).as_slice() {
        [path] => (*path).clone(),
        _ => return None,
    };
    let within = index.elements(path.as_str()).iter().filter(|element| element.lines.contains(line));
    let innermost = within.min_by_key(|element| element.lines.last - element.lines.first);
    let span = innermost.map_or(Span { first: line, last: line }, |element| element.lines);
    Some((path, span))
}

/// Production code: of each file the pieces, the nearest first as long as there is room; of a short file all.
fn code(index: &Index, pieces: &[(ProjectPath, Span)], breadth: Breadth) -> Vec<Excerpt> {
    let (mut room, _) = breadth.bytes();
    let mut shown: Vec<Shown> = Vec::new();
    for (path, lines) in pieces {
        let Some(file) = index.file(path.as_str()) else { continue };
        let Some(source) = file.source() else { continue };
        let is_whole = source.text().len() <= breadth.whole();
        let span = if is_whole { Span { first: 1, last: file.lines } } else { *lines };
        let known = shown.iter().position(|shown| shown.path == *path);
        let is_shown = known.is_some_and(|known| {
            shown[known].spans.iter().any(|own| own.first <= span.first && own.last >= span.last)
        });
        let Some(rest) = room.checked_sub(bytes(&source, span)).filter(|_| !is_shown) else { continue };
        room = rest;
        match known {
            Some(known) => shown[known].spans.push(span),
            None => shown.push(Shown { path: path.clone(), spans: vec![span] }),
        }
    }
    shown.iter().filter_map(|shown| text(index, shown, breadth)).collect()
}

/// The text of what is shown of a file, with the heads of the classes around it.
fn text(index: &Index, shown: &Shown, breadth: Breadth) -> Option<Excerpt> {
    let file = index.file(shown.path.as_str())?;
    let source = file.source()?;
    let is_around = |element: &&Element| {
        element.kind == ElementKind::Class
            && shown
                .spans
                .iter()
                .any(|span| element.lines.first <= span.first && element.lines.last >= span.last)
    };
    let heads = file.elements().iter().filter(is_around).map(|class| class.declaration_line);
    let heads = heads.map(|line| Span { first: line, last: line });
    let spans: Vec<Span> = shown.spans.iter().copied().chain(heads).collect();
    let text = excerpt(&source, &windows(&spans, 0, file.lines), breadth == Breadth::Wide);
    Some(Excerpt { path: shown.path.to_string(), text })
}

/// Tests: those near to the code, with what runs around them; where whole files are shown, those that hold the nearest.
async fn tests_of(
    index: &Arc<Index>,
    pieces: &[(ProjectPath, Span)],
    files: &[ProjectPath],
    issue: &str,
    breadth: Breadth,
) -> Result<Vec<Excerpt>, Failure> {
    let (shared, paths) = (Arc::clone(index), files.to_vec());
    let ids = patchwright_blocking::spawn(move |_| {
        shared.parse(paths.iter().map(ProjectPath::as_str));
        paths.iter().filter_map(|path| shared.file(path.as_str())).flat_map(tests_in).collect::<Vec<_>>()
    })
    .await?;
    let subjects: BTreeSet<TestSubject> =
        pieces.iter().take(CHUNKS / 2).map(|(path, lines)| subject(index, path, *lines)).collect();
    let (_, room) = breadth.bytes();
    let near = NearTests::of(index, &ids, subjects, issue).await?.code(room).await?.excerpts;
    let (index, files, near_files) = (Arc::clone(index), files.to_vec(), near.clone());
    patchwright_blocking::spawn(move |_| match breadth {
        Breadth::Narrow if !near.is_empty() => near,
        Breadth::Narrow => files.first().and_then(|path| head(&index, path, breadth)).into_iter().collect(),
        Breadth::Wide => {
            let nearest = near_files.iter().filter_map(|file| ProjectPath::new(&file.path).ok());
            let mut ranked: Vec<ProjectPath> = Vec::new();
            for path in nearest.chain(files) {
                if !ranked.contains(&path) {
                    ranked.push(path);
                }
            }
            let mut left = room;
            let shown = ranked.iter().filter_map(|path| head(&index, path, breadth));
            let fits = |file: &Excerpt| match left.checked_sub(file.text.len()) {
                Some(rest) => {
                    left = rest;
                    true
                }
                None => false,
            };
            shown.filter(fits).collect()
        }
    })
    .await
}

/// A file of tests: whole where it is short, else its head and its end.
fn head(index: &Index, path: &ProjectPath, breadth: Breadth) -> Option<Excerpt> {
    let file = index.file(path.as_str())?;
    let source = file.source()?;
    let last = file.lines;
    let spans = if source.text().len() <= breadth.whole() {
        vec![Span { first: 1, last }]
    } else {
        vec![Span { first: 1, last: HEAD.min(last) }, Span { first: last.saturating_sub(END).max(1), last }]
    };
    let text = excerpt(&source, &windows(&spans, 0, last), breadth == Breadth::Wide);
    Some(Excerpt { path: path.to_string(), text })
}

/// The names of the functions of a file that may be tests.
fn tests_in(file: &IndexedFile) -> Vec<TestId> {
    let path = file.path.as_str();
    let source = file.source();
    let rules = &file.language.entry().tests;
    let package = source.as_deref().map(|source| package_of(source.text())).unwrap_or_default();
    let is_function = |element: &&Element| match element.kind {
        ElementKind::Method | ElementKind::Function => true,
        ElementKind::Class | ElementKind::Variable => false,
    };
    let named = |element: &Element| {
        let parts: Vec<&str> = element.qualified.split('.').collect();
        if !rules.by_class {
            return TestId::new(format!("{path}::{}", parts.join("::")));
        }
        let (method, classes) =
            parts.split_last().map_or(("", &[][..]), |(method, classes)| (*method, classes));
        let class = classes.join("$");
        TestId::of_method(&if package.is_empty() { class } else { format!("{package}.{class}") }, method)
    };
    let functions = file.elements().iter().filter(is_function);
    // Where tests are marked, an element does not tell whether it is one.
    let prefix = rules.method_prefix.filter(|_| rules.test_decorations.is_empty()).unwrap_or_default();
    functions.filter(|element| element.name().starts_with(prefix)).map(named).collect()
}

/// A piece of code as tests are near to it.
fn subject(index: &Index, path: &ProjectPath, lines: Span) -> TestSubject {
    let within = index.elements(path.as_str()).iter().filter(|element| {
        element.kind != ElementKind::Variable
            && element.lines.first <= lines.first
            && element.lines.last >= lines.last
    });
    let innermost = within.min_by_key(|element| element.lines.last - element.lines.first);
    let first = || {
        let mut inside = index.elements(path.as_str()).iter();
        inside
            .find(|element| element.kind != ElementKind::Variable && lines.contains(element.declaration_line))
    };
    let definition = innermost.or_else(first).map(|element| element.qualified.clone());
    TestSubject { path: path.to_string(), definition }
}

/// The path of a test file that could be written here.
fn example(layout: &TestLayout, found: &Found) -> String {
    let Some(language) = layout.language else { return String::new() };
    let rules = &language.entry().tests;
    let name = if rules.by_class {
        let source = found.pieces.first().and_then(|(path, _)| found.index.file(path.as_str())?.source());
        let package = source.map(|source| package_of(source.text()).replace('.', "/")).unwrap_or_default();
        let (package, file) = (package.trim_matches('/'), rules.file_about("Issue"));
        if package.is_empty() { file } else { format!("{package}/{file}") }
    } else {
        rules.file_about("issue")
    };
    if layout.folder == "." { name } else { format!("{}/{name}", layout.folder) }
}

/// The bytes of some lines.
fn bytes(source: &Source, span: Span) -> usize {
    let lines = source.lines();
    let rows = span.first.saturating_sub(1) as usize..(span.last as usize).min(lines.len());
    lines.get(rows).unwrap_or_default().iter().map(|line| line.len() + 1).sum()
}
