//! Answers that come in pieces, with all that can go wrong on their way.

use std::io::Write;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use patchwright_llm::{ModelError, RetryPolicy};
use patchwright_protocol::ChatReply;
use patchwright_protocol::{FinishReason, ToolCall, Usage};
use serde_json::{Value, json};

use crate::scripted::{EVENTS, Server, Step};
use crate::{CHAT, Connected, EACH, Outcome, ask, policy, request};

/// Events without names, as in chat completions.
fn events(events: &[Value]) -> String {
    ended_by("\n\n", events)
}

fn ended_by(ends: &str, events: &[Value]) -> String {
    let data: Vec<String> = events.iter().map(|event| format!("data: {event}{ends}")).collect();
    data.concat()
}

/// A piece of a chat completion.
fn chunk(delta: Value, reason: Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] })
}

fn text(text: &str) -> Value {
    chunk(json!({ "content": text }), Value::Null)
}

fn end() -> Value {
    chunk(json!({}), "stop".into())
}

/// What one stream comes to, which is read whole.
async fn read(name: &str, stream: impl Into<Vec<u8>>) -> ChatReply {
    let outcome = ask(name, [Step::pieces([stream])], policy()).await;
    assert!(outcome.notices.is_empty(), "{:?}", outcome.notices);
    outcome.result.unwrap()
}

