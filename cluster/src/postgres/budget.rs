//! What is left of a run's budget, with the worst case of each claimed part reserved.

use sqlx::{PgConnection, Row};

use super::error::LedgerError;

/// Why no part of a run can be claimed now.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Room {
    /// One can.
    Yes,
    /// Not before a claimed one gives back what it does not spend.
    Wait,
    /// Never: the budget is spent.
    No(String),
}

/// Whether the budget holds another session. Locks the row of a run that has a budget until the transaction ends, so that two workers do not
/// reserve the same money.
pub(super) async fn room(transaction: &mut PgConnection, run: &str) -> Result<Room, LedgerError> {
    let capped = sqlx::query(
        "SELECT cap_usd, cap_tokens, coalesce(session_usd, 0) AS session_usd, coalesce(session_tokens, 0) AS session_tokens \
         FROM patchwright.runs WHERE run = $1 AND (cap_usd IS NOT NULL OR cap_tokens IS NOT NULL) FOR NO KEY UPDATE",
    )
    .bind(run)
    .fetch_optional(&mut *transaction)
    .await?;
    let Some(capped) = capped else { return Ok(Room::Yes) };
    let spent = sqlx::query(
        "SELECT coalesce(sum(usd), 0)::float8 AS usd, coalesce(sum(tokens), 0)::bigint AS tokens, \
         count(*) FILTER (WHERE state = 'claimed') AS claimed FROM patchwright.parts WHERE run = $1",
    )
    .bind(run)
    .fetch_one(&mut *transaction)
    .await?;
    let (cap_usd, cap_tokens): (Option<f64>, Option<i64>) = (capped.try_get(0)?, capped.try_get(1)?);
    let (session_usd, session_tokens): (f64, i64) = (capped.try_get(2)?, capped.try_get(3)?);
    let (usd, tokens, claimed): (f64, i64, i64) = (spent.try_get(0)?, spent.try_get(1)?, spent.try_get(2)?);
    let full = |text: String| if claimed == 0 { Room::No(text) } else { Room::Wait };
    // A sum of cents must not fail for its last bit.
    if let Some(most) = cap_usd.filter(|most| usd + session_usd * (claimed + 1) as f64 > most + 1e-9) {
        return Ok(full(format!(
            "the run may cost {most:.2} dollars; {usd:.2} are spent, and a session may cost {session_usd:.2}"
        )));
    }
    let worst = tokens.saturating_add(session_tokens.saturating_mul(claimed + 1));
    Ok(match cap_tokens.filter(|most| worst > *most) {
        Some(most) => full(format!(
            "the run may use {most} tokens; {tokens} are used, and a session may use {session_tokens}"
        )),
        None => Room::Yes,
    })
}
