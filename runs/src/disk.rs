//! Room on the disk, before a run and while it goes on.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::{Bytes, RunError};

/// Gives the free bytes of the file system that holds a folder.
pub type DiskProbe = Arc<dyn Fn(&Path) -> io::Result<u64> + Send + Sync>;

/// Room that a run needs.
#[derive(Clone)]
pub struct Disk {
    /// Folders that are watched besides the run's own, such as the one of the container engine.
    pub folders: Vec<PathBuf>,
    /// Bytes that must be free before the run begins.
    pub needed: u64,
    /// Bytes that stay free: below, no attempt begins until there is room again.
    pub reserve: u64,
    /// Looks how much is free.
    pub probe: DiskProbe,
}

impl Default for Disk {
    fn default() -> Self {
        Self { folders: Vec::new(), needed: 0, reserve: 0, probe: Arc::new(free) }
    }
}

/// The bytes that an ordinary user may still write to the file system of a folder.
///
/// # Errors
/// When the folder is not there.
pub fn free(folder: &Path) -> io::Result<u64> {
    let system = rustix::fs::statvfs(folder)?;
    Ok(system.f_bavail.saturating_mul(system.f_frsize))
}

impl Disk {
    /// The fullest of the watched folders. One that cannot be asked is left out: the run is not stopped by a guess.
    fn fullest(&self, own: &Path) -> Option<(PathBuf, u64)> {
        std::iter::once(own)
            .chain(self.folders.iter().map(PathBuf::as_path))
            .filter_map(|folder| Some((folder.to_owned(), (self.probe)(folder).ok()?)))
            .min_by_key(|(_, free)| *free)
    }

    /// Checks that there is as much room as the run needs, in a folder that exists and in those that are watched.
    ///
    /// # Errors
    /// There is not.
    pub fn check(&self, own: &Path) -> Result<(), RunError> {
        match self.fullest(own) {
            Some((folder, free)) if free < self.needed => {
                Err(RunError::Disk { folder, free, needed: self.needed })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The reason why no attempt may begin, where none may.
    pub(super) fn short(&self, own: &Path) -> Option<String> {
        let (folder, free) = self.fullest(own).filter(|(_, free)| *free < self.reserve)?;
        let (free, reserve) = (Bytes(free), Bytes(self.reserve));
        Some(format!("{} has {free} free, less than the {reserve} that stay free", folder.display()))
    }
}
