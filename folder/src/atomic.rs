//! Files that are written whole or not at all.

use std::fs::{File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::NamedTempFile;

/// The beginning of the names of files that are not whole yet.
pub const TEMPORARY_PREFIX: &str = ".new-";

/// Writes a file whole or not at all, durably: readers see the old content or the new one. A link is replaced, never followed.
///
/// # Errors
/// A failure of the file system.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = beside(path, bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_parent(path);
    Ok(())
}

/// Writes a file whole or not at all; a failure of the machine may lose it. A link is replaced, never followed.
///
/// # Errors
/// A failure of the file system.
pub fn replace(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    beside(path, bytes.as_ref())?.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// A temporary file beside a path. What others may not read of it is up to the umask, as for any file that the user makes.
fn beside(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let permissions = Permissions::from_mode(0o666);
    let mut file =
        tempfile::Builder::new().prefix(TEMPORARY_PREFIX).permissions(permissions).tempfile_in(folder)?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Makes a new file's name durable. Where a file system cannot sync folders, the name is written soon anyway.
pub fn sync_parent(path: &Path) {
    if let Some(folder) = path.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
}
