//! Messages to a model, and why its answers end.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who speaks in a [`Message`].
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The standing instructions.
    System,
    /// The program, or the person, that asks.
    User,
    /// The model.
    Assistant,
    /// A tool that the model called natively.
    Tool,
}

impl Role {
    /// Its word, as in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// A message of a prompt. Several of one role may follow each other.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said. A message of white space alone is not sent: services refuse it.
    pub text: String,
    /// A cache breakpoint after this message: the next prompt very probably begins alike up to here. Providers that cache by
    /// themselves ignore it.
    pub cache_here: bool,
    /// The turn of the conversation that it stands for, where tools are called natively.
    pub turn: Option<Turn>,
}

impl Message {
    /// A message that stands for itself.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), cache_here: false, turn: None }
    }

    /// The same with a cache breakpoint after it.
    #[must_use]
    pub fn cached(self) -> Self {
        Self { cache_here: true, ..self }
    }
}

/// A turn of a conversation with native calls. Whoever sends the prompt knows the rest of it: the service's own form of the reply, the names
/// of its calls.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    /// The reply of a cycle.
    Reply {
        /// The cycle.
        cycle: u32,
    },
    /// What came of a call of such a reply.
    Result {
        /// The cycle.
        cycle: u32,
        /// The call's place among those of the reply, from 0.
        call: usize,
    },
}

/// Why an answer ended.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(from = "String", into = "String")]
#[schemars(with = "String")]
pub enum FinishReason {
    /// The model was done.
    #[default]
    End,
    /// The token limit cut it (or the context was full): the last word cannot be trusted to be whole.
    Length,
    /// It ends in tool calls.
    ToolCalls,
    /// The model or a filter of the service refused; the text is what it said instead, if anything.
    Filtered,
    /// Something else, in the service's word; `none` where it gave no reason, `no_choice` where it gave no answer.
    Other(String),
}

impl FinishReason {
    /// The word for it, as it is serialised.
    pub fn as_str(&self) -> &str {
        match self {
            Self::End => "end",
            Self::Length => "length",
            Self::ToolCalls => "tool_calls",
            Self::Filtered => "filtered",
            Self::Other(word) => word,
        }
    }
}

impl From<String> for FinishReason {
    fn from(word: String) -> Self {
        match word.as_str() {
            "end" => Self::End,
            "length" => Self::Length,
            "tool_calls" => Self::ToolCalls,
            "filtered" => Self::Filtered,
            _ => Self::Other(word),
        }
    }
}

impl From<FinishReason> for String {
    fn from(reason: FinishReason) -> Self {
        reason.as_str().to_owned()
    }
}

impl fmt::Display for FinishReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn finish_reasons_are_their_words() {
        let check = |reason: FinishReason, expect: &str| {
            let text = serde_json::to_string(&reason).unwrap();
            assert_eq!(text, expect);
            assert_eq!(serde_json::from_str::<FinishReason>(&text).unwrap(), reason);
        };
        check(FinishReason::End, "\"end\"");
        check(FinishReason::Length, "\"length\"");
        check(FinishReason::ToolCalls, "\"tool_calls\"");
        check(FinishReason::Filtered, "\"filtered\"");
        check(FinishReason::Other("pause_turn".to_owned()), "\"pause_turn\"");
    }
}
