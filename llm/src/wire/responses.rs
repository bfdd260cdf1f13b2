//! OpenAI's Responses: `POST …/responses`, without anything kept at the service.
//!
//! An answer is a list of items (reasoning, messages, function calls). What a model reasoned comes encrypted (`reasoning.encrypted_content`) and
//! is sent back with the calls that followed it.

use std::borrow::Cow;

use patchwright_protocol::{ChatReply, FinishReason, Message, Role, ToolCall, ToolSchema, Usage};
use serde_json::{Value, json};

use super::accumulator::StreamAccumulator;
use super::{Entry, Parameters, count_of, text_of};
use crate::{AnswerProgress, ChatRequest};

/// Items of an answer that are taken.
const MOST_ITEMS: usize = 4096;
/// The service refuses shorter limits of an answer, in tokens.
const SHORTEST_ANSWER: u32 = 16;
/// Letters of a call's id that the service takes.
const LONGEST_ID: usize = 64;

/// The body of a request, without its temperature and tools.
pub(super) fn body(model: &str, request: &ChatRequest, sent: Parameters) -> Value {
    let mut input: Vec<Value> = Vec::new();
    for (entry, _) in super::entries(request) {
        match entry {
            Entry::Said(message) => input.push(said(message)),
            Entry::Replied(reply) => {
                input.extend(items_back(reply, sent.contains(Parameters::EARLIER_REASONING)));
            }
            Entry::Called { id, message } => {
                let id = sent_id(id);
                input.push(json!({ "type": "function_call_output", "call_id": id, "output": message.text }));
            }
        }
    }
    let mut body = json!({ "model": model, "input": input });
    if sent.contains(Parameters::ANSWER_LIMIT) {
        body["max_output_tokens"] = request.max_output_tokens.max(SHORTEST_ANSWER).into();
    }
    if sent.contains(Parameters::STORE) {
        body["store"] = false.into();
    }
    let mut reasoning = json!({});
    if let Some(effort) = request.effort.filter(|_| sent.contains(Parameters::EFFORT)) {
        reasoning["effort"] = effort.word().into();
    }
    if sent.contains(Parameters::SUMMARY) {
        reasoning["summary"] = "auto".into();
    }
    if reasoning != json!({}) {
        body["reasoning"] = reasoning;
    }
    if sent.contains(Parameters::ENCRYPTED_REASONING) {
        body["include"] = json!(["reasoning.encrypted_content"]);
    }
    body
}

fn said(message: &Message) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User | Role::Tool => "user",
        Role::Assistant => "assistant",
    };
    json!({ "role": role, "content": message.text })
}

/// A tool as a request offers it.
pub(super) fn tool(tool: &ToolSchema) -> Value {
    json!({
        "type": "function", "name": tool.name, "description": tool.description, "parameters": tool.parameters,
        // The schemas have optional arguments, which the strict form does not know.
        "strict": false,
    })
}

/// The items of an answer as they are sent back. The service keeps none, so that only encrypted reasoning is of use to it; the names of the
/// others mean nothing there. Calls are as they were read.
fn items_back(reply: &ChatReply, is_reasoned: bool) -> Vec<Value> {
    let mut calls = reply.tool_calls.iter();
    let mut back: Vec<Value> = Vec::new();
    // An answer that was read in another form has none.
    let has_message = reply.items.iter().any(|item| text_of(item, "type") == Some("message"));
    if !has_message && !reply.text.trim().is_empty() {
        back.push(json!({ "role": "assistant", "content": reply.text }));
    }
    for item in &reply.items {
        match text_of(item, "type") {
            Some("reasoning") if is_reasoned => back.extend(reasoning_back(item)),
            Some("message") => back.extend(message_back(item)),
            Some("function_call") => back.extend(calls.next().map(call_back)),
            _ => {}
        }
    }
    back.extend(calls.map(call_back));
    back
}

/// What was reasoned, if the service can read it: it needs the name and the encrypted text.
fn reasoning_back(item: &Value) -> Option<Value> {
    text_of(item, "id").and(text_of(item, "encrypted_content"))?;
    let mut fields = item.as_object()?.clone();
    fields.retain(|key, value| key != "status" && !value.is_null());
    fields.entry("summary").or_insert_with(|| json!([]));
    Some(Value::Object(fields))
}

/// What was said, as a text: in the form of an answer it would need the name that it had at the service. `phase` tells remarks between calls
/// from the answer.
fn message_back(item: &Value) -> Option<Value> {
    let parts = item.get("content").and_then(Value::as_array).into_iter().flatten();
    let text: String =
        parts.filter_map(|part| text_of(part, "text").or_else(|| text_of(part, "refusal"))).collect();
    let mut back = json!({ "role": "assistant", "content": text });
    if let Some(phase) = text_of(item, "phase") {
        back["phase"] = phase.into();
    }
    (!text.trim().is_empty()).then_some(back)
}

fn call_back(call: &ToolCall) -> Value {
    let id = sent_id(call.id.as_deref().unwrap_or_default());
    let arguments = super::whole_object(&call.arguments).to_string();
    json!({ "type": "function_call", "call_id": id, "name": super::tool_name(&call.name), "arguments": arguments })
}

