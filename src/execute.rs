//! A planned session, carried out: sandbox, detection, lanes, baseline, loop, clean-up.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use patchwright_agent::{Journal, Listener, Reviewer, Session, SessionResult, Setup, Stop};
use patchwright_code::{Applied, Edit, EditRules, Project};
use patchwright_prompts::Task;
use patchwright_sandbox::{Chosen, Sandbox};
use patchwright_testbed::{Baseline, Detected, InSandbox, TestBed, TestBedError};
use patchwright_trajectory::{Event, Mode, Status, Writer};
use serde_json::json;

use crate::cancel::Cancel;
use crate::failure::Failure;
use crate::lanes::Lanes;
use crate::options::SessionOptions;
use crate::plan::Plan;

/// Bytes of the test report that the first prompt shows.
const REPORT_BYTES: usize = 12_000;

/// Where a session writes to, and its name.
pub struct Output {
    /// The folder.
    pub folder: PathBuf,
    /// The session's name.
    pub session: String,
}

/// What a session came to.
pub struct Outcome {
    /// The result.
    pub result: SessionResult,
    /// The patch, ready to be written into the project; none where there is no patch, or where the project is
    /// no longer as it was.
    pub applied: Option<Applied>,
    /// What the user must do about it, where there is something.
    pub hint: Option<String>,
}

/// Carries a plan out. Errors before the trajectory exists are [`Failure`]s and leave nothing behind; from
/// then on every end is a result with a `session_ended` event.
pub async fn execute(
    plan: &Plan,
    output: &Output,
    reviewer: Box<dyn Reviewer>,
    listeners: Vec<Box<dyn Listener>>,
    cancel: &Cancel,
) -> Result<Outcome, Failure> {
    let driver = plan.choice.driver(&plan.options)?;
    let started = Instant::now();
    let chosen =
        patchwright_sandbox::choose(&plan.sandbox(&output.session)).await.map_err(Failure::environment)?;
    let sandbox = Arc::clone(&chosen.sandbox);
    let prepared = async {
        let lanes = Lanes::create()?;
        let toolchain = InSandbox::new(Arc::clone(&sandbox), lanes.path());
        let detected = patchwright_testbed::detect(&plan.dir, &plan.overrides()?, &toolchain)
            .await
            .map_err(Failure::environment)?;
        let journal = open_journal(plan, output, driver.name(), listeners)?;
        Ok((detected, lanes, journal))
    }
    .await;
    let (detected, lanes, mut journal) = match prepared {
        Ok(prepared) => prepared,
        Err(failure) => {
            close(sandbox.as_ref()).await;
            return Err(failure);
        }
    };

    let trajectory = journal.path().to_owned();
    let name = driver.name().to_owned();
    let beginning = Beginning { plan, detected: &detected, chosen: &chosen, lanes: &lanes, cancel };
    let ended = match beginning.prepare(&mut journal).await {
        Ok((bed, baseline)) => {
            let ended = match beginning.setup(&bed, &baseline) {
                Ok(setup) => {
                    let mut session = Session::new(setup, driver, reviewer, journal, started);
                    let stop = cancel.or(session.run()).await.unwrap_or(Stop::Cancelled);
                    let hint = hint(&stop);
                    session.end(&stop).map(|(event, edits)| (event, edits, hint))
                }
                Err(early) => early.record(journal, started),
            };
            close_bed(bed).await;
            ended
        }
        Err(early) => early.record(journal, started),
    };
    close(sandbox.as_ref()).await;
    drop(lanes);

    let (event, edits, hint) = ended.map_err(|error| {
        Failure::environment(error)
            .hint("the trajectory is whole up to its last line; free some space and repair again")
    })?;
    let result = SessionResult::from_event(&event, "agent", &name, &trajectory)
        .ok_or_else(|| Failure::defect("the session ended without its last event"))?;
    let applied = result.patch.as_deref().and_then(|patch| applied(&plan.dir, &edits, patch));
    write_result(output, &result, applied.as_ref())?;
    Ok(Outcome { result, applied, hint })
}

async fn close_bed(bed: TestBed) {
    if let Err(error) = bed.close().await {
        tracing::warn!("lanes could not be removed: {error}");
    }
}

async fn close(sandbox: &dyn Sandbox) {
    if let Err(error) = sandbox.close().await {
        tracing::warn!("the sandbox could not be cleaned up: {error}");
    }
}

fn hint(stop: &Stop) -> Option<String> {
    match stop {
        Stop::Driver(patchwright_agent::DriverError::Model(error)) => Some(error.hint().clone()),
        Stop::Budget(_) => Some("raise the limit, or look at the trajectory to see where it went".to_owned()),
        Stop::Done
        | Stop::Stuck(..)
        | Stop::Driver(_)
        | Stop::Cancelled
        | Stop::Environment(_)
        | Stop::Trajectory(_)
        | Stop::Defect(_) => None,
    }
}

