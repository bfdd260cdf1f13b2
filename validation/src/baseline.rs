//! The baseline: which tests fail before any change.

mod most_failing;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod traced;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::time::Duration;

use patchwright_protocol::TestId;
use patchwright_test_results::{Ending, FailureSignature, TestReport};

use crate::environment_faults::EnvironmentFault;
use crate::execution::Selection;
use crate::reproduction_test::ReproductionTest;

/// Where all tests take no longer than this many seconds, they are run for each candidate as soon as there may be a reason to.
pub(crate) const QUICK: f64 = 2.0;

/// Where all tests take longer than this, a candidate is better refused without running all of them, where that is safe.
const LONG_SECONDS: f64 = 10.0;

/// What the time limit of a candidate is at least.
pub(crate) const START: Duration = Duration::from_secs(30);

/// The outcomes that a candidate is compared with.
#[derive(Clone, Debug)]
pub struct Expected {
    outcomes: [Vec<TestId>; 5],
    left_out: Vec<TestId>,
    reproductions: Vec<u32>,
}

impl Expected {
    /// Those of a baseline.
    pub fn of(baseline: &Baseline) -> Self {
        Self {
            outcomes: baseline.outcomes().map(<[_]>::to_vec),
            left_out: baseline.left_out.clone(),
            reproductions: baseline.reproductions.iter().map(|test| test.id).collect(),
        }
    }

    pub(crate) fn is_of(&self, baseline: &Baseline) -> bool {
        self.knows_outcomes_of(baseline)
            && self.left_out == baseline.left_out
            && self.reproductions.iter().copied().eq(baseline.reproductions.iter().map(|test| test.id))
    }

    /// Is true if it is of the same tests, however many of them are run.
    pub fn knows_outcomes_of(&self, baseline: &Baseline) -> bool {
        self.outcomes.iter().eq(baseline.outcomes())
    }
}

/// The state of the tests before any change.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// The run of all tests.
    pub report: TestReport,
    /// The tests that show the bug: those that were given, or all that fail. Empty when nothing is to be repaired.
    pub failing: Vec<TestId>,
    /// Is true if nobody said that these show the bug: they fail, and have something in common with what was said of it.
    pub supposed: bool,
    /// Those of them whose names differ from run to run, such as one that is made of the time. For each stands, in another run, a test
    /// whose name only has other numbers.
    pub unrepeatable: Vec<TestId>,
    /// Tests that were written to reproduce the bug and fail on the original code. A candidate has to pass them.
    pub reproductions: Vec<ReproductionTest>,
    /// Tests that fail too but are not what is to be repaired.
    pub known_failing: Vec<TestId>,
    /// Tests that pass and must go on to.
    pub passing: Vec<TestId>,
    /// Tests that failed in one run and not in the next. They count for nothing.
    pub flaky: Vec<TestId>,
    /// Tests that passed and count for nothing, because they check what is to be repaired.
    pub set_aside: Vec<TestId>,
    /// Tests that are not run with candidates and say nothing about them: to save time, or because they do not end. What is called plausible is
    /// so as far as the others go.
    pub left_out: Vec<TestId>,
    /// The test files, modules or classes whose tests alone are known and run, where all would take too long; empty where all are.
    pub nearest: Vec<TestId>,
    /// The number of all tests, where only some are known and their tool tells it.
    pub all_tests: Option<u64>,
    /// Is true if a test that shows the bug fails in another way when the others do not run before it, or does not run by its name at all.
    /// Then all tests are always run, in their order.
    pub order_matters: bool,
    /// Is true if that may be so, and all tests take too long to run them always: the messages are others.
    pub order_uncertain: bool,
    /// The tests that fail because the environment lacks something, by that. They are among `known_failing`, unless
    /// somebody named them as those that show the bug.
    pub environment_faults: BTreeMap<EnvironmentFault, Vec<TestId>>,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// What was decided by the time that tests took when a session was recorded that is repeated now (see
    /// [`TestHarness::with_recorded`](crate::TestHarness::with_recorded)).
    pub recorded: Option<RecordedTiming>,
    /// Time limit of each command of a candidate: five times the longest run and half a minute, and never more than the
    /// project's own limit.
    pub limit: Duration,
}

/// What a recorded session decided by the time that its tests took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedTiming {
    /// Seconds of one run of all tests.
    pub suite_seconds: Option<f64>,
    /// The tests whose coverage was recorded before anything was tried; `None` for all of them.
    pub traced: Option<BTreeSet<TestId>>,
    /// The files, modules or classes that had ended where the run of all tests reached its limit; empty where it came to its end.
    pub ended: Vec<TestId>,
    /// The number of all tests, where only some are known.
    pub all_tests: Option<u64>,
}

