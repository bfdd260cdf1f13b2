//! The scheduler of candidates, shared by every mode of a session.

use std::collections::VecDeque;
use std::pin::Pin;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesOrdered, Stream, StreamExt};
use patchwright_edits::Applied;

use crate::{Baseline, TestHarness, TestHarnessError, Validation, ValidationDepth};

/// Validates candidates side by side: each lane pulls the next one when it is free, and results come in the candidates' order,
/// whatever finishes first. So a session is the same however many lanes there are. Dropping the scheduler cancels what is under way.
pub struct Scheduler<'a, C> {
    harness: &'a TestHarness,
    baseline: &'a Baseline,
    depth: ValidationDepth,
    candidates: Pin<Box<dyn Stream<Item = C> + Send + 'a>>,
    /// The candidates under way, in their order.
    pulled: VecDeque<C>,
    validations: FuturesOrdered<BoxFuture<'a, Option<Result<Validation, TestHarnessError>>>>,
    /// The first of `pulled` was announced.
    announced: bool,
}

/// A step of a [`Scheduler`].
pub enum Progress<'s, C> {
    /// The first candidate without a result is under way: said once of each, before its result.
    Started(&'s C),
    /// A candidate's result; `None` if there was nothing to validate.
    Finished(C, Option<Box<Validation>>),
}

impl<'a, C> Scheduler<'a, C> {
    /// A scheduler of `candidates`, which are pulled as lanes become free.
    pub fn new(
        harness: &'a TestHarness,
        baseline: &'a Baseline,
        depth: ValidationDepth,
        candidates: impl Stream<Item = C> + Send + 'a,
    ) -> Self {
        Self {
            harness,
            baseline,
            depth,
            candidates: Box::pin(candidates),
            pulled: VecDeque::new(),
            validations: FuturesOrdered::new(),
            announced: false,
        }
    }

    /// The next step; `None` when every candidate has its result. `change` gives the change of a candidate that was just
    /// pulled, or `None` if it needs no validation.
    ///
    /// # Errors
    ///
    /// Those of [`TestHarness::validate`].
    pub async fn next(
        &mut self,
        mut change: impl FnMut(&C) -> Option<Applied>,
    ) -> Result<Option<Progress<'_, C>>, TestHarnessError> {
        loop {
            if !self.announced && !self.pulled.is_empty() {
                self.announced = true;
                return Ok(Some(Progress::Started(&self.pulled[0])));
            }
            tokio::select! {
                biased;
                Some(validation) = self.validations.next() => {
                    self.announced = false;
                    let validation = validation.transpose()?.map(Box::new);
                    return Ok(self.pulled.pop_front().map(|candidate| Progress::Finished(candidate, validation)));
                }
                Some(candidate) = self.candidates.next(), if self.pulled.len() < self.harness.lanes().max(1) => {
                    let change = change(&candidate);
                    let (harness, baseline, depth) = (self.harness, self.baseline, self.depth);
                    self.validations.push_back(Box::pin(async move {
                        match change {
                            Some(applied) => Some(harness.validate(baseline, &applied, depth).await),
                            None => None,
                        }
                    }));
                    self.pulled.push_back(candidate);
                }
                else => return Ok(None),
            }
        }
    }
}
