//! From lines that were found to the bytes that change: what old and new have in common stays as the file has it.

use std::ops::Range;

use patchwright_syntax::line_operations;
use similar::DiffTag;

use crate::located::MatchFailure;
use crate::matching::{self, Lines, Match, MatchLevel, Segment, corrected, indentation};
use crate::spliced::{Splice, inserted};

/// What becomes of the lines at a place.
#[derive(Debug)]
pub(crate) struct Rewritten {
    pub(crate) splices: Vec<Splice>,
    /// The lines with code that stay.
    pub(crate) kept: usize,
}

/// Makes the old lines at a place the new ones, which are cut where the old ones are, and indented as in the file. Lines that both have
/// stay as the file has them.
pub(crate) fn rewritten(file: &Lines, old: &[&str], new: &[Vec<String>], place: &Match) -> Rewritten {
    let mut all = Rewritten { splices: Vec::new(), kept: 0 };
    for (segment, new) in place.segments.iter().zip(new) {
        let window = Window::new(file, &old[segment.lines.clone()], segment, place);
        let pieces = window.pieces(new);
        all.kept +=
            pieces.iter().filter(|piece| matches!(piece, Piece::Keep(at) if is_code(file.get(*at)))).count();
        all.splices.extend(window.splices(pieces));
    }
    all
}

