//! What a replacement whose indentation had to be guessed may not do: break the syntax, or move code that it does not name.

use std::collections::BTreeMap;

use patchwright_syntax::{Language, Step, new_syntax_error, walk};

use crate::matching::{Lines, Match};
use crate::spliced::Splice;

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
    // For each node that is open: the jumps in it that nothing stands behind so far.
    let mut open = vec![0];
    walk(&tree, |step| {
        match step {
            Step::Enter(node) => {
                if let Some(jumps) = open.last_mut().filter(|_| node.is_named() && !node.is_extra()) {
                    found += std::mem::take(jumps);
                    *jumps = usize::from(JUMPS.contains(&node.kind()));
                }
                open.push(0);
            }
            Step::Leave(_) => drop(open.pop()),
        }
        true
    });
    found
}

/// What holds a definition with its decorators.
const DECORATED: &str = "decorated_definition";

/// For the row of each statement, from 0, the rows of the statements whose blocks it stands in, the innermost first.
fn owners(language: Language, text: &str) -> BTreeMap<usize, Vec<usize>> {
    let Some(tree) = language.parse(text) else { return BTreeMap::new() };
    let block = language.entry().block;
    let mut found = BTreeMap::new();
    // The kind and the row of each node that is open, and the rows of those whose blocks are.
    let mut open: Vec<(&str, usize)> = Vec::new();
    let mut blocks: Vec<usize> = Vec::new();
    walk(&tree, |step| {
        match step {
            Step::Enter(node) => {
                let row = node.start_position().row;
                // A decorator makes no block.
                let in_block = open.len() == 1
                    || open.last().is_some_and(|(kind, _)| *kind == block || *kind == DECORATED);
                if in_block && node.is_named() && !node.is_extra() {
                    found.entry(row).or_insert_with(|| blocks.iter().rev().copied().collect());
                }
                if node.kind() == block {
                    blocks.extend(open.last().map(|(_, row)| *row));
                }
                open.push((node.kind(), row));
            }
            Step::Leave(node) => {
                open.pop();
                if node.kind() == block && !open.is_empty() {
                    blocks.pop();
                }
            }
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn python() -> Language {
        Language::by_name("python").unwrap()
    }

    #[test]
    fn statements_are_known_by_the_blocks_that_they_stand_in() {
        let text = "a = 1\nif a:\n    b; c\n    while b:\n        # why\n        d()\ne = [\n    1]\n";
        let expect = [(0, vec![]), (1, vec![]), (2, vec![1]), (3, vec![1]), (5, vec![3, 1]), (6, vec![])];
        assert_eq!(owners(python(), text), BTreeMap::from(expect));
    }

    #[test]
    fn a_jump_counts_once_something_stands_behind_it() {
        for (body, expect) in [
            ("return 1", 0),
            ("return 1\n    # why", 0),
            ("return 1\n    x()\n    y()", 1),
            ("return 1\n    return 2\n    x()", 2),
            ("if a:\n        return 1\n    x()", 0),
        ] {
            assert_eq!(unreachable(python(), &format!("def f(a):\n    {body}\n")), expect, "{body}");
        }
    }

    #[test]
    fn a_long_text_takes_as_long_as_its_parts() {
        for times in [1, 10] {
            let (count, depth) = (20_000 * times, 2_000 * times);
            // Hours, were each node's parents or siblings looked for from the root.
            let nested = format!("x = {}{}\n", "[".repeat(depth), "]".repeat(depth));
            let text = format!("def f():\n{}{}", "    return 1\n".repeat(count), nested.repeat(10));
            assert_eq!(unreachable(python(), &text), count - 1);
            assert_eq!(owners(python(), &text).len(), 1 + count + 10);
        }
    }
}
