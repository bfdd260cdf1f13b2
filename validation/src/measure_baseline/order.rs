//! The order of the tests before any change: whether those that show the bug fail alike without the others.

use std::time::Instant;

use patchwright_protocol::TestId;
use patchwright_test_results::{TestReport, fails_differently};

use crate::baseline::QUICK;
use crate::error::TestHarnessError;
use crate::execution::Selection;
use crate::harness::TestHarness;

/// The need of tests that show the bug for others before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// They fail alike without the others.
    Free,
    /// They fail at the same place, and with another message.
    Doubtful,
    /// They fail otherwise.
    Matters,
}

impl TestHarness {
    /// The need of the failing tests for others before them, by a run of all tests and one without the others.
    pub(super) async fn order_of(
        &self,
        all: &TestReport,
        alone: &TestReport,
        failing: &[TestId],
        run: &[TestId],
        until: Option<Instant>,
    ) -> Result<Order, TestHarnessError> {
        if failing.iter().any(|test| fails_differently(all, alone, test)) {
            return Ok(Order::Matters);
        }
        let message = |report: &TestReport, test: &TestId| report.outcome(test)?.message.clone();
        let others: Vec<&TestId> =
            failing.iter().filter(|test| message(all, test) != message(alone, test)).collect();
        if others.is_empty() {
            return Ok(Order::Free);
        }
        // What is another message each time says nothing.
        let _step = self.activity.begin("running the failing tests alone once more");
        let again = self.run_until(Selection::Only(run), until).await?;
        if others.iter().all(|test| message(alone, test) != message(&again, test)) {
            return Ok(Order::Free);
        }
        let seconds =
            self.recorded.as_ref().and_then(|recorded| recorded.suite_seconds).unwrap_or(all.seconds);
        Ok(if seconds <= QUICK { Order::Matters } else { Order::Doubtful })
    }
}
