//! What a replacement whose indentation had to be guessed may not do: break the syntax, or move code that it does not name.

use std::collections::BTreeMap;

use patchwright_syntax::{Language, new_syntax_error, visit};

use crate::matching::{Lines, Match};
use crate::rewrite::Splice;

/// The reason for which a result cannot be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It cannot be parsed.
    Syntax,
    /// This line, which the edit does not name, belongs to another block.
    Moved(String),
}

/// What is wrong with a file after a replacement at a place.
pub(crate) fn fault(
    language: Language,
    file: &Lines,
    after: &str,
    splices: &[Splice],
    place: &Match,
) -> Option<Fault> {
    if new_syntax_error(language, file.raw(), after).is_some() {
        return Some(Fault::Syntax);
    }
    if !language.entry().indented {
        return None;
    }
    let rows = Rows::new(file.raw(), splices);
    let (before, after) = (owners(language, file.raw()), owners(language, after));
    let named = place.first()..=place.last();
    let stays = |(row, owners): (&usize, &Vec<usize>)| {
        let Some(now) = rows.after(*row).and_then(|row| after.get(&row)) else { return false };
        let known: Vec<Option<usize>> = owners.iter().map(|owner| rows.after(*owner)).collect();
        // A line that was rewritten stands for itself.
        known.len() == now.len()
            && known
                .iter()
                .zip(now)
                .all(|(known, now)| known.map_or_else(|| rows.is_new(*now), |known| known == *now))
    };
    let moved = before.iter().find(|(row, owners)| !named.contains(*row) && !stays((row, owners)))?;
    Some(Fault::Moved(file.get(*moved.0).trim().to_owned()))
}

/// For the row of each statement, from 0, the rows of the statements whose blocks it stands in, the innermost first.
fn owners(language: Language, text: &str) -> BTreeMap<usize, Vec<usize>> {
    let Some(tree) = language.parse(text) else { return BTreeMap::new() };
    let block = language.entry().block;
    let mut found = BTreeMap::new();
    visit(tree.root_node(), |node| {
        let parent = node.parent();
        let is_statement = node.is_named()
            && !node.is_extra()
            && parent.is_some_and(|parent| parent.kind() == block || parent.parent().is_none());
        if is_statement {
            let ancestors = std::iter::successors(parent, |node| node.parent());
            let blocks = ancestors.filter(|node| node.kind() == block).filter_map(|block| block.parent());
            let rows = blocks.map(|owner| owner.start_position().row).collect();
            found.entry(node.start_position().row).or_insert(rows);
        }
        true
    });
    found
}

/// The rows of a text after splices of whole lines.
struct Rows {
    /// The first row, the rows that go, and those that come.
    changes: Vec<(usize, usize, usize)>,
}

impl Rows {
    fn new(raw: &str, splices: &[Splice]) -> Self {
        let change = |splice: &Splice| {
            let first = raw[..splice.range.start].matches('\n').count();
            (first, raw[splice.range.clone()].lines().count(), splice.text.lines().count())
        };
        let mut changes: Vec<_> = splices.iter().map(change).collect();
        changes.sort_unstable();
        Self { changes }
    }

    /// The row that a row becomes; `None` if it was rewritten.
    fn after(&self, row: usize) -> Option<usize> {
        let before = self.changes.iter().take_while(|(first, _, _)| *first <= row);
        before
            .clone()
            .all(|(first, gone, _)| row >= first + gone)
            .then(|| before.fold(row, |row, (_, gone, new)| row + new - gone))
    }

    /// Is true if a row after the splices is theirs.
    fn is_new(&self, row: usize) -> bool {
        let mut shift = 0;
        self.changes.iter().any(|(first, gone, new)| {
            let start = first.saturating_add_signed(shift);
            shift += new.cast_signed() - gone.cast_signed();
            (start..start + new).contains(&row)
        })
    }
}
