//! What became of each change of a fix.

use serde::Serialize;

use crate::matching::MatchLevel;

/// The outcome of one change of a fix.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EditStatus {
    /// It fits to the letter.
    Exact,
    /// It fits but for white space at line ends, or blank lines.
    Whitespace,
    /// It fits at another indentation, and was shifted alike.
    Indent,
    /// It fits but for typos, or with lines left out.
    Fuzzy,
    /// The text that it would bring is there already.
    AlreadyApplied,
    /// The file does not have what it is for, or there is no such file.
    NotFound,
    /// It can be read in more than one way.
    Ambiguous,
    /// It leaves everything as it is.
    NoChange,
    /// It would break the syntax of the file.
    SyntaxError,
    /// The file must not be changed, or not like this.
    NotAllowed,
}

impl From<MatchLevel> for EditStatus {
    fn from(level: MatchLevel) -> Self {
        match level {
            MatchLevel::Exact => Self::Exact,
            MatchLevel::Whitespace => Self::Whitespace,
            MatchLevel::Indent => Self::Indent,
            MatchLevel::Fuzzy => Self::Fuzzy,
        }
    }
}

/// One change of a fix and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EditOutcome {
    /// The file.
    pub file: String,
    /// Its outcome.
    pub status: EditStatus,
    /// A remark for whoever wrote the edit.
    pub note: Option<String>,
}