fn open_journal(
    plan: &Plan,
    output: &Output,
    driver: &str,
    listeners: Vec<Box<dyn Listener>>,
) -> Result<Journal, Failure> {
    let unwritable = |error: &dyn std::fmt::Display| {
        Failure::environment(format!("cannot write to {}: {error}", output.folder.display()))
            .hint("free some space, or give another folder with --out")
    };
    std::fs::create_dir_all(&output.folder).map_err(|error| unwritable(&error))?;
    let keys = crate::model::keys(&plan.options).all().map_err(|error| crate::model::refused(&error))?;
    let secrets: Vec<String> = keys.iter().map(|key| key.expose().to_owned()).collect();
    let path = output.folder.join("trajectory.jsonl");
    let writer = Writer::create(&path, &secrets).map_err(|error| unwritable(&error))?;
    let mut journal = Journal::new(writer, listeners);
    let bug = serde_json::to_value(&plan.bug).map_err(Failure::defect)?;
    let settings = serde_json::to_value(recorded(&plan.options)).map_err(Failure::defect)?;
    let time = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    journal
        .record(Event::session_started(
            &output.session,
            time,
            bug,
            without_nulls(settings),
            Mode::Agent,
            driver,
        ))
        .map_err(|error| unwritable(&error))?;
    Ok(journal)
}

/// The options that a replay must share. Those that belong to a machine or a user are not recorded, nor are
/// those that the recorded bug holds already.
fn recorded(options: &SessionOptions) -> SessionOptions {
    SessionOptions {
        failing: None,
        issue: None,
        localization: None,
        line: None,
        model: None,
        max_usd: None,
        time_limit: None,
        sandbox: None,
        image: None,
        container: None,
        base_url: None,
        key_file: None,
        prices: None,
        out: None,
        ..options.clone()
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

/// The edits of a patch, worked out against the project itself rather than its copy; none where that gives
/// another patch: then somebody changed the project while the session ran.
fn applied(dir: &Path, edits: &[Edit], patch: &str) -> Option<Applied> {
    let project = Project::open(dir).ok()?;
    let applied = patchwright_code::apply(&project, edits, &EditRules::default()).ok()?;
    (applied.diff() == patch).then_some(applied)
}

fn write_result(output: &Output, result: &SessionResult, applied: Option<&Applied>) -> Result<(), Failure> {
    let mut text = serde_json::to_string_pretty(result).map_err(Failure::defect)?;
    text.push('\n');
    write(&output.folder.join("result.json"), text.as_bytes())?;
    match &result.patch {
        Some(patch) => write(&output.folder.join("patch.diff"), &patch_bytes(patch, applied)),
        None => Ok(()),
    }
}

/// The patch as `git apply` wants it: a source that is not UTF-8 keeps its bytes.
pub fn patch_bytes(patch: &str, applied: Option<&Applied>) -> Vec<u8> {
    applied.map_or_else(|| patch.as_bytes().to_vec(), Applied::diff_bytes)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes)
        .map_err(|error| Failure::environment(format!("cannot write {}: {error}", path.display())))
}

/// What happens between the detection and the first cycle.
struct Beginning<'a> {
    plan: &'a Plan,
    detected: &'a Detected,
    chosen: &'a Chosen,
    lanes: &'a Lanes,
    cancel: &'a Cancel,
}

/// Why there was no first cycle.
struct Early {
    status: Status,
    reason: String,
    hint: Option<String>,
}

impl Early {
    fn record(
        self,
        mut journal: Journal,
        started: Instant,
    ) -> Result<(Event, Vec<Edit>, Option<String>), patchwright_trajectory::WriteError> {
        let event =
            patchwright_agent::ended_before_the_first_cycle(self.status, &self.reason, started.elapsed());
        journal.record(event.clone())?;
        journal.close()?;
        Ok((event, Vec::new(), self.hint))
    }

    fn environment(reason: impl std::fmt::Display) -> Self {
        Self { status: Status::Environment, reason: reason.to_string(), hint: None }
    }
}

impl From<TestBedError> for Early {
    fn from(error: TestBedError) -> Self {
        Self { hint: error.hint().map(str::to_owned), ..Self::environment(error) }
    }
}

impl From<patchwright_tools::ToolError> for Early {
    fn from(error: patchwright_tools::ToolError) -> Self {
        Self::environment(error)
    }
}

impl From<patchwright_trajectory::WriteError> for Early {
    fn from(error: patchwright_trajectory::WriteError) -> Self {
        Self::environment(error)
    }
}

