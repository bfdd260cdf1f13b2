//! `patchwright repair`

use std::path::{Path, PathBuf};

use patchwright_command_line::cli::RepairArgs;
use patchwright_edits::formats::{EditFormat, read_edits};
use patchwright_edits::{Applied, EditRules};
use patchwright_lanes::Activity;
use patchwright_protocol::{Actor, Failure, Mode, ReproducedBug, Status};
use patchwright_session::{ResultFile, Reviewer};
use patchwright_syntax::Project;
use serde::Serialize;

use crate::cancel::Pause;
use crate::earlier_change;
use crate::execute::{Outcome, Output, execute, patch_bytes};
use crate::failure::{ExitCode, told};
use crate::model::Choice;
use crate::plan::Plan;
use crate::progress::ProgressDisplay;
use crate::terminal::{Console, TerminalReviewer};

/// Repairs a project and prints the patch, or the result as JSON.
pub async fn run(args: &RepairArgs) -> Result<ExitCode, Failure> {
    let outcome = Box::pin(repair(args)).await;
    tell_early_end(outcome, args.json)
}

/// Prints the result of a session that could not begin, where results are printed; wrong usage has none.
pub fn tell_early_end(outcome: Result<ExitCode, Failure>, json: bool) -> Result<ExitCode, Failure> {
    if let (Err(failure), true) = (&outcome, json)
        && failure.actor != Actor::User
    {
        let status = Status::from(failure.actor);
        let object = serde_json::json!({"status": status, "reason": failure.message, "patch": null});
        crate::print(&format!("{object}\n"))?;
    }
    outcome
}

async fn repair(args: &RepairArgs) -> Result<ExitCode, Failure> {
    let plan = Plan::new(&args.dir, &args.options)?;
    earlier_change::settle(&plan.bug.dir, args.apply)?;
    if args.interactive && plan.mode() == Mode::Agentless {
        return Err(Failure::user("the fixed pipeline asks nobody, so there is nothing to look at with -i")
            .hint("leave -i out, or give --mode agent"));
    }
    plan.choice.check(&plan.options).await?;
    let output = output(&plan)?;
    sweep_leftovers().await;
    let pause = Pause::default();
    let reviewer: Box<dyn Reviewer> =
        if args.interactive { Box::new(TerminalReviewer::new(pause.clone())) } else { plan.reviewer() };
    let progress = ProgressDisplay::new(&plan, args.interactive, output.activity.clone());
    let cancel = if args.interactive {
        crate::cancel::on_signals_but_first(pause)
    } else {
        crate::cancel::on_signals()
    };
    let driver = plan.driver(&output.activity)?;
    let session = execute(&plan, &output, driver, reviewer, vec![Box::new(progress)], &cancel);
    let outcome = Box::pin(session).await?;
    let ResultFile { result, trajectory, .. } = &outcome.result;
    crate::say(&format!("trajectory {trajectory}"));
    if let Some(hint) = &result.hint {
        crate::say(&format!("hint: {hint}"));
    }
    if cancel.is_cancelled() && matches!(plan.choice, Choice::Service(_)) {
        crate::say(&format!("hint: --resume {trajectory} goes on with it"));
    }
    if !result.tampering().is_empty() {
        crate::say(
            "warning: the patch touches what its tests are judged by, so that they may prove nothing: read it with care",
        );
    }
    if result.patch.as_deref().is_some_and(|patch| lacks_secrets(patch, outcome.applied.as_ref().ok())) {
        crate::say(
            "warning: lines of the patch hold a secret, which is shown as [redacted]; patch.diff alone is whole: pass it on with care",
        );
    }
    if !args.json {
        print_patch(&outcome)?;
    }
    let written = if cancel.is_cancelled() {
        if result.patch.is_some() {
            crate::say("the session was interrupted: its patch is not written into the project");
        }
        Ok(Vec::new())
    } else {
        Box::pin(write_as_asked(args, &plan.bug.dir, &outcome)).await
    };
    end(&outcome, args.json, cancel.is_cancelled(), written)
}

/// Prints the result as JSON where that is wanted, with the files that were `written` into the project, and gives the exit code.
pub fn end(
    outcome: &Outcome,
    json: bool,
    is_cancelled: bool,
    written: Result<Vec<String>, Failure>,
) -> Result<ExitCode, Failure> {
    if json {
        print_json(outcome, written.as_deref().unwrap_or_default())?;
    }
    if let Err(failure) = written {
        // The result is printed already: it is only told that the project could not be changed.
        crate::say(&told(&failure));
        return Ok(ExitCode::from(failure.actor));
    }
    Ok(if is_cancelled { ExitCode::Interrupted } else { outcome.result.result.status.into() })
}

/// Writes the patch into the project where that is asked for, and says what keeps it from that; the files that are written.
async fn write_as_asked(args: &RepairArgs, dir: &Path, outcome: &Outcome) -> Result<Vec<String>, Failure> {
    let result = &outcome.result.result;
    if result.patch.is_none() {
        return Ok(Vec::new());
    }
    let is_unverified = result.status == Status::Unverified;
    let is_doubtful = is_unverified || !result.tampering().is_empty();
    let asked = args.interactive && (is_doubtful || !args.apply);
    let wanted = if asked { Console.confirm("write the patch into the project?").await } else { args.apply };
    if !wanted {
        return Ok(Vec::new());
    }
    if is_doubtful && !asked {
        let why = if !result.outdated.is_empty() {
            "only a person can tell whether the tests that fail with it are outdated"
        } else if is_unverified {
            "no test has shown that it repairs the bug"
        } else {
            "a person has to read it first"
        };
        crate::say(&format!("the patch is not written into the project: {why}; -i asks you"));
        return Ok(Vec::new());
    }
    apply(dir, outcome, args.with_tests)
}

