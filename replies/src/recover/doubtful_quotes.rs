//! Quotes that are doubtful: what they may be instead of the end of a string, and what is said about that.

use super::frame::Frame;
use super::lookahead::{Next, blanks, find, next_item, quoted_end};
use super::parser::{Mode, ParseStop, Parser};
use super::resync::holds_entry;
use super::strings::{Reading, StringRole};
use super::{DamageKind, JsonRepair};
use crate::names::is_file_key;

impl Parser<'_, '_> {
    /// Notes quotes inside a string, and doubts when they do not come in pairs.
    pub(super) fn judge_inner(&mut self, start: usize, reading: &Reading) -> Result<(), ParseStop> {
        if self.mode == Mode::Lenient
            && holds_entry(&self.text[start + 1..self.at - 1], self.text.as_bytes()[start])
        {
            self.damage(DamageKind::TwoReadings, start)?;
        }
        let path = self.stack.last().and_then(Frame::key).is_some_and(is_file_key);
        if path && reading.line_break.is_some() {
            self.damage(DamageKind::TwoReadings, start)?;
        }
        if !reading.quotes {
            return Ok(());
        }
        self.repair(JsonRepair::InnerQuote, start)?;
        self.quoted_to = self.at;
        let inner = &self.text.as_bytes()[start + 1..self.at - 1];
        if reading.in_pairs()
            && !reading.swallowed
            && !path
            && !holds_boundary(inner, self.text.as_bytes()[start])
            && !leaves_container(inner)
        {
            Ok(())
        } else {
            self.damage(DamageKind::TwoReadings, start)
        }
    }

    /// Is true if the string from `start` on that ended here may be the start of code with quotes inside: what separates it from
    /// the text after the comma may be a text in code, or a bracket is open in it, and the text after the comma has quotes
    /// inside itself.
    pub(super) fn may_go_on(&self, start: usize, reading: &Reading) -> bool {
        if self.mode != Mode::Lenient {
            return false;
        }
        let Next::Text { list, comma: true } = next_item(self.text, self.at) else { return false };
        let bytes = self.text.as_bytes();
        let next = blanks(bytes, blanks(bytes, self.at) + 1);
        if bytes.get(next) == Some(&bytes[start])
            && let Some(end) = quoted_end(bytes, next)
            && !bytes[self.at..next].contains(&b'\n')
            && is_argument(&bytes[start + 1..self.at - 1], &bytes[next + 1..end])
        {
            return true;
        }
        let open = |text: &str| text.matches('(').count() > text.matches(')').count();
        !list && !reading.quotes && open(&reading.text)
    }

    /// Is true if the quote at hand, which no comma separates from what stands before it, may be one inside a string: there
    /// is no blank between, the end of the string before was guessed, or what is around the two quotes looks like code.
    pub(super) fn may_be_one_string(&self) -> bool {
        let before = self.text[..self.at].trim_end_matches([' ', '\t']);
        if self.quoted_to == before.len() || before.len() == self.at {
            return !before.ends_with(['}', ']', ')', '\n']);
        }
        let after = self.text[self.at + 1..].trim_start_matches([' ', '\t']);
        let Some(inner) = before.strip_suffix(['"', '\'']) else { return false };
        inner.ends_with([' ', '(', '+', '=', ',', '?', ':', '&', '|'])
            || after.starts_with([')', ';', ',', '+', '.', '?', ':', ']', '&', '|'])
    }

    /// The end of a string that lacks its closing quote: the quote at `at` opens a known key of the object around.
    pub(super) fn missing_quote(
        &self,
        start: usize,
        at: usize,
        place: StringRole,
        reading: &Reading,
    ) -> Option<usize> {
        let bytes = self.text.as_bytes();
        if place == StringRole::Key || reading.inner > 0 || reading.escaped > 0 {
            return None;
        }
        let before = self.text[start + 1..at].trim_end();
        let comma = before.strip_suffix(',')?;
        let end = quoted_end(bytes, at)?;
        let key = &self.text[at + 1..end];
        let is_key = bytes.get(blanks(bytes, end + 1)) == Some(&b':') && self.keys.contains(key);
        // The text so far must stand in the input as it was read, or lengths would not agree.
        let awaits = |frame: &&Frame| frame.is_object() && !frame.has_key(key) && frame.awaits(key);
        let within = self.stack.iter().rev().position(|frame| awaits(&frame))?;
        if !is_key || reading.raw {
            return None;
        }
        // Brackets that must have closed before this key stand at the end of what was read.
        let mut closers = self.stack[self.stack.len() - within..].iter().map(Frame::closer);
        let text =
            closers.try_fold(comma, |text, closer| text.trim_end().strip_suffix(char::from(closer)))?;
        Some(start + 1 + text.trim_end().len())
    }
}

