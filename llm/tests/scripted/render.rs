//! Steps as responses in each format, whole and in pieces. Everything is a function of the request: the same request gives the same bytes.

use patchwright_protocol::ChatReply;
use patchwright_protocol::{FinishReason, ToolCall, Usage};
use serde_json::{Map, Value, json};

use super::{Format, Step};

/// A token is taken to be so many bytes, here where nobody pays.
const BYTES_PER_TOKEN: u64 = 4;

/// The response to a request of `input` tokens: status, headers, body. What is decided or written elsewhere (`Stall`, `When`, `Pieces`) is an
/// empty answer here.
pub(super) fn response(
    format: Format,
    step: Step,
    request: &Value,
    input: u64,
) -> (u16, Vec<(String, String)>, Vec<u8>) {
    let model = request["model"].as_str().unwrap_or_default();
    let reply = |text: String, tool_calls: Vec<ToolCall>, stop: FinishReason| {
        let mut said = vec![text.clone()];
        said.extend(tool_calls.iter().map(|call| call.arguments.clone()));
        let usage = Some(Usage { input, output: tokens(&said), ..Usage::default() });
        ChatReply { text, tool_calls, stop, usage, model: model.to_owned(), ..ChatReply::default() }
    };
    let several = match &step {
        Step::Answers { texts } => texts.clone(),
        _ => Vec::new(),
    };
    let reply = match step {
        Step::Status { code, headers, body } => return (code, headers, body.into_bytes()),
        Step::Error { status, headers, kind, message } => {
            return (status, headers, error(format, &kind, &message).to_string().into_bytes());
        }
        Step::Malformed => return (200, Vec::new(), b"{\"id\": \"scripted\", choices: oops}".to_vec()),
        Step::Vectors { vectors } => return (200, Vec::new(), embeddings(&vectors, model, input)),
        Step::Reply(reply) => reply,
        Step::Answer { text } => reply(text, Vec::new(), FinishReason::End),
        Step::Answers { texts } => {
            let mut first = reply(texts.first().cloned().unwrap_or_default(), Vec::new(), FinishReason::End);
            first.usage = Some(Usage { input, output: tokens(&texts), ..Usage::default() });
            first
        }
        Step::LengthStop { text } => reply(text, Vec::new(), FinishReason::Length),
        Step::Refusal { text } => reply(text, Vec::new(), FinishReason::Filtered),
        Step::ToolCall { name, arguments } => {
            reply(String::new(), vec![ToolCall::new(name, arguments)], FinishReason::ToolCalls)
        }
        Step::Empty | Step::Cut | Step::Stall | Step::When(_) | Step::Pieces { .. } | Step::Whole(_) => {
            reply(String::new(), Vec::new(), FinishReason::End)
        }
    };
    let body = match format {
        Format::Responses => responses(&reply),
        Format::OpenAi => with_choices(openai(&reply), &several),
        Format::Anthropic => anthropic(&reply),
    };
    (200, Vec::new(), body.to_string().into_bytes())
}

fn embeddings(vectors: &[Vec<f32>], model: &str, input: u64) -> Vec<u8> {
    // Not in order: a client must go by the index.
    let data: Vec<Value> = vectors
        .iter()
        .enumerate()
        .rev()
        .map(|(index, vector)| json!({ "object": "embedding", "index": index, "embedding": vector }))
        .collect();
    let usage = json!({ "prompt_tokens": input, "total_tokens": input });
    json!({ "object": "list", "data": data, "model": model, "usage": usage }).to_string().into_bytes()
}

/// How many tokens these texts are taken to be.
pub(super) fn tokens(texts: &[String]) -> u64 {
    texts.iter().map(|text| text.len() as u64).sum::<u64>().div_ceil(BYTES_PER_TOKEN)
}

