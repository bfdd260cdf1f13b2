//! A ledger with many workers and sessions: claims a second, the size of the database, and the time to a report.
//!
//! `PATCHWRIGHT_LEDGER=postgres://… cargo bench -p patchwright-cluster --features postgres`; without the variable it makes a server of its own
//! (Debian's postgresql). `PATCHWRIGHT_SESSIONS` (100000) and `PATCHWRIGHT_WORKERS` (1000) say how many. The workers do nothing between claim and
//! end but store what a short session stores.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a program for people who measure"
)]

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use patchwright_cluster::LedgerUrl;
use patchwright_cluster::postgres::{
    CaseResult, End, LedgerRun, Mirror, Needs, Offer, PostgresLedger, Spending, Worker,
};
use serde_json::json;

/// Connections of all workers together: a server takes 100 unless it is told otherwise.
const CONNECTIONS: u32 = 90;
/// Lines of a session's trajectory, of 400 bytes each.
const LINES: usize = 50;

fn number(variable: &str, otherwise: u32) -> u32 {
    std::env::var(variable).ok().and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

/// A server of our own; ended when dropped.
struct Server(tempfile::TempDir);

impl Server {
    fn script() -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/postgres/server.sh")
    }

    fn up() -> (Self, String) {
        let folder = tempfile::tempdir().unwrap();
        let up = Command::new(Self::script()).arg(folder.path()).arg("up").output().unwrap();
        assert!(up.status.success(), "{up:?}");
        let url = String::from_utf8(up.stdout).unwrap().trim().replace("owner@", "owner:secret@");
        (Self(folder), url)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        Command::new(Self::script()).arg(self.0.path()).arg("down").status().unwrap();
    }
}

/// One session: claims, writes what a short one writes, ends. Whether there was one to claim.
async fn session(ledger: &PostgresLedger, worker: &Worker, claimed: &AtomicU64) -> bool {
    let began = Instant::now();
    let Offer::Part(claim) = ledger.claim("bench", worker).await.unwrap() else { return false };
    claimed.fetch_add(u64::try_from(began.elapsed().as_micros()).unwrap(), Ordering::Relaxed);
    let folder = tempfile::tempdir().unwrap();
    let mirror = Mirror::restore(ledger, &claim, folder.path(), None).await.unwrap();
    let attempt = folder.path().join("cases/case/attempt-1");
    std::fs::create_dir_all(&attempt).unwrap();
    let line = |number: usize| {
        // Prompts and code are no noise, and no repetition either.
        let text: String =
            (0..40).map(|word| ((number * 7919 + word * 104_729) % 65_521).to_string() + " ").collect();
        json!({ "seq": number, "ms": number * 100, "event": "observation", "text": text }).to_string() + "\n"
    };
    let trajectory: String = (0..LINES).map(line).collect();
    std::fs::write(attempt.join("trajectory.jsonl"), trajectory).unwrap();
    std::fs::write(folder.path().join("run.toml"), "run = 'bench'\n").unwrap();
    let result = CaseResult {
        case: format!("case-{}", claim.part),
        attempt: 1,
        outcome: json!({
            "status": "plausible", "reason": "", "cycles": 5, "cost_usd": 0.1, "patch": "+a\n".repeat(100),
            "tokens": { "input": 20_000, "output": 1_000 }
        }),
        grade: None,
        located: None,
        seconds: Some(60.0),
    };
    mirror.end(&End::Done(vec![result]), &|text| println!("{text}")).await.unwrap();
    true
}

#[tokio::main]
async fn main() {
    let (sessions, workers) = (number("PATCHWRIGHT_SESSIONS", 100_000), number("PATCHWRIGHT_WORKERS", 1_000));
    let given = std::env::var("PATCHWRIGHT_LEDGER").ok();
    let own = given.is_none().then(Server::up);
    let url = given.unwrap_or_else(|| own.as_ref().unwrap().1.clone());
    let url: LedgerUrl = url.parse().unwrap();
    let ledger = PostgresLedger::connect(&url, CONNECTIONS).await.unwrap();
    ledger.migrate().await.unwrap();
    let run = LedgerRun {
        run: "bench".to_owned(),
        settings: String::new(),
        parts: sessions,
        lease: Duration::from_mins(1),
        cap: Spending::default(),
        session: Spending::default(),
        requests_per_minute: None,
        needs: Needs::default(),
        artifacts: None,
    };
    let began = Instant::now();
    assert!(ledger.fill(&run).await.unwrap().is_none(), "the ledger holds such a run already");
    println!("{sessions} parts are put in: {:.1} s", began.elapsed().as_secs_f64());

    let (done, claiming) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let began = Instant::now();
    let mut crew = tokio::task::JoinSet::new();
    for _ in 0..workers {
        let (ledger, done, claiming) = (ledger.clone(), Arc::clone(&done), Arc::clone(&claiming));
        crew.spawn(async move {
            let id = ledger.register("bench", 1).await.unwrap();
            let worker = Worker { id, containers: false, memory_mib: 1 << 20 };
            while session(&ledger, &worker, &claiming).await {
                done.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    let mut last = 0;
    loop {
        tokio::select! {
            ended = crew.join_next() => if ended.transpose().unwrap().is_none() { break },
            () = tokio::time::sleep(Duration::from_secs(20)) => {
                let now = done.load(Ordering::Relaxed);
                println!("{now} sessions, {:.0} a second", (now - last) as f64 / 20.0);
                last = now;
            }
        }
    }
    let (count, seconds) = (done.load(Ordering::Relaxed), began.elapsed().as_secs_f64());
    let waited = claiming.load(Ordering::Relaxed) as f64 / count as f64 / 1_000.0;
    println!(
        "{workers} workers, {count} sessions: {seconds:.1} s, {:.0} claims and ends a second; a claim takes {waited:.1} ms",
        count as f64 / seconds
    );
    let began = Instant::now();
    let progress = ledger.progress(Some("bench")).await.unwrap().remove(0);
    assert_eq!((progress.done, progress.cases), (sessions, sessions), "each session has one result");
    println!("progress and summary by the views: {:.2} s", began.elapsed().as_secs_f64());
    let bytes = ledger.bytes().await.unwrap();
    println!(
        "the database: {:.0} MB, {:.1} kB a session",
        bytes as f64 / 1e6,
        bytes as f64 / 1e3 / f64::from(sessions)
    );
}
