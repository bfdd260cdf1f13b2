//! Conversations with native calls: replies go back in the service's own form, what was reasoned with them, results by the names of calls.

use std::sync::Arc;

use patchwright_llm::ChatRequest;
use patchwright_protocol::ChatReply;
use patchwright_protocol::{Effort, Message, Role, ToolCall, ToolSchema, Turn};
use serde_json::{Value, json};

use crate::scripted::{Server, Step};
use crate::{CHAT, Connected, EACH, policy};

const THOUGHT: &str = "Read it first.";

fn reply() -> ChatReply {
    ChatReply {
        reasoning: THOUGHT.to_owned(),
        text: "I read.".to_owned(),
        tool_calls: vec![
            ToolCall::new("read_range", r#"{"path":"a.py"}"#),
            ToolCall::new("read_range", r#"{"path":"b.py"}"#),
        ],
        ..ChatReply::default()
    }
}

fn result(call: usize, text: &str) -> Message {
    Message { turn: Some(Turn::Result { cycle: 1, call }), ..Message::new(Role::Tool, text) }
}

/// A conversation of one turn, whose reply is that of the service itself.
async fn second_request(name: &str, effort: Option<Effort>) -> Value {
    last_request(name, effort, None).await
}

/// The same where the service refuses it once in these words: the request that it then gets.
async fn last_request(name: &str, effort: Option<Effort>, refusal: Option<&str>) -> Value {
    let refusal = refusal.map(|words| Step::error(400, "invalid_request_error", words));
    let steps = [Step::Reply(reply())].into_iter().chain(refusal).chain([Step::answer("done")]);
    let server = Server::start(steps).await.unwrap();
    let connected = Connected::new(name, &server.base_url(), policy());
    let tool = ToolSchema {
        name: "read_range".to_owned(),
        description: "Reads.".to_owned(),
        parameters: json!({ "type": "object" }),
        only_reads: true,
    };
    let mut request = ChatRequest {
        messages: vec![Message::new(Role::System, "rules"), Message::new(Role::User, "bug").cached()],
        tools: vec![tool],
        max_output_tokens: 10_000,
        effort,
        ..ChatRequest::default()
    };
    let first = connected.model.complete(&request).await.unwrap();
    request.replies.insert(1, Arc::new(first));
    let turn = Message { turn: Some(Turn::Reply { cycle: 1 }), ..Message::new(Role::Assistant, "I read.") };
    request.messages.extend([
        turn,
        result(0, "code of a"),
        result(1, "code of b").cached(),
        Message::new(Role::User, "Go on."),
    ]);
    connected.model.complete(&request).await.unwrap();
    let requests = server.close().await;
    assert_eq!(requests.iter().find_map(|request| request.refused.clone()), None, "{name}");
    requests.last().unwrap().body.clone()
}

/// A service may know its own reasoning no more: after an account, a key or a model was changed.
#[tokio::test]
async fn reasoning_that_a_service_does_not_know_is_left_out() {
    for (name, words) in [
        ("openai/gpt-5.4", "The encrypted content seal... could not be verified."),
        ("anthropic/claude-opus-4-6", "messages.1.content.0: Invalid `signature` in `thinking` block"),
    ] {
        let body = last_request(name, Some(Effort::High), Some(words)).await.to_string();
        assert!(!body.contains("sealed") && !body.contains(THOUGHT), "{name}: {body}");
        assert!(body.contains("code of a") && body.contains("read_range"), "{name}: {body}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn responses_get_encrypted_reasoning_and_calls_back() {
    let body = second_request("openai/gpt-5.4", Some(Effort::High)).await;
    let expect = json!([
        { "role": "system", "content": "rules" },
        { "role": "user", "content": "bug" },
        { "id": "rs_0", "type": "reasoning", "encrypted_content": "sealed", "summary": [{ "type": "summary_text", "text": "Read it first." }] },
        { "role": "assistant", "content": "I read." },
        { "type": "function_call", "call_id": "call_0", "name": "read_range", "arguments": "{\"path\":\"a.py\"}" },
        { "type": "function_call", "call_id": "call_1", "name": "read_range", "arguments": "{\"path\":\"b.py\"}" },
        { "type": "function_call_output", "call_id": "call_0", "output": "code of a" },
        { "type": "function_call_output", "call_id": "call_1", "output": "code of b" },
        { "role": "user", "content": "Go on." },
    ]);
    assert_eq!(body["input"], expect);
    assert_eq!(body["reasoning"], json!({ "effort": "high", "summary": "auto" }));
    assert_eq!((&body["include"], &body["store"]), (&json!(["reasoning.encrypted_content"]), &json!(false)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_get_thinking_with_its_signature_and_results_before_the_text() {
    let body = second_request("anthropic/claude-opus-4-6", Some(Effort::Medium)).await;
    let expect = json!([
        { "role": "user", "content": [{ "type": "text", "text": "bug", "cache_control": { "type": "ephemeral" } }] },
        { "role": "assistant", "content": [
            { "type": "thinking", "thinking": "Read it first.", "signature": "sealed" },
            { "type": "text", "text": "I read." },
            { "type": "tool_use", "id": "toolu_0", "name": "read_range", "input": { "path": "a.py" } },
            { "type": "tool_use", "id": "toolu_1", "name": "read_range", "input": { "path": "b.py" } },
        ] },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "toolu_0", "content": "code of a" },
            { "type": "tool_result", "tool_use_id": "toolu_1", "content": "code of b", "cache_control": { "type": "ephemeral" } },
            { "type": "text", "text": "Go on." },
        ] },
    ]);
    assert_eq!(body["messages"], expect);
    assert_eq!(body["thinking"], json!({ "type": "adaptive", "display": "summarized" }));
    assert_eq!(body["output_config"], json!({ "effort": "medium" }));
    // The models before it are given a number of tokens.
    let body = second_request("anthropic/claude-sonnet-4-5", Some(Effort::High)).await;
    assert_eq!(body["thinking"], json!({ "type": "enabled", "budget_tokens": 6_250 }));
    assert_eq!(body.get("output_config"), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chat_completions_get_what_was_reasoned_until_they_refuse_it() {
    let body = second_request(CHAT, Some(Effort::Low)).await;
    let call = |id: &str, path: &str| {
        let arguments = format!("{{\"path\":\"{path}\"}}");
        json!({ "id": id, "type": "function", "function": { "name": "read_range", "arguments": arguments } })
    };
    let expect = json!([
        { "role": "system", "content": "rules" },
        { "role": "user", "content": "bug" },
        {
            "role": "assistant", "content": "I read.", "tool_calls": [call("call_0", "a.py"), call("call_1", "b.py")],
            "reasoning_content": "Read it first.",
        },
        { "role": "tool", "tool_call_id": "call_0", "content": "code of a" },
        { "role": "tool", "tool_call_id": "call_1", "content": "code of b" },
        { "role": "user", "content": "Go on." },
    ]);
    assert_eq!(body["messages"], expect);
    assert_eq!(body["reasoning_effort"], "low");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_whose_reply_is_not_there_is_sent_as_text() {
    for name in EACH {
        let server = Server::start([Step::answer("ok")]).await.unwrap();
        let connected = Connected::new(name, &server.base_url(), policy());
        let turn =
            Message { turn: Some(Turn::Reply { cycle: 1 }), ..Message::new(Role::Assistant, "I read.") };
        let messages = vec![Message::new(Role::User, "bug"), turn, result(0, "code of a")];
        let request = ChatRequest { messages, max_output_tokens: 100, ..ChatRequest::default() };
        connected.model.complete(&request).await.unwrap();
        let requests = server.close().await;
        assert_eq!(requests[0].texts(), ["bug", "I read.", "code of a"], "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn geminis_signature_goes_back_with_its_call() {
    let signed = json!({ "google": { "thought_signature": "sealed" } });
    let message = json!({ "role": "assistant", "content": null, "tool_calls": [{
        "id": "", "type": "function", "function": { "name": "f", "arguments": "{}" }, "extra_content": signed,
    }] });
    let body =
        json!({ "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }] }).to_string();
    let step = Step::Status { code: 200, headers: Vec::new(), body };
    let server = Server::start([step, Step::answer("ok")]).await.unwrap();
    let connected = Connected::new(CHAT, &server.base_url(), policy());
    let mut request = ChatRequest {
        messages: vec![Message::new(Role::User, "bug")],
        max_output_tokens: 9,
        ..ChatRequest::default()
    };
    let first = connected.model.complete(&request).await.unwrap();
    request.replies.insert(1, Arc::new(first));
    let turn = Message { turn: Some(Turn::Reply { cycle: 1 }), ..Message::new(Role::Assistant, "") };
    request.messages.extend([turn, result(0, "done")]);
    connected.model.complete(&request).await.unwrap();
    let call = &server.requests()[1].body["messages"][1]["tool_calls"][0];
    assert_eq!((&call["extra_content"], &call["id"]), (&signed, &json!("call_0")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_go_back_in_a_form_that_services_take() {
    // Names with odd letters, arguments that are no object, and two calls by one name for themselves, as models and services write them.
    for name in EACH {
        let call = |name: &str, arguments: &str| ToolCall::new(name, arguments);
        let odd = ChatReply {
            tool_calls: vec![
                call("read range<x>", "[1"),
                call("f", "[1, 2]"),
                call(&"x".repeat(100), "\"a\""),
            ],
            ..ChatReply::default()
        };
        let server = Server::start([Step::Reply(odd), Step::answer("done")]).await.unwrap();
        let connected = Connected::new(name, &server.base_url(), policy());
        let mut request = ChatRequest {
            messages: vec![Message::new(Role::User, "bug")],
            max_output_tokens: 100,
            ..ChatRequest::default()
        };
        let first = connected.model.complete(&request).await.unwrap();
        assert_eq!(first.tool_calls.len(), 3, "{name}");
        request.replies.insert(1, Arc::new(first));
        let turn = Message { turn: Some(Turn::Reply { cycle: 1 }), ..Message::new(Role::Assistant, "") };
        request.messages.extend([turn, result(0, "a"), result(1, "b"), result(2, "c")]);
        assert_eq!(connected.model.complete(&request).await.unwrap().text, "done", "{name}");
        assert_eq!(server.requests()[1].refused, None, "{name}");
    }
}
