//! The places of a text in a file: exactly, or on the first level of a ladder that has one place for it.
//!
//! The levels are: the same text; the same but for white space at line ends; the same but for blank lines; the same at
//! another indentation, of the first line or of all; the same with lines left out (`...`); the same but for typos. A level with more than one
//! place ends the search: the levels below it could only add to them. Code that the file does not contain has no place.

mod elision;
mod first_line;
mod indentation;
mod lines;
mod nearest;
mod typos;

use std::ops::Range;

pub(crate) use elision::{is_elision, placeholder, segments};
pub(crate) use indentation::{Shift, dedented, indentation, may_have_lost, unit};
pub(crate) use lines::{Lines, split, usual_end, with_plain_ends};
pub(crate) use nearest::{Nearest, nearest};
use typos::TypoTolerance;
pub(crate) use typos::corrected;

/// On average the lines of a text with typos must be so much alike.
const ALIKE: f64 = 0.9;

/// One line of code with a typo is allowed for so many lines.
const LINES_PER_TYPO: usize = 4;

/// The degree to which a text agreed with the place that was found for it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MatchLevel {
    /// To the letter, whatever the line ends.
    Exact,
    /// But for white space at the end of lines, or blank lines.
    Whitespace,
    /// At another indentation.
    Indent,
    /// But for typos, or with lines left out.
    Fuzzy,
}

/// A run of lines of a text and what stands for them in the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Segment {
    /// The lines of the text.
    pub(crate) lines: Range<usize>,
    /// For each of them its line of the file; `None` for a blank line that the file does not have.
    pub(crate) at: Vec<Option<usize>>,
}

/// A place for a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Match {
    pub(crate) level: MatchLevel,
    /// One segment, or those between elisions.
    pub(crate) segments: Vec<Segment>,
    pub(crate) indentation: Indentation,
    /// The similarity, from 0 to 1.
    pub(crate) score: f64,
    /// Words with a typo, as they are written and as the file has them.
    pub(crate) typos: Vec<(String, String)>,
}

/// The difference in indentation between a text and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Indentation {
    /// The change that makes lines of the text lines of the file.
    pub(crate) shift: Shift,
    /// Is true if the first line with code has less than that.
    pub(crate) first_lost: bool,
}

impl Indentation {
    pub(crate) const SAME: Self = Self { shift: Shift::None, first_lost: false };

    /// What makes the first of each pair the second, if that can be said of all of them.
    fn between(pairs: &[(&str, &str)]) -> Option<Self> {
        let all = |shift| Self { shift, first_lost: false };
        Shift::by_blanks(pairs)
            .map(all)
            .or_else(|| first_line::lost(pairs).map(|shift| Self { shift, first_lost: true }))
            .or_else(|| Shift::by_units(pairs).map(all))
    }

    /// The difference between written lines and those of the file; blank ones have none.
    fn of_lines<'l>(pairs: impl Iterator<Item = (&'l str, &'l str)>) -> Option<Self> {
        let depths: Vec<(&str, &str)> = pairs
            .filter(|(written, _)| !written.trim().is_empty())
            .map(|(written, own)| (indentation(written), indentation(own)))
            .collect();
        Self::between(&depths)
    }
}

impl Match {
    /// Whole lines of a file, from `first` on, as they stand there.
    pub(crate) fn exact(first: usize, count: usize) -> Self {
        let at = (first..first + count).map(Some).collect();
        let segments = vec![Segment { lines: 0..count, at }];
        let (level, indentation) = (MatchLevel::Exact, Indentation::SAME);
        Self { level, segments, indentation, score: 1.0, typos: Vec::new() }
    }

    /// The first line of the file that it covers, counted from 0.
    pub(crate) fn first(&self) -> usize {
        self.segments.iter().flat_map(|segment| &segment.at).find_map(|at| *at).unwrap_or(0)
    }

    /// The last line.
    pub(crate) fn last(&self) -> usize {
        self.segments.iter().flat_map(|segment| &segment.at).filter_map(|at| *at).next_back().unwrap_or(0)
    }
}

