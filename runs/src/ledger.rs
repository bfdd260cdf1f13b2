//! The knowledge of every case, folded from the run's events.

use std::collections::{BTreeMap, HashMap};

use patchwright_protocol::{SessionResult, Status};
use serde::{Deserialize, Serialize};

use super::event::{EndReason, EventRecord, FixCoverage, Grade, GradedTests, RunEvent};
use super::memory::PeakMemory;
use super::status::{Redo, is_interruption};

/// A case is stalled after this many attempts without progress.
const STALLED: usize = 3;

/// One attempt at a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// Its number, from 1.
    pub number: u32,
    /// Its outcome; none while it runs, or where the program was killed.
    pub outcome: Option<SessionResult>,
    /// Wall-clock seconds, where it came to its end.
    pub seconds: Option<f64>,
    /// The last judgement of its patch, with what earlier ones said that it is silent about.
    pub grade: Option<Grade>,
    /// Where its patch adds tests: the last verdict of each benchmark that has judged them, by its name.
    pub tests: BTreeMap<String, GradedTests>,
    /// The comparison of its patch with the developer's fix by place.
    pub located: Option<FixCoverage>,
}

/// All that a run's log says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    cases: HashMap<String, Vec<Tried>>,
    /// Records folded.
    pub events: u64,
    /// The end of the run, or of its last part; none while it runs or where it was killed.
    pub ended: Option<(EndReason, String)>,
    /// Notices, oldest first.
    pub notices: Vec<String>,
    /// The most memory that was taken at a time, where it is known.
    pub memory: Option<PeakMemory>,
}

impl Ledger {
    /// The fold over all records.
    pub fn of(records: &[EventRecord]) -> Self {
        let mut ledger = Self::default();
        for record in records {
            ledger.hear(record);
        }
        ledger
    }

    /// Takes one record more.
    pub fn hear(&mut self, record: &EventRecord) {
        self.events += 1;
        match &record.event {
            RunEvent::RunStarted { .. } | RunEvent::RunResumed { .. } => self.ended = None,
            RunEvent::AttemptStarted { case, attempt } => {
                self.attempt(case, *attempt);
            }
            RunEvent::AttemptEnded { case, attempt, outcome, seconds, located } => {
                self.end(case, *attempt, SessionResult::clone(outcome), *seconds);
                self.attempt(case, *attempt).located = *located;
            }
            RunEvent::Graded { case, attempt, grade } => {
                let tried = self.attempt(case, *attempt);
                if let Some(graded) = grade.graded_tests() {
                    tried.tests.insert(grade.by.clone(), graded);
                }
                let before = tried.grade.take().unwrap_or_default();
                // The benchmark's tests do not say whether a patch is correct, nor does a person what they say: neither unsays the other.
                tried.grade = Some(Grade {
                    resolved: grade.resolved.or(before.resolved),
                    correct: grade.correct.or(before.correct),
                    fix_at: grade.fix_at.or(before.fix_at),
                    ..grade.clone()
                });
            }
            RunEvent::Notice { text, .. } => self.notices.push(text.clone()),
            RunEvent::RunEnded { reason, text, memory, .. } => {
                self.ended = Some((*reason, text.clone()));
                self.take_memory(*memory);
            }
        }
    }

    /// Takes in what the log of another part says, of other cases.
    pub(super) fn join(&mut self, part: &Self) {
        self.cases.extend(part.cases.iter().map(|(case, tried)| (case.clone(), tried.clone())));
        self.events += part.events;
        self.notices.extend(part.notices.iter().cloned());
        self.take_memory(part.memory);
    }

    fn take_memory(&mut self, memory: Option<PeakMemory>) {
        self.memory = [self.memory, memory].into_iter().flatten().reduce(PeakMemory::most);
    }

    pub(super) fn end(&mut self, case: &str, number: u32, outcome: SessionResult, seconds: Option<f64>) {
        let tried = self.attempt(case, number);
        tried.outcome = Some(outcome);
        tried.seconds = seconds;
    }

    fn attempt(&mut self, case: &str, number: u32) -> &mut Tried {
        let tried = self.cases.entry(case.to_owned()).or_default();
        let place = tried.iter().position(|tried| tried.number == number).unwrap_or_else(|| {
            tried.push(Tried {
                number,
                outcome: None,
                seconds: None,
                grade: None,
                tests: BTreeMap::new(),
                located: None,
            });
            tried.len() - 1
        });
        &mut tried[place]
    }

    /// The attempts at a case, in their order.
    pub fn attempts(&self, case: &str) -> &[Tried] {
        self.cases.get(case).map_or(&[], Vec::as_slice)
    }

    /// The attempt that stands for a case: the last one with an answer, else the last one that ended.
    pub fn standing(&self, case: &str) -> Option<(&Tried, &SessionResult)> {
        let ended = || {
            let attempts = self.attempts(case).iter().rev();
            attempts.filter_map(|tried| tried.outcome.as_ref().map(|outcome| (tried, outcome)))
        };
        ended().find(|(_, outcome)| outcome.status.is_answer()).or_else(|| ended().next())
    }

