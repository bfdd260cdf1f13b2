//! The demands of the scripted service, which are those of the real ones: the forms that they publish, and what a form cannot say.

use patchwright_protocol::schema::unread;
use serde_json::{Value, json};

use crate::scripted::Format;
use crate::scripted::check::{problem, schema};

const ALL: [Format; 3] = [Format::Responses, Format::OpenAi, Format::Anthropic];

/// A request with everything that a client sends.
fn whole(format: Format) -> Value {
    let parameters = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    let arguments = r#"{"path":"a.py"}"#;
    match format {
        Format::Responses => json!({
            "model": "m", "max_output_tokens": 4096, "store": false, "stream": true, "temperature": 0.2,
            "prompt_cache_key": "0123", "include": ["reasoning.encrypted_content"],
            "reasoning": { "effort": "high", "summary": "auto" },
            "input": [
                { "role": "system", "content": "rules" },
                { "role": "user", "content": "bug" },
                { "type": "reasoning", "id": "rs_0", "encrypted_content": "sealed", "summary": [{ "type": "summary_text", "text": "Hm." }] },
                { "role": "assistant", "content": "I read.", "phase": "commentary" },
                { "type": "function_call", "call_id": "call_0", "name": "read", "arguments": arguments },
                { "type": "function_call_output", "call_id": "call_0", "output": "code" },
            ],
            "tools": [{ "type": "function", "name": "read", "description": "Reads.", "parameters": parameters, "strict": false }],
        }),
        Format::OpenAi => json!({
            "model": "m", "max_tokens": 4096, "n": 2, "seed": 7, "stream": true, "temperature": 0.2,
            "stream_options": { "include_usage": true }, "reasoning_effort": "low",
            "messages": [
                { "role": "system", "content": "rules" },
                { "role": "user", "content": "bug" },
                {
                    "role": "assistant", "content": "", "reasoning_content": "Hm.",
                    "reasoning_details": [{ "type": "reasoning.text", "text": "Hm.", "index": 0, "format": null }],
                    "tool_calls": [{
                        "id": "call_0", "type": "function", "function": { "name": "read", "arguments": arguments },
                        "extra_content": { "google": { "thought_signature": "sealed" } },
                    }],
                },
                { "role": "tool", "tool_call_id": "call_0", "content": "code" },
            ],
            "tools": [{ "type": "function", "function": { "name": "read", "description": "Reads.", "parameters": parameters } }],
        }),
        Format::Anthropic => json!({
            "model": "m", "max_tokens": 4096, "stream": true, "output_config": { "effort": "max" },
            "thinking": { "type": "enabled", "budget_tokens": 2048 },
            "system": [{ "type": "text", "text": "rules", "cache_control": { "type": "ephemeral" } }],
            "messages": [
                { "role": "user", "content": [{ "type": "text", "text": "bug" }] },
                { "role": "assistant", "content": [
                    { "type": "thinking", "thinking": "Hm.", "signature": "sealed" },
                    { "type": "redacted_thinking", "data": "sealed" },
                    { "type": "text", "text": "I read.", "citations": null },
                    { "type": "tool_use", "id": "toolu_0", "name": "read", "input": { "path": "a.py" } },
                ] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "toolu_0", "content": "code" },
                    { "type": "text", "text": "Go on.", "cache_control": { "type": "ephemeral" } },
                ] },
            ],
            "tools": [{ "name": "read", "description": "Reads.", "input_schema": parameters }],
        }),
    }
}

