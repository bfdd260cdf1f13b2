//! The real client against the scripted service, over real HTTP: every answer and every fault, in each format.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::needless_pass_by_value, reason = "`json!(…)` reads best as it is")]

#[path = "it/answers.rs"]
mod answers;
#[path = "it/demands.rs"]
mod demands;
#[path = "it/embeddings.rs"]
mod embeddings;
#[path = "it/faults.rs"]
mod faults;
#[path = "it/samples.rs"]
mod samples;
mod scripted;
#[path = "it/setup.rs"]
mod setup;
#[path = "it/shapes.rs"]
mod shapes;
#[path = "it/streams.rs"]
mod streams;
#[path = "it/turns.rs"]
mod turns;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use patchwright_llm::{
    AnswerProgress, ChatModel, ChatRequest, KeySource, ModelError, ModelNotice, RetryNotice, RetryPolicy,
    connect,
};
use patchwright_protocol::{ChatReply, Message, Role};
use scripted::{ReceivedRequest, Server, Step};

/// One model per format: Responses, messages, chat completions.
const EACH: [&str; 3] = ["openai/gpt-4.1", "anthropic/claude-sonnet-4-5", "compatible/qwen3"];
/// That of the format which most services speak.
const CHAT: &str = EACH[2];

/// A key as the services hand them out; nothing that is told may hold it.
const KEY: &str = "sk-test-0123456789abcdef";

/// Six tries without waits worth mentioning.
fn policy() -> RetryPolicy {
    RetryPolicy {
        first_wait: Duration::from_millis(1),
        longest_wait: Duration::from_millis(2),
        answer_timeout: Duration::from_secs(20),
        stall_timeout: Duration::from_secs(20),
        ..RetryPolicy::default()
    }
}

fn keys() -> KeySource {
    KeySource::fixed(["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "PATCHWRIGHT_API_KEY"].map(|name| (name, KEY)))
}

fn message(role: Role, text: &str) -> Message {
    Message::new(role, text)
}

fn request() -> ChatRequest {
    ChatRequest {
        messages: vec![message(Role::System, "You repair programs."), message(Role::User, "Go on.")],
        max_output_tokens: 100,
        temperature: Some(0.2),
        ..ChatRequest::default()
    }
}

/// A model connected to a server, with what it tells.
struct Connected {
    model: Arc<dyn ChatModel>,
    notices: Arc<Mutex<Vec<ModelNotice>>>,
}

impl Connected {
    fn new(name: &str, base_url: &str, policy: RetryPolicy) -> Self {
        let notices = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&notices);
        let notify = move |notice| told.lock().unwrap().push(notice);
        let model = connect(&name.parse().unwrap(), Some(base_url), &keys(), policy, notify).unwrap();
        Self { model, notices }
    }

    /// What was asked again.
    fn notices(&self) -> Vec<RetryNotice> {
        let retry = |notice: &ModelNotice| match notice {
            ModelNotice::Retry(retry) => Some(retry.clone()),
            ModelNotice::Progress(_) => None,
        };
        self.notices.lock().unwrap().iter().filter_map(retry).collect()
    }

    /// How often it was told that more of an answer is there, and how much in the end.
    fn progress(&self) -> (usize, AnswerProgress) {
        let progress = |notice: &ModelNotice| match notice {
            ModelNotice::Retry(_) => None,
            ModelNotice::Progress(progress) => Some(*progress),
        };
        let told: Vec<AnswerProgress> = self.notices.lock().unwrap().iter().filter_map(progress).collect();
        (told.len(), told.last().copied().unwrap_or_default())
    }
}

/// What came of one question.
struct Outcome {
    result: Result<ChatReply, ModelError>,
    notices: Vec<RetryNotice>,
    requests: Vec<ReceivedRequest>,
    steps_left: usize,
}

/// Asks one question of a server that follows these steps.
async fn ask(name: &str, steps: impl IntoIterator<Item = Step>, policy: RetryPolicy) -> Outcome {
    let server = Server::start(steps).await.unwrap();
    let connected = Connected::new(name, &server.base_url(), policy);
    let result = connected.model.complete(&request()).await;
    let steps_left = server.steps_left();
    Outcome { result, notices: connected.notices(), requests: server.close().await, steps_left }
}
