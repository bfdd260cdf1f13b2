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
    /// What you need to know.
    reason: String,
}

impl TypedTool for CollectMoreInformation {
    type Args = CollectMoreInformationArgs;
    const NAME: &'static str = "collect_more_information";
    const DESCRIPTION: &'static str =
        "Go back to collecting information, because facts are missing for a better fix.";
    const ALIASES: &[&str] = &["go_back_to_collect_more_info", "collect_information"];
    const REPEATABLE: bool = true;

    async fn run(
        args: CollectMoreInformationArgs,
        _context: &mut ToolContext<'_>,
    ) -> Result<Observation, Failure> {
        let reason = args.reason.trim();
        if reason.is_empty() {
            return Ok(Observation::refused("The reason is empty. Say what you need to know."));
        }
        Ok(Observation::done("Collect what is missing.", json!({ "reason": reason })))
    }
}
