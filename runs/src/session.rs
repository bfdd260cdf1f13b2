//! One attempt from its first event to its last, whatever happens in between.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use patchwright_protocol::{Actor, Bug, Failure, SessionResult, Status};
use patchwright_suites::{Case, Suite, equals_fix};
use tokio_util::sync::CancellationToken;

use super::attempt::{AttemptContext, Repairer};
use super::board::Live;
use super::event::{FixCoverage, Grade, RunEvent};
use super::folder::Places;
use super::log::{EventLog, LogError};
use super::recover::{furthest, recovered};
use super::shared::Shared;

/// The judge of whether a patch equals the developer's fix.
const BY_NORMAL_FORM: &str = "normal form";

/// A patch against the developer's fix.
pub(super) struct Compared {
    pub located: FixCoverage,
    pub grade: Grade,
}

/// Shared parts of all attempts of a run.
pub(super) struct Common {
    pub suite: Arc<dyn Suite>,
    pub repairer: Arc<dyn Repairer>,
    pub shared: Shared,
    pub live: Live,
    pub cancel: CancellationToken,
    pub places: Places,
    pub log: EventLog,
    /// The time that an attempt may take to come back after it was cancelled.
    pub grace: Duration,
}

/// Makes one attempt, which goes on with the `interrupted` ones before it. Fails only where the run's log cannot be written.
pub(super) async fn attempt(
    common: Arc<Common>,
    case: Case,
    number: u32,
    interrupted: Vec<u32>,
) -> Result<SessionResult, LogError> {
    let started = Instant::now();
    common.log.write(RunEvent::AttemptStarted { case: case.id.clone(), attempt: number }).await?;
    let work = common.places.work(&case.id, number);
    let earlier: Vec<PathBuf> =
        interrupted.into_iter().map(|number| common.places.attempt(&case.id, number)).collect();
    // It reads files. Where it is lost, the attempt begins anew.
    let earlier = patchwright_blocking::spawn(move |_| furthest(&earlier)).await.ok().flatten();
    let (outcome, compared) = guarded(&common, &case, number, earlier.as_deref(), &work).await;
    remove(&work).await;
    let ended = RunEvent::AttemptEnded {
        case: case.id.clone(),
        attempt: number,
        outcome: Box::new(outcome.clone()),
        seconds: Some(started.elapsed().as_secs_f64()),
        located: compared.as_ref().map(|compared| compared.located),
    };
    common.log.write(ended).await?;
    if let Some(Compared { grade, .. }) = compared {
        common.log.write(RunEvent::Graded { case: case.id, attempt: number, grade }).await?;
    }
    Ok(outcome)
}

/// The reason why a patch is not compared with the developer's fix.
pub(super) enum NotCompared {
    /// Somebody ended it: it may be compared later.
    Cancelled,
    /// The case could not be prepared, for this reason.
    Unprepared(String),
}

impl From<SessionResult> for NotCompared {
    fn from(outcome: SessionResult) -> Self {
        if outcome.status == Status::Cancelled {
            return Self::Cancelled;
        }
        let hint = outcome.hint.map(|hint| format!(" ({hint})"));
        Self::Unprepared(format!("{}{}", outcome.reason, hint.unwrap_or_default()))
    }
}

/// Compares the patch of an attempt whose project is gone, because the program was killed: the case is prepared once more, for this
/// alone. None where there is nothing to compare.
///
/// # Errors
/// See [`NotCompared`].
pub(super) async fn compared_again(
    common: &Common,
    case: &Case,
    number: u32,
    outcome: &SessionResult,
) -> Result<Option<Compared>, NotCompared> {
    if case.truth.patch.is_none() || outcome.patch.is_none() {
        return Ok(None);
    }
    let work = common.places.work(&case.id, number);
    let ended = async {
        let bug = common
            .cancel
            .run_until_cancelled(prepare(common, case, &work))
            .await
            .ok_or(NotCompared::Cancelled)?;
        let compared = compared(case, outcome, bug?.dir).await;
        common.suite.release(case).await;
        Ok(compared)
    };
    let ended = AssertUnwindSafe(ended).catch_unwind().await.unwrap_or_else(|panic| {
        Err(NotCompared::Unprepared(format!("a defect of this program: {}", said(panic.as_ref()))))
    });
    remove(&work).await;
    ended
}

