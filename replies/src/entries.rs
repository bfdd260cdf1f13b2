//! The entries of a reply: the objects that name a file, as each edit of a candidate does.
//!
//! The entries that a reply *attempts* are counted in its text, those that were *recovered* in the values found there:
//! the difference is what was lost.

use std::collections::HashSet;

use memchr::{memchr_iter, memrchr2};
use serde_json::{Map, Value};

use crate::names::is_file_key;
use crate::recover::{Recovered, pointer_part};

/// Keys are not longer than this, in bytes.
const LONGEST_KEY: usize = 24;

/// The number of entries that a text attempts, and of those that were recovered or damaged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EntryCount {
    /// The number of times that the key of an entry stands in the text.
    pub attempted: usize,
    /// Entries without damage.
    pub recovered: usize,
    /// Entries in which something is damaged, and those that have something else in the place of their file, or nothing.
    pub damaged: usize,
}

impl EntryCount {
    /// Counts the entries of a text, and those of the values that were found in it.
    pub fn new(text: &str, values: &[Recovered]) -> Self {
        let mut count = Self::attempted_in(text);
        for value in values {
            count.add(value);
        }
        count
    }

    /// Counts the entries that a text attempts.
    pub fn attempted_in(text: &str) -> Self {
        Self { attempted: attempted(text), ..Self::default() }
    }

    /// Counts the entries of a value that was found.
    pub fn add(&mut self, value: &Recovered) {
        let (all, lacking) = numbers(&value.value);
        // Only what is damaged needs to be told apart.
        let damaged = |value| entries(value).iter().filter(|entry| entry.damaged).count();
        let damaged = if value.damage.is_empty() { 0 } else { damaged(value) };
        self.damaged += damaged + lacking + without_value(value);
        self.recovered += all - damaged;
    }
}

/// An object that names a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry<'v> {
    /// Its place in the value.
    pub pointer: String,
    /// The object.
    pub members: &'v Map<String, Value>,
    /// Is true if something in it, or in what is below it, is damaged.
    pub damaged: bool,
}

/// The entries of a value, at any depth, the outer ones first.
pub fn entries(recovered: &Recovered) -> Vec<Entry<'_>> {
    let damaged = recovered.damaged_pointers();
    let mut found = Vec::new();
    collect(&recovered.value, &mut String::new(), &damaged, &mut found);
    found
}

