//! Comparing a worker with the baseline before its first verdict.

use std::time::Duration;

use patchwright_edits::Applied;
use patchwright_protocol::TestId;
use patchwright_test_results::TestReport;
use patchwright_validation::ValidationDepth;
use patchwright_validation::execution::Selection;

use super::judge::CandidateRun;
use super::time_limits::TimeLimits;
use super::{BusyWorker, Service};

/// The check may take this many times what the baseline took, and something to start with.
const TIMES: f64 = 2.0;
const START: f64 = 10.0;

impl Service<'_> {
    /// Runs the tests that show the bug in a worker with the unchanged code, as candidates will be: they decide about nearly
    /// all of them. Where none does, one that passes: it tells what of the test tools is bent without any change. Otherwise why no
    /// worker is to be used.
    pub(super) async fn check(&self, busy: &mut BusyWorker) -> Result<(), String> {
        let baseline = self.baseline;
        // What does not end there would not end here.
        let hanging = baseline.hanging();
        let mut ending: Vec<TestId> =
            baseline.failing.iter().filter(|test| !hanging.contains(test)).cloned().collect();
        if ending.is_empty() {
            ending.extend(baseline.passing.first().cloned());
        }
        if ending.is_empty() {
            return Err("no test that ends shows how a worker behaves without any change".to_owned());
        }
        let limit = Duration::from_secs_f64(baseline.report.seconds.max(0.0) * TIMES + START);
        let limits = TimeLimits::of_check(limit);
        let unchanged = Applied::default();
        let mut request = CandidateRun::new(*self, busy, &unchanged, &limits, ValidationDepth::Thorough);
        let report = request.run(Selection::Only(&ending)).await.map_err(|gone| gone.to_string())?;
        let Some(report) = report.filter(|report| report.complete) else {
            let line = request.last_line().map(|line| format!(": {line}")).unwrap_or_default();
            return Err(format!("tests do not run to their end in a worker{line}"));
        };
        self.workers.expect_bent(report.bent.clone());
        let status = |report: &TestReport, test: &TestId| Some(report.outcome(test)?.status);
        let differs = |test: &&TestId| status(&report, test) != status(&baseline.report, test);
        match ending.iter().find(differs) {
            Some(test) => Err(format!("`{test}` comes out otherwise in a worker, without any change")),
            None => Ok(()),
        }
    }
}
