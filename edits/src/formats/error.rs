//! Why edits could not be read, in words that whoever wrote them can act on.

use std::fmt;

use thiserror::Error;

use super::EditFormat;

/// Why edits could not be read. Nothing of such a text may be used; the message is for whoever wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadingError {
    /// There are no edits in the text.
    #[error("There are no edits in the text{}.", expected(*.format))]
    Nothing {
        /// The format that was looked for; `None` for all of them.
        format: Option<EditFormat>,
    },
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
        "A text in the edits can be read in two ways, {spot}, because quotes inside it are not escaped. Write `\\\"` for a quote inside a text."
    )]
    TwoReadings {
        /// Where.
        spot: ErrorLocation,
    },
    /// Something inside an edit is not JSON at all.
    #[error("Something in the edits is not JSON, {spot}{}. Write them again as valid JSON.", behind(.after))]
    Unreadable {
        /// Where.
        spot: ErrorLocation,
        /// What stands before it.
        after: String,
    },
    /// An edit that does not say which file it is for.
    #[error("An edit names no file, {spot}. {}", cure(.spot))]
    NoFile {
        /// Where.
        spot: ErrorLocation,
    },
    /// An edit is not as its format wants it.
    #[error("An edit cannot be read, {spot}: {flaw}.")]
    Flawed {
        /// Where.
        spot: ErrorLocation,
        /// What is wrong with it.
        flaw: FormatProblem,
    },
}

/// Where in a text of edits something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorLocation {
    /// The file that the edit is for, where it is known.
    pub file: Option<String>,
    /// The place in the text.
    pub place: ErrorPosition,
}

/// A place in a text of edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorPosition {
    /// A line, from 1.
    Line(u32),
    /// A path in a JSON value.
    Value(String),
}

/// What is wrong with an edit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FormatProblem {
    /// A block without its middle line.
    #[error("the block has no line `=======` between the text to find and the new text")]
    NoDivider,
    /// A block with several lines that could be the middle one.
    #[error(
        "the block has several lines `=======` (lines {}), so it is not clear where the text to find ends; choose other \
         lines to find or to write, or another format", numbers(.lines)
    )]
    SeveralDividers {
        /// Their lines.
        lines: Vec<u32>,
    },
    /// A block that does not end before the next one.
    #[error(
        "the block does not end before the next one begins in line {next}; its last line is `>>>>>>> REPLACE`, indented \
         like its first"
    )]
    NoEnd {
        /// The line of the next block.
        next: u32,
    },
    /// The end of a block that did not begin.
    #[error("there is no `<<<<<<< SEARCH` before this end of a block")]
    NoBegin,
    /// A line in a hunk that has no sign.
    #[error("`{text}` is no line of a hunk: each begins with a blank, `-` or `+`")]
    NoSign {
        /// The line.
        text: String,
    },
    /// A hunk that ends with the text, where nothing says that it is complete.
    #[error(
        "the hunk ends with the text, and its head names more lines than it has; if it was not cut off, correct the counts, or put the diff between lines of ```"
    )]
    OpenEnd,
    /// A hunk that only adds lines and does not say where.
    #[error("the hunk says not where its lines are to go; give the lines around them, or line numbers")]
    NoPlace,
    /// A header of a file without changes below it.
    #[error("there are no changes below the names of the file")]
    NoHunks,
    /// A change of a binary file.
    #[error("it changes a binary file, but only text can be edited")]
    Binary,
    /// A copied file.
    #[error("it copies a file; write the copy as a new file instead")]
    Copy,
    /// A diff of more than two versions.
    #[error("it compares more than two versions; write a diff of two")]
    Combined,
    /// Different names of one file.
    #[error("the file is named `{old}` and `{new}`; use one name, or say `rename from` and `rename to`")]
    TwoNames {
        /// The name before.
        old: String,
        /// The name after.
        new: String,
    },
    /// A new file with lines that it is said to have had.
    #[error(
        "the file is said to be new, but lines of it are kept or removed; a new file has only lines with `+`"
    )]
    NotNew,
    /// A word for what is to be done that is not known.
    #[error("`{found}` stands where `rewrite` or `insert` is wanted")]
    UnknownWord {
        /// The word.
        found: String,
    },
    /// A place that is not known.
    #[error("`{found}` stands where a line number, `BOF` or `EOF` is wanted")]
    UnknownPlace {
        /// What stands there.
        found: String,
    },
    /// No code.
    #[error("there is no code in it")]
    NoCode,
    /// A field of an edit is missing or of the wrong kind.
    #[error("{problem}")]
    Field {
        /// What is wrong.
        problem: String,
    },
    /// A call that takes back what an earlier one did.
    #[error("`{command}` cannot be done here; leave out the edit that it is about instead")]
    UnknownCommand {
        /// The command.
        command: String,
    },
}

impl ErrorLocation {
    /// A line of the text.
    pub(super) fn line(number: u32, file: Option<&str>) -> Self {
        Self { file: file.map(str::to_owned), place: ErrorPosition::Line(number) }
    }

    /// A place in a JSON value.
    pub(super) fn value(path: String, file: Option<&str>) -> Self {
        Self { file: file.map(str::to_owned), place: ErrorPosition::Value(path) }
    }
}

impl fmt::Display for ErrorLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
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
    match spot.place {
        ErrorPosition::Line(_) => {
            "Write the path of the file, relative to the root of the project, in the line before it."
        }
        ErrorPosition::Value(_) => "Give it a `file_path`, relative to the root of the project.",
    }
}

fn numbers(lines: &[u32]) -> String {
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
