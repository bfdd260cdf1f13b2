//! What an attempt came to, as the run's log keeps it.

use patchwright_trajectory::{CandidateCounts, Seconds, TestCounts, Usage};
use serde::{Deserialize, Serialize};

use super::status::Status;

/// What an attempt came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// Why, a sentence.
    pub reason: String,
    /// What the user can do about it, where there is something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The plausible patch as a unified diff.
    pub patch: Option<String>,
    /// The signs that the patch tampers with what its tests are judged by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tampering: Vec<String>,
    /// The hypothesis that stood at the end.
    pub hypothesis: Option<String>,
    /// Who decided: a model's name, `patterns`.
    pub model: String,
    /// Cycles used.
    pub cycles: u32,
    /// Candidates.
    pub candidates: CandidateCounts,
    /// Failing tests.
    pub tests: TestCounts,
    /// Tokens of all replies together.
    pub tokens: Usage,
    /// Cost in US dollars; none where a price is unknown, which is not 0.
    pub cost_usd: Option<f64>,
    /// Where the time of the session went, in seconds; the event says how long the attempt took as a whole.
    pub seconds: Seconds,
}

impl Outcome {
    /// An attempt that ended before a model was asked.
    pub fn early(status: Status, reason: impl Into<String>) -> Self {
        Self {
            status,
            reason: reason.into(),
            hint: None,
            patch: None,
            tampering: Vec::new(),
            hypothesis: None,
            model: String::new(),
            cycles: 0,
            candidates: CandidateCounts::default(),
            tests: TestCounts::default(),
            tokens: Usage::default(),
            cost_usd: Some(0.0),
            seconds: Seconds::default(),
        }
    }

    /// The same, where the data of the case is at fault: it would end so every time, so the run does not try it once more
    /// and takes no pause for it.
    pub fn unusable(self) -> Self {
        let reason = format!("the case cannot be used: {}", self.reason);
        Self { status: Status::Defect, reason, ..self }
    }

    /// Tokens in and out.
    pub fn total_tokens(&self) -> u64 {
        self.tokens.input.saturating_add(self.tokens.output)
    }
}
