//! The baseline: which tests fail before any change.

mod broken;
mod most_failing;
mod order;
mod parts;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod unrepeatable;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use patchwright_detection::adapters;
use patchwright_protocol::{ResultsFormat, TestId};
use patchwright_test_results::{
    Build, Ending, FailureSignature, TestOutcome, TestReport, TestStatus, is_one_of, is_within, meant,
    nearest,
};

use self::order::Order;
use self::parts::file_of;
use crate::compare::{TestState, state_of};
use crate::environment_faults::EnvironmentFault;
use crate::error::TestHarnessError;
use crate::execution::settle;
use crate::execution::{ALL, Execution, Selection};
use crate::harness::TestHarness;
use crate::reproduction::ReproductionTest;
use crate::validate::stopped;

/// Tests that may hang, one run each, before the whole is given up.
const HANGING: usize = 3;
/// Tests that are not sure of themselves, or files with such tests, that a note names.
const FLAKY_NAMED: usize = 10;
/// So many tests tell what a test takes.
const ENOUGH: usize = 5;
/// A candidate gets this many times the time of the baseline, and something to start with.
const TIMES: u32 = 5;
const START: Duration = Duration::from_secs(30);

/// Where all tests take longer than this, a candidate is better refused without running all of them, where that is safe.
const LONG_SECONDS: f64 = 10.0;

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

/// The ending of a shell that does not find a command.
const NOT_FOUND: &str = "status 127";

/// Where all tests take no longer than this many seconds, they are run for each candidate as soon as there may be a reason to.
const QUICK: f64 = 2.0;

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
    /// Seconds of all tests when a session was recorded that is repeated now (see [`TestHarness::with_recorded_seconds`]).
    pub recorded_seconds: Option<f64>,
    /// Time limit of each command of a candidate: five times the longest run and half a minute, and never more than the
    /// project's own limit.
    pub limit: Duration,
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
            order_matters: false,
            order_uncertain: false,
            environment_faults: BTreeMap::new(),
            notes: Vec::new(),
            recorded_seconds: None,
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
        self.left_out
            .extend(ignored.iter().filter(|test| ending_of(&self.report, test).spoils_run()).cloned());
        self.known_failing.extend(ignored);
    }

    /// Seconds that the tests take which candidates are tried with: in a session that is repeated, those of its recording.
    pub fn seconds(&self) -> f64 {
        self.recorded_seconds.unwrap_or(self.report.seconds)
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
        ending_of(&self.report, test) == Ending::Overdue
    }

    /// The tests that do not end, or end all others with them.
    pub fn hanging(&self) -> Vec<TestId> {
        let tests = self.failing.iter().chain(&self.known_failing);
        tests.filter(|test| ending_of(&self.report, test).spoils_run()).cloned().collect()
    }
}

/// How a test ended in a run; [`Ending::Completed`] where it has no outcome.
fn ending_of(report: &TestReport, test: &TestId) -> Ending {
    report.outcome(test).map_or(Ending::Completed, |outcome| outcome.ending)
}

impl TestHarness {
    /// Runs all tests, and once more those that fail.
    ///
    /// # Errors
    /// There are no tests, the build fails, a run does not end within its limit (unless the test that hangs is one of
    /// those given), or a test that was given does not exist, passes or is flaky.
    pub async fn baseline(&self, failing_given: &[String]) -> Result<Baseline, TestHarnessError> {
        self.baseline_until(failing_given, None).await
    }

