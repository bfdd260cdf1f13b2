//! The display of a session on stderr while it works: its events as lines and, on a terminal, a moving line that
//! says what is being waited for and how much of the budget is left.

use std::time::{Duration, Instant};

use indicatif::HumanDuration;
use patchwright_lanes::Activity;
use patchwright_protocol::{CandidateRecord, TestsRun, ValidationResult, Verdict};
use patchwright_session::{Limits, Listener};
use patchwright_trajectory::{Change, Event, Record};

use crate::model::Choice;
use crate::plan::Plan;
use crate::renderer::Renderer;
use crate::waiting_line::WaitingLine;

/// Shows events as they come.
pub struct ProgressDisplay {
    talk: Renderer<anstream::Stderr>,
    line: WaitingLine,
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
    /// The first plausible candidate, with what is counted of the tests that ran with it.
    plausible: Option<(u32, String)>,
}

impl ProgressDisplay {
    /// The display of the session that a plan describes. A person who is being asked has no moving line.
    pub fn new(plan: &Plan, asked: bool, activity: Activity) -> Self {
        Self {
            talk: Renderer::new(anstream::stderr(), &plan.machine.start().name),
            line: WaitingLine::begin(activity, asked),
            model: !matches!(plan.choice, Choice::Patterns),
            started: Instant::now(),
            cycle: 0,
            limits: plan.limits,
            validated: Validated::default(),
        }
    }

    /// The step that is being waited for after `event`.
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
            Event::NamedTests { .. }
            | Event::Baseline { .. }
            | Event::Reply { .. }
            | Event::Transition { .. }
            | Event::Hypothesis { .. }
            | Event::HypothesisDiscarded { .. }
            | Event::Reproduction { .. }
            | Event::Intervention { .. }
            | Event::AskedAgain { .. }
            | Event::Notice { .. }
            | Event::SessionEnded(_) => None,
        }
    }

    /// Cycles and time left: at most what the limit leaves, else an estimate by the cycles so far.
    fn left(&self) -> String {
        let limit = self.limits.cycles;
        let elapsed = self.started.elapsed();
        let time = if let Some(time) = self.limits.time {
            format!(", at most {} left", HumanDuration(time.saturating_sub(elapsed)))
        } else if self.cycle < 2 {
            String::new()
        } else {
            let rest = elapsed / self.cycle * limit.saturating_sub(self.cycle);
            format!(", about {} if all are needed", HumanDuration(rest))
        };
        format!(", cycle {} of {limit}{time}", self.cycle)
    }
}

impl Validated {
    fn add(&mut self, candidate: u32, found: &ValidationResult) {
        self.count += 1;
        let still_failing = found.still_failing.len();
        match found.verdict {
            Verdict::Plausible => {
                let ran = found.tests_run.as_ref().map(TestsRun::share_told).unwrap_or_default();
                self.plausible.get_or_insert((candidate, ran));
            }
            Verdict::Failing if self.best.is_none_or(|(fewest, _)| still_failing < fewest) => {
                self.best = Some((still_failing, candidate));
            }
            _ => {}
        }
    }

    /// The speed, and the best candidate so far.
    fn so_far(&self) -> String {
        let Some(since) = self.since.filter(|_| self.count > 0) else { return String::new() };
        let minutes = since.elapsed().as_secs_f64() / 60.0;
        let best = match (&self.plausible, self.best) {
            (Some((plausible, ran)), _) => format!("candidate {plausible} is plausible{ran}"),
            (None, Some((fewest, best))) => format!("best candidate {best} leaves {fewest} failing"),
            (None, None) => "none ran to its end yet".to_owned(),
        };
        format!(", {:.0} a minute, {best}", f64::from(self.count) / minutes.max(f64::MIN_POSITIVE))
    }
}

impl Listener for ProgressDisplay {
    fn on_event(&mut self, record: &Record) {
        self.line.suspend(|| self.talk.tell(&record.event));
        if let Some(message) = self.waits_for(&record.event) {
            self.line.set(message);
        }
        if let Event::AskedAgain { change: Change::Waiting { seconds }, .. } = record.event {
            self.line.wait("waiting for the service", Duration::from_secs(seconds));
        }
        if matches!(record.event, Event::SessionEnded(_)) {
            self.line.finish();
        }
    }
}
