//! What fails before any change.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::adapters;
use crate::bed::TestBed;
use crate::compare::{Fate, fate};
use crate::error::TestBedError;
use crate::execution::{ALL, Selection};
use crate::names::{is_within, meant, nearest};
use crate::outcome::{Outcomes, Status, TestId, TestOutcome};
use crate::report::{Build, TestReport};
use crate::spec::ResultsFormat;

/// Tests that may hang, one run each, before the whole is given up.
const HANGING: usize = 3;
/// A candidate gets this many times the time of the baseline, and something to start with.
const TIMES: u32 = 5;
const START: Duration = Duration::from_secs(30);

/// What a candidate is measured by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    failing: Vec<TestId>,
    known_failing: Vec<TestId>,
    passing: Vec<TestId>,
    flaky: Vec<TestId>,
    left_out: Vec<TestId>,
}

impl Expected {
    pub(crate) fn of(baseline: &Baseline) -> Self {
        Self {
            failing: baseline.failing.clone(),
            known_failing: baseline.known_failing.clone(),
            passing: baseline.passing.clone(),
            flaky: baseline.flaky.clone(),
            left_out: baseline.left_out.clone(),
        }
    }

    pub(crate) fn is_of(&self, baseline: &Baseline) -> bool {
        self.knows_outcomes_of(baseline) && self.left_out == baseline.left_out
    }

    /// Whether it is of the same tests, however many of them are run.
    pub(crate) fn knows_outcomes_of(&self, baseline: &Baseline) -> bool {
        self.failing == baseline.failing
            && self.known_failing == baseline.known_failing
            && self.passing == baseline.passing
            && self.flaky == baseline.flaky
    }
}

/// How the message of a test begins that `patchwright_pytest.py` has ended.
const OVERDUE: &str = "patchwright_pytest.Overdue";
/// How the message of a test begins that was left out because it does not end.
const HUNG: &str = "the test did not end within ";

/// What is known of the project before any change.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// The run of all tests.
    pub report: TestReport,
    /// The tests that show the bug: those that were given, or all that fail. Empty when nothing is to be repaired.
    pub failing: Vec<TestId>,
    /// Tests that fail too but are not what is to be repaired.
    pub known_failing: Vec<TestId>,
    /// Tests that pass and must go on to.
    pub passing: Vec<TestId>,
    /// Tests that failed in one run and not in the next. They count for nothing.
    pub flaky: Vec<TestId>,
    /// Passing tests that are not run with candidates and say nothing about them, to save time. What is called plausible is
    /// so as far as the others go.
    pub left_out: Vec<TestId>,
    /// Whether a test that shows the bug fails in another way when the others do not run before it. Then all tests are
    /// always run, in their order.
    pub order_matters: bool,
    /// What a user should know.
    pub notes: Vec<String>,
    /// Time limit of each command of a candidate: five times the longest run and half a minute, and never more than the
    /// project's own limit.
    pub limit: Duration,
}

impl Baseline {
    /// Tests that fail and are not what is to be repaired.
    pub fn ignore(&mut self, known_failing: &[String]) {
        let known = |test: &TestId| known_failing.iter().any(|known| known == test.as_str());
        let (ignored, failing) = std::mem::take(&mut self.failing).into_iter().partition(known);
        self.failing = failing;
        self.known_failing.extend::<Vec<TestId>>(ignored);
    }

    /// Whether our runner ended a test because it went on computing.
    pub(crate) fn is_endless(&self, test: &TestId) -> bool {
        let message = self.report.outcome(test).and_then(|outcome| outcome.message.as_deref());
        message.is_some_and(|message| message.starts_with(OVERDUE))
    }

    /// The failing tests that do not end.
    pub(crate) fn hanging(&self) -> Vec<TestId> {
        let hangs = |test: &&TestId| {
            let message = self.report.outcome(test).and_then(|outcome| outcome.message.as_deref());
            message.is_some_and(|message| message.starts_with(HUNG))
        };
        self.failing.iter().filter(hangs).cloned().collect()
    }
}

impl TestBed {
    /// Runs all tests, and once more those that fail.
    ///
    /// # Errors
    /// There are no tests, the build fails, a run does not end within its limit (unless the test that hangs is one of
    /// those given), or a test that was given does not exist, passes or is flaky.
    pub async fn baseline(&self, failing_given: &[String]) -> Result<Baseline, TestBedError> {
        let mut notes = Vec::new();
        let mut report = self.whole_run(failing_given, &mut notes).await?;
        if let Build::Failed { errors, log } = report.build {
            return Err(TestBedError::BuildFailsBeforeAnyChange { errors, log });
        }
        if report.outcomes.is_empty() && report.unlisted_passed == 0 {
            let command = self.spec().test.clone();
            return Err(TestBedError::NoTests { command, exit: report.ending, log: report.log });
        }
        self.run_given_alone(failing_given, &mut report).await?;
        let (mut failing, known_failing) = split(&report, failing_given)?;
        let again = self.run_again(&failing).await?;
        let passes = |test: &&TestId| again.as_ref().is_some_and(|again| fate(again, test) == Fate::Passes);
        let flaky: Vec<TestId> = failing.iter().filter(passes).cloned().collect();
        if !flaky.is_empty() {
            failing.retain(|test| !flaky.contains(test));
            if !failing_given.is_empty() && failing.is_empty() {
                return Err(TestBedError::GivenTestFlaky { tests: flaky });
            }
            let names: Vec<&str> = flaky.iter().map(TestId::as_str).collect();
            notes.push(format!(
                "failed in the first run and passed in the second, so left out: {}",
                names.join(", ")
            ));
        }
        if !known_failing.is_empty() {
            notes.push(format!("{} other tests fail too and are not looked at", known_failing.len()));
        }
        let differs =
            |test: &TestId| again.as_ref().is_some_and(|again| fails_otherwise(&report, again, test));
        let order_matters = self.spec().test_one.is_some() && failing.iter().any(differs);
        if order_matters {
            notes.push(
                "tests that show the bug fail in another way when they run without the others, so all tests are run for each \
                 candidate"
                    .to_owned(),
            );
        }
        let passing = report.passing();
        let limit =
            (Duration::from_secs_f64(report.seconds.max(0.0)) * TIMES + START).min(self.spec().timeout);
        Ok(Baseline {
            report,
            failing,
            known_failing,
            passing,
            flaky,
            left_out: Vec::new(),
            order_matters,
            notes,
            limit,
        })
    }

