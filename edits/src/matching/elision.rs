//! Texts that leave lines out with `...`.

use patchwright_syntax::pattern::{Pattern, pattern};

use super::{Indentation, Lines, Match, MatchLevel, Segment, indentation};

/// The most ways to put the segments together that are looked at: two are one too many.
const ENOUGH: usize = 2;

/// The most steps that the search for them may take.
const STEPS: usize = 20_000;

/// A line that stands for lines that were left out: `...`, or a comment that begins with it or holds it at both ends.
pub(crate) fn is_elision(line: &str) -> bool {
    static ELISION: Pattern = pattern!(
        r"^\s*(?:(?:\.{3,}|…)|(?:#|//|/\*|<!--|--|;)\s*(?:\.{3,}|…)(?:[^()]*(?:\.{3,}|…))?\s*(?:\*/|-->)?)\s*$"
    );
    ELISION.is_match(line)
}

/// The first line that stands for code in words: `# ... existing code ...`, `// rest of the method unchanged`. Code is never left
/// out like that, so a replacement with such a line would put the line in the place of the code.
pub(crate) fn placeholder<'l>(lines: &[&'l str]) -> Option<&'l str> {
    static PLACEHOLDER: Pattern = pattern!(
        r"(?i)^\s*(?:#|//|/\*|<!--|--|;)\s*(?:\.{3,}|…|\[?\(?(?:the )?(?:rest|remainder|remaining) (?:of|code|is)|(?:same|existing|previous|unchanged|other) (?:code|body|implementation|lines|as before))"
    );
    let stands = |line: &&&str| PLACEHOLDER.is_match(line);
    lines.iter().find(stands).copied()
}

/// The runs of lines between elisions; none when there is no elision. At the ends a run may be empty.
pub(crate) fn segments(text: &[&str]) -> Option<Vec<std::ops::Range<usize>>> {
    let marks: Vec<usize> = (0..text.len()).filter(|at| is_elision(text[*at])).collect();
    if marks.is_empty() {
        return None;
    }
    let starts = std::iter::once(0).chain(marks.iter().map(|mark| mark + 1));
    let ends = marks.iter().copied().chain(std::iter::once(text.len()));
    Some(starts.zip(ends).map(|(start, end)| start..end).collect())
}

/// The places of a text with elisions: all segments in their order, at one difference in indentation, and what is left out between two
/// of them no shallower than they are.
pub(super) fn places(file: &Lines, text: &[&str]) -> Vec<Match> {
    let Some(segments) = segments(text) else { return Vec::new() };
    let kept: Vec<_> = segments.into_iter().filter(|lines| !lines.is_empty()).collect();
    let candidates: Vec<Vec<usize>> = kept.iter().map(|lines| starts(file, &text[lines.clone()])).collect();
    if candidates.is_empty() || candidates.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    let mut search = Search { file, text, kept: &kept, candidates: &candidates, found: Vec::new(), steps: 0 };
    search.extend(&mut Vec::new());
    search.found
}

/// The lines at which a segment can begin.
fn starts(file: &Lines, text: &[&str]) -> Vec<usize> {
    let last = file.count().checked_sub(text.len());
    let same = |start: &usize| {
        let pairs = text.iter().enumerate().map(|(at, line)| (*line, file.get(start + at)));
        pairs.into_iter().all(|(written, own)| written.trim() == own.trim())
    };
    last.map_or_else(Vec::new, |last| (0..=last).filter(same).collect())
}

struct Search<'s, 't> {
    file: &'s Lines<'t>,
    text: &'s [&'s str],
    kept: &'s [std::ops::Range<usize>],
    candidates: &'s [Vec<usize>],
    found: Vec<Match>,
    steps: usize,
}

impl Search<'_, '_> {
    /// Adds the next segment to those that are placed.
    fn extend(&mut self, placed: &mut Vec<usize>) {
        let candidates = self.candidates;
        let Some(options) = candidates.get(placed.len()) else {
            self.found.extend(self.matched(placed));
            return;
        };
        for start in options {
            self.steps += 1;
            if self.found.len() >= ENOUGH || self.steps > STEPS {
                return;
            }
            if self.follows(placed, *start) {
                placed.push(*start);
                self.extend(placed);
                placed.pop();
            }
        }
    }

    /// Is true if the next segment can begin here: behind the one before, in the same block.
    fn follows(&self, placed: &[usize], start: usize) -> bool {
        let Some(before) = placed.last() else { return true };
        let end = before + self.kept[placed.len() - 1].len();
        let depth = |line: usize| indentation(self.file.get(line)).len();
        // A line that opens a block is no part of it.
        let opens = usize::from(depth(start) > depth(end.saturating_sub(1)));
        let least = depth(start).min(depth(end.saturating_sub(1)) + opens);
        let in_block = |line: usize| self.file.get(line).trim().is_empty() || depth(line) >= least;
        start >= end && (end..start).all(in_block)
    }

    fn matched(&self, placed: &[usize]) -> Option<Match> {
        let placed = || self.kept.iter().zip(placed);
        let pairs = placed().flat_map(|(lines, start)| {
            lines.clone().zip(*start..).map(|(line, own)| (self.text[line], self.file.get(own)))
        });
        let segment = |(lines, start): (&std::ops::Range<usize>, &usize)| Segment {
            lines: lines.clone(),
            at: (*start..start + lines.len()).map(Some).collect(),
        };
        Some(Match {
            level: MatchLevel::Fuzzy,
            indentation: Indentation::of_lines(pairs)?,
            segments: placed().map(segment).collect(),
            score: 1.0,
            typos: Vec::new(),
        })
    }
}
