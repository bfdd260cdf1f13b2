//! Repairs on the way from a reply to a call, each in one short line.

use std::fmt;

use super::recover::{JsonRepair, RepairMade};

/// The most of the text before a place that is quoted to show where it is, in characters.
const QUOTED: usize = 60;

/// Something that was repaired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repair {
    /// The JSON was broken.
    Json {
        /// The fault.
        kind: JsonRepair,
        /// The number of times.
        count: usize,
    },
    /// The name of the tool was near one that exists.
    ToolName {
        /// The name as written.
        asked: String,
        /// The name that it was read as.
        read_as: String,
    },
    /// The name of an argument was near one that exists.
    ArgumentName {
        /// The name as written, with its path.
        asked: String,
        /// The name that it was read as.
        read_as: String,
    },
    /// An argument that does not exist was ignored.
    IgnoredArgument {
        /// The name as written, with its path.
        name: String,
    },
    /// A line of a text that is not JSON was read although it is not quite as its format wants it.
    Line {
        /// The line, from 1.
        line: u32,
        /// The change.
        change: ValueChange,
    },
    /// A text was read in a format that was not expected there.
    Format {
        /// The path of the argument; empty for the text as a whole.
        path: String,
        /// The format.
        format: &'static str,
    },
    /// A value was brought to the type of its argument.
    Value {
        /// The path of the argument.
        path: String,
        /// The change.
        change: ValueChange,
    },
}

/// The way in which a value was brought to the type of its argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ValueChange {
    /// A text with a number in it became the number.
    TextToNumber,
    /// A number became text.
    NumberToText,
    /// A truth value where text is wanted.
    TruthToText,
    /// A text became a truth value.
    TextToTruth,
    /// One value became a list of one.
    OneToList,
    /// A list of one became the value.
    ListToOne,
    /// `null` became an empty list, or was left out where it could be.
    NullLeftOut,
    /// A text of several lines became a list of lines.
    TextToLines,
    /// A list of lines became one text.
    LinesToText,
    /// A text with JSON in it became the value.
    JsonInText,
    /// A value was taken out of an object around it.
    Unwrapped,
    /// A line with its number beside it became the number.
    LineToNumber,
    /// A range of lines became all their numbers.
    RangeToLines,
    /// An object of numbers with their texts became a list.
    NumbersToList,
    /// A change that stood among others of another kind was put where it belongs.
    Moved,
    /// A block of edits without a path was taken to be for the file of the block before.
    PathOfBlockBefore,
    /// A block of edits without an end was taken to end where the next one begins.
    EndAdded,
    /// Several values of a text were taken for one.
    ValuesTakenTogether,
    /// The lines of a hunk were counted again.
    CountsRepaired,
    /// A change of a file's mode was ignored.
    ModeIgnored,
    /// Line ends that a transport had changed were put right.
    LineEndsRepaired,
}

impl Repair {
    /// A repair in JSON.
    pub fn of_json(made: &RepairMade) -> Self {
        Self::Json { kind: made.kind, count: made.count }
    }

    /// A value that was brought to its type.
    pub fn value(path: &str, change: ValueChange) -> Self {
        Self::Value { path: path.to_owned(), change }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json { kind, count: 1 } => write!(formatter, "JSON: {kind}"),
            Self::Json { kind, count } => write!(formatter, "JSON: {kind} ({count} times)"),
            Self::ToolName { asked, read_as } => write!(formatter, "command `{asked}` read as `{read_as}`"),
            Self::ArgumentName { asked, read_as } => {
                write!(formatter, "argument `{asked}` read as `{read_as}`")
            }
            Self::IgnoredArgument { name } => write!(formatter, "argument `{name}` ignored"),
            Self::Line { line, change } => write!(formatter, "line {line}: {change}"),
            Self::Format { path, format } if path.is_empty() => {
                write!(formatter, "text read as edits in the format {format}")
            }
            Self::Format { path, format } => {
                write!(formatter, "`{path}`: text read as edits in the format {format}")
            }
            Self::Value { path, change } if path.is_empty() => write!(formatter, "{change}"),
            Self::Value { path, change } => write!(formatter, "`{path}`: {change}"),
        }
    }
}

impl fmt::Display for ValueChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::TextToNumber => "text read as a number",
            Self::NumberToText => "number read as text",
            Self::TruthToText => "truth value read as text",
            Self::TextToTruth => "text read as true or false",
            Self::OneToList => "one value read as a list",
            Self::ListToOne => "list of one read as the value",
            Self::NullLeftOut => "null left out",
            Self::TextToLines => "text read as a list of lines",
            Self::LinesToText => "list of lines read as one text",
            Self::JsonInText => "JSON in a text read as the value",
            Self::Unwrapped => "taken out of the object around it",
            Self::LineToNumber => "line with its number read as the number",
            Self::RangeToLines => "range read as its lines",
            Self::NumbersToList => "numbers with their texts read as a list",
            Self::Moved => "put where it belongs",
            Self::PathOfBlockBefore => "no path; the one of the block before was used",
            Self::EndAdded => "the block before was not ended",
            Self::ValuesTakenTogether => "several values were taken together",
            Self::CountsRepaired => "line counts did not fit the hunk; its lines were counted",
            Self::ModeIgnored => "change of the file mode ignored",
            Self::LineEndsRepaired => "`\\r\\n` at all lines read as `\\n`",
        })
    }
}

/// The last characters of a text, on one line: they show where something was cut off.
pub fn end_of(text: &str) -> String {
    let start = text.char_indices().rev().nth(QUOTED - 1).map_or(0, |(index, _)| index);
    text[start..].split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A JSON pointer as people write a path: `/edits/0/deletions` is `edits[0].deletions`.
pub fn dotted(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        path = join(&path, &part);
    }
    path
}

/// A path and its next part.
pub fn join(path: &str, part: &str) -> String {
    if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("{path}[{part}]")
    } else if path.is_empty() {
        part.to_owned()
    } else {
        format!("{path}.{part}")
    }
}