    /// Runs all tests. A test that hangs is left out in the next attempt if it is one of those given: the hang is the bug.
    async fn whole_run(&self, given: &[String], notes: &mut Vec<String>) -> Result<TestReport, TestBedError> {
        let limit = self.spec().timeout;
        let mut hanging: Vec<TestId> = Vec::new();
        loop {
            let mut report = self.run(Selection::AllBut(&hanging), None, limit).await?;
            if !report.timed_out || report.build_failed() {
                let message = format!("{HUNG}{} s", limit.as_secs());
                let hung = |test: &TestId| {
                    TestOutcome::new(test.as_str(), Status::Error).with_message(message.as_str())
                };
                let mut outcomes: Outcomes = report.outcomes.into_iter().collect();
                outcomes.extend(hanging.iter().map(hung));
                report.outcomes = outcomes.into_sorted();
                return Ok(report);
            }
            let running = report.interrupted_in.clone();
            let is_given =
                |test: &TestId| given.iter().any(|name| !meant(name, std::slice::from_ref(test)).is_empty());
            match running {
                Some(test)
                    if hanging.len() < HANGING
                        && adapters::of(self.spec().kind).can_skip()
                        && !hanging.contains(&test)
                        && is_given(&test) =>
                {
                    notes.push(format!("`{test}` does not end; the others were run without it"));
                    hanging.push(test);
                }
                running => return Err(TestBedError::TimedOut { limit, running, report: Box::new(report) }),
            }
        }
    }

    /// Where a whole run only has an exit status, tests that were given are run one by one for outcomes of their own.
    async fn run_given_alone(&self, given: &[String], report: &mut TestReport) -> Result<(), TestBedError> {
        if self.spec().results != ResultsFormat::ExitStatus
            || self.spec().test_one.is_none()
            || given.is_empty()
        {
            return Ok(());
        }
        let tests: Vec<TestId> = given.iter().map(TestId::new).collect();
        let alone = self.run(Selection::Only(&tests), None, self.spec().timeout).await?;
        let mut outcomes: Outcomes = std::mem::take(&mut report.outcomes).into_iter().collect();
        outcomes.extend(alone.outcomes);
        report.outcomes = outcomes.into_sorted();
        Ok(())
    }

    /// Runs the failing tests once more, without the others where they can be chosen.
    async fn run_again(&self, failing: &[TestId]) -> Result<Option<TestReport>, TestBedError> {
        if failing.is_empty() {
            return Ok(None);
        }
        let selection = if self.spec().test_one.is_some() { Selection::Only(failing) } else { ALL };
        Ok(Some(self.run(selection, None, self.spec().timeout).await?))
    }
}

/// Whether a test fails in both runs, and not in the same way.
fn fails_otherwise(first: &TestReport, again: &TestReport, test: &TestId) -> bool {
    match (first.outcome(test), again.outcome(test)) {
        (Some(first), Some(again)) => {
            again.status.is_failing() && (first.status, &first.message) != (again.status, &again.message)
        }
        (Some(_) | None, _) => false,
    }
}

/// The failing tests, those that show the bug apart from the others.
fn split(report: &TestReport, given: &[String]) -> Result<(Vec<TestId>, Vec<TestId>), TestBedError> {
    let all = report.failing();
    if given.is_empty() {
        return Ok((all, Vec::new()));
    }
    let known: Vec<TestId> = report.outcomes.iter().map(|outcome| outcome.id.clone()).collect();
    let mut failing = BTreeSet::new();
    let mut passing = Vec::new();
    for name in given {
        let tests = meant(name, &known);
        let fail: Vec<TestId> = tests.iter().filter(|test| all.contains(test)).cloned().collect();
        if !fail.is_empty() {
            failing.extend(fail);
        } else if !tests.is_empty() {
            passing.extend(tests);
        } else if let Some(group) = all.iter().find(|group| is_within(name, group)) {
            // The module or class of the test fails as a whole.
            failing.insert(group.clone());
        } else if report.unlisted_passed > 0 {
            // Passing tests are not named by this tool.
            passing.push(TestId::new(name.as_str()));
        } else {
            let nearest = nearest(name, &known);
            return Err(TestBedError::GivenTestUnknown { given: name.clone(), nearest, known: known.len() });
        }
    }
    if !passing.is_empty() {
        return Err(TestBedError::GivenTestPasses { tests: passing });
    }
    let others = all.into_iter().filter(|test| !failing.contains(test)).collect();
    Ok((failing.into_iter().collect(), others))
}
