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
            let is = |(word, _): &&(&str, u16)| self.code.contains(word) || self.kind.contains(word);
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
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use serde_json::json;

    use patchwright_protocol::Actionable;

    use super::*;

    fn classified(status: u16, body: &str, with_key: bool) -> ModelError {
        let asked = RequestContext { model: "m", variable: "KEY", with_key };
        classify(status, &Rejection::of_body(body.as_bytes()), asked)
    }

    fn openai(code: &str, message: &str) -> String {
        json!({ "error": { "message": message, "type": "invalid_request_error", "param": null, "code": code } })
            .to_string()
    }

    fn anthropic(kind: &str, message: &str) -> String {
        json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_1" })
            .to_string()
    }

    /// The variant's name.
    fn name(error: &ModelError) -> String {
        let text = format!("{error:?}");
        text.split([' ', '{']).next().unwrap().to_owned()
    }

    #[test]
    fn refusals_are_told_apart() {
        let check = |status: u16, body: &str, expect: &str| {
            let error = classified(status, body, true);
            assert_eq!(name(&error), expect, "{status} {body}: {error}");
            assert!(!error.hint().unwrap_or_default().is_empty());
        };
        // OpenAI
        check(401, &openai("invalid_api_key", "Incorrect API key provided: sk-a***z."), "WrongKey");
        check(403, &openai("unsupported_country_region_territory", "Country not supported"), "WrongKey");
        check(
            403,
            &openai("model_not_found", "Project `p` does not have access to model `m`"),
            "ModelNotFound",
        );
        check(404, &openai("model_not_found", "The model `m` does not exist"), "ModelNotFound");
        check(404, &openai("", "This is not a chat model"), "ModelNotFound");
        check(
            400,
            &openai("context_length_exceeded", "This model's maximum context length is 8192 tokens."),
            "ContextTooLong",
        );
        check(429, &openai("insufficient_quota", "You exceeded your current quota"), "Quota");
        check(
            429,
            &openai("rate_limit_exceeded", "Rate limit reached for m on requests per min"),
            "RateLimited",
        );
        check(
            429,
            &openai("rate_limit_exceeded", "Request too large for m on tokens per min (TPM): Limit 30000"),
            "ContextTooLong",
        );
        check(400, &openai("invalid_value", "max_tokens is too large: 99999."), "Refused");
        check(500, &openai("", "The server had an error"), "Unavailable");
        // Anthropic
        check(401, &anthropic("authentication_error", "invalid x-api-key"), "WrongKey");
        check(
            400,
            &anthropic("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"),
            "ContextTooLong",
        );
        check(413, &anthropic("request_too_large", "Request exceeds the maximum size"), "ContextTooLong");
        check(400, &anthropic("invalid_request_error", "Your credit balance is too low to access"), "Quota");
        check(402, &anthropic("billing_error", "…"), "Quota");
        check(404, &anthropic("not_found_error", "model: claude-9"), "ModelNotFound");
        check(
            429,
            &anthropic("rate_limit_error", "This request would exceed your rate limit"),
            "RateLimited",
        );
        check(529, &anthropic("overloaded_error", "Overloaded"), "Unavailable");
        check(
            400,
            &anthropic("invalid_request_error", "messages: first message must use the \"user\" role"),
            "Refused",
        );
        // Copies and proxies
        check(
            400,
            r#"{"object":"error","message":"This model's maximum context length is 4096","code":400}"#,
            "ContextTooLong",
        );
        check(
            400,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size"}}"#,
            "ContextTooLong",
        );
        check(404, r#"{"error":"model \"m\" not found, try pulling it first"}"#, "ModelNotFound");
        check(400, r#"{"detail":"Unknown model: m"}"#, "ModelNotFound");
        check(404, "404 page not found", "Refused");
        check(502, "<html><body>Bad gateway</body></html>", "Unavailable");
        check(408, "", "Unavailable");
        check(409, "{}", "Unavailable");
        check(301, "", "Refused");
        check(422, r#"{"detail":[{"msg":"field required"}]}"#, "Refused");
    }

    #[test]
    fn a_prompt_that_is_too_long_is_known_by_each_services_words() {
        let check = |message: &str, expect: Option<u32>| match classified(400, &openai("", message), true) {
            ModelError::ContextTooLong { window, .. } => assert_eq!(window, expect, "{message}"),
            other => panic!("{message}: {other:?}"),
        };
        // OpenAI: chat completions, Responses
        check(
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 130005 tokens. Please reduce the length of the messages.",
            Some(128_000),
        );
        check(
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            None,
        );
        // Anthropic
        check("prompt is too long: 215000 tokens > 200000 maximum", Some(200_000));
        check(
            "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
            Some(200_000),
        );
        // vLLM, of two versions
        check(
            "This model's maximum context length is 8192 tokens. However, you requested 20000 tokens (3616 in the messages, 16384 in the completion). Please reduce the length of the messages or completion.",
            Some(8192),
        );
        check(
            "The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens.",
            Some(8192),
        );
        // llama.cpp, Ollama, LM Studio
        check(
            "request (9012 tokens) exceeds the available context size (8192 tokens), try increasing it",
            Some(8192),
        );
        check("the input length exceeds the context length", None);
        check(
            "Trying to keep the first 9012 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough",
            Some(4096),
        );
        check(
            "The number of tokens to keep from the initial prompt is greater than the context length.",
            None,
        );
        // Gemini
        check(
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            Some(1_048_576),
        );
        // Mistral, xAI, Groq, Together, TGI, Bedrock
        check(
            "Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
            Some(131_072),
        );
        check(
            "This model's maximum prompt length is 131072 but the request contains 150000 tokens.",
            Some(131_072),
        );
        check("Please reduce the length of the messages or completion.", None);
        check(
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 16 `max_new_tokens`",
            Some(8193),
        );
        check("Input is too long for requested model.", None);
        check(
            "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens",
            Some(32_768),
        );
        check(
            "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.",
            Some(30_000),
        );
    }

    #[test]
    fn a_call_that_the_service_could_not_read_is_the_models() {
        let check = |status: u16, body: &str, expect: &str| match classified(status, body, true) {
            ModelError::BrokenCall { message } => assert!(message.contains(expect), "{message}"),
            other => panic!("{body}: {other:?}"),
        };
        let groq = json!({ "error": {
            "message": "Failed to call a function. Please adjust your prompt.", "code": "tool_use_failed",
            "failed_generation": "<function=write_fix{\"edits\": [",
        } });
        check(400, &groq.to_string(), "it wrote: <function=write_fix");
        check(
            500,
            r#"{"error":"error parsing tool call: raw='{\"a\":', err=unexpected end of JSON input"}"#,
            "raw=",
        );
        check(
            500,
            r#"{"error":{"code":500,"message":"Failed to parse tool call arguments as JSON: ..."}}"#,
            "as JSON",
        );
        check(400, &openai("", "Malformed function call: print(default_api)"), "default_api");
    }

    #[test]
    fn without_a_key_a_refusal_of_the_key_names_the_variable() {
        let error = classified(401, &openai("", "You didn't provide an API key."), false);
        assert_eq!(error, ModelError::NoKey { variable: "KEY".to_owned() });
        assert!(error.hint().unwrap_or_default().contains("KEY="));
    }

    #[test]
    fn an_error_inside_an_answer_has_its_own_status() {
        let check = |error: Value, expect: u16| assert_eq!(Rejection::of_error(&error).own_status(), expect);
        check(json!({ "code": 429, "message": "slow down" }), 429);
        check(json!({ "code": "server_error", "message": "x" }), 502);
        check(json!({ "code": 7 }), 502);
        check(json!({ "code": "rate_limit_exceeded", "message": "slow down" }), 429);
        check(json!({ "type": "rate_limit_error" }), 429);
        check(json!({ "type": "overloaded_error" }), 529);
        check(json!({ "type": "invalid_request_error" }), 400);
        check(json!({ "type": "authentication_error" }), 401);
        check(json!("broken"), 502);
    }
}
