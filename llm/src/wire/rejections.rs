//! The meaning of a service's refusal. The texts are those that services really send, in their many shapes.

use patchwright_protocol::json_values;
use serde_json::Value;

use super::wordings::{BROKEN_CALL, TOO_LONG, window_of};
use super::{MOST_VALUES, excerpt, text_of};
use crate::ModelError;

/// Codes and types that say: no money.
const NO_CREDIT: &[&str] =
    &["insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "billing_error"];

/// Parts of messages that say the same. Lower case.
const NO_CREDIT_TEXT: &[&str] =
    &["credit balance is too low", "insufficient balance", "insufficient credits"];

/// Parts of messages about an answer longer than the model gives. Lower case.
const LONGER_THAN_GIVEN: &[&str] =
    &["maximum allowed number of output tokens", "at most", "too large", "maximum value"];
/// No model's answers are limited to less, in tokens.
const LEAST_ANSWER: u32 = 256;

/// Parts of messages about a parameter that a model does not take (as against a value out of range). Lower case.
const NOT_TAKEN: &[&str] = &[
    "support",
    "deprecated",
    "may only be set",
    "not permitted",
    "not allowed",
    "no longer",
    "unrecognized",
    "unknown",
    "unexpected",
    "must be verified",
];

/// Parts of codes and types in which services name an HTTP status within an answer or a stream.
const STATUS_WORDS: &[(&str, u16)] = &[
    ("rate_limit", 429),
    ("too_many_requests", 429),
    ("overloaded", 529),
    ("authentication", 401),
    ("invalid_api_key", 401),
    ("permission", 403),
    ("not_found", 404),
    ("invalid_request", 400),
    ("timeout", 504),
];

/// The refusal of a service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Rejection {
    /// Its word for the error.
    pub code: String,
    /// Its word for the kind of error (`type`).
    pub kind: String,
    /// The parameter it is about.
    pub parameter: String,
    /// Its sentence, on one line.
    pub message: String,
    /// What the model had written, where the service could not read it.
    pub written: String,
}

/// The parts of the request on which a refusal's meaning depends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestContext<'a> {
    /// The model, without the provider.
    pub model: &'a str,
    /// Where the key comes from.
    pub variable: &'a str,
    /// A key was sent.
    pub with_key: bool,
}

impl Rejection {
    /// Reads the body of a refusal: an error object in one of the shapes in use, else plain text or a page.
    pub fn of_body(body: &[u8]) -> Self {
        let value = (json_values(body) <= MOST_VALUES).then(|| serde_json::from_slice::<Value>(body).ok());
        let Some(value) = value.flatten() else {
            return Self { message: excerpt(&String::from_utf8_lossy(body)), ..Self::default() };
        };
        match value.get("error") {
            Some(error @ (Value::Object(_) | Value::String(_))) => Self::of_error(error),
            _ => Self::of_error(&value),
        }
    }

    /// Reads an error object (or its text alone).
    pub fn of_error(error: &Value) -> Self {
        let word = |key: &str| match error.get(key) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let sentence = ["message", "detail", "error"].iter().find_map(|key| text_of(error, key));
        let message =
            sentence.or_else(|| error.as_str()).map_or_else(|| excerpt(&error.to_string()), excerpt);
        let written = text_of(error, "failed_generation").map(excerpt).unwrap_or_default();
        Self { code: word("code"), kind: word("type"), parameter: word("param"), message, written }
    }

    /// The HTTP status that the error names itself (some gateways send 200 around it), by a number or a word, else 502.
    pub fn own_status(&self) -> u16 {
        let by_number = self.code.parse().ok().filter(|status| (400..600).contains(status));
        let by_word = || {
            // Some give the word alone, in the place of a sentence.
            let said = if self.message.contains(' ') { "" } else { self.message.as_str() };
            let is = |(word, _): &&(&str, u16)| {
                [self.code.as_str(), self.kind.as_str(), said].iter().any(|text| text.contains(word))
            };
            STATUS_WORDS.iter().find(is).map(|(_, status)| *status)
        };
        by_number.or_else(by_word).unwrap_or(502)
    }

