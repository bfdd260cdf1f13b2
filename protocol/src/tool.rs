//! Tools as a model is offered them, and its calls of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool as a model is told about it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ToolSchema {
    /// The name to call it by: letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// The description of its effect, in a sentence or a few.
    pub description: String,
    /// The JSON schema of its arguments: an object schema.
    pub parameters: Value,
    /// Whether it only reads, so that a reply may call several such tools at once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_reads: bool,
}

/// A native call of a tool, as the model wrote it.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct ToolCall {
    /// The tool's name as sent; not checked against the tools offered.
    pub name: String,
    /// The arguments as sent: text that should be JSON, not repaired. Where a service sends an object, this is its text.
    pub arguments: String,
    /// The service's name for the call, by which a result refers to it; `None` where it gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl ToolCall {
    /// A call without a name of its own.
    pub fn new(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self { name: name.into(), arguments: arguments.into(), id: None }
    }
}
