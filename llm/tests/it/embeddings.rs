//! Embeddings over real HTTP: batches, faults, and vectors that were kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::scripted::{ReceivedRequest, Server, Step};
use patchwright_llm::{
    CachedEmbedder, Embedder, KeySource, ModelError, RetryNotice, RetryPolicy, by_cosine, connect_embedder,
};
use serde_json::json;

use crate::{KEY, keys, policy};

const NAME: &str = "openai/text-embedding-3-small";

/// A vector that tells its text: its length, and its first byte.
fn vector(text: &str) -> Vec<f32> {
    vec![text.len() as f32, text.bytes().next().map_or(0.0, f32::from), 0.5]
}

fn vectors(request: &ReceivedRequest) -> Step {
    Step::Vectors { vectors: request.texts().iter().map(|text| vector(text)).collect() }
}

fn answer() -> Step {
    Step::When(Box::new(vectors))
}

fn embedder(server: &Server, policy: RetryPolicy) -> (Arc<dyn Embedder>, Arc<Mutex<Vec<RetryNotice>>>) {
    let notices = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&notices);
    let notify = move |notice| told.lock().unwrap().push(notice);
    let base = server.base_url();
    (connect_embedder(&NAME.parse().unwrap(), Some(&base), &keys(), policy, notify).unwrap(), notices)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn texts_get_their_vectors_in_batches() {
    let server = Server::answering(|request| async move { vectors(&request) }).await.unwrap();
    let (embedder, _) = embedder(&server, policy());
    let texts: Vec<String> = (0..300).map(|number| format!("text {number}")).collect();
    let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    texts.insert(1, "");
    texts.push(" \n");
    let found = embedder.embed(&texts).await.unwrap();
    assert_eq!(found.vectors.len(), 302);
    for (text, found) in texts.iter().zip(&found.vectors) {
        let expect = if text.trim().is_empty() { vec![0.0; 3] } else { vector(text) };
        assert_eq!(*found, expect, "{text:?}");
    }
    assert!(found.usage.unwrap().input > 300);
    assert_eq!(embedder.embed(&[]).await.unwrap().vectors.len(), 0);
    let requests = server.close().await;
    let sizes: Vec<usize> = requests.iter().map(|request| request.texts().len()).collect();
    assert_eq!(sizes, [128, 128, 44]);
    assert_eq!(requests[0].headers["authorization"], "(key)");
    assert_eq!(requests[0].body["model"], "text-embedding-3-small");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_passes_is_tried_again() {
    async fn check(fault: Step, reason: &str) {
        let server = Server::start([fault, answer()]).await.unwrap();
        let (embedder, notices) = embedder(&server, policy());
        let found = embedder.embed(&["one"]).await.unwrap();
        assert_eq!(found.vectors, [vector("one")], "{reason}");
        let notices = notices.lock().unwrap().clone();
        assert_eq!((notices.len(), notices[0].attempt, notices[0].model.as_str()), (1, 1, NAME));
        assert!(notices[0].reason.contains(reason), "{}", notices[0].reason);
    }
    check(Step::error(429, "rate_limit_error", "slow down"), "too many requests").await;
    check(Step::error(503, "busy", "busy"), "status 503").await;
    check(Step::Cut, "the connection broke").await;
    let cut = Step::Status { code: 200, headers: Vec::new(), body: "{\"data\": [{".to_owned() };
    check(cut, "ends in the middle").await;
    let inside = json!({ "error": { "code": 503, "message": "upstream is down" } }).to_string();
    check(Step::Status { code: 200, headers: Vec::new(), body: inside }, "upstream is down").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_does_not_pass_is_told_without_the_key() {
    async fn check(fault: Step, expect: &str) {
        let server = Server::start([fault]).await.unwrap();
        let (embedder, notices) = embedder(&server, RetryPolicy { tries: 1, ..policy() });
        let error = embedder.embed(&["one", "two"]).await.unwrap_err();
        assert!(format!("{error:?}").contains(expect), "{error:?}");
        assert!(!format!("{error:?} {error}").contains(KEY));
        assert_eq!(notices.lock().unwrap().len(), 0);
        assert_eq!(server.close().await.len(), 1);
    }
    check(Step::error(401, "invalid_api_key", format!("Incorrect API key provided: {KEY}.")), "WrongKey")
        .await;
    check(Step::error(404, "model_not_found", "The model does not exist"), "ModelNotFound").await;
    check(
        Step::error(400, "invalid_request_error", "maximum context length is 8192 tokens"),
        "ContextTooLong",
    )
    .await;
    check(Step::Malformed, "it is not JSON").await;
    check(Step::answer("hello"), "`data` is missing").await;
    check(Step::Vectors { vectors: vec![vec![1.0]] }, "1 vectors for 2 texts").await;
    check(Step::Vectors { vectors: vec![vec![1.0], vec![1.0, 2.0]] }, "different lengths").await;
}

#[test]
fn what_is_missing_is_told_before_any_request() {
    let check = |name: &str, keys: &KeySource, expect: &str| {
        let Err(error) = connect_embedder(&name.parse().unwrap(), None, keys, policy(), |_| {}) else {
            panic!("{name} was connected");
        };
        assert!(error.to_string().contains(expect), "{error}");
    };
    let none = KeySource::fixed([("", ""); 0]);
    check(NAME, &none, "OPENAI_API_KEY is not set");
    check("compatible/bge", &none, "needs one");
    check("anthropic/claude", &keys(), "Anthropic's format has no embeddings");
}

/// The files below a folder.
fn kept(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(kept(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_is_paid_for_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start([answer(), answer(), answer()]).await.unwrap();
    let cached = CachedEmbedder::new(embedder(&server, policy()).0, folder.path().join("vectors"));
    assert_eq!(cached.name(), NAME);
    let texts = ["one", "three", "one", ""];
    let expect = [vector("one"), vector("three"), vector("one"), vec![0.0; 3]];
    assert_eq!(cached.embed(&texts).await.unwrap().vectors, expect);
    let again = cached.embed(&texts).await.unwrap();
    let nothing = Some(patchwright_protocol::Usage::default());
    assert_eq!((again.vectors.as_slice(), again.usage), (expect.as_slice(), nothing), "nobody was asked");
    assert_eq!(server.requests().len(), 1);

    // One is damaged, one is cut: only these are asked for again.
    let files = kept(folder.path());
    assert_eq!(files.len(), 2, "no temporary file is left: {files:?}");
    let mut bytes = fs::read(&files[0]).unwrap();
    bytes[20] ^= 1;
    fs::write(&files[0], &bytes).unwrap();
    fs::write(&files[1], &bytes[..10]).unwrap();
    assert_eq!(cached.embed(&texts).await.unwrap().vectors, expect);
    assert_eq!(cached.embed(&["seven", "one"]).await.unwrap().vectors, [vector("seven"), vector("one")]);
    let asked: Vec<usize> = server.close().await.iter().map(|request| request.texts().len()).collect();
    assert_eq!(asked.last(), Some(&1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_came_before_a_failure_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let texts: Vec<String> = (0..200).map(|number| format!("text {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let server = Server::start([answer(), Step::error(401, "", "no"), answer()]).await.unwrap();
    let cached = CachedEmbedder::new(embedder(&server, policy()).0, folder.path());
    assert!(matches!(cached.embed(&texts).await, Err(ModelError::WrongKey { .. })));
    let found = cached.embed(&texts).await.unwrap();
    assert!((by_cosine(&vector("text 7"), &found.vectors)[0].1 - 1.0).abs() < 1e-6);
    let sizes: Vec<usize> = server.close().await.iter().map(|request| request.texts().len()).collect();
    assert_eq!(sizes, [128, 72, 72]);
}
