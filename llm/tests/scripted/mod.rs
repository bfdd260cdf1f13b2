//! A service on this machine that answers from a script, over real HTTP: chat in all wire formats, whole or piece by piece as it is
//! asked, and embeddings.
//!
//! Tests of this crate and of the program go through it, so that what is exercised is the real client: its requests
//! are checked as the real services check them, and every fault a network and a service can have is a [`Step`].
//! An answer may also come from an asynchronous function ([`Server::answering`]), behind which may be anything: a
//! person, another process, another service.

pub mod check;
mod http;
mod render;

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use patchwright_protocol::ChatReply;
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// The type of a stream of events.
pub const EVENTS: &str = "text/event-stream";

/// The path for embeddings behind the base URL.
const EMBEDDINGS: &str = "/embeddings";

/// The wire formats that the server speaks.
#[derive(Clone, Copy)]
pub enum Format {
    /// OpenAI's Responses.
    Responses,
    /// OpenAI's chat completions, and embeddings.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

/// What the server does with one request.
pub enum Step {
    /// Answers with text.
    Answer {
        /// The text.
        text: String,
    },
    /// Answers with several texts, as a service does that was asked for several. Anthropic's format has room for the first.
    Answers {
        /// The texts.
        texts: Vec<String>,
    },
    /// Answers with one native call.
    ToolCall {
        /// The tool.
        name: String,
        /// The arguments as JSON text; need not be whole. Anthropic's format can only carry whole JSON: there, damaged
        /// arguments become a JSON string.
        arguments: String,
    },
    /// Answers with text that the token limit has cut.
    LengthStop {
        /// The part before the cut.
        text: String,
    },
    /// The model refuses.
    Refusal {
        /// What it says.
        text: String,
    },
    /// A well-formed answer without text and calls.
    Empty,
    /// Answers a question for embeddings.
    Vectors {
        /// One for each text.
        vectors: Vec<Vec<f32>>,
    },
    /// Any answer; without usage where it has none. The stop `no_choice` gives an empty list of choices.
    Reply(ChatReply),
    /// An error in the format's own shape.
    Error {
        /// HTTP status.
        status: u16,
        /// Further headers (`retry-after`).
        headers: Vec<(String, String)>,
        /// The service's word for it (`code` and `type`).
        kind: String,
        /// The service's sentence.
        message: String,
    },
    /// Any status, headers and body.
    Status {
        /// HTTP status.
        code: u16,
        /// Further headers.
        headers: Vec<(String, String)>,
        /// The body as it is.
        body: String,
    },
    /// Status 200 with a body that is sent as it is, piece by piece with a moment between them; then the connection is closed.
    Pieces {
        /// The type of the body.
        content_type: &'static str,
        /// How the body is packed, as its header says.
        encoding: &'static str,
        /// The pieces.
        pieces: Vec<Vec<u8>>,
        /// Is true if the connection stays open and silent after the last one.
        stalls: bool,
    },
    /// Answers whole, even where an answer in pieces is asked for.
    Whole(Box<Step>),
    /// Status 200 with a body that is not JSON.
    Malformed,
    /// Closes the connection in the middle of the body.
    Cut,
    /// Says nothing and keeps the connection open.
    Stall,
    /// Decided when the request is there.
    When(Box<dyn FnOnce(&ReceivedRequest) -> Step + Send>),
}

impl Step {
    /// [`Step::Answer`].
    pub fn answer(text: impl Into<String>) -> Self {
        Self::Answer { text: text.into() }
    }

    /// [`Step::ToolCall`].
    pub fn tool_call(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self::ToolCall { name: name.into(), arguments: arguments.into() }
    }

    /// [`Step::Pieces`] of a stream of events.
    pub fn pieces<P: Into<Vec<u8>>>(pieces: impl IntoIterator<Item = P>) -> Self {
        Self::Pieces {
            content_type: EVENTS,
            encoding: "identity",
            pieces: pieces.into_iter().map(Into::into).collect(),
            stalls: false,
        }
    }

    /// [`Step::Error`] without further headers.
    pub fn error(status: u16, kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Error { status, headers: Vec::new(), kind: kind.into(), message: message.into() }
    }
}

/// A request as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedRequest {
    /// Headers by lower-case name. Those that carry a key hold `(key)` in its place.
    pub headers: BTreeMap<String, String>,
    /// The body; null where it was not JSON.
    pub body: Value,
    /// Why it was answered with 400 in place of the next step, where it was not as the service demands.
    pub refused: Option<String>,
}

impl ReceivedRequest {
    /// The texts of all messages in order, system included; or the texts to be embedded.
    pub fn texts(&self) -> Vec<String> {
        render::texts(&self.body)
    }
}

type Answering = dyn Fn(ReceivedRequest) -> Pin<Box<dyn Future<Output = Step> + Send>> + Send + Sync;

/// A running server. Dropping it ends it; [`Server::close`] also waits for the end. Both panic where a request was not as the services
/// demand, since a client may go on without what was refused: [`Server::expecting_refusals`].
pub struct Server {
    address: SocketAddr,
    expects_refusals: bool,
    shared: Arc<Shared>,
    listening: JoinHandle<()>,
}

struct Shared {
    script: Mutex<Script>,
    answering: Option<Box<Answering>>,
}

#[derive(Default)]
struct Script {
    steps: VecDeque<Step>,
    recorded: Vec<ReceivedRequest>,
}

