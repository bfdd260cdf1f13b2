//! A cache of verdicts for equal candidates.

use std::collections::HashMap;
use std::sync::Mutex;

use patchwright_blocking::lock;
use patchwright_protocol::Verdict;

use crate::baseline::{Baseline, Expected};
use crate::optimizations::ValidationDepth;
use crate::validation::Validation;

/// The validations of candidates, by a name for what they do.
#[derive(Default)]
pub(crate) struct VerdictCache(Mutex<Option<CachedVerdicts>>);

struct CachedVerdicts {
    /// The baseline that they were measured by.
    expected: Expected,
    verdicts: HashMap<String, (ValidationDepth, Validation)>,
}

impl VerdictCache {
    /// The validation of an equal candidate, if that tells as much as is asked for.
    pub(crate) fn find(&self, baseline: &Baseline, name: &str, depth: ValidationDepth) -> Option<Validation> {
        let known = lock(&self.0);
        let known = known.as_ref().filter(|known| known.expected.is_of(baseline))?;
        let (found, validation) = known.verdicts.get(name)?;
        let enough = *found == ValidationDepth::Thorough || depth == ValidationDepth::FirstFailure;
        enough.then(|| Validation { shared: true, seconds: 0.0, ..validation.clone() })
    }

    /// Keeps what was found out about a candidate. What is not sure of itself is found out anew every time.
    pub(crate) fn keep(
        &self,
        baseline: &Baseline,
        name: &str,
        depth: ValidationDepth,
        validation: &Validation,
    ) {
        // What fails now and then, and what had no end on a busy machine, may come out otherwise.
        let is_slow = validation.verdict == Verdict::TimedOut || !validation.measured.is_empty();
        if is_slow || !validation.flaky.is_empty() {
            return;
        }
        let mut known = lock(&self.0);
        let known = match known.take().filter(|known| known.expected.is_of(baseline)) {
            Some(same) => known.insert(same),
            None => {
                known.insert(CachedVerdicts { expected: Expected::of(baseline), verdicts: HashMap::new() })
            }
        };
        let thorough = known.verdicts.get(name).is_some_and(|(found, _)| *found == ValidationDepth::Thorough);
        if depth == ValidationDepth::Thorough || !thorough {
            known.verdicts.insert(name.to_owned(), (depth, validation.clone()));
        }
    }
}
