//! A body that is a stream of events (`text/event-stream`, HTML standard § 9.2.6).

use std::io::Cursor;

use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};
use sse_stream::{Error, Sse, SseByteStream};

use crate::ModelError;
use crate::transport::Body;

/// How events, their comments included, begin.
const BEGINNINGS: [&str; 4] = ["data:", "event:", "id:", ":"];

/// The events of a body.
pub(crate) struct Events(BoxStream<'static, Result<Sse, Error>>);

/// A failure of the connection within a stream.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Broken(ModelError);

impl Events {
    /// Reads events from a body whose first bytes have been read.
    pub fn new(first: Vec<u8>, body: Body) -> Self {
        let rest =
            stream::try_unfold(
                body,
                |mut body| async move { Ok(body.next().await?.map(|piece| (piece, body))) },
            );
        let pieces = stream::once(async { Ok(first) }).chain(rest).map_ok(Cursor::new).map_err(Broken);
        Self(SseByteStream::new(Box::pin(pieces)).boxed())
    }

    /// The data of the next event that has any; `None` at the end.
    ///
    /// # Errors
    /// The connection broke or was silent for too long, or the bytes are no text.
    pub async fn next(&mut self) -> Result<Option<String>, ModelError> {
        while let Some(event) = self.0.next().await {
            let data = event.map_err(broken)?.data.filter(|data| !data.trim().is_empty());
            if data.is_some() {
                return Ok(data);
            }
        }
        Ok(None)
    }
}

/// Whether a body with this type, or these first bytes, is a stream of events: some services name another type.
pub(crate) fn is_event_stream(content_type: &str, first: &[u8]) -> bool {
    let first = first.trim_ascii_start();
    content_type.starts_with("text/event-stream")
        || BEGINNINGS.iter().any(|beginning| first.starts_with(beginning.as_bytes()))
}

fn broken(error: Error) -> ModelError {
    match error {
        Error::Body(error) => match error.downcast::<Broken>() {
            Ok(broken) => broken.0,
            Err(error) => ModelError::cut(error.to_string()),
        },
        other => {
            let problem = format!("its events cannot be read: {other}");
            ModelError::BadAnswer { problem, excerpt: String::new() }
        }
    }
}
