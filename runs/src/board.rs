//! The progress of a run: fed by its events, drawn by whoever likes.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use patchwright_blocking::lock;
use patchwright_protocol::{Goal, Status, StatusClass};

use super::event::{EventRecord, RunEvent};
use super::ledger::{Ledger, RunCosts};
use super::log::RunListener;
use super::stage::Stage;
use super::status::{is_redone, success};

/// A running attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct Running {
    /// The case's id.
    pub case: String,
    /// The attempt's number.
    pub attempt: u32,
    /// Its progress.
    pub stage: Stage,
    /// Since when it runs, after the start of this process's part of the run.
    pub since: Duration,
}

/// The progress of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Board {
    /// What its sessions look for.
    pub goal: Goal,
    /// Cases of the run.
    pub total: u64,
    /// Cases that need nothing more.
    pub done: u64,
    /// The number of cases at each status.
    pub statuses: BTreeMap<Status, u64>,
    /// The cost of ended attempts, those of earlier processes included.
    pub spent: RunCosts,
    /// Cases that were to be done when this process began.
    pub due: u64,
    /// Cases that came to their end in this process.
    pub finished_here: u64,
    /// Time since this process began.
    pub elapsed: Duration,
    /// Running attempts, the oldest first.
    pub running: Vec<Running>,
    /// The reason why no new attempt begins, where none does.
    pub held: Option<String>,
    /// The status of each case.
    pub(super) standing: HashMap<String, Status>,
    /// Cases of which this process has an end that counts.
    pub(super) here: HashSet<String>,
}

impl Board {
    /// The board at the beginning of a process: `due` of the `total` cases are to be done.
    pub fn new(ledger: &Ledger, cases: &[String], due: u64) -> Self {
        let standing: HashMap<String, Status> =
            cases.iter().filter_map(|case| Some((case.clone(), ledger.status(case)?))).collect();
        let total = cases.len() as u64;
        let mut board =
            Self { total, done: total.saturating_sub(due), due, spent: ledger.spent(), ..Self::default() };
        for status in standing.values() {
            *board.statuses.entry(*status).or_default() += 1;
        }
        board.standing = standing;
        board
    }

    /// The same for a run whose sessions look for this.
    #[must_use]
    pub fn with_goal(self, goal: Goal) -> Self {
        Self { goal, ..self }
    }

    /// Cases that are solved as far as tests can tell: with a plausible patch, or with a test that reproduces the issue.
    pub fn solved(&self) -> u64 {
        let solved = self.statuses.iter().filter(|(status, _)| status.class() == StatusClass::Fixed);
        solved.map(|(_, count)| count).sum()
    }

    /// The status of cases that are solved.
    pub fn success(&self) -> Status {
        success(self.goal)
    }

    /// US dollars so far, those of running attempts included.
    pub fn usd(&self) -> f64 {
        self.spent.usd + self.running.iter().filter_map(|running| running.stage.usd).sum::<f64>()
    }

    /// Tokens so far, those of running attempts included.
    pub fn tokens(&self) -> u64 {
        self.spent.tokens + self.running.iter().map(|running| running.stage.tokens).sum::<u64>()
    }

    /// Cases that end in an hour, from those that this process has finished; none before the first.
    pub fn cases_per_hour(&self) -> Option<f64> {
        let hours = self.elapsed.as_secs_f64() / 3600.0;
        (self.finished_here > 0 && hours > 0.0).then(|| self.finished_here as f64 / hours)
    }

    /// The time that the rest takes if it goes on like the cases that this process has finished; none before the first.
    pub fn time_left(&self) -> Option<Duration> {
        let left = self.total.saturating_sub(self.done);
        self.cases_per_hour().map(|rate| Duration::from_secs_f64(left as f64 / rate * 3600.0))
    }

    /// Takes one event.
    pub fn hear(&mut self, event: &RunEvent) {
        match event {
            RunEvent::AttemptStarted { case, attempt } => self.running.push(Running {
                case: case.clone(),
                attempt: *attempt,
                stage: Stage::of_state("preparing"),
                since: self.elapsed,
            }),
            RunEvent::AttemptEnded { case, outcome, .. } => {
                let ran = self.running.iter().position(|running| running.case == *case);
                if let Some(place) = ran {
                    self.running.remove(place);
                }
                self.spent.add(outcome);
                self.stands(case, outcome.status);
                if ran.is_some() && !is_redone(outcome.status) && self.here.insert(case.clone()) {
                    self.finished_here += 1;
                    self.done = (self.done + 1).min(self.total);
                }
            }
            RunEvent::RunEnded { .. } => self.held = None,
            RunEvent::RunStarted { .. }
            | RunEvent::RunResumed { .. }
            | RunEvent::Graded { .. }
            | RunEvent::Notice { .. } => {}
        }
    }