/// All places for some lines in a file, on the first level that has any. `comment` begins a comment in its language.
pub(crate) fn places(file: &Lines, text: &[&str], comment: Option<&'static str>) -> Vec<Match> {
    if text.iter().all(|line| line.trim().is_empty()) {
        return contiguous(file, text, MatchLevel::Exact);
    }
    let levels: [&dyn Fn() -> Vec<Match>; 7] = [
        &|| contiguous(file, text, MatchLevel::Exact),
        &|| contiguous(file, text, MatchLevel::Whitespace),
        // Another blank line is less of a difference than another indentation.
        &|| without_blanks(file, text, MatchLevel::Whitespace),
        &|| contiguous(file, text, MatchLevel::Indent),
        &|| without_blanks(file, text, MatchLevel::Indent),
        &|| elision::places(file, text),
        &|| with_typos(file, text, comment),
    ];
    levels.iter().map(|level| level()).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Places where the lines stand one after the other.
pub(crate) fn contiguous(file: &Lines, text: &[&str], level: MatchLevel) -> Vec<Match> {
    let Some(starts) = file.count().checked_sub(text.len()).filter(|_| !text.is_empty()) else {
        return Vec::new();
    };
    // The line with the most code says soonest that a place is none.
    let probe = (0..text.len()).max_by_key(|at| text[*at].trim().len()).unwrap_or(0);
    (0..=starts)
        .filter(|start| same(text[probe], file.get(start + probe), level))
        .filter_map(|start| {
            let at: Vec<usize> = (start..start + text.len()).collect();
            matched(file, text, &at, level)
        })
        .collect()
}

/// Places where the lines with code stand one after the other, whatever blank lines are between them.
fn without_blanks(file: &Lines, text: &[&str], level: MatchLevel) -> Vec<Match> {
    let code: Vec<usize> = with_code(text.iter().copied());
    let own: Vec<usize> = with_code(file.iter());
    let written: Vec<&str> = code.iter().map(|at| text[*at]).collect();
    let probe = (0..written.len()).max_by_key(|at| written[*at].trim().len()).unwrap_or(0);
    own.windows(code.len().max(1))
        .filter(|window| same(written[probe], file.get(window[probe]), level))
        .filter_map(|window| {
            let found = matched(file, &written, window, level)?;
            Some(Match { segments: vec![aligned(text.len(), &code, window)], ..found })
        })
        .collect()
}

/// The numbers of the lines that are not blank.
fn with_code<'l>(lines: impl Iterator<Item = &'l str>) -> Vec<usize> {
    lines.enumerate().filter(|(_, line)| !line.trim().is_empty()).map(|(number, _)| number).collect()
}

/// A segment of all lines of a text, of which only those with code have a place.
fn aligned(count: usize, code: &[usize], own: &[usize]) -> Segment {
    let mut at = vec![None; count];
    code.iter().zip(own).for_each(|(line, own)| at[*line] = Some(*own));
    Segment { lines: 0..count, at }
}

/// Is true if two lines may be the same on a level.
fn same(written: &str, own: &str, level: MatchLevel) -> bool {
    match level {
        MatchLevel::Exact => written == own,
        MatchLevel::Whitespace => written.trim_end() == own.trim_end(),
        MatchLevel::Indent | MatchLevel::Fuzzy => written.trim() == own.trim(),
    }
}

/// The match of some lines with these lines of the file, if they are the same on this level.
fn matched(file: &Lines, text: &[&str], at: &[usize], level: MatchLevel) -> Option<Match> {
    let pairs = || text.iter().zip(at).map(|(written, own)| (*written, file.get(*own)));
    if !pairs().all(|(written, own)| same(written, own, level)) {
        return None;
    }
    let indentation =
        if level == MatchLevel::Indent { Indentation::of_lines(pairs())? } else { Indentation::SAME };
    let segment = Segment { lines: 0..text.len(), at: at.iter().copied().map(Some).collect() };
    Some(Match { level, segments: vec![segment], indentation, score: 1.0, typos: Vec::new() })
}

/// Places where the lines with code are the same but for typos.
fn with_typos(file: &Lines, text: &[&str], comment: Option<&'static str>) -> Vec<Match> {
    let code: Vec<usize> = with_code(text.iter().copied());
    let own: Vec<usize> = with_code(file.iter());
    let written: Vec<&str> = code.iter().map(|at| text[*at]).collect();
    let typos = TypoTolerance::new(file.plain(), comment);
    let most = (code.len() / LINES_PER_TYPO).max(1);
    own.windows(code.len().max(1))
        .filter_map(|window| {
            let mut total = 0.0;
            let mut differing = 0;
            for (written, own) in written.iter().zip(window) {
                let alike = typos.alike(written, file.get(*own))?;
                // Spacing and comments may differ as much as they like.
                differing += usize::from(alike < 1.0 && !typos.is_comment(written));
                if differing > most {
                    return None;
                }
                total += alike;
            }
            let score = total / written.len() as f64;
            let pairs = || written.iter().zip(window).map(|(written, own)| (*written, file.get(*own)));
            let indentation = Indentation::of_lines(pairs())?;
            (score >= ALIKE).then(|| Match {
                level: MatchLevel::Fuzzy,
                segments: vec![aligned(text.len(), &code, window)],
                indentation,
                score,
                typos: pairs().flat_map(|(written, own)| typos.words(written, own)).collect(),
            })
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tolerance_tests;