impl Beginning<'_> {
    async fn prepare(&self, journal: &mut Journal) -> Result<(TestBed, Baseline), Early> {
        let spec = &self.detected.spec;
        journal.record(Event::Detected {
            spec: spec_value(spec),
            reasons: self.detected.reasons.clone(),
            sandbox: self.chosen.sandbox.describe(),
            notes: self.chosen.notes.clone(),
        })?;
        let hidden = self.plan.options.hidden.clone().unwrap_or_default();
        let sandbox = Arc::clone(&self.chosen.sandbox);
        let lanes = self.plan.lanes();
        let bed =
            TestBed::open(spec.clone(), &self.plan.dir, &hidden, sandbox, self.lanes.path(), lanes).await?;
        for note in bed.notes() {
            journal.record(Event::info(note))?;
        }
        let measured = Instant::now();
        let Some(baseline) = self.cancel.or(bed.baseline(&self.plan.bug.failing)).await else {
            let early =
                Early { status: Status::Cancelled, reason: "ended by the user".to_owned(), hint: None };
            return self.abandon(bed, early).await;
        };
        let baseline = match baseline {
            Ok(baseline) => baseline,
            Err(error) => return self.abandon(bed, Early::from(error)).await,
        };
        for note in &baseline.notes {
            journal.record(Event::warning(note))?;
        }
        journal.record(baseline_event(&baseline, measured.elapsed().as_secs_f64()))?;
        if baseline.failing.is_empty() {
            let early = Early {
                status: Status::NoFix,
                reason: "all tests pass: there is nothing to repair".to_owned(),
                hint: Some(
                    "add a test that shows the bug, or give the command that does with --test".to_owned(),
                ),
            };
            return self.abandon(bed, early).await;
        }
        Ok((bed, baseline))
    }

    async fn abandon<T>(&self, bed: TestBed, early: Early) -> Result<T, Early> {
        close_bed(bed).await;
        Err(early)
    }

    fn setup<'b>(&'b self, bed: &'b TestBed, baseline: &'b Baseline) -> Result<Setup<'b>, Early> {
        let bug = &self.plan.bug;
        let failing: Vec<_> = baseline.failing.iter().map(ToString::to_string).collect();
        let tools = self.plan.tools.clone();
        let task = Task {
            language: language(&self.detected.spec),
            project_name: bug.project.clone(),
            issue: bug.issue.clone(),
            failing: failing_tests(baseline)
                .map(|(id, message)| patchwright_prompts::FailingTest { id, message })
                .collect(),
            report: baseline.report.render(REPORT_BYTES),
            test_code: patchwright_tools::test_code_text(bed.project(), &failing, tools.line_chars)?,
            localization: self.plan.localization.render(bed.project())?,
        };
        Ok(Setup {
            bed,
            baseline,
            task,
            localization: &self.plan.localization,
            machine: &self.plan.machine,
            prompts: self.plan.prompts.clone(),
            tools,
            matching: self.plan.matching,
            max_output_tokens: self.plan.max_output_tokens(),
            limits: self.plan.limits,
        })
    }
}

fn language(spec: &patchwright_testbed::ProjectSpec) -> String {
    spec.language.map_or_else(|| "unknown".to_owned(), |language| language.name().to_owned())
}

fn spec_value(spec: &patchwright_testbed::ProjectSpec) -> serde_json::Value {
    json!({
        "language": language(spec),
        "kind": spec.kind.name(),
        "build": spec.build,
        "test": spec.test,
        "test_one": spec.test_one,
        "results": spec.results.to_string(),
        "source": spec.source,
        "tests": spec.tests,
        "timeout_s": spec.timeout.as_secs(),
        "network": spec.network,
    })
}

/// The failing tests with their messages.
fn failing_tests(baseline: &Baseline) -> impl Iterator<Item = (String, Option<String>)> + '_ {
    baseline.failing.iter().map(|id| {
        let outcome = baseline.report.outcomes.iter().find(|outcome| outcome.id == *id);
        (id.to_string(), outcome.and_then(|outcome| outcome.message.clone()))
    })
}

fn baseline_event(baseline: &Baseline, seconds: f64) -> Event {
    let names = |tests: &[patchwright_testbed::TestId]| tests.iter().map(ToString::to_string).collect();
    Event::Baseline {
        total: baseline.report.outcomes.len() as u64,
        passed: baseline.passing.len() as u64,
        failing: failing_tests(baseline)
            .map(|(id, message)| patchwright_trajectory::FailingTest { id, message })
            .collect(),
        known_failing: names(&baseline.known_failing),
        flaky: names(&baseline.flaky),
        report: baseline.report.render(REPORT_BYTES),
        seconds,
    }
}
