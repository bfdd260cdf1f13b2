//! Which proposals come first.

use std::collections::BTreeSet;

use crate::draft::{Draft, Drafts};
use crate::edit_of::{edit_of, spliced};
use crate::file::File;
use crate::site::Site;
use crate::table::all;
use crate::{Pattern, Proposal};

/// Proposals of one place: beyond these, the next place is the better try.
const MOST: usize = 400;
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
        for (place, draft) in drafts.all.into_iter().enumerate() {
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
    let mut check = Check::of(site.file);
    for (likelihood, pattern, draft) in open {
        if found.len() >= MOST {
            break;
        }
        let Some((edit, line)) = edit_of(site.file, &draft.splices) else { continue };
        let Some(after) = spliced(&site.file.text, &draft.splices) else { continue };
        if after == site.file.text || seen.contains(&after) || !check.is_sound(&draft, &after) {
            continue;
        }
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

/// Finds out whether a text parses, by parsing again only what changed.
struct Check<'f> {
    file: &'f File,
    errors: usize,
}

impl<'f> Check<'f> {
    fn of(file: &'f File) -> Self {
        Self { file, errors: errors_in(&file.tree) }
    }

    fn is_sound(&mut self, draft: &Draft, after: &str) -> bool {
        let mut tree = self.file.tree.clone();
        // From the end to the begin, so that no splice shifts another.
        let mut splices: Vec<_> = draft.splices.iter().collect();
        splices.sort_by_key(|splice| std::cmp::Reverse(splice.range.start));
        for splice in splices {
            tree.edit(&tree_sitter::InputEdit {
                start_byte: splice.range.start,
                old_end_byte: splice.range.end,
                new_end_byte: splice.range.start + splice.text.len(),
                start_position: self.point(splice.range.start),
                old_end_position: self.point(splice.range.end),
                new_end_position: moved(self.point(splice.range.start), &splice.text),
            });
        }
        self.file.language.parse_again(after, &tree).is_some_and(|tree| errors_in(&tree) <= self.errors)
    }

    fn point(&self, byte: usize) -> tree_sitter::Point {
        let row = self.file.row_of(byte);
        tree_sitter::Point { row, column: byte - self.file.start_of(row) }
    }
}

fn moved(from: tree_sitter::Point, text: &str) -> tree_sitter::Point {
    match text.rfind('\n') {
        Some(last) => {
            tree_sitter::Point { row: from.row + text.matches('\n').count(), column: text.len() - last - 1 }
        }
        None => tree_sitter::Point { row: from.row, column: from.column + text.len() },
    }
}

/// How many places of a tree do not parse.
fn errors_in(tree: &tree_sitter::Tree) -> usize {
    let mut count = 0;
    crate::file::visit(tree.root_node(), |node| {
        if node.is_error() || node.is_missing() {
            count += 1;
        }
        node.has_error()
    });
    count
}
