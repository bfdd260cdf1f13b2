//! Questions to a model and its answers, in no provider's terms.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::stream::{self, StreamExt};
use patchwright_protocol::{ChatReply, Effort, Message, ToolSchema};

use crate::{ModelError, ServiceFacts};

/// Requests for answers to the same question that are under way at once.
const AT_ONCE: usize = 8;

/// One question to a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChatRequest {
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The replies that messages stand for by their [`Turn`](patchwright_protocol::Turn), by cycle. A message whose reply is not here is
    /// sent as a text.
    pub replies: BTreeMap<u32, Arc<ChatReply>>,
    /// Tools offered for native calling; empty = the answer is text alone.
    pub tools: Vec<ToolSchema>,
    /// The answer's limit in tokens, reasoning included.
    pub max_output_tokens: u32,
    /// How much to reason; `None` = as the service does by itself.
    pub effort: Option<Effort>,
    /// Sampling temperature; `None` = the service's default. Left out where the model refuses it.
    pub temperature: Option<f32>,
    /// Seed of sampling, for services in OpenAI's form; others are not sent any. Answers that are asked for one by one have seeds that follow
    /// each other.
    pub seed: Option<u64>,
    /// Asks for the whole answer at once: some services count tokens only then, or can refuse only then.
    pub whole: bool,
}

/// A chat model. Calls may run at the same time.
/// ```
/// use patchwright_llm::{ChatModel, ChatRequest, ModelError};
/// use patchwright_protocol::{ChatReply, Message, Role};
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
///         Ok(ChatReply { text, model: "echo".to_owned(), ..ChatReply::default() })
///     }
/// }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), ModelError> {
/// let hello = Message::new(Role::User, "Hello.");
/// let request = ChatRequest { messages: vec![hello], max_output_tokens: 100, ..ChatRequest::default() };
/// assert_eq!(Echo.complete(&request).await?.text, "Hello.");
/// assert_eq!(Echo.sample(&request, 3).await.len(), 3);
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// Provider and model, as in `openai/gpt-4.1`: the key into [`Prices`](crate::Prices).
    fn name(&self) -> &str;

    /// Asks the service whether it knows the key, which costs nothing; what it does not tell is no error.
    ///
    /// # Errors
    /// [`ModelError::WrongKey`].
    async fn check_key(&self) -> Result<(), ModelError> {
        Ok(())
    }

    /// What was found out about the service so far: asking changes it.
    fn facts(&self) -> ServiceFacts {
        ServiceFacts::default()
    }

    /// Asks once, with retries. Dropping the future gives the request up.
    ///
    /// # Errors
    /// The reason why no answer came, after all retries: see [`ModelError`].
    async fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ModelError>;

    /// Asks for `count` answers to the same question: in one request where the service can, else in requests side by side.
    /// The result of each, at least one; where they came together, the first holds the tokens of all.
    async fn sample(&self, request: &ChatRequest, count: usize) -> Vec<Result<ChatReply, ModelError>> {
        one_by_one(self, request, 0..count as u64).await
    }
}

/// Asks the same question several times, a few requests at once; `places` are those of the answers among all.
pub(crate) async fn one_by_one<M: ChatModel + ?Sized>(
    model: &M,
    request: &ChatRequest,
    places: std::ops::Range<u64>,
) -> Vec<Result<ChatReply, ModelError>> {
    let asked = places.map(|place| async move {
        // The same seed would give the same answer each time.
        match request.seed {
            None => model.complete(request).await,
            Some(seed) => {
                let seed = Some(seed.wrapping_add(place));
                model.complete(&ChatRequest { seed, ..request.clone() }).await
            }
        }
    });
    stream::iter(asked).buffered(AT_ONCE).collect().await
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use patchwright_protocol::Usage;

    #[test]
    fn usage_adds_up_and_reads_records_without_cache_writes() {
        let mut sum: Usage = serde_json::from_str(r#"{"input":10,"cached_input":4,"output":3}"#).unwrap();
        sum += Usage { input: 5, cached_input: 1, cache_write: 2, output: 2, reasoning: 1 };
        assert_eq!(sum, Usage { input: 15, cached_input: 5, cache_write: 2, output: 5, reasoning: 1 });
    }
}
