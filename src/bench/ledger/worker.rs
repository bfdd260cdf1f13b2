//! `patchwright worker`: claims parts of the runs in a ledger and carries them out, until it is told to stop.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use patchwright_cluster::postgres::{Claim, LedgerError, Offer, PostgresLedger, Worker};
use patchwright_command_line::bench::parts::WorkerArgs;
use patchwright_protocol::{Failure, counted};
use patchwright_sandbox::Images;
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use super::failed;
use super::lane::{Lane, PartEnd};
use super::prepared::Prepared;
use crate::bench::evaluate;
use crate::failure::ExitCode;
use crate::lanes::Lanes;

/// Between two looks for something to claim.
const LOOK: Duration = Duration::from_secs(2);
/// Between two signs of life of a worker without a claim.
const BEAT: Duration = Duration::from_secs(10);
/// A worker ends after so many parts in a row that failed by what is outside of them: it may be the worker.
const MOST_FAILURES: u32 = 3;

/// Claims and carries out.
pub async fn work(args: &WorkerArgs) -> Result<ExitCode, Failure> {
    let lanes = args.lanes.get();
    let ledger = PostgresLedger::connect(&args.ledger, lanes + 2).await.map_err(failed)?;
    ledger.check_version().await.map_err(failed)?;
    crate::lanes::sweep(false);
    evaluate::sweep().await;
    let program = format!("patchwright {}", env!("CARGO_PKG_VERSION"));
    let worker = Worker {
        id: ledger.register(&program, lanes).await.map_err(failed)?,
        containers: Images::connect().await.is_ok(),
        memory_mib: memory_mib() / u64::from(lanes),
    };
    let drain = crate::cancel::on_signals();
    let crew = Crew {
        args,
        ledger,
        worker,
        scratch: Lanes::of_worker()?,
        runs: BTreeMap::new(),
        running: JoinSet::new(),
        drain,
        taken: 0,
        failures: 0,
    };
    crew.work().await
}

/// The memory of this machine; unknown counts as none, so that only runs without a need of it suit.
fn memory_mib() -> u64 {
    let said = rustix::system::sysinfo();
    (said.totalram as u64).saturating_mul(u64::from(said.mem_unit)) >> 20
}

/// A worker with its lanes.
struct Crew<'a> {
    args: &'a WorkerArgs,
    ledger: PostgresLedger,
    worker: Worker,
    scratch: Lanes,
    /// Runs as far as they were looked at; an error where this machine does not suit.
    runs: BTreeMap<String, Result<Arc<Prepared>, Failure>>,
    running: JoinSet<Result<PartEnd, Failure>>,
    drain: CancellationToken,
    /// Parts claimed so far.
    taken: u32,
    /// Parts in a row that failed by what is outside of them.
    failures: u32,
}

/// What a look for something to claim came to.
enum Found {
    Claim(Claim, Arc<Prepared>),
    Nothing,
    /// There are open runs, and this machine suits none, for this reason.
    Unsuitable(Failure),
}