    /// The status that stands for a case; none where it is unfinished.
    pub fn status(&self, case: &str) -> Option<Status> {
        self.standing(case).map(|(_, outcome)| outcome.status)
    }

    /// Is true if a resumed run tries the case (again).
    pub fn is_due(&self, case: &str, redo: &Redo) -> bool {
        self.status(case).is_none_or(|status| redo.wants(status))
    }

    /// The numbers of the last attempts at a case, as far as they were interrupted: what the model has answered in them is still worth
    /// something.
    pub(super) fn interrupted(&self, case: &str) -> Vec<u32> {
        let is_interrupted =
            |tried: &&Tried| tried.outcome.as_ref().is_none_or(|outcome| is_interruption(outcome.status));
        self.attempts(case).iter().rev().take_while(is_interrupted).map(|tried| tried.number).collect()
    }

    /// The number of consecutive interrupted attempts at a case, if the last three made no progress: none reached more cycles than the
    /// interrupted attempts before them.
    pub fn stalled(&self, case: &str) -> Option<usize> {
        let interrupted = self.interrupted(case);
        let cycles = |number: &u32| {
            let tried = self.attempts(case).iter().find(|tried| tried.number == *number);
            tried.and_then(|tried| tried.outcome.as_ref()).map_or(0, |outcome| outcome.cycles)
        };
        let (last, before) =
            interrupted.split_at_checked(STALLED).filter(|(_, before)| !before.is_empty())?;
        let furthest = |numbers: &[u32]| numbers.iter().map(cycles).max();
        (furthest(last) <= furthest(before)).then_some(interrupted.len())
    }

    /// The attempts that began and never ended: the program was killed.
    pub fn open(&self) -> Vec<(String, u32)> {
        let mut open: Vec<(String, u32)> = self
            .cases
            .iter()
            .flat_map(|(case, tried)| tried.iter().map(move |tried| (case, tried)))
            .filter(|(_, tried)| tried.outcome.is_none())
            .map(|(case, tried)| (case.clone(), tried.number))
            .collect();
        open.sort();
        open
    }

    /// The cost of all attempts together.
    pub fn spent(&self) -> RunCosts {
        let mut spent = RunCosts::default();
        let outcomes = self.cases.values().flatten().filter_map(|tried| tried.outcome.as_ref());
        for outcome in outcomes {
            spent.add(outcome);
        }
        spent
    }

    /// The number of these cases at each status.
    pub fn counts<'a>(&self, cases: impl IntoIterator<Item = &'a str>) -> BTreeMap<Status, u64> {
        let mut counts = BTreeMap::new();
        for status in cases.into_iter().filter_map(|case| self.status(case)) {
            *counts.entry(status).or_default() += 1;
        }
        counts
    }
}

/// The cost of attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunCosts {
    /// US dollars of all attempts whose price is known.
    pub usd: f64,
    /// Attempts whose price is not known: while there are any, `usd` is not the whole cost.
    pub unpriced: u64,
    /// Tokens in and out.
    pub tokens: u64,
}

impl RunCosts {
    /// Adds what an attempt has cost.
    pub fn add(&mut self, outcome: &SessionResult) {
        match outcome.cost_usd {
            Some(usd) => self.usd += usd,
            None => self.unpriced += 1,
        }
        self.tokens = self.tokens.saturating_add(outcome.tokens.total());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_stalled_when_three_attempts_got_no_further() {
        let stalled = |attempts: &[(Status, u32)]| {
            let mut ledger = Ledger::default();
            for (number, (status, cycles)) in (1..).zip(attempts) {
                let outcome = SessionResult { cycles: *cycles, ..SessionResult::early(*status, "") };
                ledger.end("a", number, outcome, None);
            }
            ledger.stalled("a")
        };
        let cancelled = |cycles: &[u32]| -> Vec<(Status, u32)> {
            cycles.iter().map(|cycles| (Status::Cancelled, *cycles)).collect()
        };
        assert_eq!(stalled(&cancelled(&[9, 8, 9, 9])), Some(4));
        assert_eq!(stalled(&cancelled(&[0, 0, 0, 0, 0])), Some(5));
        for goes_on in [vec![], vec![9], vec![9, 9, 9], vec![9, 10, 11, 12], vec![9, 9, 9, 10]] {
            assert_eq!(stalled(&cancelled(&goes_on)), None, "{goes_on:?}");
        }
        // What was answered is over, and what came before it does not count.
        assert_eq!(stalled(&[cancelled(&[5, 5, 5, 5]), vec![(Status::NoFix, 20)]].concat()), None);
        assert_eq!(stalled(&[vec![(Status::NoFix, 20)], cancelled(&[5, 5, 5])].concat()), None);
    }
}
