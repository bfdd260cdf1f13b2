//! Edits as models write them, and what they are read as.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod detection;
mod diff;
mod function;
mod json;
mod patched;
mod properties;
mod search_replace;
mod string_replace;
mod swt;
mod written;

use super::error::{ErrorLocation, FormatProblem};
use super::{EditFormat, ReadingError, read_edits};
use crate::edit::{Definition, Edit, Placement, Replacement};

/// Reads a text in a format and gives its edits and what was repaired.
fn read(format: EditFormat, text: &str) -> (Vec<Edit>, Vec<String>) {
    let reading = read_edits(text, Some(format)).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let any = read_edits(text, None).unwrap_or_else(|error| panic!("any: {error}\n{text}"));
    assert_eq!(any, reading, "{text}");
    let mut edits = reading.edits;
    edits.iter_mut().flat_map(|edit| &mut edit.replacements).for_each(|one| one.signs.clear());
    (edits, reading.repairs.iter().map(ToString::to_string).collect())
}

/// Why a text is not read in a format.
fn refused(format: EditFormat, text: &str) -> String {
    match read_edits(text, Some(format)) {
        Ok(reading) => panic!("{reading:?}\n{text}"),
        Err(error) => error.to_string(),
    }
}

/// Where an edit has a fault, and the fault.
fn flaw(format: EditFormat, text: &str) -> (ErrorLocation, FormatProblem) {
    match read_edits(text, Some(format)) {
        Err(ReadingError::Flawed { spot, problem }) => (spot, problem),
        other => panic!("{other:?}\n{text}"),
    }
}

fn nothing(format: EditFormat, text: &str) {
    assert_eq!(read_edits(text, Some(format)), Err(ReadingError::Nothing(Some(format))), "{text}");
}

fn empty(file: &str) -> Edit {
    Edit { file_path: file.to_owned(), ..Edit::default() }
}

fn replacing(file: &str, search: &str, replace: &str) -> Edit {
    let replacement = Replacement {
        search: search.to_owned(),
        replace: replace.to_owned(),
        whole_lines: true,
        ..Replacement::default()
    };
    Edit { replacements: vec![replacement], ..empty(file) }
}

fn content(file: &str, text: &str) -> Edit {
    Edit { content: Some(text.to_owned()), ..empty(file) }
}

fn defining(file: &str, code: &str, place: Placement) -> Edit {
    let definition = Definition { name: None, code: code.to_owned(), place };
    Edit { definitions: vec![definition], ..empty(file) }
}
