//! `extract_tests`: the code of tests with everything that runs around it.

use std::collections::BTreeMap;

use patchwright_index::{TestCode, TestCodeError, test_code};
use patchwright_protocol::Failure;
use patchwright_syntax::{Project, ProjectPath};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::ToolContext;
use crate::issue_words;
use crate::observation::Observation;
use crate::render::{self, Stop, counted, sentence};
use crate::tool::{Circumstances, TypedTool};

/// Lines of test code that are shown; whole tests beyond are left out and named.
const LINES_SHOWN: usize = 500;

pub(crate) struct ExtractTests;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExtractTestsArgs {
    /// When left out: all failing tests or, where none shows the bug, those that the words of the issue lead to.
    #[serde(default)]
    tests: Option<Vec<String>>,
}

impl TypedTool for ExtractTests {
    type Args = ExtractTestsArgs;
    const NAME: &'static str = "extract_tests";
    const DESCRIPTION: &'static str =
        "Show the code of the failing tests, or of tests that you name, with set-up, fixtures and helpers.";
    const ALIASES: &[&str] = &["extract_test_code", "get_test_code", "read_tests"];

    fn needs_baseline(args: &ExtractTestsArgs, circumstances: &Circumstances<'_>) -> bool {
        circumstances.is_shown_by_tests && args.tests.as_ref().is_none_or(Vec::is_empty)
    }

    async fn run(args: ExtractTestsArgs, context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
        let named = args.tests.filter(|tests| !tests.is_empty());
        let tests = match named {
            Some(named) => named,
            None if context.is_shown_by_tests() => {
                context.baseline()?.failing.iter().map(ToString::to_string).collect()
            }
            None => issue_words::tests(context.harness, context.session.issue()).await?,
        };
        render::settle(extract(context, tests).await)
    }
}

async fn extract(context: &mut ToolContext<'_>, tests: Vec<String>) -> Result<Observation, Stop> {
    let project = context.project().clone();
    let collected = patchwright_blocking::spawn(move |_| {
        let tests = issue_words::expanded(&project, tests)?;
        Collected::of(&project, &tests)
    });
    let collected = collected.await??;
    let text = collected.text(context.settings.line_chars);
    if text.is_empty() {
        let nothing = "No test has words of the issue. Name the tests that you want to see, as in tests/test_a.py::test_b.";
        return Err(Stop::Tell(nothing.to_owned()));
    }
    if collected.files.is_empty() {
        return Err(Stop::Tell(text.trim_end().to_owned()));
    }
    let paths: Vec<&ProjectPath> = collected.files.keys().collect();
    let data = json!({ "tests": collected.found, "files": paths, "left_out": collected.left_out });
    let observation = Observation::done(text, data);
    Ok(match collected.files.iter().next() {
        Some((path, file)) if collected.files.len() == 1 && collected.problems.is_empty() => observation
            .keep_lines(
                path.as_str(),
                file.lines.iter().map(|(number, line)| (*number, line.clone())).collect(),
                None,
            ),
        Some(_) | None => observation.keep_text(),
    })
}

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
        Collected::of(&project, &tests).map(|collected| collected.text(line_chars))
    })
    .await?
}

/// The code of several tests, file by file: what they share is shown once.
#[derive(Default)]
struct Collected {
    found: Vec<String>,
    files: BTreeMap<ProjectPath, FileLines>,
    problems: Vec<String>,
    left_out: Vec<String>,
}

#[derive(Default)]
struct FileLines {
    tests: Vec<String>,
    lines: BTreeMap<u32, String>,
}

impl Collected {
    fn of(project: &Project, tests: &[String]) -> Result<Self, Failure> {
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

    fn text(&self, line_chars: usize) -> String {
        let mut text = String::new();
        // Files with tests come first, shared fixtures after them.
        let (with_tests, shared): (Vec<_>, Vec<_>) =
            self.files.iter().partition(|(_, file)| !file.tests.is_empty());
        for (path, file) in with_tests.into_iter().chain(shared) {
            let what = match file.tests.len() {
                0 => "used by the tests".to_owned(),
                count => format!("{}: {}", counted(count, "test"), file.tests.join(", ")),
            };
            let lines: Vec<(u32, String)> =
                file.lines.iter().map(|(number, line)| (*number, line.clone())).collect();
            text.push_str(&format!("{path} ({what})\n{}\n", render::numbered(&lines, line_chars)));
        }
        for problem in &self.problems {
            text.push_str(&format!("{problem}\n"));
        }
        if !self.left_out.is_empty() {
            text.push_str(&format!(
                "Left out for their length: {}; name them to see them.\n",
                render::listed(&self.left_out, 20)
            ));
        }
        text
    }
}
