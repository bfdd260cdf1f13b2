//! Line numbers, ranges of them, and texts of lines, in the forms in which models write them.

use patchwright_replies::{ValueChange, whole_number};
use serde_json::{Map, Value};

use super::Pass;
use super::names::{DELETION, END, LINE_NUMBER, START, renamed};
use crate::splice::joined_lines;

/// The most lines of a range.
const LONGEST: u64 = 5_000;

/// The number of a line: a number, a text with one, `[12, "code"]`, or `{"line_number": 12}`. What is none stays.
pub(super) fn line_number(value: Value, path: &str, pass: &mut Pass) -> Value {
    let (found, change) = match &value {
        Value::Array(parts) => match parts.as_slice() {
            [first] => (number(first), ValueChange::ListToOne),
            [first, Value::String(_)] => (number(first), ValueChange::LineToNumber),
            _ => (None, ValueChange::LineToNumber),
        },
        Value::Object(members) => {
            let numbers = renamed(members.clone(), DELETION, path, &mut Pass::default());
            (numbers.get(LINE_NUMBER).and_then(number), ValueChange::LineToNumber)
        }
        Value::Number(number) if !number.is_f64() => return value,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            (number(&value), ValueChange::TextToNumber)
        }
    };
    match found {
        Some(found) => {
            pass.value(path, change);
            found
        }
        None => value,
    }
}

/// The lines that an element of `deletions` names: several where it is a range.
pub(super) fn line_numbers(value: Value, path: &str, pass: &mut Pass) -> Vec<Value> {
    match range(&value) {
        Some(lines) => {
            pass.value(path, ValueChange::RangeToLines);
            lines.into_iter().map(Value::from).collect()
        }
        None => vec![line_number(value, path, pass)],
    }
}

/// The lines of a value that is a range and not one line: `"12-15"`, `{"start_line": 12, "end_line": 15}`, or two
/// lines that follow each other.
pub(super) fn range(value: &Value) -> Option<Vec<u64>> {
    match value {
        Value::String(text) => in_text(text),
        Value::Array(ends) => match ends.as_slice() {
            // `[12, 15]` could be a range as well as two lines.
            [first, last] => {
                let (first, last) = (first.as_u64()?, last.as_u64()?);
                (last.checked_sub(first)? == 1).then(|| vec![first, last])
            }
            _ => None,
        },
        Value::Object(members) => {
            let members = renamed(members.clone(), DELETION, "", &mut Pass::default());
            members.get(LINE_NUMBER).map_or_else(|| ends(&members), range)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// The lines from `start_line` to `end_line`.
pub(super) fn ends(members: &Map<String, Value>) -> Option<Vec<u64>> {
    let end = |name: &str| members.get(name).and_then(number)?.as_u64();
    between(end(START)?, end(END)?)
}

/// `12-15`, `lines 12 to 15`, `12, 14-16`; not a single number.
fn in_text(text: &str) -> Option<Vec<u64>> {
    let text = text.trim();
    if text.len() > 200 || whole_number(text, false).is_some() {
        return None;
    }
    let mut lines = Vec::new();
    for part in text.split(',') {
        let part = part.trim().trim_start_matches("lines").trim_start_matches("line").trim();
        let ends = ["-", "–", "—", "to"].iter().find_map(|sign| part.split_once(sign));
        let (first, last) = ends.unwrap_or((part, part));
        lines.extend(between(first.trim().parse().ok()?, last.trim().parse().ok()?)?);
    }
    (lines.len() as u64 <= LONGEST).then_some(lines)
}

fn between(first: u64, last: u64) -> Option<Vec<u64>> {
    (first <= last && last - first < LONGEST).then(|| (first..=last).collect())
}

fn number(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => whole_number(text.trim(), false),
        Value::Number(number) if number.is_f64() => whole_number(&number.to_string(), false),
        Value::Number(number) => Some(Value::Number(number.clone())),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// New lines: a list of texts.
pub(super) fn lines(value: Value, path: &str, pass: &mut Pass) -> Value {
    match value {
        Value::Null => {
            pass.value(path, ValueChange::NullLeftOut);
            Value::Array(Vec::new())
        }
        Value::String(text) => {
            pass.value(path, ValueChange::TextToLines);
            split(&text)
        }
        other => other,
    }
}

/// The lines of a text.
pub(super) fn split(text: &str) -> Value {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect()
}

/// One text, maybe written as a list of its lines, with line ends or without, which means the same.
pub(super) fn one_text(value: Value, path: &str, pass: &mut Pass) -> Value {
    match value {
        Value::Array(lines) if !lines.is_empty() && lines.iter().all(Value::is_string) => {
            pass.value(path, ValueChange::LinesToText);
            let lines: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
            joined_lines(&lines).into()
        }
        other => other,
    }
}

/// `{"12": "text"}`: an object whose keys are all line numbers, as pairs.
pub(super) fn by_number(members: &Map<String, Value>) -> bool {
    !members.is_empty() && members.keys().all(|key| key.trim().parse::<u32>().is_ok())
}
