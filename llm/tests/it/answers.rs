//! What a model answers arrives whole; what is asked arrives as the services want it.

use crate::scripted::{Server, Step};
use patchwright_protocol::ChatReply;
use patchwright_protocol::{FinishReason, Role, ToolCall, ToolSchema, Usage};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use crate::{CHAT, Connected, EACH, ask, message, policy, request};

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall::new(name, arguments)
}

/// The calls without the names that services give them.
fn nameless(calls: &[ToolCall]) -> Vec<ToolCall> {
    calls.iter().map(|ToolCall { name, arguments, .. }| call(name, arguments)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_of_every_kind_arrive() {
    async fn check(step: fn() -> Step, text: &str, calls: &[ToolCall], stop: FinishReason) {
        for name in EACH {
            let outcome = ask(name, [step()], policy()).await;
            let reply = outcome.result.unwrap();
            assert_eq!(
                (reply.text.as_str(), nameless(&reply.tool_calls).as_slice()),
                (text, calls),
                "{name}"
            );
            assert!(reply.tool_calls.iter().all(|call| call.id.is_some()), "{name}");
            assert_eq!(reply.stop, stop, "{name}");
            assert_eq!(reply.model, name.split_once('/').unwrap().1);
            assert!(reply.usage.is_some_and(|usage| usage.input > 0), "{name}");
            assert_eq!((outcome.notices.len(), outcome.requests.len(), outcome.steps_left), (0, 1, 0));
            assert_eq!(outcome.requests[0].refused, None);
        }
    }
    check(|| Step::answer("Grüße, 世界 \"\n"), "Grüße, 世界 \"\n", &[], FinishReason::End).await;
    let arguments = r#"{"path":"a b.py","lines":[1,2]}"#;
    check(
        || Step::tool_call("read_range", r#"{"path":"a b.py","lines":[1,2]}"#),
        "",
        &[call("read_range", arguments)],
        FinishReason::ToolCalls,
    )
    .await;
    check(|| Step::LengthStop { text: "{\"thou".to_owned() }, "{\"thou", &[], FinishReason::Length).await;
    check(
        || Step::Refusal { text: "I can't help.".to_owned() },
        "I can't help.",
        &[],
        FinishReason::Filtered,
    )
    .await;
    check(|| Step::Refusal { text: String::new() }, "", &[], FinishReason::Filtered).await;
    check(|| Step::Empty, "", &[], FinishReason::End).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_may_be_given_to_the_last_detail() {
    for name in EACH {
        let model = name.split_once('/').unwrap().1;
        let full = ChatReply {
            text: "Two calls.".to_owned(),
            reasoning: "Which two?".to_owned(),
            tool_calls: vec![call("f", "{}"), call("g", r#"{"b":1,"a":2}"#)],
            stop: FinishReason::ToolCalls,
            usage: Some(Usage { input: 1000, cached_input: 700, cache_write: 200, output: 30, reasoning: 0 }),
            model: format!("{model}-20250929"),
            ..ChatReply::default()
        };
        let bare = ChatReply {
            tool_calls: Vec::new(),
            stop: FinishReason::Other("pause_turn".to_owned()),
            usage: None,
            ..full.clone()
        };
        for reply in [full, bare] {
            let outcome = ask(name, [Step::Reply(reply.clone())], policy()).await;
            let found = outcome.result.unwrap();
            assert!(!found.items.is_empty() && found.first_piece_seconds.is_some(), "{name}");
            let tool_calls = nameless(&found.tool_calls);
            let plain = ChatReply { items: Vec::new(), first_piece_seconds: None, tool_calls, ..found };
            assert_eq!(plain, reply, "{name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_without_choices_is_an_empty_one() {
    let body = json!({ "choices": [], "usage": { "prompt_tokens": 5, "completion_tokens": 0 } }).to_string();
    let step = Step::Status { code: 200, headers: Vec::new(), body };
    let reply = ask(CHAT, [step], policy()).await.result.unwrap();
    assert_eq!((reply.text.as_str(), reply.stop), ("", FinishReason::Other("no_choice".to_owned())));
    assert_eq!(reply.usage.unwrap().input, 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damaged_arguments_stay_damaged() {
    let step = || Step::tool_call("f", r#"{"pattern": "\d+"#);
    let reply = ask(CHAT, [step()], policy()).await.result.unwrap();
    assert_eq!(nameless(&reply.tool_calls), [call("f", r#"{"pattern": "\d+"#)]);
    let reply = ask(EACH[1], [step()], policy()).await.result.unwrap();
    assert_eq!(nameless(&reply.tool_calls), [call("f", r#""{\"pattern\": \"\\d+""#)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_arrive_in_the_services_formats() {
    let mut request = request();
    request.messages = vec![
        message(Role::System, "rules"),
        message(Role::User, "first"),
        message(Role::User, "second"),
        message(Role::Assistant, "answer"),
        message(Role::User, "third"),
    ];
    request.messages[2].cache_here = true;
    request.tools.push(ToolSchema {
        name: "run_tests".to_owned(),
        description: "Runs the tests.".to_owned(),
        parameters: json!({ "type": "object", "properties": {} }),
        only_reads: true,
    });
    let parameters = &request.tools[0].parameters;
    let expected = [
        json!({
            "model": "gpt-4.1",
            "input": [
                { "role": "system", "content": "rules" },
                { "role": "user", "content": "first" },
                { "role": "user", "content": "second" },
                { "role": "assistant", "content": "answer" },
                { "role": "user", "content": "third" },
            ],
            "max_output_tokens": 100,
            "store": false,
            "temperature": 0.2,
            "tools": [{
                "type": "function", "name": "run_tests", "description": "Runs the tests.",
                "parameters": parameters, "strict": false,
            }],
            "prompt_cache_key": blake3::hash(b"rulesfirst").to_hex()[..32],
            "stream": true,
        }),
        json!({
            "model": "claude-sonnet-4-5",
            "max_tokens": 100,
            "system": [{ "type": "text", "text": "rules" }],
            "messages": [
                { "role": "user", "content": [
                    { "type": "text", "text": "first" },
                    { "type": "text", "text": "second", "cache_control": { "type": "ephemeral" } },
                ] },
                { "role": "assistant", "content": [{ "type": "text", "text": "answer" }] },
                { "role": "user", "content": [{ "type": "text", "text": "third" }] },
            ],
            "temperature": 0.2,
            "tools": [{
                "name": "run_tests", "description": "Runs the tests.", "input_schema": parameters,
            }],
            "stream": true,
        }),
        json!({
            "model": "qwen3",
            "messages": [
                { "role": "system", "content": "rules" },
                { "role": "user", "content": "first" },
                { "role": "user", "content": "second" },
                { "role": "assistant", "content": "answer" },
                { "role": "user", "content": "third" },
            ],
            "max_tokens": 100,
            "temperature": 0.2,
            "tools": [{ "type": "function", "function": {
                "name": "run_tests", "description": "Runs the tests.", "parameters": parameters,
            } }],
            "stream": true,
            "stream_options": { "include_usage": true },
        }),
    ];
    for (name, expect) in EACH.into_iter().zip(expected) {
        let server = Server::start([Step::answer("ok")]).await.unwrap();
        let connected = Connected::new(name, &server.base_url(), policy());
        connected.model.complete(&request).await.unwrap();
        let requests = server.close().await;
        assert_eq!(requests.len(), 1);
        assert_eq!(requests[0].body, expect);
        assert_eq!(requests[0].refused, None);
        assert_eq!(requests[0].texts(), ["rules", "first", "second", "answer", "third"]);
        let key_header = if name == EACH[1] { "x-api-key" } else { "authorization" };
        assert_eq!(requests[0].headers[key_header], "(key)");
        assert!(requests[0].headers["user-agent"].starts_with("patchwright/"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_may_look_at_the_request() {
    let steps = || {
        [Step::When(Box::new(|request| match request.texts().last() {
            Some(text) if text == "Go on." => Step::answer("Going."),
            _ => Step::error(400, "unexpected", "another text was expected"),
        }))]
    };
    for name in EACH {
        assert_eq!(ask(name, steps(), policy()).await.result.unwrap().text, "Going.");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn somebody_outside_may_answer_several_questions_at_once() {
    // The one who answers waits for all questions before the first answer: they must be under way together.
    let (questions, mut asked) = mpsc::unbounded_channel::<(String, oneshot::Sender<Step>)>();
    let server = Server::answering(move |request| {
        let (answer, answered) = oneshot::channel();
        questions.send((request.texts().pop().unwrap(), answer)).unwrap();
        async move { answered.await.unwrap() }
    })
    .await
    .unwrap();
    let outside = tokio::spawn(async move {
        let mut open = Vec::new();
        while open.len() < 8 {
            open.push(asked.recv().await.unwrap());
        }
        for (text, answer) in open.into_iter().rev() {
            answer.send(Step::answer(format!("{text}!"))).unwrap_or_else(|_| panic!("nobody waits"));
        }
    });
    let tasks: Vec<_> = (0..8)
        .map(|number| {
            let connected = Connected::new(EACH[number % 3], &server.base_url(), policy());
            let mut request = request();
            request.messages.push(message(Role::User, &format!("question {number}")));
            tokio::spawn(async move { connected.model.complete(&request).await.unwrap().text })
        })
        .collect();
    for (number, task) in tasks.into_iter().enumerate() {
        assert_eq!(task.await.unwrap(), format!("question {number}!"));
    }
    outside.await.unwrap();
    assert_eq!(server.close().await.len(), 8);
}
