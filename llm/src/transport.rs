//! One HTTP request and its answer: addresses, time-outs, the key's header, and what breaks on the way.

use std::error::Error;
use std::io::Write;
use std::net::IpAddr;
use std::sync::Once;
use std::time::Duration;

use flate2::write::MultiGzDecoder;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Url, redirect};
use serde_json::Value;

use crate::wire::WireFormat;
use crate::{ModelError, RetryPolicy, Secret};

/// The longest answer that is read, in bytes: far above any model's, far below the memory.
const MAX_ANSWER_BYTES: usize = 32 << 20;

/// Connections that were idle for longer are not used again: something in between may have dropped them.
const IDLE: Duration = Duration::from_secs(30);

/// The time between probes of a silent connection, so that a long wait for an answer does not look dead on the way.
const PROBE: Duration = Duration::from_secs(30);

/// The only packing of a body that is read.
const GZIP: &str = "gzip";

/// A connection to one service.
pub(crate) struct Transport {
    client: Client,
    headers: HeaderMap,
    connect_timeout: Duration,
    answer_timeout: Duration,
    stall_timeout: Duration,
    origin: String,
    loopback: bool,
}

/// An HTTP answer, whatever its status, whose body is still to come.
pub(crate) struct HttpAnswer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Body,
}

/// The body of an answer, of which `read` bytes have come.
pub(crate) struct Body {
    response: reqwest::Response,
    /// What unpacks it, where it is packed: a proxy may do that unasked.
    unpacking: Option<MultiGzDecoder<Vec<u8>>>,
    read: usize,
    stall_timeout: Duration,
}

impl HttpAnswer {
    /// The way in which the body is packed, where it is one that is not read.
    pub fn encoding(&self) -> Option<&str> {
        encoding(&self.headers).filter(|encoding| !is_gzip(encoding))
    }

