//! Each service's words, and what they mean.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

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
    check(403, &openai("model_not_found", "Project `p` does not have access to model `m`"), "ModelNotFound");
    check(404, &openai("model_not_found", "The model `m` does not exist"), "ModelNotFound");
    check(404, &openai("", "This is not a chat model"), "ModelNotFound");
    check(
        400,
        &openai("context_length_exceeded", "This model's maximum context length is 8192 tokens."),
        "ContextTooLong",
    );
    check(429, &openai("insufficient_quota", "You exceeded your current quota"), "Quota");
    check(429, &openai("rate_limit_exceeded", "Rate limit reached for m on requests per min"), "RateLimited");
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
    check(429, &anthropic("rate_limit_error", "This request would exceed your rate limit"), "RateLimited");
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
    check("The number of tokens to keep from the initial prompt is greater than the context length.", None);
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
    check(json!("rate_limit_error"), 429);
    check(json!({ "type": "error", "message": "overloaded_error" }), 529);
    check(json!({ "type": "invalid_request_error" }), 400);
    check(json!({ "type": "authentication_error" }), 401);
    check(json!("broken"), 502);
}
