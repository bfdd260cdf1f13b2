//! Strings, and where a string ends.

use memchr::memchr2;

use super::doubtful_quotes::{looks_like_ends, stands_alone};
use super::frame::{Expect, Frame};
use super::lookahead::{Fit, blanks, find};
use super::parser::{Mode, ParseStop, Parser};
use super::{DamageKind, JsonRepair};

/// The length of plain text that is looked at in one go, in bytes.
const LOOK: usize = 4096;

/// The role of a string in the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StringRole {
    /// It is a key.
    Key,
    /// It is the value of a member.
    Member,
    /// It is an element of a list.
    Element,
}

/// The end of a string.
pub(super) enum StringEnd {
    /// With its quote, or with one that was missing.
    Closed,
    /// It was cut off: something else begins where reading stands now.
    Cut,
    /// It never ended; reading stands at the end of the text, or at a line break after which something else may begin.
    EndOfText,
}

/// A string while it is read.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) text: String,
    /// Is true if there are quotes inside that are not escaped.
    pub(super) quotes: bool,
    /// The number of those that may be halves of pairs, and that of escaped quotes.
    pub(super) inner: usize,
    pub(super) escaped: usize,
    pub(super) raw: bool,
    /// Is true if what stands between two quotes inside looks like the end of one string and the start of another.
    pub(super) swallowed: bool,
    /// The first raw line break: where in the input, and how long the text was.
    pub(super) line_break: Option<(usize, usize)>,
}

impl Reading {
    /// Is true if the quotes inside come in pairs, escaped ones counted or not.
    pub(super) fn in_pairs(&self) -> bool {
        self.inner.is_multiple_of(2) || (self.inner + self.escaped).is_multiple_of(2)
    }
}

impl Parser<'_, '_> {
    /// Reads the string whose opening quote stands here; afterwards reading stands behind its end.
    pub(super) fn string(&mut self, quote: u8, place: StringRole) -> Result<(String, StringEnd), ParseStop> {
        let start = self.at;
        if quote == b'\'' {
            self.repair(JsonRepair::SingleQuotes, start)?;
        }
        if let Some(text) = self.plain_string(quote) {
            return Ok((text, StringEnd::Closed));
        }
        let mut reading = Reading { text: std::mem::take(&mut self.memory.room.text), ..Reading::default() };
        reading.text.clear();
        let end = self.read_string(quote, place, &mut reading);
        let read = end.map(|end| (reading.text.as_str().to_owned(), end));
        self.memory.room.text = reading.text;
        read
    }

    /// The string whose opening quote stands here, when nothing in it is special and its end is not in question.
    fn plain_string(&mut self, quote: u8) -> Option<String> {
        let from = self.at + 1;
        let bytes = self.text.as_bytes();
        let end = from + plain_length(&bytes[from..], quote);
        if self.mode == Mode::Lenient || bytes.get(end) != Some(&quote) {
            return None;
        }
        self.at = end + 1;
        Some(self.text[from..end].to_owned())
    }

