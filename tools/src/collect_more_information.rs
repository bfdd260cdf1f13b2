//! `collect_more_information`: facts are missing for a better fix.

use patchwright_protocol::Failure;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::ToolContext;
use crate::observation::Observation;
use crate::tool::TypedTool;

pub(crate) struct CollectMoreInformation;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CollectMoreInformationArgs {
    /// What is missing for a better fix.
    reason: String,
}

impl TypedTool for CollectMoreInformation {
    type Args = CollectMoreInformationArgs;
    const NAME: &'static str = "collect_more_information";
    const DESCRIPTION: &'static str = "Go back to collecting information.";
    const ALIASES: &[&str] = &["go_back_to_collect_more_info", "collect_information"];
    const REPEATABLE: bool = true;

    async fn run(
        args: CollectMoreInformationArgs,
        context: &mut ToolContext<'_>,
    ) -> Result<Observation, Failure> {
        let reason = args.reason.trim();
        if reason.is_empty() {
            return Ok(Observation::refused("The reason is empty. Say what you need to know."));
        }
        let data = json!({ "reason": reason });
        if !context.lacks_test() {
            return Ok(Observation::done("Collect what is missing.", data));
        }
        // No test shows the bug: going on without one gives that up.
        if context.reproduction_is_untried() {
            return Ok(Observation::refused(
                "No test shows the bug yet, and none was tried: write one with write_test first. What it does on the original code is \
                 information, too.",
            ));
        }
        context.reproductions.give_up(reason);
        let text = "Collect what is missing. No test shows the bug, so that candidates can only be unverified; write_test may still be used \
                    with a candidate.";
        Ok(Observation::done(text, data))
    }
}
