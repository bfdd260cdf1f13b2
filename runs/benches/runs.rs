//! The runner's own cost: 500 made-up cases with a repairer that does nothing but write a short trajectory.
//!
//! Prints sessions a minute, the runner's overhead for each case (against the same sessions without a runner, in the same
//! process) and peak memory at 1, 16 and 128 workers; the time to resume a run of 500 finished cases; and what 100 kills
//! at random lose or double. `PATCHWRIGHT_KILLS` says how many kills.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, missing_docs)]

#[path = "../tests/scripted/kills.rs"]
mod kills;
#[path = "../tests/scripted/mod.rs"]
mod scripted;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use patchwright_protocol::Status;
use patchwright_runs::{RunFolder, RunOptions};

use scripted::{Act, Cases, Scripted, create, runner};

const CASES: usize = 500;
/// The workers, in a process of its own: peak memory is that of a process.
const ALONE: &str = "PATCHWRIGHT_RUN_ALONE";

fn main() {
    if kills::is_child() {
        return kills::child();
    }
    if let Ok(workers) = std::env::var(ALONE) {
        return alone(workers.parse().unwrap());
    }
    for workers in [1, 16, 128] {
        let status =
            Command::new(std::env::current_exe().unwrap()).env(ALONE, workers.to_string()).status().unwrap();
        assert!(status.success());
    }
    resumed();
    let kills = std::env::var("PATCHWRIGHT_KILLS").map_or(100, |kills| kills.parse().unwrap());
    let started = Instant::now();
    let count = kills::kill_and_resume(CASES, kills, 16);
    println!(
        "kills: {} at random in runs of {CASES} cases: {} lost, {} doubled ({:.0} s)",
        count.kills,
        count.lost,
        count.doubled,
        started.elapsed().as_secs_f64()
    );
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap()
}

fn whole(root: &Path, workers: usize) -> Duration {
    let cases = Cases::many(CASES);
    let folder = create(root, &cases);
    let repairer = Scripted::new(|_: &str, _| Act::End(Status::NoFix));
    let started = Instant::now();
    let summary =
        runtime().block_on(runner(cases, repairer, RunOptions::of_workers(workers)).run(folder)).unwrap();
    assert_eq!(summary.unanswered, 0);
    started.elapsed()
}

fn alone(workers: usize) {
    let root = tempfile::tempdir().unwrap();
    let bare = bare(&root.path().join("bare"));
    let took = whole(&root.path().join("run"), workers);
    let per_case = took.saturating_sub(bare).as_secs_f64() * 1000.0 / CASES as f64;
    println!(
        "{workers:>3} workers: {:>6.0} sessions a minute; {per_case:.2} ms for each case besides the session's {:.2} ms; \
         peak memory {:.0} MB",
        CASES as f64 / took.as_secs_f64() * 60.0,
        bare.as_secs_f64() * 1000.0 / CASES as f64,
        peak_megabytes(),
    );
}

/// The baseline: what the sessions write, one after the other, without a runner.
fn bare(root: &Path) -> Duration {
    let started = Instant::now();
    for number in 0..CASES {
        let folder = root.join(number.to_string());
        std::fs::create_dir_all(&folder).unwrap();
        scripted::trajectory(&folder);
    }
    started.elapsed()
}

fn resumed() {
    let root = tempfile::tempdir().unwrap();
    whole(root.path(), 16);
    let started = Instant::now();
    let folder = RunFolder::open(root.path()).unwrap();
    let repairer = Scripted::new(|_: &str, _| Act::Panic);
    let run = runner(Cases::many(CASES), repairer, RunOptions::of_workers(16)).run(folder);
    let summary = runtime().block_on(run).unwrap();
    assert_eq!(summary.unanswered, 0);
    println!("resume of {CASES} finished cases: {:.0} ms", started.elapsed().as_secs_f64() * 1000.0);
}

/// The most memory that this process has held, as Linux tells it; 0 elsewhere.
fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").trim().parse().unwrap_or_default();
    kilobytes / 1000.0
}
