//! Which drafts of a place come first.

use std::collections::HashSet;

use crate::Pattern;
use crate::draft::{Draft, Drafts};
use crate::site::Site;
use crate::table::all;

/// Drafts of one pattern: beyond these, they are noise.
const DRAFTS: usize = 400;
/// A pattern whose drafts are all unlikely is not drowned, and one with hundreds does not drown others: the k-th is worth
/// less than the first by this for each place, the more the less likely the pattern.
const FADING: f64 = 0.15;

/// A draft with what speaks for it.
pub(crate) struct Ranked {
    /// The pattern's weight and how near its ingredients are.
    pub(crate) likelihood: f64,
    pub(crate) pattern: &'static Pattern,
    pub(crate) draft: Draft,
}

/// All that the patterns make of a place, the best first and what is marked last. Nothing is known yet of the text that
/// a draft gives: it may be that of another, or not parse.
pub(crate) fn ranked(site: &Site) -> Vec<Ranked> {
    let mut found: Vec<Ranked> = Vec::new();
    for pattern in all() {
        let mut drafts = Drafts::default();
        (pattern.generate)(site, &mut drafts);
        let inserts = |draft: &Draft| draft.splices.iter().all(|splice| splice.range.is_empty());
        for draft in &mut drafts.all {
            // Where code is missing, what is added counts for more than what is changed.
            if site.omission && !inserts(draft) {
                draft.nearness *= 0.5;
            }
        }
        drafts.all.sort_by(|left, right| right.nearness.total_cmp(&left.nearness));
        let mut seen = HashSet::new();
        drafts.all.retain(|draft| seen.insert(draft.splices.clone()));
        for (place, draft) in drafts.all.into_iter().take(DRAFTS).enumerate() {
            let fading = 1.0 / (1.0 + FADING * (1.2 - pattern.weight) * place as f64);
            found.push(Ranked { likelihood: pattern.weight * draft.nearness * fading, pattern, draft });
        }
    }
    // Equal ones stay in the order of the table: the sort is stable.
    found.sort_by(|left, right| {
        let marked = |one: &Ranked| one.draft.overfit.is_some();
        marked(left).cmp(&marked(right)).then(right.likelihood.total_cmp(&left.likelihood))
    });
    found
}
