//! One service behind an address: send, wait, send again.

use std::time::{Duration, Instant, SystemTime};

use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::retry::{Backoff, RetryAdvice};
use crate::transport::{HttpAnswer, Transport, endpoint, is_loopback};
use crate::wire::{AnswerError, Rejection, RequestContext, WireFormat, classify};
use crate::{KeySource, ModelError, ModelName, ModelNotice, Provider, RetryNotice, RetryPolicy, Secret};

/// A service that does not answer by then says nothing of the key.
const PATIENCE: Duration = Duration::from_secs(5);
/// Where the list of models lies.
const MODELS: &str = "/models";

/// A service, with what it takes to ask it.
pub(crate) struct Service {
    /// Provider and model.
    pub full_name: String,
    /// The model, as the service calls it.
    pub model: String,
    variable: &'static str,
    transport: Transport,
    base: String,
    key: Option<Secret>,
    retry: RetryPolicy,
    /// Hears of retries, and of what has come of an answer.
    pub notify: Box<dyn Fn(ModelNotice) + Send + Sync>,
}

/// The reason why one request brought no answer, and what the service said about the next.
pub(crate) struct RequestFailure {
    pub error: ModelError,
    pub advice: RetryAdvice,
    /// The refusal, where the service refused the request itself (400, 422).
    pub refusal: Option<Rejection>,
    /// The difference of the next request, where it can be made acceptable.
    pub change: Option<&'static str>,
}

impl From<ModelError> for RequestFailure {
    fn from(error: ModelError) -> Self {
        Self { error, advice: RetryAdvice::default(), refusal: None, change: None }
    }
}

impl Service {
    /// Prepares requests behind the base URL; nothing is sent yet.
    pub fn new(
        name: &ModelName,
        base_url: Option<&str>,
        keys: &KeySource,
        retry: RetryPolicy,
        notify: Box<dyn Fn(ModelNotice) + Send + Sync>,
    ) -> Result<Self, ModelError> {
        let base = base_url.or(name.provider.base_url()).ok_or_else(|| ModelError::BadBaseUrl {
            problem: format!("`{name}` needs one, and none was given"),
        })?;
        let url = endpoint(base, MODELS)?;
        let variable = name.provider.key_variable();
        let key = keys.find(variable)?;
        if key.is_none() && name.provider != Provider::Compatible && !is_loopback(&url) {
            return Err(ModelError::NoKey { variable: variable.to_owned() });
        }
        let transport = Transport::new(&url, WireFormat::of(name.provider), key.as_ref(), &retry)?;
        Ok(Self {
            full_name: name.to_string(),
            model: name.model.clone(),
            variable,
            transport,
            base: base.to_owned(),
            key,
            retry,
            notify,
        })
    }

    /// Asks for the list of models: whoever has another key is refused. Keys that may not see the list (403) are as good as others, and
    /// services without one say nothing.
    pub async fn check_key(&self) -> Result<(), ModelError> {
        let asked = async {
            let answer = self.transport.get(&endpoint(&self.base, MODELS)?).await?;
            if answer.status == 401 { Err(self.refusal(answer).await.error) } else { Ok(()) }
        };
        match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Err(error @ (ModelError::WrongKey { .. } | ModelError::NoKey { .. }))) => Err(error),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Whether the service is on this machine.
    pub fn is_local(&self) -> bool {
        self.transport.is_loopback()
    }

