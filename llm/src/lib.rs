//! Chat models over HTTP: three wire formats, read as they come, limits, prices, retries, secrets.
//!
//! [`connect`] gives a [`ChatModel`] for a name such as `openai/gpt-4.1`, `anthropic/claude-sonnet-4-5` or
//! `compatible/qwen3-coder` (any server that speaks OpenAI's chat completions, at a base URL of the user's). OpenAI's models are asked by
//! Responses, and by chat completions where the service at hand knows nothing else.
//! One request is one [`ChatRequest`]; what comes back is a [`ChatReply`](patchwright_protocol::ChatReply) or a [`ModelError`] that says who must act.
//! Waiting, retrying and adapting to what a model refuses happen inside; each retry is told as a [`RetryNotice`].
//!
//! [`connect_embedder`] gives an [`Embedder`] in the same way, [`CachedEmbedder`] keeps its vectors on disk, and
//! [`by_cosine`] ranks them.
//!
//! Keys come from the environment or a key file ([`KeySource`]), are held as [`Secret`] and are removed from every
//! text that a server sends back. Costs come from a dated table ([`Prices`]); a price that is not known is `None`.
//! [`ServiceFacts`] are what a client has found out about its service, [`longer_context`] how servers of one's own get a longer context.

mod chat;
mod client;
mod embed;
mod error;
mod events;
mod facts;
mod keys;
mod limits;
mod name;
mod prices;
mod retry;
mod secret;
mod service;
mod transport;
mod wire;

pub use chat::{ChatModel, ChatRequest};
pub use client::connect;
pub use embed::{CachedEmbedder, Embedder, Embeddings, by_cosine, connect_embedder};
pub use error::ModelError;
pub use facts::{ServiceFacts, longer_context};
pub use keys::{KEY_FILE_VARIABLE, KeySource};
pub use limits::ModelLimits;
pub use name::{ModelName, Provider};
pub use prices::{Prices, PricesError};
pub use retry::{AnswerProgress, ModelNotice, RetryNotice, RetryPolicy};
pub use secret::Secret;
