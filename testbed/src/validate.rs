//! Validating a candidate: the failing tests first, then all, then all once more in a copy that nothing ran in before.

use patchwright_code::{Applied, WriteError};

use crate::baseline::Baseline;
use crate::bed::TestBed;
use crate::compare::{Fate, fate, newly_failing};
use crate::error::TestBedError;
use crate::execution::{ALL, Selection};
use crate::outcome::TestId;
use crate::report::{Build, TestReport};
use crate::verdict::Verdict;

/// What validation found.
#[derive(Clone, Debug)]
pub struct Validation {
    /// The finding.
    pub verdict: Verdict,
    /// Of the tests that show the bug those that do not pass.
    pub still_failing: Vec<TestId>,
    /// Tests that should pass and do not: failing now and not before, or passing before and missing now.
    pub newly_failing: Vec<TestId>,
    /// Tests that failed once and passed when run again. They count for nothing.
    pub flaky: Vec<TestId>,
    /// The run that decided.
    pub report: TestReport,
    /// Wall-clock seconds of all commands.
    pub seconds: f64,
}

impl TestBed {
    /// Validates a change against the baseline. The user's files are not touched; several validations may run at once,
    /// each in a lane of its own.
    ///
    /// # Errors
    /// Only what is no fact about the change: the sandbox or the disk.
    pub async fn validate(&self, baseline: &Baseline, applied: &Applied) -> Result<Validation, TestBedError> {
        let judged = self.judge(baseline, applied).await;
        if let Err(TestBedError::Write(error @ (WriteError::Changed { .. } | WriteError::Link { .. }))) =
            judged
        {
            let report = TestReport::empty(error.to_string());
            return Ok(Validation::new(Verdict::DoesNotApply, report, &baseline.failing));
        }
        judged
    }

    async fn judge(&self, baseline: &Baseline, applied: &Applied) -> Result<Validation, TestBedError> {
        // Most candidates end with the failing tests, which are few.
        let first: &[Selection<'_>] = if baseline.failing.is_empty() || self.spec().test_one.is_none() {
            &[ALL]
        } else {
            &[Selection::Only(&baseline.failing), ALL]
        };
        let passes =
            |report: &TestReport| stopped(report).is_none() && still_failing(baseline, report).is_empty();
        let mut reports = self.run_while(first, Some(applied), baseline.limit, passes).await?;
        let whole = reports.len() == first.len();
        let mut seconds: f64 = reports.iter().map(|report| report.seconds).sum();
        let Some(report) = reports.pop() else {
            return Err(TestBedError::Defect { reason: "nothing was run".to_owned() });
        };
        let mut validation = self.look_at(baseline, applied, report, whole).await?;
        // A success is only one when it is repeated in a clean copy.
        if validation.verdict == Verdict::Plausible {
            seconds += validation.seconds;
            let report = self.run_fresh(applied, baseline.limit).await?;
            seconds += report.seconds;
            let flaky = validation.flaky;
            validation = self.look_at(baseline, applied, report, true).await?;
            validation.flaky.extend(flaky);
            validation.flaky.sort();
            validation.flaky.dedup();
        }
        validation.seconds += seconds;
        Ok(validation)
    }

    /// The verdict of a run, of all tests (`whole`) or of those that show the bug. The seconds are those of what is run
    /// once more here: tests that fail newly, because a test that is not sure of itself must not cost a good
    /// candidate its verdict.
    async fn look_at(
        &self,
        baseline: &Baseline,
        applied: &Applied,
        report: TestReport,
        whole: bool,
    ) -> Result<Validation, TestBedError> {
        let still = still_failing(baseline, &report);
        if let Some(verdict) = stopped(&report) {
            return Ok(Validation::new(verdict, report, &still));
        }
        let mut newly = if whole { newly_failing(baseline, &report) } else { Vec::new() };
        let (mut flaky, mut seconds) = (Vec::new(), 0.0);
        if still.is_empty() && !newly.is_empty() && self.spec().test_one.is_some() {
            let again = self.run(Selection::Only(&newly), Some(applied), baseline.limit).await?;
            seconds = again.seconds;
            if stopped(&again).is_none() {
                (flaky, newly) = newly.into_iter().partition(|test| fate(&again, test) == Fate::Passes);
            }
        }
        let passed = whole && still.is_empty() && newly.is_empty();
        let verdict = if passed { Verdict::Plausible } else { Verdict::Failing };
        Ok(Validation { newly_failing: newly, flaky, seconds, ..Validation::new(verdict, report, &still) })
    }
}

impl Validation {
    fn new(verdict: Verdict, report: TestReport, still_failing: &[TestId]) -> Self {
        Self {
            verdict,
            still_failing: still_failing.to_vec(),
            newly_failing: Vec::new(),
            flaky: Vec::new(),
            report,
            seconds: 0.0,
        }
    }
}

/// The verdict of a run that says nothing about tests.
fn stopped(report: &TestReport) -> Option<Verdict> {
    match &report.build {
        _ if report.timed_out => Some(Verdict::TimedOut),
        Build::Failed { .. } => Some(Verdict::DoesNotCompile),
        Build::NotNeeded | Build::Ok => None,
    }
}

fn still_failing(baseline: &Baseline, report: &TestReport) -> Vec<TestId> {
    baseline.failing.iter().filter(|test| fate(report, test) != Fate::Passes).cloned().collect()
}
