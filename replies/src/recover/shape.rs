//! The shape of an entry: where brackets were moved, its fields tell whether they were moved rightly.

use serde_json::{Map, Value};

use super::resync::{is_entry_field, is_entry_file};

/// The keys of the entries of a text that were read without repairs, and after which one like them followed; each order of keys once.
#[derive(Debug, Default)]
pub(super) struct Shapes(Vec<Vec<Box<str>>>);

impl Shapes {
    /// The most that are remembered; where there are more, they tell nothing.
    const MOST: usize = 8;

    /// Notes the keys of an entry that is whole.
    pub(super) fn note(&mut self, members: &Map<String, Value>) {
        let known =
            |shape: &Vec<Box<str>>| members.keys().map(String::as_str).eq(shape.iter().map(Box::as_ref));
        if self.0.len() <= Self::MOST && !self.0.iter().any(known) {
            self.0.push(members.keys().map(|key| Box::from(key.as_str())).collect());
        }
    }

    /// Is true if an entry with these keys was whole, and none went on after them.
    pub(super) fn end_with(&self, members: &Map<String, Value>) -> bool {
        let begins = |shape: &&Vec<Box<str>>| {
            members.len() <= shape.len()
                && members.keys().zip(shape.iter()).all(|(key, known)| **key == **known)
        };
        let mut those = self.0.iter().filter(begins).peekable();
        self.0.len() <= Self::MOST
            && those.peek().is_some()
            && those.all(|shape| shape.len() == members.len())
    }
}

/// Is true if an object is no entry, or one whose fields, as far as they are known, are what and where they should be.
/// `before` is the element before it in a list.
pub(super) fn is_in_shape(members: &Map<String, Value>, before: Option<&Value>) -> bool {
    !names_entry(members)
        || members.iter().all(|(key, value)| {
            let as_before = || before.and_then(|before| before.get(key)).is_some_and(is_flat);
            is_field_in_shape(key, value) || (key == "target_lines" && is_flat(value) && as_before())
        })
}

fn names_entry(members: &Map<String, Value>) -> bool {
    members.iter().any(|(key, value)| value.is_string() && is_entry_file(key))
}

fn is_entry(value: &Value) -> bool {
    value.as_object().is_some_and(names_entry)
}

/// Puts both values of a key that stands twice in an object into one, and is true if that loses nothing: they are lists of entries,
/// or the same and no list, of which the elements may be meant twice. Otherwise the last one stands.
pub(super) fn keep_both(first: &mut Value, second: Value) -> bool {
    // Of the first one the ends tell, or a list that is joined again and again would be looked through each time.
    let ends = |list: &Vec<Value>| list.first().into_iter().chain(list.last()).all(is_entry);
    let lists =
        first.as_array().is_some_and(ends) && second.as_array().is_some_and(|list| list.iter().all(is_entry));
    match (first, second) {
        (Value::Array(first), Value::Array(second)) if lists => {
            first.extend(second);
            true
        }
        (first, second) => std::mem::replace(first, second) == *first && !first.is_array(),
    }
}

/// Is true if changes stand beside entries in a value, as they do when an entry was closed too early.
pub(super) fn is_mixed(value: &Value) -> bool {
    match value {
        Value::Array(elements) => {
            let change = |one: &Value| one.get("line_number").is_some() && !is_entry(one);
            (elements.iter().any(is_entry) && elements.iter().any(change)) || elements.iter().any(is_mixed)
        }
        Value::Object(members) => {
            let entries = |one: &Value| one.as_array().is_some_and(|list| list.iter().any(is_entry));
            let mixed = members.values().any(entries) && members.keys().any(|key| is_entry_field(key));
            !names_entry(members) && (mixed || members.values().any(is_mixed))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Is true if a key may stand in an object: the keys of a change only beside others of a change, those of an entry only
/// beside others of an entry.
pub(super) fn awaits<'k>(keys: impl Iterator<Item = &'k str> + Clone, key: &str) -> bool {
    let change = |key: &str| matches!(key, "line_number" | "new_lines" | "modified_line");
    if !is_entry_field(key) || keys.clone().next().is_none() {
        return true;
    }
    let mut keys = keys;
    if change(key) {
        keys.any(change)
    } else {
        keys.any(|key| is_entry_file(key) || (is_entry_field(key) && !change(key)))
    }
}

fn is_field_in_shape(key: &str, value: &Value) -> bool {
    match key {
        "line_number" | "new_lines" | "modified_line" => false,
        "insertions" => all(value, |one| is_change(one, "new_lines", |lines| all(lines, Value::is_string))),
        "modifications" => all(value, |one| is_change(one, "modified_line", is_text)),
        "deletions" => all(value, |one| {
            !one.is_boolean()
                && (!one.is_array() || is_flat(one))
                && !one.as_str().is_some_and(is_entry_field)
        }),
        "target_lines" => all(value, Value::is_array) && all(value, is_flat),
        _ => !value.as_array().is_some_and(|list| list.iter().any(is_entry)),
    }
}

/// Is true if a change has its number and its text, and nothing of an entry.
fn is_change(value: &Value, text: &str, fits: fn(&Value) -> bool) -> bool {
    let Some(members) = value.as_object() else { return false };
    members.contains_key("line_number")
        && members.get(text).is_some_and(fits)
        && members.iter().all(|(key, value)| key == text || (!is_entry_file(key) && !value.is_array()))
}

/// Is true if a value is a text, or a list of texts that stands for one.
fn is_text(value: &Value) -> bool {
    value.is_string() || all(value, Value::is_string)
}

/// Is true if a list holds no lists and objects.
fn is_flat(value: &Value) -> bool {
    all(value, |one| !one.is_array() && !one.is_object())
}

fn all(value: &Value, fits: impl Fn(&Value) -> bool) -> bool {
    value.as_array().is_some_and(|elements| elements.iter().all(fits))
}
