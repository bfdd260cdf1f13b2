//! A planned session, carried out: sandbox, detection, lanes, baseline, loop, clean-up.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use patchwright_agent::{AgentLoop, LoopSetup};
use patchwright_agentless::{Pipeline, PipelineSetup, Regressions};
use patchwright_edits::{Applied, Edit, EditRules};
use patchwright_folder::{Folder, FolderError};
use patchwright_lanes::{Activity, own_files};
use patchwright_protocol::{Failure, Mode};
use patchwright_session::{
    Driver, Journal, Listener, MeasuredBaseline, PendingBaseline, ResultFile, Reviewer, Session,
    SessionSetup, beside,
};
use patchwright_syntax::Project;
use patchwright_test_writing::{TestWriter, WriterSetup, check_language};
use patchwright_trajectory::{Event, Redactor, Writer};
use tokio_util::sync::CancellationToken;

use crate::environment::{Environment, close_harness};
use crate::plan::{Plan, shared_with_replay};
use crate::setup::{End, Preparation};

/// The files that a session writes into its folder.
const TRAJECTORY: &str = "trajectory.jsonl";
const RESULT: &str = "result.json";
const PATCH: &str = "patch.diff";
/// The first line of a patch. What reads patches passes over it.
const MARK: &str = "# format: patchwright-patch\n";

/// Where a session writes to, and its name.
pub struct Output {
    /// The folder.
    pub folder: PathBuf,
    /// The session's name.
    pub session: String,
    /// Who is told which step is under way.
    pub activity: Activity,
}

/// The outcome of a session.
pub struct Outcome {
    /// The result of the session, and where it is recorded.
    pub result: ResultFile,
    /// The patch, ready to be written into the project, or why it cannot be: there is none, or it does not fit the project.
    pub applied: Result<Applied, String>,
    /// Is true if the bug as it was given is at fault: it would end so every time.
    pub is_unusable: bool,
}

