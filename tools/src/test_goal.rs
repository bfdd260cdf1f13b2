//! The tools of a session that writes a test and no fix, where they differ from those of a repair: `write_test`, which speaks of no candidates,
//! and `goal_accomplished`, which asks for a test that stands.

use patchwright_edits::EditRules;
use patchwright_fault_localization::{FileLines, Localization};
use patchwright_protocol::Failure;
use patchwright_syntax::{Language, Project};
use patchwright_validation::TestHarness;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::context::ToolContext;
use crate::observation::Observation;
use crate::tool::{CallContext, TypedTool};
use crate::write_test::{self, WriteTest, WriteTestArgs};

pub(crate) struct WriteTestAlone;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteTestAloneArgs {
    /// The test in the project's framework: the whole text of a new file or, where the file exists ({appendable}), what is added at its end. Without a
    /// framework: a script that ends with an error while the bug is there.
    code: String,
    /// The file, among the project's tests; one is chosen when left out.
    #[serde(default)]
    file_path: Option<String>,
    /// The earlier test that this one takes the place of.
    #[serde(default)]
    replaces: Option<u32>,
}

impl TypedTool for WriteTestAlone {
    type Args = WriteTestAloneArgs;
    const NAME: &'static str = WriteTest::NAME;
    const DESCRIPTION: &'static str = "Write a test that fails because of the bug and passes once it is repaired. It runs at once on the \
         original code.";
    const ALIASES: &[&str] = WriteTest::ALIASES;

    fn suit(schema: &mut Value, project: Option<Language>) {
        WriteTest::suit(schema, project);
    }

    fn needs_baseline(_args: &WriteTestAloneArgs, context: &CallContext<'_>) -> bool {
        write_test::is_run_by_observation(context)
    }

    fn preview(args: WriteTestAloneArgs, _project: &Project, _rules: &EditRules) -> Option<String> {
        Some(args.code)
    }

    async fn run(args: WriteTestAloneArgs, context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
        let args = WriteTestArgs::alone(args.code, args.file_path, args.replaces);
        WriteTest::run(args, context).await
    }
}

pub(crate) struct TestAccomplished;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TestAccomplishedArgs {
    /// Why the failure of the test is the wrong behaviour that the issue tells of, and why the test passes once that is repaired.
    reason: String,
}

impl TypedTool for TestAccomplished {
    type Args = TestAccomplishedArgs;
    const NAME: &'static str = "goal_accomplished";
    const DESCRIPTION: &'static str =
        "Finish: a test stands that fails on the original code for the reason that the issue gives.";
    const REPEATABLE: bool = true;

    async fn run(args: TestAccomplishedArgs, context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
        let standing: Vec<_> = context.reproductions.standing().cloned().collect();
        let Some(last) = standing.last() else {
            return Ok(Observation::refused(
                "No test stands that fails on the original code: write one with write_test.",
            ));
        };
        let suspicious =
            suspicious_lines(context.harness, context.session.issue(), context.localization).await?;
        let coverage =
            patchwright_fault_localization::coverage_of(context.harness, last, &suspicious).await?;
        let ids: Vec<String> = standing.iter().map(|test| test.id.to_string()).collect();
        let text = format!("The bug is shown by test {}.", ids.join(", "));
        Ok(Observation::done(
            text,
            json!({ "tests": ids, "reason": args.reason.trim(), "coverage": coverage }),
        ))
    }
}

/// The lines in which the bug may be, as far as somebody said so: those that were given, else those of the code that the issue names.
///
/// # Errors
/// The files cannot be read.
pub async fn suspicious_lines(
    harness: &TestHarness,
    issue: &str,
    localization: &Localization,
) -> Result<Vec<FileLines>, Failure> {
    if !localization.lines().is_empty() {
        let given = localization.lines().iter();
        return Ok(given.map(|line| (line.path.clone(), line.line..=line.line)).collect());
    }
    let code = patchwright_initial_context::referenced_code(harness, issue).await?;
    Ok(code.into_iter().map(|code| (code.shown.path, code.lead)).collect())
}
