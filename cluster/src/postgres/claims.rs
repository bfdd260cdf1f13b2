//! Parts that are claimed, kept, closed and given back. Each is one transaction, and each but the first checks the fence.

use std::collections::BTreeMap;
use std::time::Duration;

use sqlx::{PgConnection, Row};

use super::budget::{Room, room};
use super::error::LedgerError;
use super::results::{CaseResult, insert};
use super::stored::{Addition, store};
use super::{Needs, PostgresLedger, Worker, count, number, size};

/// A part is parked after this many claims in a row that brought nothing.
const FAILURES: i32 = 3;

/// The right to work on a part, until it is given back or not renewed for as long as the lease.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The run.
    pub run: String,
    /// The part.
    pub part: u32,
    /// How often the part was claimed, this claim included.
    pub claims: u32,
    /// The time for which it holds without being renewed.
    pub lease: Duration,
    /// What was spent on the part before.
    pub spent: Spent,
    id: String,
}

impl Claim {
    /// A name for an archive of the part's files, which no other claim gives.
    pub(super) fn archive_name(&self) -> String {
        format!("{}/part-{}-{}.tar.gz", self.run, self.part, self.id)
    }
}

/// What answers of a model have cost, as far as they are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Answers.
    pub answers: u32,
    /// US dollars of those whose price is known.
    pub usd: f64,
    /// Whether there is one of unknown price: then the part counts as having cost what its sessions may cost.
    pub is_unpriced: bool,
    /// Tokens in and out.
    pub tokens: u64,
}

/// The answer to who wants to claim a part of a run.
#[derive(Debug)]
pub enum Offer {
    /// A part.
    Part(Claim),
    /// None for now: the others are claimed, done or parked, or wait for what claimed parts may give back of the budget.
    Nothing,
    /// The budget of the run is spent, for this reason.
    NoBudget(String),
    /// This worker lacks what the run needs.
    Unsuitable(String),
}

/// What became of a run while a part of it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Whether the run was cancelled.
    pub is_cancelled: bool,
}

/// How a claim ends.
#[derive(Clone, Debug)]
pub enum End {
    /// The part needs nothing more.
    Done(Vec<CaseResult>),
    /// The worker stops, or the run was cancelled: another worker goes on with it.
    GivenBack,
    /// It did not come to an answer, for this reason.
    Failed(String),
}

impl PostgresLedger {
    /// Claims a part of a run; those whose worker gave no sign of life for as long as its lease wait again first, or are parked.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub async fn claim(&self, run: &str, worker: &Worker) -> Result<Offer, LedgerError> {
        self.wait(async {
            let mut transaction = self.pool.begin().await?;
            if let Some(why) = unsuitable(&mut transaction, run, worker).await? {
                return Ok(Offer::Unsuitable(why));
            }
            reap(&mut transaction, run).await?;
            let offer = match room(&mut transaction, run).await? {
                Room::Yes => next(&mut transaction, run, worker).await?.map_or(Offer::Nothing, Offer::Part),
                Room::Wait => Offer::Nothing,
                Room::No(why) => Offer::NoBudget(why),
            };
            transaction.commit().await?;
            Ok(offer)
        })
        .await
    }

    /// Renews a claim, and stores what the files of the part have grown by.
    ///
    /// # Errors
    /// [`LedgerError::Lost`] if the claim is void, [`LedgerError::OutOfStep`] if the ledger holds another length of a file; nothing is stored then.
    pub async fn keep(
        &self,
        claim: &Claim,
        addition: Addition<'_>,
        spent: Spent,
    ) -> Result<Standing, LedgerError> {
        self.wait(async {
            let mut transaction = self.pool.begin().await?;
            let standing = renew(&mut transaction, claim, spent).await?;
            store(&mut transaction, (&claim.run, claim.part), addition).await?;
            transaction.commit().await?;
            Ok(standing)
        })
        .await
    }

    /// Gives a claimed part back as it is stored.
    ///
    /// # Errors
    /// [`LedgerError::Lost`] if the claim is void; or the server cannot be reached, or refuses.
    pub async fn give_back(&self, claim: &Claim) -> Result<(), LedgerError> {
        let nothing = Addition { known: &BTreeMap::new(), pieces: &[], archive: None };
        self.end(claim, nothing, Spent::default(), &End::GivenBack).await
    }

    /// Ends a claim. A part that is done with this claim already is left as it is: the answer to an earlier try may have been lost.
    ///
    /// # Errors
    /// As of [`PostgresLedger::keep`].
    pub async fn end(
        &self,
        claim: &Claim,
        addition: Addition<'_>,
        spent: Spent,
        end: &End,
    ) -> Result<(), LedgerError> {
        self.wait(async {
            let mut transaction = self.pool.begin().await?;
            match renew(&mut transaction, claim, spent).await {
                Ok(_) => {}
                Err(LedgerError::Lost) if is_done_by(&mut transaction, claim).await? => return Ok(()),
                Err(error) => return Err(error),
            }
            store(&mut transaction, (&claim.run, claim.part), addition).await?;
            match end {
                End::Done(results) => {
                    for result in results {
                        insert(&mut transaction, (&claim.run, claim.part), result).await?;
                    }
                    leave(&mut transaction, claim, "done", None).await?;
                }
                End::GivenBack => leave(&mut transaction, claim, "waiting", None).await?,
                End::Failed(reason) => fail(&mut transaction, claim, reason).await?,
            }
            transaction.commit().await?;
            Ok(())
        })
        .await
    }
}

