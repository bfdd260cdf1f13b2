//! Parts of a file of the project: as numbered lines, and as text.

use serde::{Deserialize, Serialize};

/// Lines of a file of the unchanged project, with their numbers.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct SourceLines {
    /// The file, relative to the project.
    pub path: String,
    /// Line number (from 1) and text without line end, in rising order.
    pub lines: Vec<(u32, String)>,
    /// A remark on the whole (`the file has 120 lines`).
    pub note: Option<String>,
}

/// A part of a file as text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Excerpt {
    /// The file, relative to the project.
    pub path: String,
    /// The shown text of it.
    pub text: String,
}
