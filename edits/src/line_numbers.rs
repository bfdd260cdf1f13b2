//! What the line numbers of an edit are worth: diffs of models have wrong ones more often than right ones.

use std::ops::Range;

use crate::edit::Replacement;
use crate::matching::Lines;

/// So many letters and digits in a single new line are no coincidence.
pub(crate) const TELLING: usize = 8;

/// Fewer letters and digits stand at a line by chance: a number alone makes it no place.
const LEAST: usize = 3;

/// What the line numbers of some replacements are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// All old texts stand to the byte at the lines that are said, and one of them hardly by chance: the numbers are those of this file.
    Confirmed,
    /// They stand there, maybe by chance.
    Possible,
    /// One does not.
    Wrong,
}

impl Numbers {
    pub(crate) fn of(file: &Lines, replacements: &[Replacement]) -> Self {
        let mut placed = replacements.iter().filter(|one| !one.search.is_empty());
        let stands_at = |one: &Replacement, line| {
            // The unchanged lines of a diff may have lost their signs.
            at_line(file, &one.search, line).is_some()
                || one.unsigned().is_some_and(|one| at_line(file, &one.search, line).is_some())
        };
        let stands = |one: &Replacement| one.line.is_some_and(|line| stands_at(one, line));
        let telling = replacements.iter().any(|one| letters(&one.search) >= TELLING);
        match (placed.all(stands), telling) {
            (true, true) => Self::Confirmed,
            (true, false) => Self::Possible,
            (false, _) => Self::Wrong,
        }
    }

    /// Whether a number can say which of several places of a text is meant.
    pub(crate) fn choose(self, text: &str) -> bool {
        match self {
            Self::Confirmed => true,
            Self::Possible => letters(text) >= LEAST,
            Self::Wrong => false,
        }
    }
}

/// The letters and digits of a text.
fn letters(text: &str) -> usize {
    text.chars().filter(|letter| letter.is_alphanumeric()).count()
}

/// The bytes of a text that stands at exactly this line.
pub(crate) fn at_line(file: &Lines, text: &str, line: u32) -> Option<Range<usize>> {
    let start = file.start(index(line));
    let rest = &file.raw()[start..];
    let fits = rest.starts_with(text) && (text.ends_with('\n') || rest.len() == text.len());
    fits.then(|| start..start + text.len())
}

/// A line as people count it, from 0.
pub(crate) fn index(line: u32) -> usize {
    usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1)
}
