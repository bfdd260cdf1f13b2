//! What a call of a tool came to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a call of a tool came to, as far as it decides how a session goes on. The words for the model stand beside it.
///
/// In JSON: `{"kind": "done"}`, `{"kind": "finish", "reason": "…", "outdated_tests": […]}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ToolOutcome {
    /// The tool did its job.
    #[default]
    Done,
    /// The tool did a part of its job, to save time. The same call may come again and does the rest.
    Partial,
    /// The tool did its job, but what it found does not move the state machine on.
    Inconclusive,
    /// The tool could not do its job.
    Refused,
    /// The tool did its job, and the model wants the session to finish with it.
    Finish {
        /// Why the candidate is right.
        reason: String,
        /// Tests of the project that fail because they ask for what the issue calls wrong.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        outdated_tests: Vec<String>,
    },
    /// The hypothesis is given up.
    HypothesisDiscarded {
        /// What refutes it.
        reason: String,
    },
}

impl ToolOutcome {
    /// Whether the state machine moves on.
    pub fn advances(&self) -> bool {
        match self {
            Self::Done | Self::Partial | Self::Finish { .. } | Self::HypothesisDiscarded { .. } => true,
            Self::Inconclusive | Self::Refused => false,
        }
    }

    /// Whether this is [`ToolOutcome::Done`].
    pub fn is_done(&self) -> bool {
        *self == Self::Done
    }
}
