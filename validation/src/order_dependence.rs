//! Order-dependent tests: failures that were seen out of the natural order: in a worker, in parts, or alone. One test may need another
//! before it, so they only count as far as all tests, run in their order by a command, show the same.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use patchwright_blocking::lock;
use patchwright_edits::Applied;
use patchwright_protocol::{TestId, Verdict};
use patchwright_test_results::{FailureSignature, TestReport};

use crate::baseline::Baseline;
use crate::optimizations::ValidationDepth;
use crate::validation::Validation;

/// Of this many candidates that fail one is looked at, whatever it fails by.
const SAMPLE: usize = 200;
/// Where nobody waits for each verdict, looking at failures that are not new may take this share of the time of judging, and
/// something to start with.
const SHARE: f64 = 0.1;
const START: f64 = 2.0;

/// A verdict that a run of all tests in their order has to confirm.
#[derive(Debug)]
pub(crate) enum Recheck {
    /// Tests that passed before fail.
    NewFailures(Vec<TestId>),
    /// The tests that show the bug fail, and not as they do without the change.
    ChangedFailures(Vec<(TestId, FailureSignature)>),
    /// None, but one of many.
    Sample,
}

/// The tests and failures that are known to depend on the order of the tests.
#[derive(Default)]
pub(crate) struct OrderDependence(Mutex<State>);

#[derive(Default)]
struct State {
    /// Tests that failed newly, and in the natural order as well.
    proven: BTreeSet<TestId>,
    /// Tests that passed there: out of order they say nothing.
    order_dependent: BTreeSet<TestId>,
    /// The signatures by which tests that show the bug fail in the natural order too.
    signatures: BTreeSet<(TestId, FailureSignature)>,
    /// Is true if one that shows the bug needs others before it.
    order_matters: bool,
    /// The number of candidates that failed since the last sample.
    since_sample: usize,
    /// Seconds of judging candidates that fail, and of looking once more.
    judging: f64,
    looking: f64,
}

impl State {
    fn affords(&self, cost: f64) -> bool {
        self.looking + cost <= self.judging * SHARE + START
    }
}

impl OrderDependence {
    /// Takes in tests that fail without any change where not all others run: there they say nothing.
    pub(crate) fn excuse(&self, tests: impl IntoIterator<Item = TestId>) {
        lock(&self.0).order_dependent.extend(tests);
    }

    /// Tests that say nothing about a candidate when they fail out of order.
    pub(crate) fn order_dependent(&self) -> BTreeSet<TestId> {
        lock(&self.0).order_dependent.clone()
    }

    /// Is true if the tests that show the bug are to be judged among all others, in their order.
    pub(crate) fn order_matters(&self) -> bool {
        lock(&self.0).order_matters
    }

    /// The recheck that a failing candidate needs which took so long to judge. Its other tests ran in their natural order unless `by_worker`.
    pub(crate) fn recheck_of(
        &self,
        baseline: &Baseline,
        applied: &Applied,
        found: &Validation,
        by_worker: bool,
        depth: ValidationDepth,
        took: Duration,
    ) -> Option<Recheck> {
        if found.verdict == Verdict::Plausible || found.shared || (found.others_ran(baseline) && !by_worker) {
            return None;
        }
        let cost = baseline.report.seconds;
        let mut state = lock(&self.0);
        state.judging += took.as_secs_f64();
        state.since_sample += 1;
        let newly = found.unconfirmed();
        if !newly.is_empty() {
            let proven =
                newly.iter().any(|test| state.proven.contains(test) && !state.order_dependent.contains(test));
            return (!(baseline.is_long() && proven)).then(|| Recheck::NewFailures(newly.to_vec()));
        }
        if found.verdict == Verdict::Failing {
            let signatures = signatures(baseline, applied, found);
            let is_new = !signatures.is_empty()
                && !signatures.iter().any(|signature| state.signatures.contains(signature));
            if (is_new || baseline.order_uncertain)
                && (depth == ValidationDepth::Thorough || state.affords(cost))
            {
                return Some(Recheck::ChangedFailures(signatures));
            }
        }
        let due = by_worker && state.since_sample >= SAMPLE && state.affords(cost);
        due.then_some(Recheck::Sample)
    }

