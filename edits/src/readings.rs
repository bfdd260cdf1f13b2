//! The readings of a replacement whose indentation is not that of the text it replaces.
//!
//! A model that strips or shifts one of the two texts seldom does the same to the other. What was meant then shows in three ways: the
//! lines that both texts have stand as they are in the file; the replacement begins where the text does; and the result is sound. The
//! readings that are sound are compared by the first two. Where two are left that mean different code, the edit is refused.

use std::cmp::Reverse;

use patchwright_syntax::{Language, line_operations, normal_form, subtokens};
use similar::DiffTag;

use crate::located::MatchFailure;
use crate::matching::{Indentation, Lines, Match, Shift, corrected, indentation, may_have_lost, unit};
use crate::rewrite::{Rewritten, new_parts, rewritten};
use crate::soundness::{Checks, Fault};
use crate::spliced::{Splice, spliced};

/// The indentation unit of a file that does not show one, in blanks.
const USUAL_UNIT: usize = 4;

/// A way to indent a replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reading {
    shift: Shift,
    /// The indentation of the first line with code, where it is not to be shifted.
    first: Option<String>,
}

impl Reading {
    /// The new lines as the file would have them; `None` where this cannot be said of all of them.
    fn apply(&self, parts: &[&[&str]]) -> Option<Vec<Vec<String>>> {
        let mut first = self.first.as_ref();
        let mut line = |line: &&str| match first.take_if(|_| !line.trim().is_empty()) {
            Some(own) => Some(format!("{own}{}", line.trim_start())),
            None => self.shift.apply(line),
        };
        parts.iter().map(|part| part.iter().map(&mut line).collect()).collect()
    }
}

/// A reading, worked out.
struct Outcome {
    splices: Vec<Splice>,
    /// The file after it.
    after: String,
    /// The lines with code that stay as they are.
    kept: usize,
    /// Is true if the replacement is shifted as the text is.
    alike: bool,
    /// Is true if it begins where the text does.
    begins: bool,
    /// Is true if no line is shallower than those of the text.
    inside: bool,
    fault: Option<Fault>,
}

impl Outcome {
    /// Another reading that comes to the same: what speaks for either speaks for both.
    fn also(&mut self, other: &Self) {
        self.kept = self.kept.max(other.kept);
        self.alike |= other.alike;
        self.begins |= other.begins;
        self.inside |= other.inside;
    }
}

/// What a replacement comes to at its place.
pub(crate) struct Placed {
    pub(crate) splices: Vec<Splice>,
    /// Whether it is indented otherwise than written.
    pub(crate) is_reindented: bool,
}

/// A replacement at the place of its text.
pub(crate) struct Placing<'p> {
    pub(crate) file: &'p Lines<'p>,
    pub(crate) language: Option<Language>,
    pub(crate) old: &'p [&'p str],
    pub(crate) new: &'p [&'p str],
    pub(crate) place: &'p Match,
    /// Whether they come from a diff with unchanged lines.
    pub(crate) is_diff: bool,
}

