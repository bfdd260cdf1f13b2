//! `bench run --on postgres://…`: puts a run into a ledger, then only reads: it fetches what workers have done until nothing is left.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use patchwright_cluster::LedgerUrl;
use patchwright_cluster::postgres::{
    ArtifactStore, KnownRun, LedgerError, LedgerRun, Needs, PostgresLedger, RunProgress, Spending,
};
use patchwright_command_line::bench::RunArgs;
use patchwright_protocol::{Failure, counted};
use patchwright_runs::{
    EndReason, Part, Redo, RunError, RunFile, RunRecord, SpendingCap, Summary, check_same, clock_of,
    part_folders,
};
use tokio_util::sync::CancellationToken;

use super::{Pointer, failed};
use crate::bench::batch::{Asked, Kind, exit_code, tell};
use crate::bench::limits::{Limits, carried};
use crate::failure::ExitCode;

/// Between two looks at the ledger.
const LOOK: Duration = Duration::from_secs(2);
/// The time within which a worker has to give a sign of life to count as one that is there.
const SILENT: f64 = 60.0;

/// Puts the run in, if it is not there yet, and waits for its results.
pub async fn submit(args: &RunArgs, url: &LedgerUrl) -> Result<ExitCode, Failure> {
    let Some(out) = &args.options.output.out else { return Err(Failure::defect("there is no --out")) };
    let out = std::path::absolute(out).map_err(Failure::user)?;
    refuse_of_others(args, &out)?;
    if patchwright_runs::is_run(&out) {
        return Err(Failure::user(RunError::Exists(out)));
    }
    let asked = Asked::read(args, Kind::Sessions)?;
    asked.resolved.check_settings()?;
    let options = carried(&args.carrying, None, &asked.resolved.options)?;
    let count = u32::try_from(asked.cases.len()).unwrap_or(u32::MAX);
    let name = out.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let file = asked.file(name, &Limits::of(&options, args.carrying.images_gib))?;
    let run = LedgerRun {
        run: file.run.clone(),
        settings: toml::to_string(&file).map_err(Failure::defect)?,
        parts: args.cluster.parts.map_or(count, |parts| parts.get().min(count)),
        lease: args.cluster.lease.0.max(Duration::from_secs(1)),
        cap: spending(options.budget),
        session: spending(options.session),
        requests_per_minute: options.concurrency.requests_per_minute.map(std::num::NonZero::get),
        needs: needs(&asked, args.cluster.session_memory),
        artifacts: args.cluster.artifacts.clone(),
    };
    let artifacts = run.artifacts.as_ref().map(ArtifactStore::open).transpose().map_err(failed)?;
    let ledger = PostgresLedger::connect(url, 4).await.map_err(failed)?;
    ledger.migrate().await.map_err(failed)?;
    let known = ledger.fill(&run).await.map_err(failed)?;
    if let Some(known) = &known {
        check(known, &file, &run)?;
        ledger.reopen(&run).await.map_err(failed)?;
    }
    Pointer { ledger: url.clone(), run: run.run.clone() }.write(&out)?;
    let parts = counted(run.parts as usize, "part");
    let is_new = if known.is_none() { "is put into the ledger" } else { "is in the ledger" };
    crate::say(&format!("run {} {is_new}, in {parts}: `patchwright worker {url}` works on it", run.run));
    let follower = Follower { ledger, run: run.run, of: run.parts, out: out.clone(), artifacts };
    let cancel = crate::cancel::on_signals();
    let (reason, text) = follower.follow(&cancel).await?;
    match RunRecord::read(&out) {
        Ok(run) => {
            let unanswered = run.unanswered();
            let summary = Summary { reason, text, unanswered, run };
            tell(&summary, &out, args.carrying.json)?;
            Ok(exit_code(&summary))
        }
        // Nothing was done yet.
        Err(RunError::NoRun(_)) if reason == EndReason::Cancelled => Ok(ExitCode::Interrupted),
        Err(RunError::NoRun(_)) => Ok(ExitCode::NotFound),
        Err(error) => Err(Failure::environment(error)),
    }
}

