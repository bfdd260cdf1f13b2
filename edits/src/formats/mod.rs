//! Edits as models write them: every format is read into the same value, [`Edit`].
//!
//! [`read_edits`] finds out the format, or takes the one it is told, and gives the edits with what was repaired on
//! the way. A project is only asked whether a word names a file of it ([`read_edits_for`]); whether edits fit the files is for
//! [`crate::apply()`] to say.
//!
//! Each format has a parser that goes through the text once and gives its edits with their places. A text may show one
//! format inside an edit in another (a test of a parser, a manual), so the format that begins first counts, and another
//! one only where it stands outside of those edits; then nothing is read. An edit that was cut off, or has two
//! readings, is never read, nor is anything else of its text.

mod detect;
mod diff;
mod error;
mod fence;
mod function;
mod json;
mod marked;
mod patched;
mod path_line;
mod search_replace;
mod swt;
#[cfg(test)]
mod tests;
mod text;

use std::fmt;
use std::str::FromStr;

use patchwright_replies::Repair;
use patchwright_syntax::Project;
use text::Around;
use thiserror::Error;

use crate::edit::Edit;
pub use error::ReadingError;
pub use json::{CandidateReading, are_fields, interpret_edits, is_edit, normalised};

/// A format in which edits are written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum EditFormat {
    /// The paper's JSON: line numbers with their new text, per file.
    Json,
    /// Blocks of `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE` below a path, or the tags `<file>`, `<original>` and `<patched>`.
    SearchReplace,
    /// A unified diff, with or without git's headers, or in the envelope `*** Begin Patch`.
    Diff,
    /// Whole functions or methods in fences below a path, or as JSON.
    Function,
    /// The blocks of SWT-Bench (arXiv 2406.12952): `diff`, a path, `rewrite` or `insert`, a place, code, `end diff`.
    Swt,
    /// Calls of a tool that replaces a text: `old_str`, `new_str`.
    StringReplace,
}

impl EditFormat {
    /// All formats.
    pub const ALL: [Self; 6] =
        [Self::Json, Self::SearchReplace, Self::Diff, Self::Function, Self::Swt, Self::StringReplace];

    /// The name on the command line and in output.
    pub fn name(self) -> &'static str {
        self.names()[0]
    }

    /// The name, and others that are understood, with hyphens.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Json => &["json", "paper", "lines", "line-numbers"],
            Self::SearchReplace => &["search-replace", "searchreplace", "blocks", "search-and-replace"],
            Self::Diff => &["diff", "unified", "unified-diff", "patch", "git", "git-diff", "udiff"],
            Self::Function => {
                &["function", "functions", "whole-function", "method", "methods", "definition", "definitions"]
            }
            Self::Swt => &["swt", "swt-bench", "swtbench", "custom-diff", "zero-shot-plus"],
            Self::StringReplace => {
                &["string-replace", "str-replace", "str-replace-editor", "editor", "tool-call", "old-new"]
            }
        }
    }
}

impl fmt::Display for EditFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A name that no format has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no format `{name}`; the formats are {}", names())]
pub struct UnknownFormat {
    /// The name.
    pub name: String,
}

fn names() -> String {
    EditFormat::ALL.map(EditFormat::name).join(", ")
}

impl FromStr for EditFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let plain = name.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        let fits = |format: &Self| format.names().contains(&plain.as_str());
        Self::ALL.into_iter().find(fits).ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

/// Edits as they were read.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The format that they are in.
    pub format: EditFormat,
    /// The edits in the order of the text.
    pub edits: Vec<Edit>,
    /// The repairs made.
    pub repairs: Vec<Repair>,
}

/// Reads edits in a format, or in the one that the text is found to be in.
///
/// # Errors
/// There are no edits, or something in them is cut off, unclear or without a file.
pub fn read_edits(text: &str, format: Option<EditFormat>) -> Result<Reading, ReadingError> {
    read(text, format, Around::default())
}

/// The same for edits of a project, so that a line before an edit may name any file of it: `gradlew`, `configure`.
///
/// # Errors
/// As for [`read_edits`].
pub fn read_edits_for(
    project: &Project,
    text: &str,
    format: Option<EditFormat>,
) -> Result<Reading, ReadingError> {
    read(text, format, Around { project: Some(project), ..Around::default() })
}

fn read(text: &str, format: Option<EditFormat>, around: Around) -> Result<Reading, ReadingError> {
    let text = text.trim_start_matches('\u{feff}');
    match format {
        Some(format) => detect::in_format(text, format, around),
        None => detect::in_any(text, around),
    }
}