    /// The type of the body, as the service names it.
    pub fn content_type(&self) -> &str {
        self.headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

impl Body {
    /// The next piece of the body; `None` at its end.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        let stalled = || ModelError::Timeout { what: "the rest of the answer", after: self.stall_timeout };
        let chunk =
            tokio::time::timeout(self.stall_timeout, self.response.chunk()).await.map_err(|_| stalled())?;
        let cut = |error: reqwest::Error| ModelError::cut(causes(&error.without_url()));
        let Some(chunk) = chunk.map_err(cut)? else { return Ok(None) };
        let bad = |problem: String| ModelError::BadAnswer { problem, excerpt: String::new() };
        let piece = match &mut self.unpacking {
            None => chunk.to_vec(),
            Some(unpacking) => {
                let damaged =
                    |error: std::io::Error| bad(format!("it is packed as {GZIP} and damaged: {error}"));
                unpacking.write_all(&chunk).and_then(|()| unpacking.flush()).map_err(damaged)?;
                std::mem::take(unpacking.get_mut())
            }
        };
        self.read += piece.len();
        if self.read > MAX_ANSWER_BYTES {
            return Err(bad(format!("it is longer than {MAX_ANSWER_BYTES} bytes")));
        }
        Ok(Some(piece))
    }

    /// The rest of the body behind `body`.
    pub async fn rest(&mut self, mut body: Vec<u8>) -> Result<Vec<u8>, ModelError> {
        while let Some(mut piece) = self.next().await? {
            body.append(&mut piece);
        }
        Ok(body)
    }
}

impl Transport {
    /// Prepares requests to the service of `url`; nothing is sent yet.
    pub fn new(
        url: &Url,
        format: WireFormat,
        key: Option<&Secret>,
        policy: &RetryPolicy,
    ) -> Result<Self, ModelError> {
        install_crypto();
        let mut headers = HeaderMap::new();
        for (name, value) in format.headers() {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        if let Some(key) = key {
            let (name, prefix) = format.key_header();
            let mut value = HeaderValue::try_from(format!("{prefix}{}", key.expose())).map_err(|_| {
                ModelError::BadKey {
                    place: name.to_owned(),
                    problem: "it does not fit into a header".to_owned(),
                }
            })?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_static(name), value);
        }
        let loopback = is_loopback(url);
        let mut builder = Client::builder()
            .user_agent(concat!("patchwright/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(policy.connect_timeout)
            .tcp_keepalive(PROBE)
            .pool_idle_timeout(IDLE)
            // A redirect would carry the key to an address that nobody named.
            .redirect(redirect::Policy::none());
        if loopback {
            builder = builder.no_proxy();
        }
        if url.scheme() == "http" {
            // No certificates needed: works on a machine that has none.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|error| ModelError::Unreachable {
            url: shown(url),
            problem: format!("no secure connection can be made: {}", causes(&error)),
        })?;
        let RetryPolicy { connect_timeout, answer_timeout, stall_timeout, .. } = *policy;
        let origin = shown(url);
        Ok(Self { client, headers, connect_timeout, answer_timeout, stall_timeout, origin, loopback })
    }

    /// Is true if the service is on this machine.
    pub fn is_loopback(&self) -> bool {
        self.loopback
    }

    /// Sends `body`; the answer's own body is still to be read.
    pub async fn post(&self, url: &Url, body: &Value) -> Result<HttpAnswer, ModelError> {
        self.answer(self.client.post(url.clone()).json(body)).await
    }

    /// Asks for what lies at another address of the service.
    pub async fn get(&self, url: &Url) -> Result<HttpAnswer, ModelError> {
        self.answer(self.client.get(url.clone())).await
    }

    async fn answer(&self, request: RequestBuilder) -> Result<HttpAnswer, ModelError> {
        let sent = request.headers(self.headers.clone()).send();
        let late = |_| ModelError::Timeout { what: "the answer", after: self.answer_timeout };
        let response = tokio::time::timeout(self.answer_timeout, sent).await.map_err(late)?;
        let response = response.map_err(|error| self.failure(error))?;
        let headers = response.headers().clone();
        let is_packed = encoding(&headers).is_some_and(is_gzip);
        let unpacking = is_packed.then(|| MultiGzDecoder::new(Vec::new()));
        Ok(HttpAnswer {
            status: response.status().as_u16(),
            headers,
            body: Body { response, unpacking, read: 0, stall_timeout: self.stall_timeout },
        })
    }

    /// The error that a failure of the connection is.
    fn failure(&self, error: reqwest::Error) -> ModelError {
        let (connect, timeout) = (error.is_connect(), error.is_timeout());
        let problem = causes(&error.without_url());
        match (connect, timeout) {
            (true, true) => ModelError::Timeout { what: "connecting", after: self.connect_timeout },
            (true, false) => ModelError::Unreachable { url: self.origin.clone(), problem },
            (false, _) => ModelError::cut(problem),
        }
    }
}

/// The address that requests go to, from a base URL: `path` is put behind it, and `/v1` between where it has no path.
pub(crate) fn endpoint(base: &str, path: &str) -> Result<Url, ModelError> {
    let bad = |problem: &str| ModelError::BadBaseUrl { problem: problem.to_owned() };
    let mut url = Url::parse(base.trim()).map_err(|error| bad(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(bad("it does not begin with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("it holds a user name or password; keys come from the environment"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(bad("it holds a `?` or `#`"));
    }
    let own = url.path().trim_end_matches('/');
    let own = if own.is_empty() { "/v1" } else { own };
    // People paste the whole address as often as its base.
    let base = WireFormat::ALL.iter().find_map(|format| own.strip_suffix(format.path())).unwrap_or(own);
    let base = base.strip_suffix(path).unwrap_or(base);
    let whole = format!("{base}{path}");
    url.set_path(&whole);
    Ok(url)
}

/// The way in which a body is packed, where it is.
fn encoding(headers: &HeaderMap) -> Option<&str> {
    let encoding = headers.get("content-encoding")?.to_str().ok()?;
    Some(encoding).filter(|encoding| *encoding != "identity")
}

/// Whether a content coding is gzip, which has two names (RFC 9110 § 8.4.1).
fn is_gzip(encoding: &str) -> bool {
    encoding.eq_ignore_ascii_case(GZIP) || encoding.eq_ignore_ascii_case("x-gzip")
}

/// Is true if the host is this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// Scheme, host and port: what an error names.
fn shown(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// The error with its causes, each said once.
fn causes(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        cause = error.source();
    }
    text
}

/// The process's TLS needs its cryptography named once, before the first client. Another part of the program may
/// have done so already, which is as good.
fn install_crypto() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if rustls::crypto::ring::default_provider().install_default().is_err() {
            tracing::debug!("a cryptography provider was installed before");
        }
    });
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_made_from_base_urls() {
        let check =
            |base: &str, expect: Result<&str, &str>| match (endpoint(base, "/chat/completions"), expect) {
                (Ok(url), Ok(expect)) => assert_eq!(url.as_str(), expect, "{base}"),
                (Err(error), Err(expect)) => {
                    let error = error.to_string();
                    assert!(error.contains(expect), "{base}: {error}");
                    assert!(!error.contains("hunter2"), "{error}");
                }
                (found, _) => panic!("{base}: {found:?}"),
            };
        check("https://api.openai.com/v1", Ok("https://api.openai.com/v1/chat/completions"));
        check("http://localhost:11434", Ok("http://localhost:11434/v1/chat/completions"));
        check("http://localhost:11434/", Ok("http://localhost:11434/v1/chat/completions"));
        check(" https://host/openai/v1/ ", Ok("https://host/openai/v1/chat/completions"));
        check("https://host/v1/chat/completions", Ok("https://host/v1/chat/completions"));
        check("localhost:8080", Err("http://"));
        check("host/v1", Err("relative URL"));
        check("file:///etc/passwd", Err("http://"));
        check("https://me:hunter2@host/v1", Err("password"));
        check("https://host/v1?key=hunter2", Err("`?`"));
        check("", Err("relative URL"));
    }

    #[test]
    fn loopback_is_known() {
        let check = |url: &str, expect: bool| assert_eq!(is_loopback(&url.parse().unwrap()), expect, "{url}");
        check("http://localhost:1/v1", true);
        check("http://127.0.0.1:1/v1", true);
        check("http://127.8.0.1/", true);
        check("http://[::1]:8080/", true);
        check("http://192.168.0.1/", false);
        check("https://localhost.example.com/", false);
    }

    #[test]
    fn a_client_for_https_can_be_built_without_any_preparation() {
        let url = endpoint("https://127.0.0.1:1", "/messages").unwrap();
        Transport::new(&url, WireFormat::Messages, Some(&Secret::new("key")), &RetryPolicy::default())
            .unwrap();
    }
}
