//! The rate of requests to a model, kept for all workers of a run.

use std::collections::VecDeque;
use std::time::Duration;

use sqlx::Row;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::PostgresLedger;
use super::error::LedgerError;

/// Before the ledger is asked again after it could not be reached.
const RETRY: Duration = Duration::from_secs(1);

/// Requests that a worker may send, leased in blocks before they are sent.
#[derive(Debug)]
pub struct RequestBlocks {
    ledger: PostgresLedger,
    run: String,
    /// When each leased request may be sent.
    leased: Mutex<VecDeque<Instant>>,
}

impl RequestBlocks {
    /// Those of a run.
    pub fn new(ledger: PostgresLedger, run: &str) -> Self {
        Self { ledger, run: run.to_owned(), leased: Mutex::default() }
    }

    /// Waits until a request may be sent. While the ledger cannot be reached, none may.
    pub async fn request(&self) {
        let mut leased = self.leased.lock().await;
        let when = loop {
            if let Some(when) = leased.pop_front() {
                break when;
            }
            match self.ledger.lease_requests(&self.run).await {
                Ok(block) => leased.extend(block),
                Err(error) if error.is_transient() => tokio::time::sleep(RETRY).await,
                // The claim of the part is checked where its files are stored.
                Err(_) => return,
            }
        };
        drop(leased);
        tokio::time::sleep_until(when).await;
    }
}

impl PostgresLedger {
    /// Leases the requests of one second, one at least; gives when each may be sent. Unused time is kept for at most six seconds.
    async fn lease_requests(&self, run: &str) -> Result<Vec<Instant>, LedgerError> {
        self.wait(async {
            let row = sqlx::query(
                "UPDATE patchwright.runs SET next_request = greatest(next_request, clock_timestamp() - interval '6 seconds') \
                 + greatest(1, requests_per_minute / 60) * interval '1 minute' / requests_per_minute \
                 WHERE run = $1 AND requests_per_minute IS NOT NULL \
                 RETURNING extract(epoch FROM next_request - clock_timestamp())::float8, requests_per_minute",
            )
            .bind(run)
            .fetch_optional(&self.pool)
            .await?;
            let now = Instant::now();
            // The limit was lifted.
            let Some(row) = row else { return Ok(vec![now]) };
            let (end, rate): (f64, i32) = (row.try_get(0)?, row.try_get(1)?);
            let (count, between) = ((rate / 60).max(1), 60.0 / f64::from(rate));
            let after = |place: i32| Duration::try_from_secs_f64(end - f64::from(count - place) * between);
            Ok((0..count).map(|place| now + after(place).unwrap_or_default()).collect())
        })
        .await
    }
}