impl Placing<'_> {
    /// The only reading that makes sense.
    pub(crate) fn placed(&self) -> Result<Placed, MatchFailure> {
        let parts = new_parts(self.old, self.new, self.place)?;
        self.refuse_typos(&parts)?;
        let readings = self.readings();
        let mut outcomes = self.outcomes(&readings, &parts);
        if outcomes.is_empty() {
            return Err(unclear(
                "the text stands at another indentation in the file, and that of its replacement cannot be brought in line",
            ));
        }
        let moved = outcomes.iter().find_map(|outcome| match &outcome.fault {
            Some(Fault::Moved(line)) => Some(unclear(&format!(
                "it would move `{line}`, which it does not name, into another block; name that line too"
            ))),
            Some(Fault::Syntax) | None => None,
        });
        if readings.len() == 1 {
            // Another edit may mend the syntax that this one breaks.
            let splices = outcomes.swap_remove(0).splices;
            return moved.map_or(Ok(Placed { splices, is_reindented: false }), Err);
        }
        let natural = Reading { shift: self.place.indentation.shift.clone(), first: None };
        let written = self.outcome(&natural, &parts).map(|outcome| outcome.after);
        let splices = self.best(outcomes)?.ok_or_else(|| {
            moved.unwrap_or_else(|| {
                unclear("the replacement is not indented as the text to find is; write both as they stand in the file")
            })
        })?;
        let is_reindented = spliced(self.file.raw(), &splices) != written;
        Ok(Placed { splices, is_reindented })
    }

    /// The readings, worked out and checked; those that come to the same once.
    fn outcomes(&self, readings: &[Reading], parts: &[&[&str]]) -> Vec<Outcome> {
        let mut outcomes: Vec<Outcome> = Vec::new();
        for outcome in readings.iter().filter_map(|reading| self.outcome(reading, parts)) {
            match outcomes.iter_mut().find(|known| known.after == outcome.after) {
                Some(known) => known.also(&outcome),
                None => outcomes.push(outcome),
            }
        }
        let checks = self.language.map(|language| Checks::new(language, self.file));
        for outcome in &mut outcomes {
            let fault =
                checks.as_ref().and_then(|checks| checks.fault(&outcome.after, &outcome.splices, self.place));
            outcome.fault = fault;
        }
        outcomes
    }

    /// The splices of the outcome that is meant, of those that are sound; none where none is.
    fn best(&self, mut outcomes: Vec<Outcome>) -> Result<Option<Vec<Splice>>, MatchFailure> {
        let changes = |outcome: &&Outcome| outcome.after != self.file.raw();
        // The first reading is the one without a slip.
        let as_written = outcomes.first().filter(|first| first.fault.is_none() && changes(first));
        let as_written = as_written.filter(|_| self.place.indentation == Indentation::SAME);
        let as_written = as_written.map(|outcome| outcome.splices.clone());
        if self.begin_alike() {
            self.refuse_cut_off(&outcomes)?;
            outcomes.retain(|outcome| outcome.alike);
        }
        outcomes.retain(|outcome| outcome.fault.is_none());
        // Lines that both texts have alike say that both are indented alike.
        let natural = |outcome: &Outcome| outcome.alike && outcome.begins && outcome.inside;
        if self.share_a_line() && outcomes.iter().any(natural) {
            outcomes.retain(|outcome| outcome.alike);
        }
        let most = outcomes.iter().map(|outcome| outcome.kept).max();
        outcomes.retain(|outcome| outcome.begins || Some(outcome.kept) == most);
        let meaning = |outcome: &Outcome| match self.language {
            Some(language) => normal_form(Some(language), outcome.after.as_bytes()),
            None => outcome.after.clone(),
        };
        if outcomes.windows(2).any(|two| meaning(&two[0]) != meaning(&two[1])) {
            return Err(unclear(
                "the replacement is not indented as the text to find is, and may be meant in two ways; write both as they stand in the file",
            ));
        }
        // Of readings that mean the same, the one in the unit of the file.
        let unit = unit(self.file.iter());
        let is_off = |line: &&str| {
            unit.is_some_and(|unit| {
                !indentation(line).replace(unit, "").is_empty() && !line.trim().is_empty()
            })
        };
        let off = |outcome: &Outcome| {
            outcome.splices.iter().flat_map(|splice| splice.text.lines()).filter(is_off).count()
        };
        let order = |outcome: &Outcome| {
            (Reverse(outcome.kept), !outcome.inside, !outcome.begins, off(outcome), outcome.after.len())
        };
        match outcomes.into_iter().min_by_key(order) {
            // Code that only moves to another depth says nothing else than what is written.
            Some(best) if !changes(&&best) => as_written.ok_or(MatchFailure::NoChange).map(Some),
            best => Ok(best.map(|best| best.splices)),
        }
    }

    /// Refuses a replacement that, indented as its text, has code that no run reaches, and indented otherwise has none: the first lines
    /// of both texts may have lost their indentation.
    fn refuse_cut_off(&self, outcomes: &[Outcome]) -> Result<(), MatchFailure> {
        let Some(language) = self.language else { return Ok(()) };
        let checks = Checks::new(language, self.file);
        let any = |alike: bool, cut_off: bool| {
            let mut those = outcomes.iter().filter(|one| one.alike == alike && one.fault.is_none());
            those.any(|one| checks.is_cut_off(&one.after) == cut_off)
        };
        if any(true, true) && any(false, false) {
            return Err(unclear(
                "the replacement has code that is never reached, unless it belongs into another block; write both texts as they stand in the file",
            ));
        }
        Ok(())
    }

    /// Refuses a replacement that has a typo of its text in words that the text does not have.
    fn refuse_typos(&self, parts: &[&[&str]]) -> Result<(), MatchFailure> {
        let part = |(written, own): &(String, String)| {
            let known = subtokens(own);
            subtokens(written).into_iter().find(|part| !known.contains(part))
        };
        let misspelt: Vec<String> = self.place.typos.iter().filter_map(part).collect();
        let lines =
            parts.iter().copied().flatten().map(|line| corrected(line, &self.place.typos).to_lowercase());
        match lines.into_iter().find_map(|line| misspelt.iter().find(|part| line.contains(part.as_str()))) {
            Some(part) => Err(MatchFailure::Unclear(format!(
                "the text to find is there but for `{part}`, and the replacement has that too; correct it in both"
            ))),
            None => Ok(()),
        }
    }

    /// The readings that are possible, the one without any slip first.
    fn readings(&self) -> Vec<Reading> {
        let Indentation { shift, first_lost } = &self.place.indentation;
        let natural = Reading { shift: shift.clone(), first: None };
        let code = |lines: &[&str]| {
            lines.iter().find(|line| !line.trim().is_empty()).map(|line| indentation(line).to_owned())
        };
        let (Some(old), Some(new)) = (code(self.old), code(self.new)) else { return vec![natural] };
        let own = indentation(self.file.get(self.first_own()));
        let bare = new.is_empty() || *first_lost && new == old;
        if *shift == Shift::None && !first_lost && !self.is_suspicious(&new, own) {
            return vec![natural];
        }
        let mut shifts = vec![shift.clone(), Shift::None];
        shifts.extend(Shift::between(&[(new.as_str(), own)]));
        shifts.extend(self.shared().and_then(|(new, own)| Shift::between(&[(new, own)])));
        if new.starts_with('\t') != own.starts_with('\t') {
            shifts.extend(Shift::tabs_and_blanks());
        }
        if self.is_flat() && !own.is_empty() {
            // One depth does not tell whether the unit is another one.
            shifts.extend(Shift::between(&[("", ""), (old.as_str(), own)]));
        }
        let mut readings = Vec::new();
        for shift in shifts {
            let shifted = shift.apply(&format!("{new}.")).map(|line| line.len() - 1);
            let short = bare && shifted.is_none_or(|shifted| shifted < own.len());
            if !(short && *first_lost) {
                readings.push(Reading { shift: shift.clone(), first: None });
            }
            // Where the first line of the text lost a blank, that of the replacement may have lost one, too.
            let one_less = |depth: &String| *first_lost && shifted.is_some_and(|len| len + 1 == depth.len());
            let first = |first| Reading { shift: shift.clone(), first: Some(first) };
            readings.extend(self.depths().into_iter().filter(|depth| short || one_less(depth)).map(first));
        }
        let mut known = Vec::new();
        readings.retain(|reading| {
            !known.contains(reading) && {
                known.push(reading.clone());
                true
            }
        });
        readings
    }

    /// Is true if a replacement of a text that stands as it is in the file may be indented otherwise: its shallowest line is at the
    /// margin, and no line of the text is; or it begins as the text does, but at another depth; or it has tabs where the file has none.
    fn is_suspicious(&self, new: &str, own: &str) -> bool {
        let code =
            |lines: &[&str]| lines.iter().map(|line| line.trim().to_owned()).find(|line| !line.is_empty());
        if new != own && code(self.old) == code(self.new) {
            return true;
        }
        let file = self.own_lines().map(|(_, at)| self.file.get(at));
        may_have_lost(self.language, file, self.new.iter().copied()) && !self.keeps_depths()
    }

    /// Whether the replacement evidently kept its indentation: every line that both texts share has the same indentation in both, or the
    /// replacement comes from a diff, where each line is written separately. The first line loses its indentation most easily, so if it
    /// has none, the second line of a diff must be at most one unit deeper.
    fn keeps_depths(&self) -> bool {
        let mut new = self.new.iter().copied().filter(|line| !line.trim().is_empty());
        let own = indentation(self.file.get(self.first_own()));
        let unit = unit(self.file.iter()).map_or(USUAL_UNIT, str::len);
        let first = new.next().map_or("", indentation);
        let is_bare = first.is_empty() && !own.is_empty();
        if self.is_diff {
            return !is_bare || new.next().is_some_and(|next| indentation(next).len() <= unit);
        }
        let words = |line: &&str| line.contains(char::is_alphanumeric);
        let mut depths = self.new.iter().filter(|line| words(line)).filter_map(|new| {
            let (_, at) = self.own_lines().find(|(old, _)| old.trim() == new.trim())?;
            Some(indentation(self.file.get(at)) == indentation(new))
        });
        !is_bare && depths.next() == Some(true) && depths.all(|same| same)
    }

    /// The indentation of a line that both texts have, but not at the start of the replacement, and that of it in the file.
    fn shared(&self) -> Option<(&str, &str)> {
        let new = self.new.iter().filter(|line| !line.trim().is_empty()).skip(1);
        new.into_iter().find_map(|new| {
            let (_, at) = self.own_lines().find(|(old, _)| old.trim() == new.trim())?;
            Some((indentation(new), indentation(self.file.get(at))))
        })
    }

    /// Is true if a shift makes the text what the file has; the first line, which may have lost something, aside.
    fn fits(&self, shift: &Shift) -> bool {
        let lost = usize::from(self.place.indentation.first_lost);
        self.own_lines().skip(lost).all(|(old, at)| {
            shift.apply(old).is_some_and(|line| indentation(&line) == indentation(self.file.get(at)))
        })
    }

    /// Is true if both texts begin with the same code, at the same depth: no sign says that they are indented otherwise.
    fn begin_alike(&self) -> bool {
        let code = |lines: &[&str]| {
            lines.iter().find(|line| !line.trim().is_empty()).map(|line| line.trim_end().to_owned())
        };
        code(self.old) == code(self.new)
    }

    /// Is true if both texts have a line with code that is written alike.
    fn share_a_line(&self) -> bool {
        let alike = |new: &&str| self.own_lines().any(|(old, _)| old.trim_end() == new.trim_end());
        self.new.iter().filter(|line| !line.trim().is_empty()).any(alike)
    }

    /// Is true if all lines of the text stand at one depth.
    fn is_flat(&self) -> bool {
        let mut depths = self.own_lines().map(|(line, _)| indentation(line));
        let first = depths.next();
        depths.all(|depth| Some(depth) == first)
    }

    /// The old lines with code, each with its line of the file.
    fn own_lines(&self) -> impl Iterator<Item = (&str, usize)> {
        let lines = self.place.segments.iter().flat_map(|segment| segment.lines.clone().zip(&segment.at));
        let code = lines.filter(|(line, _)| !self.old[*line].trim().is_empty());
        code.filter_map(|(line, at)| at.map(|at| (self.old[line], at)))
    }

    /// The first line of the file that the text covers with code.
    fn first_own(&self) -> usize {
        self.own_lines().next().map_or_else(|| self.place.first(), |(_, at)| at)
    }

    /// The depths at which the first line of a replacement can stand that has lost its own: that of the same line of the text; else
    /// those of the lines that it stands for, or that it stands between.
    fn depths(&self) -> Vec<String> {
        let code = |line: &&str| !line.trim().is_empty();
        let old: Vec<(&str, usize)> = self.own_lines().map(|(line, at)| (line.trim(), at)).collect();
        let own = |(_, at): &(&str, usize)| indentation(self.file.get(*at)).to_owned();
        let new: Vec<&str> = self.new.iter().copied().filter(code).map(str::trim).collect();
        if let Some(same) = old.iter().find(|(line, _)| Some(line) == new.first()) {
            return vec![own(same)];
        }
        let lines: Vec<&str> = old.iter().map(|(line, _)| *line).collect();
        let first = line_operations(&lines, &new).into_iter().next();
        let replaced =
            first.filter(|first| first.tag() != DiffTag::Insert).map_or(0..1, |first| first.old_range());
        let inserted = replaced.len() == 1 && first.is_some_and(|first| first.tag() == DiffTag::Insert);
        let mut depths: Vec<String> = old[replaced].iter().map(own).collect();
        if inserted {
            let above = (0..self.first_own()).rev().map(|line| self.file.get(line)).find(code);
            depths.extend(above.map(|line| indentation(line).to_owned()));
        }
        depths.sort_by_key(String::len);
        depths.dedup();
        depths
    }

    fn outcome(&self, reading: &Reading, parts: &[&[&str]]) -> Option<Outcome> {
        let new = reading.apply(parts)?;
        let Rewritten { splices, kept } = rewritten(self.file, self.old, &new, self.place);
        let after = spliced(self.file.raw(), &splices)?;
        let depth = |line: &str| indentation(line).len();
        let depths: Vec<usize> =
            new.iter().flatten().filter(|line| !line.trim().is_empty()).map(|line| depth(line)).collect();
        let begins = depths.first().is_none_or(|first| *first == depth(self.file.get(self.first_own())));
        let own = self.own_lines().map(|(_, at)| depth(self.file.get(at))).min();
        // Without a grammar a guess cannot be checked.
        let begins = self.language.is_some() && (begins || reading.first.is_some());
        let alike = self.fits(&reading.shift);
        Some(Outcome {
            splices,
            after,
            kept,
            alike,
            begins,
            inside: depths.iter().min() >= own.as_ref(),
            fault: None,
        })
    }
}

fn unclear(reason: &str) -> MatchFailure {
    MatchFailure::Unclear(reason.to_owned())
}
