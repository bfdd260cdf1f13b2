//! Comparing a worker with the baseline before its first verdict.

use std::time::Duration;

use patchwright_edits::Applied;
use patchwright_protocol::TestId;

use super::BusyWorker;
use super::judge::{CandidateRun, TestScope};
use super::time_limits::TimeLimits;
use crate::baseline::{Baseline, Expected};
use crate::bed::TestBed;
use crate::optimizations::ValidationDepth;

/// The check may take this many times what the baseline took, and something to start with.
const TIMES: f64 = 2.0;
const START: f64 = 10.0;

/// The baseline that workers were compared with.
pub(super) struct CheckedBaseline(Expected);

impl CheckedBaseline {
    pub(super) fn is_of(&self, baseline: &Baseline) -> bool {
        self.0.knows_outcomes_of(baseline)
    }
}

impl TestBed {
    /// Runs the tests that show the bug in a worker with the unchanged code, as candidates will be: they decide about nearly
    /// all of them. Otherwise why no worker is to be used.
    pub(super) async fn check(
        &self,
        busy: &mut BusyWorker,
        baseline: &Baseline,
    ) -> Result<CheckedBaseline, String> {
        // What does not end there would not end here.
        let hanging = baseline.hanging();
        let ending: Vec<TestId> =
            baseline.failing.iter().filter(|test| !hanging.contains(test)).cloned().collect();
        if ending.is_empty() {
            return Ok(CheckedBaseline(Expected::of(baseline)));
        }
        let limit = Duration::from_secs_f64(baseline.report.seconds.max(0.0) * TIMES + START);
        let limits = TimeLimits::of_check(limit);
        let unchanged = Applied { files: Vec::new(), notes: Vec::new(), comment_only: false };
        let mut request = CandidateRun::new(self, busy, &unchanged, &limits, ValidationDepth::Thorough);
        let report = match request.run(TestScope::Only(&ending)).await {
            Ok(report) => report.filter(|report| report.complete),
            Err(gone) => return Err(gone.to_string()),
        };
        let Some(report) = report else {
            return Err("the tests that show the bug do not run to their end in a worker".to_owned());
        };
        self.workers.expect_bent(report.bent.clone());
        let differs = |test: &&TestId| {
            let status = |outcome: &crate::outcome::TestOutcome| outcome.status;
            report.outcome(test).map(status) != baseline.report.outcome(test).map(status)
        };
        match ending.iter().find(differs) {
            Some(test) => Err(format!("`{test}` comes out otherwise in a worker, without any change")),
            None => Ok(CheckedBaseline(Expected::of(baseline))),
        }
    }
}