fn refusal(format: Format, body: &Value) -> Option<String> {
    let headers = [("content-type", "application/json"), ("anthropic-version", "2023-06-01")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    problem(format, &headers, body)
}

/// A request is refused with these words once this was put in this place (null takes out what stands there).
fn check(format: Format, place: &str, value: Value, expect: &str) {
    let mut body = whole(format);
    let (before, name) = place.rsplit_once('/').unwrap();
    match (body.pointer_mut(before).unwrap(), value) {
        (Value::Object(members), Value::Null) => drop(members.shift_remove(name).unwrap()),
        (Value::Object(members), value) => drop(members.insert(name.to_owned(), value)),
        (Value::Array(elements), Value::Null) => drop(elements.remove(name.parse().unwrap())),
        (Value::Array(elements), value) => elements.insert(name.parse().unwrap(), value),
        (other, _) => panic!("{place}: {other}"),
    }
    let found = refusal(format, &body).unwrap_or_else(|| panic!("{place} is not refused: {body}"));
    assert!(found.contains(expect), "{place}: {found}");
}

#[test]
fn whole_requests_are_taken() {
    for format in ALL {
        assert_eq!(refusal(format, &whole(format)), None);
        assert_eq!(unread(schema(format)), [""; 0], "all words of the schemas are looked at");
    }
    insta::assert_snapshot!(ALL.map(|format| refusal(format, &Value::Null).unwrap()).join("\n"));
}

/// Each object of a schema has to be closed, but for those of the user's own (arguments, and schemas of them).
#[test]
fn forms_are_closed() {
    fn open(schema: &Value, place: &str, found: &mut Vec<String>) {
        for (word, says) in schema.as_object().into_iter().flatten() {
            open(says, &format!("{place}/{word}"), found);
        }
        for (index, says) in schema.as_array().into_iter().flatten().enumerate() {
            open(says, &format!("{place}/{index}"), found);
        }
        if schema["type"] == "object" && schema["additionalProperties"] != false {
            found.push(place.rsplit('/').next().unwrap().to_owned());
        }
    }
    let mut found = Vec::new();
    for format in ALL {
        open(schema(format), "", &mut found);
    }
    found.sort();
    assert_eq!(found, ["input", "input_schema", "parameters", "parameters"]);
}

#[test]
fn damaged_responses_are_refused() {
    let check = |place: &str, value: Value, expect: &str| check(Format::Responses, place, value, expect);
    check("/model", json!(null), "`model` is missing");
    check("/input", json!([]), "too few");
    check("/colour", json!(1), "nothing is called `colour`");
    check("/max_tokens", json!(9), "nothing is called `max_tokens`");
    check("/max_output_tokens", json!(15), "less than 16");
    check("/temperature", json!(2.5), "more than 2");
    check("/include", json!(["reasoning"]), "/include/0");
    check("/reasoning/effort", json!("extreme"), "/reasoning/effort");
    check("/reasoning/budget", json!(9), "nothing is called `budget`");
    check("/input/0/role", json!("robot"), "/input/0/role");
    check("/input/0/content", json!(7), "/input/0/content");
    check("/input/2/id", json!(null), "`id` is missing");
    check("/input/2/encrypted_content", json!(null), "`encrypted_content` is missing");
    check("/input/2/summary/0/type", json!("text"), "/input/2/summary/0/type");
    check("/input/3/type", json!("note"), "/input/3/type");
    check("/input/3/phase", json!("last"), "/input/3/phase");
    check("/input/4/call_id", json!(null), "`call_id` is missing");
    check("/input/4/name", json!("read range"), "does not match");
    check("/input/4/arguments", json!({}), "an object instead of a string");
    check("/input/4/arguments", json!("[1]"), "no JSON object");
    check("/input/5/call_id", json!(null), "`call_id` is missing");
    check("/input/5/call_id", json!("x".repeat(65)), "too long");
    check("/input/5/call_id", json!("call_1"), "no tool call found");
    check("/input/5", json!(null), "No tool output found");
    check("/tools/0/strict", json!(null), "`strict` is missing");
    check("/tools/0/function", json!({}), "nothing is called `function`");
    check("/tools/0/name", json!(""), "too short");
    check("/tools/0/parameters/type", json!("string"), "/tools/0/parameters/type");
}

#[test]
fn damaged_chat_completions_are_refused() {
    let check = |place: &str, value: Value, expect: &str| check(Format::OpenAi, place, value, expect);
    check("/model", json!(""), "too short");
    check("/messages", json!([]), "too few");
    check("/colour", json!(1), "nothing is called `colour`");
    check("/prompt", json!("bug"), "nothing is called `prompt`");
    check("/max_tokens", json!(0), "less than 1");
    check("/max_completion_tokens", json!(9), "at the same time");
    check("/n", json!(129), "more than 128");
    check("/seed", json!(u64::MAX), "/seed");
    check("/stream", json!(false), "only allowed when 'stream'");
    check("/stream_options/usage", json!(true), "nothing is called `usage`");
    check("/reasoning_effort", json!("extreme"), "/reasoning_effort");
    check("/temperature", json!("hot"), "/temperature");
    check("/messages/1/role", json!("robot"), "/messages/1");
    check("/messages/1/content", json!(null), "`content` is missing");
    check("/messages/1/cache_control", json!({}), "nothing is called `cache_control`");
    check("/messages/2/thinking", json!("Hm."), "nothing is called `thinking`");
    check("/messages/2/reasoning_content", json!(["Hm."]), "a list instead of a string");
    check("/messages/2/reasoning_details/0/type", json!("text"), "reasoning_details/0/type");
    check("/messages/2/tool_calls", json!([]), "too few");
    check("/messages/2/tool_calls/0/id", json!(null), "`id` is missing");
    check("/messages/2/tool_calls/0/type", json!("custom"), "tool_calls/0/type");
    check("/messages/2/tool_calls/0/function/name", json!("x".repeat(65)), "too long");
    check("/messages/2/tool_calls/0/function/arguments", json!("[1"), "no JSON object");
    check("/messages/3/tool_call_id", json!(null), "`tool_call_id` is missing");
    check("/messages/3/tool_call_id", json!("call_1"), "no tool call found");
    check("/messages/3", json!({ "role": "user", "content": "Go on." }), "must be followed by tool messages");
    check("/tools", json!([]), "too few");
    check("/tools/0/type", json!("custom"), "/tools/0/type");
    check("/tools/0/function/name", json!("run tests"), "does not match");
}

#[test]
fn damaged_messages_are_refused() {
    let check = |place: &str, value: Value, expect: &str| check(Format::Anthropic, place, value, expect);
    let text = |text: &str| json!({ "type": "text", "text": text });
    let said = |role: &str| json!({ "role": role, "content": [text("Go on.")] });
    check("/model", json!("m".repeat(257)), "too long");
    check("/max_tokens", json!(null), "`max_tokens` is missing");
    check("/max_tokens", json!(1024), "less than `max_tokens`");
    check("/colour", json!(1), "nothing is called `colour`");
    check("/reasoning_effort", json!("low"), "nothing is called `reasoning_effort`");
    check("/temperature", json!(1.5), "more than 1");
    check("/temperature", json!(0.5), "when thinking is enabled");
    check("/output_config/effort", json!("minimal"), "/output_config/effort");
    check("/thinking/budget_tokens", json!(1000), "less than 1024");
    check("/thinking/budget_tokens", json!(null), "`budget_tokens` is missing");
    check("/thinking/type", json!("deep"), "/thinking");
    check("/system/0/text", json!(" "), "non-whitespace");
    check("/system/0/cache_control/ttl", json!("2h"), "cache_control/ttl");
    check("/messages", json!([]), "too few");
    check("/messages/0", said("assistant"), "first message");
    check("/messages/0", said("user"), "alternate");
    check("/messages/0/role", json!("tool"), "/messages/0");
    check("/messages/0/content", json!([]), "too few");
    check("/messages/1/content/0/signature", json!(null), "`signature` is missing");
    check("/messages/1/content/0/cache_control", json!({ "type": "ephemeral" }), "called `cache_control`");
    check("/messages/1/content/2/text", json!(""), "too short");
    check("/messages/1/content/3/id", json!(null), "`id` is missing");
    check("/messages/1/content/3/id", json!("read:0"), "does not match");
    check("/messages/1/content/3/input", json!("{}"), "a string instead of an object");
    check("/messages/2/content/0/tool_use_id", json!(null), "`tool_use_id` is missing");
    check("/messages/2/content/0/tool_use_id", json!("toolu_1"), "no tool call found");
    check("/messages/2/content/0", text("Wait."), "without `tool_result` blocks");
    check("/messages/2/content/1", json!({ "type": "image" }), "/messages/2/content/1");
    check("/tools/0/input_schema", json!(null), "`input_schema` is missing");
    check("/tools/0/parameters", json!({}), "nothing is called `parameters`");
    let mut marked = whole(Format::Anthropic);
    let block = json!({ "type": "text", "text": "x", "cache_control": { "type": "ephemeral" } });
    marked["messages"][0]["content"] = json!(vec![block; 3]);
    assert!(refusal(Format::Anthropic, &marked).unwrap().contains("Found 5"));
}
