//! The journal of a change, and the folder in which the change is prepared.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use patchwright_folder::{EntryKind, Folder, FolderError};
use patchwright_syntax::ProjectPath;
use patchwright_syntax::repository::Repositories;
use serde::{Deserialize, Serialize};

use super::{ProjectWriteError, Step};

/// The folder of the project in which a change is prepared. Nothing below its parent is ever a part of the project.
pub(super) const STAGING: &str = ".patchwright/apply";
pub(super) const JOURNAL: &str = "journal.json";
const LOCK: &str = "lock";
/// The largest journal that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;
/// The most bytes that are read to see how far a change has come: more than any change has, as larger files are not edited.
pub(super) const MOST_READ: u64 = 1 << 30;

/// The change of one file, as the journal says it: hashes instead of bytes.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct Planned {
    pub path: ProjectPath,
    /// The hash of the content before; `None` where there is no file.
    pub from: Option<String>,
    /// The same after.
    pub to: Option<String>,
}

#[derive(Deserialize, Serialize)]
pub(super) struct Journal {
    format: String,
    version: u32,
    pub name: String,
    pub steps: Vec<Planned>,
}

const FORMAT: &str = "patchwright-apply";
const VERSION: u32 = 1;

impl Planned {
    pub fn new(step: &Step) -> Self {
        let hash = |bytes: Option<&[u8]>| bytes.map(|bytes| blake3::hash(bytes).to_hex().to_string());
        Self { path: step.path.clone(), from: hash(step.from), to: hash(step.to) }
    }

    /// The step that takes this one back.
    pub fn reversed(&self) -> Self {
        Self { path: self.path.clone(), from: self.to.clone(), to: self.from.clone() }
    }
}

/// The folder in which a change is prepared, held for one process.
pub(super) struct Staging {
    pub folder: Folder,
    /// The system unlocks it when the process ends, however it does.
    _lock: File,
}

impl Staging {
    /// Opens the folder of a project, and makes it where it is not there.
    pub fn open(project: &Folder) -> Result<Self, ProjectWriteError> {
        let staging = |error: FolderError| ProjectWriteError::Staging(error.into());
        let folder = project.make(STAGING).map_err(staging)?;
        let lock = folder.append(LOCK).map_err(staging)?;
        match lock.try_lock() {
            // Who held it before may have removed it since: then it keeps nobody out.
            Ok(()) if is_at(&lock, &folder) => Ok(Self { folder, _lock: lock }),
            Ok(()) | Err(TryLockError::WouldBlock) => Err(ProjectWriteError::Busy),
            Err(TryLockError::Error(error)) => Err(ProjectWriteError::Staging(error)),
        }
    }

    /// Whether an interrupted change waits here.
    pub fn is_unfinished(&self) -> bool {
        self.folder.entry(JOURNAL).is_ok()
    }

    /// Where a step's new content lies before the step, and the old one after it, relative to the project.
    pub fn place(step: usize) -> PathBuf {
        Path::new(STAGING).join(step.to_string())
    }

    /// A free name for a moment, relative to the project.
    pub fn spare(step: usize) -> PathBuf {
        Path::new(STAGING).join(format!("{step}.spare"))
    }

    /// Writes down which change is about to be made. There is a whole journal or none.
    pub fn note(&self, name: &str, steps: &[Planned]) -> io::Result<()> {
        let (name, steps) = (name.to_owned(), steps.to_vec());
        let journal = Journal { format: FORMAT.to_owned(), version: VERSION, name, steps };
        let new = format!("{JOURNAL}.new");
        self.folder.write(&new, &serde_json::to_vec(&journal)?)?;
        Ok(self.folder.rename(&new, JOURNAL)?)
    }

    pub fn journal(&self, project: &Folder) -> Result<Journal, ProjectWriteError> {
        let unreadable =
            |error: io::Error| ProjectWriteError::Unfinished(format!("{STAGING}/{JOURNAL}: {error}"));
        let bytes = self.folder.read(JOURNAL, MOST_BYTES).map_err(|error| unreadable(error.into()))?;
        let journal: Journal = serde_json::from_slice(&bytes).map_err(|error| unreadable(error.into()))?;
        let repositories = Repositories::of(project);
        let is_usable = |step: &Planned| {
            let path = ProjectPath::new(step.path.as_str());
            path.is_ok_and(|path| path == step.path && !path.is_private())
                && !repositories.hold(step.path.as_path())
                && (step.from.is_some() || step.to.is_some())
        };
        let paths: BTreeSet<&ProjectPath> = journal.steps.iter().map(|step| &step.path).collect();
        let is_usable = journal.steps.iter().all(is_usable) && paths.len() == journal.steps.len();
        if journal.format == FORMAT && journal.version == VERSION && is_usable {
            Ok(journal)
        } else {
            Err(unreadable(io::Error::other("it is no journal of this version")))
        }
    }

    /// Removes the folder and its files. The journal goes last: as long as it exists, it explains the other files.
    pub fn remove(self, project: &Folder, steps: usize) {
        // What stays is in nobody's way: the next change removes it.
        for step in 0..steps {
            let _ = project.unlink(Self::place(step));
        }
        for name in [JOURNAL, LOCK] {
            let _ = self.folder.unlink(name);
        }
        let staging = Path::new(STAGING);
        let _ = project.remove_empty(staging);
        if let Some(own) = staging.parent() {
            let _ = project.remove_empty(own);
        }
    }
}

/// Whether an open lock file is still the one at the lock's path.
fn is_at(lock: &File, folder: &Folder) -> bool {
    let inode = |file: &File| file.metadata().map(|found| found.ino()).ok();
    folder.file(LOCK).is_ok_and(|found| inode(&found) == inode(lock))
}

/// The hash of a regular file; `None` where nothing has the name.
pub(super) fn hash_at(project: &Folder, path: &Path) -> Result<Option<String>, ()> {
    match project.entry(path) {
        Ok(entry) if entry.kind == EntryKind::File => {
            let bytes = project.read(path, MOST_READ).map_err(drop)?;
            Ok(Some(blake3::hash(&bytes).to_hex().to_string()))
        }
        Err(error) if error.is_not_found() => Ok(None),
        Ok(_) | Err(_) => Err(()),
    }
}
