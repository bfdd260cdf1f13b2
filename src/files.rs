//! The files and folders that the command line and the settings name: no other module of the program opens any.
#![allow(clippy::disallowed_methods, reason = "the user's own files, named by the user")]

use std::io::{Read, Result, Write};
use std::path::{Path, PathBuf};

use patchwright_folder::atomic::replace;
use patchwright_folder::{LONGEST_FILE, read_file, read_from};
use patchwright_protocol::Failure;

/// The bytes of a file, or of standard input if it is called `-`.
///
/// # Errors
/// It cannot be read, or has more than 64 MiB.
pub fn read(file: &Path) -> Result<Vec<u8>> {
    if file.as_os_str() == "-" {
        read_from(std::io::stdin().lock(), LONGEST_FILE)
    } else {
        read_file(file, LONGEST_FILE)
    }
}

/// As many of them as are wanted.
pub fn read_at_most(file: &Path, bytes: u64) -> Result<Vec<u8>> {
    let mut read = Vec::new();
    if file.as_os_str() == "-" {
        std::io::stdin().lock().take(bytes).read_to_end(&mut read)?;
    } else {
        std::fs::File::open(file)?.take(bytes).read_to_end(&mut read)?;
    }
    Ok(read)
}

/// The text of a file.
pub fn read_text(file: &Path) -> Result<String> {
    String::from_utf8(read(file)?).map_err(std::io::Error::other)
}

/// The paths of what lies in a folder, in the order of their names; nothing where it cannot be read.
pub fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Makes a folder and those above it.
pub fn create_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
}

/// Writes a file whole or not at all. A link is replaced, never followed.
pub fn write_whole(
    file: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> std::result::Result<(), Failure> {
    let mut bytes = Vec::new();
    write(&mut bytes).and_then(|()| replace(file, bytes)).map_err(|error| unwritable(file, &error))
}

fn unwritable(file: &Path, error: &std::io::Error) -> Failure {
    Failure::environment(format!("cannot write {}: {error}", file.display()))
}
