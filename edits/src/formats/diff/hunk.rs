//! One hunk: its place, the lines that were there and those that shall be.

use patchwright_replies::ValueChange;

use super::super::error::FormatProblem;
use super::super::fence::Fence;
use super::super::text::{FormatError, Line};
use super::Reader;
use super::head::{Head, Operation, is_pair};
use crate::edit::NO_SIGN;

/// A hunk, read.
#[derive(Debug, Default)]
pub(super) struct Hunk {
    /// The lines that were there, with their ends.
    pub search: String,
    /// The lines that shall be there.
    pub replace: String,
    /// The line at which they begin, or before which lines are added.
    pub line: Option<u32>,
    /// See [`crate::Replacement::signs`].
    pub signs: String,
    /// Is true if a side ends without a line end, so that nothing may follow.
    search_ended: bool,
    replace_ended: bool,
}

/// The numbers in the head of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    start: u32,
    old: u32,
    new: u32,
}

/// The reason for which a body ends.
enum End {
    /// All lines were read that the counts name.
    Counted,
    /// Something that is no line of a hunk follows.
    Other,
    /// The text ends.
    Text,
}

/// Is true if a line is the head of a hunk.
pub(super) fn is_hunk(line: &str) -> bool {
    line.strip_prefix("@@").is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// The numbers of `@@ -1,2 +3,4 @@`.
pub(super) fn numbers(line: &str) -> Option<Numbers> {
    let mut words = line.strip_prefix("@@ ")?.split_whitespace();
    let (start, old) = range(words.next()?.strip_prefix('-')?)?;
    let (_, new) = range(words.next()?.strip_prefix('+')?)?;
    Some(Numbers { start, old, new })
}

fn range(text: &str) -> Option<(u32, u32)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

impl Reader<'_> {
    /// Reads the hunk that begins in a line and gives the line behind it.
    pub(super) fn hunk(&mut self, at: usize, file: &str, of: &Head) -> Result<(Hunk, usize), FormatError> {
        let head = self.lines[at];
        let numbers = numbers(head.text());
        let counted = numbers.and_then(|numbers| {
            self.counted(at + 1, numbers).or_else(|| self.counted_without_signs(at + 1, numbers))
        });
        let (next, end) = match counted {
            Some(next) => (next, End::Counted),
            None => self.until_other(at + 1, file)?,
        };
        let mut hunk = self.collected(at + 1, next, file, of)?;
        self.refuse_open_end(at, next, &end, numbers, file)?;
        if let (Some(_), End::Other | End::Text) = (numbers, &end) {
            self.found.repaired(head, ValueChange::CountsRepaired);
        }
        if next == at + 1 {
            return Err(FormatError::flaw(head, Some(file), FormatProblem::NoHunks));
        }
        hunk.line = numbers.map(|numbers| {
            // A hunk without old lines is named by the line before it.
            let before = u32::from(hunk.search.is_empty() && numbers.old == 0);
            numbers.start.saturating_add(before)
        });
        if hunk.line.is_none() && hunk.search.is_empty() && of.operation != Operation::Create {
            return Err(FormatError::flaw(head, Some(file), FormatProblem::NoPlace));
        }
        Ok((hunk, next))
    }

    /// The end of a body that is as long as the counts say.
    fn counted(&self, mut at: usize, numbers: Numbers) -> Option<usize> {
        let (mut old, mut new) = (numbers.old, numbers.new);
        while old > 0 || new > 0 {
            match self.line(at)?.raw.as_bytes().first() {
                Some(b'-') => old = old.checked_sub(1)?,
                Some(b'+') => new = new.checked_sub(1)?,
                Some(b'\\') => {}
                Some(b' ' | b'\n' | b'\r') => {
                    old = old.checked_sub(1)?;
                    new = new.checked_sub(1)?;
                }
                Some(_) | None => return None,
            }
            at += 1;
        }
        while self.text_at(at).starts_with('\\') {
            at += 1;
        }
        (!self.goes_on(at)).then_some(at)
    }

    /// The same for unchanged lines without signs, which may look like a fence. The line after the counted ones must end a hunk.
    fn counted_without_signs(&self, mut at: usize, numbers: Numbers) -> Option<usize> {
        let (mut old, mut new) = (numbers.old, numbers.new);
        while old > 0 || new > 0 {
            let line = self.line(at).filter(|line| !is_head(*line))?;
            let sign = line.raw.as_bytes().first();
            old = if sign == Some(&b'+') { old } else { old.checked_sub(1)? };
            new = if sign == Some(&b'-') { new } else { new.checked_sub(1)? };
            at += 1;
        }
        let ends = self.line(at).is_none_or(|line| ends_body(line) || is_pair(&self.lines, at));
        ends.then_some(at)
    }

    /// Is true if more lines of a hunk follow, maybe behind blank ones.
    fn goes_on(&self, at: usize) -> bool {
        let blank = self.lines[at.min(self.lines.len())..].iter().take_while(|line| line.text().is_empty());
        let next = at + blank.count();
        let Some(line) = self.line(next) else { return false };
        // The signature of a mail.
        let signed = line.text().trim_end() == "--";
        line.raw.starts_with(['+', '-', ' ']) && !signed && !is_pair(&self.lines, next)
    }

    /// The end of a body whose counts are wrong or missing.
    fn until_other(&self, first: usize, file: &str) -> Result<(usize, End), FormatError> {
        let mut at = first;
        let mut unsigned = None;
        let end = loop {
            let Some(line) = self.line(at) else { break End::Text };
            if is_pair(&self.lines, at) || ends_body(line) {
                break End::Other;
            }
            unsigned = unsigned.or(is_unsigned(&line).then_some(line));
            at += 1;
        };
        // Without a mark that ends the hunk, such a line may as well be prose after it.
        if let (Some(line), End::Text, false) = (unsigned, &end, self.around.complete) {
            return Err(no_sign(line, file));
        }
        // Blank lines at the end are between the hunk and what follows.
        while at > first && self.lines[at - 1].text().is_empty() {
            at -= 1;
        }
        Ok((at, end))
    }

    /// A body that ends with the text may have been cut. A line without an end tells, unless the file has to confirm it; so do
    /// counts that name more lines, unless what lacks can be unchanged lines only.
    fn refuse_open_end(
        &self,
        head: usize,
        next: usize,
        end: &End,
        numbers: Option<Numbers>,
        file: &str,
    ) -> Result<(), FormatError> {
        let Some(last) = self.line(next - 1).filter(|_| !self.around.complete) else { return Ok(()) };
        // Tools that keep diffs take the last line end off; where the counts are met, nothing else is missing.
        let counted = matches!(end, End::Counted);
        if !last.is_whole() && !last.raw.starts_with('\\') && !counted {
            return Err(FormatError::cut(self.lines[head], Some(file), self.text));
        }
        let lacks = |numbers: Numbers| {
            let lines = || self.lines[head + 1..next].iter();
            let old = lines().filter(|line| !line.raw.starts_with(['+', '\\'])).count();
            let new = lines().filter(|line| !line.raw.starts_with(['-', '\\'])).count();
            let named = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
            old <= named(numbers.old) && new <= named(numbers.new)
        };
        let changes = |line: &Line| line.raw.starts_with(['+', '-']);
        let none = !self.lines[head + 1..next].iter().any(changes);
        match end {
            // The last line may be the first of another file's head.
            End::Text
                if none || last.raw.starts_with("--- ") || changes(&last) && numbers.is_some_and(lacks) =>
            {
                Err(FormatError::flaw(self.lines[head], Some(file), FormatProblem::OpenEnd))
            }
            End::Counted | End::Other | End::Text => Ok(()),
        }
    }

    /// The lines of a body, by what they are. In a new file a blank line cannot be one that stays.
    pub(super) fn collected(
        &self,
        first: usize,
        next: usize,
        file: &str,
        of: &Head,
    ) -> Result<Hunk, FormatError> {
        let new = of.operation == Operation::Create;
        let mut hunk = Hunk::default();
        let mut before = None;
        let unsigned = self.lines[first..next].iter().find(|line| is_unsigned(line));
        if let Some(line) = unsigned.filter(|_| new) {
            return Err(no_sign(*line, file));
        }
        for line in &self.lines[first..next] {
            let sign = line.raw.bytes().next().filter(|sign| matches!(sign, b'+' | b'-' | b' ' | b'\\'));
            let fits = match sign {
                Some(b'\\') => hunk.end_side(before.take()),
                Some(b' ') if new && line.is_blank() => {
                    hunk.add(b'+', &content(&line.raw[1..], of.converted))
                }
                // If one unchanged line has no sign, none has: a leading blank belongs to the line itself.
                Some(b' ') if unsigned.is_some() => hunk.add(b' ', &content(line.raw, of.converted)),
                Some(sign) => hunk.add(sign, &content(&line.raw[1..], of.converted)),
                None => hunk.add(if new { b'+' } else { b' ' }, &content(line.raw, of.converted)),
            };
            if !fits {
                return Err(no_sign(*line, file));
            }
            let sign = sign.unwrap_or(b' ');
            match sign {
                // In a line of several blanks, the first may be the sign.
                b' ' if line.is_blank() && line.text().len() < 2 => hunk.signs.push('='),
                b' ' if unsigned.is_some() => hunk.signs.push(NO_SIGN),
                b'\\' => {}
                sign => hunk.signs.push(char::from(sign)),
            }
            before = Some(sign);
        }
        Ok(hunk)
    }
}

