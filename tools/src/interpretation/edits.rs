//! Edits as models write them, brought to the form of `write_fix`.
//!
//! The form is the paper's: `file_path`, `insertions` (`line_number`, `new_lines`), `deletions`, `modifications`
//! (`line_number`, `modified_line`). Only forms and names are changed here; texts, paths and numbers stay as given.

use serde_json::{Map, Value};

use super::NameMatching;
use super::coerce::{resolved, whole_number};
use super::names::{ARGUMENT_NAMES, Match, match_name};
use super::recover::{Recovered, recover};
use super::repair::{Repair, ValueChange, join};

/// The fields of an edit.
const FILE: &str = "file_path";
const CHANGES: [&str; 3] = ["insertions", "deletions", "modifications"];
/// How deep edits are looked for in objects around them.
const DEPTH: usize = 3;

/// A candidate found in a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateReading {
    /// The edits: a list of objects in the form of `write_fix`.
    pub edits: Value,
    /// What was mended.
    pub repairs: Vec<Repair>,
    /// Whether it must not be used: something in it was cut off, can be read in two ways, or is missing.
    pub damaged: bool,
}

/// Reads the answer to a question for variants: all candidates in it, in their order.
///
/// An object with a file is a candidate; so is a list of such objects inside a list, or in an object around them. Of a
/// flat list each object is a candidate of its own.
pub fn interpret_edits(text: &str) -> Vec<CandidateReading> {
    let mut values = recover(text);
    if let [Recovered { value: Value::String(inner), .. }] = values.as_slice() {
        values = recover(&inner.clone());
    }
    let mut candidates = Vec::new();
    for recovered in &values {
        let repairs: Vec<Repair> = recovered.repairs.iter().map(Repair::of_json).collect();
        for (pointer, value) in sets(&recovered.value, String::new(), DEPTH) {
            let mut repairs = repairs.clone();
            let edits = normalised(value, "", &mut repairs);
            let damaged = recovered.damage_within(&pointer).next().is_some() || !is_complete(&edits);
            candidates.push(CandidateReading { edits, repairs, damaged });
        }
    }
    candidates
}

/// The sets of edits in a value, each with its pointer.
fn sets(value: &Value, pointer: String, depth: usize) -> Vec<(String, Value)> {
    match value {
        Value::Object(members) if has_file(members) => vec![(pointer, value.clone())],
        Value::Object(members) if depth > 0 => members
            .iter()
            .flat_map(|(key, member)| {
                let pointer = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
                sets(member, pointer, depth - 1)
            })
            .collect(),
        Value::Array(elements) => elements
            .iter()
            .enumerate()
            .flat_map(|(index, element)| {
                let pointer = format!("{pointer}/{index}");
                match element {
                    // A list inside a list is one candidate; so is what stands in one object around it.
                    Value::Array(edits) if edits.iter().any(is_edit_value) => {
                        vec![(pointer, element.clone())]
                    }
                    Value::Object(members) if !has_file(members) => match only_list(members) {
                        Some((key, edits)) => vec![(format!("{pointer}/{key}"), edits.clone())],
                        None => sets(element, pointer, depth),
                    },
                    _ => sets(element, pointer, depth),
                }
            })
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => Vec::new(),
    }
}

/// The only member of an object that is a list of edits.
fn only_list(members: &Map<String, Value>) -> Option<(&String, &Value)> {
    let mut lists = members.iter().filter(|(_, value)| {
        value.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(is_edit_value))
    });
    let first = lists.next();
    if lists.next().is_some() { None } else { first }
}

fn is_edit_value(value: &Value) -> bool {
    value.as_object().is_some_and(has_file)
}

fn has_file(members: &Map<String, Value>) -> bool {
    members.iter().any(|(key, value)| value.is_string() && field(key, &[FILE]) == Some(FILE))
}

/// Whether an object is an edit: it names a file and says what to change.
pub(super) fn is_edit(members: &Map<String, Value>) -> bool {
    has_file(members) && members.keys().any(|key| field(key, &CHANGES).is_some())
}

/// Whether a schema is that of a list of edits.
pub(super) fn is_schema(schema: &Value, root: &Value) -> bool {
    let items = resolved(schema, root).get("items").map(|items| resolved(items, root));
    items.and_then(|items| items.get("properties")).is_some_and(|properties| {
        properties.get(FILE).is_some() && CHANGES.iter().all(|change| properties.get(*change).is_some())
    })
}

