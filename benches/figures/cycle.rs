//! A session of forty cycles with a driver that answers at once: what the loop itself costs, what the
//! trajectory grows by, and how much of a prompt the one before it shares. Both layouts.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use patchwright_agent::{AgentLoop, LoopSetup};
use patchwright_detection::HostEnvironments;
use patchwright_edits::{Edit, EditRules};
use patchwright_fault_localization::Localization;
use patchwright_lanes::Activity;
use patchwright_prompts::{Layout, Task};
use patchwright_protocol::{Mode, Overrides, Remark};
use patchwright_session::{
    Answer, AnswerSettings, Driver, DriverError, DriverProfile, Journal, Limits, Listener, MeasuredBaseline,
    PendingBaseline, Question, Session, SessionSetup, Unattended, WaitCategory,
};
use patchwright_syntax::Project;
use patchwright_trajectory::{Event, PromptStore, Purpose, Record, Redactor, Writer};
use patchwright_validation::TestHarness;
use patchwright_warm_workers::PersistentWorkers;
use serde_json::{Value, json};

use crate::quantile;

const CYCLES: u32 = 40;

pub fn measure() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for layout in [Layout::Cache, Layout::Paper] {
        let seen = runtime.block_on(session(layout));
        let mut overhead: Vec<f64> = seen.overhead.iter().map(Duration::as_secs_f64).collect();
        println!("{layout:?} layout, {} cycles", seen.overhead.len());
        println!(
            "  loop without model and tool: p50 {:.2} ms, p99 {:.2} ms a cycle",
            quantile(&mut overhead, 0.5) * 1e3,
            quantile(&mut overhead, 0.99) * 1e3
        );
        println!(
            "  trajectory: {} bytes for {} new bytes (replies, results), ratio {:.2}; whole prompts would be {} bytes",
            seen.trajectory,
            seen.new,
            seen.trajectory as f64 / seen.new as f64,
            seen.prompts
        );
        println!(
            "  prefix that a prompt shares with the one before: {:.1} % of its bytes",
            seen.prefix * 100.0
        );
    }
}

/// What a session showed.
#[derive(Default)]
struct Seen {
    overhead: Vec<Duration>,
    trajectory: u64,
    new: u64,
    prompts: u64,
    prefix: f64,
}

/// Reads the sample's sources piece by piece, in the state that allows it.
struct Script(DriverProfile);

#[async_trait]
impl Driver for Script {
    fn profile(&self) -> &DriverProfile {
        &self.0
    }

    fn begin(&mut self, _project: &Project, _rules: &EditRules) {}

    async fn answer(&mut self, question: &Question<'_>) -> Result<Vec<Answer>, DriverError> {
        let read = |first: u32| {
            json!({"name": "read_range", "args": {
                "file_path": if first % 200 < 100 { "almanac/rules.py" } else { "almanac/dates.py" },
                "start_line": first % 100, "end_line": first % 100 + 30}})
        };
        let command: Value = match question.cycle {
            1 => {
                json!({"name": "express_hypothesis", "args": {"hypothesis": "dates drift from the end of a month"}})
            }
            cycle => read(cycle * 17 + 1),
        };
        let reply = json!({"thoughts": "The next lines will show it.", "command": command});
        Ok(vec![Answer::free(reply.to_string(), "script")])
    }

    fn notices(&mut self) -> Vec<String> {
        Vec::new()
    }

    fn remark(&self, _edits: &[Edit]) -> Option<Remark> {
        None
    }
}

/// Takes the time between events.
struct Clock {
    seen: Arc<Mutex<Seen>>,
    store: PromptStore,
    last_prompt: String,
    shares: Vec<f64>,
    since: Instant,
    own: Duration,
}

