//! What a session shows on stderr while it works: its events as lines and, on a terminal, a moving line that
//! says what is being waited for and how much of the budget is left.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use patchwright_protocol::{CandidateRecord, ValidationResult, Verdict};
use patchwright_session::{Limits, Listener};
use patchwright_testbed::Activity;
use patchwright_testbed::blocking::lock;
use patchwright_trajectory::{Event, Record};
use tokio::task::AbortHandle;

use crate::model::Choice;
use crate::plan::Plan;
use crate::renderer::Renderer;

/// Between two lines where there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(30);

/// Shows events as they come.
pub struct Progress {
    talk: Renderer<anstream::Stderr>,
    line: ProgressBar,
    /// Where there is no terminal.
    ticker: Option<AbortHandle>,
    waiting: Waiting,
    /// Is true if a model is asked.
    model: bool,
    started: Instant,
    cycle: u32,
    limits: Limits,
    validated: Validated,
}

/// The candidates so far.
#[derive(Default)]
struct Validated {
    count: u32,
    since: Option<Instant>,
    /// The best candidate, with how many of the failing tests it leaves failing.
    best: Option<(usize, u32)>,
    plausible: Option<u32>,
}

impl Progress {
    /// Progress of a session that begins in the state `start`. A person who is being asked has no moving line, and where there is no
    /// terminal a line comes now and then.
    pub fn new(plan: &Plan, asked: bool, activity: Activity) -> Self {
        let target = if asked { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let line = ProgressBar::with_draw_target(None, target);
        let waiting = Waiting::begin(activity);
        let shown = waiting.clone();
        let tell = move |_: &ProgressState, out: &mut dyn fmt::Write| {
            // Where nothing can be written, nothing is seen.
            let _ = write!(out, "{shown}");
        };
        // A template that cannot be read leaves the plain style: only looks are lost.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {waiting}") {
            line.set_style(style.with_key("waiting", tell));
        }
        line.enable_steady_tick(Duration::from_millis(200));
        let plain = line.is_hidden() && !asked;
        let ticker = plain.then(|| tokio::spawn(now_and_then(waiting.clone())).abort_handle());
        Self {
            talk: Renderer::new(anstream::stderr(), &plan.machine.start().name),
            line,
            ticker,
            waiting,
            model: !matches!(plan.choice, Choice::Patterns),
            started: Instant::now(),
            cycle: 0,
            limits: plan.limits,
            validated: Validated::default(),
        }
    }

    /// What is being waited for after `event`.
    fn waits_for(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::SessionStarted { .. } => Some("looking at the project".to_owned()),
            Event::Detected { .. } => Some("running the tests before any change".to_owned()),
            Event::Prompt { cycle, .. } => {
                self.cycle = *cycle;
                let work = if self.model { "waiting for the model" } else { "planning candidates" };
                Some(format!("{work}{}{}", self.validated.so_far(), self.left()))
            }
            Event::Call { tool, .. } => Some(format!("running {tool}{}", self.left())),
            Event::Candidate { candidate: CandidateRecord { id, .. }, .. } => {
                self.validated.since.get_or_insert_with(Instant::now);
                Some(format!("validating candidate {id}{}{}", self.validated.so_far(), self.left()))
            }
            Event::Verdict { candidate, result, .. } => {
                self.validated.add(*candidate, result);
                None
            }
            Event::Observation { .. } | Event::Refusal { .. } => Some("thinking".to_owned()),
            Event::Baseline { .. }
            | Event::Reply { .. }
            | Event::Transition { .. }
            | Event::Hypothesis { .. }
            | Event::HypothesisDiscarded { .. }
            | Event::Intervention { .. }
            | Event::Notice { .. }
            | Event::SessionEnded(_) => None,
        }
    }

    /// Cycles and time left if the rest goes on as it did so far.
    fn left(&self) -> String {
        let limit = self.limits.cycles;
        if self.cycle < 2 {
            return format!(", cycle {} of {limit}", self.cycle);
        }
        let elapsed = self.started.elapsed();
        let by_cycles = elapsed / self.cycle * limit.saturating_sub(self.cycle);
        let by_time = self.limits.time.map(|time| time.saturating_sub(elapsed));
        let rest = indicatif::HumanDuration(by_time.map_or(by_cycles, |by_time| by_time.min(by_cycles)));
        format!(", cycle {} of {limit}, at most {rest} left", self.cycle)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.line.finish_and_clear();
        if let Some(ticker) = &self.ticker {
            ticker.abort();
        }
    }
}

/// What is being waited for, and since when; a step that is under way says it better.
#[derive(Clone)]
struct Waiting {
    activity: Activity,
    told: Arc<Mutex<(String, Instant)>>,
}

impl Waiting {
    fn begin(activity: Activity) -> Self {
        Self { activity, told: Arc::new(Mutex::new(("looking at the project".to_owned(), Instant::now()))) }
    }

    fn set(&self, what: String) {
        *lock(&self.told) = (what, Instant::now());
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(step) = self.activity.step() {
            return write!(f, "{step}");
        }
        let (what, since) = &*lock(&self.told);
        write!(f, "{what} ({} s)", since.elapsed().as_secs())
    }
}

/// Tells what is being waited for, where no terminal shows it.
async fn now_and_then(waiting: Waiting) {
    loop {
        tokio::time::sleep(BETWEEN_LINES).await;
        crate::say(&waiting.to_string());
    }
}

impl Validated {
    fn add(&mut self, candidate: u32, found: &ValidationResult) {
        self.count += 1;
        let still_failing = found.still_failing.len();
        match found.verdict {
            Verdict::Plausible => self.plausible = self.plausible.or(Some(candidate)),
            Verdict::Failing if self.best.is_none_or(|(fewest, _)| still_failing < fewest) => {
                self.best = Some((still_failing, candidate));
            }
            _ => {}
        }
    }

    /// How fast it goes, and the best so far.
    fn so_far(&self) -> String {
        let Some(since) = self.since.filter(|_| self.count > 0) else { return String::new() };
        let minutes = since.elapsed().as_secs_f64() / 60.0;
        let best = match (self.plausible, self.best) {
            (Some(plausible), _) => format!("candidate {plausible} is plausible"),
            (None, Some((fewest, best))) => format!("best candidate {best} leaves {fewest} failing"),
            (None, None) => "none ran to its end yet".to_owned(),
        };
        format!(", {:.0} a minute, {best}", f64::from(self.count) / minutes.max(f64::MIN_POSITIVE))
    }
}

impl Listener for Progress {
    fn on_event(&mut self, record: &Record) {
        self.line.suspend(|| self.talk.tell(&record.event));
        if let Some(message) = self.waits_for(&record.event) {
            self.waiting.set(message);
        }
        if matches!(record.event, Event::SessionEnded(_)) {
            self.line.finish_and_clear();
            self.ticker.take().inspect(AbortHandle::abort);
        }
    }
}
