//! What the real services demand of a request, so that a client which passes here passes there: the form that they publish
//! (`tests/schemas/`), and what a form cannot say.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use patchwright_protocol::schema::faults;
use serde_json::{Map, Value};

use super::Format;

/// Anthropic allows so many cache breakpoints in one request.
const MAX_BREAKPOINTS: usize = 4;

/// OpenAI embeds so many texts in one request.
const MAX_INPUTS: usize = 2048;

/// Why the service would refuse the request with status 400; `None` where it would not.
pub fn problem(format: Format, headers: &BTreeMap<String, String>, body: &Value) -> Option<String> {
    let checked = || {
        if matches!(format, Format::Anthropic) && !headers.contains_key("anthropic-version") {
            return Err("anthropic-version: header is required".to_owned());
        }
        json_object(headers, body)?;
        fits(format, body)?;
        match format {
            Format::Responses => responses(body),
            Format::OpenAi => openai(body),
            Format::Anthropic => anthropic(body),
        }
    };
    checked().err()
}

/// The same for a question for embeddings.
pub fn embeddings_problem(headers: &BTreeMap<String, String>, body: &Value) -> Option<String> {
    let checked = || {
        let body = json_object(headers, body)?;
        known_fields(body, &["model", "input"], "Unrecognized request argument supplied")?;
        text(body, "model")?;
        let texts = body.get("input").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let good = |text: &Value| text.as_str().is_some_and(|text| !text.is_empty());
        if texts.is_empty() || texts.len() > MAX_INPUTS || !texts.iter().all(good) {
            return Err(format!("'$.input' is invalid: 1 to {MAX_INPUTS} texts that are not empty"));
        }
        Ok(())
    };
    checked().err()
}

/// Compares a request with what the service publishes of its form.
fn fits(format: Format, body: &Value) -> Result<(), String> {
    let schema = schema(format);
    let faults = faults(schema, schema, body);
    if faults.is_empty() {
        return Ok(());
    }
    let told: Vec<String> =
        faults.iter().map(|fault| format!("Invalid '{}': {}", fault.pointer, fault.message)).collect();
    Err(told.join("; "))
}

/// The form of requests in a format, as its service publishes it.
pub fn schema(format: Format) -> &'static Value {
    static SCHEMAS: LazyLock<[Value; 3]> = LazyLock::new(|| {
        [
            include_str!("../schemas/responses.json"),
            include_str!("../schemas/chat_completions.json"),
            include_str!("../schemas/messages.json"),
        ]
        .map(|text| serde_json::from_str(text).expect("a schema is JSON"))
    });
    match format {
        Format::Responses => &SCHEMAS[0],
        Format::OpenAi => &SCHEMAS[1],
        Format::Anthropic => &SCHEMAS[2],
    }
}

fn openai(body: &Value) -> Result<(), String> {
    let mut open = BTreeSet::new();
    for (index, message) in list(body, "messages").enumerate() {
        let place = format!("messages[{index}]");
        if message["role"] == "tool" {
            answered(&mut open, &message["tool_call_id"], &place)?;
        } else if let Some(call) = open.first() {
            return Err(format!(
                "An assistant message with 'tool_calls' must be followed by tool messages: {call}"
            ));
        }
        for call in list(message, "tool_calls") {
            whole_call(&call["function"], &place)?;
            opened(&mut open, &call["id"], &place)?;
        }
    }
    if body.get("max_tokens").is_some() && body.get("max_completion_tokens").is_some() {
        return Err(
            "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported".to_owned()
        );
    }
    if body.get("stream_options").is_some() && body["stream"] != true {
        return Err("The 'stream_options' parameter is only allowed when 'stream' is enabled.".to_owned());
    }
    Ok(())
}

fn responses(body: &Value) -> Result<(), String> {
    let mut open = BTreeSet::new();
    for (index, item) in list(body, "input").enumerate() {
        let place = format!("input[{index}]");
        match item["type"].as_str() {
            Some("function_call") => {
                whole_call(item, &place)?;
                opened(&mut open, &item["call_id"], &place)?;
            }
            Some("function_call_output") => answered(&mut open, &item["call_id"], &place)?,
            _ => {}
        }
    }
    match open.first() {
        Some(call) => Err(format!("No tool output found for function call {call}.")),
        None => Ok(()),
    }
}

/// Adds a call to those that wait for a result.
fn opened(open: &mut BTreeSet<String>, call: &Value, place: &str) -> Result<(), String> {
    let call = call.as_str().unwrap_or_default().to_owned();
    if open.insert(call.clone()) { Ok(()) } else { Err(format!("{place}: two calls by the name {call}")) }
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

fn anthropic(body: &Value) -> Result<(), String> {
    let mut breakpoints = 0;
    for (index, block) in list(body, "system").enumerate() {
        breakpoints += breakpoint(block, &format!("system.{index}"))?;
    }
    let mut last = "";
    let mut open = BTreeSet::new();
    for (index, message) in list(body, "messages").enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role == "assistant" && index == 0 {
            return Err("messages: first message must use the \"user\" role".to_owned());
        }
        if role == last {
            // The service would merge them; the client promises to have done so.
            return Err(format!("messages.{index}: roles must alternate"));
        }
        last = role;
        let place = format!("messages.{index}.content");
        for block in list(message, "content") {
            match block["type"].as_str() {
                Some("tool_result") => answered(&mut open, &block["tool_use_id"], &place)?,
                Some(_) if role == "user" && !open.is_empty() => {
                    return Err(format!(
                        "{place}: `tool_use` ids were found without `tool_result` blocks immediately after"
                    ));
                }
                Some("tool_use") => opened(&mut open, &block["id"], &place)?,
                _ => {}
            }
            breakpoints += breakpoint(block, &place)?;
        }
    }
    if breakpoints > MAX_BREAKPOINTS {
        return Err(format!(
            "A maximum of {MAX_BREAKPOINTS} blocks with cache_control may be provided. Found {breakpoints}."
        ));
    }
    if let Some(thinking) = body.get("thinking").filter(|thinking| thinking["type"] != "disabled") {
        if thinking["budget_tokens"].as_u64() >= body["max_tokens"].as_u64() {
            return Err("thinking: `budget_tokens` must be less than `max_tokens`".to_owned());
        }
        if body.get("temperature").is_some() {
            return Err("`temperature` may only be set to 1 when thinking is enabled".to_owned());
        }
    }
    Ok(())
}

/// Whether a cache breakpoint follows a block, as a number; its text has to say something.
fn breakpoint(block: &Value, place: &str) -> Result<usize, String> {
    if block["text"].as_str().is_some_and(|text| text.trim().is_empty()) {
        return Err(format!("{place}: text content blocks must contain non-whitespace text"));
    }
    Ok(usize::from(block.get("cache_control").is_some()))
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

/// The elements of a list; none where there is no list.
fn list<'v>(value: &'v Value, field: &str) -> impl Iterator<Item = &'v Value> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}
