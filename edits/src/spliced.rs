//! Bytes of a text that become others.

use std::ops::Range;

use crate::matching::Lines;

/// Bytes of a text that become others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Splice {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

/// A text after its splices, which are in any order; `None` where two of them overlap.
pub(crate) fn spliced(text: &str, splices: &[Splice]) -> Option<String> {
    let mut sorted: Vec<&Splice> = splices.iter().collect();
    sorted.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for splice in sorted {
        result.push_str(text.get(at..splice.range.start)?);
        result.push_str(&splice.text);
        at = splice.range.end;
    }
    result.push_str(text.get(at..)?);
    Some(result)
}

/// The splice that puts a text of whole lines before a line.
pub(crate) fn inserted(file: &Lines, at: usize, text: &str) -> Splice {
    let place = file.start(at);
    let text = if file.is_open_at(at) { format!("{}{text}", file.usual_end()) } else { text.to_owned() };
    Splice { range: place..place, text }
}
