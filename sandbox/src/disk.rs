//! What a command writes, watched: no file system has a limit for a folder.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use patchwright_folder::{Bounds, Entry, Folder, FolderError, Kind};

/// What is written of a limit until it is looked again at how much there is.
const SHARE: u64 = 16;

/// Looks at how much a command has written into some folders.
#[derive(Debug)]
pub(crate) struct DiskWatch {
    folders: Vec<PathBuf>,
    most: u64,
    /// When the command began, in seconds and nanoseconds since 1970.
    began: (i64, i64),
    /// What was free of the file systems when the command began, and at the last look, in bytes.
    free_before: u64,
    free: u64,
}

impl DiskWatch {
    /// A watch over folders in which a command may write `most` bytes from now on.
    pub(crate) fn new(folders: Vec<PathBuf>, most: u64) -> Self {
        let free = free(&folders);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let began = (now.as_secs().cast_signed(), now.subsec_nanos().into());
        Self { folders, most, began, free_before: free, free }
    }

    /// Whether more was written than may be; `held` says how much processes hold open of
    /// what lay in these folders and has no name any more. Walks through the
    /// folders only where so much less is free than before that it is possible.
    pub(crate) fn is_exceeded(&mut self, held: impl FnOnce(&[PathBuf]) -> u64) -> bool {
        let free = free(&self.folders);
        if self.free.saturating_sub(free) < self.most / SHARE {
            return false;
        }
        self.free = free;
        let gone = self.free_before.saturating_sub(free);
        let written: Result<u64, FolderError> = self.folders.iter().map(|folder| self.written(folder)).sum();
        // What cannot be walked through was made so.
        written.map_or(gone, |written| written + held(&self.folders)) > self.most
    }

    /// The bytes of the disk that files take which were changed since the command began.
    fn written(&self, folder: &Path) -> Result<u64, FolderError> {
        const BLOCK: u64 = 512;
        let mut sum = 0;
        let mut visit = |folder: &Folder, path: &Path, entry: &Entry| {
            if entry.kind == Kind::File && entry.bytes > 0 && entry.changed >= self.began {
                let name = path.file_name().unwrap_or_default();
                // Holes take no place.
                sum += folder.file(name)?.metadata().map_or(entry.bytes, |found| found.blocks() * BLOCK);
            }
            Ok(true)
        };
        match Folder::open(folder)?.walk(Bounds::PROJECT, &|| false, &mut visit) {
            // It has gone meanwhile, with all that was in it.
            Err(error) if error.is_not_found() => Ok(sum),
            walked => walked.map(|()| sum),
        }
    }
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
