//! Each shape that a request can have is one that its service takes: the scripted one refuses all others.

use std::sync::Arc;

use patchwright_llm::ChatRequest;
use patchwright_protocol::{ChatReply, Effort, FinishReason, Message, Role, ToolCall, ToolSchema, Turn};
use serde_json::{Value, json};

use crate::scripted::{Server, Step};
use crate::{CHAT, Connected, EACH, policy};

const THOUGHT: &str = "Read it first.";

/// Models of each format: such as reason, in each of the ways in which they are asked to, and such as do not.
const MODELS: [&str; 7] = [
    "openai/gpt-5.4",
    "openai/gpt-4.1",
    "anthropic/claude-opus-4-8",
    "anthropic/claude-sonnet-4-5",
    "anthropic/claude-3-5-haiku-latest",
    "compatible/qwen3",
    "compatible/deepseek-v4-pro",
];

fn tools() -> Vec<ToolSchema> {
    let tool = |name: &str| ToolSchema {
        name: name.to_owned(),
        description: "Reads.".to_owned(),
        parameters: json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] }),
        only_reads: true,
    };
    vec![tool("read_range"), tool("search_code_base")]
}

fn reply(text: &str, calls: &[&str]) -> ChatReply {
    ChatReply {
        reasoning: THOUGHT.to_owned(),
        text: text.to_owned(),
        tool_calls: calls.iter().map(|arguments| ToolCall::new("read_range", *arguments)).collect(),
        ..ChatReply::default()
    }
}

fn turn(cycle: u32, text: &str) -> Message {
    Message { turn: Some(Turn::Reply { cycle }), ..Message::new(Role::Assistant, text) }
}

fn result(cycle: u32, call: usize, text: &str) -> Message {
    Message { turn: Some(Turn::Result { cycle, call }), ..Message::new(Role::Tool, text) }
}

fn request(messages: Vec<Message>) -> ChatRequest {
    ChatRequest { messages, max_output_tokens: 16_384, ..ChatRequest::default() }
}

fn opening() -> Vec<Message> {
    vec![Message::new(Role::System, "rules").cached(), Message::new(Role::User, "bug").cached()]
}