/// Whether all edits have what they need, in the types that they need.
fn is_complete(edits: &Value) -> bool {
    let number = |value: &Value| value.get("line_number").is_some_and(Value::is_u64);
    let lines = |value: &Value| value.as_array().is_some_and(|lines| lines.iter().all(Value::is_string));
    let list = |edit: &Value, field: &str, fits: &dyn Fn(&Value) -> bool| {
        edit.get(field).is_none_or(|list| list.as_array().is_some_and(|list| list.iter().all(fits)))
    };
    edits.as_array().is_some_and(|edits| {
        !edits.is_empty()
            && edits.iter().all(|edit| {
                edit.get(FILE).is_some_and(Value::is_string)
                    && list(edit, "insertions", &|one| number(one) && one.get("new_lines").is_some_and(lines))
                    && list(edit, "deletions", &Value::is_u64)
                    && list(edit, "modifications", &|one| {
                        number(one) && one.get("modified_line").is_some_and(Value::is_string)
                    })
            })
    })
}

/// A set of edits in the form of `write_fix`: a list, each edit with its known fields. What cannot be understood stays as
/// it is, for the schema to complain about.
pub(super) fn normalised(value: Value, path: &str, repairs: &mut Vec<Repair>) -> Value {
    match value {
        Value::Null => {
            repairs.push(Repair::value(path, ValueChange::NullLeftOut));
            Value::Array(Vec::new())
        }
        Value::String(text) => {
            let mut values = recover(&text);
            match values.len() {
                1 if values[0].damage.is_empty() => {
                    repairs.push(Repair::value(path, ValueChange::JsonInText));
                    let only = values.swap_remove(0);
                    repairs.extend(only.repairs.iter().map(Repair::of_json));
                    if only.value.is_string() { only.value } else { normalised(only.value, path, repairs) }
                }
                _ => Value::String(text),
            }
        }
        Value::Object(members) if has_file(&members) => {
            repairs.push(Repair::value(path, ValueChange::OneToList));
            Value::Array(vec![edit(members, &join(path, "0"), repairs)])
        }
        Value::Object(members) => {
            match only_list(&members).map(|(_, list)| list.clone()).or_else(|| only_edit(&members)) {
                Some(inner) => {
                    repairs.push(Repair::value(path, ValueChange::Unwrapped));
                    normalised(inner, path, repairs)
                }
                None => Value::Object(members),
            }
        }
        Value::Array(mut elements) => {
            // `[[…]]` and `[{"fixes": […]}]`
            if let [only] = elements.as_slice()
                && (only.is_array() || only.as_object().is_some_and(|inner| only_list(inner).is_some()))
            {
                repairs.push(Repair::value(path, ValueChange::Unwrapped));
                return normalised(elements.swap_remove(0), path, repairs);
            }
            let edits = elements.into_iter().enumerate().map(|(index, element)| match element {
                Value::Object(members) => edit(members, &join(path, &index.to_string()), repairs),
                other => other,
            });
            Value::Array(edits.collect())
        }
        Value::Bool(_) | Value::Number(_) => value,
    }
}

/// The only member of an object that is an edit.
fn only_edit(members: &Map<String, Value>) -> Option<Value> {
    let mut edits = members.values().filter(|value| is_edit_value(value));
    let first = edits.next();
    if edits.next().is_some() { None } else { first.cloned() }
}

/// One edit with the names and forms of `write_fix`.
fn edit(members: Map<String, Value>, path: &str, repairs: &mut Vec<Repair>) -> Value {
    let fields = [FILE, CHANGES[0], CHANGES[1], CHANGES[2]];
    let mut edit = renamed(members, &fields, path, repairs);
    for (name, value) in &mut edit {
        let here = join(path, name);
        let taken = std::mem::take(value);
        *value = match name.as_str() {
            "insertions" => list(taken, &here, repairs, |one, here, repairs| {
                changed(one, "new_lines", here, repairs, lines)
            }),
            "modifications" => list(taken, &here, repairs, |one, here, repairs| {
                changed(one, "modified_line", here, repairs, one_text)
            }),
            "deletions" => list(taken, &here, repairs, line_number),
            _ => taken,
        };
    }
    Value::Object(edit)
}