impl Server {
    /// Serves these steps, one for each well-formed request in the order of arrival. After the last one every request
    /// is refused with status 400.
    ///
    /// # Errors
    /// No port can be had.
    pub async fn start(steps: impl IntoIterator<Item = Step>) -> io::Result<Self> {
        Self::listen(steps.into_iter().collect(), None).await
    }

    /// Serves what `answer` gives for each well-formed request; several may be under way at once.
    ///
    /// # Errors
    /// No port can be had.
    pub async fn answering<F, A>(answer: F) -> io::Result<Self>
    where
        F: Fn(ReceivedRequest) -> A + Send + Sync + 'static,
        A: Future<Output = Step> + Send + 'static,
    {
        Self::listen(VecDeque::new(), Some(Box::new(move |request| Box::pin(answer(request))))).await
    }

    async fn listen(steps: VecDeque<Step>, answering: Option<Box<Answering>>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let script = Mutex::new(Script { steps, recorded: Vec::new() });
        let shared = Arc::new(Shared { script, answering });
        let listening = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self { address, expects_refusals: false, shared, listening })
    }

    /// The same server for a test that sends invalid requests on purpose.
    #[must_use]
    pub fn expecting_refusals(mut self) -> Self {
        self.expects_refusals = true;
        self
    }

    /// The base URL to connect to, for either format.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.shared.script().recorded.clone()
    }

    /// How many steps have not been used.
    pub fn steps_left(&self) -> usize {
        self.shared.script().steps.len()
    }

    /// Ends the server with all its connections and gives the requests.
    pub async fn close(mut self) -> Vec<ReceivedRequest> {
        self.listening.abort();
        // The one error there is says that the task was ended, which was asked for.
        let _ended = (&mut self.listening).await;
        self.requests()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.listening.abort();
        if !self.expects_refusals && !std::thread::panicking() {
            let refused = self.requests().into_iter().find(|request| request.refused.is_some());
            assert!(refused.is_none(), "a request is not as the services demand: {refused:?}");
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Shared {
    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the request and finds out what to do with it.
    async fn step(&self, request: ReceivedRequest) -> Step {
        if let Some(problem) = request.refused.clone() {
            self.script().recorded.push(request);
            return Step::error(400, "invalid_request_error", problem);
        }
        let mut step = if let Some(answer) = &self.answering {
            self.script().recorded.push(request.clone());
            answer(request.clone()).await
        } else {
            let mut script = self.script();
            script.recorded.push(request.clone());
            script
                .steps
                .pop_front()
                .unwrap_or_else(|| Step::error(400, "script", "the script has no more steps"))
        };
        while let Step::When(decide) = step {
            step = decide(&request);
        }
        step
    }
}

/// Accepts connections until it is ended; they end with it.
async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(serve(stream, Arc::clone(&shared)));
        while connections.try_join_next().is_some() {}
    }
}

/// Serves one request. A client that goes away is none of the server's trouble.
async fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
    let Ok(request) = http::read(&mut stream).await else { return };
    let sent = match format_of(&request) {
        None => {
            let body = b"404 page not found";
            http::write(&mut stream, 404, &[], body.len(), body).await
        }
        Some(format) => {
            let recorded = record(format, request);
            let body = recorded.body.clone();
            let input = render::tokens(&recorded.texts());
            match shared.step(recorded).await {
                Step::Stall => http::until_closed(&mut stream).await,
                Step::Pieces { content_type, encoding, pieces, stalls } => {
                    let sent = http::write_pieces(&mut stream, content_type, encoding, &pieces).await;
                    if stalls && sent.is_ok() { http::until_closed(&mut stream).await } else { sent }
                }
                Step::Whole(step) => {
                    let (status, headers, body) = render::response(format, *step, &body, input);
                    http::write(&mut stream, status, &headers, body.len(), &body).await
                }
                step => {
                    let is_raw = matches!(step, Step::Status { .. } | Step::Malformed | Step::Vectors { .. });
                    let is_cut = matches!(step, Step::Cut);
                    let step = if is_cut { Step::answer("cut off") } else { step };
                    let (status, headers, whole) = render::response(format, step, &body, input);
                    let is_streamed = status == 200 && body["stream"] == true && !is_raw;
                    let pieces = is_streamed.then(|| render::pieces(format, &whole, &body)).flatten();
                    if let Some(mut pieces) = pieces {
                        if is_cut {
                            pieces.truncate(pieces.len() / 2);
                        }
                        http::write_pieces(&mut stream, EVENTS, "identity", &pieces).await
                    } else {
                        let sent = if is_cut { &whole[..whole.len() / 2] } else { &whole };
                        http::write(&mut stream, status, &headers, whole.len(), sent).await
                    }
                }
            }
        }
    };
    if let Err(error) = sent {
        tracing::debug!(%error, "the client went away");
    }
}

fn format_of(request: &http::Request) -> Option<Format> {
    match request.target.strip_prefix("/v1").filter(|_| request.method == "POST")? {
        "/responses" => Some(Format::Responses),
        "/chat/completions" | EMBEDDINGS => Some(Format::OpenAi),
        "/messages" => Some(Format::Anthropic),
        _ => None,
    }
}

fn record(format: Format, request: http::Request) -> ReceivedRequest {
    let body = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
    let refused = if request.target.ends_with(EMBEDDINGS) {
        check::embeddings_problem(&request.headers, &body)
    } else {
        check::problem(format, &request.headers, &body)
    };
    let mut headers = request.headers;
    for (name, value) in &mut headers {
        if matches!(name.as_str(), "authorization" | "x-api-key") {
            "(key)".clone_into(value);
        }
    }
    ReceivedRequest { headers, body, refused }
}
