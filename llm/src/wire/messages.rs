//! Anthropic's messages.

use std::borrow::Cow;

use patchwright_protocol::{ChatReply, Effort, FinishReason, Message, Role, ToolCall, ToolSchema, Usage};
use serde_json::{Value, json};

use super::{Entry, Parameters, count_of, text_of};
use crate::ChatRequest;
use crate::limits::Thinking;

/// The service refuses more breakpoints in one request.
const MAX_BREAKPOINTS: usize = 4;
/// The least that a model of the older kind may reason, in tokens.
const LEAST_THINKING: u32 = 1024;

/// The body of a request, without its temperature and tools: system messages apart, neighbours of one role merged into one message of several blocks.
pub(super) fn body(model: &str, request: &ChatRequest, sent: Parameters, thinking: Thinking) -> Value {
    let mut system: Vec<Value> = Vec::new();
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    let is_reasoned = sent.contains(Parameters::EARLIER_REASONING);
    for (entry, mark) in with_breakpoints(super::entries(request)) {
        let mark = mark && sent.contains(Parameters::CACHE_MARKS);
        let (role, mut blocks) = match entry {
            Entry::Said(Message { role: Role::System, text, .. }) => {
                system.push(marked(text_block(text), mark));
                continue;
            }
            Entry::Said(Message { role: Role::Assistant, text, .. }) => ("assistant", vec![text_block(text)]),
            Entry::Said(message) => ("user", vec![text_block(&message.text)]),
            Entry::Replied(reply) => ("assistant", blocks_back(reply, is_reasoned)),
            Entry::Called { id, message } => {
                let id = sent_id(id);
                ("user", vec![json!({ "type": "tool_result", "tool_use_id": id, "content": message.text })])
            }
        };
        if let Some(last) = blocks.iter_mut().rfind(|block| !is_thinking(block)).filter(|_| mark) {
            *last = marked(last.take(), true);
        }
        match messages.last_mut() {
            Some((last, before)) if *last == role => before.extend(blocks),
            _ => messages.push((role, blocks)),
        }
    }
    let messages: Vec<Value> =
        messages.into_iter().map(|(role, blocks)| json!({ "role": role, "content": blocks })).collect();
    let mut body = json!({ "model": model, "max_tokens": request.max_output_tokens });
    if !system.is_empty() {
        body["system"] = system.into();
    }
    body["messages"] = messages.into();
    if let Some(effort) = request.effort {
        let thinking = thinking_of(effort, thinking, request.max_output_tokens);
        // Who is to reason must have reasoned before each earlier call.
        let may_think = sent.contains(Parameters::THINKING) && (is_reasoned || request.replies.is_empty());
        if let Some(thinking) = thinking.filter(|_| may_think) {
            body["thinking"] = thinking;
        }
        if let Some(word) = effort_word(effort).filter(|_| sent.contains(Parameters::EFFORT)) {
            body["output_config"] = json!({ "effort": word });
        }
    }
    body
}

/// The way in which a model is asked to reason. The older ones are given a length: a part of what the answer may have.
fn thinking_of(effort: Effort, thinking: Thinking, max_output_tokens: u32) -> Option<Value> {
    match (effort, thinking) {
        (Effort::None | Effort::Minimal, _) | (_, Thinking::None) => None,
        (_, Thinking::Adaptive) => Some(json!({ "type": "adaptive", "display": "summarized" })),
        (effort, Thinking::Budget) => {
            let eighths = match effort {
                Effort::None | Effort::Minimal | Effort::Low => 1,
                Effort::Medium => 3,
                Effort::High => 5,
                Effort::XHigh | Effort::Max => 6,
            };
            let tokens = max_output_tokens / 8 * eighths;
            (tokens >= LEAST_THINKING).then(|| json!({ "type": "enabled", "budget_tokens": tokens }))
        }
    }
}

/// The service's word for an effort.
fn effort_word(effort: Effort) -> Option<&'static str> {
    match effort {
        Effort::None => None,
        Effort::Minimal => Some("low"),
        Effort::Low | Effort::Medium | Effort::High | Effort::XHigh | Effort::Max => Some(effort.word()),
    }
}

/// A tool as a request offers it.
pub(super) fn tool(tool: &ToolSchema) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters })
}

