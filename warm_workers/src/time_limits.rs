//! Time limits of tests in a worker, from their times before any change.

use std::collections::BTreeMap;
use std::time::Duration;

use patchwright_protocol::TestId;
use patchwright_validation::Baseline;

/// A test may take this many times what it took before.
const TIMES: f64 = 10.0;
/// The least time limit of a test.
const FLOOR: f64 = 2.0;
/// The least time limit of a test that failed before: it may have stopped early.
const FAILING_FLOOR: f64 = 3.0;
/// The time limit of tests of which nothing is known.
const UNKNOWN: f64 = 10.0;

/// Time limits in seconds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TimeLimits {
    /// Of a request.
    pub(super) whole: f64,
    /// Of single tests.
    pub(super) tests: BTreeMap<TestId, f64>,
    /// Of all other tests.
    pub(super) others: f64,
}

impl TimeLimits {
    /// The limits for candidates.
    pub(super) fn of(baseline: &Baseline) -> Self {
        let known = &baseline.report.test_seconds;
        // How long a test went on that never ends says nothing of how long it takes.
        let took: BTreeMap<&TestId, f64> = known
            .iter()
            .filter(|(test, _)| !baseline.is_endless(test))
            .map(|(test, seconds)| (test, *seconds))
            .collect();
        let longest = took.values().copied().fold(0.0, f64::max);
        let mut tests: BTreeMap<TestId, f64> = took
            .iter()
            .filter(|(_, seconds)| **seconds * TIMES > FLOOR)
            .map(|(test, seconds)| ((*test).clone(), seconds * TIMES))
            .collect();
        for test in baseline.failing.iter().chain(&baseline.known_failing) {
            let seconds = took.get(test).copied().unwrap_or(longest);
            let limit = (seconds * TIMES).max(longest * 2.0).max(FAILING_FLOOR);
            tests.insert(test.clone(), limit);
        }
        let all_known = baseline.failing.iter().chain(&baseline.passing).all(|test| known.contains_key(test));
        let others = if all_known { FLOOR } else { UNKNOWN.max(longest * TIMES) };
        Self { whole: baseline.limit.as_secs_f64(), tests, others }
    }

    /// The limits for unchanged code, which ends: only the whole has one.
    pub(super) fn of_check(whole: Duration) -> Self {
        let whole = whole.as_secs_f64();
        Self { whole, tests: BTreeMap::new(), others: whole }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use patchwright_test_results::{Ending, TestOutcome, TestReport, TestStatus};
    use patchwright_validation::testing::baseline_of;

    fn baseline(took: &[(&str, f64)], failing: &[&str], passing: &[&str]) -> Baseline {
        let ids = |names: &[&str]| names.iter().map(|name| TestId::new(*name)).collect();
        let mut report = TestReport::empty(String::new());
        report.test_seconds = took.iter().map(|(name, seconds)| (TestId::new(*name), *seconds)).collect();
        let base = baseline_of(failing, &[]);
        Baseline { report, passing: ids(passing), limit: Duration::from_secs(40), ..base }
    }

    #[test]
    fn limits_follow_what_tests_took() {
        let limits = TimeLimits::of(&baseline(
            &[("bug", 0.01), ("quick", 0.1), ("slow", 3.0)],
            &["bug"],
            &["quick", "slow"],
        ));
        let tests = BTreeMap::from([(TestId::new("bug"), 6.0), (TestId::new("slow"), 30.0)]);
        assert_eq!(limits, TimeLimits { whole: 40.0, tests, others: FLOOR });
    }

    #[test]
    fn a_test_that_never_ended_sets_no_measure() {
        let mut endless = baseline(&[("bug", 30.0), ("quick", 0.1)], &["bug"], &["quick"]);
        endless.report.outcomes =
            vec![TestOutcome::new("bug", TestStatus::Failed).with_ending(Ending::Overdue)];
        let tests = BTreeMap::from([(TestId::new("bug"), FAILING_FLOOR)]);
        assert_eq!(TimeLimits::of(&endless), TimeLimits { whole: 40.0, tests, others: FLOOR });
    }

    #[test]
    fn what_is_not_known_gets_more() {
        let limits = TimeLimits::of(&baseline(&[("quick", 0.1)], &["test_module"], &["quick"]));
        let tests = BTreeMap::from([(TestId::new("test_module"), FAILING_FLOOR)]);
        assert_eq!(limits, TimeLimits { whole: 40.0, tests, others: UNKNOWN });
    }
}
