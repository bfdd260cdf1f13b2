//! The order of the mutations of a location.

use std::collections::HashSet;

use crate::Pattern;
use crate::mutation::{Mutation, Mutations};
use crate::site::Site;
use crate::table::all;

/// Mutations of one pattern: beyond these, they are noise.
const MAX_RANKED: usize = 400;
/// A pattern whose mutations are all unlikely is not drowned, and one with hundreds does not drown others: the k-th is worth
/// less than the first by this for each place, the more the less likely the pattern.
const FADING: f64 = 0.15;

/// A mutation with its likelihood.
pub(crate) struct RankedMutation {
    /// The pattern's weight and how near its ingredients are.
    pub(crate) likelihood: f64,
    pub(crate) pattern: &'static Pattern,
    pub(crate) mutation: Mutation,
}

/// All that the patterns make of a place, the best first and what is likely to overfit last. Nothing is known yet of the text that
/// a mutation gives: it may be that of another, or not parse.
pub(crate) fn rank(site: &Site) -> Vec<RankedMutation> {
    let mut found: Vec<RankedMutation> = Vec::new();
    for pattern in all() {
        let mut mutations = Mutations::new(site);
        (pattern.generate)(site, &mut mutations);
        // Where code is missing, what is added counts for more than what is changed.
        let changes = |mutation: &&mut Mutation| mutation.splices.iter().any(|one| !one.range.is_empty());
        for mutation in mutations.all.iter_mut().filter(|_| site.omission).filter(changes) {
            mutation.proximity *= 0.5;
        }
        mutations.all.sort_by(|left, right| right.proximity.total_cmp(&left.proximity));
        let mut seen = HashSet::new();
        mutations.all.retain(|mutation| seen.insert(mutation.splices.clone()));
        for (index, mutation) in mutations.all.into_iter().take(MAX_RANKED).enumerate() {
            let fading = 1.0 / (1.0 + FADING * (1.2 - pattern.weight) * index as f64);
            found.push(RankedMutation {
                likelihood: pattern.weight * mutation.proximity * fading,
                pattern,
                mutation,
            });
        }
    }
    // Equal ones stay in the order of the table: the sort is stable.
    found.sort_by(|left, right| {
        let overfitting = |one: &RankedMutation| one.mutation.overfit.is_some();
        overfitting(left).cmp(&overfitting(right)).then(right.likelihood.total_cmp(&left.likelihood))
    });
    found
}