/// The bodies of the requests of a conversation: a question for each reply, the later ones with what `after` makes of the earlier replies.
async fn bodies(
    name: &str,
    mut request: ChatRequest,
    replies: Vec<Step>,
    after: impl Fn(u32, &ChatReply) -> Vec<Message>,
) -> Vec<Value> {
    let count = replies.len() as u32;
    let server = Server::start(replies).await.unwrap();
    let connected = Connected::new(name, &server.base_url(), policy());
    for cycle in 1..=count {
        let reply = connected.model.complete(&request).await.unwrap();
        request.messages.extend(after(cycle, &reply));
        request.replies.insert(cycle, Arc::new(reply));
    }
    let requests = server.close().await;
    assert_eq!(requests.len(), count as usize, "{name}: {:?}", connected.notices());
    requests
        .into_iter()
        .map(|request| {
            assert_eq!(request.refused, None, "{name}: {}", request.body);
            request.body
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn questions_with_each_effort() {
    for name in MODELS {
        for effort in Effort::ALL.map(Some).into_iter().chain([None]) {
            for (tools, whole) in [(tools(), false), (Vec::new(), true)] {
                let asked = ChatRequest { effort, tools, whole, ..request(opening()) };
                bodies(name, asked, vec![Step::answer("ok")], |_, _| Vec::new()).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conversations_with_calls_and_results() {
    for name in MODELS {
        for effort in [None, Some(Effort::High)] {
            let replies = vec![
                Step::Reply(reply("I read.", &[r#"{"path":"a.py"}"#, r#"{"path":"b.py"}"#])),
                Step::Reply(reply("", &[r#"{"path":"c.py"}"#])),
                // A call that was refused: its arguments are no object, and the result says so.
                Step::Reply(reply("", &["[1", "\"a\""])),
                Step::answer("done"),
            ];
            let asked = ChatRequest { effort, tools: tools(), ..request(opening()) };
            let sent = bodies(name, asked, replies, |cycle, reply| {
                let mut messages = vec![turn(cycle, &reply.text)];
                let results = (0..reply.tool_calls.len()).map(|call| {
                    let text = if cycle == 3 { "refused: the arguments are no object" } else { "code" };
                    result(cycle, call, text).cached()
                });
                messages.extend(results);
                messages.push(Message::new(Role::User, format!("{} cycles are left.", 4 - cycle)));
                messages
            })
            .await;
            // What a conversation sends again is what was sent before, so that the service has it in its cache. The marks move.
            let unmarked = |body: &Value| {
                let list = body.get("input").or_else(|| body.get("messages")).unwrap();
                list.to_string().replace(r#","cache_control":{"type":"ephemeral"}"#, "")
            };
            for pair in sent.windows(2) {
                let (before, after) = (unmarked(&pair[0]), unmarked(&pair[1]));
                let kept = before.trim_end_matches([']', '}']);
                assert!(after.starts_with(kept), "{name}: {before}\n{after}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shortened_conversations() {
    for name in MODELS {
        let replies = vec![
            Step::Reply(reply("One.", &[r#"{"path":"a.py"}"#])),
            Step::Reply(reply("Two.", &[r#"{"path":"b.py"}"#])),
        ];
        let server = Server::start(replies.into_iter().chain([Step::answer("done")])).await.unwrap();
        let connected = Connected::new(name, &server.base_url(), policy());
        let mut asked = ChatRequest { tools: tools(), ..request(opening()) };
        for cycle in 1..=2 {
            let reply = connected.model.complete(&asked).await.unwrap();
            asked.messages.extend([turn(cycle, &reply.text), result(cycle, 0, "code")]);
            asked.replies.insert(cycle, Arc::new(reply));
        }
        // The first turn is gone but for what it came to, the second result is cut, and what is left is empty.
        asked.messages.splice(
            2..4,
            [Message::new(Role::User, "Earlier: a.py was read."), Message::new(Role::User, " ").cached()],
        );
        asked.messages.last_mut().unwrap().text = String::new();
        connected.model.complete(&asked).await.unwrap();
        for received in server.close().await {
            assert_eq!(received.refused, None, "{name}: {}", received.body);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reply_without_words_and_calls_is_left_out() {
    for name in MODELS {
        let thought = ChatReply { stop: FinishReason::Length, ..reply("", &[]) };
        let sent =
            bodies(name, request(opening()), vec![Step::Reply(thought), Step::answer("ok")], |cycle, _| {
                vec![turn(cycle, "").cached(), Message::new(Role::User, "Answer.")]
            })
            .await;
        assert!(!sent[1].to_string().contains(THOUGHT), "{name}: {}", sent[1]);
        assert!(!sent[1].to_string().contains("assistant"), "{name}: {}", sent[1]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reply_without_its_items_goes_back_as_text_and_calls() {
    for name in MODELS {
        let mut asked = ChatRequest { tools: tools(), ..request(opening()) };
        let mut call = ToolCall::new("read_range", "{}");
        call.id = Some("call_0".to_owned());
        asked.replies.insert(1, Arc::new(ChatReply { tool_calls: vec![call], ..reply("I read.", &[]) }));
        asked.messages.extend([turn(1, "I read."), result(1, 0, "code")]);
        let sent = bodies(name, asked, vec![Step::answer("ok")], |_, _| Vec::new()).await;
        let text = sent[0].to_string();
        assert!(
            text.contains("I read.") && text.contains("read_range") && text.contains("code"),
            "{name}: {text}"
        );
    }
}

/// The second request of a conversation whose first answer is this body.
async fn after(name: &str, answer: &Value, messages: Vec<Message>) -> Value {
    let first = Step::Status { code: 200, headers: Vec::new(), body: answer.to_string() };
    let asked = ChatRequest { tools: tools(), ..request(opening()) };
    let mut sent = bodies(name, asked, vec![first, Step::answer("ok")], |_, _| messages.clone()).await;
    sent.pop().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_of_services_that_copy_a_format_go_back_in_that_format() {
    let messages = || vec![turn(1, ""), result(1, 0, "code")];
    // Messages: thinking without a signature, the id of a call with odd letters, reasoning behind the call.
    let answer = json!({ "stop_reason": "tool_use", "content": [
        { "type": "thinking", "thinking": "Hm." },
        { "type": "tool_use", "id": "functions.read_range:0", "name": "read_range", "input": {} },
        { "type": "redacted_thinking", "data": "sealed" },
    ] });
    let marked = vec![turn(1, "").cached(), result(1, 0, "code")];
    let body = after(EACH[1], &answer, marked).await;
    let blocks = &body["messages"][1]["content"];
    assert_eq!(blocks[0], json!({ "type": "thinking", "thinking": "Hm.", "signature": "" }));
    assert_eq!(blocks[1]["cache_control"], json!({ "type": "ephemeral" }));
    assert_eq!(blocks[1]["id"], body["messages"][2]["content"][0]["tool_use_id"]);
    // Responses: an id longer than the service takes one back, reasoning that it could not read, a refusal, null for what is not there.
    let long = "x".repeat(100);
    let answer = json!({ "status": "completed", "output": [
        { "type": "reasoning", "summary": [], "encrypted_content": "sealed" },
        { "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": null },
        { "type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "sealed", "content": null, "status": "completed" },
        { "type": "message", "id": "msg_0", "role": "assistant", "status": "completed", "phase": "commentary", "content": [
            { "type": "output_text", "text": "One. ", "annotations": [], "logprobs": [] },
            { "type": "output_text", "text": "Two.", "annotations": [], "logprobs": [] },
        ] },
        { "type": "function_call", "id": "fc_0", "call_id": long, "name": "read_range", "arguments": "{}" },
    ] });
    let body = after("openai/gpt-5.4", &answer, messages()).await;
    let sent = body["input"].as_array().unwrap();
    assert_eq!(
        sent[2],
        json!({ "type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "sealed" })
    );
    assert_eq!(sent[3], json!({ "role": "assistant", "content": "One. Two.", "phase": "commentary" }));
    assert_eq!(sent[4]["call_id"], sent[5]["call_id"]);
    // Chat completions: what was reasoned in each of the fields that services have for it, of which not all are taken back.
    let details =
        json!([{ "type": "reasoning.encrypted", "data": "sealed", "id": null, "format": "a", "index": 0 }]);
    let call = json!({ "id": "functions.read_range:0", "type": "function", "function": { "name": "read_range", "arguments": "{}" } });
    let answer = json!({ "choices": [{ "finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": null, "tool_calls": [call], "refusal": null,
        "reasoning": "Hm.", "reasoning_content": null, "thinking": "Hm.", "reasoning_details": details,
    } }] });
    let body = after(CHAT, &answer, messages()).await;
    let expect = json!({
        "role": "assistant", "content": "", "tool_calls": [call], "reasoning": "Hm.", "reasoning_details": details,
    });
    assert_eq!(body["messages"][2], expect);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_are_of_the_size_that_services_take() {
    for name in MODELS {
        let seed = Some(u64::MAX);
        let asked = ChatRequest { seed, max_output_tokens: 1, temperature: Some(0.7), ..request(opening()) };
        bodies(name, asked.clone(), vec![Step::answer("ok")], |_, _| Vec::new()).await;
        bodies(name, ChatRequest { seed: None, ..asked }, vec![Step::answer("ok")], |_, _| Vec::new()).await;
    }
    // More answers than one request may ask for.
    let texts = vec!["one".to_owned(); 128];
    let steps = [Step::Answers { texts }, Step::answer("two"), Step::answer("three")];
    let server = Server::start(steps).await.unwrap();
    let connected = Connected::new(CHAT, &server.base_url(), policy());
    let replies = connected.model.sample(&request(opening()), 130).await;
    assert_eq!(replies.iter().filter(|reply| reply.is_ok()).count(), 130);
    let asked: Vec<Value> =
        server.close().await.into_iter().map(|request| request.body["n"].clone()).collect();
    assert_eq!(asked, [json!(128), Value::Null, Value::Null]);
}
