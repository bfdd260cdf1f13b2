//! The seam between validation and processes that judge candidates without a start of their own for each.

use std::fmt;

use async_trait::async_trait;
use patchwright_edits::Applied;
use patchwright_protocol::TestId;

use crate::baseline::Baseline;
use crate::error::TestHarnessError;
use crate::harness::TestHarness;
use crate::optimizations::ValidationDepth;
use crate::validation::Validation;

/// Judges candidates in processes that are already running. What they call plausible is confirmed without them.
#[async_trait]
pub trait WarmWorkers: Send + Sync {
    /// Judges a candidate; `None` where no worker can.
    ///
    /// # Errors
    /// The sandbox or the disk.
    async fn judge(
        &self,
        harness: &TestHarness,
        baseline: &Baseline,
        applied: &Applied,
        depth: ValidationDepth,
    ) -> Result<Option<Validation>, TestHarnessError>;

    /// Starts a worker before a candidate needs one, where that hinders nobody: the first candidate waits for it otherwise.
    async fn start(&self, harness: &TestHarness, baseline: &Baseline);

    /// Takes in that a run by a command came out otherwise: no candidate is judged by a worker from then on.
    fn disagree(&self, disagreement: Disagreement);

    /// The state and the counts.
    fn report(&self, harness: &TestHarness) -> WorkerReport;
}

/// The state and the counts of the warm workers of a test harness.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkerReport {
    /// Whether candidates are judged by warm workers.
    pub on: bool,
    /// Why not, where they are not.
    pub why_off: Option<String>,
    /// The number of candidates that they judged.
    pub judged: usize,
    /// Tests that behave otherwise in a worker than in a process of their own, so that they are only run there.
    pub left_out: Vec<TestId>,
    /// Candidates that a worker and a command of the project judge differently. After one, no more are judged by workers.
    pub disagreements: Vec<Disagreement>,
}

/// A candidate that a worker and a command of the project judge differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The candidate's [`patchwright_edits::Applied::fingerprint`].
    pub fingerprint: String,
    /// Tests that fail in the clean copy, where the worker called the candidate plausible; none where it did not and the
    /// command does.
    pub failing: Vec<TestId>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fingerprint, failing } = self;
        match failing.len() {
            0 => write!(
                formatter,
                "a warm worker called the change {fingerprint} failing, a run by a command did not"
            ),
            count => write!(
                formatter,
                "a warm worker called the change {fingerprint} plausible, a run in a clean copy did not: {count} failing"
            ),
        }
    }
}

impl TestHarness {
    /// The state and the counts of the warm workers.
    pub fn worker_report(&self) -> WorkerReport {
        match &self.workers {
            Some(workers) => workers.report(self),
            None => WorkerReport { why_off: Some("there are none".to_owned()), ..WorkerReport::default() },
        }
    }

    /// Starts a warm worker before a candidate needs one (see [`WarmWorkers::start`]).
    pub async fn start_worker(&self, baseline: &Baseline) {
        if let Some(workers) = &self.workers {
            workers.start(self, baseline).await;
        }
    }
}
