//! A chat model behind an address: ask, and adapt to what it refuses.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;

use crate::service::{Failure, Service};
use crate::wire::{Format, Refuses};
use crate::{ChatModel, ChatReply, ChatRequest, KeySource, ModelError, ModelName, RetryNotice, RetryPolicy};

/// Prepares a model for questions; nothing is sent yet.
///
/// `base_url` replaces the provider's own address (`compatible` has none). `notify` hears of every request that is
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
    let format = Format::of(name.provider);
    Ok(Arc::new(Client {
        service: Service::new(name, base_url, format.path(), keys, retry, Box::new(notify))?,
        format,
        refuses_max_tokens: AtomicBool::new(false),
        refuses_temperature: AtomicBool::new(false),
    }))
}

struct Client {
    service: Service,
    format: Format,
    refuses_max_tokens: AtomicBool,
    refuses_temperature: AtomicBool,
}

#[async_trait]
impl ChatModel for Client {
    fn name(&self) -> &str {
        &self.service.full_name
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let ask = move || async move {
            let refused = self.refused();
            let model = &self.service.model;
            let body = self.format.body(model, request, refused);
            let sent = self.service.send(&body, |body| self.format.read(model, body)).await;
            sent.map_err(|failure| Failure {
                change: self.adapt(request, refused, failure.refuses),
                ..failure
            })
        };
        self.service.patiently(ask).await
    }
}

impl Client {
    /// What the model has refused so far.
    fn refused(&self) -> Refuses {
        Refuses {
            max_tokens: self.refuses_max_tokens.load(Ordering::Relaxed),
            temperature: self.refuses_temperature.load(Ordering::Relaxed),
        }
    }

    /// Remembers what the model refuses. `Some` says what is changed: the request differs from the one refused, so
    /// that it can be sent again; each parameter gives that once.
    fn adapt(&self, request: &ChatRequest, sent: Refuses, refuses: Refuses) -> Option<&'static str> {
        if refuses.max_tokens && !sent.max_tokens && self.format == Format::OpenAi {
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
