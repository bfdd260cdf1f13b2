//! Anthropic's messages.

use patchwright_protocol::{FinishReason, Message, Role, ToolCall, ToolSchema, Usage};
use serde_json::{Value, json};

use super::{count_of, text_of};
use crate::{ChatReply, ChatRequest};

/// The service refuses more breakpoints in one request.
const MAX_BREAKPOINTS: usize = 4;

/// The body of a request, without its temperature and tools: system messages apart, neighbours of one role merged into one message of several blocks.
pub(super) fn body(model: &str, request: &ChatRequest) -> Value {
    let mut system: Vec<Value> = Vec::new();
    let mut messages: Vec<(Role, Vec<Value>)> = Vec::new();
    for (message, mark) in with_breakpoints(&request.messages) {
        match (message.role, messages.last_mut()) {
            (Role::System, _) => system.push(block(message, mark)),
            (role, Some((last, blocks))) if *last == role => blocks.push(block(message, mark)),
            (role, _) => messages.push((role, vec![block(message, mark)])),
        }
    }
    let messages: Vec<Value> = messages
        .into_iter()
        .map(|(role, blocks)| {
            let role = if role == Role::Assistant { "assistant" } else { "user" };
            json!({ "role": role, "content": blocks })
        })
        .collect();
    let mut body = json!({ "model": model, "max_tokens": request.max_output_tokens });
    if !system.is_empty() {
        body["system"] = system.into();
    }
    body["messages"] = messages.into();
    body
}

/// A tool as a request offers it.
pub(super) fn tool(tool: &ToolSchema) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters })
}

/// The messages that say something, each with whether a breakpoint is set on it. Where more are wanted than the
/// service allows, the first is kept (the part that never changes) and the last three (what the next request repeats).
fn with_breakpoints(messages: &[Message]) -> Vec<(&Message, bool)> {
    let mut kept: Vec<(&Message, bool)> = Vec::new();
    for message in messages {
        if !message.text.trim().is_empty() {
            kept.push((message, message.cache_here));
        } else if let Some((_, mark)) = kept.last_mut().filter(|_| message.cache_here) {
            *mark = true;
        }
    }
    let wanted = kept.iter().filter(|(_, mark)| *mark).count();
    let marks = kept.iter_mut().map(|(_, mark)| mark).filter(|mark| **mark);
    for mark in marks.skip(1).take(wanted.saturating_sub(MAX_BREAKPOINTS)) {
        *mark = false;
    }
    kept
}

fn block(message: &Message, mark: bool) -> Value {
    let mut block = json!({ "type": "text", "text": message.text });
    if mark {
        block["cache_control"] = json!({ "type": "ephemeral" });
    }
    block
}

/// Reads an answer; the problem is what is missing.
pub(super) fn read(value: &Value, asked: &str) -> Result<ChatReply, String> {
    let content = value.get("content").and_then(Value::as_array).ok_or("`content` is missing")?;
    let mut text = String::new();
    let mut tool_calls = Vec::new();
    for block in content {
        match text_of(block, "type") {
            Some("text") => text.push_str(text_of(block, "text").unwrap_or_default()),
            Some("tool_use") => {
                let name = text_of(block, "name").ok_or("a tool call has no name")?.to_owned();
                let arguments = block.get("input").map(Value::to_string).unwrap_or_default();
                tool_calls.push(ToolCall { name, arguments });
            }
            // Reasoning, and kinds that are not known yet, are not for us.
            _ => {}
        }
    }
    let stop = match text_of(value, "stop_reason") {
        Some("end_turn" | "stop_sequence") => FinishReason::End,
        Some("max_tokens" | "model_context_window_exceeded") => FinishReason::Length,
        Some("tool_use") => FinishReason::ToolCalls,
        Some("refusal") => FinishReason::Filtered,
        Some(other) => FinishReason::Other(other.to_owned()),
        None => FinishReason::Other("none".to_owned()),
    };
    let usage = value.get("usage").filter(|usage| usage.is_object()).map(usage);
    let model = text_of(value, "model").filter(|model| !model.is_empty()).unwrap_or(asked).to_owned();
    Ok(ChatReply { text, tool_calls, stop, usage, model })
}

