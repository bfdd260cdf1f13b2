//! What a model answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{FinishReason, ToolCall, Usage};

/// The answer of a model, or of whoever answers in its place.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct ChatReply {
    /// The visible text; empty where the model only called tools, only reasoned, or said nothing.
    pub text: String,
    /// What the model reasoned, or the service's summary of it; empty where neither was sent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// Native tool calls, in order.
    pub tool_calls: Vec<ToolCall>,
    /// The reason for which the answer ended.
    pub stop: FinishReason,
    /// Token counts; none where the service sent none.
    pub usage: Option<Usage>,
    /// The model that answered, as it names itself (often with a date), else the one asked for.
    pub model: String,
    /// The reply in the service's own form, encrypted reasoning included: what is sent back to it. Empty for a text alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Value>,
    /// Seconds from the request to the first piece of reasoning, text or call; none where the reply came whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_piece_seconds: Option<f64>,
}

impl ChatReply {
    /// Whether the reply has neither text nor calls. It may hold reasoning.
    pub fn is_silent(&self) -> bool {
        self.text.trim().is_empty() && self.tool_calls.is_empty()
    }

    /// Whether the token limit cut the reply off before any text or call.
    pub fn is_cut_while_reasoning(&self) -> bool {
        self.stop == FinishReason::Length && self.is_silent()
    }
}
