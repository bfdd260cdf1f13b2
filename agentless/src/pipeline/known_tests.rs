//! The tests before any change: all of them or, where these take too long, those nearest to what the candidates change.

use std::sync::Arc;
use std::time::{Duration, Instant};

use patchwright_session::{Stop, TestsOfChanges, WholeSuite, run_recorded};
use patchwright_validation::Baseline;

use super::Pipeline;

impl Pipeline<'_> {
    /// Waits for all tests as long as candidates may still do with those nearest to them; these are run once there are candidates.
    pub(super) async fn wait_for_tests(&mut self) -> Result<(), Stop> {
        let is_known = match &self.whole_suite {
            WholeSuite::Wait => true,
            WholeSuite::Recorded(by_cycle) => by_cycle.range(..=self.stages.context.cycle).next().is_some(),
            WholeSuite::Until { deadline, .. } => {
                tokio::time::timeout_at((*deadline).into(), self.pending.wait()).await.is_ok()
            }
        };
        if is_known { self.know_tests().await } else { Ok(()) }
    }

    /// Where not all tests had ended when they were waited for, and have not by now, runs those nearest to the candidates.
    pub(super) async fn measure_by_near(&mut self) -> Result<(), Stop> {
        if self.stages.context.journal.memory().knows_tests { Ok(()) } else { self.know_tests().await }
    }

    /// Finds out what is known of the tests by now.
    async fn know_tests(&mut self) -> Result<(), Stop> {
        let began = Instant::now();
        let near = match &self.whole_suite {
            WholeSuite::Recorded(by_cycle) => {
                let tests = by_cycle.values().next().map(Vec::as_slice).unwrap_or_default();
                run_recorded(&mut self.stages.context, self.harness, tests).await?
            }
            WholeSuite::Until { patience, .. } if self.pending.known().is_none() => {
                Some(self.near(*patience).await?)
            }
            WholeSuite::Until { .. } | WholeSuite::Wait => None,
        };
        let context = &mut self.stages.context;
        self.baseline = Arc::new(match near {
            Some(near) => {
                context.budget.spent_mut().test_seconds += began.elapsed().as_secs_f64();
                near
            }
            None => context.join(self.pending).await?.clone(),
        });
        Ok(())
    }

    /// The tests nearest to all candidates.
    async fn near(&mut self, patience: Duration) -> Result<Baseline, Stop> {
        let issue = self.stages.context.task.issue.clone().unwrap_or_default();
        let (harness, pending) = (self.harness, self.pending);
        let tests = TestsOfChanges { harness, pending, issue: &issue, test_file: None, patience };
        let changes = self.candidates.iter().map(|candidate| candidate.change.edits.clone());
        tests.first(&mut self.stages.context, changes.collect()).await
    }
}
