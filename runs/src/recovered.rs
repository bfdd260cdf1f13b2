//! Attempts that were under way when the program was killed: their ends, and the comparison with the developer's fix that was not
//! made any more.

use futures_util::future::try_join_all;
use patchwright_protocol::{SessionResult, Status};
use patchwright_suites::Case;

use super::error::RunError;
use super::event::RunEvent;
use super::folder::RunFolder;
use super::log::LogError;
use super::recover::recovered;
use super::session::{Common, NotCompared, compared_again};

/// An attempt that was under way when the program was killed, and its end as its trajectory tells it.
pub(super) struct Recovered {
    pub case: String,
    pub attempt: u32,
    pub outcome: SessionResult,
}

impl Recovered {
    /// All of them.
    pub fn of(folder: &RunFolder) -> Vec<Self> {
        let end = |(case, attempt): (String, u32)| {
            let place = folder.places().attempt(&case, attempt);
            let reason = "the program was killed while the session ran";
            let outcome = recovered(&place, Status::Cancelled, reason);
            Self { case, attempt, outcome }
        };
        folder.ledger().open().into_iter().map(end).collect()
    }
}

/// Writes their ends. Where there is a patch, its case is prepared once more, so that it can be compared first.
pub(super) async fn record(
    common: &Common,
    cases: &[Case],
    recovered: Vec<Recovered>,
) -> Result<(), RunError> {
    let one = |recovered: Recovered| {
        let case = cases.iter().find(|case| case.id == recovered.case);
        record_one(common, case, recovered)
    };
    try_join_all(recovered.into_iter().map(one)).await?;
    Ok(())
}

async fn record_one(common: &Common, case: Option<&Case>, recovered: Recovered) -> Result<(), LogError> {
    let Recovered { case: id, attempt, outcome } = recovered;
    let compared = match case {
        Some(case) => compared_again(common, case, attempt, &outcome).await,
        None => Ok(None),
    };
    let (compared, why_not) = match compared {
        Ok(compared) => (compared, None),
        // It stays open, and is compared when the run is resumed next.
        Err(NotCompared::Cancelled) => return Ok(()),
        Err(NotCompared::Unprepared(reason)) => (None, Some(reason)),
    };
    let located = compared.as_ref().map(|compared| compared.located);
    let (case, outcome) = (id.clone(), Box::new(outcome));
    common.log.write(RunEvent::AttemptEnded { case, attempt, outcome, seconds: None, located }).await?;
    if let Some(compared) = compared {
        common.log.write(RunEvent::Graded { case: id, attempt, grade: compared.grade }).await?;
    } else if let Some(why) = why_not {
        let text = format!("its patch is not compared with the developer's fix: {why}");
        common.log.write(RunEvent::Notice { case: Some(id), text }).await?;
    }
    Ok(())
}
