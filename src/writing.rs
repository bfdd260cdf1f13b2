//! `patchwright test`: a test that shows the bug of an issue, and no fix.
//!
//! The work is that of any session: a [`Plan`] whose method says how the test is written, carried out by [`execute`]. A batch run does the
//! same with a plan of its own.

use patchwright_command_line::cli::TestArgs;
use patchwright_command_line::options::{AgentlessOptions, SessionOptions};
use patchwright_protocol::{Failure, Status};
use patchwright_session::ResultFile;

use crate::earlier_change;
use crate::execute::{Outcome, execute};
use crate::failure::ExitCode;
use crate::plan::Plan;
use crate::progress::ProgressDisplay;
use crate::repair::{end, not_written, output, print_patch, sweep_leftovers, tell_early_end};

/// Writes a test for an issue and prints the patch that adds it, or the result as JSON.
pub async fn run(args: &TestArgs) -> Result<ExitCode, Failure> {
    let outcome = Box::pin(write(args)).await;
    tell_early_end(outcome, args.json)
}

async fn write(args: &TestArgs) -> Result<ExitCode, Failure> {
    let plan = Plan::for_tests(&args.dir, &options(args))?;
    earlier_change::settle(&plan.bug.dir, args.apply)?;
    plan.choice.check(&plan.options).await?;
    let output = output(&plan)?;
    sweep_leftovers().await;
    let progress = ProgressDisplay::new(&plan, false, output.activity.clone());
    let cancel = crate::cancel::on_signals();
    let driver = plan.driver(&output.activity)?;
    let session = execute(&plan, &output, driver, plan.reviewer(), vec![Box::new(progress)], &cancel);
    let outcome = Box::pin(session).await?;
    let ResultFile { result, trajectory, .. } = &outcome.result;
    crate::say(&format!("trajectory {trajectory}"));
    if let Some(hint) = &result.hint {
        crate::say(&format!("hint: {hint}"));
    }
    if !args.json {
        print_patch(&outcome)?;
    }
    let written = if args.apply && !cancel.is_cancelled() { apply(&plan, &outcome) } else { Ok(Vec::new()) };
    end(&outcome, args.json, cancel.is_cancelled(), written)
}

/// The options that were typed, as those of a session.
fn options(args: &TestArgs) -> SessionOptions {
    SessionOptions {
        project: args.project.clone(),
        approach: args.approach.clone(),
        budget: args.budget.clone(),
        sandbox: args.sandbox.clone(),
        model: args.model.clone(),
        prompt: args.prompt.clone(),
        agentless: AgentlessOptions {
            sample_temperature: args.sample_temperature,
            resume: args.resume.clone(),
            ..AgentlessOptions::default()
        },
        writing: args.writing.clone(),
        output: args.output.clone(),
    }
}

/// Writes the test into the user's project; the files that are written.
fn apply(plan: &Plan, outcome: &Outcome) -> Result<Vec<String>, Failure> {
    let result = &outcome.result.result;
    if result.patch.is_none() {
        return Ok(Vec::new());
    }
    if result.status == Status::Unverified {
        crate::say(
            "the test is not written into the project: it is not sure that it fails for the issue's reason",
        );
        return Ok(Vec::new());
    }
    let by_hand = "the patch is in the session's folder, for `git apply`";
    let applied = outcome.applied.as_ref().map_err(|why| not_written("test", why).hint(by_hand))?;
    applied
        .write_to(&plan.bug.dir, &format!("the test of {}", outcome.result.trajectory))
        .map_err(|error| Failure::environment(error).hint(by_hand))?;
    let files = result.written.as_ref().map(|written| written.files.join(", ")).unwrap_or_default();
    crate::say(&format!("the test is in the project now: {files}"));
    Ok(applied.files.iter().map(|file| file.path.to_string()).collect())
}
