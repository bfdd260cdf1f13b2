//! From lines that were found to the bytes that change: what old and new have in common stays as the file has it.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::matching::{self, Lines, Match, MatchLevel, Segment, Shift};
use crate::replace::MatchFailure;

/// Bytes of a text that become others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Splice {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

/// A text after its splices, which are in any order; `None` where two of them overlap.
pub(crate) fn spliced(text: &str, splices: &[Splice]) -> Option<String> {
    let mut sorted: Vec<&Splice> = splices.iter().collect();
    sorted.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for splice in sorted {
        result.push_str(text.get(at..splice.range.start)?);
        result.push_str(&splice.text);
        at = splice.range.end;
    }
    result.push_str(text.get(at..)?);
    Some(result)
}

/// The splice that puts a text of whole lines before a line.
pub(crate) fn inserted(file: &Lines, at: usize, text: &str) -> Splice {
    let place = file.start(at);
    let text = if file.is_open_at(at) { format!("{}{text}", file.usual_end()) } else { text.to_owned() };
    Splice { range: place..place, text }
}

/// The splices that make the old lines at a place the new ones. Lines that both have stay as the file has them.
pub(crate) fn rewritten(
    file: &Lines,
    old: &[&str],
    new: &[&str],
    place: &Match,
) -> Result<Vec<Splice>, MatchFailure> {
    let parts = new_parts(old, new, place)?;
    let mut splices = Vec::new();
    for (segment, new) in place.segments.iter().zip(parts) {
        let old = &old[segment.lines.clone()];
        splices.extend(rewritten_segment(file, old, new, segment, place.level, &place.shift)?);
    }
    Ok(splices)
}

/// The splices that make lines of a file, from `first` on, others. Lines that both have stay as they are.
pub(crate) fn rewritten_lines(
    file: &Lines,
    first: usize,
    old: &[&str],
    new: &[&str],
) -> Result<Vec<Splice>, MatchFailure> {
    let at = (first..first + old.len()).map(Some).collect();
    let segment = Segment { lines: 0..old.len(), at };
    rewritten_segment(file, old, new, &segment, MatchLevel::Exact, &Shift::None)
}

/// The new lines, cut where the old ones are.
fn new_parts<'n>(
    old: &[&str],
    new: &'n [&'n str],
    place: &Match,
) -> Result<Vec<&'n [&'n str]>, MatchFailure> {
    if let [Segment { lines, .. }] = place.segments.as_slice()
        && *lines == (0..old.len())
    {
        return Ok(vec![new]);
    }
    let reason = "`...` must leave out the same lines in the text to find and in its replacement";
    let unclear = || MatchFailure::Unclear(reason.to_owned());
    let old_parts = matching::segments(old).ok_or_else(unclear)?;
    let new_parts = matching::segments(new).ok_or_else(unclear)?;
    let same = old_parts.len() == new_parts.len();
    let ends_agree = old_parts.iter().zip(&new_parts).all(|(old, new)| !old.is_empty() || new.is_empty());
    if !same || !ends_agree {
        return Err(unclear());
    }
    let kept = old_parts.iter().zip(new_parts).filter(|(old, _)| !old.is_empty());
    Ok(kept.map(|(_, lines)| &new[lines]).collect())
}

fn rewritten_segment(
    file: &Lines,
    old: &[&str],
    new: &[&str],
    segment: &Segment,
    level: MatchLevel,
    shift: &Shift,
) -> Result<Vec<Splice>, MatchFailure> {
    // Where the match saw through white space at line ends, so must the comparison of old and new.
    let compared = |line: &&'_ str| {
        if level == MatchLevel::Exact { (*line).to_owned() } else { line.trim_end().to_owned() }
    };
    let left: Vec<String> = old.iter().map(compared).collect();
    let right: Vec<String> = new.iter().map(compared).collect();
    let mut splices = Vec::new();
    for operation in capture_diff_slices(Algorithm::Myers, &left, &right) {
        if operation.tag() == DiffTag::Equal {
            continue;
        }
        let lines = shifted(&new[operation.new_range()], shift)?;
        splices.extend(splice_of(file, segment, operation.old_range(), &lines));
    }
    Ok(splices)
}

fn shifted(lines: &[&str], shift: &Shift) -> Result<Vec<String>, MatchFailure> {
    let reason = "the text stands at another indentation in the file, and that of its replacement cannot be brought in line";
    let shifted = lines.iter().map(|line| shift.apply(line)).collect::<Option<_>>();
    shifted.ok_or_else(|| MatchFailure::Unclear(reason.to_owned()))
}

/// The splice that puts lines in the place of some lines of a segment.
fn splice_of(file: &Lines, segment: &Segment, old: Range<usize>, lines: &[String]) -> Option<Splice> {
    let usual = file.usual_end();
    let mut own = segment.at[old.clone()].iter().filter_map(|at| *at);
    if let Some(first) = own.next() {
        let last = own.next_back().unwrap_or(first);
        let mut text = lines.join(usual);
        if !lines.is_empty() {
            text.push_str(file.end_of(last));
        }
        return Some(Splice { range: file.range(first..last + 1), text });
    }
    if lines.is_empty() {
        return None;
    }
    let before = segment.at[..old.start].iter().rev().find_map(|at| *at);
    let after = segment.at[old.end..].iter().find_map(|at| *at);
    let at = before.map_or(after.unwrap_or(0), |before| before + 1);
    let text = lines.join(usual);
    Some(inserted(file, at, &if file.is_open_at(at) { text } else { text + usual }))
}
