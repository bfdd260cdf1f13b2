//! The seam between the loop and a person who looks at each command before it runs.

use std::collections::VecDeque;

use async_trait::async_trait;
use patchwright_trajectory::{Event, InterventionKind, Log};
use serde_json::Value;

/// A call that waits for a decision.
#[derive(Clone, Debug, PartialEq)]
pub struct ProposedCall<'a> {
    /// The cycle.
    pub cycle: u32,
    /// The state of the session.
    pub state: &'a str,
    /// What the reply said besides the call.
    pub thoughts: Option<&'a str>,
    /// The tool.
    pub tool: &'a str,
    /// Its arguments.
    pub arguments: &'a Value,
    /// The diff of the change that it would make, or why it would make none; given to who wants it.
    pub preview: Option<String>,
}

/// What is to happen with a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// It runs.
    Run,
    /// It runs with other arguments.
    Edit(Value),
    /// It does not run; the model gets a hint and answers anew.
    Hint(String),
    /// It does not run; the model is told why.
    Refuse(String),
    /// It runs, and nobody is asked again.
    RunAlone,
    /// The session ends.
    Quit,
}

impl Decision {
    /// How the decision is recorded; a plain `Run` leaves no trace.
    pub fn event(&self, cycle: u32) -> Option<Event> {
        let (kind, text) = match self {
            Self::Run => return None,
            Self::Edit(arguments) => (InterventionKind::Edit, arguments.to_string()),
            Self::Hint(text) => (InterventionKind::Hint, text.clone()),
            Self::Refuse(text) => (InterventionKind::Refuse, text.clone()),
            Self::RunAlone => (InterventionKind::RunAlone, String::new()),
            Self::Quit => (InterventionKind::Quit, String::new()),
        };
        Some(Event::Intervention { cycle, kind, text })
    }
}

/// Looks at each call before it runs.
#[async_trait]
pub trait Reviewer: Send {
    /// Is true if somebody reads what calls would change.
    fn wants_previews(&self) -> bool {
        false
    }

    /// Decides about a call.
    async fn review(&mut self, proposal: &ProposedCall<'_>) -> Decision;

    /// Comes back when a person wants what is running to stop, so that it can be talked about.
    async fn interrupted(&mut self) {
        std::future::pending::<()>().await;
    }

    /// Asks how to go on after that: with a hint, in another way for a reason, as before ([`Decision::Run`]), or not at all.
    async fn resume(&mut self) -> Decision {
        Decision::Run
    }
}

/// Lets everything run: nobody watches.
#[derive(Debug, Default)]
pub struct Unattended;

#[async_trait]
impl Reviewer for Unattended {
    async fn review(&mut self, _proposal: &ProposedCall<'_>) -> Decision {
        Decision::Run
    }
}

/// Repeats the interventions of a recording.
#[derive(Debug, Default)]
pub struct RecordedReviewer {
    decisions: VecDeque<(u32, Decision)>,
}

impl RecordedReviewer {
    /// Reads the interventions of a log.
    pub fn new(log: &Log) -> Self {
        let decisions = log.records.iter().filter_map(|record| match &record.event {
            Event::Intervention { cycle, kind, text } => Some((*cycle, decision(*kind, text))),
            _ => None,
        });
        Self { decisions: decisions.collect() }
    }
}

fn decision(kind: InterventionKind, text: &str) -> Decision {
    match kind {
        InterventionKind::Hint => Decision::Hint(text.to_owned()),
        InterventionKind::Edit => {
            Decision::Edit(serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())))
        }
        InterventionKind::Refuse => Decision::Refuse(text.to_owned()),
        InterventionKind::RunAlone => Decision::RunAlone,
        InterventionKind::Quit => Decision::Quit,
    }
}

#[async_trait]
impl Reviewer for RecordedReviewer {
    async fn review(&mut self, proposal: &ProposedCall<'_>) -> Decision {
        match self.decisions.front() {
            Some((cycle, _)) if *cycle == proposal.cycle => {
                self.decisions.pop_front().map_or(Decision::Run, |(_, decision)| decision)
            }
            _ => Decision::Run,
        }
    }
}
