//! A chat model behind an address: ask, adapt, wait, ask again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;

use crate::retry::{Advice, Waits};
use crate::transport::{Answer, Transport, endpoint, is_loopback};
use crate::wire::{Asked, Format, ReadError, Refuses, Rejection, classify};
use crate::{
    ChatModel, ChatReply, ChatRequest, KeySource, ModelError, ModelName, Provider, RetryNotice, RetryPolicy,
    Secret,
};

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
    let base = base_url.or(name.provider.base_url()).ok_or_else(|| ModelError::BadBaseUrl {
        problem: format!("`{name}` needs one, and none was given"),
    })?;
    let format = Format::of(name.provider);
    let url = endpoint(base, format.path())?;
    let variable = name.provider.key_variable();
    let key = keys.find(variable)?;
    if key.is_none() && name.provider != Provider::Compatible && !is_loopback(&url) {
        return Err(ModelError::NoKey { variable: variable.to_owned() });
    }
    let transport = Transport::new(url, format, key.as_ref(), &retry)?;
    Ok(Arc::new(Client {
        full_name: name.to_string(),
        model: name.model.clone(),
        variable,
        format,
        transport,
        key,
        retry,
        notify: Box::new(notify),
        refuses_max_tokens: AtomicBool::new(false),
        refuses_temperature: AtomicBool::new(false),
        refuses_several: AtomicBool::new(false),
    }))
}

struct Client {
    full_name: String,
    model: String,
    variable: &'static str,
    format: Format,
    transport: Transport,
    key: Option<Secret>,
    retry: RetryPolicy,
    notify: Box<dyn Fn(RetryNotice) + Send + Sync>,
    refuses_max_tokens: AtomicBool,
    refuses_temperature: AtomicBool,
    refuses_several: AtomicBool,
}

/// Why one request brought no answer, and what the service said about the next.
struct Failure {
    error: ModelError,
    advice: Advice,
    refuses: Refuses,
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        Self { error, advice: Advice::default(), refuses: Refuses::default() }
    }
}

/// What a refusal says. A redirect says it in a header; it is not followed, because the key would go along.
fn rejection_of(answer: &Answer) -> Rejection {
    match answer.headers.get("location").and_then(|value| value.to_str().ok()) {
        Some(place) if (300..400).contains(&answer.status) => {
            Rejection { message: format!("the address redirects to {place}"), ..Rejection::default() }
        }
        _ => Rejection::of_body(&answer.body),
    }
}

#[async_trait]
impl ChatModel for Client {
    fn name(&self) -> &str {
        &self.full_name
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
                tracing::debug!(model = self.full_name, "fewer answers than asked for; asking for each");
            }
        }
        let missing = count - replies.len();
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
        let mut waits = Waits::new(&self.retry);
        loop {
            let refused = self.refused();
            let begun = Instant::now();
            let failure = match self.ask(request, count, refused).await {
                Ok(replies) => return Ok(replies),
                Err(failure) => failure,
            };
            if let Some(change) = self.adapt(request, count, refused, failure.refuses) {
                self.tell(waits.failed() + 1, Duration::ZERO, change.to_owned());
                continue;
            }
            let took = begun.elapsed();
            match waits.after(&failure.error, failure.advice, took, self.transport.is_loopback()) {
                Some(wait) => {
                    self.tell(waits.failed(), wait, failure.error.to_string());
                    tokio::time::sleep(wait).await;
                }
                None => return Err(failure.error),
            }
        }
    }

    /// Sends one request.
    async fn ask(
        &self,
        request: &ChatRequest,
        count: usize,
        refused: Refuses,
    ) -> Result<Vec<ChatReply>, Failure> {
        let body = self.format.body(&self.model, request, count, refused);
        let answer = self.transport.post(&body).await.map_err(|error| self.clean(error))?;
        tracing::debug!(
            model = self.full_name,
            status = answer.status,
            bytes = answer.body.len(),
            "answered"
        );
        let (status, rejection) = if (200..300).contains(&answer.status) {
            match self.format.read(&self.model, &answer.body) {
                Ok(replies) => return Ok(replies),
                Err(ReadError::Model(error)) => return Err(self.clean(error).into()),
                Err(ReadError::Rejected(rejection)) => (rejection.own_status(), rejection),
            }
        } else {
            (answer.status, rejection_of(&answer))
        };
        let advice = Advice::of(&answer.headers, SystemTime::now());
        let asked = Asked { model: &self.model, variable: self.variable, with_key: self.key.is_some() };
        let error = match classify(status, &rejection, asked) {
            ModelError::RateLimited { message, .. } => ModelError::RateLimited { wait: advice.wait, message },
            other => other,
        };
        let mut refuses = if matches!(status, 400 | 422) { rejection.refuses() } else { Refuses::default() };
        refuses.several =
            count > 1 && refuses == Refuses::default() && matches!(error, ModelError::Refused { .. });
        Err(Failure { error: self.clean(error), advice, refuses })
    }

    /// What the model has refused so far.
    fn refused(&self) -> Refuses {
        Refuses {
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
        sent: Refuses,
        refuses: Refuses,
    ) -> Option<&'static str> {
        if refuses.several && !sent.several && count > 1 {
            self.refuses_several.store(true, Ordering::Relaxed);
            return Some("the service gives one answer at a time; asking for each");
        }
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

    fn tell(&self, attempt: u32, wait: Duration, reason: String) {
        (self.notify)(RetryNotice { model: self.full_name.clone(), attempt, wait, reason });
    }

    /// The error without the key in what the service said.
    fn clean(&self, error: ModelError) -> ModelError {
        match &self.key {
            Some(key) => error.map_texts(|text| key.scrub(&text)),
            None => error,
        }
    }
}