/// Is true if a text with quotes inside, read as one string, may be several: between two of its quotes stands what separates
/// elements or members (`", "`, `"), ["`, `", and "`), and what comes before and after is no code that would need it.
fn holds_boundary(text: &[u8], quote: u8) -> bool {
    let mut open = 0_isize;
    // Where a string may have ended.
    let mut end = None;
    let (mut at, mut begin, mut outside) = (0, 0, true);
    while at < text.len() {
        match text[at] {
            b'\\' => at += 1,
            b'(' | b'[' | b'{' if outside => open += 1,
            b')' | b']' | b'}' if outside => open -= 1,
            byte if byte == quote && !stands_alone(text, at) => {
                if outside {
                    end = (open == 0 && !needs_more(&text[begin..at])).then_some(at);
                } else if end.is_some_and(|end| !goes_on_as_code(&text[..end], &text[at + 1..]))
                    && separates(&text[begin..at])
                    || are_joined(text, begin, at)
                {
                    return true;
                }
                outside = !outside;
                begin = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    false
}

/// Is true if a text closes a bracket that it did not open, and behind a comma the next container begins: `b)], ["4", "c`. Code rarely does, and
/// parentheses and quotes, of which one may be missing, say nothing about it.
fn leaves_container(text: &[u8]) -> bool {
    let mut open = [0_usize; 2];
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let kind = usize::from(matches!(byte, b'{' | b'}'));
        match byte {
            b'\\' => at += 1,
            b'[' | b'{' => open[kind] += 1,
            b']' | b'}' if open[kind] > 0 => open[kind] -= 1,
            b']' | b'}' => {
                let comma = find(text, at, |byte| !b"]}) \t\r\n".contains(byte));
                let next = blanks(text, comma + 1);
                if text.get(comma) == Some(&b',') && matches!(text.get(next), Some(b'[' | b'{')) {
                    return true;
                }
                at = comma;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    false
}

/// Is true if code that ends here goes on with a text: after an operator or an opening bracket.
fn needs_more(before: &[u8]) -> bool {
    before.trim_ascii_end().last().is_some_and(|byte| b"(+=,?:&|<>[{!%".contains(byte))
}

/// Is true if what comes after a text in code goes on as code or prose does.
fn goes_on_as_code(before: &[u8], after: &[u8]) -> bool {
    let blank = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
    let first = after.trim_ascii_start().first();
    first.is_some_and(|byte| b");,+.?:]&|".contains(byte)) || (blank(before.last()) && blank(after.first()))
}

/// Is true if what stands between two quotes looks like what stands between two strings.
fn separates(between: &[u8]) -> bool {
    let part = between.trim_ascii();
    let (Some(first), Some(last)) = (part.first(), part.last()) else { return false };
    let open = b"[{(:,=+".contains(last);
    if b",:=+)]}".contains(first) {
        return open || b")]}".contains(last) || between.ends_with(b" ");
    }
    let word = part.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let sign = part[word..].trim_ascii_start().first();
    word > 0 && open && part.len() < between.len() && sign.is_some_and(|byte| b":=".contains(byte))
}

/// Is true if between two quotes, the one before `begin` and that at `end`, stands only what separates strings (a comma, a plus sign, a
/// blank, or nothing), and what is around them is hardly code in which that is a text.
fn are_joined(text: &[u8], begin: usize, end: usize) -> bool {
    match text[begin..end].trim_ascii() {
        b"+" => true,
        b"" | b"," => !is_literal(&text[..begin - 1], &text[end + 1..]) && !in_three_quotes(text, begin, end),
        _ => false,
    }
}

/// Is true if what stands between these two parts of a line is a text that is handed over, added or assigned: `split(", ")`.
fn is_argument(before: &[u8], after: &[u8]) -> bool {
    let takes = before.trim_ascii_end().last().is_some_and(|byte| b"(+=".contains(byte));
    takes
        && after.trim_ascii_start().first().is_some_and(|byte| b");+.".contains(byte))
        && is_literal(before, after)
}

/// Is true if two quotes with nothing between them, which stand between these two parts of a line, are an empty text in code:
/// `equals("")) {`. Two lines between which a comma is missing would break where no line of code breaks: behind a blank, or in empty
/// brackets.
pub(super) fn is_empty_text(before: &[u8], after: &[u8]) -> bool {
    let count = |sign: u8| memchr::memchr_iter(sign, before).count();
    let closing = after.iter().take_while(|byte| **byte == b')').count();
    before.last().is_some_and(|byte| b" (".contains(byte))
        && !after.is_empty()
        && closing + count(b')') <= count(b'(')
        && is_literal(before, after)
}

/// Is true if the quotes before `begin` and at `end` are two of three: nothing stands between them, and another one beside them.
fn in_three_quotes(text: &[u8], begin: usize, end: usize) -> bool {
    let (quote, before) = (&text[end..=end], &text[..begin - 1]);
    let doubled = before.strip_suffix(quote).is_some_and(|before| !before.ends_with(b"\\"));
    begin == end && (doubled || text[end + 1..].starts_with(quote))
}

/// Is true if a text in quotes stands between these two parts of a line, and hardly a line ends and another one begins there.
fn is_literal(before: &[u8], after: &[u8]) -> bool {
    // `if (x) {", "}` and `call(", ");` may be both, and an empty line stands at the end of `a = (" + "`.
    let (last, first) = (before.trim_ascii_end().last(), after.trim_ascii_start().first());
    let block =
        last.is_some_and(|byte| b"([{".contains(byte)) && first.is_some_and(|byte| b")]}".contains(byte));
    let goes_on =
        last == Some(&b'(') && first == Some(&b')') && !after.iter().all(|byte| b" )]};,".contains(byte));
    let empty = before.is_empty() || (after.is_empty() && !before.ends_with(b" "));
    may_be_literal(before, after) && !empty && (!block || goes_on)
}

/// Is true if a text in quotes may stand between these two parts of a line, of code or of prose.
pub(super) fn may_be_literal(before: &[u8], after: &[u8]) -> bool {
    let (left, right) = (before.trim_ascii_end(), after.trim_ascii_start());
    let (blanks_before, blanks_after) = (before.len() - left.len(), after.len() - right.len());
    let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let begins = match left.split_last() {
        None => true,
        // `f"…"`
        Some((prefix, rest)) if blanks_before == 0 && in_word(prefix) => {
            b"rRbBuUfFL".contains(prefix) && !rest.last().is_some_and(in_word)
        }
        Some((last, _)) => in_word(last) || b"(+=,?:&|<>[{!%-*/".contains(last),
    };
    let ends = match right.first() {
        None => true,
        Some(first) if in_word(first) => blanks_after == 1,
        Some(first) => b");,+.?:]}&|=!<>*%-/".contains(first),
    };
    // More blanks are the indentation of a line.
    begins && ends && blanks_before <= 1 && blanks_after <= 1
}

/// A quote that is no half of a pair: a character literal (`'"'`), or an apostrophe in a word.
pub(super) fn stands_alone(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    let (Some(before), Some(after)) = (before, bytes.get(at + 1)) else { return false };
    match bytes[at] {
        b'"' => *before == b'\'' && *after == b'\'',
        _ => before.is_ascii_alphanumeric() && after.is_ascii_alphanumeric(),
    }
}

/// Is true if, up to the next quote, only brackets with a comma or a colon come, or a line break.
pub(super) fn looks_like_ends(after: &[u8], quote: u8) -> bool {
    let (mut closer, mut opener, mut blank, mut separator) = (false, false, false, false);
    for byte in after {
        match byte {
            b'[' | b'{' => opener = true,
            b']' | b'}' => closer = true,
            b',' | b':' => separator = true,
            b'\n' => return true,
            byte if *byte == quote => {
                return (separator && (opener || closer)) || (blank && opener && closer);
            }
            b' ' | b'\t' | b'\r' => blank = true,
            _ => return false,
        }
    }
    false
}
