//! A candidate that passed what was run, and is confirmed while somebody thinks about the next command.

use std::sync::Arc;

use futures_util::future::{BoxFuture, MaybeDone};
use patchwright_validation::{Baseline, TestHarnessError, Validation};

/// The confirmation of a candidate.
pub(crate) struct Confirming<'a> {
    /// Its number.
    pub(crate) candidate: u32,
    /// What it is measured by.
    pub(crate) baseline: Arc<Baseline>,
    pub(crate) validation: MaybeDone<BoxFuture<'a, Result<Validation, TestHarnessError>>>,
}

/// Ends when there is no candidate to be confirmed any more, or what it came to is there.
pub(crate) async fn confirmation(confirming: &mut Option<Confirming<'_>>) {
    if let Some(Confirming { validation, .. }) = confirming {
        validation.await;
    }
}
