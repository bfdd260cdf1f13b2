//! What the real services demand of a request, so that a client which passes here passes there.

use std::collections::{BTreeMap, BTreeSet};

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
    "parallel_tool_calls",
    "stream",
    "stream_options",
    "reasoning_effort",
    "prompt_cache_key",
    "store",
];
const RESPONSES_FIELDS: &[&str] = &[
    "model",
    "input",
    "instructions",
    "max_output_tokens",
    "temperature",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "stream",
    "reasoning",
    "include",
    "store",
    "prompt_cache_key",
    "previous_response_id",
    "text",
];
const ANTHROPIC_FIELDS: &[&str] = &[
    "model",
    "messages",
    "max_tokens",
    "system",
    "temperature",
    "tools",
    "tool_choice",
    "stream",
    "thinking",
    "output_config",
];
/// The words for an effort, of OpenAI's services and of Anthropic's.
const EFFORTS: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const ANTHROPIC_EFFORTS: &[&str] = &["low", "medium", "high", "xhigh", "max"];

/// Anthropic allows so many cache breakpoints in one request.
const MAX_BREAKPOINTS: usize = 4;

/// OpenAI embeds so many texts in one request.
const MAX_INPUTS: usize = 2048;

/// Why the service would refuse the request with status 400; `None` where it would not.
pub fn problem(format: Format, headers: &BTreeMap<String, String>, body: &Value) -> Option<String> {
    let checked = match format {
        Format::Responses => responses(headers, body),
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
    let mut open = BTreeSet::new();
    for (index, message) in list(body, "messages")?.iter().enumerate() {
        let place = format!("messages[{index}]");
        let role = message["role"].as_str().unwrap_or_default();
        if !matches!(role, "developer" | "system" | "user" | "assistant" | "tool") {
            return Err(format!("Invalid value: '{role}' for '{place}.role'"));
        }
        if role == "tool" {
            answered(&mut open, &message["tool_call_id"], &place)?;
        } else if let Some(call) = open.first() {
            return Err(format!(
                "An assistant message with 'tool_calls' must be followed by tool messages: {call}"
            ));
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            whole_call(&call["function"], &place)?;
            open.insert(call["id"].as_str().unwrap_or_default().to_owned());
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
    if body.contains_key("stream_options") && body.get("stream") != Some(&Value::Bool(true)) {
        return Err("The 'stream_options' parameter is only allowed when 'stream' is enabled.".to_owned());
    }
    effort(body.get("reasoning_effort"), EFFORTS, "reasoning_effort")?;
    temperature(body, 2.0)?;
    for (index, tool) in optional_list(body, "tools")?.iter().enumerate() {
        if tool["type"] != "function" {
            return Err(format!("Invalid value for 'tools[{index}].type': expected 'function'"));
        }
        tool_schema(&tool["function"], "parameters", &format!("tools[{index}].function"))?;
    }
    Ok(())
}

fn responses(headers: &BTreeMap<String, String>, body: &Value) -> Result<(), String> {
    let body = json_object(headers, body)?;
    known_fields(body, RESPONSES_FIELDS, "Unknown parameter")?;
    text(body, "model")?;
    let mut open = BTreeSet::new();
    for (index, item) in list(body, "input")?.iter().enumerate() {
        let place = format!("input[{index}]");
        match item["type"].as_str().unwrap_or("message") {
            "message" => {
                let role = item["role"].as_str().unwrap_or_default();
                if !matches!(role, "developer" | "system" | "user" | "assistant") {
                    return Err(format!("Invalid value: '{role}' for '{place}.role'"));
                }
                if !(item["content"].is_string() || item["content"].is_array()) {
                    return Err(format!("Invalid type for '{place}.content'"));
                }
            }
            "reasoning" if item["encrypted_content"].is_string() && item["summary"].is_array() => {}
            "reasoning" => {
                return Err(format!(
                    "Item '{}' not found. Items are not persisted when `store` is set to false.",
                    item["id"]
                ));
            }
            "function_call" => {
                whole_call(item, &place)?;
                open.insert(item["call_id"].as_str().unwrap_or_default().to_owned());
            }
            "function_call_output" => answered(&mut open, &item["call_id"], &place)?,
            other => return Err(format!("Invalid value: '{other}' for '{place}.type'")),
        }
    }
    if let Some(call) = open.first() {
        return Err(format!("No tool output found for function call {call}."));
    }
    limit(body, "max_output_tokens")?;
    if body
        .get("include")
        .is_some_and(|include| *include != serde_json::json!(["reasoning.encrypted_content"]))
    {
        return Err("Invalid value for 'include'".to_owned());
    }
    if let Some(reasoning) = body.get("reasoning") {
        effort(reasoning.get("effort"), EFFORTS, "reasoning.effort")?;
    }
    temperature(body, 2.0)?;
    for (index, tool) in optional_list(body, "tools")?.iter().enumerate() {
        if tool["type"] != "function" {
            return Err(format!("Invalid value for 'tools[{index}].type': expected 'function'"));
        }
        tool_schema(tool, "parameters", &format!("tools[{index}]"))?;
    }
    Ok(())
}

/// Takes a result's call off those that wait for one.
fn answered(open: &mut BTreeSet<String>, call: &Value, place: &str) -> Result<(), String> {
    let call = call.as_str().unwrap_or_default();
    if open.remove(call) { Ok(()) } else { Err(format!("{place}: no tool call found for result {call}")) }
}

/// Checks a call that is sent back: it has a name, and arguments that are an object.
fn whole_call(call: &Value, place: &str) -> Result<(), String> {
    let arguments = call["arguments"].as_str().unwrap_or_default();
    let is_object = serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object());
    if is_object && call["name"].as_str().is_some_and(|name| !name.is_empty()) {
        Ok(())
    } else {
        Err(format!("{place}: a call has no name, or arguments that are no JSON object"))
    }
}

fn effort(value: Option<&Value>, known: &[&str], place: &str) -> Result<(), String> {
    match value {
        Some(value) if !value.as_str().is_some_and(|word| known.contains(&word)) => {
            Err(format!("Invalid value: {value} for '{place}'"))
        }
        _ => Ok(()),
    }
}

fn anthropic(headers: &BTreeMap<String, String>, body: &Value) -> Result<(), String> {
    if !headers.contains_key("anthropic-version") {
        return Err("anthropic-version: header is required".to_owned());
    }
    let body = json_object(headers, body)?;
    known_fields(body, ANTHROPIC_FIELDS, "Extra inputs are not permitted")?;
    text(body, "model")?;
    let Some(most) = body.get("max_tokens") else {
        return Err("max_tokens: Field required".to_owned());
    };
    limit(body, "max_tokens")?;
    let mut breakpoints = body.get("system").map_or(Ok(0), |system| blocks(system, "system"))?;
    let mut last = "";
    let mut open = BTreeSet::new();
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
        let place = format!("messages.{index}.content");
        let content = message["content"].as_array().map_or(&[][..], Vec::as_slice);
        for block in content {
            match block["type"].as_str() {
                Some("tool_result") => answered(&mut open, &block["tool_use_id"], &place)?,
                Some(_) if role == "user" && !open.is_empty() => {
                    return Err(format!(
                        "{place}: `tool_use` ids were found without `tool_result` blocks immediately after"
                    ));
                }
                Some("tool_use") => {
                    open.insert(block["id"].as_str().unwrap_or_default().to_owned());
                }
                _ => {}
            }
        }
        breakpoints += blocks(&message["content"], &place)?;
    }
    if breakpoints > MAX_BREAKPOINTS {
        return Err(format!(
            "A maximum of {MAX_BREAKPOINTS} blocks with cache_control may be provided. Found {breakpoints}."
        ));
    }
    temperature(body, 1.0)?;
    if let Some(thinking) = body.get("thinking") {
        let budget = thinking["budget_tokens"].as_u64();
        match thinking["type"].as_str() {
            Some("adaptive" | "disabled") => {}
            Some("enabled")
                if budget.is_some_and(|budget| budget >= 1024 && Some(budget) < most.as_u64()) => {}
            _ => {
                return Err(
                    "thinking: `budget_tokens` must be at least 1024 and less than `max_tokens`".to_owned()
                );
            }
        }
        if body.contains_key("temperature") {
            return Err("`temperature` may only be set to 1 when thinking is enabled".to_owned());
        }
    }
    if let Some(config) = body.get("output_config") {
        effort(config.get("effort"), ANTHROPIC_EFFORTS, "output_config.effort")?;
    }
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
                match block["type"].as_str() {
                    Some("text") if block["text"].as_str().is_some_and(|text| !empty(text)) => {}
                    Some("tool_result") if block["content"].is_string() => {}
                    Some("tool_use") if block["input"].is_object() => {}
                    Some("thinking") if block["signature"].is_string() => {}
                    Some("redacted_thinking") => {}
                    _ => return Err(complaint()),
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
