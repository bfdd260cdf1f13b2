//! What the words of an issue lead to, where no test tells of the bug: production code, tests, and their data.

use std::collections::HashSet;

use patchwright_index::{
    Element, ElementKind, Index, IndexedFile, Query, Retrieval, RetrievalOptions, TestSubject, mentions,
    names_in, near_tests,
};
use patchwright_protocol::Failure;
use patchwright_syntax::{Project, ProjectPath, Span};
use patchwright_validation::TestHarness;

use crate::collected_tests::CollectedTests;
use crate::project_index::{with_editable, with_index};

/// Files that are ranked, and tests that are shown.
const FILES: usize = 10;
const TESTS: usize = 3;
/// Files that are named for a word of an issue, of one word and of all.
const NAMESAKES: usize = 3;
const NAMESAKES_OF_ALL: usize = 6;
/// The shortest word that a file may be named for.
const SHORTEST_STEM: usize = 3;
/// The annotations of a test in Java.
const TEST_ANNOTATIONS: [&str; 4] = ["@Test", "@org.junit", "@ParameterizedTest", "@RepeatedTest"];
/// Bytes of the code of a test.
const TEST_BYTES: usize = 2_400;

/// A file, with the lines of it that the words fit best.
pub struct RankedFile {
    /// The file.
    pub path: ProjectPath,
    /// The lines.
    pub lines: Span,
}

/// The files of production code that the words of an issue fit best, the best first.
///
/// # Errors
/// The project cannot be read.
pub async fn files_of_issue(harness: &TestHarness, issue: &str) -> Result<Vec<RankedFile>, Failure> {
    let issue = issue.to_owned();
    with_editable(harness, move |index, editable| Ok(ranked(index, &issue, |path| editable.contains(path))))
        .await
}

/// Of the `wanted` files those that the words of an issue fit best, the best first.
pub(crate) fn ranked(index: &Index, issue: &str, wanted: impl Fn(&ProjectPath) -> bool) -> Vec<RankedFile> {
    let found = Retrieval::build(index, RetrievalOptions::default()).search(&Query::of_text(issue));
    // The head of a file is of many words and little code.
    let holds_code = |path: &ProjectPath, lines: Span| {
        let mut elements = index.elements(path.as_str()).iter();
        elements
            .any(|element| element.kind != ElementKind::Variable && lines.contains(element.declaration_line))
    };
    let best = |path: &ProjectPath| {
        let chunks = || found.chunks.iter().map(|(chunk, _)| chunk).filter(|chunk| chunk.path == *path);
        let chunk = chunks().find(|chunk| holds_code(path, chunk.lines)).or_else(|| chunks().next())?;
        Some(RankedFile { path: path.clone(), lines: chunk.lines })
    };
    let ranked = found.files.iter().map(|(path, _)| path).filter(|path| wanted(path));
    ranked.filter_map(best).take(FILES).collect()
}

/// The names of the tests that the words of an issue lead to, the nearest first. They are read from the code: nobody waits for a run.
///
/// # Errors
/// The project cannot be read.
pub async fn tests_of_issue(harness: &TestHarness, issue: &str) -> Result<Vec<String>, Failure> {
    let issue = issue.to_owned();
    with_index(harness, move |index| {
        let near = near_tests(index, &test_names(index), &[], &issue);
        Ok(near.into_iter().filter_map(|test| test.tests.into_iter().next()).take(TESTS).collect())
    })
    .await
}

