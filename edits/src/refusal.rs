//! The reasons for which edits are refused, in words that whoever wrote them can act on.

use patchwright_syntax::{PathError, ProjectPath, ProjectReadError, SyntaxError, shorten};
use thiserror::Error;

use crate::lookalike::difference;
use crate::matching::Nearest;
use crate::outcome::EditStatus;

/// Lines that a message lists.
const LINES_LISTED: usize = 8;

/// Problems and places that a message lists.
const PROBLEMS_LISTED: usize = 20;

/// The most of a line that a message quotes, in characters.
const QUOTED: usize = 80;

/// The reason for which a set of edits was refused. Nothing was changed. Unless said otherwise the message is for whoever wrote the
/// edits, a model included.
#[derive(Debug, Error)]
pub enum EditError {
    /// There are no edits, or they leave every file as it is.
    #[error("the fix changes nothing: after it every file would be the same as before")]
    NoChange,
    /// Edits that do not fit the files they are for; all that was found, in the order of files and lines. The message lists the first ones.
    #[error("the fix cannot be applied: {}", listed(.0, "; "))]
    DoesNotApply(Vec<ApplyProblem>),
    /// A file that a fix may not change.
    #[error("`{file}` may not be changed: {reason}")]
    NotAllowed {
        /// The file.
        file: ProjectPath,
        /// The reason that the rule gives.
        reason: String,
    },
    /// The file would have a syntax error that it did not have before.
    #[error("the fix would break the syntax of `{file}`: {}", broken_line(.error))]
    SyntaxError {
        /// The file.
        file: ProjectPath,
        /// The error, in the file as it would be after the edit.
        error: SyntaxError,
    },
    /// All that the edits would bring is there already: where, each as a file and a line.
    #[error("the fix is in the project already: {}", listed(.0, ", "))]
    AlreadyApplied(Vec<String>),
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
        /// The fault.
        message: String,
    },
}

/// One reason why edits do not fit a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ApplyProblem {
    /// A line number that the file, which has `count` lines, does not have.
    #[error("`{file}` has {}, so there is no line {line} to {action}", lines(*.count))]
    OutOfRange { file: ProjectPath, line: u32, count: u32, action: String },
    /// One line shall become two different things.
    #[error(
        "line {line} of `{file}` is modified twice, to `{first}` and to `{second}`; give one text for it"
    )]
    Conflict { file: ProjectPath, line: u32, first: String, second: String },
    /// A character that the encoding of the file has no place for, in the text for an original line.
    #[error(
        "`{file}` is not in UTF-8 but in an 8-bit encoding that has no `{character}` (U+{:04X}); write it as an escape, or \
         leave it out, in the text for line {line}", u32::from(*.character)
    )]
    Unencodable { file: ProjectPath, line: u32, character: char },
    /// A text, of which this is the first line, that the file does not contain, and what comes nearest to it.
    #[error("`{file}` does not contain `{text}`{}", shown_nearest(.nearest.as_ref()))]
    NotFound { file: ProjectPath, text: String, nearest: Option<Nearest> },
    /// A text or a definition that the file contains more than once, at these lines.
    #[error("`{file}` contains `{text}` {} times, at {}; give more of the lines around the one that is meant", .lines.len(), at_lines(.lines))]
    Ambiguous { file: ProjectPath, text: String, lines: Vec<u32> },
    /// Something named that the file does not have.
    #[error("`{file}`: {reason}")]
    Missing { file: ProjectPath, reason: String },
    /// A change that can be read in two ways, or in none.
    #[error("`{file}` cannot be changed as asked: {reason}")]
    Unclear { file: ProjectPath, reason: String },
    /// A file that shall be new.
    #[error("`{file}` exists already; give the parts of it that change, and what they become")]
    Exists { file: ProjectPath },
    /// A NUL character, which makes a file a binary one, in the text for an original line.
    #[error("the text for line {line} of `{file}` holds a NUL character; write it as an escape")]
    Nul { file: ProjectPath, line: u32 },
}

impl ApplyProblem {
    /// The status that the problem gives its edit.
    pub(crate) fn status(&self) -> EditStatus {
        match self {
            Self::OutOfRange { .. } | Self::NotFound { .. } | Self::Missing { .. } => EditStatus::NotFound,
            Self::Conflict { .. } | Self::Ambiguous { .. } | Self::Unclear { .. } => EditStatus::Ambiguous,
            Self::Unencodable { .. } | Self::Nul { .. } | Self::Exists { .. } => EditStatus::NotAllowed,
        }
    }
}

/// A line as it would be, and what is wrong with it.
pub(crate) fn broken_line(SyntaxError { line, text, problem }: &SyntaxError) -> String {
    format!("line {line} would be `{text}` ({problem})")
}

/// The first of what was found, and the number of the others.
fn listed(found: &[impl ToString], separator: &str) -> String {
    let mut texts: Vec<String> = found.iter().take(PROBLEMS_LISTED).map(ToString::to_string).collect();
    if found.len() > PROBLEMS_LISTED {
        texts.push(format!("and {} more", found.len() - PROBLEMS_LISTED));
    }
    texts.join(separator)
}

fn lines(count: u32) -> String {
    match count {
        0 => "no lines".to_owned(),
        1 => "1 line".to_owned(),
        _ => format!("{count} lines"),
    }
}

/// The place that comes nearest, and how it differs.
fn shown_nearest(nearest: Option<&Nearest>) -> String {
    let Some(Nearest { first, last, line, own, written }) = nearest else { return String::new() };
    let place =
        if first == last { format!("is line {first}") } else { format!("are lines {first} to {last}") };
    let signs = difference(own, written).map_or_else(String::new, |signs| format!(" ({signs})"));
    format!(
        "; nearest {place}, where line {line} is `{}` and not `{}`{signs}",
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
