//! Baselines for tests of what is made of them.

use std::time::Duration;

use patchwright_protocol::TestId;
use patchwright_test_results::{TestOutcome, TestReport, TestStatus};

use super::Baseline;

/// A baseline of tests that fail in no time and tests that pass in so many seconds.
pub fn baseline_of(failing: &[&str], passing: &[(&str, f64)]) -> Baseline {
    let failed = failing.iter().map(|name| TestOutcome::new(*name, TestStatus::Failed));
    let passed = passing.iter().map(|(name, _)| TestOutcome::new(*name, TestStatus::Passed));
    let mut report = TestReport::empty(String::new());
    report.add(failed.chain(passed).collect());
    report.complete = true;
    report.test_seconds = passing.iter().map(|(name, seconds)| (TestId::new(*name), *seconds)).collect();
    report.seconds = report.test_seconds.values().sum();
    Baseline {
        failing: failing.iter().map(|name| TestId::new(*name)).collect(),
        passing: report.passing(),
        report,
        limit: Duration::from_secs(1),
        ..Baseline::unknown().clone()
    }
}
