//! What the real services demand of a request, so that a client which passes here passes there.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Format;

/// The fields of a request that the services know, of those that a chat client may send.
const OPENAI_FIELDS: &[&str] = &[
    "model",
    "messages",
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "n",
    "seed",
    "tools",
    "tool_choice",
    "stream",
];
const ANTHROPIC_FIELDS: &[&str] =
    &["model", "messages", "max_tokens", "system", "temperature", "tools", "tool_choice", "stream"];

/// Anthropic allows so many cache breakpoints in one request.
const MAX_BREAKPOINTS: usize = 4;

/// OpenAI embeds so many texts in one request.
const MAX_INPUTS: usize = 2048;

/// Why the service would refuse the request with status 400; `None` where it would not.
pub fn problem(format: Format, headers: &BTreeMap<String, String>, body: &Value) -> Option<String> {
    let checked = match format {
        Format::OpenAi => openai(headers, body),
        Format::Anthropic => anthropic(headers, body),
    };
    checked.err()
}

/// The same for a question for embeddings.
pub fn embeddings_problem(headers: &BTreeMap<String, String>, body: &Value) -> Option<String> {
    let checked = || {
        let body = json_object(headers, body)?;
        known_fields(body, &["model", "input"], "Unrecognized request argument supplied")?;
        text(body, "model")?;
        let texts = list(body, "input")?;
        let good = |text: &Value| text.as_str().is_some_and(|text| !text.is_empty());
        if texts.is_empty() || texts.len() > MAX_INPUTS || !texts.iter().all(good) {
            return Err(format!("'$.input' is invalid: 1 to {MAX_INPUTS} texts that are not empty"));
        }
        Ok(())
    };
    checked().err()
}

fn openai(headers: &BTreeMap<String, String>, body: &Value) -> Result<(), String> {
    let body = json_object(headers, body)?;
    known_fields(body, OPENAI_FIELDS, "Unrecognized request argument supplied")?;
    text(body, "model")?;
    for (index, message) in list(body, "messages")?.iter().enumerate() {
        let place = format!("messages[{index}]");
        let role = message["role"].as_str().unwrap_or_default();
        if !matches!(role, "developer" | "system" | "user" | "assistant" | "tool") {
            return Err(format!("Invalid value: '{role}' for '{place}.role'"));
        }
        if !(message["content"].is_string() || message["content"].is_array()) {
            return Err(format!("Invalid type for '{place}.content': expected a string or an array"));
        }
    }
    if body.contains_key("max_tokens") && body.contains_key("max_completion_tokens") {
        return Err(
            "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported".to_owned()
        );
    }
    for field in ["max_tokens", "max_completion_tokens"] {
        limit(body, field)?;
    }
    temperature(body, 2.0)?;
    for (index, tool) in optional_list(body, "tools")?.iter().enumerate() {
        if tool["type"] != "function" {
            return Err(format!("Invalid value for 'tools[{index}].type': expected 'function'"));
        }
        tool_schema(&tool["function"], "parameters", &format!("tools[{index}].function"))?;
    }
    Ok(())
}

fn anthropic(headers: &BTreeMap<String, String>, body: &Value) -> Result<(), String> {
    if !headers.contains_key("anthropic-version") {
        return Err("anthropic-version: header is required".to_owned());
    }
    let body = json_object(headers, body)?;
    known_fields(body, ANTHROPIC_FIELDS, "Extra inputs are not permitted")?;
    text(body, "model")?;
    if !body.contains_key("max_tokens") {
        return Err("max_tokens: Field required".to_owned());
    }
    limit(body, "max_tokens")?;
    let mut breakpoints = body.get("system").map_or(Ok(0), |system| blocks(system, "system"))?;
    let mut last = "";
    for (index, message) in list(body, "messages")?.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        match role {
            "assistant" if index == 0 => {
                return Err("messages: first message must use the \"user\" role".to_owned());
            }
            "user" | "assistant" if role == last => {
                // The service would merge them; the client promises to have done so.
                return Err(format!("messages.{index}: roles must alternate"));
            }
            "user" | "assistant" => last = role,
            _ => return Err(format!("messages.{index}.role: Input should be 'user' or 'assistant'")),
        }
        breakpoints += blocks(&message["content"], &format!("messages.{index}.content"))?;
    }
    if breakpoints > MAX_BREAKPOINTS {
        return Err(format!(
            "A maximum of {MAX_BREAKPOINTS} blocks with cache_control may be provided. Found {breakpoints}."
        ));
    }
    temperature(body, 1.0)?;
    for (index, tool) in optional_list(body, "tools")?.iter().enumerate() {
        tool_schema(tool, "input_schema", &format!("tools.{index}"))?;
    }
    Ok(())
}

