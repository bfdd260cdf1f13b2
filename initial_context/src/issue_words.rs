//! What the words of an issue lead to, where no test tells of the bug: production code, tests, and their data.

use std::collections::HashSet;

use patchwright_index::{
    Element, ElementKind, Index, IndexedFile, NearTest, Query, Retrieval, RetrievalOptions, TestSubject,
    fitting_functions, fuse, names_in, near_tests,
};
use patchwright_protocol::Failure;
use patchwright_syntax::{Project, ProjectPath, Span};
use patchwright_validation::TestHarness;

use crate::collected_tests::CollectedFile;
use crate::imports::import_spans;
use crate::piece::Piece;
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
/// Tests of which the heads are shown as far as there is room, in bytes, and lines of one.
const TRIED: usize = 20;
const TEST_BYTES: usize = 2_250;
const HEAD_LINES: u32 = 6;
/// Lines of decorations and comments above a test that are shown.
const DECORATIONS: u32 = 4;
/// Lines of what prepares the tests of a class.
const SET_UP_LINES: u32 = 8;
/// How little the first places of a ranking of tests differ: less than usual, for only the first are shown.
const TESTS_K: f64 = 10.0;
/// Pieces of code whose tests are near.
const SUBJECTS: usize = 10;

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

/// The heads of the tests nearest to an issue and to the code that it leads to, and the files beside the code that are named for one of its
/// words, such as the data of a test, as text; none where there is nothing.
pub(crate) fn near_text(
    index: &Index,
    issue: &str,
    pieces: &[Piece],
    line_chars: usize,
) -> Result<Option<String>, Failure> {
    let files = namesakes(index.project(), issue)?;
    let mut text = String::new();
    if !files.is_empty() {
        text.push_str(&format!("Files named for its words: {}\n", files.join(", ")));
    }
    let mut heads = TestHeads::default();
    for test in nearest(index, issue, pieces).iter().take(TRIED) {
        let mut more = heads.clone();
        more.add(index, test);
        if more.text(line_chars).len() <= TEST_BYTES {
            heads = more;
        }
    }
    if !heads.files.is_empty() {
        text.push_str("Tests near it, of longer ones the first lines:\n");
        text.push_str(&heads.text(line_chars));
    }
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// The tests nearest to an issue: those that its words fit and those that name the code that it leads to, as one ranking.
fn nearest(index: &Index, issue: &str, pieces: &[Piece]) -> Vec<Piece> {
    let files = index.files().filter(|file| file.test);
    let tests: HashSet<Piece> =
        files.flat_map(|file| tests_of(file).into_iter().map(|test| piece(file, test))).collect();
    let fitting = fitting_functions(index, &Query::of_text(issue), |file| file.test);
    let by_words: Vec<Piece> =
        fitting.into_iter().map(Piece::from).filter(|piece| tests.contains(piece)).collect();
    let near = near_tests(index, &test_names(index), &subjects(index, pieces), issue);
    let by_code: Vec<Piece> =
        near.into_iter().map(|NearTest { path, lines, .. }| Piece { path, lines, line: None }).collect();
    fuse(&[(1.0, by_words.as_slice()), (1.0, &by_code)], TESTS_K).into_iter().map(|(test, _)| test).collect()
}

/// The definitions that the first pieces are.
pub(crate) fn subjects(index: &Index, pieces: &[Piece]) -> Vec<TestSubject> {
    let subject = |piece: &Piece| {
        let elements = index.elements(piece.path.as_str()).iter();
        let mut definitions =
            elements.filter(|element| element.lines == piece.lines).map(|it| it.qualified.clone());
        TestSubject { definition: definitions.next_back(), path: piece.path.to_string() }
    };
    pieces.iter().take(SUBJECTS).map(subject).collect()
}

fn piece(file: &IndexedFile, element: &Element) -> Piece {
    Piece { path: file.path.clone(), lines: element.lines, line: None }
}

/// The first lines of tests, file by file.
#[derive(Clone, Default)]
struct TestHeads {
    files: Vec<(ProjectPath, CollectedFile)>,
}

impl TestHeads {
    fn add(&mut self, index: &Index, test: &Piece) {
        let Some(file) = index.file(test.path.as_str()) else { return };
        let Some(source) = file.source() else { return };
        let Some(element) = file.elements().iter().find(|element| element.lines == test.lines) else {
            return;
        };
        let place = self.files.iter().position(|(path, _)| *path == test.path).unwrap_or_else(|| {
            let mut shown = CollectedFile::default();
            // A new test is most probably added to the first file, where it can use what that imports.
            if self.files.is_empty() {
                let imports = import_spans(&test.path, &source);
                shown.add_lines(&source, imports.iter().flat_map(|span| span.first..=span.last));
            }
            self.files.push((test.path.clone(), shown));
            self.files.len() - 1
        });
        let is_first = place == 0;
        let (_, shown) = &mut self.files[place];
        for set_up in set_up(file, element).filter(|_| is_first) {
            let last = set_up.last.min(set_up.first + SET_UP_LINES - 1);
            shown.add_lines(&source, set_up.first..=last);
        }
        shown.tests.push(element.qualified.clone());
        // What stands above it may hand it what it needs.
        let first = element.lines.first.max(element.declaration_line.saturating_sub(DECORATIONS));
        let last = element.lines.last.min(element.declaration_line + HEAD_LINES - 1);
        shown.add_lines(&source, first..=last);
    }

    fn text(&self, line_chars: usize) -> String {
        self.files.iter().map(|(path, file)| file.text(path, line_chars)).collect()
    }
}

/// The methods that prepare each test of the class that a test stands in.
fn set_up<'f>(file: &'f IndexedFile, test: &'f Element) -> impl Iterator<Item = Span> + 'f {
    let class = test.qualified.rsplit_once('.').map(|(class, _)| class);
    let names = &file.language.entry().tests.setup_names;
    let is_set_up = move |element: &&Element| {
        let place = element.qualified.rsplit_once('.').map(|(class, _)| class);
        class.is_some() && place == class && names.contains(&element.name())
    };
    file.elements().iter().filter(is_set_up).map(|element| element.lines)
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
pub async fn expanded(harness: &TestHarness, tests: Vec<String>) -> Result<Vec<String>, Failure> {
    if !tests.iter().any(|test| harness.project().has_file(test)) {
        return Ok(tests);
    }
    with_index(harness, move |index| {
        let file = |test: &String| index.file(ProjectPath::new(test).ok()?.as_str());
        Ok(tests.into_iter().flat_map(|test| file(&test).map_or_else(|| vec![test], names_of_file)).collect())
    })
    .await
}

fn names_of_file(file: &IndexedFile) -> Vec<String> {
    let tests = tests_of(file).into_iter();
    tests.map(|test| format!("{}::{}", file.path, test.qualified.replace('.', "::"))).collect()
}

/// The functions of a file that are tests.
fn tests_of(file: &IndexedFile) -> Vec<&Element> {
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
    file.elements().iter().filter(is_test).collect()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_heads_of_near_tests_are_shown_and_longer_ones_cut() {
        let folder = tempfile::tempdir().unwrap();
        let body = "    call()\n".repeat(20);
        let text = format!(
            "import ferry\n\n\ndef helper_of_ferries():\n    pass\n\n\ndef test_long_ferry():\n{body}\n\n\
             class TestFerry:\n    def setup_method(self):\n        self.quay = 3\n\n    def test_ferry_is_late(self):\n        assert ferry.late()\n\n\n\
             def test_tide():\n    pass\n"
        );
        for (path, text) in [("ferry.py", "def late():\n    return False\n"), ("tests/test_ferry.py", &text)]
        {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let index = Index::build(folder.path()).unwrap();
        let late = Piece {
            path: ProjectPath::new("ferry.py").unwrap(),
            lines: Span { first: 1, last: 2 },
            line: None,
        };
        let text = near_text(&index, "The ferry is never late.", &[late], 200).unwrap().unwrap();
        assert!(
            text.contains(
                "tests/test_ferry.py (3 tests: TestFerry.test_ferry_is_late, test_long_ferry, test_tide)"
            ),
            "{text}"
        );
        assert!(text.contains("assert ferry.late()"), "{text}");
        assert_eq!(text.matches("call()").count(), HEAD_LINES as usize - 1, "{text}");
        assert!(!text.contains("helper_of_ferries"), "{text}");
        assert!(text.contains("import ferry\n") && text.contains("self.quay = 3"), "{text}");
    }
}
