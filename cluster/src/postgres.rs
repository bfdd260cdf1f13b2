//! The ledger of runs in PostgreSQL, from which workers on any machine claim parts.
//!
//! A claim, its fence and the one result of a case are each one transaction. The truth of a session stays where it is made: in the files of its
//! part, which are stored in the ledger as they grow. Whoever claims the part next restores them and goes on.

mod archive;
mod artifacts;
mod budget;
mod claims;
mod doctor;
mod error;
mod fetch;
mod files;
mod mirror;
mod needs;
mod overview;
mod requests;
mod results;
mod schema;
mod stored;

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection, PgConnection, PgPool, Row};

pub use artifacts::ArtifactStore;
pub use claims::{Claim, End, Offer, Standing};
pub use error::LedgerError;
pub use mirror::{Kept, Mirror};
pub use needs::{Needs, Worker};
pub use overview::{ParkedPart, RunProgress, WorkerActivity};
pub use requests::RequestBlocks;
pub use results::CaseResult;

use crate::{ArtifactUrl, LedgerUrl};

/// The longest that an answer of the server is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// A connection to a ledger.
#[derive(Clone, Debug)]
pub struct PostgresLedger {
    pool: PgPool,
    url: LedgerUrl,
}

/// A run to be put into a ledger.
#[derive(Clone, Debug)]
pub struct LedgerRun {
    /// The run's name, unique in the ledger.
    pub run: String,
    /// `run.toml` of the whole.
    pub settings: String,
    /// The number of parts.
    pub parts: u32,
    /// A claim that was not renewed for this long is void.
    pub lease: Duration,
    /// What the run may spend.
    pub cap: Spending,
    /// What a session may spend: reserved before it begins.
    pub session: Spending,
    /// Requests to the model in a minute, of all workers together.
    pub requests_per_minute: Option<u32>,
    /// What a worker must have.
    pub needs: Needs,
    /// Where the files of parts that are done are kept; in the ledger itself, where nothing is named.
    pub artifacts: Option<ArtifactUrl>,
}

/// Limits of spending; `None` means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spending {
    /// US dollars.
    pub usd: Option<f64>,
    /// Tokens in and out.
    pub tokens: Option<u64>,
}

/// A run as a ledger keeps it.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownRun {
    /// The run's name.
    pub run: String,
    /// `run.toml` of the whole.
    pub settings: String,
    /// The number of parts.
    pub parts: u32,
    /// Where the files of parts that are done are kept; in the ledger itself, where nothing is named.
    pub artifacts: Option<ArtifactUrl>,
}

