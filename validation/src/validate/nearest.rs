//! Judging by those tests that stand for all, because all take too long.

use patchwright_edits::Applied;
use patchwright_protocol::TestId;
use patchwright_test_results::TestReport;

use crate::baseline::Baseline;
use crate::compare::{TestState, state_of};
use crate::error::TestHarnessError;
use crate::harness::TestHarness;
use crate::validation::{Extent, Validation, evaluate_report};

impl TestHarness {
    /// Judges by those tests that stand for all, in clean copies. What is known of them may have been seen among all others: what fails
    /// by themselves has to pass there without the change, or it says nothing.
    pub(super) async fn try_nearest(
        &self,
        baseline: &Baseline,
        applied: &Applied,
    ) -> Result<Validation, TestHarnessError> {
        let excused = self.order_dependence.order_dependent();
        let report = self.run_nearest(baseline, Some(applied)).await?;
        let found = self.evaluate(baseline, applied, report, Extent::All, &excused).await?;
        if found.unconfirmed().is_empty() {
            return Ok(found);
        }
        let measure = found.measure(baseline);
        let without = self.run_nearest(&measure, None).await?;
        let fails = |test: &&TestId| state_of(&without, test) == TestState::Fails;
        self.order_dependence.excuse(found.unconfirmed().iter().filter(fails).cloned());
        let excused = self.order_dependence.order_dependent();
        let Validation { flaky, measured, compiled, report, .. } = found.clone();
        let mut found = evaluate_report(&measure, report, Extent::All, &excused);
        found.newly_failing.retain(|test| !flaky.contains(test));
        found.decide(Extent::All);
        Ok(Validation { flaky, measured, compiled, ..found })
    }

    /// Runs those tests that stand for all, side by side where lanes are free.
    pub(super) async fn run_nearest(
        &self,
        baseline: &Baseline,
        applied: Option<&Applied>,
    ) -> Result<TestReport, TestHarnessError> {
        match self.run_in_shards(baseline, applied).await? {
            Some(report) => Ok(report),
            None => self.run_fresh(baseline.selection(), applied, baseline.limit).await,
        }
    }
}