/// The tests nearest to an issue with the code of the first, and the files beside the code that are named for one of its words, such as
/// the data of a test, as text; none where there is nothing.
pub(crate) fn near_text(index: &Index, issue: &str, line_chars: usize) -> Result<Option<String>, Failure> {
    let near = near_tests(index, &test_names(index), &subjects(index, issue), issue);
    let tests: Vec<String> =
        near.into_iter().filter_map(|test| test.tests.into_iter().next()).take(TESTS).collect();
    let files = namesakes(index.project(), issue)?;
    let mut text = String::new();
    if !files.is_empty() {
        text.push_str(&format!("Files named for its words: {}\n", files.join(", ")));
    }
    if let Some(nearest) = tests.first() {
        text.push_str(&format!("Tests near it: {}. The first of them:\n", tests.join(", ")));
        let code = CollectedTests::of(index.project(), std::slice::from_ref(nearest))?.text(line_chars);
        text.push_str(&patchwright_protocol::cut_text(&code, TEST_BYTES));
    }
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// The production code that an issue names.
fn subjects(index: &Index, issue: &str) -> Vec<TestSubject> {
    let named = mentions(index, issue, |file: &IndexedFile| !file.test);
    let subject = |mention: patchwright_index::Mention| {
        let path = mention.path.to_string();
        let elements = index.elements(&path).iter();
        let mut definitions =
            elements.filter(|element| element.lines == mention.lines).map(|it| it.qualified.clone());
        TestSubject { definition: definitions.next_back(), path }
    };
    named.into_iter().map(subject).collect()
}

/// Files that are no production code and whose name is one that an issue writes as code.
fn namesakes(project: &Project, issue: &str) -> Result<Vec<String>, Failure> {
    let names: Vec<String> = names_in(issue).iter().map(|name| name.to_lowercase()).collect();
    let files = project.files().map_err(Failure::environment)?;
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for name in names.iter().filter(|name| name.len() >= SHORTEST_STEM) {
        let is_named = |path: &&ProjectPath| {
            let file = path.file_name().to_lowercase();
            let is_data = patchwright_syntax::Language::of_path(path.as_path()).is_none();
            is_data && (file == *name || file.split('.').next() == Some(name))
        };
        let files: Vec<&ProjectPath> = files.iter().filter(is_named).collect();
        if files.len() <= NAMESAKES {
            found.extend(files.into_iter().filter(|path| seen.insert(*path)).map(ToString::to_string));
        }
    }
    found.truncate(NAMESAKES_OF_ALL);
    Ok(found)
}

/// The names of all tests of a project, read from its code.
pub(crate) fn test_names(index: &Index) -> Vec<String> {
    index.files().filter(|file| file.test).flat_map(names_of_file).collect()
}

/// The tests that are meant: where a file is named, all of it.
///
/// # Errors
/// The project cannot be read.
pub fn expanded(project: &Project, tests: Vec<String>) -> Result<Vec<String>, Failure> {
    let is_file = |test: &String| ProjectPath::new(test).is_ok_and(|path| project.read(&path).is_ok());
    if !tests.iter().any(is_file) {
        return Ok(tests);
    }
    let index = Index::build(project.root()).map_err(Failure::environment)?;
    let of_file = |test: String| match ProjectPath::new(&test).ok().and_then(|path| index.file(path.as_str()))
    {
        Some(file) => names_of_file(file),
        None => vec![test],
    };
    Ok(tests.into_iter().flat_map(of_file).collect())
}

fn names_of_file(file: &IndexedFile) -> Vec<String> {
    let source = file.source();
    let lines = source.as_ref().map(|source| source.lines()).unwrap_or_default();
    // JUnit 4 and 5 find tests by an annotation, whatever they are called.
    let is_annotated = |element: &Element| {
        let rows = element.lines.first as usize - 1..element.declaration_line as usize;
        lines.get(rows).unwrap_or_default().iter().any(|line| {
            let line = line.trim_start();
            TEST_ANNOTATIONS.iter().any(|annotation| line.starts_with(annotation))
        })
    };
    let is_test = |element: &&Element| {
        element.kind.is_callable()
            && (element.name().to_lowercase().starts_with("test") || is_annotated(element))
    };
    let tests = file.elements().iter().filter(is_test);
    tests.map(|test| format!("{}::{}", file.path, test.qualified.replace('.', "::"))).collect()
}
