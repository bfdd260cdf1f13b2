//! The reasons for which edits could not be read, in words that whoever wrote them can act on.

use std::fmt;

use thiserror::Error;

use super::EditFormat;

/// The reason for which edits could not be read. Nothing of such a text may be used; the message is for whoever wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadingError {
    /// There are no edits in the text, of the format that was looked for; `None` for all of them.
    #[error("There are no edits in the text{}.", expected(*.0))]
    Nothing(Option<EditFormat>),
    /// Edits in two formats.
    #[error("There are edits in two formats, {first} and {second}. Write all of them in one.")]
    TwoFormats {
        /// The format that comes first.
        first: EditFormat,
        /// Another one.
        second: EditFormat,
    },
    /// An edit was cut off.
    #[error("The edits were cut off, {spot}{}. None of them was used. Write all of them again, shorter.", behind(.after))]
    Cut {
        /// Where.
        spot: ErrorLocation,
        /// The last words that are there.
        after: String,
    },
    /// A text can be read in two ways.
    #[error(
        "A text in the edits can be read in two ways, {0}, because quotes inside it are not escaped. Write `\\\"` for a quote inside a text."
    )]
    TwoReadings(ErrorLocation),
    /// Something inside an edit is not JSON at all.
    #[error("Something in the edits is not JSON, {spot}{}. Write them again as valid JSON.", behind(.after))]
    Unreadable {
        /// Where.
        spot: ErrorLocation,
        /// The last words before it.
        after: String,
    },
    /// An edit that does not say which file it is for.
    #[error("An edit names no file, {0}. {cure}", cure = cure(.0))]
    NoFile(ErrorLocation),
    /// An edit is not as its format wants it.
    #[error("An edit cannot be read, {spot}: {problem}.")]
    Flawed {
        /// Where.
        spot: ErrorLocation,
        /// The fault.
        problem: FormatProblem,
    },
}

/// The place in a text of edits at which something is wrong, and the file that the edit is for, where it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorLocation {
    file: Option<String>,
    position: ErrorPosition,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ErrorPosition {
    /// A line, from 1.
    Line(u32),
    /// A path in a JSON value.
    Value(String),
}

/// The fault of an edit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FormatProblem {
    #[error("the block has no line `=======` between the text to find and the new text")]
    NoDivider,
    #[error(
        "the block has several lines `=======` (lines {}), so it is not clear where the text to find ends; choose other \
         lines to find or to write, or another format", numbers(.0)
    )]
    SeveralDividers(Vec<u32>),
    #[error(
        "the tag `</patched>` stands in its new text, too, so it is not clear where that ends; use another format"
    )]
    SeveralTags,
    /// With the line of the next block.
    #[error(
        "the block does not end before the next one begins in line {0}; its last line is `>>>>>>> REPLACE`, indented \
         like its first"
    )]
    NoEnd(u32),
    #[error("there is no `<<<<<<< SEARCH` before this end of a block")]
    NoBegin,
    #[error("no `<patched>` stands behind `</original>`")]
    NoPatched,
    #[error("`{0}` is no line of a hunk: each begins with a blank, `-` or `+`")]
    NoSign(String),
    #[error(
        "the hunk ends with the text, and its head names more lines than it has; if it was not cut off, correct the counts, or put the diff between lines of ```"
    )]
    OpenEnd,
    #[error("the hunk says not where its lines are to go; give the lines around them, or line numbers")]
    NoPlace,
    #[error("there are no changes below the names of the file")]
    NoHunks,
    #[error("it changes a binary file, but only text can be edited")]
    Binary,
    #[error("it copies a file; write the copy as a new file instead")]
    Copy,
    #[error("it compares more than two versions; write a diff of two")]
    Combined,
    #[error("the file is named `{old}` and `{new}`; use one name, or say `rename from` and `rename to`")]
    TwoNames { old: String, new: String },
    #[error(
        "the file is said to be new, but lines of it are kept or removed; a new file has only lines with `+`"
    )]
    NotNew,
    #[error("`{0}` stands where `rewrite` or `insert` is wanted")]
    UnknownWord(String),
    #[error("`{0}` stands where a line number, `BOF` or `EOF` is wanted")]
    UnknownPlace(String),
    #[error("there is no code in it")]
    NoCode,
    /// A field of an edit is missing or of the wrong kind.
    #[error("{0}")]
    Field(String),
    /// A call that takes back what an earlier one did.
    #[error("`{0}` cannot be done here; leave out the edit that it is about instead")]
    UnknownCommand(String),
}

impl ErrorLocation {
    /// A line of the text.
    pub(super) fn line(number: u32, file: Option<&str>) -> Self {
        Self { file: file.map(str::to_owned), position: ErrorPosition::Line(number) }
    }

    /// A place in a JSON value.
    pub(super) fn value(path: String, file: Option<&str>) -> Self {
        Self { file: file.map(str::to_owned), position: ErrorPosition::Value(path) }
    }
}

impl fmt::Display for ErrorLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.position {
            ErrorPosition::Line(number) => write!(formatter, "in line {number}")?,
            ErrorPosition::Value(path) => write!(formatter, "in `{path}`")?,
        }
        self.file.as_ref().map_or(Ok(()), |file| write!(formatter, " (for `{file}`)"))
    }
}

fn expected(format: Option<EditFormat>) -> String {
    format.map(|format| format!(" in the format {format}")).unwrap_or_default()
}

fn behind(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(", after `{text}`") }
}

fn cure(spot: &ErrorLocation) -> &'static str {
    match spot.position {
        ErrorPosition::Line(_) => {
            "Write the path of the file, relative to the root of the project, in the line before it."
        }
        ErrorPosition::Value(_) => "Give it a `file_path`, relative to the root of the project.",
    }
}

fn numbers(lines: &[u32]) -> String {
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
