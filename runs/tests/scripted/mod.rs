//! A suite of made-up cases and a repairer that does what it is told: for tests of the runner and its measurements.

#![allow(clippy::unwrap_used, clippy::panic, dead_code)]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use patchwright_protocol::{
    Bug, CandidateCounts, ChatReply, Failure, Mode, Seconds, SessionResult, Status, Usage,
};
use patchwright_runs::{AttemptContext, Repairer, RunFile, RunFolder, RunOptions, Runner, Stage};
use patchwright_suites::{Case, Suite, Truth};
use patchwright_trajectory::{Event, Purpose, Redactor, Writer};

/// Made-up cases.
pub struct Cases(pub Vec<Case>);

impl Cases {
    /// So many, of five projects.
    pub fn many(count: usize) -> Self {
        Self::named((0..count).map(|number| format!("case-{number:03}")))
    }

    pub fn named(ids: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let case = |(number, id): (usize, String)| Case {
            id,
            project: format!("project-{}", number % 5),
            truth: Truth { patch: Some(PATCH.to_owned()), ..Truth::default() },
        };
        Self(ids.into_iter().map(Into::into).enumerate().map(case).collect())
    }

    pub fn ids(&self) -> Vec<String> {
        self.0.iter().map(|case| case.id.clone()).collect()
    }
}

#[async_trait]
impl Suite for Cases {
    fn cases(&self) -> &[Case] {
        &self.0
    }

    async fn prepare(&self, case: &Case, folder: &Path) -> Result<Bug, Failure> {
        match case.id.as_str() {
            "no-registry" => Err(Failure::environment("the registry answers 429".to_owned())),
            "bad-data" => Err(Failure::case("there is no commit".to_owned())),
            _ => {
                std::fs::write(folder.join("main.py"), "print(1)\n").unwrap();
                Ok(Bug { dir: folder.to_owned(), ..Bug::default() })
            }
        }
    }
}

/// What an attempt does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Ends so, with a trajectory.
    End(Status),
    /// Panics after the first reply.
    Panic,
    /// Waits until it is cancelled, and says so.
    Wait,
    /// Does not hear that it is cancelled.
    Deaf,
}

/// Does what it is told.
pub struct Scripted<F> {
    script: F,
    pub running: AtomicUsize,
    pub most: AtomicUsize,
}

impl<F: Fn(&str, u32) -> Act + Send + Sync> Scripted<F> {
    pub fn new(script: F) -> Arc<Self> {
        Arc::new(Self { script, running: AtomicUsize::new(0), most: AtomicUsize::new(0) })
    }
}

#[async_trait]
impl<F: Fn(&str, u32) -> Act + Send + Sync> Repairer for Scripted<F> {
    async fn repair(&self, bug: &Bug, attempt: &AttemptContext<'_>) -> SessionResult {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        let outcome = self.session(bug, attempt).await;
        self.running.fetch_sub(1, Ordering::SeqCst);
        outcome
    }
}

impl<F: Fn(&str, u32) -> Act + Send + Sync> Scripted<F> {
    async fn session(&self, bug: &Bug, attempt: &AttemptContext<'_>) -> SessionResult {
        assert!(bug.dir.join("main.py").is_file());
        let mut writer = begun(attempt.folder);
        for cycle in 1..=3 {
            attempt.shared.request().await;
            cycled(&mut writer, cycle);
            let state = "understand_bug".to_owned();
            attempt.tell(Stage { state, cycle, usd: Some(0.01), tokens: 110, ..Stage::default() });
            tokio::task::yield_now().await;
        }
        let status = match (self.script)(attempt.case, attempt.number) {
            Act::End(status) => status,
            Act::Panic => panic!("scripted"),
            Act::Wait => {
                attempt.cancel.cancelled().await;
                Status::Cancelled
            }
            Act::Deaf => std::future::pending().await,
        };
        let event = ended(status);
        let Event::SessionEnded(result) = writer.write(event).unwrap().event else { panic!("it is the end") };
        let plausible = u64::from(status == Status::Plausible);
        let candidates = CandidateCounts { tried: 4, plausible, ..CandidateCounts::default() };
        SessionResult { model: "scripted".to_owned(), candidates, ..result }
    }
}

fn begun(folder: &Path) -> Writer {
    let mut writer = Writer::create(&folder.join("trajectory.jsonl"), Redactor::default()).unwrap();
    let (bug, settings) = (serde_json::Value::Null, serde_json::Value::Null);
    let time = "2026-01-01T00:00:00Z";
    writer.write(Event::session_started("s", time, bug, settings, Mode::Agent, "scripted")).unwrap();
    writer
}

/// What a session writes, without a runner.
pub fn trajectory(folder: &Path) {
    let mut writer = begun(folder);
    for cycle in 1..=3 {
        cycled(&mut writer, cycle);
    }
    writer.write(ended(Status::NoFix)).unwrap();
}

fn cycled(writer: &mut Writer, cycle: u32) {
    writer.write(reply(cycle)).unwrap();
    let call = Event::Call {
        cycle,
        tool: "read_range".to_owned(),
        arguments: serde_json::json!({"path": "main.py", "note": "<img onerror=alert(1)>"}),
        thoughts: None,
        repairs: Vec::new(),
    };
    writer.write(call).unwrap();
}

fn reply(cycle: u32) -> Event {
    Event::Reply {
        cycle,
        purpose: Purpose::Command,
        reply: ChatReply {
            text: "look".to_owned(),
            usage: Some(Usage { input: 100, output: 10, ..Usage::default() }),
            model: "scripted".to_owned(),
            ..ChatReply::default()
        },
        cost_usd: Some(0.01),
        seconds: 0.5,
        effort: None,
    }
}

fn ended(status: Status) -> Event {
    Event::SessionEnded(SessionResult {
        patch: (status == Status::Plausible).then(|| PATCH.to_owned()),
        cycles: 3,
        tokens: Usage { input: 300, output: 30, ..Usage::default() },
        cost_usd: Some(0.03),
        seconds: Seconds { total: 1.5, model: 1.5, ..Seconds::default() },
        ..SessionResult::early(status, format!("scripted {status}"))
    })
}

pub const PATCH: &str = "--- a/main.py\n+++ b/main.py\n@@ -1 +1 @@\n-print(1)\n+print(2)\n";

/// A new run over these cases.
pub fn create(root: &Path, cases: &Cases) -> RunFolder {
    RunFolder::create(root, &RunFile::new("r1", "manifest:cases.toml", cases.ids())).unwrap()
}

/// A runner without listeners.
pub fn runner(cases: Cases, repairer: Arc<dyn Repairer>, options: RunOptions) -> Runner {
    Runner { suite: Arc::new(cases), repairer, options, listeners: Vec::new() }
}