/// Ends a run: workers give back what they have claimed.
pub async fn cancel(pointer: &Pointer) -> Result<ExitCode, Failure> {
    let ledger = PostgresLedger::connect(&pointer.ledger, 1).await.map_err(failed)?;
    if !ledger.cancel(&pointer.run).await.map_err(failed)? {
        return Err(Failure::user(format!("the ledger {} holds no run {}", pointer.ledger, pointer.run)));
    }
    crate::say(&format!(
        "run {} is cancelled; what was done stays, and the `bench run` that began it goes on with it",
        pointer.run
    ));
    Ok(ExitCode::Done)
}

/// Refuses what means nothing to workers.
fn refuse_of_others(args: &RunArgs, out: &Path) -> Result<(), Failure> {
    let of_slurm =
        [("--at-once", args.cluster.at_once.is_some()), ("--sbatch", args.cluster.sbatch.is_some())];
    if let Some((option, _)) = of_slurm.iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::user(format!("{option} is for --on slurm"))
            .hint("workers decide with --lanes how many parts they work on"));
    }
    if args.carrying.run_time.is_some() {
        return Err(Failure::user("--run-time is about one process, and the workers of a ledger are many")
            .hint("give --time-limit for each case, and end workers with --max-sessions or a signal"));
    }
    if out.file_name().is_none() {
        return Err(Failure::user("--out: its last folder names the run in the ledger, and there is none"));
    }
    Ok(())
}

/// Refuses a run of the same name that is another one.
fn check(known: &KnownRun, file: &RunFile, run: &LedgerRun) -> Result<(), Failure> {
    let other = || "give another name with --out: the name of its folder is that of the run in the ledger";
    let was: RunFile = toml::from_str(&known.settings).map_err(|error| {
        Failure::user(format!("the ledger holds a run {} that cannot be read: {error}", known.run))
            .hint(other())
    })?;
    if known.parts != run.parts {
        return Err(Failure::user(format!(
            "the ledger holds a run {} in {} parts, and this one has {}",
            known.run, known.parts, run.parts
        ))
        .hint(format!("give --parts {}, or another name with --out", known.parts)));
    }
    if known.artifacts != run.artifacts {
        let place = known.artifacts.as_ref().map_or("the ledger itself".to_owned(), ToString::to_string);
        let cure = known
            .artifacts
            .as_ref()
            .map_or("leave --artifacts out".to_owned(), |url| format!("give --artifacts {url}"));
        return Err(Failure::user(format!("the run {} keeps the files of its parts in {place}", known.run))
            .hint(format!("{cure}, or give another name with --out")));
    }
    check_same(&was, file).map_err(|error| Failure::user(error).hint(other()))
}

fn spending(cap: SpendingCap) -> Spending {
    Spending { usd: cap.usd, tokens: cap.tokens }
}

/// What workers must have: an engine for images, which benchmarks publish for one architecture.
fn needs(asked: &Asked, memory_gib: Option<u64>) -> Needs {
    let containers = asked.cases.iter().any(|case| asked.suite.image(case).is_some());
    Needs {
        containers,
        architecture: containers.then(|| "x86_64".to_owned()),
        memory_mib: memory_gib.map(|gib| gib.saturating_mul(1024)),
    }
}

/// Reads what becomes of a run.
struct Follower {
    ledger: PostgresLedger,
    run: String,
    of: u32,
    out: PathBuf,
    artifacts: Option<ArtifactStore>,
}

