//! A claimed part, carried out in a folder of its own whose files are stored in the ledger.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use patchwright_cluster::postgres::{CaseResult, Claim, End, Kept, LedgerError, Mirror, PostgresLedger};
use patchwright_protocol::{Failure, Status};
use patchwright_runs::{Part, RunError, RunFile, RunFolder, RunRecord, SpendingCap, is_run};
use tokio_util::sync::CancellationToken;

use super::failed;
use super::prepared::Prepared;

/// How long a worker that is to end waits for a ledger that cannot be reached.
const LAST_WAIT: Duration = Duration::from_secs(30);
/// Before a part that cannot be restored is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// What became of a part.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PartEnd {
    /// It needs nothing more.
    Done,
    /// Another worker goes on with it.
    GivenBack,
    /// It came to no answer because of something outside of it, for this reason.
    Failed { by_model: bool, reason: String },
}

/// One part in the hands of a worker.
pub(super) struct Lane {
    pub ledger: PostgresLedger,
    pub prepared: Arc<Prepared>,
    pub claim: Claim,
    /// Says when the worker is to end.
    pub drain: CancellationToken,
}

impl Lane {
    /// Carries the part out below `scratch`, and closes it or gives it back.
    ///
    /// # Errors
    /// This machine cannot carry parts out: the part is given back.
    pub async fn carry(&self, scratch: &Path) -> Result<PartEnd, Failure> {
        let part = Part::new(self.claim.part, self.prepared.parts)
            .ok_or_else(|| Failure::defect("the ledger gave a part that the run does not have"))?;
        let file = self.prepared.file.part(part);
        let folder = scratch.join(part.folder_name());
        let Some(mut mirror) = self.restored(&folder).await? else {
            // Without an answer the lease ends it.
            let _ = self.ledger.give_back(&self.claim).await;
            return Ok(PartEnd::GivenBack);
        };
        let cancel = self.drain.child_token();
        let (ran, kept) = self.run(scratch, &folder, &file, &mut mirror, &cancel).await;
        match kept {
            Some(Kept::Lost) => {
                self.say("the claim is void: another worker goes on with it");
                return Ok(PartEnd::GivenBack);
            }
            Some(Kept::Failed(error)) => return Err(failed(error)),
            Some(Kept::Cancelled) | None => {}
        }
        let (end, told, failure) = match ran {
            Ok(()) => {
                let (end, told) = self.ended(&folder, &file, cancel.is_cancelled())?;
                (end, told, None)
            }
            // The machine is at fault, and the part is not.
            Err(error) => (End::GivenBack, PartEnd::GivenBack, Some(Failure::environment(error))),
        };
        let too_late = async {
            self.drain.cancelled().await;
            tokio::time::sleep(LAST_WAIT).await;
        };
        let tell = |text: &str| self.say(text);
        tokio::select! {
            ended = mirror.end(&end, &tell) => match ended {
                Ok(()) => {}
                Err(LedgerError::Lost) => {
                    self.say("the claim is void: another worker goes on with it");
                    return Ok(PartEnd::GivenBack);
                }
                Err(error) => return Err(failed(error)),
            },
            () = too_late => self.say("the ledger cannot be reached: another worker goes on when the lease has ended"),
        }
        failure.map_or(Ok(told), Err)
    }

    fn say(&self, text: &str) {
        crate::say(&format!("{} {}/{}: {text}", self.claim.run, self.claim.part, self.prepared.parts));
    }

    /// The folder as the last worker left it; none where this one is to end before the ledger gives it.
    async fn restored(&self, folder: &Path) -> Result<Option<Mirror>, Failure> {
        crate::files::create_folder(folder).map_err(Failure::environment)?;
        let restoring = async {
            loop {
                match Box::pin(Mirror::restore(
                    &self.ledger,
                    &self.claim,
                    folder,
                    self.prepared.artifacts.clone(),
                ))
                .await
                {
                    Err(error) if error.is_transient() => tokio::time::sleep(RETRY).await,
                    restored => return restored.map_err(failed),
                }
            }
        };
        self.drain.run_until_cancelled(restoring).await.transpose()
    }

    /// Runs the part to its end while its files are stored; tells why they are no longer.
    async fn run(
        &self,
        scratch: &Path,
        folder: &Path,
        file: &RunFile,
        mirror: &mut Mirror,
        cancel: &CancellationToken,
    ) -> (Result<(), RunError>, Option<Kept>) {
        let goes_on = is_run(folder);
        let opened = if goes_on { RunFolder::open(folder) } else { RunFolder::create(scratch, file) };
        let opened = match opened {
            Ok(opened) => opened,
            Err(error) => return (Err(error), None),
        };
        if self.claim.claims > 1 {
            let answers = patchwright_protocol::counted(self.claim.spent.answers as usize, "answer");
            self.say(&format!("goes on where an earlier worker ended, with {answers} of the model"));
        }
        let runner = self.prepared.work.runner(cancel.clone(), self.budget(), self.prepared.requests.clone());
        let mut running = std::pin::pin!(runner.run(opened));
        let tell = |text: &str| self.say(text);
        let kept = tokio::select! {
            ran = &mut running => return (ran.map(drop), None),
            kept = mirror.keep(&tell) => kept,
        };
        cancel.cancel();
        (running.await.map(drop), Some(kept))
    }

    /// What this claim may spend: the ledger has reserved one session.
    fn budget(&self) -> SpendingCap {
        let (session, before) = (self.prepared.session, self.claim.spent);
        SpendingCap {
            usd: session.usd.map(|usd| before.usd + usd),
            tokens: session.tokens.map(|tokens| before.tokens + tokens),
            seconds: None,
        }
    }

    /// How the claim ends, by what the part's files tell.
    fn ended(&self, folder: &Path, file: &RunFile, is_cancelled: bool) -> Result<(End, PartEnd), Failure> {
        let run = RunRecord::read(folder).map_err(Failure::environment)?;
        let mut results = Vec::new();
        for case in &file.cases {
            let standing = run.ledger.standing(case).filter(|(_, outcome)| is_final(outcome.status));
            let Some((tried, outcome)) = standing else {
                if is_cancelled {
                    return Ok((End::GivenBack, PartEnd::GivenBack));
                }
                let last = run.ledger.standing(case).map(|(_, outcome)| outcome);
                let reason = last.map_or("no session could begin".to_owned(), |last| {
                    let hint = last.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
                    format!("{case}: {}{hint}", last.reason)
                });
                let by_model = last.is_some_and(|last| last.status == Status::Model);
                return Ok((End::Failed(reason.clone()), PartEnd::Failed { by_model, reason }));
            };
            let value = |value: serde_json::Result<serde_json::Value>| value.map_err(Failure::defect);
            results.push(CaseResult {
                case: case.clone(),
                attempt: tried.number,
                outcome: value(serde_json::to_value(outcome))?,
                grade: tried.grade.as_ref().map(serde_json::to_value).map(value).transpose()?,
                located: tried.located.as_ref().map(serde_json::to_value).map(value).transpose()?,
                seconds: tried.seconds,
            });
            self.say(&format!("{case}: {}", outcome.status));
        }
        Ok((End::Done(results), PartEnd::Done))
    }
}

/// Whether another worker would come to the same.
fn is_final(status: Status) -> bool {
    match status {
        Status::Cancelled | Status::Environment | Status::Model => false,
        Status::Plausible
        | Status::Reproduced
        | Status::Unverified
        | Status::NoFix
        | Status::Budget
        | Status::Stuck
        | Status::Defect
        | Status::Unusable => true,
    }
}
