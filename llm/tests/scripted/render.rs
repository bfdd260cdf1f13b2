//! Steps as responses in either format. Everything is a function of the request: the same request gives the same bytes.

use patchwright_llm::ChatReply;
use patchwright_protocol::{FinishReason, ToolCall, Usage};
use serde_json::{Map, Value, json};

use super::{Format, Step};

/// A token is taken to be so many bytes, here where nobody pays.
const BYTES_PER_TOKEN: u64 = 4;

/// The response to a request for `model` with `input` tokens: status, headers, body. `Stall` and `When` are decided
/// elsewhere; here they are empty answers.
pub(super) fn response(
    format: Format,
    step: Step,
    model: &str,
    input: u64,
) -> (u16, Vec<(String, String)>, Vec<u8>) {
    let reply = |text: String, tool_calls: Vec<ToolCall>, stop: FinishReason| {
        let mut said = vec![text.clone()];
        said.extend(tool_calls.iter().map(|call| call.arguments.clone()));
        let usage = Some(Usage { input, output: tokens(&said), ..Usage::default() });
        ChatReply { text, tool_calls, stop, usage, model: model.to_owned() }
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
            reply(String::new(), vec![ToolCall { name, arguments }], FinishReason::ToolCalls)
        }
        Step::Empty | Step::Cut | Step::Stall | Step::When(_) => {
            reply(String::new(), Vec::new(), FinishReason::End)
        }
    };
    let body = match format {
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
    if let Some(texts) = body.get("input").and_then(Value::as_array) {
        return texts.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    }
    let messages = body.get("messages").and_then(Value::as_array).into_iter().flatten();
    let contents =
        body.get("system").into_iter().chain(messages.filter_map(|message| message.get("content")));
    contents
        .flat_map(|content| match content {
            Value::String(text) => vec![text.clone()],
            Value::Array(blocks) => {
                blocks.iter().filter_map(|block| block["text"].as_str()).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        })
        .collect()
}

fn error(format: Format, kind: &str, message: &str) -> Value {
    match format {
        Format::OpenAi => {
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
        });
    }
    body
}

fn anthropic(reply: &ChatReply) -> Value {
    let mut content = Vec::new();
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
