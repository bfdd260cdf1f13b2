//! Texts as vectors: questions to a service, and the reading of its answers.

mod cache;
mod ranking;

use std::sync::Arc;

use async_trait::async_trait;
use patchwright_protocol::Usage;

use crate::service::Service;
use crate::wire::{WireFormat, embeddings};
use crate::{KeySource, ModelError, ModelName, ModelNotice, RetryNotice, RetryPolicy};

pub use cache::CachedEmbedder;
pub use ranking::by_cosine;

/// Texts sent in one request at most: small enough that a retry is cheap.
const BATCH_TEXTS: usize = 128;

/// Bytes sent in one request at most, if it has more than one text: well below the tokens that services allow.
const BATCH_BYTES: usize = 300_000;

/// The vectors of some texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Embeddings {
    /// One for each text, in order, all of one length. A text of white space has a vector of zeros.
    pub vectors: Vec<Vec<f32>>,
    /// Tokens, as the service counted them; `None` where it sent no count, none where it was not asked.
    pub usage: Option<Usage>,
}

/// A model that gives texts vectors. Calls may run at the same time.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Provider and model, as in `openai/text-embedding-3-small`.
    fn name(&self) -> &str;

    /// The vectors of texts, with retries. Dropping the future gives the request up.
    ///
    /// # Errors
    /// The reason why no answer came, after all retries: see [`ModelError`].
    async fn embed(&self, texts: &[&str]) -> Result<Embeddings, ModelError>;
}

/// Prepares a model of any service that speaks OpenAI's embeddings; nothing is sent yet. See
/// [`connect`](crate::connect) for the arguments.
///
/// # Errors
/// Those of [`connect`](crate::connect), and `BadName` for a provider without embeddings.
pub fn connect_embedder(
    name: &ModelName,
    base_url: Option<&str>,
    keys: &KeySource,
    retry: RetryPolicy,
    notify: impl Fn(RetryNotice) + Send + Sync + 'static,
) -> Result<Arc<dyn Embedder>, ModelError> {
    match WireFormat::of(name.provider) {
        WireFormat::Responses | WireFormat::ChatCompletions => {}
        WireFormat::Messages => {
            return Err(ModelError::BadName {
                asked: name.to_string(),
                problem: "Anthropic's format has no embeddings; name an `openai/…` or `compatible/…` model"
                    .to_owned(),
            });
        }
    }
    let notify = move |notice| {
        if let ModelNotice::Retry(retry) = notice {
            notify(retry);
        }
    };
    let service = Service::new(name, base_url, keys, retry, Box::new(notify))?;
    Ok(Arc::new(Client { service }))
}

struct Client {
    service: Service,
}

#[async_trait]
impl Embedder for Client {
    fn name(&self) -> &str {
        &self.service.full_name
    }

    async fn embed(&self, texts: &[&str]) -> Result<Embeddings, ModelError> {
        // Services refuse empty texts.
        let said: Vec<&str> = texts.iter().copied().filter(|text| !is_blank(text)).collect();
        let mut found = Embeddings::default();
        for batch in batches(&said) {
            let body = embeddings::body(&self.service.model, batch);
            let body = &body;
            let count = batch.len();
            let ask = move || {
                let read = move |answer: &[u8]| embeddings::read(count, answer);
                self.service.send(embeddings::PATH, body, read)
            };
            let answer = self.service.patiently(ask).await?;
            found.vectors.extend(answer.vectors);
            add(&mut found.usage, answer.usage);
        }
        let length = found.vectors.first().map_or(0, Vec::len);
        if found.vectors.iter().any(|vector| vector.len() != length) {
            let problem = "the vectors of two requests have different lengths".to_owned();
            return Err(ModelError::BadAnswer { problem, excerpt: String::new() });
        }
        let mut vectors = found.vectors.into_iter();
        let one = |text: &&str| {
            let own = if is_blank(text) { None } else { vectors.next() };
            own.unwrap_or_else(|| vec![0.0; length])
        };
        Ok(Embeddings { vectors: texts.iter().map(one).collect(), usage: found.usage })
    }
}

/// Is true if there is nothing in a text to be embedded.
fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Texts in groups that one request may hold.
fn batches<'b, 't>(texts: &'b [&'t str]) -> Vec<&'b [&'t str]> {
    let mut found = Vec::new();
    let mut rest = texts;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = rest.iter().take(BATCH_TEXTS).take_while(|text| {
            bytes += text.len();
            bytes <= BATCH_BYTES
        });
        let (batch, behind) = rest.split_at(fits.count().max(1));
        found.push(batch);
        rest = behind;
    }
    found
}

/// Adds tokens to a sum; a count that is not known adds nothing.
fn add(sum: &mut Option<Usage>, more: Option<Usage>) {
    if let Some(more) = more {
        *sum.get_or_insert_default() += more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_bounded_by_texts_and_bytes() {
        let sizes = |texts: &[&str]| batches(texts).iter().map(|batch| batch.len()).collect::<Vec<_>>();
        assert_eq!(sizes(&[]), [0; 0]);
        assert_eq!(sizes(&["a"; 300]), [128, 128, 44]);
        let long = "x".repeat(BATCH_BYTES - 1);
        assert_eq!(sizes(&["a", &long, "b", "c"]), [2, 2]);
        let longer = "x".repeat(BATCH_BYTES + 1);
        assert_eq!(sizes(&["a", &longer, "b"]), [1, 1, 1]);
    }
}
