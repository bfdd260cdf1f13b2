//! Which proposals come first.

use std::collections::BTreeSet;

use crate::draft::{Draft, Drafts};
use crate::edit_of::edit_of;
use crate::site::Site;
use crate::table::all;
use crate::window::Window;
use crate::{Pattern, Proposal};

/// Proposals of one place: beyond these, the next place is the better try.
const MOST: usize = 400;
/// Proposals of one place that are marked, beside those.
const MARKED: usize = 60;
/// Drafts of one pattern: beyond these, they are noise.
const DRAFTS: usize = 400;
/// A pattern whose drafts are all unlikely is not drowned, and one with hundreds does not drown others: the k-th is worth
/// less than the first by this for each place, the more the less likely the pattern.
const FADING: f64 = 0.15;

/// All that the patterns make of a place, the best first.
pub(crate) fn ranked(site: &Site) -> Vec<Proposal> {
    let mut open: Vec<(f64, &'static Pattern, Draft)> = Vec::new();
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
        let mut seen = BTreeSet::new();
        drafts.all.retain(|draft| {
            seen.insert(
                draft
                    .splices
                    .iter()
                    .map(|splice| (splice.range.start, splice.range.end, splice.text.clone()))
                    .collect::<Vec<_>>(),
            )
        });
        for (place, draft) in drafts.all.into_iter().take(DRAFTS).enumerate() {
            let fading = 1.0 / (1.0 + FADING * (1.2 - pattern.weight) * place as f64);
            open.push((pattern.weight * draft.nearness * fading, pattern, draft));
        }
    }
    // Equal ones stay in the order of the table: the sort is stable.
    open.sort_by(|left, right| {
        left.2.overfit.is_some().cmp(&right.2.overfit.is_some()).then(right.0.total_cmp(&left.0))
    });
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut found = Vec::new();
    let (mut plain, mut marked) = (0, 0);
    let window = Window::around(site);
    for (likelihood, pattern, draft) in open {
        let (count, most) = if draft.overfit.is_some() { (&mut marked, MARKED) } else { (&mut plain, MOST) };
        if *count >= most {
            continue;
        }
        let Some(after) = window.after(&draft.splices) else { continue };
        if seen.contains(&after) || !window.parses(&draft.splices, &after) {
            continue;
        }
        let Some((edit, line)) = edit_of(site.file, &draft.splices) else { continue };
        *count += 1;
        seen.insert(after);
        found.push(Proposal {
            pattern,
            path: site.file.path.clone(),
            line,
            edit,
            likelihood: likelihood.clamp(f64::MIN_POSITIVE, 1.0),
            overfit: draft.overfit,
            what: draft.what,
        });
    }
    found
}
