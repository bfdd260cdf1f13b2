//! Strings: escapes, and where a string ends.

use serde_json::Value;

use super::follow::{Fit, blanks, quoted_end};
use super::frame::Expect;
use super::parser::{Mode, Parser, Stopped};
use super::{DamageKind, JsonRepair};

/// Where a string stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// It is a key.
    Key,
    /// It is the value of a member.
    Member,
    /// It is an element of a list.
    Element,
}

/// How a string ended.
pub(super) enum StringEnd {
    /// With its quote, or with one that was missing.
    Closed,
    /// It was cut off: something else begins where reading stands now.
    Cut,
    /// It never ended; reading stands at the end of the text, or at a line break after which something else may begin.
    EndOfText,
}

/// A string while it is read.
struct Reading {
    text: String,
    /// Whether there are quotes inside that are not escaped.
    quotes: bool,
    /// How many of them may be halves of pairs, and how many quotes are escaped.
    inner: usize,
    escaped: usize,
    raw: bool,
    /// The first raw line break: where in the input, and how long the text was.
    line_break: Option<(usize, usize)>,
}

impl Parser<'_, '_, '_> {
    /// Reads the string whose opening quote stands here; afterwards reading stands behind its end.
    pub(super) fn string(&mut self, quote: u8, place: Place) -> Result<(String, StringEnd), Stopped> {
        let start = self.at;
        if quote == b'\'' {
            self.repair(JsonRepair::SingleQuotes, start)?;
        }
        let bytes = self.text.as_bytes();
        let mut reading = Reading {
            text: String::new(),
            quotes: false,
            inner: 0,
            escaped: 0,
            raw: false,
            line_break: None,
        };
        let mut at = start + 1;
        loop {
            let plain = bytes[at..]
                .iter()
                .position(|&byte| byte == quote || byte == b'\\' || byte < 0x20)
                .unwrap_or(bytes.len() - at);
            reading.text.push_str(&self.text[at..at + plain]);
            at += plain;
            match bytes.get(at) {
                None => return Ok(self.never_ended(at, reading)),
                Some(b'\\') => at = self.escape(at, quote, &mut reading)?,
                Some(&byte) if byte == quote => {
                    let fit = self.fit(at, place);
                    let even = reading.inner.is_multiple_of(2);
                    if fit == Fit::Strong || (fit == Fit::Weak && even) {
                        self.at = at + 1;
                        self.judge_inner(start, &reading)?;
                        return Ok((reading.text, StringEnd::Closed));
                    }
                    if let Some(end) = self.missing_quote(start, at, place, &reading) {
                        self.repair(JsonRepair::MissingQuote, end)?;
                        reading.text.truncate(reading.text.len() - (at - end));
                        self.at = end;
                        return Ok((reading.text, StringEnd::Closed));
                    }
                    reading.quotes = true;
                    reading.inner += usize::from(!stands_alone(bytes, at));
                    reading.text.push(char::from(quote));
                    at += 1;
                }
                Some(&control) => {
                    if control == b'\n' {
                        if self.value_begins_after(at) {
                            self.at = at;
                            return Ok((reading.text, StringEnd::Cut));
                        }
                        reading.line_break = reading.line_break.or(Some((at, reading.text.len())));
                    }
                    if !reading.raw {
                        reading.raw = true;
                        self.repair(JsonRepair::RawControl, at)?;
                    }
                    reading.text.push(char::from(control));
                    at += 1;
                }
            }
        }
    }

    /// Notes quotes inside a string, and doubts when they do not come in pairs.
    fn judge_inner(&mut self, start: usize, reading: &Reading) -> Result<(), Stopped> {
        if !reading.quotes {
            return Ok(());
        }
        self.repair(JsonRepair::InnerQuote, start)?;
        let pairs = reading.inner.is_multiple_of(2) || (reading.inner + reading.escaped).is_multiple_of(2);
        if pairs { Ok(()) } else { self.damage(DamageKind::TwoReadings, start) }
    }

    /// The text ended inside a string. What came after a raw line break may be something else.
    fn never_ended(&mut self, at: usize, mut reading: Reading) -> (String, StringEnd) {
        self.overran = at;
        self.at = at;
        if let Some((line_break, length)) = reading.line_break {
            reading.text.truncate(length);
            self.at = line_break;
        }
        (reading.text, StringEnd::EndOfText)
    }

    /// The end of a string that lacks its closing quote: the quote at `at` opens a known key of the object around.
    fn missing_quote(&self, start: usize, at: usize, place: Place, reading: &Reading) -> Option<usize> {
        let bytes = self.text.as_bytes();
        if place == Place::Key || reading.inner > 0 || reading.escaped > 0 {
            return None;
        }
        let before = self.text[start + 1..at].trim_end();
        let comma = before.strip_suffix(',')?;
        let end = quoted_end(bytes, at)?;
        let key = &self.text[at + 1..end];
        let object = self.stack.iter().rev().find(|frame| frame.is_object())?;
        let is_key = bytes.get(blanks(bytes, end + 1)) == Some(&b':') && self.keys.contains(key);
        // The text so far must stand in the input as it was read, or lengths would not agree.
        (is_key && !object.has_key(key) && !reading.raw).then_some(start + 1 + comma.len())
    }

    /// Whether, after the raw line break at `at`, an object with a known key begins: the string was cut off.
    fn value_begins_after(&self, at: usize) -> bool {
        if self.mode == Mode::Strict {
            return false;
        }
        let bytes = self.text.as_bytes();
        let spaces = |at: usize| {
            bytes[at..]
                .iter()
                .position(|byte| !matches!(byte, b' ' | b'\t' | b'\r'))
                .map_or(bytes.len(), |n| at + n)
        };
        let mut next = spaces(at + 1);
        if bytes.get(next) == Some(&b'[') {
            next = blanks(bytes, next + 1);
        }
        if bytes.get(next) != Some(&b'{') {
            return false;
        }
        let key = blanks(bytes, next + 1);
        if bytes.get(key) != Some(&b'"') {
            return false;
        }
        let Some(end) = quoted_end(bytes, key) else { return false };
        bytes.get(blanks(bytes, end + 1)) == Some(&b':') && self.keys.contains(&self.text[key + 1..end])
    }

    /// Reads the escape at `at` and returns the byte behind it.
    fn escape(&mut self, at: usize, quote: u8, reading: &mut Reading) -> Result<usize, Stopped> {
        let bytes = self.text.as_bytes();
        let simple = match bytes.get(at + 1) {
            Some(b'"') => {
                reading.escaped += usize::from(quote == b'"');
                Some('"')
            }
            Some(b'\\') => Some('\\'),
            Some(b'/') => Some('/'),
            Some(b'b') => Some('\u{8}'),
            Some(b'f') => Some('\u{c}'),
            Some(b'n') => Some('\n'),
            Some(b'r') => Some('\r'),
            Some(b't') => Some('\t'),
            Some(b'u') => {
                if let Some((character, end)) = unicode_escape(bytes, at) {
                    reading.text.push(character);
                    return Ok(end);
                }
                None
            }
            Some(b'\'') if quote == b'\'' => Some('\''),
            Some(b'\'') if !(bytes[..at].ends_with(b"'") && bytes[at + 2..].starts_with(b"'")) => {
                // An apostrophe that needed no escape; between apostrophes it is a character of the code.
                self.repair(JsonRepair::InvalidEscape, at)?;
                Some('\'')
            }
            _ => None,
        };
        if let Some(character) = simple {
            reading.text.push(character);
            return Ok(at + 2);
        }
        self.repair(JsonRepair::InvalidEscape, at)?;
        reading.text.push('\\');
        Ok(at + 1)
    }

    /// A key in quotes.
    pub(super) fn quoted_key(&mut self) -> Result<(), Stopped> {
        let start = self.at;
        let quote = self.text.as_bytes()[start];
        let (name, end) = self.string(quote, Place::Key)?;
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
                self.set_key(name);
                Ok(())
            }
            StringEnd::Cut | StringEnd::EndOfText => {
                self.damage(DamageKind::Cut, start)?;
                self.close_all()
            }
        }
    }

    /// Whether a string in three quotes begins here.
    pub(super) fn triple_quoted(&self, quote: u8) -> bool {
        self.text.as_bytes()[self.at..].starts_with(&[quote, quote, quote])
    }

    /// A string in three quotes, read as it stands.
    pub(super) fn triple_quoted_string(&mut self, quote: u8) -> Result<(), Stopped> {
        self.repair(JsonRepair::PythonLiteral, self.at)?;
        let mark = if quote == b'"' { "\"\"\"" } else { "'''" };
        let start = self.at + 3;
        if let Some(end) = self.memory.find(self.text, mark, start) {
            self.at = end + 3;
            let text = self.text[start..end].to_owned();
            self.push(Value::String(text));
            return Ok(());
        }
        self.damage(DamageKind::Cut, self.at)?;
        let text = self.text[start..].to_owned();
        self.at = self.text.len();
        self.push(Value::String(text));
        Ok(())
    }

    /// A prefixed raw string (`r"…"`), its backslashes kept; the quote stands here.
    pub(super) fn raw_string(&mut self, quote: u8) -> Result<(), Stopped> {
        if let Some(end) = quoted_end(self.text.as_bytes(), self.at) {
            let text = self.text[self.at + 1..end].to_owned();
            self.at = end + 1;
            self.push(Value::String(text));
            return Ok(());
        }
        let (text, _) = self.string(quote, self.place())?;
        self.damage(DamageKind::Cut, self.at)?;
        self.push(Value::String(text));
        Ok(())
    }

    /// The closing counterpart of the typographic quote that stands here.
    pub(super) fn typographic_quote(&self) -> Option<[char; 3]> {
        match self.text[self.at..].chars().next()? {
            '“' | '”' | '„' => Some(['”', '“', '"']),
            '‘' | '’' => Some(['’', '‘', '\'']),
            _ => None,
        }
    }

    /// The text up to a closing typographic quote on the same line.
    fn typographic(&mut self, closing: [char; 3]) -> Result<Option<String>, Stopped> {
        self.repair(JsonRepair::TypographicQuotes, self.at)?;
        let start = self.at + '“'.len_utf8();
        let line = self.text[start..].split('\n').next().unwrap_or_default();
        let Some(length) = line.find(closing) else {
            self.damage(DamageKind::Cut, self.at)?;
            self.at = start + line.len();
            return Ok(None);
        };
        let text = line[..length].to_owned();
        self.at = start + length + line[length..].chars().next().map_or(0, char::len_utf8);
        Ok(Some(text))
    }

    pub(super) fn typographic_key(&mut self, closing: [char; 3]) -> Result<(), Stopped> {
        if let Some(name) = self.typographic(closing)? {
            self.set_key(name);
        }
        Ok(())
    }

    pub(super) fn typographic_value(&mut self, closing: [char; 3]) -> Result<(), Stopped> {
        match self.typographic(closing)? {
            Some(text) => self.push(Value::String(text)),
            None if self.in_object() => self.drop_key()?,
            None => self.expect = Expect::Comma,
        }
        Ok(())
    }
}

/// A quote that is no half of a pair: a character literal (`'"'`), or an apostrophe in a word.
fn stands_alone(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    let (Some(before), Some(after)) = (before, bytes.get(at + 1)) else { return false };
    match bytes[at] {
        b'"' => *before == b'\'' && *after == b'\'',
        _ => before.is_ascii_alphanumeric() && after.is_ascii_alphanumeric(),
    }
}

/// A single word, as keys are.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The character of the escape `\uXXXX` at `at`, a surrogate pair included, and the byte behind it.
fn unicode_escape(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let unit = |at: usize| -> Option<u32> {
        let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let first = unit(at)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, at + 6));
    }
    let second = unit(at + 6).filter(|second| (0xDC00..0xE000).contains(second))?;
    if first >= 0xDC00 {
        return None;
    }
    let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
    Some((char::from_u32(code)?, at + 12))
}