    /// Takes in what the natural order showed, in so many seconds.
    pub(crate) fn record(&self, recheck: &Recheck, natural: &Validation, took: Duration) {
        let mut state = lock(&self.0);
        state.since_sample = 0;
        match recheck {
            // No candidate was ever refused without it where tests are quick, so that it is no cost of looking twice.
            Recheck::NewFailures(tests) => {
                let (proven, order_dependent): (Vec<_>, Vec<_>) =
                    tests.iter().cloned().partition(|test| natural.newly_failing.contains(test));
                state.proven.extend(proven);
                state.order_dependent.extend(order_dependent);
            }
            Recheck::ChangedFailures(signatures) => {
                state.looking += took.as_secs_f64();
                let (fail, pass): (Vec<_>, Vec<_>) =
                    signatures.iter().cloned().partition(|(test, _)| natural.still_failing.contains(test));
                state.order_matters |= fail.is_empty() && !pass.is_empty();
                state.signatures.extend(fail);
            }
            Recheck::Sample => state.looking += took.as_secs_f64(),
        }
    }
}

/// The signatures of the tests that show the bug, if all of them fail otherwise than without the change: where one fails as before,
/// the bug is still there. Where the baseline leaves even that uncertain, however they fail.
fn signatures(baseline: &Baseline, applied: &Applied, found: &Validation) -> Vec<(TestId, FailureSignature)> {
    let moved = |file: &str| applied.files.iter().any(|changed| changed.path.as_str().ends_with(file));
    let signature = |report: &TestReport, test: &TestId| {
        let outcome = report.outcome(test).filter(|outcome| outcome.status.is_failing())?;
        Some(FailureSignature::of(outcome, moved))
    };
    let mut signatures = Vec::new();
    for test in &found.still_failing {
        let Some(now) = signature(&found.report, test) else { continue };
        let differs = signature(&baseline.report, test).is_some_and(|before| before.differs_from(&now));
        if !differs && !baseline.order_uncertain {
            return Vec::new();
        }
        signatures.push((test.clone(), now));
    }
    signatures
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::baseline::testing::baseline_of;
    use crate::validation::{Extent, evaluate_report};
    use patchwright_test_results::{TestOutcome, TestStatus};

    fn unchanged() -> Applied {
        Applied::default()
    }

    /// Of a run in which one test that shows the bug fails like this.
    fn failing(baseline: &Baseline, message: &str) -> Validation {
        let mut report = baseline.report.clone();
        report.outcomes = vec![TestOutcome::new("bug", TestStatus::Error).with_message(message)];
        evaluate_report(baseline, report, Extent::Failing, &BTreeSet::new())
    }

    #[test]
    fn failures_that_are_not_new_are_looked_at_seldom() {
        let baseline = baseline_of(&["bug"], &[("other", 1.0)]);
        let mut same = failing(&baseline, "");
        same.report = baseline.report.clone();
        let order_dependence = OrderDependence::default();
        let count = |count: usize| {
            let took = Duration::from_millis(100);
            let about = || {
                order_dependence.recheck_of(
                    &baseline,
                    &unchanged(),
                    &same,
                    true,
                    ValidationDepth::FirstFailure,
                    took,
                )
            };
            (0..count)
                .filter(|_| {
                    about().is_some_and(|recheck| {
                        order_dependence.record(&recheck, &same, Duration::from_secs(5));
                        true
                    })
                })
                .count()
        };
        assert_eq!(count(SAMPLE), 1);
        // 40 s of judging, of which a tenth may be spent: that and the 2 s to start with leave 1 s, and 2 s then.
        assert_eq!(count(SAMPLE), 1);
        assert_eq!(count(SAMPLE), 0);
    }

    #[test]
    fn a_new_way_to_fail_is_looked_at_once() {
        let mut baseline = baseline_of(&["bug"], &[("other", 60.0)]);
        baseline.report.outcomes[0] = TestOutcome::new("bug", TestStatus::Error).with_message("KeyError: 1");
        let order_dependence = OrderDependence::default();
        let about = |message: &str, depth: ValidationDepth| {
            let found = failing(&baseline, message);
            order_dependence.recheck_of(&baseline, &unchanged(), &found, true, depth, Duration::ZERO)
        };
        assert!(about("KeyError: 2", ValidationDepth::Thorough).is_none());
        assert!(about("TypeError: 2", ValidationDepth::FirstFailure).is_none(), "all tests take too long");
        let recheck = about("TypeError: 2", ValidationDepth::Thorough).expect("a recheck");
        order_dependence.record(&recheck, &failing(&baseline, "TypeError: 3"), Duration::ZERO);
        assert!(about("TypeError: 4", ValidationDepth::Thorough).is_none());
        assert!(!order_dependence.order_matters());
        let recheck = about("NameError: 2", ValidationDepth::Thorough).expect("a recheck");
        let mut passed = failing(&baseline, "");
        passed.still_failing.clear();
        order_dependence.record(&recheck, &passed, Duration::ZERO);
        assert!(order_dependence.order_matters());
    }
}
