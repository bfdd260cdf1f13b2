//! Tokens outside strings: numbers, literals, unquoted keys, comments, and what cannot be read.

use serde_json::{Number, Value};

use super::frame::Expect;
use super::lookahead::{blanks, find};
use super::parser::{Mode, ParseStop, Parser};
use super::resync::begins_entry;
use super::{DamageKind, JsonRepair};

/// A word without quotes longer than this is no value, in bytes.
const LONGEST_WORD: usize = 200;

impl Parser<'_, '_> {
    /// Skips blanks and comments.
    pub(super) fn skip_blanks(&mut self) -> Result<(), ParseStop> {
        let bytes = self.text.as_bytes();
        loop {
            while matches!(bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
                self.at += 1;
            }
            if !matches!(bytes.get(self.at), Some(b'/' | b'#')) {
                return Ok(());
            }
            let rest = &bytes[self.at..];
            let end = if rest.starts_with(b"/*") {
                self.memory.find(self.text, "*/", self.at + 2).map(|end| end + 2)
            } else if rest.starts_with(b"//") || rest.starts_with(b"#") {
                Some(self.memory.find(self.text, "\n", self.at).unwrap_or(bytes.len()))
            } else {
                None
            };
            let Some(end) = end else { return Ok(()) };
            self.repair(JsonRepair::Comment, self.at)?;
            let halved = memchr::memchr_iter(b'"', &bytes[self.at..end]).count() % 2 == 1;
            if halved || may_be_in_string(bytes, self.at, end) {
                // Half of a string stands in the comment, or the start of one before it: it may be one inside a string.
                self.damage(DamageKind::TwoReadings, self.at)?;
            }
            self.at = end;
        }
    }

    /// A number, a literal, or a word without quotes.
    pub(super) fn word(&mut self) -> Result<(), ParseStop> {
        let start = self.at;
        let end = self.word_end();
        let word = &self.text[start..end];
        if self.mode != Mode::Strict
            && is_prefix_of_string(word)
            && let Some(&quote @ (b'"' | b'\'')) = self.text.as_bytes().get(end)
        {
            return self.prefixed(word, end, quote);
        }
        let Some(value) = self.word_value(word, end)? else { return self.leave_out() };
        // At the end of the text a number or a word may go on.
        if end == self.text.len() && (value.is_number() || value.is_string()) {
            self.damage(DamageKind::Cut, start)?;
        }
        self.at = end;
        self.push(value);
        Ok(())
    }

    /// The value that a word stands for, if for any.
    fn word_value(&mut self, word: &str, end: usize) -> Result<Option<Value>, ParseStop> {
        let python = match word {
            "true" => return Ok(Some(Value::Bool(true))),
            "false" => return Ok(Some(Value::Bool(false))),
            "null" => return Ok(Some(Value::Null)),
            "True" | "TRUE" => Some(Value::Bool(true)),
            "False" | "FALSE" => Some(Value::Bool(false)),
            "None" | "undefined" | "nil" | "NULL" => Some(Value::Null),
            _ => None,
        };
        if python.is_some() {
            self.repair(JsonRepair::PythonLiteral, self.at)?;
            return Ok(python);
        }
        if let Some(number) = number(word) {
            return Ok(Some(number));
        }
        if let Some(number) = other_number(word) {
            self.repair(JsonRepair::NumberForm, self.at)?;
            return Ok(Some(number));
        }
        if is_value_word(word) && self.separated(end) {
            self.repair(JsonRepair::UnquotedString, self.at)?;
            return Ok(Some(Value::String(word.to_owned())));
        }
        Ok(None)
    }

    /// The end of the run of bytes that belong to no structure.
    fn word_end(&self) -> usize {
        let structural = |byte: &u8| {
            byte.is_ascii_whitespace()
                || matches!(byte, b',' | b':' | b'{' | b'}' | b'[' | b']' | b'(' | b')' | b'"' | b'\'')
        };
        find(self.text.as_bytes(), self.at, structural)
    }

    /// Is true if what follows a word separates it from the rest.
    fn separated(&self, end: usize) -> bool {
        let rest = self.text[end..].trim_start_matches([' ', '\t']);
        rest.is_empty() || rest.starts_with([',', '}', ']', ')', '\n', '\r'])
    }

    /// A Python string with a prefix (`r"…"`, `f'…'`).
    fn prefixed(&mut self, prefix: &str, quote_at: usize, quote: u8) -> Result<(), ParseStop> {
        self.repair(JsonRepair::PythonLiteral, self.at)?;
        self.at = quote_at;
        if prefix.contains(['r', 'R']) {
            return if self.triple_quoted(quote) {
                self.triple_quoted_string(quote, true)
            } else {
                self.raw_string(quote)
            };
        }
        // The string itself is read as the next value.
        Ok(())
    }

