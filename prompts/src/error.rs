//! Errors in making a prompt.

use std::path::PathBuf;

use patchwright_protocol::{Actionable, Actor};

/// The reason why there is no prompt. All of these are the user's to fix: a template of theirs, or a limit that is too small.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// A template has a mistake.
    #[error("{file}, line {line}: {message}")]
    Template {
        /// The file of the template, as the user named the folder, or `prompts/templates/…` for our own.
        file: String,
        /// The line of the mistake, from 1.
        line: usize,
        /// The fault.
        message: String,
    },
    /// A template could not be read.
    #[error("cannot read the prompt templates: {path}: {source}")]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A folder of templates has a file that nothing uses.
    #[error("{file}: no prompt uses this template; known names: {known}")]
    Unused {
        /// The file.
        file: String,
        /// The names of the templates that prompts are made of.
        known: String,
    },
    /// The instructions leave too little room for the bug.
    #[error(
        "the prompt limit of {limit} tokens is too small: {needed} are needed for instructions and a minimum of facts"
    )]
    LimitTooSmall {
        /// The least limit that would do, in tokens.
        needed: usize,
        /// The limit that was set, in tokens.
        limit: usize,
    },
}

impl Actionable for PromptError {
    fn actor(&self) -> Actor {
        Actor::User
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Template { .. } => "repair the template, or remove the file to use the built-in one",
            Self::Unreadable { .. } => {
                "check that the folder exists and that its .md files are readable UTF-8 text"
            }
            Self::Unused { .. } => {
                "rename the file to one of the known names, or include it from one of them"
            }
            Self::LimitTooSmall { .. } => "raise the limit of tokens for a prompt",
        };
        Some(hint.to_owned())
    }
}