/// The entries with those of the breakpoints that are set. Where more are wanted than the service allows, the first is kept (the part that
/// never changes) and the last three (what the next request repeats).
fn with_breakpoints(mut entries: Vec<(Entry<'_>, bool)>) -> Vec<(Entry<'_>, bool)> {
    let wanted = entries.iter().filter(|(_, mark)| *mark).count();
    let marks = entries.iter_mut().map(|(_, mark)| mark).filter(|mark| **mark);
    for mark in marks.skip(1).take(wanted.saturating_sub(MAX_BREAKPOINTS)) {
        *mark = false;
    }
    entries
}

fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn marked(mut block: Value, mark: bool) -> Value {
    if mark {
        block["cache_control"] = json!({ "type": "ephemeral" });
    }
    block
}

/// The blocks of a reply as they are sent back, what was reasoned with its signature among them. Calls are as they were read: the service
/// demands names, ids and objects of a form that models do not always keep to.
fn blocks_back(reply: &ChatReply, is_reasoned: bool) -> Vec<Value> {
    let mut calls = reply.tool_calls.iter();
    let mut back: Vec<Value> = Vec::new();
    // An answer of too many values is kept without its blocks.
    let has_text = reply.items.iter().any(|block| text_of(block, "type") == Some("text"));
    if !has_text && !reply.text.trim().is_empty() {
        back.push(text_block(&reply.text));
    }
    for block in &reply.items {
        match text_of(block, "type") {
            Some("text") if text_of(block, "text").is_some_and(|text| !text.trim().is_empty()) => {
                back.push(block.clone());
            }
            Some("thinking") if is_reasoned => back.extend(thinking_back(block)),
            Some("redacted_thinking") if is_reasoned => back.push(block.clone()),
            Some("tool_use") => back.extend(calls.next().map(call_back)),
            _ => {}
        }
    }
    back.extend(calls.map(call_back));
    back
}

/// What was reasoned, with a signature: services that copy the format may give none.
fn thinking_back(block: &Value) -> Option<Value> {
    let mut fields = block.as_object()?.clone();
    for key in ["thinking", "signature"] {
        fields.entry(key).or_insert_with(|| "".into());
    }
    Some(Value::Object(fields))
}

/// Whether a block is of the kind that takes no cache mark.
fn is_thinking(block: &Value) -> bool {
    matches!(text_of(block, "type"), Some("thinking" | "redacted_thinking"))
}

fn call_back(call: &ToolCall) -> Value {
    let id = sent_id(call.id.as_deref().unwrap_or_default());
    let input = super::whole_object(&call.arguments);
    json!({ "type": "tool_use", "id": id, "name": super::tool_name(&call.name), "input": input })
}

fn sent_id(id: &str) -> Cow<'_, str> {
    super::call_id(id, |id| !id.is_empty() && id.chars().all(super::is_letter))
}

/// Reads an answer; the problem is what is missing.
pub(super) fn read(value: &Value, asked: &str) -> Result<ChatReply, String> {
    let content = value.get("content").and_then(Value::as_array).ok_or("`content` is missing")?;
    let mut text = String::new();
    let mut reasoning = String::new();
    let mut tool_calls = Vec::new();
    for block in content {
        match text_of(block, "type") {
            Some("text") => text.push_str(text_of(block, "text").unwrap_or_default()),
            Some("thinking") => reasoning.push_str(text_of(block, "thinking").unwrap_or_default()),
            Some("tool_use") => {
                let name = text_of(block, "name").unwrap_or_default().to_owned();
                let arguments = block.get("input").map(Value::to_string).unwrap_or_default();
                tool_calls.push(ToolCall { name, arguments, id: text_of(block, "id").map(str::to_owned) });
            }
            // Kinds that are not known yet are not for us.
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
    let usage = super::usage_of(value, usage);
    let model = super::model_of(value, asked);
    Ok(ChatReply {
        text,
        reasoning,
        tool_calls,
        stop,
        usage,
        model,
        items: content.clone(),
        first_piece_seconds: None,
    })
}

/// `input_tokens` counts only what was neither read from the cache nor written to it.
fn usage(usage: &Value) -> Usage {
    let cached_input = count_of(usage, "cache_read_input_tokens");
    let cache_write = count_of(usage, "cache_creation_input_tokens");
    Usage {
        input: count_of(usage, "input_tokens").saturating_add(cached_input).saturating_add(cache_write),
        cached_input,
        cache_write,
        output: count_of(usage, "output_tokens"),
        reasoning: 0,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn message(role: Role, text: &str, cache_here: bool) -> Message {
        Message { cache_here, ..Message::new(role, text) }
    }

    #[test]
    fn neighbours_of_one_role_are_merged_and_system_stands_apart() {
        let messages = vec![
            message(Role::System, "s1", false),
            message(Role::System, "s2", true),
            message(Role::User, "a", false),
            message(Role::User, "b", true),
            message(Role::Assistant, "c", false),
            message(Role::User, "d", false),
            message(Role::User, "\n", true),
        ];
        let request = ChatRequest { messages, max_output_tokens: 100, ..ChatRequest::default() };
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
        });
        assert_eq!(body("claude", &request, Parameters::CACHE_MARKS, Thinking::None), expect);
    }

    #[test]
    fn four_breakpoints_at_most() {
        let check = |marks: &str, expect: &str| {
            let messages: Vec<Message> = marks.chars().map(|c| message(Role::User, "x", c == '|')).collect();
            let request = ChatRequest { messages, ..ChatRequest::default() };
            let kept: String = with_breakpoints(crate::wire::entries(&request))
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
            Some(Usage { input, cached_input, cache_write, output, reasoning: 0 })
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
    }
}
