//! Kills a run in a child process at random, resumes it, and counts what is lost or doubled.

#![allow(clippy::unwrap_used, clippy::print_stdout, dead_code)]

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use patchwright_protocol::Status;
use patchwright_runs::{EventRecord, RunFolder, RunListener, RunOptions, RunRecord, Runner};
use patchwright_trajectory::Event;

use crate::scripted::{Act, Cases, Scripted, create};

/// The folder, the number of cases and of workers: for the child.
const CHILD: &str = "PATCHWRIGHT_KILLED_RUN";

pub fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Tells the parent of every record, so that it can choose when to kill.
struct Told;

impl RunListener for Told {
    fn on_event(&mut self, record: &EventRecord) {
        let mut out = std::io::stdout();
        // A parent that has gone needs nothing told.
        let _ = writeln!(out, "{}", record.seq).and_then(|()| out.flush());
    }
}

/// One process's part of the run.
pub fn child() {
    let told = std::env::var(CHILD).unwrap();
    let [root, cases, workers] = told.splitn(3, '\n').collect::<Vec<_>>()[..] else {
        unreachable!("three values")
    };
    let cases = Cases::many(cases.parse().unwrap());
    let root = Path::new(root);
    let folder =
        if root.join("run.toml").exists() { RunFolder::open(root).unwrap() } else { create(root, &cases) };
    let repairer = Scripted::new(|case: &str, _| {
        Act::End(if case.ends_with('7') { Status::Plausible } else { Status::NoFix })
    });
    let options = RunOptions::of_workers(workers.parse().unwrap());
    let runner =
        Runner { suite: std::sync::Arc::new(cases), repairer, options, listeners: vec![Box::new(Told)] };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(runner.run(folder)).unwrap();
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Count {
    /// Kills that hit a running run.
    pub kills: u32,
    /// Cases without an answer in the end.
    pub lost: usize,
    /// Cases with more than one answer, in the log or in trajectories.
    pub doubled: usize,
}

/// Kills a run of so many cases so many times, then lets it come to its end. A new run begins where one has ended too soon.
pub fn kill_and_resume(cases: usize, kills: u32, workers: usize) -> Count {
    let mut count = Count::default();
    while count.kills < kills {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().join("run");
        // Each kill after a part of the events of the run, so that it takes several to its end.
        while count.kills < kills {
            let after = random() as usize % (cases / 2);
            match part(&root, cases, workers, Some(after)) {
                End::Killed => count.kills += 1,
                End::Done => break,
            }
        }
        assert_eq!(part(&root, cases, workers, None), End::Done);
        let run = RunRecord::read(&root).unwrap();
        for case in &run.file.cases {
            let answers = run.ledger.attempts(case).iter().filter(|tried| {
                let outcome = tried.outcome.as_ref();
                outcome.is_some_and(|outcome| outcome.status.is_answer())
            });
            let sessions = run.ledger.attempts(case).iter().filter(|tried| {
                let path = run.places.attempt(case, tried.number).join("trajectory.jsonl");
                patchwright_trajectory::read(&path).is_ok_and(|log| {
                    log.records.iter().any(|record| matches!(record.event, Event::SessionEnded { .. }))
                })
            });
            let (answers, sessions) = (answers.count(), sessions.count());
            count.lost += usize::from(answers == 0);
            count.doubled += usize::from(answers > 1 || sessions > 1);
        }
    }
    count
}

/// How one process's part of a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Killed,
    Done,
}

/// One process's part, killed after so many events where it has not ended by then.
fn part(root: &Path, cases: usize, workers: usize, kill_after: Option<usize>) -> End {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .env(CHILD, format!("{}\n{cases}\n{workers}", root.display()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    if let Some(events) = kill_after {
        lines.by_ref().take(events).for_each(drop);
        // At any moment after that event; on Unix this is SIGKILL.
        child.kill().unwrap();
    }
    lines.for_each(drop);
    let status = child.wait().unwrap();
    // A process that was killed has no exit code.
    assert!(status.success() || kill_after.is_some() && status.code().is_none(), "{status}");
    if status.success() { End::Done } else { End::Killed }
}

fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
