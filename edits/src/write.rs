//! Writing a set of files, all or none.
//!
//! All new contents are written into a folder of our own first, with a journal that says which file is to have which. Then each file
//! gets its content by one operation that keeps the old one, so that whatever was saved there meanwhile is seen and put back. Who is
//! killed in the middle leaves the journal, by which [`recover`] finishes the change or takes it back.

mod journal;
mod recovery;
mod transaction;

use std::io;

use patchwright_folder::{EntryKind, Folder, FolderError};
use patchwright_syntax::ProjectPath;
use thiserror::Error;

pub use self::recovery::{Recovery, is_interrupted, recover};
use self::transaction::Transaction;

/// The change of one file: from these bytes to those; `None` is no file.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Step<'a> {
    pub(crate) path: &'a ProjectPath,
    pub(crate) from: Option<&'a [u8]>,
    pub(crate) to: Option<&'a [u8]>,
}

impl Step<'_> {
    pub(crate) fn reversed(self) -> Self {
        Self { path: self.path, from: self.to, to: self.from }
    }
}

/// The reason for which a fix was not written. Except for [`ProjectWriteError::HalfWritten`] nothing was changed.
#[derive(Debug, Error)]
pub enum ProjectWriteError {
    /// A file is not what it is expected to be: it was changed, created or deleted meanwhile.
    #[error("`{0}` is not what it was when the fix was worked out")]
    Changed(ProjectPath),
    /// The file is a symbolic link or lies behind one that leads elsewhere.
    #[error("`{0}` is a link or lies behind one; links are not written through")]
    Link(ProjectPath),
    /// The folder of the project cannot be opened.
    #[error(transparent)]
    Root(FolderError),
    /// Another process writes a change into the project.
    #[error("another process is writing a change into this project")]
    Busy,
    /// An earlier change was begun and never came to its end.
    #[error("an earlier change of this project did not come to its end: `{0}` tells of it")]
    Unfinished(String),
    /// The folder for new contents, or its journal, cannot be used.
    #[error("cannot prepare the change: {0}")]
    Staging(io::Error),
    /// The operating system refused.
    #[error("cannot write `{path}`: {source}")]
    Io {
        /// The file.
        path: ProjectPath,
        /// The cause.
        source: io::Error,
    },
    /// A file could not be written, and then another could not be put back.
    #[error(
        "cannot write `{path}` ({cause}), and `{left}`, already written, could not be put back: {source}"
    )]
    HalfWritten {
        /// The file that could not be written.
        path: ProjectPath,
        /// The cause.
        cause: String,
        /// A file that was written and remains so.
        left: ProjectPath,
        /// The reason for which it could not be put back.
        source: io::Error,
    },
}

/// Takes all steps below a folder, or none of them.
pub(crate) fn write(folder: &Folder, steps: &[Step]) -> Result<(), ProjectWriteError> {
    prepared(folder, "", steps)?.commit()
}

/// The same for a change with a name, so that also the end of the machine leaves what [`recover`] needs.
pub(crate) fn write_durably(folder: &Folder, name: &str, steps: &[Step]) -> Result<(), ProjectWriteError> {
    prepared(folder, name, steps)?.synced()?.commit()
}

fn prepared<'a>(
    folder: &'a Folder,
    name: &str,
    steps: &[Step],
) -> Result<Transaction<'a>, ProjectWriteError> {
    steps.iter().try_for_each(|step| check(folder, *step))?;
    Transaction::prepare(folder, name, steps)
}

/// Is true if a file is what the step starts from, and is reached without links.
fn check(folder: &Folder, step: Step) -> Result<(), ProjectWriteError> {
    let path = || step.path.clone();
    let wrong = |error| match error {
        FolderError::Link(_) => ProjectWriteError::Link(path()),
        error => ProjectWriteError::Io { path: path(), source: error.into() },
    };
    let found = match folder.entry(step.path) {
        Ok(entry) => match (entry.kind, step.from) {
            (EntryKind::Link, _) => return Err(ProjectWriteError::Link(path())),
            (EntryKind::File, Some(from)) if entry.bytes == from.len() as u64 => {
                Some(folder.read(step.path, entry.bytes).map_err(wrong)?)
            }
            (EntryKind::File | EntryKind::Folder | EntryKind::Other, _) => {
                return Err(ProjectWriteError::Changed(path()));
            }
        },
        Err(error) if error.is_not_found() => None,
        Err(error) => return Err(wrong(error)),
    };
    if found.as_deref() == step.from { Ok(()) } else { Err(ProjectWriteError::Changed(path())) }
}

#[cfg(test)]
mod tests;