    /// The same, as long as there is time. Where it is cut (see [`TestHarness::cut_baseline`]), it is of the files whose tests have ended, and none
    /// of those that fail is taken for the bug.
    ///
    /// # Errors
    /// The same, [`TestHarnessError::OutOfTime`], and [`TestHarnessError::Cut`] where no test has ended.
    pub async fn baseline_until(
        &self,
        failing_given: &[String],
        until: Option<Instant>,
    ) -> Result<Baseline, TestHarnessError> {
        let mut notes = Vec::new();
        let _step = self.activity.begin("running the tests before any change");
        let mut report = self.whole_run(failing_given, until, &mut notes).await?;
        if self.is_cut(&report) {
            let files = report.outcomes.iter().map(|outcome| file_of(&outcome.id)).collect::<BTreeSet<_>>();
            return self.part(files.into_iter().collect(), report).ok_or(TestHarnessError::Cut);
        }
        if let Build::Failed { errors, log } = report.build {
            return Err(TestHarnessError::BuildFailsBeforeAnyChange { errors, log });
        }
        let is_missing = self.spec().results == ResultsFormat::ExitStatus && report.ending == NOT_FOUND;
        if is_missing || report.outcomes.is_empty() && report.unlisted_passed == 0 {
            let command = self.spec().test.line().to_owned();
            if let Some(reason) = report.unread.pop_first() {
                return Err(TestHarnessError::ResultsNotRead { command, reason });
            }
            return Err(TestHarnessError::NoTests { command, exit: report.ending, log: report.log });
        }
        self.run_given_alone(failing_given, until, &mut report).await?;
        let (mut failing, mut known_failing) = split(&report, failing_given)?;
        let endless = |test: &TestId| ending_of(&report, test).spoils_run();
        if failing_given.is_empty() && !failing.iter().all(endless) {
            // With such a test nothing could be said of the others.
            known_failing.extend(failing.extract_if(.., |test| endless(test)));
        }
        let environment_faults = self.environment_faults(&report, &failing).await?;
        for (fault, tests) in &environment_faults {
            notes.push(format!("{}; {}", fault.told(tests), fault.cure));
        }
        let lacking: BTreeSet<&TestId> = environment_faults.values().flatten().collect();
        if failing_given.is_empty() {
            // No change of the project repairs these.
            known_failing.extend(failing.extract_if(.., |test| lacking.contains(test)));
        }
        self.note_longest(&report);
        // What does not end has shown that, and would take its time again.
        let ending: Vec<TestId> = failing.iter().filter(|test| !endless(test)).cloned().collect();
        let left_out: Vec<TestId> = known_failing.iter().filter(|test| endless(test)).cloned().collect();
        notes.extend(notes_on_endless(&report, &failing, &left_out));
        let again = self.run_again(&ending, until).await?;
        let passes =
            |test: &&TestId| again.as_ref().is_some_and(|again| state_of(again, test) == TestState::Passes);
        let mut flaky: Vec<TestId> = failing.iter().filter(passes).cloned().collect();
        let again = again.filter(|again| !self.is_cut(again));
        let of_bug = ending.iter().filter(|test| failing.contains(test));
        let not_run = again.as_ref().map(|again| unrepeatable::not_run(again, of_bug)).unwrap_or_default();
        let of_names = self.unrepeatable(&report, &not_run, &left_out, until).await?;
        flaky.extend(of_names.flaky);
        if !flaky.is_empty() {
            failing.retain(|test| !flaky.contains(test));
            if !failing_given.is_empty() && failing.is_empty() {
                return Err(TestHarnessError::GivenTestFlaky { tests: flaky });
            }
            let names = TestId::summarized(&flaky, FLAKY_NAMED);
            notes.push(format!("failed in the first run and passed in the second, so left out: {names}"));
        }
        // What the environment lacks is told above, with its tests.
        let others = known_failing.iter().filter(|test| !lacking.contains(test)).count();
        if others > 0 {
            notes.push(format!("{others} other tests fail too and are not looked at"));
        }
        let not_run: Vec<TestId> = not_run.into_iter().filter(|test| failing.contains(test)).collect();
        if !not_run.is_empty() {
            let names = TestId::summarized(&not_run, FLAKY_NAMED);
            notes.push(format!(
                "did not run when they were asked for by their names, so all tests are run for each candidate: {names}"
            ));
        }
        let order = match &again {
            Some(again) if self.spec().test_one.is_some() => {
                let repeated: Vec<TestId> =
                    failing.iter().filter(|test| !not_run.contains(test)).cloned().collect();
                self.order_of(&report, again, &repeated, &ending, until).await?
            }
            Some(_) | None => Order::Free,
        };
        if order == Order::Matters {
            notes.push(
                "tests that show the bug fail in another way when they run without the others, so all tests are run for each \
                 candidate"
                    .to_owned(),
            );
        }
        let limit =
            (Duration::from_secs_f64(report.seconds.max(0.0)) * TIMES + START).min(self.spec().timeout);
        Ok(Baseline {
            // The command in the place of tests that cannot be run is none of them.
            passing: if self.runs_tests() { report.passing() } else { Vec::new() },
            report,
            failing,
            supposed: false,
            reproductions: Vec::new(),
            known_failing,
            flaky,
            set_aside: Vec::new(),
            left_out,
            nearest: Vec::new(),
            order_matters: order == Order::Matters || !not_run.is_empty(),
            unrepeatable: of_names.tests,
            order_uncertain: order == Order::Doubtful,
            environment_faults,
            notes,
            recorded_seconds: self.recorded_seconds,
            limit,
        })
    }

