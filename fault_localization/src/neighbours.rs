//! The tests that stand beside failing ones.

use std::collections::BTreeSet;

use patchwright_protocol::TestId;
use patchwright_validation::Baseline;

/// Counts tests as failing that stand in the same class or file as a failing one.
pub(crate) fn count_neighbours(baseline: &mut Baseline) {
    fn group(test: &TestId) -> Vec<&str> {
        let mut parts = test.parts();
        parts.pop();
        parts
    }
    let groups: BTreeSet<Vec<&str>> = baseline.failing.iter().map(group).collect();
    let beside: Vec<TestId> =
        baseline.passing.iter().filter(|test| groups.contains(&group(test))).cloned().collect();
    baseline.passing.retain(|test| !beside.contains(test));
    baseline.failing.extend(beside);
}