/// Whether a line of a hunk lacks its sign. Empty lines do not count, as editors often strip the blank there.
fn is_unsigned(line: &Line) -> bool {
    !line.raw.starts_with(['+', '-', ' ', '\\']) && !line.text().is_empty()
}

fn no_sign(line: Line, file: &str) -> FormatError {
    FormatError::flaw(line, Some(file), FormatProblem::NoSign(line.text().to_owned()))
}

/// Is true if a line without a sign ends a body.
fn ends_body(line: Line) -> bool {
    let text = line.text();
    is_head(line) || (Fence::of(text).is_some() && !text.starts_with(' '))
}

/// Whether a line starts another hunk or the diff of another file.
fn is_head(line: Line) -> bool {
    let text = line.text();
    is_hunk(text) || ["diff --git ", "diff -", "Index: ", "*** "].iter().any(|head| text.starts_with(head))
}

impl Hunk {
    /// Adds a line to its sides; false where a side has ended.
    fn add(&mut self, sign: u8, line: &str) -> bool {
        let fits = !(sign != b'+' && self.search_ended || sign != b'-' && self.replace_ended);
        if sign != b'+' {
            self.search.push_str(line);
        }
        if sign != b'-' {
            self.replace.push_str(line);
        }
        fits
    }

    /// The last line has no end; false where there is none.
    fn end_side(&mut self, sign: Option<u8>) -> bool {
        let Some(sign) = sign else { return false };
        if sign != b'+' {
            self.search.pop();
            self.search_ended = true;
        }
        if sign != b'-' {
            self.replace.pop();
            self.replace_ended = true;
        }
        sign != b'\\'
    }
}

/// A line as it stands in the file.
fn content(raw: &str, converted: bool) -> String {
    let line = raw.strip_suffix('\n').unwrap_or(raw);
    let line = if converted { line.strip_suffix('\r').unwrap_or(line) } else { line };
    format!("{line}\n")
}