/// What comes of a stream that cannot be used, before an answer that can.
async fn asked_again(name: &str, fault: Step) -> Outcome {
    let outcome = ask(name, [fault, Step::answer("at last")], policy()).await;
    assert_eq!(outcome.result.as_ref().unwrap().text, "at last", "{:?}", outcome.notices);
    assert_eq!(outcome.notices.len(), 1);
    outcome
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_piece_is_told_when_it_is_there() {
    for name in EACH {
        let reply = ChatReply {
            text: "The answer.".to_owned(),
            reasoning: "What was asked?".to_owned(),
            ..ChatReply::default()
        };
        let server = Server::start([Step::Reply(reply)]).await.unwrap();
        let connected = Connected::new(name, &server.base_url(), policy());
        connected.model.complete(&request()).await.unwrap();
        let (told, last) = connected.progress();
        assert!(told > 0 && last.reasoning > 0, "{name}: {last:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_may_be_cut_into_bytes() {
    let said = "Grüße, 世界 👋 – \"\\ \r\n";
    for ends in ["\n\n", "\r\n\r\n", "\r\r"] {
        let stream = ended_by(ends, &[text(said), end()]);
        let bytes = format!("\u{feff}: a comment{ends}{stream}data: [DONE]{ends}").into_bytes();
        let outcome = ask(CHAT, [Step::pieces(bytes.chunks(1).map(<[u8]>::to_vec))], policy()).await;
        assert_eq!(outcome.result.unwrap().text, said);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_comes_whole_where_pieces_were_asked_for_and_in_pieces_where_nobody_asked() {
    for name in EACH {
        let outcome = ask(name, [Step::Whole(Box::new(Step::answer("whole")))], policy()).await;
        assert_eq!(outcome.result.unwrap().text, "whole", "{name}");
    }
    // A type that says nothing of it.
    let pieces = vec![events(&[text("in pieces"), end()]).into_bytes()];
    let step = Step::Pieces { content_type: "application/json", encoding: "identity", pieces, stalls: false };
    let outcome = ask(CHAT, [step], policy()).await;
    assert_eq!(outcome.result.unwrap().text, "in pieces");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_breaks_is_asked_again_and_what_came_is_kept() {
    let begun =
        events(&[chunk(json!({ "reasoning_content": "Let me see. " }), Value::Null), text("The ans")]);
    let outcome = asked_again(CHAT, Step::pieces([begun])).await;
    assert_eq!(outcome.notices[0].received, "Let me see. \nThe ans\n");
    let deltas = [
        json!({ "type": "response.created", "response": { "status": "in_progress", "output": [] } }),
        json!({ "type": "response.reasoning_summary_text.delta", "delta": "Hm." }),
        json!({ "type": "response.output_text.delta", "delta": "The ans" }),
    ];
    let outcome = asked_again(EACH[0], Step::pieces([events(&deltas)])).await;
    assert_eq!(outcome.notices[0].received, "Hm.\nThe ans\n");
    let blocks = [
        json!({ "type": "message_start", "message": { "role": "assistant", "content": [] } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "The ans" } }),
    ];
    let outcome = asked_again(EACH[1], Step::pieces([events(&blocks)])).await;
    assert_eq!(outcome.notices[0].received, "The ans\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_stream_is_asked_again() {
    let check = async |stream: Vec<u8>, reason: &str| {
        let outcome = asked_again(CHAT, Step::pieces([stream])).await;
        assert!(outcome.notices[0].reason.contains(reason), "{}", outcome.notices[0].reason);
    };
    check(b"".to_vec(), "in the middle").await;
    check(b": nothing but comments\n\n".to_vec(), "in the middle").await;
    check(b"data: {\"choices\": [oops\n\n".to_vec(), "not JSON").await;
    check(b"data: <html>\n\n".to_vec(), "not JSON").await;
    check(b"data: \xff\xfe\n\n".to_vec(), "events cannot be read").await;
    check(
        b"event: error\ndata: {\"error\": {\"code\": 529, \"message\": \"Overloaded\"}}\n\n".to_vec(),
        "Overloaded",
    )
    .await;
    check(
        events(&[text("half"), json!({ "error": { "code": 502, "message": "upstream" } })]).into_bytes(),
        "upstream",
    )
    .await;
    let failed = json!({ "type": "response.failed", "response": { "error": { "code": "server_error", "message": "broke" } } });
    let outcome = asked_again(EACH[0], Step::pieces([events(&[failed])])).await;
    assert!(outcome.notices[0].reason.contains("broke"), "{}", outcome.notices[0].reason);
    let overloaded =
        json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    let outcome = asked_again(EACH[1], Step::pieces([events(&[overloaded])])).await;
    assert!(outcome.notices[0].reason.contains("Overloaded"), "{}", outcome.notices[0].reason);
}

/// Proxies pack bodies unasked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_packed_stream_is_unpacked_as_it_comes() {
    let packed = |encoding: &'static str, bytes: Vec<u8>| {
        let pieces = bytes.chunks(20).map(<[u8]>::to_vec).collect();
        Step::Pieces { content_type: EVENTS, encoding, pieces, stalls: false }
    };
    let stream = events(&[text("un"), text("packed"), end()]);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(stream.as_bytes()).unwrap();
    let bytes = encoder.finish().unwrap();
    for name in ["gzip", "X-GZip"] {
        let outcome = ask(CHAT, [packed(name, bytes.clone())], policy()).await;
        assert_eq!(outcome.result.unwrap().text, "unpacked", "{name}");
    }
    // What is no such packing, and one that is not read, are told.
    let steps = [packed("gzip", stream.into_bytes()), packed("br", bytes)];
    let error = ask(CHAT, steps, policy()).await.result.unwrap_err().to_string();
    insta::assert_snapshot!(error);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn halves_of_a_character_in_two_events_are_one() {
    let half = |half: &str| format!("data: {}\n\n", text("@").to_string().replace('@', half));
    let stream = [half("so \\ud83d"), half("\\ude00!"), events(&[end()])].concat();
    assert_eq!(read(CHAT, stream).await.text, "so 😀!");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stall_is_known_by_the_silence() {
    let hasty = RetryPolicy { stall_timeout: Duration::from_millis(200), tries: 12, ..policy() };
    let stall = || Step::Pieces {
        content_type: EVENTS,
        encoding: "identity",
        pieces: vec![events(&[text("The ans")]).into_bytes()],
        stalls: true,
    };
    let steps = [stall()].into_iter().chain((0..11).map(|_| Step::answer("at last")));
    let outcome = ask(CHAT, steps, hasty.clone()).await;
    assert_eq!(outcome.result.unwrap().text, "at last");
    insta::assert_snapshot!(outcome.notices[0].reason);
    // One that says that it has ended, and stays open.
    let whole = Step::Pieces {
        content_type: EVENTS,
        encoding: "identity",
        pieces: vec![events(&[text("all of it"), end()]).into_bytes()],
        stalls: true,
    };
    assert_eq!(ask(CHAT, [whole], hasty).await.result.unwrap().text, "all of it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_come_piece_by_piece_and_side_by_side() {
    let piece = |call: Value| chunk(json!({ "tool_calls": [call] }), Value::Null);
    let stream = events(&[
        piece(
            json!({ "index": 0, "id": "a", "type": "function", "function": { "name": "f", "arguments": "" } }),
        ),
        piece(json!({ "index": 1, "id": "b", "function": { "name": "g", "arguments": "{\"y\"" } })),
        piece(json!({ "index": 0, "function": { "arguments": "{\"x\": 1}" } })),
        piece(json!({ "index": 1, "function": { "name": "g", "arguments": ": 2}" } })),
        chunk(json!({}), "tool_calls".into()),
    ]);
    let reply = read(CHAT, stream).await;
    let call = |name: &str, arguments: &str, id: &str| ToolCall {
        id: Some(id.to_owned()),
        ..ToolCall::new(name, arguments)
    };
    assert_eq!(reply.tool_calls, [call("f", "{\"x\": 1}", "a"), call("g", "{\"y\": 2}", "b")]);
    assert_eq!(reply.stop, FinishReason::ToolCalls);
    // Services that leave out the index, and those that give no names.
    let stream = events(&[
        piece(json!({ "id": "a", "function": { "name": "f", "arguments": {} } })),
        piece(json!({ "id": "b", "function": { "name": "g", "arguments": "{}" } })),
        chunk(json!({}), "stop".into()),
    ]);
    assert_eq!(read(CHAT, stream).await.tool_calls, [call("f", "{}", "a"), call("g", "{}", "b")]);
    let stream =
        events(&[piece(json!({ "index": 0, "function": { "name": "f", "arguments": "{}" } })), end()]);
    assert_eq!(read(CHAT, stream).await.tool_calls, [call("f", "{}", "call_0")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn odd_pieces_are_passed_over() {
    let piece = |call: Value| chunk(json!({ "tool_calls": [call] }), Value::Null);
    // Choices that are none, indices that begin at 1, one name for two calls.
    let stream = events(&[
        json!({ "choices": [1, "x", [[]], null] }),
        piece(json!({ "index": 1, "id": "a", "function": { "name": "f", "arguments": "{}" } })),
        piece(json!({ "index": 2, "id": "a", "function": { "name": "g", "arguments": "{}" } })),
        end(),
    ]);
    let ids: Vec<_> = read(CHAT, stream).await.tool_calls.into_iter().map(|call| call.id.unwrap()).collect();
    assert_eq!(ids, ["a", "call_1"]);
    // Counts beyond any number, and in other forms.
    let most = u64::MAX;
    let usage = json!({ "input_tokens": most, "cache_read_input_tokens": most, "output_tokens": "7" });
    let message = json!({ "type": "message", "content": [], "stop_reason": "end_turn", "usage": usage });
    let step = Step::Status { code: 200, headers: Vec::new(), body: message.to_string() };
    let counted = ask(EACH[1], [step], policy()).await.result.unwrap().usage.unwrap();
    assert_eq!((counted.input, counted.output), (most, 7));
    let mut last = end();
    last["usage"] = json!({ "prompt_tokens": 100.0, "completion_tokens": -3 });
    let counted = read(CHAT, events(&[text("x"), last])).await.usage.unwrap();
    assert_eq!((counted.input, counted.output), (100, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_has_no_more_values_than_can_be_kept() {
    let item = json!({ "type": "response.output_item.done", "item": { "type": "message", "content": vec![0; 50_000] } });
    let stream = events(&vec![item; 20])
        + &events(&[json!({ "type": "response.completed", "response": { "output": [] } })]);
    let reply = read(EACH[0], stream).await;
    assert!(reply.items.is_empty() && reply.text.is_empty(), "{} items", reply.items.len());
    let many = format!("{{\"error\": [{}0]}}", "{\"\":0},".repeat(200_000));
    let outcome = ask(
        CHAT,
        [
            Step::Status { code: 400, headers: Vec::new(), body: many.clone() },
            Step::Status { code: 400, headers: Vec::new(), body: many },
        ],
        policy(),
    )
    .await;
    assert!(matches!(outcome.result, Err(ModelError::Refused { status: 400, .. })));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_longer_answer_than_the_model_gives_is_not_asked_for_again() {
    let check = async |name: &str, message: &str, field: &str, expect: u64| {
        let server =
            Server::start([Step::error(400, "x", message), Step::answer("fine"), Step::answer("fine")])
                .await
                .unwrap();
        let connected = Connected::new(name, &server.base_url(), policy());
        let long = patchwright_llm::ChatRequest { max_output_tokens: 32_768, ..request() };
        for _ in 0..2 {
            assert_eq!(connected.model.complete(&long).await.unwrap().text, "fine");
        }
        let limits: Vec<_> =
            server.requests().iter().map(|request| request.body[field].as_u64().unwrap()).collect();
        assert_eq!(limits, [32_768, expect, expect], "{name}");
    };
    check(
        EACH[1],
        "max_tokens: 32768 > 8192, which is the maximum allowed number of output tokens for this model",
        "max_tokens",
        8192,
    )
    .await;
    check(
        CHAT,
        "max_tokens is too large: 32768. This model supports at most 4096 completion tokens.",
        "max_tokens",
        4096,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_is_cut_with_what_came_is_not_told() {
    let long = format!("{}{}", "x".repeat((16 << 10) - 14), crate::KEY);
    let outcome = asked_again(CHAT, Step::pieces([events(&[text(&long)])])).await;
    assert!(!outcome.notices[0].received.contains("sk-test"), "a part of the key is told");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_reasoned_is_read_wherever_it_stands() {
    let check = async |delta: Value, expect: &str| {
        let reply = read(CHAT, events(&[chunk(delta.clone(), Value::Null), text("ok"), end()])).await;
        assert_eq!((reply.reasoning.as_str(), reply.text.as_str()), (expect, "ok"), "{delta}");
    };
    check(json!({ "reasoning_content": "hm" }), "hm").await;
    check(json!({ "reasoning": "hm" }), "hm").await;
    check(json!({ "thinking": "hm" }), "hm").await;
    check(json!({ "reasoning_details": [{ "type": "reasoning.text", "text": "hm" }] }), "hm").await;
    check(json!({ "reasoning_content": null }), "").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens_are_counted_wherever_they_are_told() {
    let usage = json!({
        "prompt_tokens": 10, "completion_tokens": 7, "prompt_cache_hit_tokens": 4,
        "completion_tokens_details": { "reasoning_tokens": 5 },
    });
    let counted = Usage { input: 10, cached_input: 4, output: 7, reasoning: 5, ..Usage::default() };
    let beside = json!({ "choices": [], "usage": usage });
    assert_eq!(read(CHAT, events(&[text("x"), end(), beside])).await.usage, Some(counted));
    let mut within = end();
    within["usage"] = usage;
    assert_eq!(read(CHAT, events(&[text("x"), within])).await.usage, Some(counted));
    assert_eq!(read(CHAT, events(&[text("x"), end()])).await.usage, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_does_not_stream_is_asked_for_the_whole() {
    let check = async |name: &str, message: &str, gone: &[&str], kept: &[&str]| {
        let outcome = asked_again(name, Step::error(400, "unsupported_value", message)).await;
        let body = &outcome.requests[1].body;
        assert!(gone.iter().all(|field| body.get(*field).is_none()), "{body}");
        assert!(kept.iter().all(|field| body.get(*field).is_some()), "{body}");
    };
    let verified = "Your organization must be verified to stream this model.";
    check(EACH[0], verified, &["stream"], &["prompt_cache_key"]).await;
    check(CHAT, "`stream` is not supported", &["stream", "stream_options"], &["temperature"]).await;
    check(CHAT, "unknown field stream_options", &["stream_options"], &["stream"]).await;
    // What is not understood may be about what the program added by itself.
    check(CHAT, "bad request", &["stream_options"], &["stream", "temperature"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_without_responses_is_asked_by_chat_completions_from_then_on() {
    for status in [404, 405] {
        let refusal = Step::Status { code: status, headers: Vec::new(), body: "no such page".to_owned() };
        let server = Server::start([refusal, Step::answer("one"), Step::answer("two")]).await.unwrap();
        let connected = Connected::new(EACH[0], &server.base_url(), policy());
        for expect in ["one", "two"] {
            assert_eq!(connected.model.complete(&request()).await.unwrap().text, expect);
        }
        let bodies: Vec<bool> =
            server.close().await.iter().map(|request| request.body.get("input").is_some()).collect();
        assert_eq!(bodies, [true, false, false]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_read_is_bought_twice_at_most() {
    for body in
        [r#"{"choices": null}"#, r#"{"output": null}"#, r#"{"choices": [{"message": {"tool_calls": [{}]}}]}"#]
    {
        let step = || Step::Status { code: 200, headers: Vec::new(), body: body.to_owned() };
        let outcome = ask(CHAT, [step(), step(), Step::answer("never")], policy()).await;
        let error = outcome.result.unwrap_err();
        assert!(matches!(error, ModelError::BadAnswer { .. }) && error.is_about_one_answer(), "{error}");
        assert_eq!(outcome.requests.len(), 2);
    }
}