    fn stands(&mut self, case: &str, status: Status) {
        let before = self.standing.get(case).copied();
        // The same rule as in the ledger: an answer is not replaced by what is none.
        if before.is_some_and(Status::is_answer) && !status.is_answer() {
            return;
        }
        if let Some(count) = before.and_then(|before| self.statuses.get_mut(&before)) {
            *count = count.saturating_sub(1);
        }
        *self.statuses.entry(status).or_default() += 1;
        self.statuses.retain(|_, count| *count > 0);
        self.standing.insert(case.to_owned(), status);
    }

    fn stage(&mut self, case: &str, stage: Stage) {
        if let Some(running) = self.running.iter_mut().find(|running| running.case == case) {
            running.stage = stage;
        }
    }
}

/// The board of a run that goes on, shared between the runner and whoever draws it.
#[derive(Clone, Debug, Default)]
pub struct Live {
    inner: Arc<Mutex<(Board, Option<Instant>)>>,
}

impl Live {
    /// The board as it is now.
    pub fn board(&self) -> Board {
        self.with(|board| board.clone())
    }

    pub(super) fn begin(&self, board: Board) {
        let mut inner = lock(&self.inner);
        *inner = (board, Some(Instant::now()));
    }

    pub(super) fn hold(&self, why: Option<String>) {
        self.with(|board| board.held = why);
    }

    pub(super) fn stage(&self, case: &str, stage: Stage) {
        self.with(|board| board.stage(case, stage));
    }

    fn with<T>(&self, work: impl FnOnce(&mut Board) -> T) -> T {
        // The board is only looked at, so one that a panic left behind serves as well.
        let mut inner = lock(&self.inner);
        let (board, started) = &mut *inner;
        board.elapsed = started.map_or(Duration::ZERO, |started| started.elapsed());
        work(board)
    }
}

impl RunListener for Live {
    fn on_event(&mut self, record: &EventRecord) {
        self.with(|board| board.hear(&record.event));
    }
}

#[cfg(test)]
mod tests {
    use patchwright_protocol::SessionResult;

    use super::*;

    fn ended(case: &str, status: Status) -> RunEvent {
        let outcome = Box::new(SessionResult { cost_usd: Some(0.5), ..SessionResult::early(status, "") });
        RunEvent::AttemptEnded {
            case: case.to_owned(),
            attempt: 1,
            outcome,
            seconds: Some(1.0),
            located: None,
        }
    }

    fn started(case: &str) -> RunEvent {
        RunEvent::AttemptStarted { case: case.to_owned(), attempt: 1 }
    }

    #[test]
    fn the_time_left_comes_from_the_cases_of_this_process_only() {
        let cases: Vec<String> = (0..100).map(|number| format!("c{number}")).collect();
        let mut ledger = Ledger::default();
        for case in &cases[..90] {
            ledger.end(case, 1, SessionResult::early(Status::Plausible, ""), None);
        }
        let mut board = Board::new(&ledger, &cases, 10);
        assert_eq!((board.done, board.solved(), board.time_left()), (90, 90, None));
        board.elapsed = Duration::from_hours(1);
        for case in &cases[90..92] {
            board.hear(&started(case));
            board.hear(&ended(case, Status::NoFix));
        }
        assert_eq!(board.done, 92);
        assert_eq!(board.cases_per_hour(), Some(2.0));
        assert_eq!(board.time_left(), Some(Duration::from_hours(4)));
    }

    #[test]
    fn a_case_counts_once_and_an_answer_stands_against_what_is_none() {
        let cases = vec!["a".to_owned(), "b".to_owned()];
        let mut board = Board::new(&Ledger::default(), &cases, 2);
        let check = |board: &Board, done: u64, statuses: &[(Status, u64)]| {
            assert_eq!(board.done, done);
            assert_eq!(board.statuses, statuses.iter().copied().collect());
        };
        board.hear(&started("a"));
        board.hear(&ended("a", Status::Environment));
        check(&board, 0, &[(Status::Environment, 1)]);
        board.hear(&started("a"));
        board.hear(&ended("a", Status::Plausible));
        check(&board, 1, &[(Status::Plausible, 1)]);
        board.hear(&started("a"));
        board.hear(&ended("a", Status::Cancelled));
        check(&board, 1, &[(Status::Plausible, 1)]);
        assert!((board.usd() - 1.5).abs() < 1e-9, "every attempt is paid for");
        board.hear(&started("b"));
        board.stage("b", Stage { usd: Some(0.25), tokens: 7, ..Stage::default() });
        assert_eq!((board.running.len(), board.tokens()), (1, 7));
        assert!((board.usd() - 1.75).abs() < 1e-9, "running attempts count with what they have spent");
    }
}
