//! Lanes: isolated copies of the project in which commands run.
//!
//! A lane is a folder with `project` (the copy, where commands run), `tools` (our own runners) and `out` (results and
//! compiled classes). Before a lane is used again it is made equal to the pristine copy, which is verified.
//!
//! Code that nobody has read writes to a lane, perhaps while we look: from outside it is touched through a [`Folder`] alone, which
//! follows no link and leads nowhere else. The lints of this crate hold that.

mod copy;
mod manifest;
mod pool;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use patchwright_edits::{Applied, ProjectWriteError};
use patchwright_folder::{Folder, FolderError};
use patchwright_protocol::Failure;
use patchwright_test_results::SealKey;

use crate::repository::PlantedRepository;
pub use copy::{CopyRules, copy_project};
pub use manifest::Manifest;
pub use pool::{IdleLane, LaneLease, Lanes, Tools};

/// The file in which a runner finds the key of its seal, in the folder `out`.
const KEY: &str = "key";

/// Why a lane cannot be made, reset or removed. For the user or the infrastructure.
#[derive(Debug, thiserror::Error)]
pub enum LaneError {
    /// The disk is full.
    #[error("no space left on the disk of {}\nhint: make room there, or give another folder for the work", .path.display())]
    DiskFull {
        /// The file that was being written.
        path: PathBuf,
    },
    /// A folder or a file in it is not as it must be, or the operating system refused.
    #[error(transparent)]
    Folder(FolderError),
    /// A pattern for files to hide is not valid.
    #[error("the pattern {glob:?} for files to hide is not valid: {reason}")]
    Pattern {
        /// The pattern.
        glob: String,
        /// The reason.
        reason: String,
    },
    /// A lane could not be made equal to the pristine copy.
    #[error("the lane {} cannot be reset: {what} keeps changing", .path.display())]
    NotReset {
        /// The lane.
        path: PathBuf,
        /// The path that differs.
        what: String,
    },
    /// Nobody waits for it any more.
    #[error("the work on the disk was stopped")]
    Stopped,
    /// A defect of ours: the thread that worked on the disk was lost.
    #[error(transparent)]
    Defect(#[from] Failure),
}

impl LaneError {
    /// Is true if what lies in a lane is at fault, and so whatever ran there.
    pub fn is_of_the_lane(&self) -> bool {
        match self {
            Self::Folder(error) => error.is_of_the_content(),
            Self::NotReset { .. } => true,
            Self::DiskFull { .. } | Self::Pattern { .. } | Self::Stopped | Self::Defect(_) => false,
        }
    }
}

impl From<FolderError> for LaneError {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::Cancelled => Self::Stopped,
            FolderError::Io { path, source, .. }
                if matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) =>
            {
                Self::DiskFull { path }
            }
            error => Self::Folder(error),
        }
    }
}

/// Why a change is not in a lane.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// It does not fit the files, or could not be written.
    #[error(transparent)]
    Write(#[from] ProjectWriteError),
    /// The lane is not as it must be.
    #[error(transparent)]
    Lane(#[from] LaneError),
}

/// The folder of a lane that holds the copy of the project.
pub const PROJECT: &str = "project";
/// The one that holds our own runners.
pub const TOOLS: &str = "tools";
/// The one for results and compiled classes.
pub const OUT: &str = "out";

/// The most that is read of one file of a lane, in bytes: more than any tool reports of its tests.
pub const MOST_BYTES: u64 = 256 << 20;

/// The number of things that may lie beside one another where we look for few.
pub const MOST_ENTRIES: usize = 100_000;

/// Where somebody sees the folders of a lane: names, and no right to touch anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanePaths {
    root: PathBuf,
}

impl LanePaths {
    /// The folders below a place.
    pub fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// The folder that a sandbox shows.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The copy of the project.
    pub fn project(&self) -> PathBuf {
        self.root.join(PROJECT)
    }

    /// Our own runners.
    pub fn tools(&self) -> PathBuf {
        self.root.join(TOOLS)
    }

    /// Results and compiled classes.
    pub fn out(&self) -> PathBuf {
        self.root.join(OUT)
    }
}

/// One lane.
#[derive(Clone, Debug)]
pub struct Lane {
    root: Arc<Folder>,
    planted: Option<Arc<PlantedRepository>>,
}

impl Lane {
    /// A lane in a folder, with the repository that was put into its copy.
    pub fn new(root: Folder, planted: Option<Arc<PlantedRepository>>) -> Self {
        Self { root: Arc::new(root), planted }
    }

    /// Writes a change into the copy of the project, as if the project had been given so.
    pub async fn change(&self, applied: &Applied) -> Result<(), ChangeError> {
        let project = self.project()?;
        applied.write_in(&project)?;
        let Some(planted) = self.planted.clone().filter(|_| !applied.files.is_empty()) else { return Ok(()) };
        let paths: Vec<PathBuf> = applied.files.iter().map(|file| file.path.as_path().to_owned()).collect();
        let committed = patchwright_blocking::spawn(move |cancelled| {
            planted.commit(&project, &paths, &|| cancelled.load(Ordering::Relaxed))
        });
        Ok(committed.await.map_err(LaneError::from)?.map_err(LaneError::from)?)
    }

    /// Where the lane is, for a sandbox.
    pub fn place(&self) -> &Path {
        self.root.path()
    }

    /// The same without links: it lies in a folder of ours.
    #[allow(clippy::disallowed_methods, reason = "no command can put a link above its lane")]
    pub fn real_place(&self) -> PathBuf {
        self.place().canonicalize().unwrap_or_else(|_| self.place().to_owned())
    }

    /// All of it.
    pub fn root(&self) -> &Folder {
        &self.root
    }

    /// The copy of the project.
    pub fn project(&self) -> Result<Folder, LaneError> {
        Ok(self.root.below(PROJECT)?)
    }

    /// Our own runners.
    pub fn tools(&self) -> Result<Folder, LaneError> {
        Ok(self.root.below(TOOLS)?)
    }

    /// Results and compiled classes.
    pub fn out(&self) -> Result<Folder, LaneError> {
        Ok(self.root.below(OUT)?)
    }

    /// Lays a key where the next runner finds it, which removes the file before the first test is loaded.
    pub fn lay_key(&self, key: &SealKey) -> Result<(), LaneError> {
        Ok(self.out()?.write(KEY, key.as_str().as_bytes())?)
    }

    /// The text that was left in a file of the folder `out`; nothing where that is no regular file of a bearable size.
    pub fn recorded(&self, file: &str) -> Result<String, LaneError> {
        match self.out().and_then(|out| Ok(out.read(file, MOST_BYTES)?)) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.is_of_the_lane() => {
                tracing::info!(%error, "what was recorded is not read");
                Ok(String::new())
            }
            Err(error) => Err(error),
        }
    }
}

/// The files below a folder, each with its bytes, by their path relative to the folder above.
pub fn files_in(above: &Folder, folder: &str) -> Result<Tools, LaneError> {
    let root = above.below(folder)?;
    let mut files = Tools::new();
    let mut left = MOST_BYTES;
    for file in Manifest::of(&root, &|| false)?.files() {
        let bytes = root.read(&file, left)?;
        left -= bytes.len() as u64;
        files.insert(format!("{folder}/{file}"), bytes);
    }
    Ok(files)
}
