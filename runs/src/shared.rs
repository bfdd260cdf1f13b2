//! Limits that all attempts of a run share.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use patchwright_blocking::lock;
use serde::{Deserialize, Serialize};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Limits of what goes on at once. A resumed run may have other limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Concurrency {
    /// Attempts at once: preparing, repairing and cleaning up.
    pub workers: usize,
    /// Sessions at once.
    pub sessions: usize,
    /// Live containers.
    pub containers: usize,
    /// Images pulled, or cases prepared, at once: preparing a case is what pulls its image.
    pub pulls: usize,
    /// Builds and test runs at once: there are no more sessions than that, and it is shared out among them as lanes.
    pub tests: usize,
    /// Requests to the model in a minute; none where the provider's own limits are enough.
    pub requests_per_minute: Option<NonZeroU32>,
}

impl Concurrency {
    /// So many workers, and nothing held back besides pulls.
    pub fn of_workers(workers: usize) -> Self {
        let workers = workers.max(1);
        Self {
            workers,
            sessions: workers,
            containers: workers.saturating_mul(2),
            pulls: workers.min(4),
            tests: workers,
            requests_per_minute: None,
        }
    }
}

/// The rate of requests to the model, where other processes that work on the run share it.
#[async_trait]
pub trait RequestLimit: fmt::Debug + Send + Sync {
    /// Waits until a request may be sent.
    async fn request(&self);
}

/// The limits, shared by all attempts. What a method gives back is held for as long as the resource is used.
#[derive(Clone, Debug)]
pub struct Shared {
    sessions: Arc<Semaphore>,
    containers: Arc<Semaphore>,
    pulls: Arc<Semaphore>,
    requests: Option<Arc<dyn RequestLimit>>,
}

/// The right to use one of a limited number of things; given back when dropped.
#[derive(Debug)]
#[must_use]
pub struct Permit {
    _permit: Option<OwnedSemaphorePermit>,
}

impl Shared {
    /// Limits as given; a limit of 0 counts as 1, since a run with it would never end.
    pub fn new(limits: &Concurrency) -> Self {
        let semaphore = |count: usize| Arc::new(Semaphore::new(count.clamp(1, Semaphore::MAX_PERMITS)));
        Self {
            sessions: semaphore(limits.sessions.min(limits.tests)),
            containers: semaphore(limits.containers),
            pulls: semaphore(limits.pulls),
            requests: limits
                .requests_per_minute
                .map(|rate| Arc::new(Bucket::new(rate)) as Arc<dyn RequestLimit>),
        }
    }

    /// The same with a rate of requests that is kept elsewhere.
    #[must_use]
    pub fn with_requests(self, requests: Option<Arc<dyn RequestLimit>>) -> Self {
        Self { requests: requests.or(self.requests), ..self }
    }

    /// Waits for the right to a session; the runner does.
    pub(super) async fn session(&self) -> Permit {
        take(&self.sessions).await
    }

    /// Waits for the right to a live container.
    pub async fn container(&self) -> Permit {
        take(&self.containers).await
    }

    /// Waits for the right to pull an image. The runner holds one while a case is prepared, so a suite does not ask.
    pub async fn pull(&self) -> Permit {
        take(&self.pulls).await
    }

    /// Waits until a request may be sent to the model.
    pub async fn request(&self) {
        if let Some(requests) = &self.requests {
            requests.request().await;
        }
    }
}

async fn take(semaphore: &Arc<Semaphore>) -> Permit {
    // Never closed, so this waits and cannot fail.
    Permit { _permit: Arc::clone(semaphore).acquire_owned().await.ok() }
}

/// A token bucket: a minute's requests may come spread out, never more than a tenth of them at once.
#[derive(Debug)]
struct Bucket {
    /// Between two requests in the long run.
    interval: Duration,
    /// The capacity of the bucket, as time.
    burst: Duration,
    /// When the next request would be due if there were no burst.
    due: Mutex<Option<Instant>>,
}

#[async_trait]
impl RequestLimit for Bucket {
    async fn request(&self) {
        tokio::time::sleep_until(self.slot(Instant::now()).into()).await;
    }
}

impl Bucket {
    fn new(per_minute: NonZeroU32) -> Self {
        let interval = Duration::from_mins(1) / per_minute.get();
        Self { interval, burst: interval * (per_minute.get() / 10), due: Mutex::new(None) }
    }

    /// When a request that comes now may be sent; that moment is taken.
    fn slot(&self, now: Instant) -> Instant {
        let earliest = now.checked_sub(self.burst).unwrap_or(now);
        let mut due = lock(&self.due);
        let slot = due.map_or(earliest, |due| due.max(earliest));
        *due = Some(slot + self.interval);
        slot.max(now)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn requests_come_no_faster_than_the_limit_after_a_short_burst() {
        let bucket = Bucket::new(NonZeroU32::new(60).unwrap());
        let start = Instant::now() + Duration::from_mins(1);
        let seconds = |after: u64, count: usize| -> Vec<u64> {
            let now = start + Duration::from_secs(after);
            (0..count).map(|_| (bucket.slot(now) - start).as_secs()).collect()
        };
        assert_eq!(seconds(0, 10), [0, 0, 0, 0, 0, 0, 0, 1, 2, 3]);
        assert_eq!(
            seconds(100, 9),
            [100, 100, 100, 100, 100, 100, 100, 101, 102],
            "it fills up again, so far"
        );
    }

    #[tokio::test]
    async fn a_permit_is_given_back_when_dropped() {
        let shared = Shared::new(&Concurrency { containers: 1, ..Concurrency::of_workers(4) });
        let held = shared.container().await;
        let waiting = tokio::spawn({
            let shared = shared.clone();
            async move { drop(shared.container().await) }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(held);
        waiting.await.unwrap();
    }
}
