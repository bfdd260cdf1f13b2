//! Texts with edits in the formats that are known by their marks: all but JSON and mere code.

use super::error::ReadingError;
use super::text::{Around, Found};
use super::{EditFormat, Reading, diff, patched, search_replace, swt};

/// The format, and what its parser found.
pub(super) type Candidate = (EditFormat, Found);

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

pub(super) fn texts(text: &str, around: Around) -> Vec<Candidate> {
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

/// The format that begins first, if no other format is used outside of its edits.
pub(super) fn first(mut candidates: Vec<Candidate>) -> Result<Option<Reading>, ReadingError> {
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

/// The findings as a reading.
pub(super) fn reading(found: Found, asked: Option<EditFormat>) -> Result<Reading, ReadingError> {
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