/// A list of changes: `null` is an empty one, a single change a list of one.
fn list(
    value: Value,
    path: &str,
    repairs: &mut Vec<Repair>,
    each: impl Fn(Value, &str, &mut Vec<Repair>) -> Value,
) -> Value {
    let elements = match value {
        Value::Null => {
            repairs.push(Repair::value(path, ValueChange::NullLeftOut));
            Vec::new()
        }
        Value::Array(elements) => elements,
        one => {
            repairs.push(Repair::value(path, ValueChange::OneToList));
            vec![one]
        }
    };
    let elements = elements.into_iter().enumerate();
    Value::Array(elements.map(|(index, one)| each(one, &join(path, &index.to_string()), repairs)).collect())
}

/// An insertion or a modification: its number, and its text in `field`.
fn changed(
    value: Value,
    field: &'static str,
    path: &str,
    repairs: &mut Vec<Repair>,
    text: impl Fn(Value, &str, &mut Vec<Repair>) -> Value,
) -> Value {
    let Value::Object(members) = value else { return value };
    let mut members = renamed(members, &["line_number", field], path, repairs);
    if let Some(number) = members.get_mut("line_number") {
        *number = line_number(number.take(), &join(path, "line_number"), repairs);
    }
    if let Some(value) = members.get_mut(field) {
        *value = text(value.take(), &join(path, field), repairs);
    }
    Value::Object(members)
}

/// The number of a line: a number, a text with one, `[12, "code"]`, or `{"line_number": 12}`.
fn line_number(value: Value, path: &str, repairs: &mut Vec<Repair>) -> Value {
    let number = |value: &Value| match value {
        Value::String(text) => whole_number(text.trim(), false),
        Value::Number(number) if number.is_f64() => whole_number(&number.to_string(), false),
        Value::Number(number) => Some(Value::Number(number.clone())),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let (found, change) = match &value {
        Value::Array(parts) => match parts.as_slice() {
            [first] => (number(first), ValueChange::ListToOne),
            [first, Value::String(_)] => (number(first), ValueChange::LineToNumber),
            _ => (None, ValueChange::LineToNumber),
        },
        Value::Object(members) => {
            let mut numbers = members.iter().filter(|(key, _)| field(key, &["line_number"]).is_some());
            (numbers.next().and_then(|(_, value)| number(value)), ValueChange::LineToNumber)
        }
        Value::Number(number) if !number.is_f64() => return value,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            (number(&value), ValueChange::TextToNumber)
        }
    };
    match found {
        Some(found) => {
            repairs.push(Repair::value(path, change));
            found
        }
        None => value,
    }
}

/// New lines: a list of texts.
fn lines(value: Value, path: &str, repairs: &mut Vec<Repair>) -> Value {
    match value {
        Value::Null => {
            repairs.push(Repair::value(path, ValueChange::NullLeftOut));
            Value::Array(Vec::new())
        }
        Value::String(text) => {
            repairs.push(Repair::value(path, ValueChange::TextToLines));
            let text = text.strip_suffix('\n').unwrap_or(&text);
            text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect()
        }
        other => other,
    }
}

/// A modified line: one text.
fn one_text(value: Value, path: &str, repairs: &mut Vec<Repair>) -> Value {
    match value {
        Value::Array(lines) if !lines.is_empty() && lines.iter().all(Value::is_string) => {
            repairs.push(Repair::value(path, ValueChange::LinesToText));
            let lines: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
            lines.join("\n").into()
        }
        other => other,
    }
}

/// An object with its known fields under their own names; others are ignored. Where two stand for the same field, the
/// one with the right name counts.
fn renamed(
    members: Map<String, Value>,
    fields: &[&'static str],
    path: &str,
    repairs: &mut Vec<Repair>,
) -> Map<String, Value> {
    let exact: Vec<&str> = fields.iter().copied().filter(|field| members.contains_key(*field)).collect();
    let mut known = Map::new();
    for (key, value) in members {
        match field(&key, fields) {
            Some(name) if name == key => {
                known.insert(key, value);
            }
            Some(name) if !exact.contains(&name) && !known.contains_key(name) => {
                repairs.push(Repair::ArgumentName { asked: join(path, &key), read_as: name.to_owned() });
                known.insert(name.to_owned(), value);
            }
            Some(_) | None => {
                let ignored = Repair::IgnoredArgument { name: join(path, &key) };
                repairs.push(ignored);
            }
        }
    }
    known
}

/// The field that a key stands for.
fn field(key: &str, fields: &[&'static str]) -> Option<&'static str> {
    match match_name(key, fields, ARGUMENT_NAMES, &NameMatching::default()) {
        Match::Exact(name) | Match::Near(name) => Some(name),
        Match::Several(_) | Match::None { .. } => None,
    }
}
