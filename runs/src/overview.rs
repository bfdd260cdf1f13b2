//! The progress of a run, read from its files: the processes that work on it may be on other machines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use patchwright_protocol::{Goal, Status, StatusClass};
use patchwright_trajectory::Reader;
use serde::Serialize;

use super::error::RunError;
use super::event::{EndReason, EventRecord, RunEvent};
use super::files;
use super::folder::{Places, RunRecord};
use super::ledger::{Ledger, RunCosts};
use super::owner::SILENT;
use super::part::{Part, folders};
use super::stage::{Stage, StageReader};
use super::status::is_redone;

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overview {
    /// The run's name.
    pub run: String,
    /// What its sessions look for.
    pub goal: Goal,
    /// All its cases, those of parts that have not begun left out.
    pub progress: Progress,
    /// Cases that the benchmark's tests have judged, and those of them that they accept.
    pub graded: u64,
    /// See `graded`.
    pub resolved: u64,
    /// The run, or each of its parts.
    pub parts: Vec<PartOverview>,
    /// Cases that were tried and have no answer.
    pub waiting: Vec<WaitingCase>,
}

/// How far a run or a part of it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Progress {
    /// Cases.
    pub cases: u64,
    /// Cases that need nothing more.
    pub done: u64,
    /// Cases that are solved as far as tests can tell.
    pub solved: u64,
    /// The number of cases at each status.
    pub statuses: BTreeMap<Status, u64>,
    /// What all attempts have cost, those that run included.
    pub spent: RunCosts,
    /// Cases that end in an hour, by those that ended since it was begun or resumed last; none before the first, or where nothing runs.
    pub cases_per_hour: Option<f64>,
    /// Seconds until all are done, at that rate.
    pub seconds_left: Option<f64>,
}

/// A run, or one of its parts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartOverview {
    /// Which part; none of a run in one folder.
    pub part: Option<Part>,
    /// Its folder.
    pub folder: PathBuf,
    /// What became of it.
    pub state: PartState,
    /// How far it is.
    pub progress: Progress,
    /// What runs, the oldest first.
    pub running: Vec<RunningAttempt>,
}

/// What became of a run or a part.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum PartState {
    /// Nobody has begun it.
    NotBegun,
    /// Its process gave a sign of life not long ago.
    Running,
    /// Its process has ended without an end in the log, or is silent for so long.
    Silent {
        /// Seconds.
        seconds: f64,
    },
    /// It came to its end.
    Ended {
        /// The reason.
        reason: EndReason,
        /// The reason in a sentence.
        text: String,
    },
}

/// An attempt that runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunningAttempt {
    /// The case's id.
    pub case: String,
    /// The attempt's number.
    pub attempt: u32,
    /// Seconds since it began.
    pub seconds: f64,
    /// How far it is.
    pub stage: Stage,
}

/// A case that was tried and has no answer: a resumed run tries it again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WaitingCase {
    /// The case's id.
    pub case: String,
    /// How it ended.
    pub status: Status,
    /// Why.
    pub reason: String,
    /// How often it was tried.
    pub attempts: u64,
}

impl Overview {
    /// Of the run, or of all parts of one that lie in a folder, at this time.
    ///
    /// # Errors
    /// See [`RunRecord::read`].
    pub fn read(root: &Path, now: SystemTime) -> Result<Self, RunError> {
        let run = RunRecord::read(root)?;
        let mut parts = Vec::new();
        match &run.parts {
            None => parts.push(PartOverview::read(None, root, now)?),
            Some(found) => {
                let of = found.of;
                let known: BTreeMap<u32, (Part, PathBuf)> =
                    folders(root).into_iter().map(|(part, folder)| (part.number(), (part, folder))).collect();
                for part in Part::all(of) {
                    match known.get(&part.number()).filter(|_| !found.missing.contains(&part.number())) {
                        Some((part, folder)) => parts.push(PartOverview::read(Some(*part), folder, now)?),
                        None => parts.push(PartOverview::not_begun(part, root)),
                    }
                }
            }
        }
        let ids = || run.file.cases.iter().map(String::as_str);
        let mut progress = Progress::of(&run.ledger, &run.file.cases);
        for part in &parts {
            progress.spend(&part.running);
        }
        let rates: Vec<f64> = parts.iter().filter_map(|part| part.progress.cases_per_hour).collect();
        progress.cases_per_hour = (!rates.is_empty()).then(|| rates.iter().sum());
        // All parts go on side by side: the slowest is waited for.
        let left = parts.iter().filter_map(|part| part.progress.seconds_left);
        progress.seconds_left = left.max_by(f64::total_cmp);
        let grades: Vec<bool> =
            ids().filter_map(|case| run.ledger.standing(case)?.0.grade.as_ref()?.resolved).collect();
        let waiting = ids().filter_map(|case| waiting(&run.ledger, case)).collect();
        Ok(Self {
            run: run.file.run.clone(),
            goal: run.file.goal(),
            progress,
            graded: grades.len() as u64,
            resolved: grades.iter().filter(|resolved| **resolved).count() as u64,
            parts,
            waiting,
        })
    }

    /// Whether any part is running.
    pub fn is_running(&self) -> bool {
        self.parts.iter().any(|part| part.state == PartState::Running)
    }
}

