//! Finding where values begin in a text.

use serde_json::Value;

use super::lookahead::{Next, blanks, first_key, list_follows, next_item, unquoted_key};
use super::parser::{Mode, Parsed, Parser};
use super::resync::is_entry_field;
use super::shape::is_mixed;
use super::{DamageKind, KnownKeys, Recovered};
use crate::entries::names_a_file;

/// How many times the length of the text may be read again after false starts.
const RESCANS: usize = 4;

/// All values in the text.
pub(super) fn scan(text: &str, keys: &mut KnownKeys) -> Vec<Recovered> {
    if let Some(whole) = whole(text) {
        return vec![whole];
    }
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    // What a mode has given up on it does not try again, and false starts are read again within a
    // limit: so the time stays linear.
    let mut gave_up = [(Mode::Strict, 0), (Mode::Dialect, 0)];
    let mut rescans = text.len().saturating_mul(RESCANS);
    let mut memory = super::frame::SearchCache::default();
    'values: while let Some(offset) = bytes[at..].iter().position(|byte| matches!(byte, b'{' | b'[')) {
        let start = at + offset;
        if is_index(text, start) {
            at = start + 1;
            continue;
        }
        let begins = begins_value(text, start, keys);
        for (mode, from) in &mut gave_up {
            if start < *from || (*mode == Mode::Dialect && !begins) {
                continue;
            }
            match Parser::new(text, start, *mode, keys, &mut memory).parse() {
                Ok(parsed) if !goes_on(text, &parsed, keys) => {
                    at = parsed.end;
                    found.push(recovered(parsed, start));
                    continue 'values;
                }
                Ok(parsed) => *from = parsed.end,
                Err(stopped) => *from = stopped.max(start + 1),
            }
        }
        if !begins {
            at = start + 1;
            continue;
        }
        let Ok(parsed) = Parser::new(text, start, Mode::Lenient, keys, &mut memory).parse() else {
            at = start + 1;
            continue;
        };
        let end = parsed.end.max(start + 1);
        if is_prose(&parsed) {
            let again = end - start - 1;
            at = if again <= rescans { start + 1 } else { end };
            rescans = rescans.saturating_sub(again);
            continue;
        }
        let again = parsed.read_to.saturating_sub(end);
        at = if again <= rescans { end } else { parsed.read_to };
        rescans = rescans.saturating_sub(again);
        found.push(recovered(parsed, start));
    }
    found
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

fn recovered(parsed: Parsed, start: usize) -> Recovered {
    Recovered { value: parsed.value, span: start..parsed.end, repairs: parsed.repairs, damage: parsed.damage }
}

/// Whether what was read is rather prose in brackets: something was not readable, and there is no member in it.
fn is_prose(parsed: &Parsed) -> bool {
    let unreadable = |kind| matches!(kind, DamageKind::LeftOut | DamageKind::TooDeep);
    parsed.damage.iter().any(|damage| unreadable(damage.kind)) && !has_member(&parsed.value)
}

fn has_member(value: &Value) -> bool {
    match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(elements) => elements.iter().any(has_member),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Whether a value that ended goes on with a part of an entry, or with another known key: its closing bracket came too early.
fn goes_on(text: &str, parsed: &Parsed, keys: &KnownKeys) -> bool {
    let bytes = text.as_bytes();
    let mut end = blanks(bytes, parsed.end);
    while matches!(bytes.get(end), Some(b'}' | b']')) {
        end = blanks(bytes, end + 1);
    }
    let comma = bytes.get(end) == Some(&b',');
    if (comma || bytes[parsed.end..end].iter().any(|byte| matches!(byte, b'}' | b']')))
        && is_mixed(&parsed.value)
    {
        return true;
    }
    if !comma || !has_member(&parsed.value) {
        return false;
    }
    let entry = parsed.value.as_object().is_some_and(names_a_file);
    if first_key(text, end).is_some_and(is_entry_field) || (entry && list_follows(text, end)) {
        return true;
    }
    if entry && unquoted_key(text, end).is_some_and(is_entry_field) {
        return true;
    }
    match (next_item(text, end), &parsed.value) {
        (Next::Key { name, comma: true }, Value::Object(members)) => {
            keys.contains(name) && !members.contains_key(name)
        }
        (Next::Key { name, comma: true }, Value::Array(_)) => keys.contains(name),
        _ => false,
    }
}

/// Whether the bracket at `start` is one of an index or an array type in code: `a[1]`, `int[]`.
fn is_index(text: &str, start: usize) -> bool {
    let bytes = text.as_bytes();
    let after_name = start > 0 && (bytes[start - 1].is_ascii_alphanumeric() || bytes[start - 1] == b'_');
    bytes[start] == b'['
        && after_name
        && bytes.get(start + 1).is_some_and(|next| matches!(next, b']' | b'-') || next.is_ascii_digit())
}

/// Whether the bracket at `start` looks like the start of a value and not like code or prose.
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

/// Whether a quoted key with a colon stands here, or at least its begin.
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
