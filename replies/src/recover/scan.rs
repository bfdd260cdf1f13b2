//! Finding where values begin in a text.

use serde_json::Value;

use super::frame::SearchCache;
use super::lookahead::{Next, blanks, first_key, list_follows, next_item, unquoted_key};
use super::parser::{Mode, Modes, ParseStop, Parsed, Parser};
use super::resync::is_entry_field;
use super::shape::is_mixed;
use super::{DamageKind, KnownKeys, Recovered};
use crate::entries::names_a_file;

/// The share of the text, as a multiple of its length, that may be read again after false starts.
const RESCANS: usize = 4;

/// The values in a text, each read when it is asked for. Whoever is done with one before asking for the next needs room for
/// one alone.
pub(super) struct Values<'t> {
    text: &'t str,
    keys: KnownKeys,
    memory: SearchCache,
    /// The value that the text is as a whole, without brackets.
    whole: Option<Recovered>,
    /// Where reading goes on.
    at: usize,
    /// What cannot be read without repairs is not tried again up to here, so that the time stays linear.
    gave_up: usize,
    /// False starts are read again within this limit, for the same reason.
    rescans: usize,
    /// Is true where an entry begins at `at` that lacks its bracket.
    bare: bool,
}

impl<'t> Values<'t> {
    pub(super) fn new(text: &'t str, keys: KnownKeys) -> Self {
        let whole = whole(text);
        Self {
            text,
            keys,
            memory: SearchCache::default(),
            at: if whole.is_some() { text.len() } else { 0 },
            whole,
            gave_up: 0,
            rescans: text.len().saturating_mul(RESCANS),
            bare: false,
        }
    }

    /// The next place where a value may begin.
    fn start(&self) -> Option<usize> {
        if self.bare {
            return Some(self.at);
        }
        Some(self.at + memchr::memchr2(b'{', b'[', &self.text.as_bytes()[self.at..])?)
    }

    /// The value that begins at `start`, if one does.
    fn read(&mut self, start: usize) -> Option<Parsed> {
        let Self { text, keys, memory, .. } = self;
        let begins = std::mem::take(&mut self.bare) || begins_value(text, start, keys);
        let quick = if begins { Mode::Dialect } else { Mode::Strict };
        let mut modes = Modes { first: quick, without_repairs: Some(quick) };
        if start >= self.gave_up {
            match parsed(text, start, modes, keys, memory) {
                Ok(parsed) if !goes_on(text, &parsed.found, keys) => return Some(parsed),
                Ok(parsed) => {
                    // What ended too early is read with repairs from its first bracket on.
                    self.gave_up = parsed.found.span.end;
                    modes.without_repairs = None;
                }
                Err(stopped) => self.gave_up = stopped.max(start + 1),
            }
        }
        if !begins {
            return None;
        }
        modes.first = Mode::Lenient;
        parsed(text, start, modes, keys, memory).ok()
    }

    /// The place from which on reading goes on behind `end`, when it had come to `read_to`.
    fn again(&mut self, end: usize, read_to: usize) -> usize {
        let again = read_to.saturating_sub(end);
        let place = if again <= self.rescans { end } else { read_to };
        self.rescans = self.rescans.saturating_sub(again);
        place
    }
}

impl Iterator for Values<'_> {
    type Item = Recovered;

    fn next(&mut self) -> Option<Recovered> {
        if let Some(whole) = self.whole.take() {
            return Some(whole);
        }
        loop {
            let start = self.start()?;
            let parsed = if is_index(self.text, start) { None } else { self.read(start) };
            let Some(parsed) = parsed else {
                self.at = start + 1;
                continue;
            };
            let end = parsed.found.span.end.max(start + 1);
            if is_prose(&parsed.found) {
                self.at = self.again(start + 1, end);
                continue;
            }
            self.at = self.again(end, parsed.read_to);
            self.bare = parsed.bare_entry == Some(self.at);
            return Some(parsed.found);
        }
    }
}

/// The value whose bracket stands at `start`. When it shows itself as Python's only after escapes that Python reads
/// otherwise, it is read again.
fn parsed(
    text: &str,
    start: usize,
    modes: Modes,
    keys: &mut KnownKeys,
    memory: &mut SearchCache,
) -> Result<Parsed, ParseStop> {
    let parsed = Parser::new(text, start, modes, false, keys, memory).parse()?;
    if parsed.late_python { Parser::new(text, start, modes, true, keys, memory).parse() } else { Ok(parsed) }
}