/// Prints the patch of a session, if there is one.
pub fn print_patch(outcome: &Outcome) -> Result<(), Failure> {
    match &outcome.result.result.patch {
        Some(patch) => crate::output::print_patch(&patch_bytes(patch, outcome.applied.as_ref().ok())),
        None => Ok(()),
    }
}

/// Prints the result of a session with the names of the files that are written into the project.
fn print_json(outcome: &Outcome, applied: &[String]) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Printed<'a> {
        #[serde(flatten)]
        result: &'a ResultFile,
        applied: &'a [String],
    }
    let text =
        serde_json::to_string(&Printed { result: &outcome.result, applied }).map_err(Failure::defect)?;
    crate::print(&format!("{text}\n"))
}

/// Removes what sessions left behind that are no more.
pub async fn sweep_leftovers() {
    crate::lanes::sweep(false);
    if let Err(error) = patchwright_sandbox::sweep(false).await {
        tracing::debug!("no leftovers looked for: {error}");
    }
}

/// Is true if the patch as it is shown is not the one that can be applied.
fn lacks_secrets(patch: &str, applied: Option<&Applied>) -> bool {
    applied.is_some_and(|applied| applied.diff() != patch)
}

/// Writes the patch into the user's project, and the tests that reproduce the issue if these are wanted: all files, whose names are
/// returned, or none.
fn apply(dir: &Path, outcome: &Outcome, with_tests: bool) -> Result<Vec<String>, Failure> {
    let by_hand = "the patch is in the session's folder, for `git apply`";
    let applied = outcome.applied.as_ref().map_err(|why| not_written("patch", why).hint(by_hand))?;
    let result = &outcome.result.result;
    let speaks_for = |test: &&ReproducedBug| result.candidate.is_some_and(|id| test.passed_by.contains(&id));
    let tests: Vec<&ReproducedBug> = result.reproductions.iter().filter(speaks_for).collect();
    let mut whole = applied.clone();
    let mut paths = Vec::new();
    for ReproducedBug { test, .. } in tests.into_iter().filter(|_| with_tests) {
        match added(dir, &test.text) {
            Ok(added) => {
                whole = whole.with(&added);
                paths.push(test.path.as_str());
            }
            Err(why) => {
                let (id, path) = (test.id, &test.path);
                crate::say(&format!("test {id} ({path}) is not written, {why}: its text is in result.json"));
            }
        }
    }
    whole
        .write_to(dir, &format!("the patch of {}", outcome.result.trajectory))
        .map_err(|error| Failure::environment(error).hint(by_hand))?;
    crate::say("the patch is in the project now");
    if with_tests {
        let told = if paths.is_empty() { "none".to_owned() } else { paths.join(", ") };
        crate::say(&format!("tests written with it: {told}"));
    }
    Ok(whole.files.iter().map(|file| file.path.to_string()).collect())
}

/// Why what a session wrote cannot be written into the project.
pub fn not_written(what: &str, why: &str) -> Failure {
    Failure::environment(format!("the {what} is not written into the project: {why}"))
}

/// What a test that reproduces the issue adds to the project, or why it cannot be added: it is a script, or its file is not as it was.
fn added(dir: &Path, diff: &str) -> Result<Applied, String> {
    let project = Project::open(dir).map_err(|error| error.to_string())?;
    let reading = read_edits(diff, Some(EditFormat::Diff))
        .map_err(|_| "as it is a script and no part of the project".to_owned())?;
    patchwright_edits::apply(&project, &reading.edits, &EditRules::default())
        .map_err(|error| format!("as the project has changed since ({error})"))
}

/// Where the session writes to. Nothing is made yet.
pub fn output(plan: &Plan) -> Result<Output, Failure> {
    let session = session_name()?;
    let folder = match &plan.options.output.out {
        Some(file) if file.exists() && !file.is_dir() => {
            return Err(Failure::user(format!("--out {}: not a folder", file.display()))
                .hint("give a folder, which may be new"));
        }
        Some(folder) => {
            let taken = folder.join("trajectory.jsonl");
            if taken.exists() {
                return Err(Failure::user(format!("{} is there already", taken.display()))
                    .hint("give a new folder with --out: a trajectory is never written over"));
            }
            folder.clone()
        }
        None => sessions(&plan.bug.dir)?.join(&session),
    };
    Ok(Output { folder, session, activity: Activity::default() })
}

/// The folder of a project's sessions. A link would lead the session out of the project.
fn sessions(dir: &Path) -> Result<PathBuf, Failure> {
    let own = dir.join(".patchwright");
    let sessions = own.join("sessions");
    for folder in [&own, &sessions] {
        if folder.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
            return Err(Failure::user(format!("{} is not a folder", folder.display()))
                .hint("remove it, or give another folder with --out"));
        }
    }
    Ok(sessions)
}

/// A name that sorts by time and is unique: `20261121-080320-1f3a`.
pub fn session_name() -> Result<String, Failure> {
    let unique =
        tempfile::Builder::new().prefix("").rand_bytes(4).tempfile().map_err(Failure::environment)?;
    let id = unique.path().file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    Ok(format!("{}-{id}", chrono::Utc::now().format("%Y%m%d-%H%M%S")))
}