/// Carries a plan out. Errors before the trajectory exists are [`Failure`]s and leave nothing behind; from
/// then on every end is a result with a `session_ended` event.
pub async fn execute(
    plan: &Plan,
    output: &Output,
    driver: Box<dyn Driver>,
    reviewer: Box<dyn Reviewer>,
    listeners: Vec<Box<dyn Listener>>,
    cancel: &CancellationToken,
) -> Result<Outcome, Failure> {
    let started = Instant::now();
    let redactor = crate::secrets::redactor(&plan.options)?;
    crate::output::redact_with(redactor.clone());
    let finding = output.activity.begin("looking for a sandbox, and how the project is tested");
    let finds = Box::pin(within(plan.limits.time, Environment::find(plan, &output.session)));
    let environment = cancel.run_until_cancelled(finds).await.ok_or_else(Failure::cancelled)??;
    drop(finding);
    let mut journal = match open_journal(plan, output, &driver.profile().name, listeners, redactor.clone()) {
        Ok(journal) => journal,
        Err(failure) => {
            environment.leave().await;
            return Err(failure);
        }
    };

    let trajectory = journal.path().to_owned();
    let name = driver.profile().name.clone();
    let preparation = Preparation { plan, environment: &environment, activity: &output.activity, started };
    let prepared = cancel.run_until_cancelled(Box::pin(preparation.prepare(&mut journal))).await;
    let ended = match prepared.unwrap_or_else(|| Err(Failure::cancelled().into())) {
        Ok((harness, baseline)) => {
            let mut testing = Box::pin(preparation.run_pending(&harness, &baseline));
            let method = plan.options.writing.method;
            let writable = method.map_or(Ok(()), |method| check_language(&harness, method));
            let waited = match writable {
                Ok(()) => {
                    let waiting = wait(plan, testing.as_mut(), &baseline, &mut journal);
                    cancel.run_until_cancelled(waiting).await.unwrap_or(Ok(false))
                }
                Err(failure) => Err(failure),
            };
            let ready = match waited {
                Ok(is_tested) => {
                    let setup =
                        cancel.run_until_cancelled(Box::pin(preparation.setup(&harness, &baseline))).await;
                    let setup = setup.unwrap_or_else(|| Err(Failure::cancelled().into()));
                    setup.map(|setup| (setup, is_tested))
                }
                Err(failure) => Err(failure.into()),
            };
            let ended = match ready {
                Ok((setup, is_tested)) => {
                    let mut attempt: Box<dyn Session + '_> = match plan.mode() {
                        _ if plan.writes_by_fixed_method() => {
                            Box::new(TestWriter::new(writer(plan, setup), driver, journal, started))
                        }
                        Mode::Agent => {
                            let setup = agent_loop(plan, setup);
                            Box::new(AgentLoop::new(setup, driver, reviewer, journal, started))
                        }
                        Mode::Agentless => {
                            Box::new(Pipeline::new(pipeline(plan, setup), driver, journal, started))
                        }
                    };
                    let testing = async {
                        if !is_tested {
                            testing.as_mut().await;
                        }
                    };
                    let stop = cancel
                        .run_until_cancelled(beside(testing, attempt.run()))
                        .await
                        .unwrap_or_else(|| Failure::cancelled().into());
                    let is_found = |known: &&MeasuredBaseline| {
                        plan.bug.input.failing.is_empty() && !known.baseline.supposed
                    };
                    let found = baseline.known().filter(is_found);
                    let found = found.map(|known| known.baseline.failing.len());
                    let ended = attempt.end(&stop, stop.hint(found));
                    ended.map(|(result, edits)| End { result, edits, is_unusable: false })
                }
                Err(error) => error.record(&name, journal, started),
            };
            drop(testing);
            close_harness(harness).await;
            ended
        }
        Err(error) => error.record(&name, journal, started),
    };
    environment.leave().await;

    let End { result, edits, is_unusable } = ended.map_err(|error| {
        Failure::from(error)
            .hint("the trajectory is whole up to its last line; free some space and repair again")
    })?;
    let applied = match result.patch.clone() {
        Some(patch) => {
            let dir = plan.bug.dir.clone();
            patchwright_blocking::spawn(move |_| applied(&dir, &edits, &patch, &redactor)).await?
        }
        None => Err("there is none".to_owned()),
    };
    let result = ResultFile::new(result, plan.mode(), plan.options.writing.method, &trajectory);
    write_result(output, &result, applied.as_ref().ok())?;
    Ok(Outcome { result, applied, is_unusable })
}

/// Finds out what a session needs before it begins, within its time.
async fn within<T>(
    time: Option<Duration>,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let Some(time) = time else { return work.await };
    tokio::time::timeout(time, work).await.unwrap_or_else(|_| {
        let seconds = time.as_secs();
        let why = "was reached while Patchwright looked for a sandbox and for how the project is tested";
        Err(Failure::environment(format!("the time limit of {seconds} s {why}"))
            .hint("raise it with --time-limit"))
    })
}

/// Waits for the tests before any change as long as the first question does, and records what is known of them by then. Is true if
/// they are through.
async fn wait(
    plan: &Plan,
    testing: impl Future<Output = ()>,
    baseline: &PendingBaseline,
    journal: &mut Journal,
) -> Result<bool, Failure> {
    if baseline.known().is_some() {
        return Ok(true);
    }
    let patience = plan.patience().unwrap_or_default();
    let is_tested = tokio::time::timeout(patience, testing).await.is_ok();
    if let Some(known) = baseline.known() {
        known.record(journal)?;
    }
    Ok(is_tested)
}

/// The setup of the loop.
fn agent_loop<'a>(plan: &'a Plan, session: SessionSetup<'a>) -> LoopSetup<'a> {
    LoopSetup {
        session,
        localization: &plan.localization,
        origin: &plan.bug.dir,
        machine: &plan.machine,
        tools: plan.tools.clone(),
        matching: plan.matching,
        issue_only: plan.bug.input.issue_only,
    }
}

/// The setup of the fixed pipeline.
fn pipeline<'a>(plan: &Plan, session: SessionSetup<'a>) -> PipelineSetup<'a> {
    PipelineSetup {
        session,
        settings: plan.pipeline.clone(),
        meaning: plan.meaning.clone(),
        regressions: plan.choice.recording().map_or(Regressions::ByTime, Regressions::of),
        earlier: plan.earlier.clone(),
    }
}

