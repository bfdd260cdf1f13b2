//! `run_fault_localization`: where the bug is, as far as anybody said.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::Context;
use crate::observation::{Observation, ToolError};
use crate::tool::TypedTool;

pub(crate) struct RunFaultLocalization;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunFaultLocalizationArgs {}

impl TypedTool for RunFaultLocalization {
    type Args = RunFaultLocalizationArgs;
    const NAME: &'static str = "run_fault_localization";
    const DESCRIPTION: &'static str = "Show the lines that are known or suspected to hold the bug.";

    async fn run(
        _args: RunFaultLocalizationArgs,
        context: &mut Context<'_>,
    ) -> Result<Observation, ToolError> {
        let Some(text) = context.localization.render(context.project())? else {
            return Ok(Observation::refused(
                "No fault localisation was given for this bug. Find the place yourself: the stack traces and messages of \
                 run_tests name the lines that ran, extract_tests shows what the failing tests call, and read_range shows \
                 those lines.",
            ));
        };
        Ok(Observation::done(text, json!({ "lines": context.localization.lines() })).keep_text())
    }
}
