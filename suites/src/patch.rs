//! The unified diffs of benchmarks, applied to the letter.
//!
//! Diffs that models write are applied with tolerance by `patchwright_edits`; what a benchmark says of a revision has to fit
//! exactly, wherever its lines have moved to, or its data is not for that revision.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path};

use patchwright_edits::diff::{FilePatch, HunkError, Patch, Transfer};
use patchwright_folder::{LONGEST_FILE, read_file};

/// The leading parts of names that `git diff` (1) and Subversion (0) write, and one folder more (2); in this order.
const STRIPS: [usize; 3] = [1, 0, 2];

/// The reason why a diff does not apply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// A name leads out of the folder, or has too few parts.
    #[error("`{0}` is not the name of a file in the folder")]
    Name(String),
    /// A file that it changes is not there.
    #[error("there is no file `{0}`")]
    Missing(String),
    /// A file that it makes is there.
    #[error("the file `{0}` exists already")]
    Exists(String),
    /// The lines of a hunk stand nowhere.
    #[error("`{file}` does not have the lines of the hunk for line {line}")]
    Hunk {
        /// The file.
        file: String,
        /// The line that the hunk names.
        line: u32,
    },
    /// It changes a file that is no text.
    #[error("`{0}` is binary, and what changes in it is not in the diff")]
    Binary(String),
    /// A line cannot be written in the file's encoding.
    #[error("a line for `{0}` cannot be written in ISO-8859-1, in which the file is")]
    Encoding(String),
    /// The disk.
    #[error("`{file}`: {message}")]
    Disk {
        /// The file.
        file: String,
        /// The message of the system.
        message: String,
    },
}

/// Files by name as a diff leaves them; `None` for those that go.
pub(crate) type Changes = BTreeMap<String, Option<Vec<u8>>>;

/// The changes that a diff makes to the files of `root`, with the first number of leading parts of names that fits. Nothing is written.
///
/// # Errors
/// The reason why it does not fit in the way in which `git diff` names files.
pub(crate) fn changes(patch: &Patch, root: &Path) -> Result<Changes, PatchError> {
    // Files that are made could be made anywhere: only those that are there tell how names are written.
    let makes_all = patch.files.iter().all(|file| file.old.is_none());
    let [first, others @ ..] = STRIPS;
    changes_of(patch, root, first).or_else(|error| match error {
        PatchError::Exists(_) if makes_all => Err(error),
        _ => others.iter().find_map(|strip| changes_of(patch, root, *strip).ok()).ok_or(error),
    })
}

/// Applies a diff to the files of `root`, and to none where one does not fit.
///
/// # Errors
/// As [`changes`]; a file cannot be written.
pub(crate) fn apply(patch: &Patch, root: &Path) -> Result<(), PatchError> {
    write_all(root, &changes(patch, root)?)
}

fn changes_of(patch: &Patch, root: &Path, strip: usize) -> Result<Changes, PatchError> {
    let mut changes = Changes::new();
    for file in patch.files.iter().filter(|file| file.changes_content()) {
        change(file, root, strip, &mut changes)?;
    }
    Ok(changes)
}

fn change(file: &FilePatch, root: &Path, strip: usize, changes: &mut Changes) -> Result<(), PatchError> {
    if file.binary.is_some() {
        let name = file.new.as_ref().or(file.old.as_ref()).cloned();
        return Err(PatchError::Binary(name.unwrap_or_default()));
    }
    let stripped = |name: &Option<String>| {
        name.as_deref()
            .map(|name| stripped(name, strip).ok_or_else(|| PatchError::Name(name.to_owned())))
            .transpose()
    };
    let (old, new) = (stripped(&file.old)?, stripped(&file.new)?);
    let current = |name: &str, changes: &Changes| match changes.get(name) {
        Some(known) => Ok(known.clone()),
        None => read(root, name),
    };
    let before = match &old {
        Some(name) => current(name, changes)?.ok_or_else(|| PatchError::Missing(name.clone()))?,
        None => Vec::new(),
    };
    if let Some(name) = new.as_ref().filter(|_| new != old)
        && current(name, changes)?.is_some_and(|there| !(there.is_empty() && old.is_none()))
    {
        return Err(PatchError::Exists(name.clone()));
    }
    let name = || new.as_ref().or(old.as_ref()).cloned().unwrap_or_default();
    let after = file.applied(&before).map_err(|error| match error {
        HunkError::Missing(line) => PatchError::Hunk { file: name(), line },
        HunkError::Encoding(_) => PatchError::Encoding(name()),
    })?;
    let copied = file.transfer == Some(Transfer::Copy);
    if let Some(gone) = old.filter(|old| new.as_ref() != Some(old) && !copied) {
        changes.insert(gone, None);
    }
    if let Some(new) = new {
        changes.insert(new, Some(after));
    }
    Ok(())
}

/// A name without its leading parts; `None` where it has too few, or leads out.
fn stripped(name: &str, strip: usize) -> Option<String> {
    let parts: Vec<&str> = name.split('/').skip(strip).collect();
    let rest = parts.join("/");
    let inside = Path::new(&rest).components().all(|part| matches!(part, Component::Normal(_)));
    (inside && !rest.is_empty()).then_some(rest)
}

fn read(root: &Path, name: &str) -> Result<Option<Vec<u8>>, PatchError> {
    let path = root.join(name);
    let disk =
        |error: &std::io::Error| PatchError::Disk { file: name.to_owned(), message: error.to_string() };
    match path.canonicalize() {
        Ok(real) => {
            // A link could lead out of the folder.
            let root = root.canonicalize().map_err(|error| disk(&error))?;
            if !real.starts_with(root) {
                return Err(PatchError::Name(name.to_owned()));
            }
            read_file(&real, LONGEST_FILE).map(Some).map_err(|error| disk(&error))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(disk(&error)),
    }
}

fn write_all(root: &Path, changes: &Changes) -> Result<(), PatchError> {
    for (name, bytes) in changes {
        let path = root.join(name);
        let done = match bytes {
            Some(bytes) => {
                path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, bytes))
            }
            None => fs::remove_file(&path),
        };
        done.map_err(|error| PatchError::Disk { file: name.clone(), message: error.to_string() })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