impl Listener for Clock {
    fn on_event(&mut self, record: &Record) {
        let passed = self.since.elapsed();
        let mut seen = self.seen.lock().unwrap();
        match &record.event {
            Event::Prompt { purpose, prompt, .. } => {
                self.own += passed;
                let messages = self.store.rebuild(*purpose, prompt).unwrap();
                let text: String = messages.iter().map(|message| message.text.as_str()).collect();
                seen.prompts += text.len() as u64;
                if !self.last_prompt.is_empty() {
                    let same = text
                        .bytes()
                        .zip(self.last_prompt.bytes())
                        .take_while(|(new, old)| new == old)
                        .count();
                    self.shares.push(same as f64 / text.len() as f64);
                    seen.prefix = self.shares.iter().sum::<f64>() / self.shares.len() as f64;
                }
                self.last_prompt = text;
            }
            Event::Reply { purpose: Purpose::Command, reply, .. } => {
                self.own += passed;
                seen.new += reply.text.len() as u64;
            }
            Event::Call { .. } | Event::Refusal { .. } => {
                self.own += passed;
                seen.overhead.push(std::mem::take(&mut self.own));
            }
            // The tool's own time is not the loop's.
            Event::Observation { text, .. } => seen.new += text.len() as u64,
            _ => {}
        }
        drop(seen);
        self.since = Instant::now();
    }
}

async fn session(layout: Layout) -> Seen {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/python/almanac");
    let folder = tempfile::tempdir().unwrap();
    let host = HostEnvironments::find(&sample, None).await.unwrap();
    let request = patchwright_sandbox::SandboxRequest {
        wanted: patchwright_sandbox::RequestedSandbox::Auto,
        image: None,
        container: None,
        readable: host.readable.clone(),
        session: "bench".to_owned(),
        ..patchwright_sandbox::SandboxRequest::default()
    };
    let sandbox = patchwright_sandbox::choose(&request).await.unwrap().sandbox;
    let lanes = folder.path().join("lanes");
    std::fs::create_dir(&lanes).unwrap();
    let toolchain = patchwright_detection::SandboxToolchain::new(Arc::clone(&sandbox), &lanes);
    let detected =
        patchwright_detection::detect(&sample, &Overrides::default(), &host, &toolchain).await.unwrap();
    let harness = TestHarness::open(detected.spec, &sample, &[], sandbox, &lanes, 1, Activity::default())
        .await
        .unwrap()
        .with_workers(Box::new(PersistentWorkers::default()));
    let baseline = harness.baseline(&[]).await.unwrap();
    let path = folder.path().join("trajectory.jsonl");
    let seen = Arc::new(Mutex::new(Seen::default()));
    let clock = Clock {
        seen: Arc::clone(&seen),
        store: PromptStore::default(),
        last_prompt: String::new(),
        shares: Vec::new(),
        since: Instant::now(),
        own: Duration::ZERO,
    };
    let mut journal =
        Journal::new(Writer::create(&path, Redactor::default()).unwrap(), vec![Box::new(clock)]);
    let time = "2026-01-01T00:00:00Z";
    journal
        .record(Event::session_started("bench", time, Value::Null, Value::Null, Mode::Agent, "script"))
        .unwrap();
    let report = baseline.report.render(12_000);
    let known = PendingBaseline::default();
    known.set(Ok(MeasuredBaseline { baseline, is_tested: true, seconds: 0.0, warnings: Vec::new() }));
    let setup = LoopSetup {
        session: SessionSetup {
            harness: &harness,
            baseline: &known,
            whole_suite: patchwright_session::WholeSuite::Wait,
            task: Task {
                language: "python".to_owned(),
                project_name: "almanac".to_owned(),
                report,
                ..Task::default()
            },
            prompts: patchwright_prompts::PromptSettings {
                layout,
                ..patchwright_prompts::PromptSettings::default()
            },
            answers: AnswerSettings::default(),
            limits: Limits { cycles: CYCLES, tokens: None, usd: None, time: None },
        },
        localization: &Localization::none(),
        origin: &sample,
        machine: &patchwright_state_machine::StateMachine::embedded(),
        tools: patchwright_tools::ToolSettings::default(),
        matching: patchwright_replies::NameMatching::default(),
        issue_only: false,
    };
    let mut session = Box::new(AgentLoop::new(
        setup,
        Box::new(Script(DriverProfile::free("script", WaitCategory::Model))),
        Box::new(Unattended),
        journal,
        Instant::now(),
    ));
    let stop = session.run().await;
    assert_eq!(stop.to_string(), format!("the budget is used up: all {CYCLES} cycles are used"));
    session.end(&stop, None).unwrap();
    harness.close().await.unwrap();
    let mut seen = std::mem::take(&mut *seen.lock().unwrap());
    seen.trajectory = std::fs::metadata(&path).unwrap().len();
    seen
}