/// The texts of a request's messages, of Anthropic's `system` too; or those to be embedded.
pub(super) fn texts(body: &Value) -> Vec<String> {
    let list = |key: &str| body.get(key).and_then(Value::as_array).into_iter().flatten();
    let said = |item: &'_ Value| match item {
        Value::String(_) => Some(item.clone()),
        _ => ["content", "output"].iter().find_map(|key| item.get(*key)).cloned(),
    };
    let contents = body.get("system").cloned().into_iter();
    let contents = contents.chain(list("messages").filter_map(said)).chain(list("input").filter_map(said));
    contents
        .flat_map(|content| match content {
            Value::String(text) => vec![text],
            Value::Array(blocks) => {
                let text = |block: &Value| {
                    block["text"].as_str().or_else(|| block["content"].as_str()).map(str::to_owned)
                };
                blocks.iter().filter_map(text).collect()
            }
            _ => Vec::new(),
        })
        .collect()
}

fn error(format: Format, kind: &str, message: &str) -> Value {
    match format {
        Format::OpenAi | Format::Responses => {
            json!({ "error": { "message": message, "type": kind, "param": null, "code": kind } })
        }
        Format::Anthropic => json!({ "type": "error", "error": { "type": kind, "message": message } }),
    }
}

/// The answer with more choices behind its first.
fn with_choices(mut body: Value, texts: &[String]) -> Value {
    let others = texts.iter().enumerate().skip(1).map(|(index, text)| {
        let message = json!({ "role": "assistant", "content": text, "refusal": null });
        json!({ "index": index, "message": message, "finish_reason": "stop" })
    });
    if let Some(choices) = body["choices"].as_array_mut() {
        choices.extend(others);
    }
    body
}

fn openai(reply: &ChatReply) -> Value {
    let filtered = reply.stop == FinishReason::Filtered && !reply.text.is_empty();
    let spoken = !reply.text.is_empty() && !filtered;
    let mut message = Map::new();
    if !reply.reasoning.is_empty() {
        message.insert("reasoning_content".to_owned(), reply.reasoning.as_str().into());
    }
    message.insert("role".to_owned(), "assistant".into());
    message.insert("content".to_owned(), if spoken { reply.text.as_str().into() } else { Value::Null });
    message.insert("refusal".to_owned(), if filtered { reply.text.as_str().into() } else { Value::Null });
    if !reply.tool_calls.is_empty() {
        let call = |(index, call): (usize, &ToolCall)| {
            let function = json!({ "name": call.name, "arguments": call.arguments });
            json!({ "id": format!("call_{index}"), "type": "function", "function": function })
        };
        message.insert("tool_calls".to_owned(), reply.tool_calls.iter().enumerate().map(call).collect());
    }
    let reason = match &reply.stop {
        FinishReason::End => "stop",
        FinishReason::Filtered if filtered => "stop",
        FinishReason::Filtered => "content_filter",
        FinishReason::Length => "length",
        FinishReason::ToolCalls => "tool_calls",
        FinishReason::Other(word) => word,
    };
    let choices = match reason {
        "no_choice" => json!([]),
        _ => json!([{ "index": 0, "message": message, "finish_reason": reason }]),
    };
    let mut body = json!({
        "id": "chatcmpl-scripted", "object": "chat.completion", "created": 0, "model": reply.model,
        "choices": choices,
    });
    if let Some(usage) = reply.usage {
        body["usage"] = json!({
            "prompt_tokens": usage.input, "completion_tokens": usage.output,
            "total_tokens": usage.input + usage.output,
            "prompt_tokens_details": {
                "cached_tokens": usage.cached_input, "cache_write_tokens": usage.cache_write,
            },
            "completion_tokens_details": { "reasoning_tokens": usage.reasoning },
        });
    }
    body
}

fn anthropic(reply: &ChatReply) -> Value {
    let mut content = Vec::new();
    if !reply.reasoning.is_empty() {
        content.push(json!({ "type": "thinking", "thinking": reply.reasoning, "signature": "sealed" }));
    }
    if !reply.text.is_empty() {
        content.push(json!({ "type": "text", "text": reply.text }));
    }
    for (index, call) in reply.tool_calls.iter().enumerate() {
        let input: Value =
            serde_json::from_str(&call.arguments).unwrap_or_else(|_| call.arguments.as_str().into());
        content.push(
            json!({ "type": "tool_use", "id": format!("toolu_{index}"), "name": call.name, "input": input }),
        );
    }
    let reason = match &reply.stop {
        FinishReason::End => "end_turn",
        FinishReason::Length => "max_tokens",
        FinishReason::ToolCalls => "tool_use",
        FinishReason::Filtered => "refusal",
        FinishReason::Other(word) => word,
    };
    let mut body = json!({
        "id": "msg_scripted", "type": "message", "role": "assistant", "model": reply.model,
        "content": content, "stop_reason": reason, "stop_sequence": null,
    });
    if let Some(usage) = reply.usage {
        body["usage"] = json!({
            "input_tokens": usage.input.saturating_sub(usage.cached_input + usage.cache_write),
            "cache_read_input_tokens": usage.cached_input, "cache_creation_input_tokens": usage.cache_write,
            "output_tokens": usage.output,
        });
    }
    body
}

