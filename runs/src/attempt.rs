//! The seam between the runner and whatever repairs: one attempt at one case.

use std::path::Path;

use async_trait::async_trait;
use patchwright_protocol::{Bug, SessionResult};
use tokio_util::sync::CancellationToken;

use super::board::Live;
use super::shared::{Permit, Shared};
use super::stage::Stage;

/// Repairs bugs. It never sees a case, so no ground truth reaches it.
#[async_trait]
pub trait Repairer: Send + Sync {
    /// One attempt. It writes into the attempt's folder (`trajectory.jsonl`, `patch.diff`, `result.json`, logs) and
    /// comes back soon after the attempt was cancelled. A panic is recorded as a defect of this case.
    async fn repair(&self, bug: &Bug, attempt: &AttemptContext<'_>) -> SessionResult;
}

/// One attempt at one case.
#[derive(Debug)]
pub struct AttemptContext<'a> {
    /// The case's id.
    pub case: &'a str,
    /// The attempt's number, from 1.
    pub number: u32,
    /// `cases/<id>/attempt-<k>` of the run; exists and is empty.
    pub folder: &'a Path,
    /// The trajectory of an earlier attempt that was interrupted, with answers of the model: none of them is to be asked for again.
    pub interrupted: Option<&'a Path>,
    pub(super) live: &'a Live,
    /// The limits that all attempts share.
    pub shared: &'a Shared,
    /// Says when to stop.
    pub cancel: &'a CancellationToken,
}

impl AttemptContext<'_> {
    /// Waits for the right to a live container; none where it was cancelled first.
    pub async fn container(&self) -> Option<Permit> {
        self.cancel.run_until_cancelled(self.shared.container()).await
    }

    /// Tells the stage; cheap, may be called at every event.
    pub fn tell(&self, stage: Stage) {
        self.live.stage(self.case, stage);
    }
}

#[cfg(test)]
mod tests {
    use super::super::shared::Concurrency;
    use super::*;

    #[tokio::test]
    async fn who_waits_for_a_container_ends_when_it_is_enough() {
        let shared = Shared::new(&Concurrency { containers: 1, ..Concurrency::of_workers(2) });
        let (cancel, live) = (CancellationToken::default(), Live::default());
        let attempt = AttemptContext {
            case: "a",
            number: 1,
            folder: Path::new("."),
            interrupted: None,
            live: &live,
            shared: &shared,
            cancel: &cancel,
        };
        let held = attempt.container().await;
        assert!(held.is_some());
        let (waited, ()) = tokio::join!(attempt.container(), async { cancel.cancel() });
        assert!(waited.is_none());
    }
}
