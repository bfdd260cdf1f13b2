//! What is known before the first request: names, addresses, keys.

use crate::scripted::{Server, Step};
use patchwright_llm::{KeySource, ModelError, connect};
use patchwright_protocol::{Actionable, Actor};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::{Connected, KEY, policy, request};

fn no_keys() -> KeySource {
    KeySource::fixed([("", ""); 0])
}

fn refused(name: &str, base_url: Option<&str>, keys: &KeySource) -> ModelError {
    match connect(&name.parse().unwrap(), base_url, keys, policy(), |_| {}) {
        Err(error) => error,
        Ok(model) => panic!("{} was connected", model.name()),
    }
}

#[test]
fn what_is_missing_is_told_before_any_request() {
    let check = |name: &str, base_url: Option<&str>, expect: &str| {
        let error = refused(name, base_url, &no_keys());
        assert_eq!(error.actor(), Actor::User);
        let text = format!("{error}; {}", error.hint().unwrap_or_default());
        assert!(text.contains(expect), "{name}: {text}");
    };
    check("openai/gpt-4.1", None, "OPENAI_API_KEY is not set");
    check("openai/gpt-4.1", None, "PATCHWRIGHT_KEY_FILE");
    check("anthropic/claude-sonnet-4-5", None, "ANTHROPIC_API_KEY is not set");
    check("openai/gpt-4.1", Some("https://gateway.example/v1"), "OPENAI_API_KEY is not set");
    check("compatible/qwen3", None, "--base-url");
    check("compatible/qwen3", None, "http://localhost:11434/v1");
    check("compatible/qwen3", Some("localhost:11434"), "http://");
    check("openai/gpt-4.1", Some("https://user:secret@host/v1"), "password");
}

#[test]
fn a_key_that_cannot_be_one_is_told_without_it() {
    let keys = KeySource::fixed([("OPENAI_API_KEY", "sk-one sk-two")]);
    let error = refused("openai/gpt-4.1", None, &keys);
    assert!(matches!(error, ModelError::BadKey { .. }));
    assert!(!format!("{error:?}").contains("sk-"), "{error:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_on_this_machine_needs_no_key_unless_it_says_so() {
    for (name, variable) in [
        ("openai/gpt-4.1", "OPENAI_API_KEY"),
        ("anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("compatible/qwen3:30b", "PATCHWRIGHT_API_KEY"),
    ] {
        let steps = [Step::answer("hi"), Step::error(401, "unauthorized", "who are you?")];
        let server = Server::start(steps).await.unwrap();
        let model =
            connect(&name.parse().unwrap(), Some(&server.base_url()), &no_keys(), policy(), |_| {}).unwrap();
        assert_eq!(model.name(), name);
        assert_eq!(model.complete(&request()).await.unwrap().text, "hi");
        let error = model.complete(&request()).await.unwrap_err();
        assert_eq!(error, ModelError::NoKey { variable: variable.to_owned() });
        for request in server.close().await {
            assert!(
                !request.headers.contains_key("authorization") && !request.headers.contains_key("x-api-key")
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_file_serves_as_the_environment_does() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("PATCHWRIGHT_API_KEY={KEY}\n")).unwrap();
    let keys = no_keys().with_file(file.path());
    let server = Server::start([Step::answer("hi")]).await.unwrap();
    let name = "compatible/qwen3".parse().unwrap();
    let model = connect(&name, Some(&server.base_url()), &keys, policy(), |_| {}).unwrap();
    model.complete(&request()).await.unwrap();
    let requests = server.close().await;
    assert_eq!(requests[0].headers["authorization"], "(key)");
    assert!(!format!("{requests:?} {keys:?}").contains(KEY));
}

#[tokio::test]
async fn a_wrong_key_is_known_before_any_question() {
    let check = async |answer: &'static str, is_known: bool| {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut asked = [0; 4096];
            let read = stream.read(&mut asked).await.unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
            String::from_utf8_lossy(&asked[..read]).into_owned()
        });
        let model = Connected::new("openai/gpt-4.1", &base, policy()).model;
        match model.check_key().await {
            Ok(()) => assert!(is_known, "{answer}"),
            Err(error) => assert!(!is_known && matches!(error, ModelError::WrongKey { .. }), "{error}"),
        }
        let asked = serving.await.unwrap();
        assert!(asked.starts_with("GET /v1/models ") && asked.contains(KEY), "{asked}");
    };
    check("HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\n{}", false).await;
    check("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}", true).await;
    // A key that may ask and not list, and a service that has no list.
    check("HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\n{}", true).await;
    check("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", true).await;
}
