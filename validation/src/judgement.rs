//! What a first look at a candidate comes to, before a success is confirmed.

use patchwright_edits::Applied;
use patchwright_protocol::ReproductionOutcome;

use crate::optimizations::ValidationDepth;
use crate::order_dependence::Recheck;
use crate::validation::Validation;

/// What a first look at a candidate came to.
#[derive(Debug)]
pub enum Judgement {
    /// The verdict stands.
    Final(Box<Validation>),
    /// What was run passes; all tests have to, in a clean copy (see [`TestHarness::confirm`](crate::TestHarness::confirm)).
    Unconfirmed(Box<Unconfirmed>),
}

impl Judgement {
    pub(crate) fn of(found: Validation) -> Self {
        Self::Final(Box::new(found))
    }
}

/// A verdict that a run of all tests in a clean copy has still to confirm.
#[derive(Debug)]
pub struct Unconfirmed {
    pub(crate) found: Validation,
    pub(crate) reproductions: Vec<ReproductionOutcome>,
    pub(crate) recheck: Option<Recheck>,
    pub(crate) is_by_worker: bool,
    pub(crate) applied: Applied,
    /// The name of the change among the verdicts that are kept, if it is to be kept.
    pub(crate) name: Option<String>,
    pub(crate) depth: ValidationDepth,
}

impl Unconfirmed {
    /// Wall-clock seconds that it took so far.
    pub fn seconds(&self) -> f64 {
        self.found.seconds
    }
}
