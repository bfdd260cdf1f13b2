//! A chat model behind an address: ask, and adapt to what it refuses.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;

use crate::service::{RequestFailure, Service};
use crate::wire::{UnsupportedParameters, WireFormat};
use crate::{ChatModel, ChatReply, ChatRequest, KeySource, ModelError, ModelName, RetryNotice, RetryPolicy};

/// Prepares a model for questions; nothing is sent yet.
///
/// `base_url` replaces the provider's own address (`compatible` has none). `notify` is called for every request that is
/// sent again, before the wait.
///
/// # Errors
/// `NoKey`, `BadKey`, `BadBaseUrl`: all that can be known without the network. A service on this machine and
/// `compatible` ones may do without a key.
pub fn connect(
    name: &ModelName,
    base_url: Option<&str>,
    keys: &KeySource,
    retry: RetryPolicy,
    notify: impl Fn(RetryNotice) + Send + Sync + 'static,
) -> Result<Arc<dyn ChatModel>, ModelError> {
    let format = WireFormat::of(name.provider);
    Ok(Arc::new(Client {
        service: Service::new(name, base_url, format.path(), keys, retry, Box::new(notify))?,
        format,
        refuses_max_tokens: AtomicBool::new(false),
        refuses_temperature: AtomicBool::new(false),
        refuses_several: AtomicBool::new(false),
    }))
}

struct Client {
    service: Service,
    format: WireFormat,
    refuses_max_tokens: AtomicBool,
    refuses_temperature: AtomicBool,
    refuses_several: AtomicBool,
}

#[async_trait]
impl ChatModel for Client {
    fn name(&self) -> &str {
        &self.service.full_name
    }

    async fn check_key(&self) -> Result<(), ModelError> {
        self.service.check_key().await
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let replies = self.ask_until_answered(request, 1).await?;
        replies.into_iter().next().ok_or_else(|| ModelError::BadAnswer {
            problem: "it holds no answer".to_owned(),
            excerpt: String::new(),
        })
    }

    async fn sample(&self, request: &ChatRequest, count: usize) -> Vec<Result<ChatReply, ModelError>> {
        let mut replies = Vec::new();
        if count > 1 && self.format.takes_several() && !self.refused().several {
            match self.ask_until_answered(request, count).await {
                Ok(several) => replies.extend(several.into_iter().take(count).map(Ok)),
                Err(error) => return vec![Err(error)],
            }
            if replies.len() < count && !self.refuses_several.swap(true, Ordering::Relaxed) {
                tracing::debug!(
                    model = self.service.full_name,
                    "fewer answers than asked for; asking for each"
                );
            }
        }
        let missing = replies.len() as u64..count as u64;
        replies.extend(crate::chat::one_by_one(self, request, missing).await);
        replies
    }
}

impl Client {
    /// Asks for `count` answers, adapts to what the model refuses, and waits where waiting helps.
    async fn ask_until_answered(
        &self,
        request: &ChatRequest,
        count: usize,
    ) -> Result<Vec<ChatReply>, ModelError> {
        let ask = move || async move {
            let refused = self.refused();
            let model = &self.service.model;
            let body = self.format.body(model, request, count, refused);
            let (format, asked) = (self.format, model.clone());
            let sent = self.service.send(&body, move |body| format.read(&asked, body)).await;
            sent.map_err(|mut failure| {
                let silent = failure.refuses == UnsupportedParameters::default();
                // Services refuse the number in too many words: whether it was that, the request without it shows.
                failure.refuses.several =
                    count > 1 && silent && matches!(failure.error, ModelError::Refused { .. });
                RequestFailure { change: self.adapt(request, count, refused, failure.refuses), ..failure }
            })
        };
        self.service.patiently(ask).await
    }

    /// The parameters that the model has refused so far.
    fn refused(&self) -> UnsupportedParameters {
        UnsupportedParameters {
            max_tokens: self.refuses_max_tokens.load(Ordering::Relaxed),
            temperature: self.refuses_temperature.load(Ordering::Relaxed),
            several: self.refuses_several.load(Ordering::Relaxed),
        }
    }

    /// Remembers what the model refuses. `Some` says what is changed: the request differs from the one refused, so
    /// that it can be sent again; each parameter gives that once.
    fn adapt(
        &self,
        request: &ChatRequest,
        count: usize,
        sent: UnsupportedParameters,
        refuses: UnsupportedParameters,
    ) -> Option<&'static str> {
        if refuses.several && !sent.several && count > 1 {
            self.refuses_several.store(true, Ordering::Relaxed);
            return Some("the service gives one answer at a time; asking for each");
        }
        if refuses.max_tokens && !sent.max_tokens && self.format == WireFormat::OpenAi {
            self.refuses_max_tokens.store(true, Ordering::Relaxed);
            return Some("the model wants max_completion_tokens in place of max_tokens");
        }
        if refuses.temperature && !sent.temperature && request.temperature.is_some() {
            self.refuses_temperature.store(true, Ordering::Relaxed);
            return Some("the model does not take a temperature; asking without");
        }
        None
    }
}
