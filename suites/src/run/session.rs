//! One attempt from its first event to its last, whatever happens in between.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;

use super::attempt::{Attempt, Cancel, Progress, Repairer};
use super::board::Live;
use super::event::Event;
use super::folder::Places;
use super::log::{EventLog, LogError};
use super::outcome::Outcome;
use super::shared::Shared;
use super::status::Status;
use crate::case::Case;
use crate::suite::{PrepareError, Suite};

/// What all attempts of a run work with.
pub(super) struct Common {
    pub suite: Arc<dyn Suite>,
    pub repairer: Arc<dyn Repairer>,
    pub shared: Shared,
    pub live: Live,
    pub cancel: Cancel,
    pub places: Places,
    pub log: EventLog,
    /// How long an attempt may take to come back after it was cancelled.
    pub grace: Duration,
}

/// Makes one attempt. Fails only where the run's log cannot be written.
pub(super) async fn attempt(common: Arc<Common>, case: Case, number: u32) -> Result<Outcome, LogError> {
    let started = Instant::now();
    common.log.write(Event::AttemptStarted { case: case.id.clone(), attempt: number }).await?;
    let folder = common.places.attempt(&case.id, number);
    let work = common.places.work(&case.id, number);
    let outcome = guarded(&common, &case, number, &folder, &work).await;
    remove(work).await;
    let ended = Event::AttemptEnded {
        case: case.id,
        attempt: number,
        outcome: outcome.clone(),
        seconds: Some(started.elapsed().as_secs_f64()),
    };
    common.log.write(ended).await?;
    Ok(outcome)
}

/// The attempt itself, with a panic and an attempt that does not stop turned into outcomes of this case alone.
async fn guarded(common: &Common, case: &Case, number: u32, folder: &Path, work: &Path) -> Outcome {
    let guarded = AssertUnwindSafe(prepared(common, case, number, folder, work)).catch_unwind();
    let too_late = async {
        common.cancel.cancelled().await;
        tokio::time::sleep(common.grace).await;
    };
    tokio::select! {
        biased;
        ended = guarded => ended.unwrap_or_else(|panic| {
            let reason = format!("a defect of this program: {}", said(panic.as_ref()));
            Outcome { status: Status::Defect, reason: reason.clone(), ..Outcome::recovered(folder, Status::Defect, &reason) }
        }),
        () = too_late => {
            let reason = format!("did not stop within {} s, and was dropped", common.grace.as_secs());
            Outcome::recovered(folder, Status::Cancelled, &reason)
        }
    }
}

async fn prepared(common: &Common, case: &Case, number: u32, folder: &Path, work: &Path) -> Outcome {
    for made in [folder, work] {
        if let Err(error) = tokio::fs::create_dir_all(made).await {
            return Outcome::early(
                Status::Infrastructure,
                format!("cannot make {}: {error}", made.display()),
            );
        }
    }
    let bug = {
        let _permit = common.shared.pull().await;
        if common.cancel.is_cancelled() {
            return Outcome::early(Status::Cancelled, "cancelled before it was prepared");
        }
        match common.suite.prepare(case, work).await {
            Ok(bug) => bug,
            Err(PrepareError::Infrastructure(reason)) => {
                return Outcome::early(Status::Infrastructure, format!("cannot prepare the case: {reason}"));
            }
            Err(PrepareError::Data(reason)) => {
                return Outcome::early(Status::Defect, format!("the case cannot be used: {reason}"));
            }
        }
    };
    let _session = common.shared.session().await;
    if common.cancel.is_cancelled() {
        return Outcome::early(Status::Cancelled, "cancelled before the session began");
    }
    let attempt = Attempt {
        case: &case.id,
        number,
        folder,
        progress: Progress { case: &case.id, live: &common.live },
        shared: &common.shared,
        cancel: &common.cancel,
    };
    common.repairer.repair(&bug, &attempt).await
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_else(|| "a panic without words".to_owned())
}

/// Removes scratch. What stays is removed when the run is opened next.
pub(super) async fn remove(folder: PathBuf) {
    let removed = tokio::task::spawn_blocking(move || {
        let removed = std::fs::remove_dir_all(&folder);
        (folder, removed)
    });
    if let Ok((folder, Err(error))) = removed.await
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!("cannot remove {}: {error}", folder.display());
    }
}
