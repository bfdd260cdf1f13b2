//! Writing a set of files, all or none.

use std::fs::{File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use patchwright_folder::{EntryKind, Folder, FolderError};
use patchwright_syntax::ProjectPath;
use thiserror::Error;

/// The change of one file: from these bytes to those; `None` is no file.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Step<'a> {
    pub(crate) path: &'a ProjectPath,
    pub(crate) from: Option<&'a [u8]>,
    pub(crate) to: Option<&'a [u8]>,
}

impl Step<'_> {
    pub(crate) fn reversed(self) -> Self {
        Self { path: self.path, from: self.to, to: self.from }
    }
}

/// The reason for which a fix was not written. Except for [`ProjectWriteError::HalfWritten`] nothing was changed.
#[derive(Debug, Error)]
pub enum ProjectWriteError {
    /// A file is not what it is expected to be: it was changed, created or deleted meanwhile.
    #[error("`{0}` is not what it was when the fix was worked out")]
    Changed(ProjectPath),
    /// The file is a symbolic link or lies behind one that leads elsewhere.
    #[error("`{0}` is a link or lies behind one; links are not written through")]
    Link(ProjectPath),
    /// The folder of the project cannot be opened.
    #[error(transparent)]
    Root(FolderError),
    /// The operating system refused.
    #[error("cannot write `{path}`: {source}")]
    Io {
        /// The file.
        path: ProjectPath,
        /// The cause.
        source: io::Error,
    },
    /// A file could not be written, and then another could not be put back.
    #[error(
        "cannot write `{path}` ({cause}), and `{left}`, already written, could not be put back: {source}"
    )]
    HalfWritten {
        /// The file that could not be written.
        path: ProjectPath,
        /// The cause.
        cause: String,
        /// A file that was written and remains so.
        left: ProjectPath,
        /// The reason for which it could not be put back.
        source: io::Error,
    },
}

/// A step that is ready: what remains is one rename or removal.
struct Ready<'a> {
    step: Step<'a>,
    /// The new content beside the target; `None` where the file is to be removed.
    content: Option<Beside<'a>>,
}

/// A file with a name of its own, which goes unless it gets another.
struct Beside<'a> {
    folder: &'a Folder,
    path: PathBuf,
}

impl Drop for Beside<'_> {
    fn drop(&mut self) {
        // It is gone where it has got its other name.
        let _ = self.folder.unlink(&self.path);
    }
}

/// Takes all steps below a folder, or none of them.
pub(crate) fn write(folder: &Folder, steps: &[Step]) -> Result<(), ProjectWriteError> {
    for step in steps {
        check(folder, *step)?;
    }
    let written = prepare_all(folder, steps).and_then(|ready| commit(folder, ready));
    if written.is_err() {
        // Folders that were made for files which are not to be.
        steps
            .iter()
            .filter(|step| step.from.is_none())
            .for_each(|step| remove_empty_folders(folder, step.path));
    }
    written
}

/// Is true if a file is what the step starts from, and is reached without links.
fn check(folder: &Folder, step: Step) -> Result<(), ProjectWriteError> {
    let path = || step.path.clone();
    let wrong = |error| match error {
        FolderError::Link(_) => ProjectWriteError::Link(path()),
        error => ProjectWriteError::Io { path: path(), source: error.into() },
    };
    let found = match folder.entry(step.path) {
        Ok(entry) => match (entry.kind, step.from) {
            (EntryKind::Link, _) => return Err(ProjectWriteError::Link(path())),
            (EntryKind::File, Some(from)) if entry.bytes == from.len() as u64 => {
                Some(folder.read(step.path, entry.bytes).map_err(wrong)?)
            }
            (EntryKind::File | EntryKind::Folder | EntryKind::Other, _) => {
                return Err(ProjectWriteError::Changed(path()));
            }
        },
        Err(error) if error.is_not_found() => None,
        Err(error) => return Err(wrong(error)),
    };
    if found.as_deref() == step.from { Ok(()) } else { Err(ProjectWriteError::Changed(path())) }
}

