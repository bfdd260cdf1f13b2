//! What a session shows on stderr while it works: its events as lines and, on a terminal, a moving line that
//! says what is being waited for and how much of the budget is left.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use patchwright_agent::Listener;
use patchwright_trajectory::{Event, Record};

use crate::talk::Talk;

/// Shows events as they come.
pub struct Progress {
    talk: Talk<anstream::Stderr>,
    line: ProgressBar,
    started: Instant,
    cycle: u32,
    limit: Option<u32>,
}

impl Progress {
    /// Progress of a session that begins in the state `start`. A person who is being asked has no moving line.
    pub fn new(start: &str, asked: bool) -> Self {
        let target = if asked { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let line = ProgressBar::with_draw_target(None, target);
        // A template that cannot be read leaves the plain style: only looks are lost.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
            line.set_style(style);
        }
        line.enable_steady_tick(Duration::from_millis(200));
        line.set_message("looking at the project");
        Self {
            talk: Talk::new(anstream::stderr(), start),
            line,
            started: Instant::now(),
            cycle: 0,
            limit: None,
        }
    }

    /// What is being waited for after `event`.
    fn waits_for(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::SessionStarted { settings, .. } => {
                self.limit =
                    settings.get("cycles").and_then(serde_json::Value::as_u64).map(|limit| limit as u32);
                Some("looking at the project".to_owned())
            }
            Event::Detected { .. } => Some("running the tests before any change".to_owned()),
            Event::Prompt { cycle, .. } => {
                self.cycle = *cycle;
                Some(format!("waiting for the model{}", self.left()))
            }
            Event::Call { tool, .. } => Some(format!("running {tool}{}", self.left())),
            Event::Candidate { id, .. } => Some(format!("validating candidate {id}{}", self.left())),
            Event::Observation { .. } | Event::Refusal { .. } => Some("thinking".to_owned()),
            Event::Baseline { .. }
            | Event::Reply { .. }
            | Event::Transition { .. }
            | Event::Hypothesis { .. }
            | Event::HypothesisDiscarded { .. }
            | Event::Verdict { .. }
            | Event::Intervention { .. }
            | Event::Notice { .. }
            | Event::SessionEnded { .. } => None,
        }
    }

    /// Cycles and time left if the rest goes on as it did so far.
    fn left(&self) -> String {
        let limit = self.limit.unwrap_or(crate::plan::CYCLES);
        let left = limit.saturating_sub(self.cycle);
        if self.cycle < 2 {
            return format!(", cycle {} of {limit}", self.cycle);
        }
        let per_cycle = self.started.elapsed() / self.cycle;
        let rest = indicatif::HumanDuration(per_cycle * left);
        format!(", cycle {} of {limit}, at most {rest} left", self.cycle)
    }
}

impl Listener for Progress {
    fn heard(&mut self, record: &Record) {
        self.line.suspend(|| self.talk.tell(&record.event));
        if let Some(message) = self.waits_for(&record.event) {
            self.line.reset_elapsed();
            self.line.set_message(message);
        }
        if matches!(record.event, Event::SessionEnded { .. }) {
            self.line.finish_and_clear();
        }
    }
}
