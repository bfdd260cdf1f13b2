//! Diffs that abbreviate removed lines with `...`.

use patchwright_syntax::{Language, line_number};

use crate::edit::Replacement;
use crate::located::{Located, MatchFailure};
use crate::matching::{self, Indentation, Lines, Match, MatchLevel, is_elision};
use crate::readings::{Placed, Placing};

/// Whether every `...` of a diff is a removed line between removed lines.
pub(crate) fn removes_elided(replacement: &Replacement, old: &[&str], new: &[&str]) -> bool {
    let signs: Vec<char> = replacement.signs.chars().filter(|sign| *sign != '+').collect();
    let is_removed = |at: usize| signs.get(at) == Some(&'-');
    let inside = |at: usize| at > 0 && (at - 1..=at + 1).all(is_removed);
    matching::segments(new).is_none() && (0..old.len()).all(|at| !is_elision(old[at]) || inside(at))
}

/// Replaces everything from the first to the last line of a match, including the lines that `...` stands for.
pub(crate) fn without_elided(
    file: &Lines,
    language: Option<Language>,
    place: &Match,
    new: &[&str],
) -> Result<Located, MatchFailure> {
    let (first, last) = (place.first(), place.last());
    if place.indentation != Indentation::SAME {
        let reason = "`...` stands for lines that would be removed, and the lines around it have another indentation in the file";
        return Err(MatchFailure::Unclear(reason.to_owned()));
    }
    let old: Vec<&str> = (first..=last).map(|line| file.get(line)).collect();
    let place = &Match::exact(first, old.len());
    let Placed { splices, .. } = Placing { file, language, old: &old, new, place, is_diff: true }.placed()?;
    let note = format!(
        "`...` stands for lines between line {} and line {}, which are removed",
        line_number(first),
        line_number(last)
    );
    Ok(Located { level: MatchLevel::Fuzzy, splices, note: Some(note) })
}
