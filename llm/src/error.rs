//! Errors between a question and its answer, split by who must act.

use std::time::Duration;

use patchwright_protocol::{Actionable, Actor};
use thiserror::Error;

use crate::Provider;

/// The reason for which no answer came. Texts of the service are shortened and free of keys.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ModelError {
    /// Not `provider/model`.
    #[error("`{asked}` is not the name of a model: {problem}")]
    BadName {
        /// The name as it was given.
        asked: String,
        /// The fault.
        problem: String,
    },
    /// No usable base URL.
    #[error("the base URL cannot be used: {problem}")]
    BadBaseUrl {
        /// The fault; never the URL's user name or password.
        problem: String,
    },
    /// A key is needed and none was found.
    #[error("no key: {variable} is not set")]
    NoKey {
        /// The environment variable (or name in the key file) that holds it.
        variable: String,
    },
    /// A key or key file is there and cannot be used.
    #[error("the key in {place} cannot be used: {problem}")]
    BadKey {
        /// The variable or the file.
        place: String,
        /// The fault; never the key.
        problem: String,
    },
    /// The service does not accept the key, or not for this (401, 403).
    #[error("the service did not accept the key in {variable} (status {status}): {message}")]
    WrongKey {
        /// Where the key came from.
        variable: String,
        /// HTTP status.
        status: u16,
        /// The service's words.
        message: String,
    },
    /// The account has no credit left, or none was ever bought. Waiting does not help.
    #[error("the account's credit or quota is used up: {message}")]
    Quota {
        /// The service's words.
        message: String,
    },
    /// The service does not have this model, or not for this account.
    #[error("the service has no model `{model}` for this account: {message}")]
    ModelNotFound {
        /// The model asked for, without the provider.
        model: String,
        /// The service's words.
        message: String,
    },
    /// The prompt and the wanted answer together are too long for the model (or for the account's rate).
    #[error("the prompt is too long for the model: {message}")]
    ContextTooLong {
        /// The service's words.
        message: String,
        /// The model's window in tokens, where they name it.
        window: Option<u32>,
    },
    /// The model wrote a call that the service could not read, and so it gave no answer.
    #[error("the service could not read the model's call: {message}")]
    BrokenCall {
        /// The service's words, with what the model wrote where they hold it.
        message: String,
    },
    /// The service refused the request for another reason.
    #[error("the service refused the request (status {status}): {message}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// The service's words.
        message: String,
    },
    /// No connection: name not found, refused, no route, no trusted certificate.
    #[error("{url} cannot be reached: {problem}")]
    Unreachable {
        /// Where to.
        url: String,
        /// The system's words.
        problem: String,
    },
    /// No connection, or no further byte, within the time allowed.
    #[error("no answer in time: {what} took longer than {after:?}")]
    Timeout {
        /// The event that was waited for.
        what: &'static str,
        /// The time allowed for it.
        after: Duration,
    },
    /// The connection broke before the answer was whole.
    #[error("the connection broke before the answer was whole: {problem}")]
    Cut {
        /// The system's words.
        problem: String,
        /// What had come by then: reasoning, text, arguments of calls.
        received: String,
    },
    /// Too many requests or tokens for the account's rate.
    #[error("too many requests or tokens for now: {message}")]
    RateLimited {
        /// The wait that the service asked for, if it did.
        wait: Option<Duration>,
        /// The service's words.
        message: String,
    },
    /// The service is overloaded or broken (408, 409, 5xx).
    #[error("the service has trouble (status {status}): {message}")]
    Unavailable {
        /// HTTP status.
        status: u16,
        /// The service's words.
        message: String,
    },
    /// An answer came and is not of the format: a proxy's page, damaged JSON, fields missing.
    #[error("the answer cannot be read: {problem}{}", beginning(excerpt))]
    BadAnswer {
        /// The fault.
        problem: String,
        /// Its beginning.
        excerpt: String,
    },
}

fn beginning(excerpt: &str) -> String {
    if excerpt.is_empty() { String::new() } else { format!("; it begins: {excerpt}") }
}

impl ModelError {
    /// [`ModelError::Cut`] before anything had come that could be kept.
    pub(crate) fn cut(problem: String) -> Self {
        Self::Cut { problem, received: String::new() }
    }

    /// What had come of the answer.
    pub(crate) fn into_received(self) -> String {
        match self {
            Self::Cut { received, .. } => received,
            _ => String::new(),
        }
    }

