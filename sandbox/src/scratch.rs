//! Folders of ours in the system's temporary folder, named after their owner.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use patchwright_folder::Folder;
use tempfile::TempDir;

use crate::owner::{Owner, is_left};

const PREFIX: &str = "patchwright-sandbox-";

/// Where programs put temporary files that do not ask; Landlock alone leaves it to every command, as it does what comes next.
pub(crate) const TEMPORARY: &str = "/tmp";
/// Where files are that are nothing but memory.
pub(crate) const SHARED_MEMORY: &str = "/dev/shm";
/// Where they lie that it does not.
const APART: &str = "/var/tmp";

/// A fresh folder that is removed when dropped, and by [`sweep`](crate::sweep()) when this process dies before.
///
/// # Errors
/// Those of the file system.
pub fn create() -> io::Result<TempDir> {
    create_in(&std::env::temp_dir())
}

/// The same in a folder of [`bases`].
pub(crate) fn create_in(base: &Path) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(&format!("{PREFIX}{}-", Owner::current())).tempdir_in(base)
}

/// The folder for temporary files that commands under Landlock alone cannot write to.
pub(crate) fn apart() -> PathBuf {
    let usual = std::env::temp_dir();
    if is_shared(&usual) { PathBuf::from(APART) } else { usual }
}

/// Is true for a folder, named without links, that commands under Landlock alone can write to.
pub(crate) fn is_shared(folder: &Path) -> bool {
    [TEMPORARY, SHARED_MEMORY].iter().any(|shared| {
        // A system may have it elsewhere.
        let real = Path::new(shared).canonicalize();
        folder.starts_with(shared) || real.is_ok_and(|real| folder.starts_with(real))
    })
}

/// The folders in which what is ours may lie.
pub fn bases() -> BTreeSet<PathBuf> {
    [std::env::temp_dir(), apart()].into()
}

/// The scratch folders whose owner is gone; removed unless `dry_run`.
pub(crate) fn sweep(dry_run: bool) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for base in bases() {
        found.extend(sweep_in(&base, dry_run)?);
    }
    Ok(found)
}

/// Is true if a text names a scratch folder whose owner is gone.
pub(crate) fn of_the_gone(text: &str) -> bool {
    text.find(PREFIX).is_some_and(|at| is_left(&text[at..], PREFIX))
}

fn sweep_in(folder: &Path, dry_run: bool) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let gone = name.to_str().is_some_and(|name| is_left(name, PREFIX));
        // What cannot be removed belongs to another user, whose own sweep will find it.
        let remove = || Folder::open(folder).and_then(|folder| folder.remove(&name, &|| false));
        if gone && entry.file_type()?.is_dir() && (dry_run || remove().is_ok()) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_what_nobody_owns() {
        let folder = TempDir::new().unwrap();
        let kept = format!("{PREFIX}{}-abc", Owner::current());
        let left = format!("{PREFIX}00000000-1-2-3-abc");
        for name in [kept.as_str(), left.as_str(), "patchwright-sandbox-unreadable", "other"] {
            fs::create_dir_all(folder.path().join(name).join("inner")).unwrap();
        }
        let expect = [folder.path().join(&left)];
        assert_eq!(sweep_in(folder.path(), true).unwrap(), expect);
        assert!(expect[0].is_dir());
        assert_eq!(sweep_in(folder.path(), false).unwrap(), expect);
        assert!(!expect[0].exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}
