//! Waits before asking again, and when to give up.

use std::time::{Duration, SystemTime};

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use reqwest::header::HeaderMap;

use crate::ModelError;

/// Tries of an address that cannot be connected to: a name that is wrong stays wrong.
const CONNECT_TRIES: u32 = 3;
/// Requests for an answer that can be read.
const UNREADABLE_TRIES: u32 = 2;

/// The patience of the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Requests sent for one question at most; 1 = no retries.
    pub tries: u32,
    /// The first wait; each further one is twice as long, plus a random part of up to as much again.
    pub first_wait: Duration,
    /// The longest single wait that the client chooses by itself. What a service asks for may be longer.
    pub longest_wait: Duration,
    /// All waits for one question together, tries that timed out included. A service that asks for more is not
    /// waited for.
    pub total_wait: Duration,
    /// The time for connecting.
    pub connect_timeout: Duration,
    /// The time until an answer begins. A local server may read a long prompt for minutes before it says anything.
    pub answer_timeout: Duration,
    /// The time without a byte once it has begun.
    pub stall_timeout: Duration,
}

impl Default for RetryPolicy {
    /// Six tries, waits from 1 s to 60 s, 15 minutes altogether; 20 s to connect, 10 minutes until an answer begins, 3 minutes without a
    /// byte of it.
    fn default() -> Self {
        Self {
            tries: 6,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_mins(1),
            total_wait: Duration::from_mins(15),
            connect_timeout: Duration::from_secs(20),
            answer_timeout: Duration::from_mins(10),
            stall_timeout: Duration::from_mins(3),
        }
    }
}

/// Told before a request is sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryNotice {
    /// The full name of the model.
    pub model: String,
    /// Which request failed, from 1.
    pub attempt: u32,
    /// The wait before the next; zero where the request was changed to what the model accepts.
    pub wait: Duration,
    /// The error, free of keys.
    pub reason: String,
    /// What had come of the answer before it broke off.
    pub received: String,
}

/// What a client tells while it waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelNotice {
    /// A request is sent again.
    Retry(RetryNotice),
    /// More of an answer is there.
    Progress(AnswerProgress),
}

/// How much of an answer is there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AnswerProgress {
    /// Bytes of reasoning.
    pub reasoning: u64,
    /// Bytes of text and calls.
    pub answer: u64,
}

/// The service's advice about asking again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RetryAdvice {
    /// The time to wait.
    pub wait: Option<Duration>,
    /// Asking again helps, or does not, where it said so outright.
    pub again: Option<bool>,
}

impl RetryAdvice {
    /// Reads `retry-after-ms`, `retry-after` (seconds or a date) and `x-should-retry`.
    pub fn of(headers: &HeaderMap, now: SystemTime) -> Self {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
        let milliseconds = text("retry-after-ms")
            .and_then(|value| value.parse().ok())
            .map(|ms: f64| ms / 1000.0)
            .and_then(seconds);
        let wait = milliseconds.or_else(|| text("retry-after").and_then(|value| wait_of(value, now)));
        let again = text("x-should-retry").and_then(|value| value.parse().ok());
        Self { wait, again }
    }
}

/// A `Retry-After` value: seconds, or an HTTP date (a past one means now).
fn wait_of(value: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(number) = value.parse() {
        return seconds(number);
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or(Duration::ZERO))
}

fn seconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number).ok()
}

/// The waits between the tries of one request.
pub(crate) struct Backoff {
    tries: u32,
    failed: u32,
    left: Duration,
    own: ExponentialBackoff,
    longest: Duration,
}

impl Backoff {
    pub fn new(policy: &RetryPolicy) -> Self {
        let own = ExponentialBuilder::new()
            .with_jitter()
            .with_min_delay(policy.first_wait)
            .with_max_delay(policy.longest_wait)
            .without_max_times()
            .build();
        Self { tries: policy.tries, failed: 0, left: policy.total_wait, own, longest: policy.longest_wait }
    }

    /// Which request failed last, from 1.
    pub fn failed(&self) -> u32 {
        self.failed
    }

    /// After a request that failed and took `took`: how long to wait before the next, or `None` to give up.
    pub fn after(
        &mut self,
        error: &ModelError,
        advice: RetryAdvice,
        took: Duration,
        loopback: bool,
    ) -> Option<Duration> {
        self.failed += 1;
        if !advice.again.unwrap_or(true) || self.failed >= tries_for(error, loopback).min(self.tries) {
            return None;
        }
        if matches!(error, ModelError::Timeout { .. }) {
            self.left = self.left.checked_sub(took)?;
        }
        let own = self.own.next()?.min(self.longest);
        let wait = advice.wait.unwrap_or(own);
        self.left = self.left.checked_sub(wait)?;
        Some(wait)
    }
}

