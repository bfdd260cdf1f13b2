//! All that this crate does to files itself. Whatever of it takes longer than a moment is called on a thread that may block.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;

use patchwright_folder::atomic::{TEMPORARY_PREFIX, write_atomically};
use patchwright_folder::{LONGEST_FILE, read_file, read_text_file};

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

/// Refuses a folder that holds anything but a lock, which then is removed: nothing of ours stays where we are not wanted.
pub(super) fn check_empty(folder: &Path, lock: &Path) -> Result<(), RunError> {
    let mut entries = fs::read_dir(folder).map_err(|error| RunError::io(folder, &error))?.flatten();
    if entries.all(|entry| entry.path() == lock) {
        return Ok(());
    }
    let _ = fs::remove_file(lock);
    Err(RunError::NotEmpty(folder.to_owned()))
}

/// Locks a folder by a file in it, for as long as that is open; the system unlocks it when the process ends, however it does.
///
/// # Errors
/// Another process has locked it, or the file cannot be used.
pub(super) fn lock(folder: &Path, lock: &Path) -> Result<File, RunError> {
    let failed = |error: io::Error| RunError::io(lock, &error);
    let opened = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(lock);
    let mut file = opened.map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut pid = String::new();
            // Only to be told; without it the message is a little poorer.
            let _ = file.read_to_string(&mut pid);
            let pid = if pid.trim().is_empty() { "unknown" } else { pid.trim() };
            return Err(RunError::Locked { folder: folder.to_owned(), pid: pid.to_owned() });
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id())).map_err(failed)?;
    Ok(file)
}

/// The names in a folder; none where it cannot be read.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Removes what was left of derived files when the program was killed while it wrote them.
pub(super) fn remove_unfinished(root: &Path) {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(TEMPORARY_PREFIX)) {
        // It is in nobody's way.
        let _ = fs::remove_file(entry.path());
    }
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
