//! OpenAI's chat completions, and what the many services that copy them make of it.

use patchwright_protocol::{ChatReply, FinishReason, Role, ToolCall, ToolSchema, Usage};
use serde_json::{Value, json};

use super::{Entry, Parameters, count_of, text_of};
use crate::ChatRequest;

/// The fields in which services put what the model reasoned: a text, and with `reasoning_details` a list that they want back as it is.
pub(super) const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];
pub(super) const REASONING_DETAILS: &str = "reasoning_details";
/// Those of the texts that services take back.
const REASONING_BACK: [&str; 2] = ["reasoning_content", "reasoning"];

/// The body of a request, without its temperature and tools. Messages are sent as they are: consecutive ones of one role are accepted.
pub(super) fn body(model: &str, request: &ChatRequest, sent: Parameters) -> Value {
    let messages: Vec<Value> = super::entries(request)
        .into_iter()
        .map(|(entry, _)| match entry {
            Entry::Said(message) => json!({ "role": role(message.role), "content": message.text }),
            Entry::Replied(reply) => message_back(reply, sent.contains(Parameters::EARLIER_REASONING)),
            Entry::Called { id, message } => {
                json!({ "role": "tool", "tool_call_id": id, "content": message.text })
            }
        })
        .collect();
    let limit = if sent.contains(Parameters::MAX_TOKENS) { "max_tokens" } else { "max_completion_tokens" };
    let mut body = json!({ "model": model, "messages": messages, (limit): request.max_output_tokens });
    if let Some(effort) = request.effort.filter(|_| sent.contains(Parameters::EFFORT)) {
        body["reasoning_effort"] = effort.word().into();
    }
    body
}

/// A tool as a request offers it.
pub(super) fn tool(tool: &ToolSchema) -> Value {
    let function =
        json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters });
    json!({ "type": "function", "function": function })
}

fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User | Role::Tool => "user",
        Role::Assistant => "assistant",
    }
}

/// A reply as it is sent back: what was said and called and, where the service takes it, what was reasoned.
fn message_back(reply: &ChatReply, with_reasoning: bool) -> Value {
    let whole = reply.items.first().unwrap_or(&Value::Null);
    let mut back = json!({ "role": "assistant", "content": reply.text });
    let calls: Vec<Value> = reply
        .tool_calls
        .iter()
        .enumerate()
        .map(|(index, call)| {
            let function =
                json!({ "name": super::tool_name(&call.name), "arguments": super::whole_object(&call.arguments).to_string() });
            let mut back = json!({ "id": call.id, "type": "function", "function": function });
            // Gemini signs what it reasoned before a call there, and refuses the call without.
            if let Some(extra) = whole["tool_calls"][index].get("extra_content") {
                back["extra_content"] = extra.clone();
            }
            back
        })
        .collect();
    if !calls.is_empty() {
        back["tool_calls"] = calls.into();
    }
    if with_reasoning {
        for key in REASONING_BACK {
            if let Some(reasoned) = whole.get(key).filter(|reasoned| reasoned.is_string()) {
                back[key] = reasoned.clone();
            }
        }
        if let Some(details) = whole.get(REASONING_DETAILS).filter(|details| details.is_array()) {
            back[REASONING_DETAILS] = details.clone();
        }
    }
    back
}

/// Reads the answers to a question, at least one; the problem is what is missing. The tokens of all are those of the first.
pub(super) fn read_all(value: &Value, asked: &str) -> Result<Vec<ChatReply>, String> {
    let first = read(value, asked)?;
    let mut replies = vec![first];
    let others = value.get("choices").and_then(Value::as_array).into_iter().flatten().enumerate().skip(1);
    for (index, choice) in others {
        let usage = replies[0].usage.map(|_| Usage::default());
        replies.push(reply(choice, index, usage, replies[0].model.clone())?);
    }
    Ok(replies)
}