    /// Whether it asks for `max_completion_tokens`.
    pub fn wants_completion_tokens(&self) -> bool {
        let message = self.message.to_lowercase();
        message.contains("max_completion_tokens")
            && (self.parameter == "max_tokens" || message.contains("max_tokens"))
    }

    /// Whether it says that something is not taken, as against a value out of range.
    pub fn speaks_of_what_is_not_taken(&self) -> bool {
        let is = |word: &str| self.code.starts_with(word);
        is("unsupported") || is("unknown_parameter") || contains_any(&self.message.to_lowercase(), NOT_TAKEN)
    }

    /// Whether it says that reasoning which was sent back is not its own: another account's, another model's, or older than is kept.
    pub fn does_not_know_reasoning(&self) -> bool {
        let message = self.message.to_lowercase();
        self.code == "invalid_encrypted_content"
            || contains_any(&message, &["encrypted content", "encrypted_content", "signature"])
                && contains_any(&message, &["verif", "invalid", "decrypt", "not found"])
    }

    /// The longest answer that the service gives, where it says that a longer one was asked for: the least number that can be one.
    pub fn longest_answer(&self) -> Option<u32> {
        let message = self.message.to_lowercase();
        let is_about = contains_any(&message, &["max_tokens", "max_completion_tokens", "max_output_tokens"]);
        if !is_about || !contains_any(&message, LONGER_THAN_GIVEN) {
            return None;
        }
        let numbers =
            message.split(|letter: char| !letter.is_ascii_digit()).filter_map(|word| word.parse().ok());
        numbers.filter(|number| *number >= LEAST_ANSWER).min()
    }

    /// Whether it names one of these parameters.
    pub fn is_about(&self, names: &[&str]) -> bool {
        let message = self.message.to_lowercase();
        names.iter().any(|name| self.parameter == *name || message.contains(name))
    }
}

/// The error that a refusal with this HTTP status is.
pub(crate) fn classify(status: u16, rejection: &Rejection, asked: RequestContext<'_>) -> ModelError {
    let text = rejection.message.to_lowercase();
    let is = |word: &str| rejection.code == word || rejection.kind == word;
    let message = || match rejection.message.as_str() {
        "" => "(nothing said)".to_owned(),
        said => said.to_owned(),
    };
    let too_long =
        is("context_length_exceeded") || is("string_above_max_length") || is("exceed_context_size_error");
    if is("tool_use_failed") || contains_any(&text, BROKEN_CALL) {
        let wrote = |written: &str| format!("{}; it wrote: {written}", message());
        let written = Some(rejection.written.as_str()).filter(|written| !written.is_empty());
        return ModelError::BrokenCall { message: written.map_or_else(message, wrote) };
    }
    if status == 413 || too_long || contains_any(&text, TOO_LONG) {
        return ModelError::ContextTooLong { message: message(), window: window_of(&text) };
    }
    if status == 402 || NO_CREDIT.iter().any(|word| is(word)) || contains_any(&text, NO_CREDIT_TEXT) {
        return ModelError::Quota { message: message() };
    }
    let no_model = status == 404 && text.contains("model")
        || status == 400 && text.contains("model") && contains_any(&text, &["does not exist", "not found"])
        || status == 400 && contains_any(&text, &["invalid model", "unknown model"]);
    if is("model_not_found") || no_model {
        return ModelError::ModelNotFound { model: asked.model.to_owned(), message: message() };
    }
    match status {
        401 | 403 if !asked.with_key => ModelError::NoKey { variable: asked.variable.to_owned() },
        401 | 403 => ModelError::WrongKey { variable: asked.variable.to_owned(), status, message: message() },
        429 => ModelError::RateLimited { wait: None, message: message() },
        408 | 409 | 500..=599 => ModelError::Unavailable { status, message: message() },
        _ => ModelError::Refused { status, message: message() },
    }
}

fn contains_any(text: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| text.contains(part))
}

#[cfg(test)]
mod tests;