fn responses(reply: &ChatReply) -> Value {
    let mut output = Vec::new();
    if !reply.reasoning.is_empty() {
        output.push(json!({
            "id": "rs_0", "type": "reasoning", "encrypted_content": "sealed",
            "summary": [{ "type": "summary_text", "text": reply.reasoning }],
        }));
    }
    if !reply.text.is_empty() {
        let part = match reply.stop {
            FinishReason::Filtered => json!({ "type": "refusal", "refusal": reply.text }),
            _ => json!({ "type": "output_text", "text": reply.text, "annotations": [], "logprobs": [] }),
        };
        output.push(json!({
            "id": "msg_0", "type": "message", "role": "assistant", "status": "completed", "content": [part],
        }));
    }
    for (index, call) in reply.tool_calls.iter().enumerate() {
        output.push(json!({
            "id": format!("fc_{index}"), "type": "function_call", "status": "completed",
            "call_id": format!("call_{index}"), "name": call.name, "arguments": call.arguments,
        }));
    }
    let (status, details) = match &reply.stop {
        FinishReason::Length => ("incomplete", json!({ "reason": "max_output_tokens" })),
        FinishReason::Filtered if reply.text.is_empty() => {
            ("incomplete", json!({ "reason": "content_filter" }))
        }
        FinishReason::Other(word) => (word.as_str(), Value::Null),
        _ => ("completed", Value::Null),
    };
    let mut body = json!({
        "id": "resp_scripted", "object": "response", "created_at": 0, "status": status, "error": null,
        "incomplete_details": details, "model": reply.model, "output": output,
    });
    if let Some(usage) = reply.usage {
        body["usage"] = json!({
            "input_tokens": usage.input, "output_tokens": usage.output, "total_tokens": usage.input + usage.output,
            "input_tokens_details": {
                "cached_tokens": usage.cached_input, "cache_write_tokens": usage.cache_write,
            },
            "output_tokens_details": { "reasoning_tokens": usage.reasoning },
        });
    }
    body
}

/// A whole answer as the events of a stream, each a piece of its own; `None` where it is none.
pub(super) fn pieces(format: Format, whole: &[u8], request: &Value) -> Option<Vec<Vec<u8>>> {
    let whole: Value = serde_json::from_slice(whole).ok()?;
    let named =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    let plain = |event: &Value| format!("data: {event}\n\n");
    let events: Vec<String> = match format {
        Format::Responses => response_events(&whole).iter().map(named).collect(),
        Format::Anthropic => message_events(&whole).iter().map(named).collect(),
        Format::OpenAi => {
            let with_usage = request["stream_options"]["include_usage"] == true;
            let mut events: Vec<String> = chunk_events(&whole, with_usage).iter().map(plain).collect();
            // As OpenRouter says that it is still there.
            events.insert(0, ": PROCESSING\n\n".to_owned());
            events.push("data: [DONE]\n\n".to_owned());
            events
        }
    };
    Some(events.into_iter().map(String::into_bytes).collect())
}

/// A text in two parts.
fn halves(text: &Value) -> Vec<Value> {
    let text = text.as_str().unwrap_or_default();
    let middle = text.floor_char_boundary(text.len() / 2);
    let (first, second) = text.split_at(middle);
    [first, second].into_iter().filter(|part| !part.is_empty()).map(Value::from).collect()
}

