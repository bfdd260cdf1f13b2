//! Calls behind marks, with their arguments as JSON: `<|channel|>commentary to=functions.NAME<|message|>{…}<|call|>` and
//! `[TOOL_CALLS]NAME[ARGS]{…}`.

use std::ops::Range;

use memchr::memchr2_iter;

use super::{CallBody, Found, MarkupCall};

/// The mark before the calls of a list.
pub(super) const CALLS: &str = "[TOOL_CALLS]";
/// The mark between the name of a call and its arguments.
const ARGUMENTS: &str = "[ARGS]";
/// The mark between the name of a call and its number.
const NUMBER: &str = "[CALL_ID]";
/// The mark at the end of what a model writes.
const END: &str = "</s>";
/// The mark before a message.
pub(super) const MESSAGE: &str = "<|message|>";
/// The marks that end a message.
const MESSAGE_ENDS: &[&str] = &["<|call|>", "<|end|>", "<|return|>", "<|start|>", "<|channel|>"];
/// What stands before the name of the one to whom a message goes.
const RECIPIENT: &str = "to=";
/// Those to whom a message may go that calls no tool.
const PEOPLE: &[&str] = &["user", "assistant", "all"];
/// The longest header of a message, in bytes.
const LONGEST_HEADER: usize = 300;

/// Where the header of the message with its mark at `mark` begins, if it says that the message goes to someone.
pub(super) fn header(text: &str, mark: usize, from: usize) -> Option<usize> {
    let near = text.ceil_char_boundary(mark.saturating_sub(LONGEST_HEADER).max(from));
    let before = &text[near..mark];
    // The header begins behind the message before, or behind a line.
    let ends = ["<|call|>", "<|end|>", "<|return|>", MESSAGE, "\n"];
    let start = ends.iter().filter_map(|end| before.rfind(end).map(|at| at + end.len())).max().unwrap_or(0);
    let recipient = before[start..].find(RECIPIENT)?;
    let first = ["<|start|>", "<|channel|>"].iter().filter_map(|mark| before[start..].find(mark)).min();
    Some(near + start + first.unwrap_or(recipient).min(recipient))
}

/// The call in the message whose header begins at `start`, and its mark at `mark`, if it goes to a tool.
pub(super) fn channel(text: &str, mark: usize, start: usize) -> Found {
    let begin = mark + MESSAGE.len();
    let name = text[start..mark].split_once(RECIPIENT).map_or("", |(_, name)| name);
    let name = name.split(char::is_whitespace).next().unwrap_or_default();
    let name = name.split("<|").next().unwrap_or_default();
    if name.is_empty() || PEOPLE.contains(&name) {
        return Found::Nothing(begin);
    }
    let end = first_of(text, begin, MESSAGE_ENDS);
    let body = begin..end.map_or(text.len(), |(end, _)| end);
    Found::Call(call(name, body, start, end.map(|(end, mark)| end + mark.len())))
}

/// The call behind the mark of a list of calls at `mark`. A list that is JSON itself is none of these.
pub(super) fn listed(text: &str, mark: usize, _start: usize) -> Found {
    let begin = mark + CALLS.len();
    let rest = &text[begin..];
    let name = word(rest.trim_start());
    let mut behind = &rest.trim_start()[name.len()..];
    if let Some(number) = behind.strip_prefix(NUMBER) {
        behind = &number[word(number).len()..];
    }
    let arguments = behind.strip_prefix(ARGUMENTS);
    if name.is_empty() || (arguments.is_none() && !behind.starts_with('{')) {
        return Found::Nothing(begin);
    }
    let start = text.len() - arguments.unwrap_or(behind).len();
    let end = first_of(text, start, &[CALLS, END]).map_or(text.len(), |(end, _)| end);
    Found::Call(call(name, start..end, mark, Some(end)))
}

/// A call with JSON in it, without an end where it was never closed.
fn call(name: &str, body: Range<usize>, start: usize, end: Option<usize>) -> MarkupCall {
    let span = start..end.unwrap_or(body.end);
    MarkupCall { name: name.to_owned(), body: Ok(CallBody::Json(body)), span, closed: end.is_some() }
}

/// The first of some marks at or after `from`, which begin with `<` or `[`: its place and the mark.
fn first_of(text: &str, from: usize, marks: &[&'static str]) -> Option<(usize, &'static str)> {
    memchr2_iter(b'<', b'[', &text.as_bytes()[from..]).map(|offset| from + offset).find_map(|at| {
        let mark = marks.iter().find(|mark| text[at..].starts_with(**mark))?;
        Some((at, *mark))
    })
}

/// The name at the begin of a text.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')));
    &text[..end.unwrap_or(text.len())]
}
