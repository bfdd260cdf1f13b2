//! `goal_accomplished`: the bug is repaired.

use patchwright_protocol::Failure;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::ToolContext;
use crate::observation::Observation;
use crate::tool::TypedTool;

pub(crate) struct GoalAccomplished;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalAccomplishedArgs {
    /// Why the plausible candidate repairs the cause of the bug.
    reason: String,
    /// The number of the plausible candidate to keep; the latest one when left out.
    #[serde(default)]
    candidate: Option<u32>,
}

impl TypedTool for GoalAccomplished {
    type Args = GoalAccomplishedArgs;
    const NAME: &'static str = "goal_accomplished";
    const DESCRIPTION: &'static str =
        "Finish: a candidate passed all tests and repairs the cause of the bug.";
    const REPEATABLE: bool = true;

    async fn run(args: GoalAccomplishedArgs, context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
        if let Some(asked) = args.candidate
            && !context.candidates.choose(asked)
        {
            let known = match context.candidates.get(asked) {
                Some(candidate) => format!("candidate {asked} is {}", candidate.verdict_text()),
                None => format!("there is no candidate {asked}"),
            };
            return Ok(Observation::refused(format!("Only a plausible candidate can be kept, and {known}.")));
        }
        if let Some(plausible) = context.candidates.plausible() {
            let text = format!("The bug is repaired by candidate {}.", plausible.id);
            return Ok(Observation::done(
                text,
                json!({ "candidate": plausible.id, "reason": args.reason.trim() }),
            ));
        }
        let so_far = match context.candidates.best() {
            Some(best) => format!("The best so far is candidate {}: {}.", best.id, best.verdict_text()),
            None => match context.candidates.all().last() {
                Some(last) => format!("The last one, candidate {}: {}.", last.id, last.verdict_text()),
                None => "No candidate has been tested yet.".to_owned(),
            },
        };
        Ok(Observation::refused(format!(
            "The goal is not accomplished: no candidate passes all tests. {so_far} Write another fix with write_fix, or go back \
             and look for the cause."
        )))
    }
}
