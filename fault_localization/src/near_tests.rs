//! The tests that a change is likeliest to break.

use std::collections::BTreeSet;

use patchwright_edits::Applied;
use patchwright_protocol::TestId;
use patchwright_validation::{Baseline, CoverageScope, TestHarness, TestHarnessError};

use crate::spectrum::recorded_coverage;

/// The passing tests that changes may break, the likeliest first: those that execute what is changed, where coverage can
/// be recorded (all tests are run with it the first time), else those that are named like what is changed.
///
/// # Errors
/// The sandbox or the disk.
pub async fn tests_near(
    harness: &TestHarness,
    baseline: &Baseline,
    changes: &[&Applied],
) -> Result<Vec<TestId>, TestHarnessError> {
    recorded_coverage(harness, baseline, CoverageScope::All).await?;
    let mut of_each: Vec<_> =
        changes.iter().map(|applied| harness.arranged(baseline, applied).into_iter()).collect();
    // In turn, so that no change gets all the tests there is time for.
    let (mut near, mut seen) = (Vec::new(), BTreeSet::new());
    loop {
        let round: Vec<TestId> = of_each.iter_mut().filter_map(Iterator::next).collect();
        if round.is_empty() {
            return Ok(near);
        }
        near.extend(round.into_iter().filter(|test| seen.insert(test.clone())));
    }
}
