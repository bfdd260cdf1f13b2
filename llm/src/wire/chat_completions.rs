//! OpenAI's chat completions, and what the many services that copy them make of it.

use patchwright_protocol::{FinishReason, Role, ToolCall, ToolSchema, Usage};
use serde_json::{Value, json};

use super::{UnsupportedParameters, count_of, text_of};
use crate::{ChatReply, ChatRequest};

/// The body of a request, without its temperature and tools. Messages are sent as they are: consecutive ones of one role are accepted.
pub(super) fn body(model: &str, request: &ChatRequest, refuses: UnsupportedParameters) -> Value {
    let messages: Vec<Value> = request
        .messages
        .iter()
        .filter(|message| !message.text.trim().is_empty())
        .map(|message| json!({ "role": role(message.role), "content": message.text }))
        .collect();
    let limit = if refuses.max_tokens { "max_completion_tokens" } else { "max_tokens" };
    json!({ "model": model, "messages": messages, (limit): request.max_output_tokens })
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
        Role::User => "user",
        Role::Assistant => "assistant",
    }
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
    let model = text_of(value, "model").filter(|model| !model.is_empty()).unwrap_or(asked).to_owned();
    let usage = value.get("usage").filter(|usage| usage.is_object()).map(usage);
    let Some(choice) = choices.first() else {
        let stop = FinishReason::Other("no_choice".to_owned());
        return Ok(ChatReply { text: String::new(), tool_calls: Vec::new(), stop, usage, model });
    };
    reply(choice, 0, usage, model)
}

/// One of the answers.
fn reply(choice: &Value, index: usize, usage: Option<Usage>, model: String) -> Result<ChatReply, String> {
    let message = choice.get("message").ok_or_else(|| format!("`choices[{index}].message` is missing"))?;
    let refusal = text_of(message, "refusal").filter(|refusal| !refusal.is_empty());
    let tool_calls: Vec<ToolCall> = match message.get("tool_calls").and_then(Value::as_array) {
        Some(calls) => calls.iter().map(tool_call).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    let text = refusal.map_or_else(|| content(message), str::to_owned);
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
    Ok(ChatReply { text, tool_calls, stop, usage, model })
}

/// The visible text: a string, or (in some copies) a list of parts of which only the text is for us.
fn content(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| text_of(part, "text")).collect(),
        _ => String::new(),
    }
}

fn tool_call(call: &Value) -> Result<ToolCall, String> {
    let function = call.get("function").ok_or("a tool call has no `function`")?;
    let name = text_of(function, "name").ok_or("a tool call has no name")?.to_owned();
    let arguments = match function.get("arguments") {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        // The format says text; some services send the object itself.
        Some(other) => other.to_string(),
    };
    Ok(ToolCall { name, arguments })
}

/// `prompt_tokens` counts all input; details that a service does not know are null or missing.
fn usage(usage: &Value) -> Usage {
    let details = usage.get("prompt_tokens_details").unwrap_or(&Value::Null);
    let input = count_of(usage, "prompt_tokens");
    Usage {
        input,
        cached_input: count_of(details, "cached_tokens").min(input),
        cache_write: count_of(details, "cache_write_tokens").min(input),
        output: count_of(usage, "completion_tokens"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use patchwright_protocol::Message;

    use super::*;
    use crate::wire::WireFormat;

    fn message(role: Role, text: &str) -> Message {
        Message { role, text: text.to_owned(), cache_here: true }
    }

    #[test]
    fn requests_are_written() {
        let mut request = ChatRequest {
            messages: vec![message(Role::System, "s"), message(Role::User, "a"), message(Role::User, "b")],
            tools: Vec::new(),
            max_output_tokens: 100,
            temperature: Some(0.2),
            seed: None,
        };
        request.messages.push(message(Role::Assistant, " \n"));
        let check = |request: &ChatRequest, refuses: UnsupportedParameters, expect: Value| {
            assert_eq!(WireFormat::OpenAi.body("gpt-4.1", request, 1, refuses), expect);
        };
        let messages = json!([
            { "role": "system", "content": "s" }, { "role": "user", "content": "a" }, { "role": "user", "content": "b" },
        ]);
        check(
            &request,
            UnsupportedParameters::default(),
            json!({ "model": "gpt-4.1", "messages": messages, "max_tokens": 100, "temperature": 0.2 }),
        );
        check(
            &request,
            UnsupportedParameters { max_tokens: true, temperature: true, several: false },
            json!({ "model": "gpt-4.1", "messages": messages, "max_completion_tokens": 100 }),
        );
        request.temperature = None;
        request.seed = Some(7);
        check(
            &request,
            UnsupportedParameters::default(),
            json!({ "model": "gpt-4.1", "messages": messages, "max_tokens": 100, "seed": 7 }),
        );
        request.seed = None;
        let parameters = json!({ "type": "object", "properties": {} });
        request.tools.push(ToolSchema {
            name: "run_tests".to_owned(),
            description: "Runs.".to_owned(),
            parameters: parameters.clone(),
        });
        let function = json!({ "name": "run_tests", "description": "Runs.", "parameters": parameters });
        check(
            &request,
            UnsupportedParameters::default(),
            json!({
                "model": "gpt-4.1", "messages": messages, "max_tokens": 100,
                "tools": [{ "type": "function", "function": function }],
            }),
        );
    }

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
            assert_eq!(tool_call(&call).unwrap().arguments, expect);
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
            Some(Usage { input, cached_input, cache_write, output })
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
        check(json!({ "choices": [{ "message": { "tool_calls": [{}] } }] }), "a tool call has no `function`");
        check(
            json!({ "choices": [{ "message": { "tool_calls": [{ "function": {} }] } }] }),
            "a tool call has no name",
        );
    }
}
