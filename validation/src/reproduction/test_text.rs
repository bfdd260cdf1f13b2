//! The text of tests, before and after a change.

use patchwright_syntax::{Method, Source, decoded};

/// The text of a file; empty where there is none.
pub(super) fn source_of(bytes: Option<&[u8]>) -> Source {
    Source::from_text(decoded(bytes.unwrap_or_default()).into_owned())
}

/// The text of a method with its name and that of its class.
pub(super) fn text_of(method: &Method, source: &Source) -> (String, String) {
    let lines = source.lines();
    let rows = method.lines.first.saturating_sub(1) as usize..(method.lines.last as usize).min(lines.len());
    (method.qualified.clone(), lines.get(rows).unwrap_or_default().join("\n"))
}

/// The lines of a text that are more than blank, without white space around them.
pub(super) fn telling_lines(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}
