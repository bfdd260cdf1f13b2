//! How far the runs of a ledger are.

use serde::Serialize;
use sqlx::Row;

use super::error::LedgerError;
use super::{PostgresLedger, count};

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunProgress {
    /// The run's name.
    pub run: String,
    /// Whether it was cancelled.
    pub is_cancelled: bool,
    /// Parts.
    pub parts: u32,
    /// Parts that wait for a worker.
    pub waiting: u32,
    /// Parts that workers have claimed.
    pub claimed: u32,
    /// Parts that need nothing more.
    pub done: u32,
    /// Parts that are not tried again by themselves.
    pub parked: u32,
    /// Cases with a result.
    pub cases: u32,
    /// Cases that are solved as far as tests can tell.
    pub plausible: u32,
    /// Answers of the model that are stored.
    pub answers: u64,
    /// US dollars of answers whose price is known.
    pub usd: f64,
    /// Tokens in and out.
    pub tokens: u64,
    /// Parts that ended in the last hour, scaled up to an hour where the run is younger; none before the first.
    pub parts_per_hour: Option<f64>,
    /// Seconds until all are done, at that rate.
    pub seconds_left: Option<f64>,
}

/// A worker that gave a sign of life in the last hour.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkerActivity {
    /// Its machine.
    pub host: String,
    /// Its process there.
    pub pid: u32,
    /// Its program, with the version.
    pub program: String,
    /// Parts that it works on at once at most.
    pub lanes: u32,
    /// Parts that it has claimed, as `RUN PART`.
    pub claimed: Vec<String>,
    /// Seconds since its last sign of life.
    pub silent_seconds: f64,
    /// Whether it has ended.
    pub has_ended: bool,
}

/// A part that is not tried again by itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParkedPart {
    /// The run.
    pub run: String,
    /// The part.
    pub part: u32,
    /// How often it was claimed.
    pub claims: u32,
    /// Answers of the model that are stored.
    pub answers: u32,
    /// Why it is parked.
    pub reason: String,
}