    /// Whether the service is unavailable or limits the rate for now, so that asking again later may work.
    pub fn is_outage(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::Timeout { .. }
                | Self::RateLimited { .. }
                | Self::Unavailable { .. }
        )
    }

    /// Whether the account or the address is refused: key, credit, model, path. In a session that was answered before, a proxy may have
    /// lost its way or its key for a moment, and the user can add credit or set a key right.
    pub fn is_about_access(&self) -> bool {
        matches!(
            self,
            Self::NoKey { .. }
                | Self::WrongKey { .. }
                | Self::Quota { .. }
                | Self::ModelNotFound { .. }
                | Self::Refused { status: 404 | 405 | 407, .. }
        )
    }

    /// Whether the model or the service rejects native tools. The same question without tools may be answered.
    pub fn refuses_tools(&self) -> bool {
        let Self::Refused { status: 400 | 404 | 422, message } = self else { return false };
        let message = message.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| message.contains(word));
        has(&["tool", "function"])
            && has(&[
                "support",
                "not allowed",
                "not permitted",
                "not enabled",
                "unavailable",
                "unrecognized",
                "unknown",
                "no tool",
                "requires",
            ])
    }

    /// Whether only this answer is unusable. The service, the key and the model work, so the session can go on.
    pub fn is_about_one_answer(&self) -> bool {
        matches!(self, Self::BadAnswer { .. } | Self::BrokenCall { .. } | Self::Cut { .. })
    }

    /// The text of others in it, of services or the system.
    pub(crate) fn said_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::BadName { .. }
            | Self::BadBaseUrl { .. }
            | Self::NoKey { .. }
            | Self::BadKey { .. }
            | Self::Timeout { .. } => None,
            Self::WrongKey { message: said, .. }
            | Self::Quota { message: said }
            | Self::ModelNotFound { message: said, .. }
            | Self::ContextTooLong { message: said, .. }
            | Self::BrokenCall { message: said }
            | Self::Refused { message: said, .. }
            | Self::Unreachable { problem: said, .. }
            | Self::Cut { problem: said, .. }
            | Self::RateLimited { message: said, .. }
            | Self::Unavailable { message: said, .. }
            | Self::BadAnswer { excerpt: said, .. } => Some(said),
        }
    }
}

impl Actionable for ModelError {
    fn actor(&self) -> Actor {
        match self {
            Self::BadName { .. }
            | Self::BadBaseUrl { .. }
            | Self::NoKey { .. }
            | Self::BadKey { .. }
            | Self::WrongKey { .. }
            | Self::Quota { .. }
            | Self::ModelNotFound { .. }
            | Self::ContextTooLong { .. }
            | Self::Refused { .. } => Actor::User,
            Self::Unreachable { .. }
            | Self::Timeout { .. }
            | Self::Cut { .. }
            | Self::RateLimited { .. }
            | Self::Unavailable { .. }
            | Self::BadAnswer { .. } => Actor::Provider,
            Self::BrokenCall { .. } => Actor::Model,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::BadName { .. } => {
                format!("name it as one of {}", Provider::listed())
            }
            Self::BadBaseUrl { .. } => {
                "give the address in front of /chat/completions (or /messages), as in --base-url http://localhost:11434/v1".to_owned()
            }
            Self::NoKey { variable } => format!(
                "set {variable} in the environment, or name a file with a line {variable}=… in {}",
                crate::KEY_FILE_VARIABLE
            ),
            Self::BadKey { place, .. } => format!("correct the key in {place}"),
            Self::WrongKey { variable, status: 401, .. } => {
                format!("check that {variable} holds a valid key of this service")
            }
            Self::WrongKey { variable, .. } => {
                format!("check what the key in {variable} may do: its project, its models, its region")
            }
            Self::Quota { .. } => "add credit or raise the limit in the provider's billing settings".to_owned(),
            Self::ModelNotFound { .. } => {
                "check the model's spelling in the provider's list of models, and that the account may use it".to_owned()
            }
            Self::ContextTooLong { .. } => {
                "shorten the prompt (fewer tokens of gathered information), or take a model with a larger context"
                    .to_owned()
            }
            Self::Refused { status: 300..=399, .. } => {
                "give the address that it redirects to as --base-url; it is not followed, because the key would go along".to_owned()
            }
            Self::Refused { status: 404, .. } => "check the base URL: it usually ends in /v1".to_owned(),
            Self::BrokenCall { .. } => "ask again, or with `--protocol json`: calls are then read here and not by the service".to_owned(),
            Self::Refused { .. } => "the message says what the service does not accept: look whether it can do what is asked \
                                     for with `patchwright doctor --model`, and try `--protocol json`"
                .to_owned(),
            Self::Unreachable { .. } => "check the network and the base URL; is the server running?".to_owned(),
            Self::Timeout { .. } => "try again later, or take a smaller model or a lower output limit".to_owned(),
            Self::Cut { .. } => "try again later; if it happens each time, look for a proxy in between".to_owned(),
            Self::RateLimited { .. } => {
                "try again later, with fewer requests at the same time, or raise the account's rate limit".to_owned()
            }
            Self::Unavailable { .. } => "try again later; the provider's status page may say more".to_owned(),
            Self::BadAnswer { .. } => {
                "check that the base URL is that of a chat service and not of a web page or proxy".to_owned()
            }
        })
    }
}
