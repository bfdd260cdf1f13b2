//! Measuring the baseline: which tests fail before any change.

mod broken;
mod environment;
mod order;
mod parts;
mod unrepeatable;
mod whole_run;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use patchwright_protocol::{ResultsFormat, TestId};
use patchwright_test_results::{Build, Elsewhere, Ending, TestReport, is_within, meant, nearest};

use self::order::Order;
pub(crate) use self::parts::ended_in_time;
pub(crate) use self::whole_run::files_of;
use crate::baseline::{Baseline, START};
use crate::compare::{TestState, state_of};
use crate::error::TestHarnessError;
use crate::execution::settle;
use crate::execution::{ALL, Execution, Selection};
use crate::harness::TestHarness;
use crate::test_times::WholeRun;
use crate::validation::stopped;

/// Tests that are not sure of themselves, or files with such tests, that a note names.
const FLAKY_NAMED: usize = 10;
/// So many tests tell what a test takes.
const ENOUGH: usize = 5;
/// A candidate gets this many times the time of the baseline, and [`START`].
const TIMES: u32 = 5;

/// The ending of a shell that does not find a command.
const NOT_FOUND: &str = "status 127";

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
        let ended_before = self.times.whole().filter(|whole| whole.ended).map(|whole| whole.seconds);
        let _step = self.activity.begin_known("running the tests before any change", ended_before);
        let mut report = self.whole_run(failing_given, until, &mut notes).await?;
        if self.is_cut(&report) {
            let (all_tests, whole) = (report.collected, WholeRun::of(&report, false));
            let ended = self.part(files_of(&report), report).ok_or(TestHarnessError::Cut)?;
            let ended = Baseline { all_tests, ..ended };
            self.times.note(&ended, Some(whole));
            return Ok(ended);
        }
        let mut nearest = self.keep_ended(&mut report, failing_given, until, &mut notes).await?;
        let mut all_tests = report.collected.filter(|_| !nearest.is_empty());
        if let Some(recorded) = self.recorded.as_ref().filter(|recorded| !recorded.ended.is_empty()) {
            (nearest, all_tests) = (recorded.ended.clone(), recorded.all_tests);
        }
        if let Some(elsewhere) = report.elsewhere {
            let Elsewhere { module, path } = *elsewhere;
            return Err(TestHarnessError::Elsewhere { module, path });
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
        let endless = |test: &TestId| report.ending_of(test).spoils_run();
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
        let whole = WholeRun::of(&report, nearest.is_empty());
        let baseline = Baseline {
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
            nearest,
            all_tests,
            order_matters: order == Order::Matters || !not_run.is_empty(),
            unrepeatable: of_names.tests,
            order_uncertain: order == Order::Doubtful,
            environment_faults,
            notes,
            recorded: self.recorded.clone(),
            limit,
        };
        self.times.note(&baseline, Some(whole));
        Ok(baseline)
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

    /// Notes what the longest test took, by which runners tell what does not end.
    fn note_longest(&self, report: &TestReport) {
        let ended = report.test_seconds.iter().filter(|(test, _)| report.ending_of(test) != Ending::Overdue);
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
        .filter(|test| report.ending_of(test) == Ending::Overdue)
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
