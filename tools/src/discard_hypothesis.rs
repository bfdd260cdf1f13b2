//! `discard_hypothesis`: the current hypothesis was wrong.

use patchwright_protocol::{Failure, ToolOutcome};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::ToolContext;
use crate::observation::Observation;
use crate::tool::TypedTool;

pub(crate) struct DiscardHypothesis;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DiscardHypothesisArgs {
    /// What refutes it.
    reason: String,
}

impl TypedTool for DiscardHypothesis {
    type Args = DiscardHypothesisArgs;
    const NAME: &'static str = "discard_hypothesis";
    const DESCRIPTION: &'static str = "Give up a refuted hypothesis, and study the bug anew.";
    const REPEATABLE: bool = true;

    async fn run(
        args: DiscardHypothesisArgs,
        _context: &mut ToolContext<'_>,
    ) -> Result<Observation, Failure> {
        let reason = args.reason.trim();
        if reason.is_empty() {
            return Ok(Observation::refused("The reason is empty. Say what refutes the hypothesis."));
        }
        let done = Observation::done(
            "The hypothesis is discarded. Look for another one.",
            json!({ "reason": reason }),
        );
        Ok(done.with_outcome(ToolOutcome::HypothesisDiscarded { reason: reason.to_owned() }))
    }
}