fn sent_id(id: &str) -> Cow<'_, str> {
    super::call_id(id, |id| (1..=LONGEST_ID).contains(&id.chars().count()))
}

/// Reads an answer; the problem is what is missing.
pub(super) fn read(value: &Value, asked: &str) -> Result<ChatReply, String> {
    let output = value.get("output").and_then(Value::as_array).ok_or("`output` is missing")?;
    let (mut text, mut reasoning, mut refusal) = (String::new(), String::new(), String::new());
    let mut tool_calls = Vec::new();
    for item in output {
        match text_of(item, "type") {
            Some("message") => {
                for part in item.get("content").and_then(Value::as_array).into_iter().flatten() {
                    text.push_str(text_of(part, "text").unwrap_or_default());
                    refusal.push_str(text_of(part, "refusal").unwrap_or_default());
                }
            }
            Some("function_call") => {
                let name = text_of(item, "name").unwrap_or_default().to_owned();
                let arguments = text_of(item, "arguments").unwrap_or_default().to_owned();
                let id = text_of(item, "call_id").or_else(|| text_of(item, "id")).map(str::to_owned);
                tool_calls.push(ToolCall { name, arguments, id });
            }
            Some("reasoning") => {
                let parts =
                    ["summary", "content"].iter().filter_map(|key| item.get(key)?.as_array()).flatten();
                for part in parts.filter_map(|part| text_of(part, "text")) {
                    if !reasoning.is_empty() {
                        reasoning.push_str("\n\n");
                    }
                    reasoning.push_str(part);
                }
            }
            _ => {}
        }
    }
    let why = value.get("incomplete_details").and_then(|details| text_of(details, "reason"));
    let stop = match (text_of(value, "status"), why) {
        _ if !refusal.is_empty() => FinishReason::Filtered,
        (_, Some("max_output_tokens")) => FinishReason::Length,
        (_, Some("content_filter")) => FinishReason::Filtered,
        (Some("completed") | None, None) if !tool_calls.is_empty() => FinishReason::ToolCalls,
        (Some("completed") | None, None) => FinishReason::End,
        (_, Some(other)) | (Some(other), None) => FinishReason::Other(other.to_owned()),
    };
    Ok(ChatReply {
        text: if refusal.is_empty() { text } else { refusal },
        reasoning,
        tool_calls,
        stop,
        usage: super::usage_of(value, usage),
        model: super::model_of(value, asked),
        items: output.clone(),
        first_piece_seconds: None,
    })
}

fn usage(usage: &Value) -> Usage {
    let details = |key: &str| usage.get(key).unwrap_or(&Value::Null);
    let input = count_of(usage, "input_tokens");
    let output = count_of(usage, "output_tokens");
    Usage {
        input,
        cached_input: count_of(details("input_tokens_details"), "cached_tokens").min(input),
        cache_write: count_of(details("input_tokens_details"), "cache_write_tokens").min(input),
        output,
        reasoning: count_of(details("output_tokens_details"), "reasoning_tokens").min(output),
    }
}

/// The answer that a stream of events holds whole in its last one; the items that came before it, where that has none.
#[derive(Default)]
pub(super) struct Stream {
    response: Value,
    items: Vec<Value>,
    /// The pieces so far, which are all there is of an answer that breaks off.
    reasoning: String,
    answer: String,
    is_whole: bool,
}

impl StreamAccumulator for Stream {
    fn take(&mut self, mut event: Value) {
        let piece = text_of(&event, "delta").unwrap_or_default();
        match text_of(&event, "type").unwrap_or_default() {
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.reasoning.push_str(piece);
            }
            "response.output_text.delta"
            | "response.refusal.delta"
            | "response.function_call_arguments.delta" => self.answer.push_str(piece),
            "response.output_item.done" if self.items.len() < MOST_ITEMS => {
                self.items.push(event["item"].take());
            }
            "response.completed" | "response.incomplete" => {
                self.response = event["response"].take();
                self.is_whole = true;
            }
            "response.created" | "response.in_progress" => self.response = event["response"].take(),
            _ => {}
        }
    }

    fn is_whole(&self) -> bool {
        self.is_whole
    }

    fn arrived(&self) -> AnswerProgress {
        AnswerProgress { reasoning: self.reasoning.len() as u64, answer: self.answer.len() as u64 }
    }

    fn value(self: Box<Self>) -> Value {
        let Self { mut response, items, reasoning, answer, is_whole } = *self;
        if !response.is_object() {
            response = json!({});
        }
        let has_output = response["output"].as_array().is_some_and(|output| !output.is_empty());
        match (is_whole, has_output) {
            (true, true) => {}
            (true, false) => response["output"] = items.into(),
            (false, _) => {
                let part = |text: String| json!([{ "text": text }]);
                response["output"] = json!([
                    { "type": "reasoning", "content": part(reasoning) },
                    { "type": "message", "content": part(answer) },
                ]);
            }
        }
        response
    }
}