/// Makes everything ready. What is likely to fail, a full disk or a missing permission, fails here, before any file
/// has changed.
fn prepare_all<'a>(folder: &'a Folder, steps: &[Step<'a>]) -> Result<Vec<Ready<'a>>, ProjectWriteError> {
    let ready = steps.iter().map(|step| {
        prepare(folder, *step).map_err(|source| ProjectWriteError::Io { path: step.path.clone(), source })
    });
    ready.collect()
}

fn prepare<'a>(folder: &'a Folder, step: Step<'a>) -> io::Result<Ready<'a>> {
    let content = step.to.map(|bytes| beside(folder, step.path.as_path(), bytes)).transpose()?;
    Ok(Ready { step, content })
}

/// Writes the new content beside its place, with the permissions of the file that it will replace.
fn beside<'a>(folder: &'a Folder, target: &Path, bytes: &[u8]) -> io::Result<Beside<'a>> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = target.with_file_name(format!(".patchwright-{}-{number}", std::process::id()));
    if let Some(above) = path.parent() {
        folder.make(above)?;
    }
    let mut file = folder.create(&path)?;
    let content = Beside { folder, path };
    file.write_all(bytes)?;
    if let Ok(entry) = folder.entry(target) {
        keep_owner(&file, entry.owner)?;
        file.set_permissions(Permissions::from_mode(entry.mode))?;
    }
    Ok(content)
}

/// Gives a file the owner of another one, where the process may: root repairs files of others.
fn keep_owner(file: &File, (user, group): (u32, u32)) -> io::Result<()> {
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (user, group) {
        // A refusal leaves the process's own user as owner, as any editor would.
        let _ = fchown(file, Some(user), Some(group));
    }
    Ok(())
}

/// Puts all that is ready in its place; when one fails, puts those before it back.
fn commit(folder: &Folder, ready: Vec<Ready>) -> Result<(), ProjectWriteError> {
    let mut done: Vec<Step> = Vec::with_capacity(ready.len());
    for item in ready {
        finish(folder, &item).map_err(|source| put_back(folder, &done, item.step.path, source))?;
        done.push(item.step);
    }
    Ok(())
}

/// Puts back what was done, the last first; gives the error to report.
fn put_back(folder: &Folder, done: &[Step], path: &ProjectPath, source: io::Error) -> ProjectWriteError {
    for step in done.iter().rev() {
        if let Err(error) = prepare(folder, step.reversed()).and_then(|item| finish(folder, &item)) {
            return ProjectWriteError::HalfWritten {
                path: path.clone(),
                cause: source.to_string(),
                left: step.path.clone(),
                source: error,
            };
        }
    }
    ProjectWriteError::Io { path: path.clone(), source }
}

/// The one operation that makes a step visible.
fn finish(folder: &Folder, item: &Ready) -> io::Result<()> {
    if let Some(content) = &item.content {
        folder.rename(&content.path, item.step.path)?;
    } else {
        folder.unlink(item.step.path)?;
        remove_empty_folders(folder, item.step.path);
    }
    Ok(())
}

/// Removes the folders above a path as long as they are empty, as version control does with those of a removed file.
fn remove_empty_folders(folder: &Folder, path: &ProjectPath) {
    let mut above = path.as_path().ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
    while above.next().is_some_and(|above| folder.remove_empty(above).is_ok()) {}
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use std::fs;

    use super::*;

    /// A folder in the place of a file makes the last operation fail, after the others were done.
    #[test]
    fn when_the_last_operation_of_one_file_fails_the_earlier_are_put_back() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let folder = Folder::open(root).unwrap();
        let path = |name: &str| ProjectPath::new(name).unwrap();
        let (changed, created, deleted, failing) = (path("a"), path("n/b"), path("d/c"), path("e"));
        fs::write(root.join("a"), "a").unwrap();
        fs::create_dir(root.join("d")).unwrap();
        fs::write(root.join("d/c"), "c").unwrap();
        fs::create_dir_all(root.join("e/full")).unwrap();
        let steps = [
            Step { path: &changed, from: Some(b"a"), to: Some(b"A") },
            Step { path: &created, from: None, to: Some(b"B") },
            Step { path: &deleted, from: Some(b"c"), to: None },
            Step { path: &failing, from: Some(b"e"), to: Some(b"E") },
        ];
        let error = commit(&folder, prepare_all(&folder, &steps).unwrap()).unwrap_err();
        assert!(matches!(&error, ProjectWriteError::Io { path, .. } if *path == failing), "{error}");
        assert_eq!(fs::read(root.join("a")).unwrap(), b"a");
        assert_eq!(fs::read(root.join("d/c")).unwrap(), b"c");
        let names = |folder: &Path| {
            let mut names: Vec<_> =
                fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names(root), ["a", "d", "e"]);
        assert_eq!(names(&root.join("d")), ["c"]);
    }
}