/// Why a worker cannot carry a run out.
async fn unsuitable(
    transaction: &mut PgConnection,
    run: &str,
    worker: &Worker,
) -> Result<Option<String>, LedgerError> {
    let row = sqlx::query(
        "SELECT needs_containers, needs_architecture, needs_memory_mib FROM patchwright.runs WHERE run = $1",
    )
    .bind(run)
    .fetch_optional(&mut *transaction)
    .await?;
    let Some(row) = row else { return Ok(Some("it is no longer in the ledger".to_owned())) };
    let needs = Needs {
        containers: row.try_get(0)?,
        architecture: row.try_get(1)?,
        memory_mib: row.try_get::<Option<i64>, _>(2)?.and_then(|memory| u64::try_from(memory).ok()),
    };
    Ok(needs.lacking(worker))
}

/// Takes parts back from workers that gave no sign of life. While the server was down nobody could give one, so each has a lease's time from its
/// start.
async fn reap(transaction: &mut PgConnection, run: &str) -> Result<(), LedgerError> {
    sqlx::query(
        "UPDATE patchwright.parts p SET failures = f.failures, claim = NULL, worker = NULL, lease_until = NULL, \
         state = (CASE WHEN f.failures >= $2 THEN 'parked' ELSE 'waiting' END)::patchwright.part_state, \
         reason = 'the worker ' || coalesce(w.host || ' (process ' || w.pid || ')', '') || ' gave no sign of life', \
         changed = clock_timestamp() \
         FROM (SELECT run, part, worker, CASE WHEN answers > answers_at_claim THEN 1 ELSE failures + 1 END AS failures \
               FROM patchwright.parts JOIN patchwright.runs r USING (run) \
               WHERE run = $1 AND state = 'claimed' \
               AND greatest(lease_until, pg_postmaster_start_time() + r.lease) < clock_timestamp() \
               FOR UPDATE OF parts SKIP LOCKED) f LEFT JOIN patchwright.workers w USING (worker) \
         WHERE p.run = f.run AND p.part = f.part",
    )
    .bind(run)
    .bind(FAILURES)
    .execute(transaction)
    .await?;
    Ok(())
}

