//! What is wrong with recovered entries, judged without the recoverer: from the entry and the text alone.

use std::ops::Range;

use serde_json::{Map, Value};

/// Whether a string of the entry holds the syntax of an entry's keys: structure was swallowed.
pub fn is_corrupted(entry: &Map<String, Value>) -> bool {
    entry.values().any(|value| strings(value).iter().any(|text| holds_key(text)))
}

/// Whether the last string of the entry was cut off: in the text no quote follows it. A string of signs alone tells
/// nothing.
pub fn is_cut(entry: &Map<String, Value>, text: &str, span: Range<usize>) -> bool {
    let all: Vec<&str> = entry.values().flat_map(strings).collect();
    let Some(last) = all.last() else { return false };
    let special = |c: char| c.is_control() || matches!(c, '"' | '\'' | '\\' | '“' | '”');
    let escaped = |c: char| {
        c.is_ascii_punctuation() && text[span.clone()].contains(&format!("\\u{:04X}", u32::from(c)))
    };
    let is_cut = |special: &dyn Fn(char) -> bool| {
        let tail = last.rfind(special).map_or(*last, |at| last[at..].trim_start_matches(special));
        let quoted = |at: usize| {
            let after = text[at + tail.len()..].trim_start_matches('\\');
            after.starts_with(['"', '\'', '”', '’'])
        };
        let mut places = text[span.clone()].match_indices(tail).map(|(at, _)| span.start + at);
        !tail.is_empty() && !places.any(quoted)
    };
    // What is written by its number only rarely stands in a text, and is looked for last.
    is_cut(&special) && is_cut(&|c| special(c) || escaped(c))
}

fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(elements) => elements.iter().flat_map(strings).collect(),
        Value::Object(members) => members.values().flat_map(strings).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

fn holds_key(text: &str) -> bool {
    ["file_name", "file_path", "line_number", "new_lines", "modified_line"].iter().any(|key| {
        text.match_indices(key).any(|(at, _)| {
            let after = text[at + key.len()..].trim_start_matches(['"', '\'']);
            let quoted = text[..at].ends_with(['"', '\'']) && after.len() < text.len() - at - key.len();
            quoted && after.trim_start().starts_with(':')
        })
    })
}
