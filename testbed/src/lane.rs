//! Lanes: isolated copies of the project in which commands run.
//!
//! A lane is a folder with `project` (the copy, where commands run), `tools` (our own runners) and `out` (results and
//! compiled classes). Before a lane is used again it is made equal to the pristine copy, which is verified.

mod copy;
mod manifest;
mod pool;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};

pub(crate) use copy::{CopyRules, copy_project};
pub(crate) use manifest::Manifest;
pub(crate) use pool::{Lanes, Resting, Taken, Tools};

/// Why a lane cannot be made, reset or removed. For the user or the infrastructure.
#[derive(Debug, thiserror::Error)]
pub enum LaneError {
    /// The disk is full.
    #[error("no space left on the disk of {}\nhint: make room there, or give another folder for the work", .path.display())]
    DiskFull {
        /// What was being written.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("cannot {doing} {}: {source}", .path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A pattern for files to hide is not valid.
    #[error("the pattern {glob:?} for files to hide is not valid: {reason}")]
    Pattern {
        /// The pattern.
        glob: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A lane could not be made equal to the pristine copy.
    #[error("the lane {} cannot be reset: {what} keeps changing", .path.display())]
    NotReset {
        /// The lane.
        path: PathBuf,
        /// What differs.
        what: String,
    },
    /// Nobody waits for it any more.
    #[error("the work on the disk was stopped")]
    Stopped,
    /// The task that worked on the disk was lost. A defect of ours.
    #[error("the work on the disk broke off: {reason}")]
    Lost {
        /// What was said.
        reason: String,
    },
}

/// Names the path and the deed in an error of the file system.
pub(crate) fn failed<'a>(doing: &'static str, path: &'a Path) -> impl Fn(io::Error) -> LaneError + 'a {
    move |source| match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            LaneError::DiskFull { path: path.to_owned() }
        }
        _ => LaneError::Io { doing, path: path.to_owned(), source },
    }
}

/// One lane.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    root: PathBuf,
}

impl Lane {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// The folder that a sandbox shows.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The copy of the project.
    pub(crate) fn project(&self) -> PathBuf {
        self.root.join(PROJECT)
    }

    /// Our own runners.
    pub(crate) fn tools(&self) -> PathBuf {
        self.root.join(TOOLS)
    }

    /// Results and compiled classes.
    pub(crate) fn out(&self) -> PathBuf {
        self.root.join(OUT)
    }
}

/// The folders of a lane.
pub(crate) const PROJECT: &str = "project";
pub(crate) const TOOLS: &str = "tools";
pub(crate) const OUT: &str = "out";

/// The files below a folder, each with its bytes, by their path relative to the folder above.
pub(crate) fn files_in(above: &Path, folder: &str) -> Result<Tools, LaneError> {
    let root = above.join(folder);
    let mut files = Tools::new();
    for file in Manifest::of(&root)?.files() {
        let path = root.join(&file);
        let bytes = std::fs::read(&path).map_err(failed("read", &path))?;
        files.insert(format!("{folder}/{file}"), bytes);
    }
    Ok(files)
}

/// Writes a file, and makes the folder for it.
pub(crate) fn put(path: &Path, bytes: &[u8]) -> Result<(), LaneError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed("create", folder))?;
    }
    std::fs::write(path, bytes).map_err(failed("write", path))
}

/// Removes a folder with all that is in it, also where a test took the right to write away. A folder that is not there
/// is no error.
pub(crate) fn remove(path: &Path) -> Result<(), LaneError> {
    match std::fs::remove_dir_all(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(_) => {
            copy::make_writable(path);
            match std::fs::remove_dir_all(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path)(error)),
                Ok(()) | Err(_) => Ok(()),
            }
        }
    }
}
