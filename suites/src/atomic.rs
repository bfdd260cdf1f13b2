//! Files that are written whole or not at all.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

/// The beginning of the names of files that are not whole yet.
pub const TEMPORARY_PREFIX: &str = ".new-";

/// Writes a file whole or not at all, durably: readers see the old content or the new one.
///
/// # Errors
/// A failure of the file system.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::Builder::new().prefix(TEMPORARY_PREFIX).tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_parent(path);
    Ok(())
}

/// Makes a new file's name durable. Where a file system cannot sync folders, the name is written soon anyway.
pub fn sync_parent(path: &Path) {
    if let Some(folder) = path.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
}