    fn read_string(
        &mut self,
        quote: u8,
        place: StringRole,
        reading: &mut Reading,
    ) -> Result<StringEnd, ParseStop> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        loop {
            let plain = plain_length(&bytes[at..], quote);
            reading.text.push_str(&self.text[at..at + plain]);
            at += plain;
            let end = match bytes.get(at) {
                None => return Ok(self.never_ended(at, reading)),
                Some(b'\\') => {
                    at = self.escape(at, quote, reading)?;
                    continue;
                }
                Some(&byte) if byte == quote => self.quote_inside(start, at, place, reading)?,
                Some(&byte) if byte < 0x20 => self.control_inside(start, at, byte, reading)?,
                // Plain text that is looked at in several goes.
                Some(_) => continue,
            };
            if let Some(end) = end {
                return Ok(end);
            }
            at += 1;
        }
    }

    /// A quote at `at`: the end of the string, a sign of what is wrong with it, or a character of it.
    fn quote_inside(
        &mut self,
        start: usize,
        at: usize,
        place: StringRole,
        reading: &mut Reading,
    ) -> Result<Option<StringEnd>, ParseStop> {
        let bytes = self.text.as_bytes();
        if let Some(cut) = self.cut_before_key(start, at) {
            return Ok(Some(self.cut_at(cut, at, reading)));
        }
        if self.begins_bare_list(start, at, place, reading) {
            self.repair(JsonRepair::MissingOpener, start)?;
            self.stack.push(Frame::Array { elements: Vec::new() });
            self.at = at + 1;
            return Ok(Some(StringEnd::Closed));
        }
        let fit = self.fit(at, place);
        if fit == Fit::Strong || (fit == Fit::Weak && reading.in_pairs()) {
            self.at = at + 1;
            self.judge_inner(start, reading)?;
            if place == StringRole::Element && self.may_go_on(start, reading) {
                self.damage(DamageKind::TwoReadings, start)?;
            }
            return Ok(Some(StringEnd::Closed));
        }
        if let Some(end) = self.missing_quote(start, at, place, reading) {
            self.repair(JsonRepair::MissingQuote, end)?;
            if end == start + 1 {
                self.damage(DamageKind::TwoReadings, start)?;
            }
            reading.text.truncate(reading.text.len() - (at - end));
            self.at = end;
            return Ok(Some(StringEnd::Closed));
        }
        reading.quotes = true;
        reading.swallowed |= looks_like_ends(&bytes[at + 1..], bytes[at]);
        reading.inner += usize::from(!stands_alone(bytes, at));
        reading.text.push(char::from(bytes[at]));
        Ok(None)
    }

    /// A control character at `at`, a line break for the most part.
    fn control_inside(
        &mut self,
        start: usize,
        at: usize,
        control: u8,
        reading: &mut Reading,
    ) -> Result<Option<StringEnd>, ParseStop> {
        if control == b'\n' {
            if self.value_begins_after(at) {
                let cut = self.before_openers(start, at);
                return Ok(Some(self.cut_at(cut, at, reading)));
            }
            reading.line_break = reading.line_break.or(Some((at, reading.text.len())));
        }
        if !reading.raw {
            reading.raw = true;
            self.repair(JsonRepair::RawControl, at)?;
        }
        reading.text.push(char::from(control));
        Ok(None)
    }

    /// The string was cut off at `cut`; it was read up to `at`.
    fn cut_at(&mut self, cut: usize, at: usize, reading: &mut Reading) -> StringEnd {
        reading.text.truncate(reading.text.len().saturating_sub(at - cut));
        self.at = cut;
        StringEnd::Cut
    }

    /// The text ended inside a string. What came after a raw line break may be something else.
    fn never_ended(&mut self, at: usize, reading: &mut Reading) -> StringEnd {
        self.overran = at;
        self.at = at;
        if let Some((line_break, length)) = reading.line_break {
            reading.text.truncate(length);
            self.at = line_break;
        }
        StringEnd::EndOfText
    }

    /// Is true if, after the raw line break at `at`, an object with a known key begins: the string was cut off.
    fn value_begins_after(&self, at: usize) -> bool {
        if self.mode != Mode::Lenient {
            return false;
        }
        let bytes = self.text.as_bytes();
        let mut next = find(bytes, at + 1, |byte| !matches!(byte, b' ' | b'\t' | b'\r'));
        if bytes.get(next) == Some(&b'[') {
            next = blanks(bytes, next + 1);
        }
        bytes.get(next) == Some(&b'{')
            && bytes.get(blanks(bytes, next + 1)) == Some(&b'"')
            && self.known_object_at(next)
    }

    /// A key in quotes.
    pub(super) fn quoted_key(&mut self) -> Result<(), ParseStop> {
        let start = self.at;
        let quote = self.text.as_bytes()[start];
        let (name, end) = self.string(quote, StringRole::Key)?;
        match end {
            StringEnd::Closed => {
                // `{"name: "value"`: the quote after the key is missing, and the next one opens the value.
                let colon = || self.text[self.at..].trim_start().starts_with(':');
                if let Some(shorter) = name.trim_end().strip_suffix(':')
                    && is_word(shorter.trim_end())
                    && !colon()
                {
                    self.repair(JsonRepair::MissingQuote, start)?;
                    self.at -= 1;
                    self.set_key(shorter.trim_end().to_owned());
                    self.expect = Expect::Value;
                    return Ok(());
                }
                let written = &self.text[start + 1..self.at - 1];
                if written.contains('\n') || (self.mode == Mode::Lenient && holds_structure(written)) {
                    self.damage(DamageKind::TwoReadings, start)?;
                }
                self.key_read(name, start)
            }
            StringEnd::Cut | StringEnd::EndOfText => {
                self.damage(DamageKind::Cut, start)?;
                self.close_all()
            }
        }
    }
}

/// The number of bytes before a quote, a backslash or a control character.
pub(crate) fn plain_length(bytes: &[u8], quote: u8) -> usize {
    // What can end a string is looked for first, and control characters before that only.
    let mut look = bytes.len().min(LOOK);
    while look < bytes.len() && bytes[look] & 0xC0 == 0x80 {
        look += 1;
    }
    let near = &bytes[..look];
    let end = memchr2(quote, b'\\', near).unwrap_or(near.len());
    let plain = &near[..end];
    // The least byte is found in many bytes at once.
    if plain.iter().copied().min().is_some_and(|least| least < 0x20) {
        plain.iter().take_while(|byte| **byte >= 0x20).count()
    } else {
        end
    }
}

/// Is true if a key, as it is written, holds brackets beside what separates members: it is rather a part of the text.
fn holds_structure(key: &str) -> bool {
    key.contains(['{', '}', '[', ']']) && key.contains([',', ':'])
}

/// A single word, as keys are.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}