impl PostgresLedger {
    /// How far all runs are, or the one of this name; the oldest first.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub async fn progress(&self, run: Option<&str>) -> Result<Vec<RunProgress>, LedgerError> {
        self.wait(async {
            let rows = sqlx::query(
                "SELECT r.run, r.cancelled, p.parts::integer, p.waiting::integer, p.claimed::integer, p.done::integer, p.parked::integer, \
                 coalesce(s.cases, 0)::integer, coalesce(s.plausible, 0)::integer, coalesce(p.answers, 0)::bigint, p.usd, \
                 p.tokens::bigint, l.ended::float8 / l.hours \
                 FROM patchwright.runs r JOIN patchwright.progress p USING (run) LEFT JOIN patchwright.summary s USING (run) \
                 CROSS JOIN LATERAL (SELECT count(*) AS ended, least(1, extract(epoch FROM now() - r.created) / 3600)::float8 AS hours \
                 FROM patchwright.parts e WHERE e.run = r.run AND e.state = 'done' AND e.changed > now() - interval '1 hour') l \
                 WHERE $1::text IS NULL OR r.run = $1 ORDER BY r.created, r.run",
            )
            .bind(run)
            .fetch_all(&self.pool)
            .await?;
            rows.iter().map(run_progress).collect()
        })
        .await
    }

    /// The workers that gave a sign of life in the last hour.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub async fn workers(&self) -> Result<Vec<WorkerActivity>, LedgerError> {
        self.wait(async {
            let rows = sqlx::query(
                "SELECT w.host, w.pid, w.program, w.lanes, extract(epoch FROM now() - w.seen)::float8, w.ended IS NOT NULL, \
                 array_remove(array_agg(p.run || ' ' || p.part ORDER BY p.run, p.part), NULL) \
                 FROM patchwright.workers w LEFT JOIN patchwright.parts p ON p.worker = w.worker AND p.state = 'claimed' \
                 WHERE w.seen > now() - interval '1 hour' GROUP BY w.worker ORDER BY w.started, w.worker",
            )
            .fetch_all(&self.pool)
            .await?;
            let worker = |row: &sqlx::postgres::PgRow| {
                Ok(WorkerActivity {
                    host: row.try_get(0)?,
                    pid: count(row.try_get(1)?),
                    program: row.try_get(2)?,
                    lanes: count(row.try_get(3)?),
                    silent_seconds: row.try_get::<f64, _>(4)?.max(0.0),
                    has_ended: row.try_get(5)?,
                    claimed: row.try_get(6)?,
                })
            };
            rows.iter().map(worker).collect()
        })
        .await
    }

    /// The parked parts of all runs, or of the one of this name.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub async fn parked(&self, run: Option<&str>) -> Result<Vec<ParkedPart>, LedgerError> {
        self.wait(async {
            let rows = sqlx::query(
                "SELECT run, part, claims, answers, coalesce(reason, '') FROM patchwright.parked \
                 WHERE $1::text IS NULL OR run = $1 ORDER BY run, part",
            )
            .bind(run)
            .fetch_all(&self.pool)
            .await?;
            let parked = |row: &sqlx::postgres::PgRow| {
                Ok(ParkedPart {
                    run: row.try_get(0)?,
                    part: count(row.try_get(1)?),
                    claims: count(row.try_get(2)?),
                    answers: count(row.try_get(3)?),
                    reason: row.try_get(4)?,
                })
            };
            rows.iter().map(parked).collect()
        })
        .await
    }

    /// The size of the database in bytes.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub async fn bytes(&self) -> Result<u64, LedgerError> {
        self.wait(async {
            let bytes: i64 = sqlx::query_scalar("SELECT pg_database_size(current_database())")
                .fetch_one(&self.pool)
                .await?;
            Ok(u64::try_from(bytes).unwrap_or_default())
        })
        .await
    }

    /// The parts of a run that are done or parked, and whether each is done.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub async fn ended_parts(&self, run: &str) -> Result<Vec<(u32, bool)>, LedgerError> {
        self.wait(async {
            let rows = sqlx::query(
                "SELECT part, state = 'done' FROM patchwright.parts WHERE run = $1 AND state IN ('done', 'parked') ORDER BY part",
            )
            .bind(run)
            .fetch_all(&self.pool)
            .await?;
            rows.iter().map(|row| Ok((count(row.try_get(0)?), row.try_get(1)?))).collect()
        })
        .await
    }

    /// Why the budget of a run lets none of its parts begin, where it does not and none is claimed.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub async fn spent_budget(&self, run: &str) -> Result<Option<String>, LedgerError> {
        self.wait(async {
            let mut transaction = self.pool.begin().await?;
            let room = super::budget::room(&mut transaction, run).await?;
            transaction.rollback().await?;
            Ok(match room {
                super::budget::Room::No(why) => Some(why),
                super::budget::Room::Yes | super::budget::Room::Wait => None,
            })
        })
        .await
    }
}

fn run_progress(row: &sqlx::postgres::PgRow) -> Result<RunProgress, LedgerError> {
    let whole = |place: usize| row.try_get(place).map(count);
    let large =
        |place: usize| row.try_get::<i64, _>(place).map(|size| u64::try_from(size).unwrap_or_default());
    let (waiting, claimed) = (whole(3)?, whole(4)?);
    let per_hour = Some(row.try_get::<f64, _>(12)?).filter(|rate| *rate > 0.0);
    let left = f64::from(waiting + claimed);
    Ok(RunProgress {
        run: row.try_get(0)?,
        is_cancelled: row.try_get(1)?,
        parts: whole(2)?,
        waiting,
        claimed,
        done: whole(5)?,
        parked: whole(6)?,
        cases: whole(7)?,
        plausible: whole(8)?,
        answers: large(9)?,
        usd: row.try_get(10)?,
        tokens: large(11)?,
        parts_per_hour: per_hour,
        seconds_left: per_hour.map(|rate| left / rate * 3_600.0),
    })
}
