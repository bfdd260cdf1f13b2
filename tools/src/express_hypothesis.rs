//! `express_hypothesis`: what the bug is believed to be.

use patchwright_protocol::Failure;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::ToolContext;
use crate::observation::Observation;
use crate::tool::TypedTool;

pub(crate) struct ExpressHypothesis;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpressHypothesisArgs {
    /// Which code is wrong, why, and how that leads to the failure.
    hypothesis: String,
}

impl TypedTool for ExpressHypothesis {
    type Args = ExpressHypothesisArgs;
    const NAME: &'static str = "express_hypothesis";
    const DESCRIPTION: &'static str = "State what causes the bug.";

    async fn run(
        args: ExpressHypothesisArgs,
        _context: &mut ToolContext<'_>,
    ) -> Result<Observation, Failure> {
        let hypothesis = args.hypothesis.trim();
        if hypothesis.is_empty() {
            return Ok(Observation::refused(
                "The hypothesis is empty. Say which code is wrong, why, and how that leads to the failure.",
            ));
        }
        Ok(Observation::done("The hypothesis is noted.", json!({ "hypothesis": hypothesis })))
    }
}