    /// The state of tests that were named as those that show the bug, run without the others as long as there is time. `None` where
    /// they cannot be chosen, or where only all of them tell more: they do not all fail alone, or fail for want of something in
    /// the environment.
    ///
    /// # Errors
    /// The sandbox or the disk, and [`TestHarnessError::OutOfTime`].
    pub async fn named_alone(
        &self,
        given: &[String],
        until: Option<Instant>,
    ) -> Result<Option<Baseline>, TestHarnessError> {
        if given.is_empty() || self.spec().test_one.is_none() {
            return Ok(None);
        }
        let _step = self.activity.begin("running the tests that show the bug");
        let tests: Vec<TestId> = given.iter().map(TestId::new).collect();
        let report = self.run_until(Selection::Only(&tests), until).await?;
        if stopped(&report).is_some() {
            return Ok(None);
        }
        let Ok((failing, _)) = split(&report, given) else { return Ok(None) };
        let lacks = !self.environment_faults(&report, &failing).await?.is_empty();
        Ok((!lacks).then(|| Baseline { report, failing, ..Baseline::unknown().clone() }))
    }

    /// The state of a project none of whose tests are run from now on.
    ///
    /// # Errors
    /// The sandbox or the disk.
    pub async fn without_tests(&self) -> Result<Baseline, TestHarnessError> {
        self.give_up_tests();
        self.baseline(&[]).await
    }

    /// Runs all tests. A test is left out in the next attempt if it is one of those given and hangs, or if it ends the whole
    /// run: then the others have their turn.
    async fn whole_run(
        &self,
        given: &[String],
        until: Option<Instant>,
        notes: &mut Vec<String>,
    ) -> Result<TestReport, TestHarnessError> {
        let limit = self.spec().timeout;
        let can_skip = adapters::of(self.spec().kind).can_skip();
        let mut gone: Vec<TestOutcome> = Vec::new();
        loop {
            let skipped: Vec<TestId> = gone.iter().map(|outcome| outcome.id.clone()).collect();
            let mut report = self.run_until(Selection::AllBut(&skipped), until).await?;
            if self.is_cut(&report) {
                return Ok(report);
            }
            let is_broken = broken::is_broken(self.spec(), &report, given);
            if report.build_failed() || !(report.timed_out || is_broken) {
                report.add(gone);
                return Ok(report);
            }
            // At its limit a run may be among tests that only are many; what ends a run is the test in which it ends.
            let may_go = |test: &TestId| {
                can_skip
                    && gone.len() < HANGING
                    && !skipped.contains(test)
                    && (is_broken || is_one_of(test, given))
            };
            match report.interrupted_in.clone() {
                Some(test) if may_go(&test) => {
                    let (ending, note, message) = if is_broken && !broken::is_overdue(&report) {
                        let with = &report.ending;
                        let message = format!("the whole run ends with {with} in this test");
                        (Ending::BrokeRun, format!("ends the whole run with {with}"), message)
                    } else {
                        let limit =
                            if is_broken { "its limit".to_owned() } else { format!("{} s", limit.as_secs()) };
                        let message = format!("the test did not end within {limit}");
                        (Ending::Hung, "does not end".to_owned(), message)
                    };
                    notes.push(format!("`{test}` {note}; the others were run without it"));
                    let outcome = TestOutcome::new(test.as_str(), TestStatus::Error).with_ending(ending);
                    gone.push(outcome.with_message(message));
                }
                _ if is_broken => return Err(broken::error(report)),
                running => {
                    return Err(TestHarnessError::TimedOut { limit, running, report: Box::new(report) });
                }
            }
        }
    }

