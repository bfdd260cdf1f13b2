//! `bench status` of a ledger: its runs, its workers, and what is parked.

use patchwright_cluster::LedgerUrl;
use patchwright_cluster::postgres::{ParkedPart, PostgresLedger, RunProgress, WorkerActivity};
use patchwright_command_line::bench::parts::StatusArgs;
use patchwright_protocol::Failure;
use patchwright_runs::report::{Table, share};
use patchwright_runs::{clock_of, thousands};
use serde::Serialize;

use super::failed;
use crate::bench::status::{Watched, watch};
use crate::failure::ExitCode;

/// Shows all runs of a ledger, or the one of this name.
pub async fn status(args: &StatusArgs, url: &LedgerUrl, run: Option<&str>) -> Result<ExitCode, Failure> {
    let ledger = PostgresLedger::connect(url, 2).await.map_err(failed)?;
    ledger.check_version().await.map_err(failed)?;
    watch(args, async || LedgerStatus::read(&ledger, run).await).await
}

/// How far the runs of a ledger are.
#[derive(Serialize)]
struct LedgerStatus {
    runs: Vec<RunProgress>,
    workers: Vec<WorkerActivity>,
    parked: Vec<ParkedPart>,
}

impl LedgerStatus {
    async fn read(ledger: &PostgresLedger, run: Option<&str>) -> Result<Self, Failure> {
        let runs = ledger.progress(run).await.map_err(failed)?;
        let (workers, parked) = (ledger.workers().await, ledger.parked(run).await);
        let status = Self { runs, workers: workers.map_err(failed)?, parked: parked.map_err(failed)? };
        match run {
            Some(run) if status.runs.is_empty() => {
                Err(Failure::user(format!("the ledger holds no run {run}"))
                    .hint("`patchwright bench status postgres://…` lists its runs"))
            }
            _ => Ok(status),
        }
    }
}

impl Watched for LedgerStatus {
    fn goes_on(&self) -> bool {
        self.runs.iter().any(|run| !run.is_cancelled && run.waiting + run.claimed > 0)
    }

    fn tables(&self) -> Vec<Table> {
        let tables = [runs(&self.runs), workers(&self.workers), parked(&self.parked)];
        tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
    }
}

fn table(title: &str, heads: &[&str], rows: Vec<Vec<String>>) -> Table {
    let heads = heads.iter().map(|head| (*head).to_owned()).collect();
    Table { title: title.to_owned(), heads, rows, ..Table::default() }
}

fn runs(runs: &[RunProgress]) -> Table {
    let row = |run: &RunProgress| {
        let state = if run.is_cancelled { " (cancelled)" } else { "" };
        vec![
            format!("{}{state}", run.run),
            format!("{} of {}", run.done, run.parts),
            run.claimed.to_string(),
            run.waiting.to_string(),
            run.parked.to_string(),
            share(u64::from(run.plausible), u64::from(run.cases)),
            format!("${:.2}", run.usd),
            thousands(run.tokens),
            run.parts_per_hour.map_or("–".to_owned(), |rate| format!("{rate:.1}")),
            run.seconds_left.map_or("–".to_owned(), clock_of),
        ]
    };
    let heads = [
        "run",
        "done",
        "in work",
        "waiting",
        "parked",
        "plausible",
        "cost",
        "tokens",
        "parts an hour",
        "time left",
    ];
    table("Runs", &heads, runs.iter().map(row).collect())
}

fn workers(workers: &[WorkerActivity]) -> Table {
    let row = |worker: &WorkerActivity| {
        let seen =
            if worker.has_ended { "ended".to_owned() } else { format!("{:.0} s ago", worker.silent_seconds) };
        vec![
            format!("{} {}", worker.host, worker.pid),
            worker.program.clone(),
            worker.lanes.to_string(),
            seen,
            worker.claimed.join(", "),
        ]
    };
    table("Workers", &["worker", "program", "lanes", "seen", "in work"], workers.iter().map(row).collect())
}

fn parked(parked: &[ParkedPart]) -> Table {
    let row = |part: &ParkedPart| {
        vec![
            part.run.clone(),
            part.part.to_string(),
            part.claims.to_string(),
            part.answers.to_string(),
            part.reason.clone(),
        ]
    };
    table("Parked", &["run", "part", "tries", "answers", "why"], parked.iter().map(row).collect())
}