impl Follower {
    /// Fetches parts until none is left to be done; tells why it ends.
    async fn follow(&self, cancel: &CancellationToken) -> Result<(EndReason, String), Failure> {
        let mut fetched = self.fetched();
        let mut told = None;
        let mut was_away = false;
        loop {
            match self.look(&mut fetched).await {
                Ok(progress) => {
                    was_away = false;
                    if let Some(end) = self.end(&progress).await.map_err(failed)? {
                        return Ok(end);
                    }
                    self.tell(&progress, &mut told).await;
                }
                Err(error) if error.is_transient() => {
                    if !was_away {
                        crate::say(&format!("{error}; workers go on, and the results are fetched later"));
                    }
                    was_away = true;
                }
                Err(error) => return Err(failed(error)),
            }
            if cancel.run_until_cancelled(tokio::time::sleep(LOOK)).await.is_none() {
                let text =
                    "this command waits no longer; workers go on, and the same command fetches what they do";
                return Ok((EndReason::Cancelled, text.to_owned()));
            }
        }
    }

    /// The parts that are here, and whether each is done.
    fn fetched(&self) -> BTreeMap<u32, bool> {
        let parts = part_folders(&self.out).into_iter().filter(|(part, _)| part.of() == self.of);
        let is_done = |folder: &Path| {
            RunRecord::read(folder)
                .is_ok_and(|run| !run.file.cases.iter().any(|case| run.ledger.is_due(case, &Redo::default())))
        };
        parts.map(|(part, folder)| (part.number(), is_done(&folder))).collect()
    }

    /// Fetches what has ended since, and tells how far the run is.
    async fn look(&self, fetched: &mut BTreeMap<u32, bool>) -> Result<RunProgress, LedgerError> {
        for (part, is_done) in self.ledger.ended_parts(&self.run).await? {
            let Some(name) = Part::new(part, self.of) else { continue };
            if fetched.get(&part).is_none_or(|was_done| is_done && !was_done) {
                let folder = self.out.join(name.folder_name());
                self.ledger.fetch(&self.run, part, &folder, self.artifacts.as_ref()).await?;
                fetched.insert(part, is_done);
            }
        }
        let progress = self.ledger.progress(Some(&self.run)).await?.into_iter().next();
        progress.ok_or_else(|| LedgerError::NoRun(self.run.clone()))
    }

    /// Why nothing more comes; none while something may.
    async fn end(&self, progress: &RunProgress) -> Result<Option<(EndReason, String)>, LedgerError> {
        if progress.waiting + progress.claimed == 0 {
            let parked = self.ledger.parked(Some(&self.run)).await?;
            for part in &parked {
                crate::say(&format!(
                    "part {}/{} is parked after {}: {}; the same command tries it again",
                    part.part,
                    self.of,
                    counted(part.claims as usize, "try"),
                    part.reason
                ));
            }
            return Ok(Some((EndReason::Complete, "every part was tried".to_owned())));
        }
        if progress.is_cancelled && progress.claimed == 0 {
            return Ok(Some((EndReason::Cancelled, "the run was cancelled".to_owned())));
        }
        let spent = self.ledger.spent_budget(&self.run).await?;
        Ok(spent.map(|why| (EndReason::Budget, why)))
    }

    /// Tells how far it is where something has changed.
    async fn tell(&self, progress: &RunProgress, told: &mut Option<(u32, u32, u32)>) {
        let now = (progress.done, progress.claimed, progress.parked);
        if *told == Some(now) {
            return;
        }
        *told = Some(now);
        let mut line = format!(
            "{} of {} done, {} in work, {} plausible",
            progress.done, progress.parts, progress.claimed, progress.plausible
        );
        if progress.parked > 0 {
            line += &format!(", {} parked", progress.parked);
        }
        line += &format!(", ${:.2}", progress.usd);
        if let Some(left) = progress.seconds_left {
            line += &format!(", about {} left", clock_of(left));
        }
        crate::say(&line);
        // A hint is only a hint: without an answer there is none.
        let workers = self.ledger.workers().await.unwrap_or_default();
        if progress.claimed == 0 && !workers.iter().any(|it| !it.has_ended && it.silent_seconds < SILENT) {
            crate::say(
                "no worker is there: start one with the command above, on any machine that reaches the ledger",
            );
        }
    }
}