    /// A key without quotes.
    pub(super) fn unquoted_key(&mut self) -> Result<(), ParseStop> {
        let start = self.at;
        let rest = &self.text[start..];
        let length =
            rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '$'))).unwrap_or(rest.len());
        let after = rest[length..].trim_start_matches([' ', '\t']);
        if length == 0 || length > LONGEST_WORD || !after.starts_with([':', '=']) {
            return self.leave_out();
        }
        let name = rest[..length].to_owned();
        if !self.keys.contains(&name) && self.introduces_reply(start + length) {
            return self.cut_here();
        }
        self.repair(JsonRepair::UnquotedKey, start)?;
        self.at = start + length;
        self.key_read(name, start)
    }

    /// Is true if the word that ends at `end` is the last one before the next reply and no key: a line break stands between the two.
    fn introduces_reply(&self, end: usize) -> bool {
        let bytes = self.text.as_bytes();
        let begin = blanks(bytes, blanks(bytes, end) + 1);
        let inner = if bytes.get(begin) == Some(&b'[') { blanks(bytes, begin + 1) } else { begin };
        bytes[end..begin].contains(&b'\n') && [begin, inner].iter().any(|at| begins_entry(self.text, *at))
    }

    /// Leaves out what cannot be read, up to the next sign of structure.
    pub(super) fn leave_out(&mut self) -> Result<(), ParseStop> {
        self.damage(DamageKind::LeftOut, self.at)?;
        let structural = |byte: &u8| matches!(byte, b',' | b'{' | b'}' | b'[' | b']' | b')' | b'"' | b'\n');
        let first = self.text[self.at..].chars().next().map_or(1, char::len_utf8);
        self.at = find(self.text.as_bytes(), self.at + first, structural);
        if self.expect == Expect::Value && matches!(self.byte(), None | Some(b',' | b'}' | b']' | b')')) {
            return self.drop_key();
        }
        if self.expect != Expect::Value {
            let comma = !self.in_object() || self.byte() == Some(b',');
            self.expect = if comma { Expect::Comma } else { Expect::Item { after_comma: false } };
        }
        Ok(())
    }
}

/// Is true if the comment from `at` to `end` may be a part of a string in which quotes are not escaped: it holds quotes, and
/// on its line a quote stands right before it, or there is no blank between it and what stands before it.
fn may_be_in_string(bytes: &[u8], at: usize, end: usize) -> bool {
    let line = &bytes[..at];
    let blank = line.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    match line[..at - blank].last() {
        Some(&quote @ (b'"' | b'\'')) => memchr::memchr(quote, &bytes[at..end]).is_some(),
        Some(byte) if blank == 0 && !byte.is_ascii_whitespace() => {
            memchr::memchr(b'"', &bytes[at..end]).is_some()
        }
        Some(_) | None => false,
    }
}

/// A number as JSON writes it.
fn number(word: &str) -> Option<Value> {
    let begins = word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    begins.then(|| serde_json::from_str::<Number>(word).ok().map(Value::Number))?
}

/// A number as others write it.
fn other_number(word: &str) -> Option<Value> {
    let word = word.strip_prefix('+').unwrap_or(word);
    let (sign, digits) = word.strip_prefix('-').map_or(("", word), |digits| ("-", digits));
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let value = i64::from_str_radix(hex, 16).ok()?;
        return Some(Value::from(if sign.is_empty() { value } else { -value }));
    }
    let plain: String = digits.chars().filter(|c| *c != '_').collect();
    let trimmed = plain.trim_start_matches('0');
    let whole = if trimmed.is_empty() || !trimmed.starts_with(|c: char| c.is_ascii_digit()) {
        format!("0{trimmed}")
    } else {
        trimmed.to_owned()
    };
    let whole = whole.strip_suffix('.').unwrap_or(&whole);
    number(&format!("{sign}{whole}"))
}

/// Is true of the prefixes that Python puts before a string.
fn is_prefix_of_string(word: &str) -> bool {
    !word.is_empty() && word.len() <= 2 && word.chars().all(|c| "rRbBuUfF".contains(c))
}

/// A word that can stand for a string: a name, a path, a range of numbers.
fn is_value_word(word: &str) -> bool {
    word.len() <= LONGEST_WORD
        && word.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '.' | '$' | '@'))
        && word.chars().any(char::is_alphanumeric)
        && word
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '$' | '@' | '+' | '#'))
}
