//! Every fault of a network and a service: what passes is tried again, what does not is told at once.

use std::time::Duration;

use crate::scripted::{Server, Step};
use patchwright_llm::{ModelError, RetryPolicy};
use patchwright_protocol::{Actionable, Actor};
use serde_json::json;

use crate::{CHAT, Connected, EACH, KEY, ask, policy, request};

fn error_with(status: u16, headers: &[(&str, &str)], kind: &str, message: &str) -> Step {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Step::Error { status, headers, kind: kind.to_owned(), message: message.to_owned() }
}

fn raw(code: u16, body: &str) -> Step {
    Step::Status { code, headers: Vec::new(), body: body.to_owned() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_passes_is_tried_again_and_told() {
    async fn check(fault: fn() -> Step, reason: &str) {
        for name in EACH {
            let outcome = ask(name, [fault(), fault(), Step::answer("at last")], policy()).await;
            assert_eq!(outcome.result.unwrap().text, "at last", "{name} {reason}");
            assert_eq!((outcome.requests.len(), outcome.steps_left), (3, 0));
            assert_eq!(outcome.requests[0], outcome.requests[2], "the same request again");
            let told: Vec<u32> = outcome.notices.iter().map(|notice| notice.attempt).collect();
            assert_eq!(told, [1, 2], "{name} {reason}");
            for notice in &outcome.notices {
                assert!(notice.reason.contains(reason), "{name}: {}", notice.reason);
                assert!(notice.wait <= Duration::from_millis(2), "{:?}", notice.wait);
                assert_eq!(notice.model, name);
            }
        }
    }
    check(|| Step::error(408, "timeout", "too slow"), "status 408").await;
    check(|| Step::error(409, "conflict", "locked"), "status 409").await;
    check(|| Step::error(429, "rate_limit_error", "slow down"), "too many requests").await;
    check(|| error_with(429, &[("retry-after", "0")], "rate_limit_error", "slow down"), "too many requests")
        .await;
    check(
        || error_with(503, &[("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT")], "busy", "busy"),
        "status 503",
    )
    .await;
    check(|| Step::error(500, "api_error", "oops"), "(status 500): oops").await;
    check(|| raw(502, "<html><h1>Bad gateway</h1></html>"), "Bad gateway").await;
    check(|| Step::error(529, "overloaded_error", "Overloaded"), "Overloaded").await;
    check(|| Step::Cut, "the connection broke").await;
    check(|| raw(200, "{\"choices\": [{\"mess"), "ends in the middle").await;
    check(|| raw(200, ""), "ends in the middle").await;
    let inside = || raw(200, r#"{"error": {"code": 503, "message": "upstream is down"}}"#);
    check(inside, "upstream is down").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_says_nothing_is_left_and_asked_again() {
    // More answers than needed: on a busy machine an answer may come too late as well.
    let hasty = RetryPolicy { answer_timeout: Duration::from_millis(200), tries: 12, ..policy() };
    for name in EACH {
        let steps = [Step::Stall].into_iter().chain((0..11).map(|_| Step::answer("at last")));
        let outcome = ask(name, steps, hasty.clone()).await;
        assert_eq!(outcome.result.unwrap().text, "at last");
        insta::assert_snapshot!("says_nothing", outcome.notices[0].reason);
    }
    for name in EACH {
        let impatient = RetryPolicy { total_wait: Duration::from_millis(100), ..hasty.clone() };
        let outcome = ask(name, [Step::Stall], impatient).await;
        assert!(matches!(outcome.result, Err(ModelError::Timeout { .. })), "{:?}", outcome.result);
        assert!(outcome.requests.len() <= 1, "the time lost counts as waiting");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_the_last_try_the_last_error_is_told() {
    for name in EACH {
        let steps = (0..9).map(|number| Step::error(500, "api_error", format!("trouble {number}")));
        let outcome = ask(name, steps, RetryPolicy { tries: 4, ..policy() }).await;
        let expect = ModelError::Unavailable { status: 500, message: "trouble 3".to_owned() };
        assert_eq!(outcome.result, Err(expect));
        assert_eq!((outcome.requests.len(), outcome.notices.len(), outcome.steps_left), (4, 3, 5));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wait_beyond_the_cap_is_not_waited() {
    for name in EACH {
        let fault = error_with(429, &[("retry-after", "3600")], "rate_limit_error", "slow down");
        let outcome = ask(name, [fault], policy()).await;
        let wait = Some(Duration::from_hours(1));
        assert_eq!(outcome.result, Err(ModelError::RateLimited { wait, message: "slow down".to_owned() }));
        assert!(outcome.notices.is_empty());

        let date = [("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT")];
        let outcome = ask(name, [error_with(429, &date, "rate_limit_error", "slow down")], policy()).await;
        let Err(ModelError::RateLimited { wait: Some(wait), .. }) = outcome.result else { panic!("{name}") };
        assert!(wait > Duration::from_hours(24), "{wait:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_does_not_pass_is_told_at_once() {
    async fn check(fault: fn() -> Step, actor: Actor, expect: &str) {
        for name in EACH {
            let outcome = ask(name, [fault()], policy()).await;
            let error = outcome.result.unwrap_err();
            assert_eq!(error.actor(), actor, "{error}");
            assert!(format!("{error:?}").starts_with(expect), "{name}: {error:?}");
            assert!(!error.hint().unwrap_or_default().is_empty());
            for text in [error.to_string(), format!("{error:?}"), error.hint().unwrap_or_default()] {
                assert!(!text.contains("0123456789"), "the key is told: {text}");
            }
            assert_eq!((outcome.requests.len(), outcome.notices.len()), (1, 0), "{name}: {error}");
        }
    }
    let key_error =
        || Step::error(401, "invalid_api_key", format!("Incorrect API key provided: {KEY}. See the docs."));
    check(key_error, Actor::User, "WrongKey").await;
    check(|| Step::error(403, "permission_error", "not for you: sk-test-****cdef"), Actor::User, "WrongKey")
        .await;
    check(|| raw(401, &format!("<html>{KEY}</html>")), Actor::User, "WrongKey").await;
    check(|| Step::error(429, "insufficient_quota", "You exceeded your current quota"), Actor::User, "Quota")
        .await;
    check(|| Step::error(400, "x", "Your credit balance is too low"), Actor::User, "Quota").await;
    check(|| Step::error(404, "not_found_error", "model: no-such-model"), Actor::User, "ModelNotFound").await;
    check(|| Step::error(400, "x", "prompt is too long: 9 tokens > 8"), Actor::User, "ContextTooLong").await;
    check(|| Step::error(413, "request_too_large", "too large"), Actor::User, "ContextTooLong").await;
    let broken = || Step::error(400, "tool_use_failed", "The call is no JSON");
    check(broken, Actor::Model, "BrokenCall").await;
    let stays = || error_with(500, &[("x-should-retry", "false")], "api_error", "broken for good");
    check(stays, Actor::Provider, "Unavailable").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_read_is_told_without_the_key() {
    async fn check(fault: fn() -> Step) {
        for name in EACH {
            let outcome = ask(name, [fault(), fault()], policy()).await;
            let error = outcome.result.unwrap_err();
            assert!(matches!(error, ModelError::BadAnswer { .. }), "{name}: {error:?}");
            assert!(!format!("{error:?}").contains("0123456789"), "the key is told: {error:?}");
            assert_eq!((outcome.requests.len(), outcome.notices.len()), (2, 1), "{name}: {error}");
        }
    }
    check(|| Step::Malformed).await;
    check(|| raw(200, &format!("<html>Log in with {KEY}</html>"))).await;
    check(|| raw(200, "{\"object\": \"list\"}")).await;
    check(|| raw(200, "[]")).await;
    check(|| Step::pieces([format!("data: <html>{KEY}</html>\n\n")])).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_that_nothing_helps_against_is_told() {
    async fn check(fault: fn() -> Step) {
        for name in EACH {
            let outcome = ask(name, [fault(), fault()], policy()).await;
            let error = outcome.result.unwrap_err();
            assert_eq!(error.actor(), Actor::User, "{name}: {error:?}");
            assert!(matches!(error, ModelError::Refused { .. }), "{name}: {error:?}");
        }
    }
    check(|| Step::error(400, "invalid_request_error", "no such field")).await;
    check(|| raw(404, "404 page not found")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redirects_are_not_followed() {
    for name in EACH {
        let other = Server::start([Step::answer("the key came along")]).await.unwrap();
        let headers = vec![("location".to_owned(), other.base_url())];
        let outcome = ask(name, [Step::Status { code: 307, headers, body: String::new() }], policy()).await;
        let error = outcome.result.unwrap_err().to_string();
        insta::assert_snapshot!("redirected", error.replace(&other.base_url(), "<other>"));
        assert!(other.close().await.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_model_does_not_take_is_left_out_from_then_on() {
    // A model that wants max_completion_tokens and no temperature, as the newer ones do.
    let server = Server::answering(|request| async move {
        if request.body.get("max_tokens").is_some() && !request.headers.contains_key("anthropic-version") {
            let message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
                           'max_completion_tokens' instead.";
            Step::error(400, "unsupported_parameter", message)
        } else if request.body.get("temperature").is_some() {
            Step::error(400, "invalid_request_error", "`temperature` is deprecated for this model.")
        } else {
            Step::answer("fine")
        }
    })
    .await
    .unwrap();
    for (name, refusals) in EACH.into_iter().zip([1, 1, 2]) {
        let before = server.requests().len();
        let connected = Connected::new(name, &server.base_url(), RetryPolicy { tries: 1, ..policy() });
        for _ in 0..3 {
            assert_eq!(connected.model.complete(&request()).await.unwrap().text, "fine");
        }
        assert_eq!(server.requests().len() - before, refusals + 3, "{name}: refused once, not each time");
        let notices = connected.notices();
        assert_eq!(notices.len(), refusals);
        assert!(notices.iter().all(|notice| notice.wait.is_zero()));
        assert!(notices[refusals - 1].reason.contains("temperature"), "{notices:?}");
        let body = server.requests().pop().unwrap().body;
        assert!(body.get("temperature").is_none(), "{body}");
    }
    let last = server.requests().pop().unwrap();
    assert_eq!(last.body["max_completion_tokens"], json!(100));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_refuses_what_is_not_sent_is_not_asked_forever() {
    for name in EACH {
        let server = Server::answering(|_| async {
            let message = "'max_tokens' and 'temperature' are not supported, nor is 'max_completion_tokens'";
            Step::error(400, "unsupported_parameter", message)
        })
        .await
        .unwrap();
        let connected = Connected::new(name, &server.base_url(), policy());
        let error = connected.model.complete(&request()).await.unwrap_err();
        assert!(matches!(error, ModelError::Refused { status: 400, .. }), "{error}");
        assert!(server.close().await.len() <= 4, "each parameter is left out once");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_script_refuses_what_the_services_refuse() {
    let server = Server::start([Step::answer("first")]).await.unwrap().expecting_refusals();
    for (name, temperature) in EACH.into_iter().zip([2.5, 1.5, 2.5]) {
        let connected = Connected::new(name, &server.base_url(), policy());
        let mut hot = request();
        hot.temperature = Some(temperature);
        let error = connected.model.complete(&hot).await.unwrap_err();
        assert!(error.to_string().contains("temperature"), "{error}");
        assert!(server.requests().pop().unwrap().refused.is_some());
        assert_eq!(server.steps_left(), 1, "no step is used for it");
    }
    let connected = Connected::new(CHAT, &server.base_url(), policy());
    assert_eq!(connected.model.complete(&request()).await.unwrap().text, "first");
    let error = connected.model.complete(&request()).await.unwrap_err();
    insta::assert_snapshot!(error.to_string());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_gone_cannot_be_reached() {
    for name in EACH {
        let server = Server::start([Step::Stall]).await.unwrap();
        let base_url = server.base_url();
        let asking = {
            let connected = Connected::new(name, &base_url, RetryPolicy { tries: 1, ..policy() });
            tokio::spawn(async move { connected.model.complete(&request()).await })
        };
        while server.requests().is_empty() {
            tokio::task::yield_now().await;
        }
        server.close().await;
        let error = asking.await.unwrap().unwrap_err();
        assert!(matches!(error, ModelError::Cut { .. }), "its connections end with it: {error}");

        let connected = Connected::new(name, &base_url, policy());
        let error = connected.model.complete(&request()).await.unwrap_err();
        assert!(matches!(error, ModelError::Unreachable { .. }), "{error}");
        assert!(
            error.to_string().contains("127.0.0.1") && error.hint().unwrap_or_default().contains("running"),
            "{error}"
        );
        assert!(connected.notices().is_empty(), "a server on this machine is there or is not");
    }
}
