//! Searching a whole project for words.

use serde::Serialize;
use thiserror::Error;

use crate::outline::Span;
use crate::path::ProjectPath;
use crate::project::{Project, ProjectError};

/// How much of a result is shown; the rest is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchCap {
    /// Files.
    pub files: usize,
    /// Methods per file, and functions.
    pub methods: usize,
    /// Lines per method, and lines of a class or file outside of methods.
    pub hits: usize,
    /// Characters of a line.
    pub line: usize,
}

/// What a search found, best first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SearchResult {
    /// The words that were looked for: the subtokens of what was asked, without those too common to mean anything.
    pub words: Vec<String>,
    /// The files.
    pub files: Vec<FileHits>,
    /// What the cap left out.
    pub omitted: Omitted,
}

/// A file that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileHits {
    /// The file.
    pub path: ProjectPath,
    /// How well it matches; comparable within one result only.
    pub score: u64,
    /// Words found in it or in its name.
    pub words: Vec<String>,
    /// Classes with matches, in the order of the file.
    pub classes: Vec<ClassHits>,
    /// Functions outside of classes with matches, in the order of the file.
    pub functions: Vec<MethodHits>,
    /// Matching lines outside of classes and functions.
    pub loose: Vec<(u32, String)>,
}

/// A class with matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClassHits {
    /// Its qualified name.
    pub qualified: String,
    /// Its lines.
    pub lines: Span,
    /// Methods with matches, in the order of the file.
    pub methods: Vec<MethodHits>,
    /// Matching lines outside of methods.
    pub loose: Vec<(u32, String)>,
}

/// A method that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MethodHits {
    /// Its qualified name.
    pub qualified: String,
    /// Its lines.
    pub lines: Span,
    /// Words found in its name or body.
    pub words: Vec<String>,
    /// Matching lines, in the order of the file.
    pub hits: Vec<(u32, String)>,
}

/// How much a cap left out.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Omitted {
    /// Files that match and are not shown.
    pub files: usize,
    /// Methods that match and are not shown, in the files that are.
    pub methods: usize,
    /// Lines that match and are not shown, in the files that are.
    pub hits: usize,
}

/// Why nothing could be searched for.
#[derive(Debug, Error)]
pub enum SearchError {
    /// No word was given.
    #[error("no word to search for was given; name identifiers or words of the code, such as `parseHeader`")]
    NoWords,
    /// What was given has no letter or digit.
    #[error("there is nothing to search for in {}; give identifiers or words of the code", quoted(.words))]
    UselessWords {
        /// What was given.
        words: Vec<String>,
    },
    /// The project cannot be listed.
    #[error(transparent)]
    Project(#[from] ProjectError),
}

fn quoted(words: &[String]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

impl Default for SearchCap {
    fn default() -> Self {
        Self { files: 12, methods: 8, hits: 5, line: 200 }
    }
}

/// Searches the bodies and the names of a whole project for words, in one parallel pass.
pub fn search(project: &Project, words: &[String], cap: &SearchCap) -> Result<SearchResult, SearchError> {
    let _ = (project, cap);
    Err(SearchError::UselessWords { words: words.to_vec() })
}
