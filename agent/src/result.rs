//! The result of a session as one JSON object, made from its last event.

use std::path::Path;
use std::time::Duration;

use patchwright_trajectory::{CandidateCounts, Event, RankedPatch, Seconds, Status, TestCounts, Usage};
use serde::Serialize;

/// The mark of a result: copies of a project leave out what carries it.
pub const RESULT_FORMAT: &str = "patchwright-result";

/// What `repair --json` prints and `result.json` holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionResult {
    /// Always [`RESULT_FORMAT`].
    pub format: &'static str,
    /// How the session ended.
    pub status: Status,
    /// Why, a sentence.
    pub reason: String,
    /// The plausible patch as a unified diff.
    pub patch: Option<String>,
    /// All plausible patches, that one first, then in the order in which a person should look at them.
    pub patches: Vec<RankedPatch>,
    /// The hypothesis that stood at the end.
    pub hypothesis: Option<String>,
    /// `agent` or `agentless`.
    pub mode: String,
    /// Who decided.
    pub model: String,
    /// Cycles used.
    pub cycles: u32,
    /// Candidates.
    pub candidates: CandidateCounts,
    /// Failing tests.
    pub tests: TestCounts,
    /// Tokens.
    pub tokens: Usage,
    /// Cost in US dollars; `null` where a price is unknown.
    pub cost_usd: Option<f64>,
    /// Seconds.
    pub seconds: Seconds,
    /// The trajectory's path.
    pub trajectory: String,
}

impl SessionResult {
    /// The result that a [`Event::SessionEnded`] states; `None` for any other event.
    pub fn from_event(event: &Event, mode: &str, model: &str, trajectory: &Path) -> Option<Self> {
        let Event::SessionEnded {
            status,
            reason,
            hypothesis,
            candidate: _,
            patch,
            patches,
            cycles,
            candidates,
            tests,
            tokens,
            cost_usd,
            seconds,
        } = event
        else {
            return None;
        };
        Some(Self {
            format: RESULT_FORMAT,
            status: *status,
            reason: reason.clone(),
            patch: patch.clone(),
            patches: patches.clone(),
            hypothesis: hypothesis.clone(),
            mode: mode.to_owned(),
            model: model.to_owned(),
            cycles: *cycles,
            candidates: *candidates,
            tests: *tests,
            tokens: *tokens,
            cost_usd: *cost_usd,
            seconds: *seconds,
            trajectory: trajectory.display().to_string(),
        })
    }
}

/// The last event of a session that ended before its first cycle.
pub fn ended_before_the_first_cycle(status: Status, reason: &str, elapsed: Duration) -> Event {
    Event::SessionEnded {
        status,
        reason: reason.to_owned(),
        hypothesis: None,
        candidate: None,
        patch: None,
        patches: Vec::new(),
        cycles: 0,
        candidates: CandidateCounts::default(),
        tests: TestCounts::default(),
        tokens: Usage::default(),
        cost_usd: Some(0.0),
        seconds: Seconds { total: elapsed.as_secs_f64(), ..Seconds::default() },
    }
}