fn waiting(ledger: &Ledger, case: &str) -> Option<WaitingCase> {
    let (_, outcome) = ledger.standing(case).filter(|(_, outcome)| !outcome.status.is_answer())?;
    // One that is tried again just now waits no longer.
    let attempts = ledger.attempts(case);
    if attempts.last().is_some_and(|tried| tried.outcome.is_none()) {
        return None;
    }
    let reason = &outcome.reason;
    let reason = if ledger.stalled(case).is_some() {
        format!("no progress from one attempt to the next: {reason}")
    } else {
        reason.clone()
    };
    Some(WaitingCase {
        case: case.to_owned(),
        status: outcome.status,
        reason,
        attempts: attempts.len() as u64,
    })
}

impl Progress {
    fn of(ledger: &Ledger, cases: &[String]) -> Self {
        let statuses = ledger.counts(cases.iter().map(String::as_str));
        let count = |wanted: &dyn Fn(Status) -> bool| {
            statuses.iter().filter(|(status, _)| wanted(**status)).map(|(_, count)| count).sum()
        };
        Self {
            cases: cases.len() as u64,
            done: count(&|status| !is_redone(status)),
            solved: count(&|status| status.class() == StatusClass::Fixed),
            spent: ledger.spent(),
            statuses,
            ..Self::default()
        }
    }

    /// Adds what running attempts have cost so far.
    fn spend(&mut self, running: &[RunningAttempt]) {
        for RunningAttempt { stage, .. } in running {
            self.spent.usd += stage.usd.unwrap_or_default();
            self.spent.tokens = self.spent.tokens.saturating_add(stage.tokens);
        }
    }
}

impl PartOverview {
    fn not_begun(part: Part, root: &Path) -> Self {
        Self {
            part: Some(part),
            folder: root.join(part.folder_name()),
            state: PartState::NotBegun,
            progress: Progress::default(),
            running: Vec::new(),
        }
    }

    fn read(part: Option<Part>, folder: &Path, now: SystemTime) -> Result<Self, RunError> {
        let (run, records) = RunRecord::read_with_events(folder)?;
        let mut progress = Progress::of(&run.ledger, &run.file.cases);
        let state = state(&run, now);
        let mut running = Vec::new();
        if state == PartState::Running {
            running = running_attempts(&run.places, &run.ledger, &records, now);
            progress.spend(&running);
            progress.cases_per_hour = cases_per_hour(&records, now);
            let left = progress.cases.saturating_sub(progress.done) as f64;
            progress.seconds_left = progress.cases_per_hour.map(|rate| left / rate * 3600.0);
        }
        Ok(Self { part, folder: folder.to_owned(), state, progress, running })
    }
}

/// What became of a run in a folder of its own.
pub(super) fn state(run: &RunRecord, now: SystemTime) -> PartState {
    if let Some((reason, text)) = &run.ledger.ended {
        return PartState::Ended { reason: *reason, text: text.clone() };
    }
    // The log is as good a sign as the lock.
    let signs = [run.places.lock(), run.places.events(), run.places.run_file()];
    let last = signs.iter().filter_map(|path| files::written(path)).max();
    let silent = last.and_then(|last| now.duration_since(last).ok()).unwrap_or_default();
    if silent < SILENT { PartState::Running } else { PartState::Silent { seconds: silent.as_secs_f64() } }
}

/// What has begun and not ended, the oldest first.
fn running_attempts(
    places: &Places,
    ledger: &Ledger,
    records: &[EventRecord],
    now: SystemTime,
) -> Vec<RunningAttempt> {
    let open = ledger.open();
    let begun = records.iter().filter_map(|record| match &record.event {
        RunEvent::AttemptStarted { case, attempt } => Some((case, *attempt, record)),
        _ => None,
    });
    let one = |(case, attempt, record): (&String, u32, &EventRecord)| {
        open.iter().find(|(open, number)| open == case && *number == attempt)?;
        let seconds = since(record, now).as_secs_f64();
        let stage = stage(&places.attempt(case, attempt).join("trajectory.jsonl"));
        Some(RunningAttempt { case: case.clone(), attempt, seconds, stage })
    };
    begun.filter_map(one).collect()
}

/// How far a session is by the trajectory that it is writing.
fn stage(trajectory: &Path) -> Stage {
    let Ok(reader) = Reader::open(trajectory) else { return Stage::of_state("preparing") };
    let mut stage = StageReader::new("started");
    // The last line may just be written.
    for record in reader.map_while(Result::ok) {
        stage.hear(&record.event);
    }
    stage.stage().clone()
}

/// Cases that end in an hour since the run was begun or resumed last.
fn cases_per_hour(records: &[EventRecord], now: SystemTime) -> Option<f64> {
    let is_begin = |record: &EventRecord| {
        matches!(record.event, RunEvent::RunStarted { .. } | RunEvent::RunResumed { .. })
    };
    let begin = records.iter().rposition(is_begin)?;
    let is_end = |record: &&EventRecord| match &record.event {
        RunEvent::AttemptEnded { outcome, seconds, .. } => seconds.is_some() && !is_redone(outcome.status),
        _ => false,
    };
    let ended = records[begin..].iter().filter(is_end).count();
    let hours = since(&records[begin], now).as_secs_f64() / 3600.0;
    (ended > 0 && hours > 0.0).then(|| ended as f64 / hours)
}

/// The time since a record was written.
fn since(record: &EventRecord, now: SystemTime) -> Duration {
    let written =
        DateTime::parse_from_rfc3339(&record.time).map(|time| SystemTime::from(time.with_timezone(&Utc)));
    written.ok().and_then(|written| now.duration_since(written).ok()).unwrap_or_default()
}