/// The new lines, cut where the old ones are.
pub(crate) fn new_parts<'n, 'l>(
    old: &[&str],
    new: &'n [&'l str],
    place: &Match,
) -> Result<Vec<&'n [&'l str]>, MatchFailure> {
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

/// A line of what a place becomes.
enum Piece {
    /// One that the file has.
    Keep(usize),
    New(String),
}

/// A segment of a place: the lines with code, and the blank lines before, between and behind them.
struct Window<'w, 't> {
    file: &'w Lines<'t>,
    place: &'w Match,
    /// The old lines with code, as they are written.
    written: Vec<String>,
    /// The same, as the file has them where they agree.
    code: Vec<String>,
    /// Their lines in the file.
    own: Vec<usize>,
    /// The old blank lines of each gap, and those that the file has there.
    gaps: Vec<(Vec<String>, Range<usize>)>,
}

impl<'w, 't> Window<'w, 't> {
    fn new(file: &'w Lines<'t>, old: &[&str], segment: &Segment, place: &'w Match) -> Self {
        let (gaps, code) = parted(old.iter().map(|line| (*line).to_owned()));
        let own: Vec<usize> =
            old.iter().zip(&segment.at).filter(|(line, _)| is_code(line)).filter_map(|(_, at)| *at).collect();
        let blank = |line: &usize| *line < file.count() && !is_code(file.get(*line));
        let last = gaps.len() - 1;
        let of_file = |(number, gap): (usize, &Vec<String>)| match (number.checked_sub(1), own.get(number)) {
            (None, None) => {
                let first = segment.at.iter().find_map(|at| *at).unwrap_or(0);
                first..first + gap.len()
            }
            (None, Some(next)) => {
                let count = (0..*next).rev().take_while(blank).take(gap.len()).count();
                next - count..*next
            }
            (Some(before), _) => {
                let first = own[before] + 1;
                let most = if number == last { gap.len() } else { usize::MAX };
                first..first + (first..).take_while(blank).take(most).count()
            }
        };
        let ranges: Vec<Range<usize>> = gaps.iter().enumerate().map(of_file).collect();
        let gaps = gaps.into_iter().zip(ranges).collect();
        let mut window = Self { file, place, written: code, code: Vec::new(), gaps, own };
        let lines = window.written.iter().zip(&window.own);
        window.code = lines.map(|(line, own)| window.as_own(line, *own)).collect();
        window
    }

    /// An old line with the indentation that it has in the file.
    fn as_own(&self, line: &str, own: usize) -> String {
        let own = self.file.get(own);
        match self.place.level {
            MatchLevel::Exact => own.to_owned(),
            MatchLevel::Whitespace | MatchLevel::Indent | MatchLevel::Fuzzy => {
                self.compared(&format!("{}{}", indentation(own), line.trim_start()))
            }
        }
    }

    /// A line as it is compared: where the match saw through white space at line ends and typos, so must this.
    fn compared(&self, line: &str) -> String {
        let line = if self.place.level == MatchLevel::Exact { line } else { line.trim_end() };
        corrected(line, &self.place.typos)
    }

    /// A line that both texts have: as the file has it, but for a change of the white space at its end.
    fn kept(&self, old: usize, new: &str) -> Piece {
        let own = self.own[old];
        let end = |line: &str| line[line.trim_end().len()..].to_owned();
        if end(&self.written[old]) == end(new) {
            return Piece::Keep(own);
        }
        Piece::New(self.file.get(own).trim_end().to_owned() + &end(new))
    }

    /// The lines of what the segment becomes.
    fn pieces(&self, new: &[String]) -> Vec<Piece> {
        let (mut gaps, written) = parted(new.iter().cloned());
        let code: Vec<String> = written.iter().map(|line| self.compared(line)).collect();
        gaps.iter_mut().flatten().for_each(|line| *line = self.compared(line));
        let mut pieces = Vec::new();
        let mut counterparts = vec![None; gaps.len()];
        let mut kept = vec![None; code.len()];
        for operation in line_operations(&self.code, &code) {
            let (old, new) = (operation.old_range(), operation.new_range());
            if operation.tag() == DiffTag::Equal {
                new.clone().zip(old.clone()).skip(1).for_each(|(new, old)| counterparts[new] = Some(old));
                new.zip(old).for_each(|(new, old)| kept[new] = Some(old));
                continue;
            }
            let same = |new: usize, old: usize| self.same(&gaps[new], &self.gaps[old].0);
            if old.is_empty() {
                let behind = same(new.end, old.start);
                counterparts[if behind { new.end } else { new.start }] = Some(old.start);
            } else if new.is_empty() {
                // Of the gaps on both sides of what goes, one stays: the one that the text left, or else the wider one.
                let (before, behind) = (same(new.start, old.start), same(new.start, old.end));
                let wider = self.gaps[old.start].1.len() > self.gaps[old.end].1.len();
                let before = before && (wider || !behind);
                counterparts[new.start] = Some(if before { old.start } else { old.end });
            } else {
                counterparts[new.start] = Some(old.start);
                counterparts[new.end] = Some(old.end);
            }
        }
        // What comes before or behind all code is so in both texts.
        for (new, old) in [(0, 0), (gaps.len() - 1, self.gaps.len() - 1)] {
            if !counterparts.contains(&Some(old)) {
                counterparts[new] = counterparts[new].or(Some(old));
            }
        }
        for (number, gap) in gaps.iter().enumerate() {
            self.blank(gap, counterparts[number], &mut pieces);
            if let Some(line) = written.get(number) {
                let new = || Piece::New(corrected(line, &self.place.typos));
                pieces.push(kept[number].map_or_else(new, |old| self.kept(old, line)));
            }
        }
        pieces
    }

    /// Is true if two gaps have the same blank lines.
    fn same(&self, left: &[String], right: &[String]) -> bool {
        if self.place.level == MatchLevel::Exact { left == right } else { left.len() == right.len() }
    }

    /// The blank lines of a gap: those that the file has, if the text left them as they were; else those of the new text.
    fn blank(&self, gap: &[String], counterpart: Option<usize>, pieces: &mut Vec<Piece>) {
        let Some((old, own)) = counterpart.map(|number| &self.gaps[number]) else {
            return pieces.extend(gap.iter().cloned().map(Piece::New));
        };
        if self.same(gap, old) {
            return pieces.extend(own.clone().map(Piece::Keep));
        }
        let mut own = own.clone();
        for line in gap {
            let known = own.next().filter(|at| self.file.get(*at) == line);
            pieces.push(known.map_or_else(|| Piece::New(line.clone()), Piece::Keep));
        }
    }

    /// The splices that make the lines of the file these.
    fn splices(&self, pieces: Vec<Piece>) -> Vec<Splice> {
        let mut at = self.gaps.first().map_or(0, |(_, own)| own.start);
        let end = self.gaps.last().map_or(at, |(_, own)| own.end);
        let mut splices = Vec::new();
        let mut lines = Vec::new();
        for piece in pieces {
            match piece {
                Piece::New(line) => lines.push(line),
                Piece::Keep(line) => {
                    splices.extend(splice_of(self.file, at..line, &std::mem::take(&mut lines)));
                    at = line + 1;
                }
            }
        }
        splices.extend(splice_of(self.file, at..end, &lines));
        splices
    }
}

fn is_code(line: &str) -> bool {
    !line.trim().is_empty()
}

/// The blank lines before each line with code and behind the last one, and the lines with code.
fn parted(lines: impl Iterator<Item = String>) -> (Vec<Vec<String>>, Vec<String>) {
    let mut gaps = vec![Vec::new()];
    let mut code = Vec::new();
    for line in lines {
        if is_code(&line) {
            code.push(line);
            gaps.push(Vec::new());
        } else if let Some(gap) = gaps.last_mut() {
            gap.push(line);
        }
    }
    (gaps, code)
}

/// The splice that puts lines in the place of some of the file.
fn splice_of(file: &Lines, old: Range<usize>, lines: &[String]) -> Option<Splice> {
    // New lines end as those beside them do.
    let beside = [old.start.checked_sub(1), Some(old.start)].into_iter().flatten();
    let usual = beside.map(|line| file.end_of(line)).find(|end| !end.is_empty()).unwrap_or(file.usual_end());
    let mut text = lines.join(usual);
    if old.is_empty() {
        let open = file.is_open_at(old.start);
        let text = if open { text } else { text + usual };
        return (!lines.is_empty()).then(|| inserted(file, old.start, &text));
    }
    if !lines.is_empty() {
        text.push_str(file.end_of(old.end - 1));
    }
    Some(Splice { range: file.range(old), text })
}
