//! A replacement that has its place in a file, and why another has none.

use crate::matching::{MatchLevel, Nearest};
use crate::spliced::Splice;

/// A replacement that has its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Located {
    pub(crate) level: MatchLevel,
    pub(crate) splices: Vec<Splice>,
    /// The differences that were tolerated to find it, as half a sentence.
    pub(crate) note: Option<String>,
}

impl Located {
    /// All of a new file.
    pub(crate) fn new() -> Self {
        Self { level: MatchLevel::Exact, splices: Vec::new(), note: Some("new file".to_owned()) }
    }
}

/// The reason for which a replacement has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MatchFailure {
    /// The file has no such text.
    NotFound(Option<Nearest>),
    /// The file has it more than once: at these lines, from 1.
    Ambiguous(Vec<u32>),
    /// The new text is already there, at this line.
    AlreadyApplied(u32),
    /// The new text stands at this line, which may be chance.
    PerhapsApplied(u32),
    /// It replaces a text by itself.
    NoChange,
    /// The file does not have what it names; told as a sentence.
    Missing(String),
    /// It cannot be carried out, for this reason.
    Unclear(String),
}
