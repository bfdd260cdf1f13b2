//! How far a session is, by its events.

use patchwright_protocol::{Mode, Verdict};
use patchwright_trajectory::Event;
use serde::Serialize;

/// The progress of a running attempt.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stage {
    /// Its work, in a word or two: a state of the state machine, a stage of the pipeline, `preparing`.
    pub state: String,
    /// The step of it that is under way, where that takes its time, with how far it is.
    pub step: Option<String>,
    /// The cycle, from 1; 0 before the first.
    pub cycle: u32,
    /// Candidates that were judged.
    pub candidates: u64,
    /// The hypothesis that stands.
    pub hypothesis: Option<String>,
    /// US dollars so far; none where a price is unknown.
    pub usd: Option<f64>,
    /// Tokens so far.
    pub tokens: u64,
}

impl Stage {
    /// The beginning of this work, before anything was spent.
    pub fn of_state(state: impl Into<String>) -> Self {
        Self { state: state.into(), usd: Some(0.0), ..Self::default() }
    }
}

/// Follows the events of a session.
#[derive(Clone, Debug)]
pub struct StageReader {
    stage: Stage,
    agentless: bool,
}

impl StageReader {
    /// For a session that begins in this state.
    pub fn new(start: impl Into<String>) -> Self {
        Self { stage: Stage::of_state(start), agentless: false }
    }

    /// How far it is.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// Takes one event; says whether it changes anything.
    pub fn hear(&mut self, event: &Event) -> bool {
        let stage = &mut self.stage;
        match event {
            Event::SessionStarted { mode, .. } => self.agentless = *mode == Mode::Agentless,
            Event::Detected { .. } => "tests before any change".clone_into(&mut stage.state),
            Event::Prompt { cycle, .. } => stage.cycle = *cycle,
            Event::Call { cycle, tool, .. } => {
                stage.cycle = *cycle;
                if self.agentless {
                    stage.state.clone_from(tool);
                }
            }
            Event::Verdict { result, .. } => {
                stage.candidates += u64::from(result.verdict != Verdict::Duplicate);
            }
            Event::Transition { to, .. } => stage.state.clone_from(to),
            Event::Hypothesis { text, .. } => stage.hypothesis = Some(text.clone()),
            Event::HypothesisDiscarded { .. } => stage.hypothesis = None,
            Event::Reply { reply, cost_usd, .. } => {
                let tokens = reply.usage.map_or(0, |usage| usage.input.saturating_add(usage.output));
                stage.tokens = stage.tokens.saturating_add(tokens);
                stage.usd = stage.usd.zip(*cost_usd).map(|(sum, cost)| sum + cost);
            }
            Event::NamedTests { .. }
            | Event::Baseline { .. }
            | Event::Refusal { .. }
            | Event::Observation { .. }
            | Event::Candidate { .. }
            | Event::Reproduction { .. }
            | Event::Intervention { .. }
            | Event::AskedAgain { .. }
            | Event::Notice { .. }
            | Event::SessionEnded(_) => return false,
        }
        true
    }
}