fn collect<'v>(
    value: &'v Value,
    pointer: &mut String,
    damaged: &HashSet<String>,
    found: &mut Vec<Entry<'v>>,
) {
    let length = pointer.len();
    match value {
        Value::Object(members) => {
            if names_a_file(members) {
                let damaged = damaged.contains(pointer.as_str());
                found.push(Entry { pointer: pointer.clone(), members, damaged });
            }
            for (key, member) in members.iter().filter(|(_, member)| may_hold_entries(member)) {
                pointer_part(pointer, key);
                collect(member, pointer, damaged, found);
                pointer.truncate(length);
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate().filter(|(_, one)| may_hold_entries(one)) {
                pointer_part(pointer, &index.to_string());
                collect(element, pointer, damaged, found);
                pointer.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The number of objects in a value that name a file, and of those that have the key of an entry but name none.
fn numbers(value: &Value) -> (usize, usize) {
    let sum = |(all, lacking): (usize, usize), value: &Value| {
        let (more, more_lacking) = if may_hold_entries(value) { numbers(value) } else { (0, 0) };
        (all + more, lacking + more_lacking)
    };
    match value {
        Value::Object(members) => {
            let own = (usize::from(names_a_file(members)), usize::from(lacks_its_file(members)));
            members.values().fold(own, sum)
        }
        Value::Array(elements) => elements.iter().fold((0, 0), sum),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => (0, 0),
    }
}

fn may_hold_entries(value: &Value) -> bool {
    matches!(value, Value::Object(_) | Value::Array(_))
}

/// Is true if an object has a text under a key for files.
pub fn names_a_file(members: &Map<String, Value>) -> bool {
    members.iter().any(|(key, value)| value.is_string() && is_file_key(key))
}

/// Is true if an object has the key of an entry, but names no file.
fn lacks_its_file(members: &Map<String, Value>) -> bool {
    members.keys().any(|key| is_entry_key(key)) && !names_a_file(members)
}

/// The number of keys of entries that stand in the text without a value that could be read.
fn without_value(recovered: &Recovered) -> usize {
    let is_left_out = |pointer: &&str| {
        let key = pointer.rsplit('/').next().unwrap_or_default();
        is_entry_key(key) && recovered.value.pointer(pointer).is_none()
    };
    let pointers = recovered.damage.iter().map(|damage| damage.pointer.as_str()).filter(is_left_out);
    pointers.collect::<HashSet<_>>().len()
}

/// The keys that are those of entries alone.
fn is_entry_key(key: &str) -> bool {
    matches!(key, "file_name" | "file_path")
}

/// The number of entries that a text begins: a quoted key for files with its colon. The short names among these keys (`path`)
/// are those of other things too, and count only before a text.
pub fn attempted(text: &str) -> usize {
    let begins = |colon: &usize| {
        let is_opening = |sign: char| is_quote(sign) || sign == '\\';
        key_before(text, *colon).is_some_and(|name| {
            is_entry_key(name)
                || (is_file_key(name) && text[colon + 1..].trim_start().starts_with(is_opening))
        })
    };
    memchr_iter(b':', text.as_bytes()).filter(begins).count()
}

/// The quoted key whose colon stands at `colon`.
fn key_before(text: &str, colon: usize) -> Option<&str> {
    let before = text[..colon].trim_ascii_end().strip_suffix(is_quote)?.trim_end_matches('\\');
    let near = &before[before.floor_char_boundary(before.len().saturating_sub(LONGEST_KEY))..];
    // Among signs of ASCII alone the quote is one of them, too.
    if near.is_ascii() {
        return memrchr2(b'"', b'\'', near.as_bytes()).map(|quote| &near[quote + 1..]);
    }
    Some(near.rsplit_once(is_quote)?.1)
}

fn is_quote(character: char) -> bool {
    matches!(character, '"' | '\'' | '“' | '”' | '„' | '‘' | '’')
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::recover;

    #[test]
    fn a_text_attempts_an_entry_where_a_key_for_files_stands() {
        for (text, expect) in [
            (r#"{"file_name": "A"}"#, 1),
            (r#"{"file_name"   : "A", "file_path": 3}"#, 2),
            (r#"{'file_path': 'A'} {“fileName”: “B”} {"filename": "C"} {"path": "D"}"#, 4),
            (r#""{\"file_name\": \"A\"}""#, 1),
            (r#"{"path": {"file": ["a"]}}"#, 0),
            (r#"{"a": "file_name", "b": "path", c: "file: x"}"#, 0),
            (r#"file_name: x, "my_file_name": "y""#, 0),
            ("", 0),
            ("::::\": é\":", 0),
        ] {
            assert_eq!(attempted(text), expect, "{text}");
        }
    }

    #[test]
    fn an_entry_is_damaged_by_damage_at_or_below_it() {
        let text = r#"[{"file_name": "A", "deletions": [1]}, {"file_name": "B", "new_lines": ["x", "retu"#;
        let found = recover(text);
        assert_eq!(EntryCount::new(text, &found), EntryCount { attempted: 2, recovered: 1, damaged: 1 });
        let entries = entries(&found[0]);
        assert_eq!(entries[0].pointer, "/0");
        assert_eq!(Value::Object(entries[0].members.clone()), json!({"file_name": "A", "deletions": [1]}));
        assert!(!entries[0].damaged);
        assert!(entries[1].damaged);
    }

    #[test]
    fn entries_are_found_at_any_depth_and_under_other_names() {
        let text =
            r#"{"fixes": [{"path": "A", "more": {"fileName": "B"}}], "file": {"x": 1}, "command": null}"#;
        let found = recover(text);
        assert_eq!(EntryCount::new(text, &found), EntryCount { attempted: 2, recovered: 2, damaged: 0 });
        let pointers: Vec<String> = entries(&found[0]).into_iter().map(|entry| entry.pointer).collect();
        assert_eq!(pointers, ["/fixes/0", "/fixes/0/more"]);
    }

    #[test]
    fn an_entry_that_names_no_file_is_damaged() {
        for (text, recovered, damaged) in [
            (r#"[{"file_name": "A"}, {"file_name": [{"file_name": "A", "deletions": [1]}]}]"#, 2, 1),
            (r#"[{"file_name": "A"}, {"file_name": [{"file_name": "A", "deletions": [1]}, "#, 2, 1),
            (r#"[{"file_path": "A"}, {"file_path": "B"}, {"file_path": null}]"#, 2, 1),
            (r#"[{"file_path": "A"}, {"file_path":"#, 1, 1),
            (r#"[{"file_path": "A"}, {"file_path": , "deletions": [1]}]"#, 1, 1),
            (r#"{"path": {"path": "A", "file_name": "A"}, "more": {"file_path": "B"}}"#, 2, 0),
        ] {
            let count = EntryCount::new(text, &recover(text));
            assert_eq!((count.recovered, count.damaged), (recovered, damaged), "{text}");
        }
    }

    #[test]
    fn a_list_that_was_not_closed_does_not_damage_its_whole_entries() {
        let text = r#"[{"file_name": "A", "deletions": [1]}, {"file_name": "B", "deletions": []}"#;
        let found = recover(text);
        assert_eq!(EntryCount::new(text, &found), EntryCount { attempted: 2, recovered: 2, damaged: 0 });
    }
}