/// The setup of a fixed method that writes a test.
fn writer<'a>(plan: &'a Plan, session: SessionSetup<'a>) -> WriterSetup<'a> {
    WriterSetup {
        session,
        settings: plan.writing.clone().unwrap_or_default(),
        localization: &plan.localization,
    }
}

fn open_journal(
    plan: &Plan,
    output: &Output,
    driver: &str,
    listeners: Vec<Box<dyn Listener>>,
    redactor: Redactor,
) -> Result<Journal, Failure> {
    let unwritable = |error: &dyn std::fmt::Display| {
        Failure::environment(format!("cannot write to {}: {error}", output.folder.display()))
            .hint("free some space, or give a folder that can be written to with --out")
    };
    crate::files::create_folder(&output.folder).map_err(|error| unwritable(&error))?;
    own_files::note(&output.folder, &[TRAJECTORY, RESULT, PATCH]).map_err(|error| unwritable(&error))?;
    if output.folder.starts_with(plan.bug.dir.join(OWN)) {
        ignore_in_git(&plan.bug.dir).map_err(|error| unwritable(&error))?;
    }
    let path = output.folder.join(TRAJECTORY);
    let writer = Writer::create(&path, redactor).map_err(|error| unwritable(&error))?;
    let mut journal = Journal::new(writer, listeners);
    let bug = serde_json::to_value(&plan.bug.input).map_err(Failure::defect)?;
    let settings = serde_json::to_value(shared_with_replay(plan.options.clone())).map_err(Failure::defect)?;
    let time = chrono::Utc::now().format("%Y-%m-%dT%H:%M:%SZ").to_string();
    journal
        .record(Event::session_started(
            &output.session,
            time,
            bug,
            without_nulls(settings),
            plan.mode(),
            driver,
        ))
        .map_err(|error| unwritable(&error))?;
    Ok(journal)
}

/// The folder of a project in which its sessions are kept.
const OWN: &str = ".patchwright";

/// Sessions kept in the project are not the project's: git does not see them. A project may have put a link there.
fn ignore_in_git(dir: &Path) -> Result<(), FolderError> {
    const IGNORE: &str = ".gitignore";
    let own = Folder::open(dir)?.below(OWN)?;
    match own.entry(IGNORE) {
        Err(error) if error.is_not_found() => own.write(IGNORE, b"*\n"),
        known => known.map(drop),
    }
}

fn without_nulls(value: serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Object(fields) => {
            fields.into_iter().filter(|(_, value)| !value.is_null()).collect()
        }
        other => other,
    }
}

/// The edits of a patch, worked out against the project itself rather than its copy, or why they do not give the recorded patch there.
fn applied(dir: &Path, edits: &[Edit], patch: &str, redactor: &Redactor) -> Result<Applied, String> {
    let project = Project::open(dir).map_err(|error| error.to_string())?;
    let applied = patchwright_edits::apply(&project, edits, &EditRules::default())
        .map_err(|error| error.to_string())?;
    if redactor.text(&applied.diff()) == patch {
        Ok(applied)
    } else {
        Err("the project was changed while the session ran".to_owned())
    }
}

fn write_result(output: &Output, result: &ResultFile, applied: Option<&Applied>) -> Result<(), Failure> {
    let write = |name: &str, bytes: &[u8]| {
        crate::files::write_whole(&output.folder.join(name), |out| out.write_all(bytes))
    };
    let mut text = serde_json::to_string_pretty(result).map_err(Failure::defect)?;
    text.push('\n');
    write(RESULT, text.as_bytes())?;
    result.result.patch.as_ref().map_or(Ok(()), |patch| write(PATCH, &patch_bytes(patch, applied)))
}

/// The patch as `git apply` and `patch` want it, behind the mark by which copies of a project leave it out: a source that is not
/// UTF-8 keeps its bytes, and a secret in it its value.
pub fn patch_bytes(patch: &str, applied: Option<&Applied>) -> Vec<u8> {
    let diff = applied.map_or_else(|| patch.as_bytes().to_vec(), Applied::diff_bytes);
    [MARK.as_bytes(), &diff].concat()
}
