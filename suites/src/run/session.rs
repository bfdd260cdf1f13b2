//! One attempt from its first event to its last, whatever happens in between.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;

use super::attempt::{Attempt, Cancel, Progress, Repairer};
use super::board::Live;
use super::event::{Event, Grade};
use super::folder::Places;
use super::log::{EventLog, LogError};
use super::outcome::Outcome;
use super::shared::Shared;
use super::status::Status;
use crate::case::Case;
use crate::correct::equals_fix;
use crate::suite::{PrepareError, Suite};

/// Who judges that a patch equals the developer's fix.
const BY_NORMAL_FORM: &str = "normal form";

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
    let (outcome, grade) = guarded(&common, &case, number, &folder, &work).await;
    remove(work).await;
    let ended = Event::AttemptEnded {
        case: case.id.clone(),
        attempt: number,
        outcome: outcome.clone(),
        seconds: Some(started.elapsed().as_secs_f64()),
    };
    common.log.write(ended).await?;
    if let Some(grade) = grade {
        common.log.write(Event::Graded { case: case.id, attempt: number, grade }).await?;
    }
    Ok(outcome)
}

/// The attempt itself, with a panic and an attempt that does not stop turned into outcomes of this case alone.
async fn guarded(
    common: &Common,
    case: &Case,
    number: u32,
    folder: &Path,
    work: &Path,
) -> (Outcome, Option<Grade>) {
    let guarded = AssertUnwindSafe(prepared(common, case, number, folder, work)).catch_unwind();
    let too_late = async {
        common.cancel.cancelled().await;
        tokio::time::sleep(common.grace).await;
    };
    tokio::select! {
        biased;
        ended = guarded => ended.unwrap_or_else(|panic| {
            let reason = format!("a defect of this program: {}", said(panic.as_ref()));
            let recovered = Outcome::recovered(folder, Status::Defect, &reason);
            (Outcome { status: Status::Defect, reason: reason.clone(), ..recovered }, None)
        }),
        () = too_late => {
            let reason = format!("did not stop within {} s, and was dropped", common.grace.as_secs());
            (Outcome::recovered(folder, Status::Cancelled, &reason), None)
        }
    }
}

/// Prepares the case, lets it be repaired, and compares what comes of it with the developer's fix.
async fn prepared(
    common: &Common,
    case: &Case,
    number: u32,
    folder: &Path,
    work: &Path,
) -> (Outcome, Option<Grade>) {
    let early = |status, reason: String| (Outcome::early(status, reason), None);
    for made in [folder, work] {
        if let Err(error) = tokio::fs::create_dir_all(made).await {
            return early(Status::Infrastructure, format!("cannot make {}: {error}", made.display()));
        }
    }
    let bug = {
        let _permit = common.shared.pull().await;
        if common.cancel.is_cancelled() {
            return early(Status::Cancelled, "cancelled before it was prepared".to_owned());
        }
        match common.suite.prepare(case, work).await {
            Ok(bug) => bug,
            Err(PrepareError::Infrastructure(reason)) => {
                return early(Status::Infrastructure, format!("cannot prepare the case: {reason}"));
            }
            Err(PrepareError::Data(reason)) => {
                return early(Status::Defect, format!("the case cannot be used: {reason}"));
            }
        }
    };
    let _session = common.shared.session().await;
    if common.cancel.is_cancelled() {
        return early(Status::Cancelled, "cancelled before the session began".to_owned());
    }
    let attempt = Attempt {
        case: &case.id,
        number,
        folder,
        progress: Progress { case: &case.id, live: &common.live },
        shared: &common.shared,
        cancel: &common.cancel,
    };
    let outcome = common.repairer.repair(&bug, &attempt).await;
    let grade = match (&outcome.patch, &case.truth.patch) {
        (Some(patch), Some(truth)) => Some(compared(bug.dir, truth.clone(), patch.clone()).await),
        (None, _) | (_, None) => None,
    };
    (outcome, grade)
}

/// Whether a patch equals the developer's fix; if it does not, a person may still find it correct.
async fn compared(dir: PathBuf, truth: String, patch: String) -> Grade {
    let equal = tokio::task::spawn_blocking(move || equals_fix(&dir, &truth, &patch)).await;
    let (correct, note) = match equal {
        Ok(Ok(true)) => (Some(true), String::new()),
        Ok(Ok(false)) => (None, "differs from the developer's fix".to_owned()),
        Ok(Err(error)) => (None, format!("cannot be compared: {error}")),
        Err(error) => (None, format!("cannot be compared: {error}")),
    };
    Grade { resolved: None, correct, by: BY_NORMAL_FORM.to_owned(), note }
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