/// `input_tokens` counts only what was neither read from the cache nor written to it.
fn usage(usage: &Value) -> Usage {
    let cached_input = count_of(usage, "cache_read_input_tokens");
    let cache_write = count_of(usage, "cache_creation_input_tokens");
    Usage {
        input: count_of(usage, "input_tokens") + cached_input + cache_write,
        cached_input,
        cache_write,
        output: count_of(usage, "output_tokens"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::wire::{UnsupportedParameters, WireFormat};

    fn body(request: &ChatRequest, refuses: UnsupportedParameters) -> Value {
        WireFormat::Anthropic.body("claude", request, 1, refuses)
    }

    fn message(role: Role, text: &str, cache_here: bool) -> Message {
        Message { role, text: text.to_owned(), cache_here }
    }

    fn request(messages: Vec<Message>) -> ChatRequest {
        ChatRequest {
            messages,
            tools: Vec::new(),
            max_output_tokens: 100,
            temperature: Some(0.2),
            seed: Some(7),
        }
    }

    #[test]
    fn neighbours_of_one_role_are_merged_and_system_stands_apart() {
        let mut request = request(vec![
            message(Role::System, "s1", false),
            message(Role::System, "s2", true),
            message(Role::User, "a", false),
            message(Role::User, "b", true),
            message(Role::Assistant, "c", false),
            message(Role::User, "d", false),
            message(Role::User, "\n", true),
        ]);
        let expect = json!({
            "model": "claude", "max_tokens": 100,
            "system": [
                { "type": "text", "text": "s1" },
                { "type": "text", "text": "s2", "cache_control": { "type": "ephemeral" } },
            ],
            "messages": [
                { "role": "user", "content": [
                    { "type": "text", "text": "a" },
                    { "type": "text", "text": "b", "cache_control": { "type": "ephemeral" } },
                ] },
                { "role": "assistant", "content": [{ "type": "text", "text": "c" }] },
                { "role": "user", "content": [
                    { "type": "text", "text": "d", "cache_control": { "type": "ephemeral" } },
                ] },
            ],
            "temperature": 0.2,
        });
        assert_eq!(body(&request, UnsupportedParameters::default()), expect);

        request.messages.truncate(0);
        request.messages.push(message(Role::User, "a", false));
        request.tools.push(ToolSchema {
            name: "f".to_owned(),
            description: "does".to_owned(),
            parameters: json!({ "type": "object" }),
        });
        let expect = json!({
            "model": "claude", "max_tokens": 100,
            "messages": [{ "role": "user", "content": [{ "type": "text", "text": "a" }] }],
            "tools": [{ "name": "f", "description": "does", "input_schema": { "type": "object" } }],
        });
        assert_eq!(
            body(&request, UnsupportedParameters { temperature: true, max_tokens: true, several: true }),
            expect
        );
    }

    #[test]
    fn four_breakpoints_at_most() {
        let check = |marks: &str, expect: &str| {
            let messages: Vec<Message> = marks.chars().map(|c| message(Role::User, "x", c == '|')).collect();
            let kept: String = with_breakpoints(&messages)
                .into_iter()
                .map(|(_, mark)| if mark { '|' } else { '.' })
                .collect();
            assert_eq!(kept, expect, "{marks}");
        };
        check("....", "....");
        check("|.|.||", "|.|.||");
        check("|||||", "|.|||");
        check(".||.||||", ".|...|||");
    }

    #[test]
    fn answers_are_read() {
        let check = |content: Value,
                     reason: Value,
                     text: &str,
                     calls: &[(&str, &str)],
                     stop: FinishReason| {
            let reply = read(&json!({ "content": content, "stop_reason": reason }), "asked").unwrap();
            let found: Vec<(&str, &str)> =
                reply.tool_calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
            assert_eq!(
                (reply.text.as_str(), found.as_slice(), &reply.stop),
                (text, calls, &stop),
                "{content}"
            );
            assert_eq!((reply.usage, reply.model.as_str()), (None, "asked"));
        };
        let hi = json!({ "type": "text", "text": "hi" });
        let thought = json!({ "type": "thinking", "thinking": "hm", "signature": "" });
        let call = json!({ "type": "tool_use", "id": "1", "name": "f", "input": { "b": 1, "a": [2] } });
        check(json!([hi]), json!("end_turn"), "hi", &[], FinishReason::End);
        check(json!([hi, hi]), json!("stop_sequence"), "hihi", &[], FinishReason::End);
        check(json!([thought, hi]), json!("max_tokens"), "hi", &[], FinishReason::Length);
        check(json!([thought]), json!("model_context_window_exceeded"), "", &[], FinishReason::Length);
        check(
            json!([hi, call]),
            json!("tool_use"),
            "hi",
            &[("f", "{\"b\":1,\"a\":[2]}")],
            FinishReason::ToolCalls,
        );
        check(json!([]), json!("refusal"), "", &[], FinishReason::Filtered);
        check(json!([]), json!("end_turn"), "", &[], FinishReason::End);
        check(json!([hi]), json!("pause_turn"), "hi", &[], FinishReason::Other("pause_turn".to_owned()));
        check(json!([hi]), json!(null), "hi", &[], FinishReason::Other("none".to_owned()));
    }

    #[test]
    fn usage_adds_the_cache_to_the_input() {
        let check = |value: Value, expect: Option<Usage>| {
            let reply =
                read(&json!({ "content": [], "model": "claude-1", "usage": value }), "claude").unwrap();
            assert_eq!((reply.usage, reply.model.as_str()), (expect, "claude-1"));
        };
        let some = |input, cached_input, cache_write, output| {
            Some(Usage { input, cached_input, cache_write, output })
        };
        check(json!(null), None);
        check(json!({ "input_tokens": 9, "output_tokens": 2 }), some(9, 0, 0, 2));
        check(
            json!({
                "input_tokens": 9, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20,
                "output_tokens": 2,
            }),
            some(129, 100, 20, 2),
        );
        check(
            json!({ "input_tokens": 9, "cache_read_input_tokens": null, "output_tokens": 2 }),
            some(9, 0, 0, 2),
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        let check = |value: Value, expect: &str| assert_eq!(read(&value, "m").unwrap_err(), expect);
        check(json!({ "type": "message" }), "`content` is missing");
        check(json!({ "content": [{ "type": "tool_use" }] }), "a tool call has no name");
    }
}