/// Reads the first answer.
fn read(value: &Value, asked: &str) -> Result<ChatReply, String> {
    let choices = value.get("choices").and_then(Value::as_array).ok_or("`choices` is missing")?;
    let model = super::model_of(value, asked);
    let usage = super::usage_of(value, usage);
    let Some(choice) = choices.first() else {
        let stop = FinishReason::Other("no_choice".to_owned());
        return Ok(ChatReply { stop, usage, model, ..ChatReply::default() });
    };
    reply(choice, 0, usage, model)
}

/// One of the answers.
fn reply(choice: &Value, index: usize, usage: Option<Usage>, model: String) -> Result<ChatReply, String> {
    let message = choice.get("message").ok_or_else(|| format!("`choices[{index}].message` is missing"))?;
    let refusal = text_of(message, "refusal").filter(|refusal| !refusal.is_empty());
    let calls = message.get("tool_calls").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let tool_calls: Vec<ToolCall> = calls.iter().map(tool_call).collect();
    let text = refusal.map_or_else(|| content(message, "text", "text"), str::to_owned);
    let stop = match text_of(choice, "finish_reason") {
        _ if refusal.is_some() => FinishReason::Filtered,
        // Some services end tool calls with `stop`, or say nothing.
        None | Some("stop" | "eos" | "tool_calls" | "function_call") if !tool_calls.is_empty() => {
            FinishReason::ToolCalls
        }
        None => FinishReason::Other("none".to_owned()),
        Some("stop" | "eos") => FinishReason::End,
        Some("length") => FinishReason::Length,
        Some("tool_calls" | "function_call") => FinishReason::ToolCalls,
        Some("content_filter") => FinishReason::Filtered,
        Some(other) => FinishReason::Other(other.to_owned()),
    };
    let reasoning = reasoning(message);
    Ok(ChatReply {
        text,
        reasoning,
        tool_calls,
        stop,
        usage,
        model,
        items: vec![message.clone()],
        first_piece_seconds: None,
    })
}

/// The visible text: a string, or (in some copies) a list of parts, of which those of one type are taken.
fn content(message: &Value, kind: &str, key: &str) -> String {
    match message.get("content") {
        Some(Value::String(text)) if kind == "text" => text.clone(),
        Some(Value::Array(parts)) => {
            let of_kind = |part: &&Value| text_of(part, "type").unwrap_or("text") == kind;
            parts.iter().filter(of_kind).filter_map(|part| text_of(part, key)).collect()
        }
        _ => String::new(),
    }
}

/// What was reasoned, from whichever field holds it.
fn reasoning(message: &Value) -> String {
    let of_field = REASONING.iter().find_map(|key| text_of(message, key).filter(|text| !text.is_empty()));
    if let Some(text) = of_field {
        return text.to_owned();
    }
    let details = message.get(REASONING_DETAILS).and_then(Value::as_array).into_iter().flatten();
    let of_details: String =
        details.filter_map(|detail| text_of(detail, "text").or_else(|| text_of(detail, "summary"))).collect();
    if of_details.is_empty() { content(message, "thinking", "thinking") } else { of_details }
}

/// A call. One without a name is kept here; [`WireFormat::read_value`](super::WireFormat::read_value) refuses it.
fn tool_call(call: &Value) -> ToolCall {
    let function = call.get("function").unwrap_or(&Value::Null);
    let arguments = match function.get("arguments") {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        // The format says text; some services send the object itself.
        Some(other) => other.to_string(),
    };
    let name = text_of(function, "name").unwrap_or_default().to_owned();
    ToolCall { name, arguments, id: text_of(call, "id").map(str::to_owned) }
}