fn json_object<'a>(
    headers: &BTreeMap<String, String>,
    body: &'a Value,
) -> Result<&'a Map<String, Value>, String> {
    match headers.get("content-type") {
        Some(kind) if kind.starts_with("application/json") => {}
        _ => return Err("the content type is not application/json".to_owned()),
    }
    body.as_object().ok_or_else(|| "We could not parse the JSON body of your request.".to_owned())
}

fn known_fields(body: &Map<String, Value>, known: &[&str], complaint: &str) -> Result<(), String> {
    match body.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("{key}: {complaint}")),
        None => Ok(()),
    }
}

fn text(body: &Map<String, Value>, field: &str) -> Result<(), String> {
    match body.get(field).and_then(Value::as_str) {
        Some(value) if !value.is_empty() => Ok(()),
        _ => Err(format!("Missing required parameter: '{field}'")),
    }
}

fn list<'a>(body: &'a Map<String, Value>, field: &str) -> Result<&'a [Value], String> {
    match body.get(field).and_then(Value::as_array) {
        Some(items) if !items.is_empty() => Ok(items),
        _ => Err(format!("{field}: at least one item is required")),
    }
}

fn optional_list<'a>(body: &'a Map<String, Value>, field: &str) -> Result<&'a [Value], String> {
    if body.contains_key(field) { list(body, field) } else { Ok(&[]) }
}

fn limit(body: &Map<String, Value>, field: &str) -> Result<(), String> {
    match body.get(field) {
        Some(value) if value.as_u64().is_none_or(|limit| limit == 0) => {
            Err(format!("{field}: an integer of at least 1 is expected"))
        }
        _ => Ok(()),
    }
}

fn temperature(body: &Map<String, Value>, highest: f64) -> Result<(), String> {
    match body.get("temperature") {
        Some(value) if value.as_f64().is_none_or(|value| !(0.0..=highest).contains(&value)) => {
            Err(format!("temperature: range: 0..{highest}"))
        }
        _ => Ok(()),
    }
}

fn tool_schema(tool: &Value, schema: &str, place: &str) -> Result<(), String> {
    let name = tool["name"].as_str().unwrap_or_default();
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.len() > 64 || !name.chars().all(allowed) {
        return Err(format!("Invalid '{place}.name': '{name}' does not match ^[a-zA-Z0-9_-]{{1,64}}$"));
    }
    if tool[schema]["type"] != "object" {
        return Err(format!("Invalid schema for '{place}': schema must be of type \"object\""));
    }
    Ok(())
}

/// Checks a text or a list of text blocks and counts the breakpoints.
fn blocks(content: &Value, place: &str) -> Result<usize, String> {
    let empty = |text: &str| text.trim().is_empty();
    let complaint = || format!("{place}: text content blocks must contain non-whitespace text");
    match content {
        Value::String(text) if !empty(text) => Ok(0),
        Value::Array(blocks) if !blocks.is_empty() => {
            let mut breakpoints = 0;
            for block in blocks {
                if block["type"] != "text" || block["text"].as_str().is_none_or(empty) {
                    return Err(complaint());
                }
                match block.get("cache_control") {
                    None => {}
                    Some(control) if control["type"] == "ephemeral" => breakpoints += 1,
                    Some(_) => {
                        return Err(format!("{place}: cache_control.type: Input should be 'ephemeral'"));
                    }
                }
            }
            Ok(breakpoints)
        }
        _ => Err(complaint()),
    }
}
