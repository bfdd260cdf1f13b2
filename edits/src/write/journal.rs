//! The journal of a change, and what becomes of one that was interrupted.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use patchwright_folder::{EntryKind, Folder, FolderError};
use patchwright_syntax::ProjectPath;
use patchwright_syntax::repository::Repositories;
use serde::{Deserialize, Serialize};

use super::transaction::{take_back, take_step};
use super::{ProjectWriteError, Step};

/// The folder of the project in which a change is prepared. Nothing below its parent is ever a part of the project.
const STAGING: &str = ".patchwright/apply";
const JOURNAL: &str = "journal.json";
const LOCK: &str = "lock";
/// The largest journal that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;
/// The most bytes that are read to see how far a change has come: more than any change has, as larger files are not edited.
const MOST_READ: u64 = 1 << 30;

/// What became of a change that was interrupted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// The change is whole now.
    Finished {
        /// The name that the change was written with.
        name: String,
        /// How many files it is about.
        files: usize,
    },
    /// Files were changed since, so the rest of the change was not made, and what was made of it was taken back.
    TakenBack {
        /// The files that were changed since. They are left as they are; where the change had reached one, what stood there before it
        /// is beside it, with `.orig` behind its name.
        changed: Vec<ProjectPath>,
    },
}

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
struct Journal {
    format: String,
    version: u32,
    name: String,
    steps: Vec<Planned>,
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

    fn journal(&self, project: &Folder) -> Result<Journal, ProjectWriteError> {
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

/// How far a step has come, as the files tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Ahead,
    Done,
    /// Somebody else has changed the file since.
    Changed,
}

/// Is true if a change below this folder was interrupted after its first file may have been written.
pub fn is_interrupted(project: &Folder) -> bool {
    project.entry(Path::new(STAGING).join(JOURNAL)).is_ok()
}

/// Finishes a change that was interrupted, if there is one below this folder; where a file was changed since, takes it back.
///
/// The journal lies in the project, so it is not believed: a step is taken or taken back only where the files are what the step says
/// they are, and never outside of the project or in version control.
///
/// # Errors
/// The journal cannot be read, another process is at work, or the operating system refuses.
pub fn recover(project: &Folder) -> Result<Option<Recovery>, ProjectWriteError> {
    if project.entry(STAGING).is_err_and(|error| error.is_not_found()) {
        return Ok(None);
    }
    let staging = Staging::open(project)?;
    if !staging.is_unfinished() {
        // Only new contents were being prepared.
        let prepared = staging.folder.list(usize::MAX).map(|names| names.len()).unwrap_or_default();
        staging.remove(project, prepared);
        return Ok(None);
    }
    let Journal { name, steps, .. } = staging.journal(project)?;
    check_size(project, &steps)?;
    let progress: Vec<Progress> = (0..).zip(&steps).map(|(at, step)| progress(project, at, step)).collect();
    let where_is =
        |wanted: Progress| (0..).zip(&progress).filter(move |(_, found)| **found == wanted).map(|(at, _)| at);
    // What a step replaced is kept until the end. Where it replaced nothing, only the file can tell.
    let was_made = |at: usize| match &steps[at].from {
        Some(_) => hash_at(project, &Staging::place(at)).as_ref() == Ok(&steps[at].from),
        None => project.entry(&steps[at].path).is_ok(),
    };
    let all_were_made = !progress.contains(&Progress::Ahead) && where_is(Progress::Changed).all(was_made);
    let recovery = if !progress.contains(&Progress::Changed) || all_were_made {
        for at in where_is(Progress::Ahead) {
            take_step(project, at, &steps[at])?;
        }
        Recovery::Finished { name, files: steps.len() }
    } else {
        let is_kept = |at: &usize| steps[*at].from.is_none() || project.entry(Staging::place(*at)).is_ok();
        let done: Vec<usize> = where_is(Progress::Done).filter(is_kept).collect();
        take_back(project, &steps, &done)?;
        let changed: Vec<usize> = where_is(Progress::Changed).collect();
        for at in &changed {
            keep_beside(project, *at, &steps[*at]);
        }
        Recovery::TakenBack { changed: changed.into_iter().map(|at| steps[at].path.clone()).collect() }
    };
    staging.remove(project, steps.len());
    Ok(Some(recovery))
}

/// Where a changed file's old content is still kept, puts it beside the file.
fn keep_beside(project: &Folder, at: usize, step: &Planned) {
    let beside = format!("{}.orig", step.path);
    if step.from.is_some() && hash_at(project, &Staging::place(at)) == Ok(step.from.clone()) {
        // Where something has that name already, the folder of the change keeps it.
        let _ = project.rename_to_free(Staging::place(at), beside);
    }
}

/// Refuses what would be read for hours: a project may bring along a journal, and large files for it.
fn check_size(project: &Folder, steps: &[Planned]) -> Result<(), ProjectWriteError> {
    let places = (0..).zip(steps).flat_map(|(at, step)| [step.path.as_path().to_owned(), Staging::place(at)]);
    let sizes = places.filter_map(|place| project.entry(place).ok()).map(|entry| entry.bytes);
    if sizes.fold(0, u64::saturating_add) <= MOST_READ {
        return Ok(());
    }
    Err(ProjectWriteError::Unfinished(format!(
        "{STAGING}/{JOURNAL}: its files have more than {MOST_READ} bytes, which no change of ours has"
    )))
}

fn progress(project: &Folder, at: usize, step: &Planned) -> Progress {
    let (Ok(now), Ok(staged)) =
        (hash_at(project, step.path.as_path()), hash_at(project, &Staging::place(at)))
    else {
        return Progress::Changed;
    };
    // What was kept is gone where the change was made and cleared away.
    if now == step.to && (staged == step.from || staged.is_none()) {
        Progress::Done
    } else if now == step.from && staged == step.to {
        Progress::Ahead
    } else {
        Progress::Changed
    }
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
