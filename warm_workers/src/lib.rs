//! Warm workers: processes that live in a lane, keep what is the same for all candidates, and judge one after the other.
//!
//! [`PersistentWorkers`] is the implementation of [`patchwright_validation::WarmWorkers`]; a test harness is opened with it.
//!
//! What a worker says is believed only as far as it is safe: it is compared with the baseline before its first verdict,
//! what it calls plausible is confirmed without it, and what it cannot judge is judged without it.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod check;
mod judge;
mod protocol;
mod time_limits;
mod worker;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use patchwright_blocking::lock;
use patchwright_detection::ProjectSpec;
use patchwright_detection::heap;
use patchwright_edits::Applied;
use patchwright_lanes::{IdleLane, LaneLease};
use patchwright_protocol::TestId;
use patchwright_sandbox::{CommandLimits, SandboxKind};
use patchwright_validation::{
    Baseline, Disagreement, Expected, InstrumentedTests, TestHarness, TestHarnessError, Validation,
    ValidationDepth, WarmWorkers, WorkerReport,
};
use worker::{Worker, WorkerError};

/// Requests after which a worker is replaced, whatever its state.
const REQUESTS: u64 = 600;
/// Workers that may break down one after the other.
const BREAKDOWNS: usize = 5;
/// The longest life of a worker.
const LIFE: Duration = Duration::from_hours(12);
/// Bytes kept of what a worker itself prints.
const OUTPUT_BYTES: usize = 64 << 10;

/// The workers of a test harness.
#[derive(Default)]
pub struct PersistentWorkers {
    idle: Mutex<Vec<IdleWorker>>,
    state: Mutex<State>,
    /// The outcomes that workers were compared with.
    checked: tokio::sync::Mutex<Option<Expected>>,
}

#[derive(Default)]
struct State {
    report: WorkerReport,
    /// The workers that broke down since the last one answered.
    breakdowns: usize,
    /// The parts of the test tools that are bent in workers without any change: the command that makes the baseline may be one that does not tell.
    bent: BTreeSet<String>,
}

/// A worker at rest. The worker is the first field: it ends before its lane goes.
struct IdleWorker {
    worker: Worker,
    lane: IdleLane,
}

/// A worker at work.
struct BusyWorker {
    worker: Worker,
    lane: LaneLease,
}

impl PersistentWorkers {
    /// No candidate is judged by a worker from now on.
    fn turn_off(&self, why: String) {
        tracing::info!(%why, "no warm workers");
        lock(&self.state).report.why_off.get_or_insert(why);
        lock(&self.idle).clear();
    }

    fn is_off(&self) -> bool {
        lock(&self.state).report.why_off.is_some()
    }

    /// Notes what is bent without any change.
    fn expect_bent(&self, bent: BTreeSet<String>) {
        lock(&self.state).bent.extend(bent);
    }

    /// Takes out what is bent without any change.
    fn without_expected(&self, bent: &mut BTreeSet<String>) {
        let state = lock(&self.state);
        bent.retain(|name| !state.bent.contains(name));
    }

    /// Notes that a worker was lost with a candidate.
    fn broke_down(&self, gone: &WorkerError) {
        tracing::debug!(%gone, "a warm worker is lost");
        let mut state = lock(&self.state);
        state.breakdowns += 1;
        if state.breakdowns >= BREAKDOWNS {
            drop(state);
            self.turn_off(format!("{BREAKDOWNS} workers in a row broke down, at last because {gone}"));
        }
    }

    fn judged(&self) {
        let mut state = lock(&self.state);
        state.report.judged += 1;
        state.breakdowns = 0;
    }
}

#[async_trait]
impl WarmWorkers for PersistentWorkers {
    async fn judge(
        &self,
        harness: &TestHarness,
        baseline: &Baseline,
        applied: &Applied,
        depth: ValidationDepth,
    ) -> Result<Option<Validation>, TestHarnessError> {
        Service { workers: self, harness, baseline }.judge(applied, depth).await
    }

    async fn start(&self, harness: &TestHarness, baseline: &Baseline) {
        if harness.lanes() < 2 || baseline.failing.is_empty() {
            return;
        }
        let service = Service { workers: self, harness, baseline };
        match service.busy().await {
            Ok(Some(busy)) => service.rest(busy),
            Ok(None) => {}
            // Whoever needs it hears of it.
            Err(error) => tracing::debug!(%error, "no worker was started beforehand"),
        }
    }

    fn disagree(&self, disagreement: Disagreement) {
        let why = if disagreement.failing.is_empty() {
            "a worker called a candidate failing that is plausible".to_owned()
        } else {
            let failing = TestId::listed(&disagreement.failing);
            format!("a worker called a candidate plausible for which this fails in a clean copy: {failing}")
        };
        lock(&self.state).report.disagreements.push(disagreement);
        self.turn_off(why);
    }

    fn report(&self, harness: &TestHarness) -> WorkerReport {
        let report = lock(&self.state).report.clone();
        let why_off = report.why_off.clone().or_else(|| why_no_worker(harness));
        let left_out = harness.order_dependent().into_iter().collect();
        WorkerReport { on: why_off.is_none(), why_off, left_out, ..report }
    }
}

/// Why no worker can be used for a test harness, as far as that can be told beforehand.
fn why_no_worker(harness: &TestHarness) -> Option<String> {
    if !harness.optimizations().persistent_workers || !harness.optimizations().keep_lanes {
        return Some("it is not wanted".to_owned());
    }
    if !harness.sandbox().shares_lanes() {
        return Some("the sandbox does not share its files with us while a command runs".to_owned());
    }
    harness.why_not_instrumented()
}