impl PostgresLedger {
    /// Connects with at most so many connections at once.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub async fn connect(url: &LedgerUrl, connections: u32) -> Result<Self, LedgerError> {
        let options: PgConnectOptions =
            url.secret().parse().map_err(|error: sqlx::Error| LedgerError::Url(error.to_string()))?;
        let options = options.application_name("patchwright");
        let pool = PgPoolOptions::new()
            .max_connections(connections.max(1))
            .acquire_timeout(Duration::from_secs(10))
            .connect_lazy_with(options.clone());
        let ledger = Self { pool, url: url.clone() };
        // A pool does not say why it has no connection.
        ledger.wait(async { Ok(PgConnection::connect_with(&options).await?.close().await?) }).await?;
        Ok(ledger)
    }

    /// Waits for an answer, and not forever.
    async fn wait<T>(&self, work: impl Future<Output = Result<T, LedgerError>>) -> Result<T, LedgerError> {
        let answer = tokio::time::timeout(PATIENCE, work).await;
        answer.unwrap_or(Err(LedgerError::Silent)).map_err(|error| error.at(&self.url))
    }

    /// Puts a run in, or gives the run of this name that is there.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub async fn fill(&self, run: &LedgerRun) -> Result<Option<KnownRun>, LedgerError> {
        self.wait(async {
            let mut transaction = self.pool.begin().await?;
            let inserted = sqlx::query(
                "INSERT INTO patchwright.runs (run, settings, parts, lease, cap_usd, cap_tokens, session_usd, session_tokens, \
                 requests_per_minute, needs_containers, needs_architecture, needs_memory_mib, artifacts) \
                 VALUES ($1, $2, $3, make_interval(secs => $4), $5, $6, $7, $8, $9, $10, $11, $12, $13) \
                 ON CONFLICT (run) DO NOTHING",
            )
            .bind(&run.run)
            .bind(&run.settings)
            .bind(number(run.parts))
            .bind(run.lease.as_secs_f64())
            .bind(run.cap.usd)
            .bind(run.cap.tokens.map(size))
            .bind(run.session.usd)
            .bind(run.session.tokens.map(size))
            .bind(run.requests_per_minute.map(number))
            .bind(run.needs.containers)
            .bind(&run.needs.architecture)
            .bind(run.needs.memory_mib.map(size))
            .bind(run.artifacts.as_ref().map(ArtifactUrl::as_str))
            .execute(&mut *transaction)
            .await?;
            if inserted.rows_affected() == 0 {
                drop(transaction);
                return self.find(&run.run).await;
            }
            sqlx::query("INSERT INTO patchwright.parts (run, part) SELECT $1, generate_series(1, $2)")
                .bind(&run.run)
                .bind(number(run.parts))
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            Ok(None)
        })
        .await
    }

    /// Lets a run that is there go on: takes back that it was cancelled, takes over new limits, and tries parked parts again where nothing else is
    /// left to do.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub async fn reopen(&self, run: &LedgerRun) -> Result<(), LedgerError> {
        self.wait(async {
            let mut transaction = self.pool.begin().await?;
            sqlx::query(
                "UPDATE patchwright.runs SET cancelled = false, cap_usd = $2, cap_tokens = $3, requests_per_minute = $4 WHERE run = $1",
            )
            .bind(&run.run)
            .bind(run.cap.usd)
            .bind(run.cap.tokens.map(size))
            .bind(run.requests_per_minute.map(number))
            .execute(&mut *transaction)
            .await?;
            sqlx::query(
                "UPDATE patchwright.parts SET state = 'waiting', failures = 0, changed = clock_timestamp() \
                 WHERE run = $1 AND state = 'parked' AND NOT EXISTS \
                 (SELECT FROM patchwright.parts WHERE run = $1 AND state IN ('waiting', 'claimed'))",
            )
            .bind(&run.run)
            .execute(&mut *transaction)
            .await?;
            transaction.commit().await?;
            Ok(())
        })
        .await
    }

    /// Ends a run: nothing of it is claimed any more, and workers give back what they have claimed. Whether there is such a run.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub async fn cancel(&self, run: &str) -> Result<bool, LedgerError> {
        self.wait(async {
            let done = sqlx::query("UPDATE patchwright.runs SET cancelled = true WHERE run = $1")
                .bind(run)
                .execute(&self.pool)
                .await?;
            Ok(done.rows_affected() > 0)
        })
        .await
    }

    /// The names of the runs that are not cancelled and have parts that are neither done nor parked, the oldest first.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub async fn open_runs(&self) -> Result<Vec<String>, LedgerError> {
        self.wait(async {
            let names = sqlx::query_scalar(
                "SELECT run FROM patchwright.runs r WHERE NOT cancelled AND EXISTS \
                 (SELECT FROM patchwright.parts p WHERE p.run = r.run AND p.state IN ('waiting', 'claimed')) ORDER BY created, run",
            )
            .fetch_all(&self.pool)
            .await?;
            Ok(names)
        })
        .await
    }

    /// A run by its name.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub async fn run(&self, run: &str) -> Result<Option<KnownRun>, LedgerError> {
        self.wait(self.find(run)).await
    }

    async fn find(&self, run: &str) -> Result<Option<KnownRun>, LedgerError> {
        let row = sqlx::query("SELECT run, settings, parts, artifacts FROM patchwright.runs WHERE run = $1")
            .bind(run)
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(known).transpose()
    }

    /// Tells that a worker is there, with the name of its program and its number of lanes.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub async fn register(&self, program: &str, lanes: u32) -> Result<String, LedgerError> {
        self.wait(async {
            let row = sqlx::query(
                "INSERT INTO patchwright.workers (worker, host, pid, program, lanes) \
                 VALUES (gen_random_uuid(), $1, $2, $3, $4) RETURNING worker::text",
            )
            .bind(rustix::system::uname().nodename().to_string_lossy().into_owned())
            .bind(number(std::process::id()))
            .bind(program)
            .bind(number(lanes))
            .fetch_one(&self.pool)
            .await?;
            Ok(row.try_get(0)?)
        })
        .await
    }

    /// Tells that a worker is still there, or that it has ended.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub async fn seen(&self, worker: &str, ended: bool) -> Result<(), LedgerError> {
        self.wait(async {
            sqlx::query(
                "UPDATE patchwright.workers SET seen = clock_timestamp(), ended = CASE WHEN $2 THEN clock_timestamp() END \
                 WHERE worker = $1::uuid",
            )
            .bind(worker)
            .bind(ended)
            .execute(&self.pool)
            .await?;
            Ok(())
        })
        .await
    }
}

fn known(row: &sqlx::postgres::PgRow) -> Result<KnownRun, LedgerError> {
    Ok(KnownRun {
        run: row.try_get("run")?,
        settings: row.try_get("settings")?,
        parts: count(row.try_get("parts")?),
        artifacts: row
            .try_get::<Option<String>, _>("artifacts")?
            .map(|url| url.parse())
            .transpose()
            .map_err(LedgerError::Url)?,
    })
}

/// A number as the database takes it. Parts and the like are far fewer than it holds.
fn number(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn size(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

/// A number that is never negative in the database.
fn count(number: i32) -> u32 {
    u32::try_from(number).unwrap_or_default()
}