/// The attempt itself, with a panic and an attempt that does not stop turned into outcomes of this case alone.
async fn guarded(
    common: &Common,
    case: &Case,
    number: u32,
    interrupted: Option<&Path>,
    work: &Path,
) -> (SessionResult, Option<Compared>) {
    let folder = &common.places.attempt(&case.id, number);
    let attempt = AttemptContext {
        case: &case.id,
        number,
        folder,
        interrupted,
        live: &common.live,
        shared: &common.shared,
        cancel: &common.cancel,
    };
    let ended = prepared(common, case, &attempt, work);
    let guarded =
        AssertUnwindSafe(ended.map(|ended| ended.unwrap_or_else(|early| (early, None)))).catch_unwind();
    let too_late = async {
        common.cancel.cancelled().await;
        tokio::time::sleep(common.grace).await;
    };
    tokio::select! {
        biased;
        ended = guarded => ended.unwrap_or_else(|panic| {
            let reason = format!("a defect of this program: {}", said(panic.as_ref()));
            let so_far = recovered(folder, Status::Defect, &reason);
            (SessionResult { status: Status::Defect, reason, ..so_far }, None)
        }),
        () = too_late => {
            let reason = format!("did not stop within {} s, and was dropped", common.grace.as_secs());
            (recovered(folder, Status::Cancelled, &reason), None)
        }
    }
}

/// The outcome of a session, or the one of an attempt that had none.
async fn prepared(
    common: &Common,
    case: &Case,
    attempt: &AttemptContext<'_>,
    work: &Path,
) -> Result<(SessionResult, Option<Compared>), SessionResult> {
    make(attempt.folder).await?;
    let bug = prepare(common, case, work).await?;
    let outcome = {
        let Some(_session) = common.cancel.run_until_cancelled(common.shared.session()).await else {
            return Err(SessionResult::early(Status::Cancelled, "cancelled before the session began"));
        };
        common.repairer.repair(&bug, attempt).await
    };
    let compared = compared(case, &outcome, bug.dir).await;
    common.suite.release(case).await;
    Ok((outcome, compared))
}

async fn make(folder: &Path) -> Result<(), SessionResult> {
    let failed = |error| {
        SessionResult::early(Status::Environment, format!("cannot make {}: {error}", folder.display()))
    };
    tokio::fs::create_dir_all(folder).await.map_err(failed)
}

async fn prepare(common: &Common, case: &Case, work: &Path) -> Result<Bug, SessionResult> {
    make(work).await?;
    let Some(_pull) = common.cancel.run_until_cancelled(common.shared.pull()).await else {
        return Err(SessionResult::early(Status::Cancelled, "cancelled before it was prepared"));
    };
    let Some(prepared) = common.cancel.run_until_cancelled(common.suite.prepare(case, work)).await else {
        return Err(SessionResult::early(Status::Cancelled, "cancelled while it was prepared"));
    };
    let named = |mut bug: Bug| {
        if bug.input.project.is_empty() {
            case.project.clone_into(&mut bug.input.project);
        }
        bug
    };
    prepared.map(named).map_err(|failure| {
        let Failure { actor, message, hint } = failure;
        let result = match actor {
            Actor::User | Actor::Case => SessionResult::early(Status::Unusable, message).unusable(),
            actor => SessionResult::early(actor.into(), format!("cannot prepare the case: {message}")),
        };
        SessionResult { hint, ..result }
    })
}

/// Compares the patch with the developer's fix while the project is still there.
async fn compared(case: &Case, outcome: &SessionResult, project: PathBuf) -> Option<Compared> {
    let (golden, patch) = (case.truth.patch.clone()?, outcome.patch.clone()?);
    let others: Vec<String> = outcome.patches.iter().skip(1).map(|ranked| ranked.patch.clone()).collect();
    let compared = patchwright_blocking::spawn(move |_| Compared {
        located: FixCoverage::of(&project, &golden, &patch),
        grade: grade(&project, &golden, &patch, &others),
    });
    compared.await.ok()
}

/// Judges a patch by the developer's fix; where it does not equal that, a person may still find it correct, or one of the `others`
/// that are plausible too may be it.
fn grade(project: &Path, golden: &str, patch: &str, others: &[String]) -> Grade {
    let by = BY_NORMAL_FORM.to_owned();
    let note = match equals_fix(project, golden, patch) {
        Ok(true) => {
            return Grade { correct: Some(true), fix_at: Some(1), by, ..Grade::default() };
        }
        Ok(false) => "differs from the developer's fix",
        Err(error) => return Grade { by, note: format!("cannot be compared: {error}"), ..Grade::default() },
    };
    let place = others.iter().position(|other| matches!(equals_fix(project, golden, other), Ok(true)));
    let place = place.and_then(|place| u32::try_from(place + 2).ok());
    let note = match place {
        Some(place) => format!("{note}, which is the plausible patch {place}"),
        None => note.to_owned(),
    };
    Grade { fix_at: place, by, note, ..Grade::default() }
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_else(|| "a panic without words".to_owned())
}

/// Removes scratch. What stays is removed when the run is opened next.
pub(super) async fn remove(folder: &Path) {
    if let Err(error) = tokio::fs::remove_dir_all(folder).await
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!("cannot remove {}: {error}", folder.display());
    }
}
