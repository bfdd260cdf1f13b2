//! The code of tests with everything that runs around it.

use std::collections::BTreeMap;

use patchwright_index::{TestCode, TestCodeError, test_code};
use patchwright_protocol::{Failure, counted, listed, numbered, sentence};
use patchwright_syntax::{Project, ProjectPath, Source};

/// Lines of test code that are shown; whole tests beyond are left out and named.
const LINES_SHOWN: usize = 500;

/// The code of these tests as text, for a prompt: as `extract_tests` shows it.
///
/// # Errors
/// When the project cannot be listed or read.
pub async fn test_code_text(
    project: &Project,
    tests: Vec<String>,
    line_chars: usize,
) -> Result<String, Failure> {
    let project = project.clone();
    patchwright_blocking::spawn(move |_| {
        CollectedTests::of(&project, &tests).map(|collected| collected.text(line_chars))
    })
    .await?
}

/// The code of several tests, file by file: what they share is shown once.
#[derive(Debug, Default)]
pub struct CollectedTests {
    /// The tests that were found.
    pub found: Vec<String>,
    /// Their files, and those that they use.
    pub files: BTreeMap<ProjectPath, CollectedFile>,
    /// What is wrong with the names of others; each a sentence.
    pub problems: Vec<String>,
    /// Tests that are left out for their length.
    pub left_out: Vec<String>,
}

/// Lines of a file of tests.
#[derive(Clone, Debug, Default)]
pub struct CollectedFile {
    /// The tests in it, by their qualified names.
    pub tests: Vec<String>,
    /// The lines, by their numbers from 1.
    pub lines: BTreeMap<u32, String>,
}

impl CollectedTests {
    /// The code of these tests.
    ///
    /// # Errors
    /// When the project cannot be listed or read.
    pub fn of(project: &Project, tests: &[String]) -> Result<Self, Failure> {
        let mut collected = Self::default();
        for test in tests {
            match test_code(project, test) {
                Ok(code) => collected.add(code),
                Err(TestCodeError::Project(error)) => {
                    return Err(Failure::environment(error));
                }
                Err(
                    error @ (TestCodeError::NotAnId { .. }
                    | TestCodeError::NoFile { .. }
                    | TestCodeError::NoTest { .. }
                    | TestCodeError::Path(_)
                    | TestCodeError::Read(_)),
                ) => collected.problems.push(sentence(&error.to_string())),
            }
        }
        Ok(collected)
    }

    fn add(&mut self, code: TestCode) {
        let shown: usize = self.files.values().map(|file| file.lines.len()).sum();
        if shown > 0 && shown + code.body.lines.len() > LINES_SHOWN {
            self.left_out.push(code.test);
            return;
        }
        if !code.also.is_empty() {
            let places: Vec<&str> = code.also.iter().map(ProjectPath::as_str).collect();
            self.problems.push(format!("`{}` also stands in {}.", code.test, places.join(", ")));
        }
        let file = self.files.entry(code.path).or_default();
        // Instances of a test with parameters have the same code.
        if !file.tests.contains(&code.body.method.qualified) {
            file.tests.push(code.body.method.qualified.clone());
        }
        let methods = std::iter::once(code.body).chain(code.setup);
        file.lines.extend(methods.flat_map(|method| method.lines).chain(code.fields).chain(code.imports));
        for other in code.elsewhere {
            let methods = other.methods.into_iter().flat_map(|method| method.lines);
            self.files.entry(other.path).or_default().lines.extend(methods.chain(other.fields));
        }
        self.found.push(code.test);
    }

    /// As text: file by file, the lines with their numbers and at most so many characters.
    pub fn text(&self, line_chars: usize) -> String {
        let mut text = String::new();
        // Files with tests come first, shared fixtures after them.
        let (with_tests, shared): (Vec<_>, Vec<_>) =
            self.files.iter().partition(|(_, file)| !file.tests.is_empty());
        for (path, file) in with_tests.into_iter().chain(shared) {
            text.push_str(&file.text(path, line_chars));
        }
        for problem in &self.problems {
            text.push_str(&format!("{problem}\n"));
        }
        if !self.left_out.is_empty() {
            text.push_str(&format!(
                "Left out for their length: {}; name them to see them.\n",
                listed(&self.left_out, 20)
            ));
        }
        text
    }
}

impl CollectedFile {
    /// Adds lines of the file, by their numbers.
    pub(crate) fn add_lines(&mut self, source: &Source, numbers: impl Iterator<Item = u32>) {
        let lines = source.lines();
        let line = |number: u32| Some((number, (*lines.get(number as usize - 1)?).to_owned()));
        self.lines.extend(numbers.filter_map(line));
    }

    /// As text: what it is, and its lines with their numbers and at most so many characters.
    pub(crate) fn text(&self, path: &ProjectPath, line_chars: usize) -> String {
        let what = match self.tests.len() {
            0 => "used by the tests".to_owned(),
            count => format!("{}: {}", counted(count, "test"), self.tests.join(", ")),
        };
        let lines: Vec<(u32, String)> =
            self.lines.iter().map(|(number, line)| (*number, line.clone())).collect();
        format!("{path} ({what})\n{}\n", numbered(&lines, line_chars))
    }
}
