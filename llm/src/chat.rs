//! What is asked of a model and what it answers, in no provider's terms.

use std::fmt;
use std::ops::AddAssign;

use async_trait::async_trait;
use futures_util::stream::{self, StreamExt};
use serde::{Deserialize, Serialize};

use crate::ModelError;

/// Requests for answers to the same question that are under way at once.
const AT_ONCE: usize = 8;

/// Who speaks a [`Message`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The standing instructions.
    System,
    /// The program (or the person) that asks.
    User,
    /// An earlier answer of the model.
    Assistant,
}

/// One message of a conversation. Several messages of one role may follow each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said. A message of white space alone is not sent: services refuse it.
    pub text: String,
    /// A cache breakpoint after this message: everything up to here is worth keeping by the service. Providers that
    /// cache by themselves ignore it.
    pub cache_here: bool,
}

/// A tool that the model may call natively.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSchema {
    /// Letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// What the tool does, for the model.
    pub description: String,
    /// JSON schema of the arguments; an object.
    pub parameters: serde_json::Value,
}

/// One question to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// Tools offered for native calling; empty = the answer is text alone.
    pub tools: Vec<ToolSchema>,
    /// The answer's limit in tokens, reasoning included.
    pub max_output_tokens: u32,
    /// Sampling temperature; `None` = the service's default. Left out where the model refuses it.
    pub temperature: Option<f32>,
}

/// One native call of a tool, as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The name asked for; not checked against the tools offered.
    pub name: String,
    /// The arguments as JSON text, not repaired. Anthropic sends an object: this is its text, keys in their order.
    pub arguments: String,
}

/// Why an answer ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Stop {
    /// The model was done.
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

impl Stop {
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

impl From<String> for Stop {
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

impl From<Stop> for String {
    fn from(stop: Stop) -> Self {
        stop.as_str().to_owned()
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Tokens of one answer (or the sum of several), as the service counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All input tokens: fresh, read from a cache, and written to it.
    pub input: u64,
    /// The part of `input` that was read from the service's cache.
    pub cached_input: u64,
    /// The part of `input` that was written to the service's cache; 0 where the service does not say.
    #[serde(default)]
    pub cache_write: u64,
    /// All output tokens, reasoning included.
    pub output: u64,
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input += other.input;
        self.cached_input += other.cached_input;
        self.cache_write += other.cache_write;
        self.output += other.output;
    }
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatReply {
    /// The visible text; empty where the model only called tools, only reasoned, or said nothing.
    pub text: String,
    /// Native tool calls, in order.
    pub tool_calls: Vec<ToolCall>,
    /// Why the answer ended.
    pub stop: Stop,
    /// Token counts; `None` where the service sent none.
    pub usage: Option<Usage>,
    /// The model that the service says answered (often dated), else the one asked for.
    pub model: String,
}

/// A chat model. Calls may run at the same time.
/// ```
/// use patchwright_llm::{ChatModel, ChatReply, ChatRequest, Message, ModelError, Role, Stop};
///
/// struct Echo;
///
/// #[async_trait::async_trait]
/// impl ChatModel for Echo {
///     fn name(&self) -> &str {
///         "example/echo"
///     }
///
///     async fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
///         let text = request.messages.last().map(|message| message.text.clone()).unwrap_or_default();
///         Ok(ChatReply { text, tool_calls: Vec::new(), stop: Stop::End, usage: None, model: "echo".to_owned() })
///     }
/// }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), ModelError> {
/// let hello = Message { role: Role::User, text: "Hello.".to_owned(), cache_here: false };
/// let request =
///     ChatRequest { messages: vec![hello], tools: Vec::new(), max_output_tokens: 100, temperature: None };
/// assert_eq!(Echo.complete(&request).await?.text, "Hello.");
/// assert_eq!(Echo.sample(&request, 3).await.len(), 3);
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// Provider and model, as in `openai/gpt-4.1`: the key into [`Prices`](crate::Prices).
    fn name(&self) -> &str;

    /// Asks once, with retries. Dropping the future gives the request up.
    ///
    /// # Errors
    /// What kept an answer from coming, after all retries: see [`ModelError`].
    async fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ModelError>;

    /// Asks for `count` answers to the same question: in one request where the service can, else in requests side by side.
    /// What became of each, at least one; where they came together, the first holds the tokens of all.
    async fn sample(&self, request: &ChatRequest, count: usize) -> Vec<Result<ChatReply, ModelError>> {
        one_by_one(self, request, count).await
    }
}

/// Asks the same question `count` times, a few requests at once.
pub(crate) async fn one_by_one<M: ChatModel + ?Sized>(
    model: &M,
    request: &ChatRequest,
    count: usize,
) -> Vec<Result<ChatReply, ModelError>> {
    let asked = (0..count).map(|_| model.complete(request));
    stream::iter(asked).buffered(AT_ONCE).collect().await
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn stop_is_one_word_in_json() {
        let check = |stop: Stop, expect: &str| {
            let text = serde_json::to_string(&stop).unwrap();
            assert_eq!(text, expect);
            assert_eq!(serde_json::from_str::<Stop>(&text).unwrap(), stop);
        };
        check(Stop::End, "\"end\"");
        check(Stop::Length, "\"length\"");
        check(Stop::ToolCalls, "\"tool_calls\"");
        check(Stop::Filtered, "\"filtered\"");
        check(Stop::Other("pause_turn".to_owned()), "\"pause_turn\"");
    }

    #[test]
    fn usage_adds_up_and_reads_records_without_cache_writes() {
        let mut sum: Usage = serde_json::from_str(r#"{"input":10,"cached_input":4,"output":3}"#).unwrap();
        sum += Usage { input: 5, cached_input: 1, cache_write: 2, output: 1 };
        assert_eq!(sum, Usage { input: 15, cached_input: 5, cache_write: 2, output: 4 });
    }
}