fn response_events(whole: &Value) -> Vec<Value> {
    let mut begun = whole.clone();
    begun["output"] = json!([]);
    begun["status"] = "in_progress".into();
    let mut events = vec![json!({ "type": "response.created", "response": begun })];
    for (index, item) in whole["output"].as_array().into_iter().flatten().enumerate() {
        events.push(json!({ "type": "response.output_item.added", "output_index": index, "item": { "type": item["type"] } }));
        let (kind, text) = match item["type"].as_str() {
            Some("reasoning") => ("response.reasoning_summary_text.delta", &item["summary"][0]["text"]),
            Some("function_call") => ("response.function_call_arguments.delta", &item["arguments"]),
            _ => ("response.output_text.delta", &item["content"][0]["text"]),
        };
        events.extend(
            halves(text)
                .into_iter()
                .map(|piece| json!({ "type": kind, "output_index": index, "delta": piece })),
        );
        events.push(json!({ "type": "response.output_item.done", "output_index": index, "item": item }));
    }
    let last = if whole["status"] == "incomplete" { "response.incomplete" } else { "response.completed" };
    events.push(json!({ "type": last, "response": whole }));
    events
}

fn message_events(whole: &Value) -> Vec<Value> {
    let mut begun = whole.clone();
    begun["content"] = json!([]);
    begun["stop_reason"] = Value::Null;
    if begun["usage"].is_object() {
        begun["usage"]["output_tokens"] = 1.into();
    }
    let mut events = vec![json!({ "type": "message_start", "message": begun }), json!({ "type": "ping" })];
    for (index, block) in whole["content"].as_array().into_iter().flatten().enumerate() {
        let (empty, key, delta) = match block["type"].as_str() {
            Some("tool_use") => (
                json!({ "type": "tool_use", "id": block["id"], "name": block["name"], "input": {} }),
                "partial_json",
                "input_json_delta",
            ),
            Some("thinking") => {
                (json!({ "type": "thinking", "thinking": "", "signature": "" }), "thinking", "thinking_delta")
            }
            _ => (json!({ "type": "text", "text": "" }), "text", "text_delta"),
        };
        let text = if key == "partial_json" { block["input"].to_string().into() } else { block[key].clone() };
        let event = |delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": empty }));
        events.extend(halves(&text).into_iter().map(|piece| event(json!({ "type": delta, (key): piece }))));
        if key == "thinking" {
            events.push(event(json!({ "type": "signature_delta", "signature": block["signature"] })));
        }
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let mut last = json!({ "type": "message_delta", "delta": { "stop_reason": whole["stop_reason"], "stop_sequence": null } });
    if whole["usage"].is_object() {
        last["usage"] = json!({ "output_tokens": whole["usage"]["output_tokens"] });
    }
    events.push(last);
    events.push(json!({ "type": "message_stop" }));
    events
}

fn chunk_events(whole: &Value, with_usage: bool) -> Vec<Value> {
    let chunk = |choices: Value| {
        json!({
            "id": whole["id"], "object": "chat.completion.chunk", "created": 0, "model": whole["model"],
            "choices": choices, "usage": null,
        })
    };
    let piece = |index: &Value, delta: Value, reason: &Value| {
        chunk(json!([{ "index": index, "delta": delta, "finish_reason": reason }]))
    };
    let mut events = Vec::new();
    for choice in whole["choices"].as_array().into_iter().flatten() {
        let (index, message) = (&choice["index"], &choice["message"]);
        events.push(piece(index, json!({ "role": "assistant", "content": "" }), &Value::Null));
        for key in ["reasoning_content", "content", "refusal"] {
            for part in halves(&message[key]) {
                events.push(piece(index, json!({ (key): part }), &Value::Null));
            }
        }
        for (place, call) in message["tool_calls"].as_array().into_iter().flatten().enumerate() {
            let function = json!({ "name": call["function"]["name"], "arguments": "" });
            let named = json!({ "index": place, "id": call["id"], "type": "function", "function": function });
            events.push(piece(index, json!({ "tool_calls": [named] }), &Value::Null));
            for part in halves(&call["function"]["arguments"]) {
                let more = json!({ "index": place, "function": { "arguments": part } });
                events.push(piece(index, json!({ "tool_calls": [more] }), &Value::Null));
            }
        }
        events.push(piece(index, json!({}), &choice["finish_reason"]));
    }
    if with_usage && whole["usage"].is_object() {
        let mut last = chunk(json!([]));
        last["usage"] = whole["usage"].clone();
        events.push(last);
    }
    events
}