/// The text as one strict JSON value without brackets: a text, a number, a literal.
fn whole(text: &str) -> Option<Recovered> {
    let start = text.len() - text.trim_start().len();
    if text[start..].starts_with(['{', '[']) {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    Some(Recovered { value, span: start..text.trim_end().len(), repairs: Vec::new(), damage: Vec::new() })
}

/// Is true if what was read is rather prose in brackets: something was not readable, and there is no member in it.
fn is_prose(read: &Recovered) -> bool {
    let unreadable = |kind| matches!(kind, DamageKind::LeftOut | DamageKind::TooDeep);
    read.damage.iter().any(|damage| unreadable(damage.kind)) && !has_member(&read.value)
}

fn has_member(value: &Value) -> bool {
    match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(elements) => elements.iter().any(has_member),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Is true if a value that ended goes on with a part of an entry, or with another known key: its closing bracket came too early.
fn goes_on(text: &str, read: &Recovered, keys: &KnownKeys) -> bool {
    let bytes = text.as_bytes();
    let mut end = blanks(bytes, read.span.end);
    while matches!(bytes.get(end), Some(b'}' | b']')) {
        end = blanks(bytes, end + 1);
    }
    let comma = bytes.get(end) == Some(&b',');
    if (comma || bytes[read.span.end..end].iter().any(|byte| matches!(byte, b'}' | b']')))
        && is_mixed(&read.value)
    {
        return true;
    }
    if !comma || !has_member(&read.value) {
        return false;
    }
    let entry = read.value.as_object().is_some_and(names_a_file);
    if first_key(text, end).is_some_and(is_entry_field)
        || (entry && (list_follows(text, end) || unquoted_key(text, end).is_some_and(is_entry_field)))
    {
        return true;
    }
    let new = |name| keys.contains(name) && read.value.get(name).is_none();
    matches!(next_item(text, end), Next::Key { name, comma: true } if new(name))
}

/// Is true if the bracket at `start` is one of an index or an array type in code: `a[1]`, `int[]`.
fn is_index(text: &str, start: usize) -> bool {
    let bytes = text.as_bytes();
    let after_name = start > 0 && (bytes[start - 1].is_ascii_alphanumeric() || bytes[start - 1] == b'_');
    bytes[start] == b'['
        && after_name
        && bytes.get(start + 1).is_some_and(|next| matches!(next, b']' | b'-') || next.is_ascii_digit())
}

/// Is true if the bracket at `start` looks like the start of a value and not like code or prose.
fn begins_value(text: &str, start: usize, keys: &KnownKeys) -> bool {
    let rest = text[start + 1..].trim_start();
    let first = rest.chars().next();
    match (text.as_bytes()[start], first) {
        (_, None) => false,
        (b'[', Some(first)) => {
            matches!(first, '{' | '[' | '(' | '"' | '\'' | ']' | '-' | '0'..='9' | '“' | '‘')
                || ["true", "false", "null", "True", "False", "None"]
                    .iter()
                    .any(|word| rest.starts_with(word))
        }
        (_, Some('}' | '“' | '‘' | '”' | '/' | '#')) => true,
        (_, Some('{')) => rest.as_bytes().get(1).is_some_and(|byte| matches!(byte, b'"' | b'\'')),
        (_, Some(quote @ ('"' | '\''))) => key_follows(&rest[1..], quote, keys),
        (_, Some(_)) => {
            let word = rest
                .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '$')))
                .unwrap_or(rest.len());
            word > 0 && rest[word..].trim_start().starts_with(':')
        }
    }
}

/// Is true if a quoted key with a colon stands here, or at least its begin.
fn key_follows(text: &str, quote: char, keys: &KnownKeys) -> bool {
    match text.find([quote, '\n']) {
        None => true,
        Some(end) => {
            let colon = |text: &str| text.trim_start().starts_with([':', '=']);
            keys.contains(&text[..end])
                || text[..end].trim_end().ends_with(':')
                || (text[end..].starts_with(quote) && colon(&text[end + 1..]))
        }
    }
}
