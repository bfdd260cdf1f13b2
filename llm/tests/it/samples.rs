//! Several answers to one question.

use crate::scripted::{ReceivedRequest, Server, Step};
use patchwright_llm::ModelError;
use patchwright_protocol::ChatReply;
use patchwright_protocol::Usage;

use crate::{Connected, EACH, policy, request};

/// A server that follows these steps, and a model connected to it.
async fn connected(name: &str, steps: Vec<Step>) -> (Server, Connected) {
    let server = Server::start(steps).await.unwrap();
    let connected = Connected::new(name, &server.base_url(), policy());
    (server, connected)
}

fn texts(replies: Vec<Result<ChatReply, ModelError>>) -> Vec<String> {
    replies.into_iter().map(|reply| reply.unwrap().text).collect()
}

/// How many answers each request asked for.
fn asked_for(requests: &[ReceivedRequest]) -> Vec<u64> {
    requests.iter().map(|request| request.body["n"].as_u64().unwrap_or(1)).collect()
}

fn several(texts: &[&str]) -> Step {
    Step::Answers { texts: texts.iter().map(|text| (*text).to_owned()).collect() }
}

#[tokio::test]
async fn a_service_that_gives_several_is_asked_once_and_its_tokens_count_once() {
    let (server, connected) = connected(EACH[0], vec![several(&["one", "two", "three"])]).await;
    let replies = connected.model.sample(&request(), 3).await;
    let outputs: Vec<_> = replies.iter().map(|reply| reply.as_ref().unwrap().usage.unwrap()).collect();
    assert!(outputs[0].input > 0 && outputs[0].output > 0);
    assert_eq!(outputs[1..], [Usage::default(), Usage::default()]);
    assert_eq!(texts(replies), ["one", "two", "three"]);
    assert_eq!(asked_for(&server.requests()), [3]);
}

#[tokio::test]
async fn what_a_service_leaves_out_is_asked_for_one_by_one_from_then_on() {
    let steps = [
        several(&["one"]),
        Step::answer("two"),
        Step::answer("three"),
        Step::answer("four"),
        Step::answer("five"),
    ];
    let (server, connected) = connected(EACH[0], steps.into()).await;
    let mut replies = texts(connected.model.sample(&request(), 3).await);
    replies.extend(texts(connected.model.sample(&request(), 2).await));
    replies.sort();
    assert_eq!(replies, ["five", "four", "one", "three", "two"]);
    assert_eq!(asked_for(&server.requests()), [3, 1, 1, 1, 1]);
}

#[tokio::test]
async fn a_service_that_refuses_the_number_is_asked_without_it() {
    let refusal = Step::error(400, "invalid_request_error", "Only one completion choice is allowed");
    let (server, connected) =
        connected(EACH[0], vec![refusal, Step::answer("one"), Step::answer("two")]).await;
    let mut replies = texts(connected.model.sample(&request(), 2).await);
    replies.sort();
    assert_eq!(replies, ["one", "two"]);
    assert_eq!(asked_for(&server.requests()), [2, 1, 1]);
    insta::assert_snapshot!(connected.notices()[0].reason);
}

#[tokio::test]
async fn a_format_without_a_number_is_asked_side_by_side_and_one_failure_costs_one_answer() {
    let steps =
        vec![Step::answer("one"), Step::error(400, "invalid_request_error", "no"), Step::answer("two")];
    let (_server, connected) = connected(EACH[1], steps).await;
    let replies = connected.model.sample(&request(), 3).await;
    assert_eq!(replies.iter().filter(|reply| reply.is_ok()).count(), 2);
    assert_eq!(replies.len(), 3);
}

#[tokio::test]
async fn a_question_that_cannot_be_answered_fails_once() {
    let refusal = || Step::error(401, "invalid_api_key", "no");
    let (server, connected) = connected(EACH[0], vec![refusal(), refusal()]).await;
    let replies = connected.model.sample(&request(), 9).await;
    assert!(matches!(replies.as_slice(), [Err(ModelError::WrongKey { .. })]), "{replies:?}");
    assert_eq!(server.requests().len(), 1);
}
