//! Detection of the format that a text is in.

use super::error::ReadingError;
use super::text::{Around, Found};
use super::{EditFormat, Reading, diff, function, json, patched, search_replace, swt};
use crate::edit::Edit;

/// The format, and what its parser found.
type Candidate = (EditFormat, Found);

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

/// Reads edits in one of the formats that are neither JSON nor mere code.
pub(super) fn in_texts(text: &str, around: Around) -> Result<Option<Reading>, ReadingError> {
    first(texts(text, around))
}

/// Is true if a text may hold edits in one of the formats that are neither JSON nor mere code.
pub(super) fn has_marks(text: &str) -> bool {
    text.contains('\n')
        && (["<<<<<", "@@", "diff --git ", "end diff", "*** Begin Patch", patched::OPEN]
            .iter()
            .any(|mark| text.contains(mark))
            || (text.contains("--- ") && text.contains("+++ ")))
}

fn texts(text: &str, around: Around) -> Vec<Candidate> {
    if !has_marks(text) && !text.contains("REPLACE") && !text.contains(patched::OPEN) {
        return Vec::new();
    }
    vec![
        (EditFormat::SearchReplace, search_replace::scan(text, around)),
        (EditFormat::SearchReplace, patched::scan(text, around)),
        (EditFormat::Swt, swt::scan(text, around)),
        (EditFormat::Diff, diff::scan(text, around)),
    ]
}

/// Edits in JSON or in the tags of a call.
fn values(text: &str, around: Around) -> Found {
    let tagged = json::tagged_calls(text, around.project);
    if tagged.start().is_some() { tagged } else { json::scan(text, around.project) }
}

/// The format that begins first, if no other format is used outside of its edits.
fn first(mut candidates: Vec<Candidate>) -> Result<Option<Reading>, ReadingError> {
    candidates.retain(|(_, found)| found.start().is_some());
    candidates.sort_by_key(|(_, found)| found.start());
    let mut candidates = candidates.into_iter();
    let Some((format, found)) = candidates.next() else { return Ok(None) };
    if found.fault.is_none() {
        for (other, rest) in candidates {
            refuse_other(format, &found, other, rest)?;
        }
    }
    reading(found, None).map(Some)
}

/// Refuses edits in another format that do not stand inside of those that were found.
fn refuse_other(
    format: EditFormat,
    found: &Found,
    other: EditFormat,
    rest: Found,
) -> Result<(), ReadingError> {
    let mut spans: Vec<_> = found.blocks.iter().map(|block| block.span.clone()).collect();
    spans.dedup();
    let inside = |at: usize| {
        let next = spans.partition_point(|span| span.start <= at);
        spans[..next].last().is_some_and(|span| at < span.end)
    };
    if rest.blocks.iter().any(|block| !inside(block.span.start)) {
        let first = found.blocks.first().map_or(format, |block| block.format);
        let second = rest.blocks.first().map_or(other, |block| block.format);
        return Err(ReadingError::TwoFormats { first, second });
    }
    match rest.fault {
        // Prose and code hold much that is nearly JSON.
        Some(fault) if other != EditFormat::Json && !inside(fault.at) => Err(fault.error),
        Some(_) | None => Ok(()),
    }
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

/// The findings as a reading.
fn reading(found: Found, asked: Option<EditFormat>) -> Result<Reading, ReadingError> {
    if let Some(fault) = found.fault {
        return Err(fault.error);
    }
    let Some(first) = found.blocks.first() else { return Err(ReadingError::Nothing(asked)) };
    let mut format = first.format;
    for block in &found.blocks {
        if block.format != format {
            if !(is_value(format) && is_value(block.format)) {
                return Err(ReadingError::TwoFormats { first: format, second: block.format });
            }
            format = EditFormat::Json;
        }
    }
    let edits = found.blocks.into_iter().map(|block| block.edit).collect();
    Ok(Reading { format, edits, repairs: found.repairs })
}

/// Is true if edits of a format may stand beside others in JSON.
fn is_value(format: EditFormat) -> bool {
    match format {
        EditFormat::Json | EditFormat::StringReplace | EditFormat::Function => true,
        EditFormat::SearchReplace | EditFormat::Diff | EditFormat::Swt => false,
    }
}