/// The number of times that a request may fail in this way.
fn tries_for(error: &ModelError, loopback: bool) -> u32 {
    match error {
        ModelError::Timeout { .. }
        | ModelError::Cut { .. }
        | ModelError::RateLimited { .. }
        | ModelError::Unavailable { .. } => u32::MAX,
        // A server on this machine is there or is not.
        ModelError::Unreachable { .. } if loopback => 1,
        ModelError::Unreachable { .. } => CONNECT_TRIES,
        // What cannot be read was paid for: it is bought once more, as models rarely fail twice in the same way.
        ModelError::BadAnswer { .. } => UNREADABLE_TRIES,
        ModelError::BrokenCall { .. }
        | ModelError::BadName { .. }
        | ModelError::BadBaseUrl { .. }
        | ModelError::NoKey { .. }
        | ModelError::BadKey { .. }
        | ModelError::WrongKey { .. }
        | ModelError::Quota { .. }
        | ModelError::ModelNotFound { .. }
        | ModelError::ContextTooLong { .. }
        | ModelError::Refused { .. } => 1,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn advice_is_read_from_headers() {
        // Sun, 06 Nov 1994 08:49:37 GMT
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let check = |pairs: &[(&'static str, &'static str)], wait: Option<u64>, again: Option<bool>| {
            let expect = RetryAdvice { wait: wait.map(Duration::from_millis), again };
            assert_eq!(RetryAdvice::of(&headers(pairs), now), expect, "{pairs:?}");
        };
        check(&[], None, None);
        check(&[("retry-after", "7")], Some(7000), None);
        check(&[("retry-after", " 0.5 ")], Some(500), None);
        check(&[("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")], Some(30_000), None);
        check(&[("retry-after", "Sun, 06 Nov 1994 08:49:00 GMT")], Some(0), None);
        check(&[("retry-after", "Sunday, 06-Nov-94 08:49:47 GMT")], Some(10_000), None);
        check(&[("retry-after", "-1")], None, None);
        check(&[("retry-after", "NaN")], None, None);
        check(&[("retry-after", "1e300")], None, None);
        check(&[("retry-after", "soon")], None, None);
        check(&[("retry-after-ms", "1500"), ("retry-after", "2")], Some(1500), None);
        check(&[("retry-after-ms", "x"), ("retry-after", "2")], Some(2000), None);
        check(&[("x-should-retry", "false")], None, Some(false));
        check(&[("x-should-retry", "true"), ("retry-after", "1")], Some(1000), Some(true));
    }

    fn policy() -> RetryPolicy {
        RetryPolicy { tries: 5, total_wait: Duration::from_secs(100), ..RetryPolicy::default() }
    }

    fn limited() -> ModelError {
        ModelError::RateLimited { wait: None, message: String::new() }
    }

    #[test]
    fn own_waits_double_with_jitter_up_to_the_number_of_tries() {
        let mut waits = Backoff::new(&policy());
        for expect in [1, 2, 4, 8] {
            let wait = waits.after(&limited(), RetryAdvice::default(), Duration::ZERO, false).unwrap();
            let range = Duration::from_secs(expect)..=Duration::from_secs(2 * expect);
            assert!(range.contains(&wait), "{expect}: {wait:?}");
        }
        assert_eq!(waits.after(&limited(), RetryAdvice::default(), Duration::ZERO, false), None);
        assert_eq!(waits.failed(), 5);
    }

    #[test]
    fn what_the_service_asks_for_is_kept_with_a_cap_on_all() {
        let asks = |seconds| RetryAdvice { wait: Some(Duration::from_secs(seconds)), again: None };
        let mut waits = Backoff::new(&policy());
        let wait = waits.after(&limited(), asks(90), Duration::ZERO, false);
        assert_eq!(wait, Some(Duration::from_secs(90)));
        assert_eq!(waits.after(&limited(), asks(11), Duration::ZERO, false), None, "101 s in all");
        let mut waits = Backoff::new(&policy());
        assert_eq!(waits.after(&limited(), asks(0), Duration::ZERO, false), Some(Duration::ZERO));
        let refuses = RetryAdvice { wait: None, again: Some(false) };
        assert_eq!(waits.after(&limited(), refuses, Duration::ZERO, false), None);
    }

    #[test]
    fn time_lost_in_time_outs_counts() {
        let mut waits = Backoff::new(&policy());
        let error = ModelError::Timeout { what: "the answer", after: Duration::from_mins(1) };
        let took = Duration::from_mins(1);
        assert!(waits.after(&error, RetryAdvice::default(), took, false).is_some());
        assert_eq!(waits.after(&error, RetryAdvice::default(), took, false), None);
    }

    #[test]
    fn only_what_may_pass_is_tried_again() {
        let check = |error: ModelError, loopback: bool, tries: u32| {
            let mut waits = Backoff::new(&policy());
            while waits.after(&error, RetryAdvice::default(), Duration::ZERO, loopback).is_some() {}
            assert_eq!(waits.failed(), tries, "{error}");
        };
        let text = String::new;
        check(limited(), false, 5);
        check(ModelError::Unavailable { status: 529, message: text() }, false, 5);
        check(ModelError::cut(text()), true, 5);
        check(ModelError::Unreachable { url: text(), problem: text() }, false, 3);
        check(ModelError::Unreachable { url: text(), problem: text() }, true, 1);
        check(ModelError::Quota { message: text() }, false, 1);
        check(ModelError::WrongKey { variable: text(), status: 401, message: text() }, false, 1);
        check(ModelError::ContextTooLong { message: text(), window: None }, false, 1);
        check(ModelError::BadAnswer { problem: text(), excerpt: text() }, false, 2);
        check(ModelError::BrokenCall { message: text() }, false, 1);
    }
}
