//! `doctor postgres://…`: whether runs can be put into a ledger from here.

use patchwright_cluster::postgres::PostgresLedger;
use patchwright_cluster::{Check, LedgerUrl};
use patchwright_protocol::Failure;

/// Checks the server, the user's rights, the tables, the clock, and the workers that are there. Stops at the server if it cannot be reached.
pub async fn check(url: &LedgerUrl) -> Result<Vec<Check>, Failure> {
    Ok(PostgresLedger::check(url).await)
}
