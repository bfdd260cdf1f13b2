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

/// One run of all tests, looked at.
struct Judged {
    report: TestReport,
    still_failing: Vec<TestId>,
    newly_failing: Vec<TestId>,
    flaky: Vec<TestId>,
    seconds: f64,
}

impl TestBed {
    /// Validates a change against the baseline. The user's files are not touched; several validations may run at once,
    /// each in a lane of its own.
    ///
    /// # Errors
    /// Only what is no fact about the change: the sandbox or the disk.
    pub async fn validate(&self, baseline: &Baseline, applied: &Applied) -> Result<Validation, TestBedError> {
        match self.judge(baseline, applied).await {
            Err(TestBedError::Write(error @ (WriteError::Changed { .. } | WriteError::Link { .. }))) => {
                let report = TestReport::empty(error.to_string());
                Ok(Validation::new(Verdict::DoesNotApply, report, &baseline.failing))
            }
            judged => judged,
        }
    }

    async fn judge(&self, baseline: &Baseline, applied: &Applied) -> Result<Validation, TestBedError> {
        let mut seconds = 0.0;
        // Most candidates end here, with a few tests instead of all.
        if !baseline.failing.is_empty() && self.spec().test_one.is_some() {
            let report = self.run(Selection::Only(&baseline.failing), Some(applied), baseline.limit).await?;
            seconds += report.seconds;
            if let Some(verdict) = stopped(&report) {
                return Ok(Validation { seconds, ..Validation::new(verdict, report, &baseline.failing) });
            }
            let still = still_failing(baseline, &report);
            if !still.is_empty() {
                return Ok(Validation { seconds, ..Validation::new(Verdict::Failing, report, &still) });
            }
        }
        let mut flaky = Vec::new();
        for fresh in [false, true] {
            let judged = self.whole(baseline, applied, fresh).await?;
            seconds += judged.seconds;
            flaky.extend(judged.flaky);
            flaky.sort();
            flaky.dedup();
            let verdict = match stopped(&judged.report) {
                Some(verdict) => verdict,
                None if judged.still_failing.is_empty() && judged.newly_failing.is_empty() => {
                    Verdict::Plausible
                }
                None => Verdict::Failing,
            };
            // A success is only one when it is repeated in a clean copy.
            if verdict != Verdict::Plausible || fresh {
                return Ok(Validation {
                    verdict,
                    still_failing: judged.still_failing,
                    newly_failing: judged.newly_failing,
                    flaky,
                    report: judged.report,
                    seconds,
                });
            }
        }
        Err(TestBedError::Defect { reason: "no run in a clean copy".to_owned() })
    }

    /// Runs all tests; those that fail newly are run once more, because a test that is not sure of itself must not cost a
    /// good candidate its verdict.
    async fn whole(
        &self,
        baseline: &Baseline,
        applied: &Applied,
        fresh: bool,
    ) -> Result<Judged, TestBedError> {
        let report = if fresh {
            self.run_fresh(ALL, Some(applied), baseline.limit).await?
        } else {
            self.run(ALL, Some(applied), baseline.limit).await?
        };
        let mut judged = Judged {
            still_failing: still_failing(baseline, &report),
            newly_failing: if stopped(&report).is_some() {
                Vec::new()
            } else {
                newly_failing(baseline, &report)
            },
            flaky: Vec::new(),
            seconds: report.seconds,
            report,
        };
        if judged.newly_failing.is_empty()
            || !judged.still_failing.is_empty()
            || self.spec().test_one.is_none()
        {
            return Ok(judged);
        }
        let again = self.run(Selection::Only(&judged.newly_failing), Some(applied), baseline.limit).await?;
        judged.seconds += again.seconds;
        if stopped(&again).is_none() {
            let (flaky, failing) =
                judged.newly_failing.into_iter().partition(|test| fate(&again, test) == Fate::Passes);
            (judged.flaky, judged.newly_failing) = (flaky, failing);
        }
        Ok(judged)
    }
}

impl Validation {
    fn new(verdict: Verdict, report: TestReport, still_failing: &[TestId]) -> Self {
        let seconds = report.seconds;
        Self {
            verdict,
            still_failing: still_failing.to_vec(),
            newly_failing: Vec::new(),
            flaky: Vec::new(),
            report,
            seconds,
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