    /// Notes what the longest test took, by which runners tell what does not end.
    fn note_longest(&self, report: &TestReport) {
        let ended = report.test_seconds.iter().filter(|(test, _)| ending_of(report, test) != Ending::Overdue);
        let seconds: Vec<f64> = ended.map(|(_, took)| *took).collect();
        if seconds.len() >= ENOUGH {
            // The baseline is run once.
            let _ = self.longest.set(seconds.into_iter().fold(0.0, f64::max));
        }
    }

    /// Where a whole run only has an exit status, tests that were given are run one by one for outcomes of their own.
    async fn run_given_alone(
        &self,
        given: &[String],
        until: Option<Instant>,
        report: &mut TestReport,
    ) -> Result<(), TestHarnessError> {
        let is_whole = self.spec().results == ResultsFormat::ExitStatus && self.spec().test_one.is_some();
        if !is_whole || given.is_empty() {
            return Ok(());
        }
        let tests: Vec<TestId> = given.iter().map(TestId::new).collect();
        let alone = self.run_until(Selection::Only(&tests), until).await?;
        report.add(alone.outcomes);
        Ok(())
    }

    /// Runs the failing tests once more, without the others where they can be chosen.
    async fn run_again(
        &self,
        failing: &[TestId],
        until: Option<Instant>,
    ) -> Result<Option<TestReport>, TestHarnessError> {
        if failing.is_empty() {
            return Ok(None);
        }
        let selection = if self.spec().test_one.is_some() { Selection::Only(failing) } else { ALL };
        Ok(Some(self.run_until(selection, until).await?))
    }

    /// Runs tests within the limit of a command, and no longer than there is time.
    async fn run_until(
        &self,
        selection: Selection<'_>,
        until: Option<Instant>,
    ) -> Result<TestReport, TestHarnessError> {
        let left = until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()));
        self.compile_tools().await?;
        let lease = self.lanes.take().await?;
        let cut = self.runs_tests().then_some(&self.cut);
        let execution = Execution { cut, ..self.execution(left.min(self.spec().timeout)) };
        let run = Box::pin(execution.run(lease.lane(), selection, None, false)).await;
        if !self.cut.initialized() {
            // Where it was cut something may still be at work in the lane.
            settle(lease, &run);
        }
        let report = run?;
        if report.timed_out && left < self.spec().timeout && !self.is_cut(&report) {
            return Err(TestHarnessError::OutOfTime { report: Box::new(report) });
        }
        Ok(report)
    }
}

/// Notes for a user on tests that our runners have ended, and on those that are left out.
fn notes_on_endless(report: &TestReport, failing: &[TestId], left_out: &[TestId]) -> Vec<String> {
    let ended: Vec<TestId> = failing
        .iter()
        .chain(left_out)
        .filter(|test| ending_of(report, test) == Ending::Overdue)
        .cloned()
        .collect();
    let mut notes = Vec::new();
    if !ended.is_empty() {
        notes.push(format!(
            "ended because they took far longer than the others: {} (a test that is only slow needs the variable \
             PATCHWRIGHT_TEST_SECONDS among those of the tests)",
            TestId::listed(&ended)
        ));
    }
    if !left_out.is_empty() {
        notes.push(format!(
            "not run with candidates, because they do not end or end the whole run: {} (if that is the bug, name it with --failing)",
            TestId::listed(left_out)
        ));
    }
    notes
}

/// The failing tests, those that show the bug apart from the others.
fn split(report: &TestReport, given: &[String]) -> Result<(Vec<TestId>, Vec<TestId>), TestHarnessError> {
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
            return Err(TestHarnessError::GivenTestUnknown {
                given: name.clone(),
                nearest,
                known: known.len(),
            });
        }
    }
    if !passing.is_empty() {
        return Err(TestHarnessError::GivenTestPasses { tests: passing });
    }
    let others = all.into_iter().filter(|test| !failing.contains(test)).collect();
    Ok((failing.into_iter().collect(), others))
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
