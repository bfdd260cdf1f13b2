//! A watch over the bytes that a command writes: no file system has a limit for a folder.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use patchwright_folder::{EntryKind, Folder, FolderEntry, FolderError, WalkBounds};

use crate::open_files::{BLOCK, held};

/// The part of a limit that may be written until it is looked again at how much there is.
const SHARE: u64 = 16;
/// After how many glances at what is free of a file system that others write to, too, it is looked at closely all the same.
const GLANCES: u32 = 10;

/// Looks at how much a command has written into some folders.
#[derive(Debug)]
pub(crate) struct DiskWatch {
    folders: Vec<PathBuf>,
    most: u64,
    /// When the command began, in seconds and nanoseconds since 1970.
    began: (i64, i64),
    /// The free bytes of the file systems when the command began, and since the last close look.
    free_before: u64,
    free: u64,
    /// Nobody else writes to these file systems.
    alone: bool,
    glances: u32,
}

impl DiskWatch {
    /// A watch over folders in which a command may write `most` bytes from now on.
    pub(crate) fn new(folders: Vec<PathBuf>, most: u64) -> Self {
        let free = free(&folders);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let began = (now.as_secs().cast_signed(), now.subsec_nanos().into());
        let alone = folders.iter().all(|folder| is_mount(folder));
        Self { folders, most, began, free_before: free, free, alone, glances: 0 }
    }

    /// Is true if it is worth to look closely: so much less is free than before that the limit may be passed, or it is long since then;
    /// what others remove meanwhile hides what is written.
    pub(crate) fn wants_a_look(&mut self) -> bool {
        let free = free(&self.folders);
        self.glances += 1;
        let may_hide = !self.alone && self.glances.is_multiple_of(GLANCES);
        let wants = may_hide || self.free.saturating_sub(free) >= self.most / SHARE;
        self.free = if wants { free } else { self.free.max(free) };
        wants
    }

    /// Is true if more was written than may be, with what these processes hold open of what has no name any more. Walks through the
    /// folders, until `interrupt` says that there is something else to do.
    pub(crate) fn is_exceeded(
        &self,
        processes: impl IntoIterator<Item = i32>,
        interrupt: &dyn Fn() -> bool,
    ) -> bool {
        let mut written = 0;
        for folder in &self.folders {
            let Ok(more) = self.written(folder, interrupt) else {
                // What cannot be walked through was made so, or has changed meanwhile.
                written = self.free_before.saturating_sub(self.free);
                break;
            };
            written += more;
            // The folder of everybody's temporary files stands last, and may hold so many that all is over when they have been seen.
            if written > self.most {
                return true;
            }
        }
        written + self.nameless(processes) > self.most
    }

    /// The bytes of the same file systems that processes hold open and that have no name any more.
    fn nameless(&self, processes: impl IntoIterator<Item = i32>) -> u64 {
        let devices: Vec<u64> =
            self.folders.iter().filter_map(|folder| Some(folder.metadata().ok()?.dev())).collect();
        held(processes, |name, found| name.ends_with(" (deleted)") && devices.contains(&found.dev()))
    }

    /// The bytes of the disk that files take which were changed since the command began.
    fn written(&self, root: &Path, interrupt: &dyn Fn() -> bool) -> Result<u64, FolderError> {
        let mut sum = 0;
        let user = rustix::process::geteuid().as_raw();
        let mut visit = |folder: &Folder, path: &Path, entry: &FolderEntry| {
            if entry.kind == EntryKind::Folder {
                let is_closed = || folder.below(path.file_name().unwrap_or_default()).is_err();
                // What others have closed to us is closed to a command too. One that is among these is looked at by itself.
                let is_left_out =
                    entry.owner.0 != user && is_closed() || self.folders.contains(&root.join(path));
                return Ok(!is_left_out);
            }
            if entry.kind == EntryKind::File && entry.bytes > 0 && entry.changed >= self.began {
                // Holes take no place, and neither does what has gone meanwhile; what others have closed was not written by a command.
                match folder.file(path.file_name().unwrap_or_default()) {
                    Ok(file) => sum += file.metadata().map_or(entry.bytes, |found| found.blocks() * BLOCK),
                    Err(error) if error.is_not_found() || entry.owner.0 != user => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(true)
        };
        Folder::open(root)?.walk(WalkBounds::PROJECT, interrupt, &mut visit)?;
        Ok(sum)
    }
}

/// Is true if a folder is the root of a file system of its own.
fn is_mount(folder: &Path) -> bool {
    let device = |path: &Path| path.metadata().map(|found| found.dev()).ok();
    folder.parent().is_some_and(|parent| device(parent) != device(folder))
}

/// The bytes that are free in the file systems of some folders.
fn free(folders: &[PathBuf]) -> u64 {
    let mut seen = Vec::new();
    let of = |folder: &PathBuf| {
        let device = folder.metadata().ok()?.dev();
        let is_new = !seen.contains(&device);
        seen.push(device);
        let found = rustix::fs::statvfs(folder).ok()?;
        is_new.then_some(found.f_bavail * found.f_frsize)
    };
    folders.iter().filter_map(of).sum()
}
