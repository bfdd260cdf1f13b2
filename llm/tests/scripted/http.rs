//! As much of HTTP/1.1 as one client on the same machine needs: one request per connection.

use std::collections::BTreeMap;
use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The longest request line with headers, in bytes.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// The longest body, in bytes.
const MAX_BODY_BYTES: usize = 64 << 20;

/// A request as it came over the wire.
pub(super) struct Request {
    pub method: String,
    pub target: String,
    /// By lower-case name.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

/// Reads one request whole.
pub(super) async fn read(stream: &mut TcpStream) -> io::Result<Request> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(position) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break position;
        }
        if bytes.len() > MAX_HEAD_BYTES || stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
    };
    let mut body = bytes.split_off(head_end + 4);
    let head = String::from_utf8_lossy(&bytes);
    let mut lines = head.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_lowercase(), value.trim().to_owned()))
        .collect();
    let length: usize = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    if length > MAX_BODY_BYTES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    while body.len() < length {
        if stream.read_buf(&mut body).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(Request { method, target, headers, body })
}

/// Writes a response and ends the connection; `body` may break off before the length that is told.
pub(super) async fn write(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(String, String)],
    length: usize,
    body: &[u8],
) -> io::Result<()> {
    stream.write_all(head(status, headers, length).as_bytes()).await?;
    stream.write_all(body).await?;
    stream.shutdown().await
}

/// Writes a response whose end is that of the connection, piece by piece.
pub(super) async fn write_pieces(
    stream: &mut TcpStream,
    content_type: &str,
    encoding: &str,
    pieces: &[Vec<u8>],
) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 200 Scripted\r\ncontent-type: {content_type}\r\ncontent-encoding: {encoding}\r\nconnection: close\r\n\r\n"
    );
    stream.set_nodelay(true)?;
    stream.write_all(head.as_bytes()).await?;
    for piece in pieces {
        stream.write_all(piece).await?;
        stream.flush().await?;
        // What is written at once may arrive as one.
        tokio::task::yield_now().await;
    }
    Ok(())
}

/// Waits until the client has gone.
pub(super) async fn until_closed(stream: &mut TcpStream) -> io::Result<()> {
    let mut rest = Vec::new();
    while stream.read_buf(&mut rest).await? > 0 {
        rest.clear();
    }
    Ok(())
}

fn head(status: u16, headers: &[(String, String)], length: usize) -> String {
    use std::fmt::Write as _;

    let mut head = format!("HTTP/1.1 {status} Scripted\r\ncontent-length: {length}\r\nconnection: close\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        head.push_str("content-type: application/json\r\n");
    }
    for (name, value) in headers {
        // Writing to a string cannot fail.
        let _written = write!(head, "{name}: {value}\r\n");
    }
    head.push_str("\r\n");
    head
}