    fn asked(&self) -> RequestContext<'_> {
        RequestContext { model: &self.model, variable: self.variable, with_key: self.key.is_some() }
    }

    /// Sends one request to `path` behind the base URL; an answer of success is still to be read.
    pub async fn open(&self, path: &str, body: &Value) -> Result<HttpAnswer, RequestFailure> {
        let url = endpoint(&self.base, path)?;
        let answer = self.transport.post(&url, body).await.map_err(|error| self.clean(error))?;
        tracing::debug!(model = self.full_name, status = answer.status, "answered");
        if (200..300).contains(&answer.status) { Ok(answer) } else { Err(self.refusal(answer).await) }
    }

    /// Sends one request and reads the whole answer by `read`, on a thread that may block: it may be long.
    pub async fn send<T: Send + 'static>(
        &self,
        path: &str,
        body: &Value,
        read: impl FnOnce(&[u8]) -> Result<T, AnswerError> + Send + 'static,
    ) -> Result<T, RequestFailure> {
        let HttpAnswer { headers, mut body, .. } = self.open(path, body).await?;
        let body = body.rest(Vec::new()).await.map_err(|error| self.clean(error))?;
        self.read(&headers, body, read).await
    }

    /// Reads the whole body of an answer of success.
    pub async fn read<T: Send + 'static>(
        &self,
        headers: &HeaderMap,
        body: Vec<u8>,
        read: impl FnOnce(&[u8]) -> Result<T, AnswerError> + Send + 'static,
    ) -> Result<T, RequestFailure> {
        let read = tokio::task::spawn_blocking(move || read(&body)).await;
        read.unwrap_or_else(|lost| Err(AnswerError::Model(unread(&lost))))
            .map_err(|error| self.failed(error, headers))
    }

    /// The failure that an answer of success turned out to be.
    pub fn failed(&self, error: AnswerError, headers: &HeaderMap) -> RequestFailure {
        match error {
            AnswerError::Model(error) => self.clean(error).into(),
            AnswerError::Rejected(rejection) => self.rejected(rejection.own_status(), rejection, headers),
        }
    }

    /// The failure that an answer of another status is. A redirect says what it is in a header; it is not followed, because the key would
    /// go along.
    async fn refusal(&self, mut answer: HttpAnswer) -> RequestFailure {
        let place = answer.headers.get("location").and_then(|value| value.to_str().ok());
        let rejection = match place {
            Some(place) if (300..400).contains(&answer.status) => {
                Rejection { message: format!("the address redirects to {place}"), ..Rejection::default() }
            }
            _ => match answer.body.rest(Vec::new()).await {
                Ok(body) => Rejection::of_body(&body),
                Err(error) => return self.clean(error).into(),
            },
        };
        self.rejected(answer.status, rejection, &answer.headers)
    }

    fn rejected(&self, status: u16, rejection: Rejection, headers: &HeaderMap) -> RequestFailure {
        let advice = RetryAdvice::of(headers, SystemTime::now());
        let error = match classify(status, &rejection, self.asked()) {
            ModelError::RateLimited { message, .. } => ModelError::RateLimited { wait: advice.wait, message },
            other => other,
        };
        let refusal = matches!(status, 400 | 422).then_some(rejection);
        RequestFailure { error: self.clean(error), advice, refusal, change: None }
    }

    /// Asks until there is an answer, or no hope of one. A request that will be another one is sent at once.
    pub async fn patiently<T, A>(&self, mut ask: impl FnMut() -> A) -> Result<T, ModelError>
    where
        A: Future<Output = Result<T, RequestFailure>>,
    {
        let mut waits = Backoff::new(&self.retry);
        loop {
            let begun = Instant::now();
            let failure = match ask().await {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            if let Some(change) = failure.change {
                self.notify_retry(waits.failed() + 1, Duration::ZERO, change.to_owned(), String::new());
                continue;
            }
            let took = begun.elapsed();
            match waits.after(&failure.error, failure.advice, took, self.transport.is_loopback()) {
                Some(wait) => {
                    let reason = failure.error.to_string();
                    self.notify_retry(waits.failed(), wait, reason, failure.error.into_received());
                    tokio::time::sleep(wait).await;
                }
                None => return Err(failure.error),
            }
        }
    }

    fn notify_retry(&self, attempt: u32, wait: Duration, reason: String, received: String) {
        let model = self.full_name.clone();
        (self.notify)(ModelNotice::Retry(RetryNotice { model, attempt, wait, reason, received }));
    }

    /// A text without the key.
    pub fn scrubbed(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.scrub(text))
    }

    /// The error without the key in what the service said.
    pub fn clean(&self, mut error: ModelError) -> ModelError {
        if let (Some(key), Some(said)) = (&self.key, error.said_mut()) {
            *said = key.scrub(said);
        }
        error
    }
}

/// The error of an answer whose reading was lost with its thread.
fn unread(lost: &tokio::task::JoinError) -> ModelError {
    ModelError::BadAnswer { problem: format!("it could not be read: {lost}"), excerpt: String::new() }
}