/// The part that failed least, and of these the first.
async fn next(
    transaction: &mut PgConnection,
    run: &str,
    worker: &Worker,
) -> Result<Option<Claim>, LedgerError> {
    let row = sqlx::query(
        "UPDATE patchwright.parts p SET state = 'claimed', claim = gen_random_uuid(), worker = $2::uuid, \
         lease_until = clock_timestamp() + r.lease, claims = claims + 1, answers_at_claim = answers, changed = clock_timestamp() \
         FROM patchwright.runs r WHERE r.run = $1 AND NOT r.cancelled AND p.run = r.run AND p.part = \
         (SELECT part FROM patchwright.parts WHERE run = $1 AND state = 'waiting' ORDER BY failures, part LIMIT 1 \
          FOR UPDATE SKIP LOCKED) \
         RETURNING p.part, p.claims, p.claim::text, extract(epoch FROM r.lease)::float8, p.answers, p.usd, p.tokens",
    )
    .bind(run)
    .bind(&worker.id)
    .fetch_optional(transaction)
    .await?;
    let claim = |row: sqlx::postgres::PgRow| {
        Ok(Claim {
            run: run.to_owned(),
            part: count(row.try_get(0)?),
            claims: count(row.try_get(1)?),
            id: row.try_get(2)?,
            lease: Duration::try_from_secs_f64(row.try_get(3)?).unwrap_or_default(),
            spent: Spent {
                answers: count(row.try_get(4)?),
                usd: row.try_get(5)?,
                is_unpriced: false,
                tokens: u64::try_from(row.try_get::<i64, _>(6)?).unwrap_or_default(),
            },
        })
    };
    row.map(claim).transpose()
}

/// Checks the fence and holds the row until the transaction ends.
async fn renew(transaction: &mut PgConnection, claim: &Claim, spent: Spent) -> Result<Standing, LedgerError> {
    let row = sqlx::query(
        "UPDATE patchwright.parts p SET lease_until = clock_timestamp() + r.lease, answers = p.answers + $4, tokens = p.tokens + $6, \
         usd = CASE WHEN $7 THEN greatest(p.usd + $5, coalesce(r.session_usd, 0) * p.claims) ELSE p.usd + $5 END \
         FROM patchwright.runs r WHERE r.run = p.run AND p.run = $1 AND p.part = $2 AND p.claim = $3::uuid AND p.state = 'claimed' \
         RETURNING r.cancelled",
    )
    .bind(&claim.run)
    .bind(number(claim.part))
    .bind(&claim.id)
    .bind(number(spent.answers))
    .bind(spent.usd)
    .bind(size(spent.tokens))
    .bind(spent.is_unpriced)
    .fetch_optional(transaction)
    .await?;
    Ok(Standing { is_cancelled: row.ok_or(LedgerError::Lost)?.try_get(0)? })
}

async fn is_done_by(transaction: &mut PgConnection, claim: &Claim) -> Result<bool, LedgerError> {
    let found: Option<bool> = sqlx::query_scalar(
        "SELECT state = 'done' FROM patchwright.parts WHERE run = $1 AND part = $2 AND claim = $3::uuid",
    )
    .bind(&claim.run)
    .bind(number(claim.part))
    .bind(&claim.id)
    .fetch_optional(transaction)
    .await?;
    Ok(found == Some(true))
}

async fn leave(
    transaction: &mut PgConnection,
    claim: &Claim,
    state: &str,
    reason: Option<&str>,
) -> Result<(), LedgerError> {
    sqlx::query(
        "UPDATE patchwright.parts SET state = $4::patchwright.part_state, lease_until = NULL, worker = NULL, reason = $5, \
         claim = CASE WHEN $4 = 'done' THEN claim END, changed = clock_timestamp() WHERE run = $1 AND part = $2 AND claim = $3::uuid",
    )
    .bind(&claim.run)
    .bind(number(claim.part))
    .bind(&claim.id)
    .bind(state)
    .bind(reason)
    .execute(transaction)
    .await?;
    Ok(())
}

async fn fail(transaction: &mut PgConnection, claim: &Claim, reason: &str) -> Result<(), LedgerError> {
    let failures: i32 = sqlx::query_scalar(
        "UPDATE patchwright.parts SET failures = CASE WHEN answers > answers_at_claim THEN 1 ELSE failures + 1 END \
         WHERE run = $1 AND part = $2 AND claim = $3::uuid RETURNING failures::integer",
    )
    .bind(&claim.run)
    .bind(number(claim.part))
    .bind(&claim.id)
    .fetch_one(&mut *transaction)
    .await?;
    let state = if failures >= FAILURES { "parked" } else { "waiting" };
    leave(transaction, claim, state, Some(&reason.replace('\0', "\u{fffd}"))).await
}
