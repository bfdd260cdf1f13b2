//! Why edits are refused, in words that whoever wrote them can act on.

use patchwright_syntax::{PathError, ProjectPath, ProjectReadError, shorten};
use thiserror::Error;

use crate::applied::EditStatus;
use crate::matching::Nearest;

/// Lines that a message lists.
const LINES_LISTED: usize = 8;

/// How much of a line a message quotes, in characters.
const QUOTED: usize = 80;

/// Why a set of edits was refused. Nothing was changed. Unless said otherwise the message is for whoever wrote the
/// edits, a model included.
#[derive(Debug, Error)]
pub enum EditError {
    /// There are no edits, or they leave every file as it is.
    #[error("the fix changes nothing: after it every file would be the same as before")]
    NoChange,
    /// Edits that do not fit the files they are for; all that was found.
    #[error("the fix cannot be applied: {}", sentences(.problems))]
    DoesNotApply {
        /// What does not fit, in the order of files and lines.
        problems: Vec<ApplyProblem>,
    },
    /// A file that a fix may not change.
    #[error("`{file}` may not be changed: {reason}")]
    NotAllowed {
        /// The file.
        file: ProjectPath,
        /// The reason that the rule gives.
        reason: String,
    },
    /// The file would have a syntax error that it did not have before.
    #[error("the fix would break the syntax of `{file}`: line {line} would be `{text}` ({problem})")]
    SyntaxError {
        /// The file.
        file: ProjectPath,
        /// The line in the file as it would be after the edit, from 1.
        line: u32,
        /// The text of that line.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// All that the edits would bring is there already.
    #[error("the fix is in the project already: {}", .places.join(", "))]
    AlreadyApplied {
        /// Where, each as a file and a line.
        places: Vec<String>,
    },
    /// The file cannot be found, or not uniquely, or lies outside of the project.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The file cannot be read as source.
    #[error(transparent)]
    Read(#[from] ProjectReadError),
    /// A rule is not a valid pattern. Whoever configured the rules must act.
    #[error("the pattern `{glob}` for files that may not be changed is not valid: {message}")]
    BadRule {
        /// The pattern.
        glob: String,
        /// What is wrong with it.
        message: String,
    },
}

/// One reason why edits do not fit a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ApplyProblem {
    /// A line number that the file does not have.
    #[error("`{file}` has {}, so there is no line {line} to {action}{}", lines(*.count), advice(*.action, *.count))]
    OutOfRange {
        /// The file.
        file: ProjectPath,
        /// The number that was given.
        line: u32,
        /// How many lines the file has.
        count: u32,
        /// What was to be done there.
        action: Action,
    },
    /// One line shall become two different things.
    #[error(
        "line {line} of `{file}` is modified twice, to `{first}` and to `{second}`; give one text for it"
    )]
    Conflict {
        /// The file.
        file: ProjectPath,
        /// The line.
        line: u32,
        /// One text for it.
        first: String,
        /// Another text for it.
        second: String,
    },
    /// A character that the encoding of the file has no place for.
    #[error(
        "`{file}` is not in UTF-8 but in an 8-bit encoding that has no {}; write it as an escape, or leave it out, in the \
         text for line {line}", shown(*.character)
    )]
    Unencodable {
        /// The file.
        file: ProjectPath,
        /// The original line that the text is for.
        line: u32,
        /// The first such character.
        character: char,
    },
    /// A text that the file does not contain.
    #[error("`{file}` does not contain `{text}`{}", shown_nearest(.nearest.as_ref()))]
    NotFound {
        /// The file.
        file: ProjectPath,
        /// The first line of the text.
        text: String,
        /// What comes nearest to it.
        nearest: Option<Nearest>,
    },
    /// A text that the file contains more than once.
    #[error("`{file}` contains `{text}` {} times, at {}; give more of the lines around the one that is meant", .lines.len(), at_lines(.lines))]
    Ambiguous {
        /// The file.
        file: ProjectPath,
        /// The first line of the text, or the name of a definition.
        text: String,
        /// Where, from 1.
        lines: Vec<u32>,
    },
    /// Something named that the file does not have.
    #[error("`{file}`: {reason}")]
    Missing {
        /// The file.
        file: ProjectPath,
        /// What, and what comes near.
        reason: String,
    },
    /// A change that can be read in two ways, or in none.
    #[error("`{file}` cannot be changed as asked: {reason}")]
    Unclear {
        /// The file.
        file: ProjectPath,
        /// Why.
        reason: String,
    },
    /// A file that shall be new.
    #[error("`{file}` exists already; replace a part of it, or delete it first")]
    Exists {
        /// The file.
        file: ProjectPath,
    },
    /// A NUL character, which makes a file a binary one.
    #[error("the text for line {line} of `{file}` holds a NUL character; write it as an escape")]
    Nul {
        /// The file.
        file: ProjectPath,
        /// The original line that the text is for.
        line: u32,
    },
}

impl ApplyProblem {
    /// What the misfit makes of its edit.
    pub(crate) fn status(&self) -> EditStatus {
        match self {
            Self::OutOfRange { .. } | Self::NotFound { .. } | Self::Missing { .. } => EditStatus::NotFound,
            Self::Conflict { .. } | Self::Ambiguous { .. } | Self::Unclear { .. } => EditStatus::Ambiguous,
            Self::Unencodable { .. } | Self::Nul { .. } | Self::Exists { .. } => EditStatus::NotAllowed,
        }
    }
}

/// What an edit does at a line.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Insert before it.
    Insert,
    /// Delete it.
    Delete,
    /// Replace it.
    Modify,
}

impl std::fmt::Display for Action {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Insert => "insert before",
            Self::Delete => "delete",
            Self::Modify => "modify",
        })
    }
}

fn sentences(problems: &[ApplyProblem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn lines(count: u32) -> String {
    match count {
        0 => "no lines".to_owned(),
        1 => "1 line".to_owned(),
        _ => format!("{count} lines"),
    }
}

fn advice(action: Action, count: u32) -> String {
    match action {
        Action::Insert => {
            format!(" (to add lines at the end, insert before line {})", count.saturating_add(1))
        }
        Action::Delete | Action::Modify => String::new(),
    }
}

fn shown(character: char) -> String {
    format!("`{character}` (U+{:04X})", u32::from(character))
}

/// The place that comes nearest, and how it differs.
fn shown_nearest(nearest: Option<&Nearest>) -> String {
    let Some(Nearest { first, last, line, own, written }) = nearest else { return String::new() };
    let place =
        if first == last { format!("is line {first}") } else { format!("are lines {first} to {last}") };
    format!(
        "; nearest {place}, where line {line} is `{}` and not `{}`",
        shorten(own, QUOTED),
        shorten(written, QUOTED)
    )
}

fn at_lines(lines: &[u32]) -> String {
    let shown: Vec<String> = lines.iter().take(LINES_LISTED).map(ToString::to_string).collect();
    let more = lines.len().saturating_sub(LINES_LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("lines {}{more}", shown.join(", "))
}
