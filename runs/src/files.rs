//! All that this crate does to files itself. Whatever of it takes longer than a moment is called on a thread that may block.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::SystemTime;

use patchwright_folder::atomic::{TEMPORARY_PREFIX, write_atomically};
use patchwright_folder::{LONGEST_FILE, read_file, read_text_file};

use tempfile::TempDir;

use super::error::RunError;

/// The content of a file.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_file(path, LONGEST_FILE)
}

/// The text of a file.
pub(super) fn read_text(path: &Path) -> io::Result<String> {
    read_text_file(path, LONGEST_FILE)
}

/// Writes a derived file: whole or not at all.
pub(crate) fn write_derived(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    write_atomically(path, bytes).map_err(|error| RunError::io(path, &error))
}

/// Makes a folder.
pub(super) fn make_folder(folder: &Path) -> Result<(), RunError> {
    fs::create_dir_all(folder).map_err(|error| RunError::io(folder, &error))
}

/// Refuses a folder that holds anything but a lock, and what a process has left that was killed while it made the run here. The lock is
/// removed then: nothing of ours stays where we are not wanted.
pub(super) fn check_empty(folder: &Path, lock: &Path) -> Result<(), RunError> {
    let mut entries = fs::read_dir(folder).map_err(|error| RunError::io(folder, &error))?.flatten();
    if entries.all(|entry| entry.path() == lock || is_unfinished(&entry)) {
        remove_unfinished(folder);
        return Ok(());
    }
    let _ = fs::remove_file(lock);
    Err(RunError::NotEmpty(folder.to_owned()))
}

/// The names in a folder; none where it cannot be read.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Removes what was left of derived files when the program was killed while it wrote them.
pub(super) fn remove_unfinished(root: &Path) {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    for entry in entries.filter(is_unfinished) {
        // It is in nobody's way.
        let _ = fs::remove_file(entry.path());
    }
}

fn is_unfinished(entry: &fs::DirEntry) -> bool {
    entry.file_name().to_string_lossy().starts_with(TEMPORARY_PREFIX)
}

/// The hash of a file, or that over the paths and contents of all files of a folder, in the order of their paths.
pub(super) fn hash(path: &Path) -> io::Result<blake3::Hash> {
    if !path.is_dir() {
        return hash_of_file(path);
    }
    let mut files = BTreeMap::new();
    collect(path, path, &mut files)?;
    let mut hasher = blake3::Hasher::new();
    for (path, hash) in files {
        // With its length, so that no two lists of files read alike.
        hasher.update(&(path.len() as u64).to_le_bytes()).update(path.as_bytes()).update(hash.as_bytes());
    }
    Ok(hasher.finalize())
}

fn hash_of_file(path: &Path) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize())
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, blake3::Hash>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        // A link to a folder is not followed: it may lead back.
        if path.is_dir() && !path.is_symlink() {
            collect(root, &path, files)?;
        } else if path.is_file() {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            files.insert(name, hash_of_file(&path)?);
        }
    }
    Ok(())
}

/// When a file was written to last.
pub(super) fn written(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}

/// Refuses a folder that holds anything. One that is not there, or empty, is fine.
pub(super) fn check_new(folder: &Path) -> Result<(), RunError> {
    match fs::read_dir(folder).map(|mut entries| entries.next().is_some()) {
        Ok(true) => Err(RunError::NotEmpty(folder.to_owned())),
        Ok(false) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(RunError::io(folder, &error)),
    }
}

/// A folder that is removed unless it is put into the place of `folder`, on the same disk.
pub(super) fn scratch_beside(folder: &Path) -> Result<TempDir, RunError> {
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    make_folder(parent)?;
    // What others may not do in it is up to the umask.
    let rights = fs::Permissions::from_mode(0o777);
    let made = tempfile::Builder::new().prefix(TEMPORARY_PREFIX).permissions(rights).tempdir_in(parent);
    made.map_err(|error| RunError::io(parent, &error))
}

/// Puts it there.
pub(super) fn put_in_place(scratch: TempDir, folder: &Path) -> Result<(), RunError> {
    fs::rename(scratch.path(), folder).map_err(|error| RunError::io(folder, &error))?;
    // It is there no longer, so nothing of it is removed.
    drop(scratch.keep());
    Ok(())
}

/// Makes a folder with the files of another, which share their content where the disk lets them: files of attempts are never changed. One that
/// is not there has none.
pub(super) fn link_folder(from: &Path, to: &Path) -> Result<(), RunError> {
    let entries = match fs::read_dir(from) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(RunError::io(from, &error)),
    };
    make_folder(to)?;
    for entry in entries {
        let entry = entry.map_err(|error| RunError::io(from, &error))?;
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().map_err(|error| RunError::io(&path, &error))?;
        if kind.is_dir() {
            link_folder(&path, &to)?;
        } else if kind.is_file() && fs::hard_link(&path, &to).is_err() {
            fs::copy(&path, &to).map_err(|error| RunError::io(&to, &error))?;
        }
    }
    Ok(())
}

/// The bytes of the files in a folder; none where it is not there.
pub(super) fn bytes_in(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = |entry: fs::DirEntry| match entry.metadata() {
        Ok(data) if data.is_dir() => bytes_in(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    };
    entries.map(bytes).sum()
}

/// Whether there is such a file.
///
/// # Errors
/// Nobody can say: a folder above it may not be looked into.
pub(super) fn is_file(path: &Path) -> Result<bool, RunError> {
    match fs::metadata(path) {
        Ok(data) => Ok(data.is_file()),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(false)
        }
        Err(error) => Err(RunError::io(path, &error)),
    }
}
