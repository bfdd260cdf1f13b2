//! One service behind an address: send, wait, send again.

use std::time::{Duration, Instant, SystemTime};

use reqwest::Url;
use serde_json::Value;

use crate::retry::{Backoff, RetryAdvice};
use crate::transport::{HttpAnswer, Transport, endpoint, is_loopback};
use crate::wire::{AnswerError, Rejection, RequestContext, UnsupportedParameters, WireFormat, classify};
use crate::{KeySource, ModelError, ModelName, Provider, RetryNotice, RetryPolicy, Secret};

/// A service that does not answer by then says nothing of the key.
const PATIENCE: Duration = Duration::from_secs(5);

/// A service, with what it takes to ask it.
pub(crate) struct Service {
    /// Provider and model.
    pub full_name: String,
    /// The model, as the service calls it.
    pub model: String,
    variable: &'static str,
    transport: Transport,
    /// Where the list of models lies.
    models: Url,
    key: Option<Secret>,
    retry: RetryPolicy,
    notify: Box<dyn Fn(RetryNotice) + Send + Sync>,
}

/// The reason why one request brought no answer, and what the service said about the next.
pub(crate) struct RequestFailure {
    pub error: ModelError,
    pub advice: RetryAdvice,
    /// The parameters that the model does not take, where the service said so.
    pub refuses: UnsupportedParameters,
    /// The difference of the next request, where it can be made acceptable.
    pub change: Option<&'static str>,
}

impl From<ModelError> for RequestFailure {
    fn from(error: ModelError) -> Self {
        Self {
            error,
            advice: RetryAdvice::default(),
            refuses: UnsupportedParameters::default(),
            change: None,
        }
    }
}

impl Service {
    /// Prepares requests to `path` behind the base URL; nothing is sent yet.
    pub fn new(
        name: &ModelName,
        base_url: Option<&str>,
        path: &str,
        keys: &KeySource,
        retry: RetryPolicy,
        notify: Box<dyn Fn(RetryNotice) + Send + Sync>,
    ) -> Result<Self, ModelError> {
        let base = base_url.or(name.provider.base_url()).ok_or_else(|| ModelError::BadBaseUrl {
            problem: format!("`{name}` needs one, and none was given"),
        })?;
        let url = endpoint(base, path)?;
        let mut models = url.clone();
        models.set_path(&format!("{}/models", url.path().trim_end_matches(path)));
        let variable = name.provider.key_variable();
        let key = keys.find(variable)?;
        if key.is_none() && name.provider != Provider::Compatible && !is_loopback(&url) {
            return Err(ModelError::NoKey { variable: variable.to_owned() });
        }
        let transport = Transport::new(url, WireFormat::of(name.provider), key.as_ref(), &retry)?;
        Ok(Self {
            full_name: name.to_string(),
            model: name.model.clone(),
            variable,
            transport,
            models,
            key,
            retry,
            notify,
        })
    }

    /// Asks for the list of models: whoever has another key is refused. Keys that may not see the list (403) are as good as others, and
    /// services without one say nothing.
    pub async fn check_key(&self) -> Result<(), ModelError> {
        match tokio::time::timeout(PATIENCE, self.transport.get(&self.models)).await {
            Ok(Ok(answer)) if answer.status == 401 => {
                let error = classify(answer.status, &rejection_of(&answer), self.asked());
                Err(self.clean(error))
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    fn asked(&self) -> RequestContext<'_> {
        RequestContext { model: &self.model, variable: self.variable, with_key: self.key.is_some() }
    }

    /// Sends one request; `read` reads the body of an answer of status 200, on a thread that may block: it may be long.
    pub async fn send<T: Send + 'static>(
        &self,
        body: &Value,
        read: impl FnOnce(&[u8]) -> Result<T, AnswerError> + Send + 'static,
    ) -> Result<T, RequestFailure> {
        let mut answer = self.transport.post(body).await.map_err(|error| self.clean(error))?;
        tracing::debug!(
            model = self.full_name,
            status = answer.status,
            bytes = answer.body.len(),
            "answered"
        );
        let (status, rejection) = if (200..300).contains(&answer.status) {
            let body = std::mem::take(&mut answer.body);
            let read = tokio::task::spawn_blocking(move || read(&body)).await;
            match read.unwrap_or_else(|lost| Err(AnswerError::Model(unread(&lost)))) {
                Ok(reply) => return Ok(reply),
                Err(AnswerError::Model(error)) => return Err(self.clean(error).into()),
                Err(AnswerError::Rejected(rejection)) => (rejection.own_status(), rejection),
            }
        } else {
            (answer.status, rejection_of(&answer))
        };
        let advice = RetryAdvice::of(&answer.headers, SystemTime::now());
        let error = match classify(status, &rejection, self.asked()) {
            ModelError::RateLimited { message, .. } => ModelError::RateLimited { wait: advice.wait, message },
            other => other,
        };
        let refuses =
            if matches!(status, 400 | 422) { rejection.refuses() } else { UnsupportedParameters::default() };
        Err(RequestFailure { error: self.clean(error), advice, refuses, change: None })
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
                self.notify_retry(waits.failed() + 1, Duration::ZERO, change.to_owned());
                continue;
            }
            let took = begun.elapsed();
            match waits.after(&failure.error, failure.advice, took, self.transport.is_loopback()) {
                Some(wait) => {
                    self.notify_retry(waits.failed(), wait, failure.error.to_string());
                    tokio::time::sleep(wait).await;
                }
                None => return Err(failure.error),
            }
        }
    }

    fn notify_retry(&self, attempt: u32, wait: Duration, reason: String) {
        (self.notify)(RetryNotice { model: self.full_name.clone(), attempt, wait, reason });
    }

    /// The error without the key in what the service said.
    fn clean(&self, mut error: ModelError) -> ModelError {
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

/// The content of a refusal. A redirect says it in a header; it is not followed, because the key would go along.
fn rejection_of(answer: &HttpAnswer) -> Rejection {
    match answer.headers.get("location").and_then(|value| value.to_str().ok()) {
        Some(place) if (300..400).contains(&answer.status) => {
            Rejection { message: format!("the address redirects to {place}"), ..Rejection::default() }
        }
        _ => Rejection::of_body(&answer.body),
    }
}
