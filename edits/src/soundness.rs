//! What a replacement whose indentation had to be guessed may not do: break the syntax, or move code that it does not name.

use std::collections::BTreeMap;

use patchwright_syntax::{Language, new_syntax_error, visit};
use tree_sitter::Node;

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

/// What a file was before a replacement.
pub(crate) struct Checks<'f> {
    language: Language,
    file: &'f Lines<'f>,
    /// The blocks of its statements, where indentation forms them.
    owners: BTreeMap<usize, Vec<usize>>,
}

impl<'f> Checks<'f> {
    pub(crate) fn new(language: Language, file: &'f Lines<'f>) -> Self {
        let indented = language.entry().indented;
        let owners = if indented { owners(language, file.raw()) } else { BTreeMap::new() };
        Self { language, file, owners }
    }

    /// Is true if there is more code that no run reaches in the file after a replacement, where indentation forms blocks.
    pub(crate) fn is_cut_off(&self, after: &str) -> bool {
        self.language.entry().indented
            && unreachable(self.language, after) > unreachable(self.language, self.file.raw())
    }

    /// What is wrong with the file after a replacement at a place.
    pub(crate) fn fault(&self, after: &str, splices: &[Splice], place: &Match) -> Option<Fault> {
        if new_syntax_error(self.language, self.file.raw(), after).is_some() {
            return Some(Fault::Syntax);
        }
        if self.owners.is_empty() {
            return None;
        }
        let rows = Rows::new(self.file.raw(), splices);
        let after = owners(self.language, after);
        let named = place.first()..=place.last();
        let stays = |row: usize, owners: &[usize]| {
            let Some(now) = rows.after(row).and_then(|row| after.get(&row)) else { return false };
            // A line that was rewritten stands for itself.
            let same = |(owner, now): (&usize, &usize)| {
                rows.after(*owner).map_or_else(|| rows.is_new(*now), |owner| owner == *now)
            };
            owners.len() == now.len() && owners.iter().zip(now).all(same)
        };
        let mut others = self.owners.iter().filter(|(row, _)| !named.contains(*row));
        let (row, _) = others.find(|(row, owners)| !stays(**row, owners))?;
        Some(Fault::Moved(self.file.get(*row).trim().to_owned()))
    }
}

/// The statements that nothing in their block runs behind.
const JUMPS: &[&str] = &["return_statement", "raise_statement", "continue_statement", "break_statement"];

/// The number of statements that stand right behind a jump, so that no run reaches them.
fn unreachable(language: Language, text: &str) -> usize {
    let Some(tree) = language.parse(text) else { return 0 };
    let mut found = 0;
    visit(tree.root_node(), |node| {
        let mut behind = std::iter::successors(node.next_named_sibling(), Node::next_named_sibling);
        found += usize::from(JUMPS.contains(&node.kind()) && behind.any(|next| !next.is_extra()));
        true
    });
    found
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
            let ancestors = std::iter::successors(parent, Node::parent);
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
