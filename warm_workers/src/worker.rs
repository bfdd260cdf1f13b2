//! A worker: a long command in a lane, which answers requests through two pipes.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use patchwright_lanes::Lane;
use patchwright_sandbox::{Command, CommandOutcome, Exit, Sandbox, SandboxError};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::pipe;

use super::protocol::{Reply, ReplyStatus, Request};

/// A reply is never longer than this.
const REPLY_BYTES: u64 = 16 << 20;
/// The time in which a reply may come after the time limit that the worker keeps itself.
const GRACE: Duration = Duration::from_secs(5);
/// The time for which a last reply is waited for when the worker has ended.
const LAST_WORDS: Duration = Duration::from_millis(100);
/// The status of a worker that answered all it was asked and is to be replaced.
const REPLACE_ME: i32 = 75;

type Running = Pin<Box<dyn Future<Output = Result<CommandOutcome, SandboxError>> + Send>>;

/// A running worker. Dropping it ends it, with all that it started.
pub(super) struct Worker {
    /// `None` once it has ended.
    running: Option<Running>,
    requests: pipe::Sender,
    replies: BufReader<pipe::Receiver>,
    /// The number of the next request.
    pub(super) next: u64,
    /// Is true if it has said that it ends.
    pub(super) is_ending: bool,
}

/// Why there is no reply.
#[derive(Debug, thiserror::Error)]
pub(super) enum WorkerError {
    /// It had to be replaced: nothing is known of the request.
    #[error("the worker is to be replaced")]
    Replace,
    /// It has ended.
    #[error("the worker ended with {0}")]
    Ended(String),
    /// It does not answer.
    #[error("the worker does not answer")]
    Silent,
    /// Its reply cannot be read.
    #[error("the worker's reply cannot be read: {0}")]
    Unreadable(String),
    /// It says that it cannot do its work here.
    #[error("{0}")]
    Refuses(String),
    /// The pipes do not work.
    #[error("the pipes to the worker: {0}")]
    Io(#[from] io::Error),
    /// The sandbox does not work.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

impl Worker {
    /// Starts a worker in a lane that is equal to the pristine copy, and waits until it is ready.
    pub(super) async fn start(
        sandbox: Arc<dyn Sandbox>,
        lane: &Lane,
        command: Command,
        limit: Duration,
    ) -> Result<Self, WorkerError> {
        let out = lane.out().map_err(io::Error::other)?;
        let pipe = |name| out.pipe(name).map_err(io::Error::from);
        let requests = pipe::Sender::from_file(pipe("requests")?)?;
        let replies = BufReader::new(pipe::Receiver::from_file(pipe("replies")?)?);
        let root = lane.place().to_owned();
        let running: Running = Box::pin(async move { sandbox.run(&root, &command).await });
        let mut worker = Self { running: Some(running), requests, replies, next: 1, is_ending: false };
        let reply = worker.hear(0, limit).await?;
        match reply.status {
            ReplyStatus::Ready => Ok(worker),
            ReplyStatus::Done | ReplyStatus::DoesNotCompile | ReplyStatus::TimedOut | ReplyStatus::Cannot => {
                Err(WorkerError::Refuses(reply.log))
            }
        }
    }

    /// Asks, and waits for the reply a little longer than the worker may take.
    pub(super) async fn ask(&mut self, request: &Request<'_>) -> Result<Reply, WorkerError> {
        self.next = request.id + 1;
        let mut line =
            serde_json::to_vec(request).map_err(|error| WorkerError::Unreadable(error.to_string()))?;
        line.push(b'\n');
        let limit = Duration::from_secs_f64(request.seconds.max(0.0)) + GRACE;
        let written = tokio::select! {
            biased;
            ended = end(&mut self.running) => return Err(ended),
            written = tokio::time::timeout(limit, self.requests.write_all(&line)) => written,
        };
        written.map_err(|_| WorkerError::Silent)??;
        let reply = self.hear(request.id, limit).await?;
        self.is_ending |= reply.ending;
        Ok(reply)
    }

    /// Waits for the reply with this number; others are of requests that were given up.
    async fn hear(&mut self, id: u64, limit: Duration) -> Result<Reply, WorkerError> {
        let ended = tokio::select! {
            biased;
            reply = reply_to(&mut self.replies, id) => return reply,
            ended = end(&mut self.running) => ended,
            () = tokio::time::sleep(limit) => return Err(WorkerError::Silent),
        };
        // A worker may answer and end.
        let last = tokio::time::timeout(LAST_WORDS, reply_to(&mut self.replies, id)).await;
        last.unwrap_or(Err(ended))
    }
}

/// Waits for the end of the worker.
async fn end(running: &mut Option<Running>) -> WorkerError {
    let Some(future) = running else { return WorkerError::Replace };
    let ended = future.await;
    *running = None;
    ended.map_or_else(WorkerError::from, |outcome| ending(&outcome))
}

async fn reply_to(replies: &mut BufReader<pipe::Receiver>, id: u64) -> Result<Reply, WorkerError> {
    loop {
        let mut line = Vec::new();
        replies.take(REPLY_BYTES).read_until(b'\n', &mut line).await?;
        let unreadable = |error: serde_json::Error| WorkerError::Unreadable(error.to_string());
        let reply: Reply = serde_json::from_slice(&line).map_err(unreadable)?;
        if reply.id == id {
            return Ok(reply);
        }
    }
}

fn ending(outcome: &CommandOutcome) -> WorkerError {
    WorkerError::Ended(match outcome.exit {
        Exit::Code(REPLACE_ME) | Exit::TimedOut => return WorkerError::Replace,
        Exit::Code(code) => {
            let said = outcome.stderr.text();
            let last = said.trim_end().lines().last().unwrap_or_default();
            format!("status {code}: {last}")
        }
        Exit::Signal(_) if outcome.out_of_disk => "more on the disk than it may write".to_owned(),
        Exit::Signal(_) if outcome.out_of_memory => "more memory than it may use".to_owned(),
        Exit::Signal(signal) => format!("signal {signal}"),
    })
}
