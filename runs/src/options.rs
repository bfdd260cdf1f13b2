//! Options for carrying out a run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use patchwright_trajectory::Redactor;
use tokio_util::sync::CancellationToken;

use super::board::Live;
use super::budget::SpendingCap;
use super::disk::Disk;
use super::shared::{Concurrency, RequestLimit};
use super::status::Redo;

/// Options for carrying out a run. None of it shapes a session, so a resumed run may have other options.
pub struct RunOptions {
    /// Limits of what goes on at once.
    pub concurrency: Concurrency,
    /// The rate of requests to the model where processes elsewhere share it, in the place of that of `concurrency`.
    pub requests: Option<Arc<dyn RequestLimit>>,
    /// The budget of the run, earlier processes included (but for time).
    pub budget: SpendingCap,
    /// The budget of a session: reserved before it begins.
    pub session: SpendingCap,
    /// Room that is needed.
    pub disk: Disk,
    /// Cases that are done again besides those that always are.
    pub redo: Redo,
    /// Whether stalled cases are skipped, see [`Ledger::stalled`](super::ledger::Ledger::stalled).
    pub parks: bool,
    /// Versions of the program and what it works with, for the log.
    pub versions: BTreeMap<String, String>,
    /// The redactor of secrets in the log.
    pub redactor: Redactor,
    /// The board on which the run shows its progress.
    pub live: Live,
    /// Says when to stop: no new attempts, running ones are cancelled.
    pub cancel: CancellationToken,
    /// The times that it waits.
    pub pauses: Pauses,
}

/// The times that a run waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pauses {
    /// Before a case that failed by the environment is tried once more.
    pub retry: Duration,
    /// When most attempts fail by the environment; doubles while they go on to.
    pub breaker: Duration,
    /// Between two looks at the disk.
    pub watch: Duration,
    /// For an attempt to come back after it was cancelled.
    pub grace: Duration,
}

impl Default for Pauses {
    fn default() -> Self {
        Self {
            retry: Duration::from_secs(10),
            breaker: Duration::from_secs(30),
            watch: Duration::from_secs(5),
            grace: Duration::from_mins(1),
        }
    }
}

impl RunOptions {
    /// So many workers, and no limits.
    pub fn of_workers(workers: usize) -> Self {
        Self {
            concurrency: Concurrency::of_workers(workers),
            requests: None,
            budget: SpendingCap::default(),
            session: SpendingCap::default(),
            disk: Disk::default(),
            redo: Redo::default(),
            parks: false,
            versions: BTreeMap::new(),
            redactor: Redactor::default(),
            live: Live::default(),
            cancel: CancellationToken::default(),
            pauses: Pauses::default(),
        }
    }
}
