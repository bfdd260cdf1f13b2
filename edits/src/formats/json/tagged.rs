//! Calls of an editor in tags: `<parameter=path>…</parameter>`, `<parameter name="path">…</parameter>`.

use patchwright_replies::end_of;
use patchwright_syntax::Project;
use serde_json::{Map, Value};

use super::super::error::{ErrorLocation, ReadingError};
use super::super::text::{FormatError, Found};
use super::scan_value;

const OPEN: &str = "<parameter";
const CLOSE: &str = "</parameter>";
/// The greatest length of the rest of an opening tag.
const LONGEST: usize = 60;
/// The ends of a call.
const ENDS: [&str; 3] = ["</function>", "</invoke>", "</tool_call>"];

/// Reads all calls in a text.
pub(in super::super) fn calls(text: &str, project: Option<&Project>) -> Found {
    let mut found = Found::default();
    let mut call = Map::new();
    let mut start = 0;
    let mut rest = text;
    while let Some(open) = rest.find(OPEN) {
        let between = &rest[..open];
        if ends(between) {
            finish(&mut call, start..at(text, rest), project, &mut found);
        }
        let begin = at(text, rest) + open;
        if call.is_empty() {
            start = begin;
        }
        let Some((name, behind)) = parameter(&rest[open + OPEN.len()..]) else {
            rest = &rest[open + OPEN.len()..];
            continue;
        };
        let Some(end) = behind.find(CLOSE) else {
            found.fault = Some(cut(text, begin));
            return found;
        };
        call.insert(name.to_owned(), Value::String(inner(&behind[..end]).to_owned()));
        rest = &behind[end + CLOSE.len()..];
    }
    if ends(rest) {
        finish(&mut call, start..text.len(), project, &mut found);
    }
    if !call.is_empty() && found.fault.is_none() {
        found.fault = Some(cut(text, start));
    }
    found
}

fn at(text: &str, rest: &str) -> usize {
    text.len() - rest.len()
}

fn ends(text: &str) -> bool {
    ENDS.iter().any(|end| text.contains(end))
}

/// The name of a parameter and what stands behind its opening tag.
fn parameter(text: &str) -> Option<(&str, &str)> {
    let length = text.bytes().take(LONGEST).position(|byte| byte == b'>')?;
    let (head, behind) = (&text[..length], &text[length + 1..]);
    let name = head.strip_prefix('=').or_else(|| head.trim_start().strip_prefix("name="))?;
    let name = name.trim().trim_matches(['"', '\'']);
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some((name, behind))
}

/// A text that stands on lines of its own is without the line ends around it.
fn inner(text: &str) -> &str {
    text.strip_prefix('\n').and_then(|text| text.strip_suffix('\n')).unwrap_or(text)
}

fn finish(
    call: &mut Map<String, Value>,
    span: std::ops::Range<usize>,
    project: Option<&Project>,
    found: &mut Found,
) {
    let call = scan_value(Value::Object(std::mem::take(call)), span, project);
    found.blocks.extend(call.blocks);
    found.repairs.extend(call.repairs);
    found.fault = found.fault.take().or(call.fault);
}

fn cut(text: &str, begin: usize) -> FormatError {
    let line = text[..begin].matches('\n').count() + 1;
    let spot = ErrorLocation::line(u32::try_from(line).unwrap_or(u32::MAX), None);
    FormatError { at: begin, error: ReadingError::Cut { spot, after: end_of(text.trim_end()) } }
}
