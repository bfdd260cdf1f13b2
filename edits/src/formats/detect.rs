//! Detection of the format that a text is in.

use super::error::ReadingError;
use super::marked::{Candidate, first, reading, texts};
use super::text::{Around, Found};
use super::{EditFormat, Reading, diff, function, json, patched, search_replace, swt};
use crate::edit::Edit;

/// Reads edits in one format. In a text of JSON they may stand as a value.
pub(super) fn in_format(text: &str, format: EditFormat, around: Around) -> Result<Reading, ReadingError> {
    let found = match format {
        EditFormat::Json | EditFormat::StringReplace => return reading(values(text, around), Some(format)),
        EditFormat::SearchReplace if text.contains(patched::OPEN) => {
            let found = search_replace::scan(text, around);
            if found.start().is_some() { found } else { patched::scan(text, around) }
        }
        EditFormat::SearchReplace => search_replace::scan(text, around),
        EditFormat::Diff => diff::scan(text, around),
        EditFormat::Function => function::scan(text, around),
        EditFormat::Swt => swt::scan(text, around),
    };
    let result = reading(found, Some(format));
    if result.is_err()
        && let Ok(inner) = reading(values(text, around), Some(format))
        && inner.format == format
    {
        return Ok(inner);
    }
    result
}

/// Reads edits in whatever format they are in.
pub(super) fn in_any(text: &str, around: Around) -> Result<Reading, ReadingError> {
    let mut candidates = texts(text, around);
    let mut values = values(text, around);
    if candidates.iter().any(|(_, found)| !found.blocks.is_empty()) {
        // What stands beside edits in another format may be an example or code, if it is not plainly an edit.
        values.blocks.retain(|block| is_plain(&block.edit) || contains_all(block.span.clone(), &candidates));
    }
    candidates.push((EditFormat::Json, values));
    if let Some(reading) = first(candidates)? {
        return Ok(reading);
    }
    reading(function::scan(text, around), None)
}

/// Edits in JSON or in the tags of a call.
fn values(text: &str, around: Around) -> Found {
    let tagged = json::tagged_calls(text, around.project);
    if tagged.start().is_some() { tagged } else { json::scan(text, around.project) }
}

/// Is true if all edits of other formats stand inside a span.
fn contains_all(span: std::ops::Range<usize>, candidates: &[Candidate]) -> bool {
    candidates.iter().all(|(_, found)| found.start().is_none_or(|start| span.contains(&start)))
}

/// Is true if an edit says what to change in a way that nothing else looks like.
fn is_plain(edit: &Edit) -> bool {
    !(edit.insertions.is_empty()
        && edit.deletions.is_empty()
        && edit.modifications.is_empty()
        && edit.replacements.is_empty())
}
