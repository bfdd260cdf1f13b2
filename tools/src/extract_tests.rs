//! `extract_tests`: the code of tests with everything that runs around it.

use patchwright_initial_context::{CollectedTests, expanded, tests_of_issue};
use patchwright_protocol::{BugEvidence, Failure};
use patchwright_syntax::ProjectPath;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::ToolContext;
use crate::observation::Observation;
use crate::render::{self, Stop};
use crate::tool::{CallContext, TypedTool};

pub(crate) struct ExtractTests;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExtractTestsArgs {
    /// When left out: those that fail or, where none shows the bug, those that fit the issue.
    #[serde(default)]
    tests: Option<Vec<String>>,
}

impl TypedTool for ExtractTests {
    type Args = ExtractTestsArgs;
    const NAME: &'static str = "extract_tests";
    const DESCRIPTION: &'static str = "Show the code of tests, with their set-up, fixtures and helpers.";
    const ONLY_READS: bool = true;
    const ALIASES: &[&str] = &["extract_test_code", "get_test_code", "read_tests"];

    fn needs_baseline(args: &ExtractTestsArgs, context: &CallContext<'_>) -> bool {
        context.evidence == BugEvidence::FailingTests && args.tests.as_ref().is_none_or(Vec::is_empty)
    }

    async fn run(args: ExtractTestsArgs, context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
        let named = args.tests.filter(|tests| !tests.is_empty());
        let tests = match named {
            Some(named) => named,
            None if context.evidence() == BugEvidence::FailingTests => {
                context.baseline()?.failing.iter().map(ToString::to_string).collect()
            }
            None => tests_of_issue(context.harness, context.session.issue()).await?,
        };
        render::settle(extract(context, tests).await)
    }
}

async fn extract(context: &mut ToolContext<'_>, tests: Vec<String>) -> Result<Observation, Stop> {
    let project = context.project().clone();
    let tests = expanded(context.harness, tests).await?;
    let collected = patchwright_blocking::spawn(move |_| CollectedTests::of(&project, &tests));
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