impl Crew<'_> {
    async fn work(mut self) -> Result<ExitCode, Failure> {
        crate::say(&format!(
            "worker of {} with {}",
            self.args.ledger,
            counted(self.args.lanes.get() as usize, "lane")
        ));
        let ended = self.until_stopped().await;
        if !self.running.is_empty() {
            crate::say("the worker ends: what it has claimed is given back, and another goes on with it");
        }
        self.drain.cancel();
        let mut ended = ended;
        while let Some(done) = self.running.join_next().await {
            let taken = self.take(done);
            if ended.is_ok() {
                ended = taken.and(ended);
            }
        }
        // The lease tells as much a little later.
        let _ = self.ledger.seen(&self.worker.id, true).await;
        ended
    }

    async fn until_stopped(&mut self) -> Result<ExitCode, Failure> {
        let (mut busy, mut beat) = (Instant::now(), Instant::now());
        let mut was_away = false;
        loop {
            match self.claim_all().await {
                Ok(()) if was_away => {
                    was_away = false;
                    crate::say("the ledger answers again");
                }
                Ok(()) => {}
                Err(Stop::Ledger(error)) if error.is_transient() => {
                    if !was_away {
                        crate::say(&format!("{error}; it is asked again until it answers"));
                    }
                    was_away = true;
                }
                Err(Stop::Ledger(error)) => return Err(failed(error)),
                Err(Stop::Failure(failure)) => return Err(failure),
            }
            if !self.running.is_empty() || was_away {
                busy = Instant::now();
            }
            let is_idle = self.args.idle_exit.is_some_and(|idle| busy.elapsed() >= idle.0);
            if self.running.is_empty() && (is_idle || self.has_taken_all()) {
                let parts = counted(self.taken as usize, "part");
                crate::say(&format!("the worker ends: {parts} claimed, nothing more to do"));
                return Ok(ExitCode::Done);
            }
            if beat.elapsed() >= BEAT {
                beat = Instant::now();
                // What is claimed has signs of life of its own.
                let _ = self.ledger.seen(&self.worker.id, false).await;
            }
            tokio::select! {
                biased;
                () = self.drain.cancelled() => return Ok(ExitCode::Done),
                Some(done) = self.running.join_next() => self.take(done)?,
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    fn has_taken_all(&self) -> bool {
        self.args.max_sessions.is_some_and(|most| self.taken >= most.get())
    }

    /// Claims as many parts as there are free lanes.
    async fn claim_all(&mut self) -> Result<(), Stop> {
        while self.running.len() < self.args.lanes.get() as usize && !self.has_taken_all() {
            match self.find().await? {
                Found::Claim(claim, prepared) => self.begin(claim, prepared),
                Found::Unsuitable(failure) if self.taken == 0 => return Err(Stop::Failure(failure)),
                Found::Unsuitable(_) | Found::Nothing => break,
            }
        }
        Ok(())
    }

    /// A part of the oldest run that has one for this worker.
    async fn find(&mut self) -> Result<Found, Stop> {
        let wanted = &self.args.run;
        let open = self.ledger.open_runs().await?;
        let open = open.into_iter().filter(|run| wanted.is_empty() || wanted.contains(run));
        let mut unsuitable = None;
        let mut suits = false;
        for run in open {
            let prepared = match self.prepared(&run).await? {
                Ok(prepared) => prepared,
                Err(failure) => {
                    unsuitable = Some(failure);
                    continue;
                }
            };
            match self.ledger.claim(&run, &self.worker).await? {
                Offer::Part(claim) => return Ok(Found::Claim(claim, prepared)),
                Offer::Nothing | Offer::NoBudget(_) => suits = true,
                Offer::Unsuitable(why) => {
                    let failure = Failure::environment(format!("run {run}: {why}"));
                    crate::say(&format!("run {run} is left to others: {why}"));
                    self.runs.insert(run, Err(failure.clone()));
                    unsuitable = Some(failure);
                }
            }
        }
        Ok(unsuitable.filter(|_| !suits).map_or(Found::Nothing, Found::Unsuitable))
    }

    /// A run, prepared when it is seen first.
    async fn prepared(&mut self, run: &str) -> Result<Result<Arc<Prepared>, Failure>, LedgerError> {
        if let Some(known) = self.runs.get(run) {
            return Ok(known.clone());
        }
        let known = self.ledger.run(run).await?.ok_or_else(|| LedgerError::NoRun(run.to_owned()))?;
        let prepared = Prepared::new(&self.ledger, &known, self.args).await.map(Arc::new);
        if let Err(failure) = &prepared {
            crate::say(&format!("run {run} is left to others: {failure}"));
        }
        self.runs.insert(run.to_owned(), prepared.clone());
        Ok(prepared)
    }

    fn begin(&mut self, claim: Claim, prepared: Arc<Prepared>) {
        self.taken += 1;
        let scratch: PathBuf = self.scratch.path().join(self.taken.to_string());
        let lane = Lane { ledger: self.ledger.clone(), prepared, claim, drain: self.drain.clone() };
        self.running.spawn(async move {
            let ended = lane.carry(&scratch).await;
            if ended.is_err() {
                // Else the end of the lease would count against the part.
                let _ = lane.ledger.give_back(&lane.claim).await;
            }
            // All that counts is in the ledger.
            let _ = tokio::fs::remove_dir_all(&scratch).await;
            ended
        });
    }

    /// Takes in what became of a part.
    fn take(&mut self, done: Result<Result<PartEnd, Failure>, JoinError>) -> Result<(), Failure> {
        match done.map_err(Failure::defect)?? {
            PartEnd::Done => self.failures = 0,
            PartEnd::GivenBack => {}
            PartEnd::Failed { by_model, reason } => {
                crate::say(&format!("{reason}; it is tried again, here or elsewhere"));
                self.failures += 1;
                if self.failures >= MOST_FAILURES {
                    let text =
                        format!("{MOST_FAILURES} parts in a row came to no answer here; the last: {reason}");
                    let failure = if by_model { Failure::provider(text) } else { Failure::environment(text) };
                    return Err(failure.hint("look at this machine, then start the worker again"));
                }
            }
        }
        Ok(())
    }
}

/// Why a worker cannot look for something to claim.
enum Stop {
    Ledger(LedgerError),
    Failure(Failure),
}

impl From<LedgerError> for Stop {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}