impl Baseline {
    /// The baseline while nothing is known of the tests: none fails and none passes.
    pub fn unknown() -> &'static Self {
        static UNKNOWN: LazyLock<Baseline> = LazyLock::new(|| Baseline {
            report: TestReport::empty(String::new()),
            failing: Vec::new(),
            supposed: false,
            unrepeatable: Vec::new(),
            reproductions: Vec::new(),
            known_failing: Vec::new(),
            passing: Vec::new(),
            flaky: Vec::new(),
            set_aside: Vec::new(),
            left_out: Vec::new(),
            nearest: Vec::new(),
            all_tests: None,
            order_matters: false,
            order_uncertain: false,
            environment_faults: BTreeMap::new(),
            notes: Vec::new(),
            recorded: None,
            limit: START,
        });
        &UNKNOWN
    }

    /// Why no change of the project repairs a test that shows the bug: the environment lacks something.
    pub fn out_of_reach(&self) -> Option<String> {
        let is_wanted = |(_, tests): &(&EnvironmentFault, &Vec<TestId>)| {
            tests.iter().any(|test| self.failing.contains(test))
        };
        let (fault, tests) = self.environment_faults.iter().find(is_wanted)?;
        Some(fault.told(tests))
    }

    /// The tests that all candidates are tried with.
    pub(crate) fn selection(&self) -> Selection<'_> {
        if self.nearest.is_empty() {
            Selection::AllBut(&self.left_out)
        } else {
            Selection::Only(&self.nearest)
        }
    }

    /// Is true if a test shows the bug: one of the project's, or one that was written to reproduce it.
    pub fn shows_bug(&self) -> bool {
        !self.failing.is_empty() || !self.reproductions.is_empty()
    }

    /// Counts failing tests among those that are not what is to be repaired.
    pub fn ignore(&mut self, known_failing: &[String]) {
        let known = |test: &mut TestId| known_failing.iter().any(|known| known == test.as_str());
        let ignored: Vec<TestId> = self.failing.extract_if(.., known).collect();
        // With a test that does not end nothing could be said of a candidate.
        self.left_out.extend(ignored.iter().filter(|test| self.report.ending_of(test).spoils_run()).cloned());
        self.known_failing.extend(ignored);
    }

    /// Seconds that the tests take which candidates are tried with: in a session that is repeated, those of its recording.
    pub fn seconds(&self) -> f64 {
        self.recorded.as_ref().and_then(|recorded| recorded.suite_seconds).unwrap_or(self.report.seconds)
    }

    /// The tests whose coverage is recorded before anything is tried; `None` for all of them. Which these are depends on the time that tests
    /// take: in a session that is repeated, it is what its recording chose.
    pub fn tests_to_trace(&self) -> Option<BTreeSet<TestId>> {
        match &self.recorded {
            Some(recorded) => recorded.traced.clone(),
            None => traced::tests_to_trace(self),
        }
    }

    /// Whether all tests take so long that a candidate is better refused without running all of them, where that is safe.
    pub fn is_long(&self) -> bool {
        self.seconds() > LONG_SECONDS
    }

    fn outcomes(&self) -> [&[TestId]; 5] {
        [&self.failing, &self.known_failing, &self.passing, &self.flaky, &self.set_aside]
    }

    /// Is true if candidates are tried with all tests but those that do not end.
    pub fn runs_all(&self) -> bool {
        self.left_out.iter().all(|test| self.known_failing.contains(test))
    }

    /// Is true if the failing tests show several things, and all of them take no time worth saving.
    pub fn shows_several(&self) -> bool {
        let seconds = |test: &TestId| self.report.test_seconds.get(test).copied().unwrap_or_default();
        if self.failing.len() < 2 || self.failing.iter().map(seconds).sum::<f64>() > QUICK {
            return false;
        }
        let outcomes = self.failing.iter().filter_map(|test| self.report.outcome(test));
        let mut signatures = outcomes.map(|outcome| FailureSignature::of(outcome, |_| false));
        let first = signatures.next();
        signatures.any(|signature| Some(signature) != first)
    }

    /// Is true if our runner ended a test because it did not come to its end.
    pub fn is_endless(&self, test: &TestId) -> bool {
        self.report.ending_of(test) == Ending::Overdue
    }

    /// The tests that do not end, or end all others with them.
    pub fn hanging(&self) -> Vec<TestId> {
        let tests = self.failing.iter().chain(&self.known_failing);
        tests.filter(|test| self.report.ending_of(test).spoils_run()).cloned().collect()
    }
}

/// The file, module or class that a test is in, as its tool names it.
pub(crate) fn file_of(test: &TestId) -> TestId {
    let name = test.as_str();
    let file = name.split_once("::").map(|(file, _)| file);
    let module = || name.rsplitn(3, '.').nth(2);
    TestId::new(file.or_else(module).unwrap_or(name))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::testing::baseline_of;
    use super::*;

    #[test]
    fn what_does_not_end_and_is_not_the_bug_is_not_run_with_candidates() {
        let mut baseline = baseline_of(&["hangs", "fails", "bug"], &[("passes", 1.0)]);
        let hung = baseline.report.outcomes.iter_mut().find(|outcome| outcome.id.as_str() == "hangs");
        hung.unwrap().ending = Ending::Hung;
        baseline.ignore(&["hangs".to_owned(), "fails".to_owned()]);
        assert_eq!(baseline.failing, [TestId::new("bug")]);
        assert_eq!(baseline.known_failing, [TestId::new("hangs"), TestId::new("fails")]);
        assert_eq!(baseline.left_out, [TestId::new("hangs")]);
        assert!(baseline.runs_all(), "a test that does not end is none that candidates are spared");
    }
}