/// `prompt_tokens` counts all input; details that a service does not know are null or missing.
fn usage(usage: &Value) -> Usage {
    let details = |key: &str| usage.get(key).unwrap_or(&Value::Null);
    let prompt = details("prompt_tokens_details");
    let input = count_of(usage, "prompt_tokens");
    let output = count_of(usage, "completion_tokens");
    // DeepSeek counts what its cache held beside the details.
    let cached = count_of(prompt, "cached_tokens").max(count_of(usage, "prompt_cache_hit_tokens"));
    Usage {
        input,
        cached_input: cached.min(input),
        cache_write: count_of(prompt, "cache_write_tokens").min(input),
        output,
        reasoning: count_of(details("completion_tokens_details"), "reasoning_tokens").min(output),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let check = |message: Value, reason: Value, text: &str, stop: FinishReason| {
            let value = json!({ "choices": [{ "message": message, "finish_reason": reason }] });
            let reply = read(&value, "asked").unwrap();
            assert_eq!((reply.text.as_str(), &reply.stop), (text, &stop), "{value}");
            assert_eq!((reply.usage, reply.model.as_str()), (None, "asked"));
        };
        let call =
            json!([{ "id": "1", "type": "function", "function": { "name": "f", "arguments": "{\"a\": 1" } }]);
        check(json!({ "content": "hi" }), json!("stop"), "hi", FinishReason::End);
        check(json!({ "content": "hi" }), json!("length"), "hi", FinishReason::Length);
        check(
            json!({ "content": null, "reasoning_content": "hm" }),
            json!("length"),
            "",
            FinishReason::Length,
        );
        check(json!({ "content": "" }), json!("content_filter"), "", FinishReason::Filtered);
        check(
            json!({ "content": null, "refusal": "I can't." }),
            json!("stop"),
            "I can't.",
            FinishReason::Filtered,
        );
        check(
            json!({ "content": null, "tool_calls": call }),
            json!("tool_calls"),
            "",
            FinishReason::ToolCalls,
        );
        check(json!({ "content": "so", "tool_calls": call }), json!("stop"), "so", FinishReason::ToolCalls);
        check(json!({ "content": null, "tool_calls": call }), json!(null), "", FinishReason::ToolCalls);
        check(json!({ "content": null, "tool_calls": call }), json!("length"), "", FinishReason::Length);
        check(
            json!({ "content": "hi", "tool_calls": null }),
            json!(null),
            "hi",
            FinishReason::Other("none".to_owned()),
        );
        check(json!({ "content": "hi" }), json!("error"), "hi", FinishReason::Other("error".to_owned()));
        let parts = json!([{ "type": "thinking", "thinking": [] }, { "type": "text", "text": "hi" }]);
        check(json!({ "content": parts }), json!("stop"), "hi", FinishReason::End);
    }

    #[test]
    fn arguments_are_kept_raw() {
        let check = |arguments: Value, expect: &str| {
            let call = json!({ "function": { "name": "f", "arguments": arguments } });
            assert_eq!(tool_call(&call).arguments, expect);
        };
        check(json!("{\"pattern\": \"\\d+\""), "{\"pattern\": \"\\d+\"");
        check(json!({ "b": 1, "a": 2 }), "{\"b\":1,\"a\":2}");
        check(json!(null), "");
    }

    #[test]
    fn usage_counts_cached_tokens_as_part_of_the_input() {
        let check = |value: Value, expect: Option<Usage>| {
            let body = json!({ "model": "gpt-4.1-2025-04-14", "choices": [], "usage": value });
            let reply = read(&body, "gpt-4.1").unwrap();
            assert_eq!(reply.usage, expect, "{value}");
            assert_eq!(reply.stop, FinishReason::Other("no_choice".to_owned()));
            assert_eq!(reply.model, "gpt-4.1-2025-04-14");
        };
        let some = |input, cached_input, cache_write, output| {
            Some(Usage { input, cached_input, cache_write, output, reasoning: 0 })
        };
        check(json!(null), None);
        check(json!({ "prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11 }), some(9, 0, 0, 2));
        check(
            json!({ "prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": { "cached_tokens": 4 } }),
            some(9, 4, 0, 2),
        );
        check(
            json!({ "prompt_tokens": 9, "prompt_tokens_details": { "cached_tokens": null, "cache_write_tokens": 5 } }),
            some(9, 0, 5, 0),
        );
        check(
            json!({ "prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": null }),
            some(9, 0, 0, 2),
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        let check = |value: Value, expect: &str| assert_eq!(read(&value, "m").unwrap_err(), expect);
        check(json!({ "object": "list" }), "`choices` is missing");
        check(json!([1]), "`choices` is missing");
        check(json!({ "choices": [{}] }), "`choices[0].message` is missing");
    }
}