/// The workers at work for a test harness and a baseline.
#[derive(Clone, Copy)]
struct Service<'a> {
    workers: &'a PersistentWorkers,
    harness: &'a TestHarness,
    baseline: &'a Baseline,
}

impl Service<'_> {
    /// A worker for the next candidate, in a lane equal to the pristine copy; `None` where there is none.
    async fn busy(&self) -> Result<Option<BusyWorker>, TestHarnessError> {
        if self.workers.is_off() || why_no_worker(self.harness).is_some() {
            return Ok(None);
        }
        let instrumented = match self.harness.instrumented(self.baseline).await? {
            Ok(instrumented) if instrumented.worker().is_ok() => instrumented,
            Ok(_) | Err(_) => return Ok(None),
        };
        self.harness.compile_tools().await?;
        let permit = self.harness.pool().permit().await?;
        let idle = lock(&self.workers.idle).pop();
        let (permit, lane) = match idle {
            Some(IdleWorker { worker, lane }) if worker.next <= REQUESTS => {
                match self.harness.pool().wake(lane, permit).await? {
                    Ok(lane) => return self.checked(BusyWorker { worker, lane }).await,
                    // The worker ends here, before its lane is made new.
                    Err((lane, permit)) => (permit, Some(lane)),
                }
            }
            Some(IdleWorker { worker, lane }) => {
                drop(worker);
                (permit, Some(lane))
            }
            None => (permit, None),
        };
        let lane = self.harness.pool().hand_out(permit, lane).await?;
        match self.start(instrumented, lane).await? {
            Some(busy) => self.checked(busy).await,
            None => Ok(None),
        }
    }

    /// The worker, once one of its kind was compared with the baseline; `None` where it does not agree.
    async fn checked(&self, mut busy: BusyWorker) -> Result<Option<BusyWorker>, TestHarnessError> {
        let mut checked = self.workers.checked.lock().await;
        if checked.as_ref().is_some_and(|checked| checked.knows_outcomes_of(self.baseline)) {
            return Ok(Some(busy));
        }
        if let Err(why) = self.check(&mut busy).await {
            self.workers.turn_off(why);
            self.retire(busy).await?;
            return Ok(None);
        }
        *checked = Some(Expected::of(self.baseline));
        let BusyWorker { worker, lane } = busy;
        match lane.reset().await {
            Ok(lane) => Ok(Some(BusyWorker { worker, lane })),
            Err(error) if error.is_of_the_lane() => {
                drop(worker);
                self.workers.turn_off(format!("the tests make their own folders unusable: {error}"));
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Starts a worker in a lane that nothing ran in. Where it does not start here it will not anywhere.
    async fn start(
        &self,
        instrumented: &InstrumentedTests,
        lane: LaneLease,
    ) -> Result<Option<BusyWorker>, TestHarnessError> {
        let Ok(command) = instrumented.worker() else { return Ok(None) };
        let (spec, adapter) = (&instrumented.spec, instrumented.adapter());
        let execution = self.harness.execution(self.baseline.limit).by(spec, adapter);
        adapter.prepare(spec, lane.lane())?;
        adapter.prepare_worker(&execution.context(lane.lane()), lane.lane())?;
        self.harness.built().put_into(lane.lane())?;
        let line = format!("{}{command}", emptied(self.harness.spec(), self.harness.sandbox().kind()));
        let mut started = execution.command_of(lane.lane(), &line, &[]);
        let heap = heap::of_worker(started.limits.memory_bytes, self.harness.lanes());
        started.env.insert(heap::VARIABLE.to_owned(), heap.to_string());
        started.limits = CommandLimits { time: LIFE, output_bytes: OUTPUT_BYTES, ..started.limits };
        let sandbox = Arc::clone(self.harness.sandbox());
        match Worker::start(sandbox, lane.lane(), started, self.baseline.limit).await {
            Ok(worker) => {
                if adapter.compiles() {
                    self.harness.built().take(lane.lane())?;
                }
                Ok(Some(BusyWorker { worker, lane }))
            }
            Err(gone) => {
                self.workers.turn_off(format!("no worker starts: {gone}"));
                lane.remove().await?;
                Ok(None)
            }
        }
    }

    /// Keeps a worker for the next candidate.
    fn rest(&self, busy: BusyWorker) {
        let BusyWorker { worker, lane } = busy;
        let lane = lane.rest();
        if !self.workers.is_off() {
            lock(&self.workers.idle).push(IdleWorker { worker, lane });
        }
    }

    /// Ends a worker, and then its lane.
    async fn retire(&self, busy: BusyWorker) -> Result<(), TestHarnessError> {
        let BusyWorker { worker, lane } = busy;
        drop(worker);
        Ok(lane.remove().await?)
    }
}

/// The variable that tells a worker the folders outside of the lane that are a command's own: each command is to find them empty.
fn emptied(spec: &ProjectSpec, kind: SandboxKind) -> String {
    // Where the user has set them they may be anyone's.
    let own = ["HOME", "TMPDIR"].iter().filter(|name| !spec.env.contains_key(**name));
    let mut folders: Vec<String> = own.map(|name| format!("${name}")).collect();
    match kind {
        SandboxKind::Docker | SandboxKind::Namespaces => {
            folders.extend(["/tmp", "/var/tmp", "/dev/shm"].map(str::to_owned));
        }
        SandboxKind::Landlock | SandboxKind::Host => {}
    }
    format!("export PATCHWRIGHT_EMPTIED=\"{}\"; ", folders.join(":"))
}
