//! Writing a set of files, all or none.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use thiserror::Error;

use crate::path::ProjectPath;

/// What shall become of one file: from these bytes to those; `None` is no file.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Step<'a> {
    pub(crate) path: &'a ProjectPath,
    pub(crate) from: Option<&'a [u8]>,
    pub(crate) to: Option<&'a [u8]>,
}

/// Why a fix was not written. Except for [`WriteError::HalfWritten`] nothing was changed.
#[derive(Debug, Error)]
pub enum WriteError {
    /// A file is not what it is expected to be: it was changed, created or deleted meanwhile.
    #[error("`{path}` is not what it was when the fix was worked out")]
    Changed {
        /// The file.
        path: ProjectPath,
    },
    /// The file is a symbolic link or lies behind one that leads elsewhere.
    #[error("`{path}` is a link or lies behind one; links are not written through")]
    Link {
        /// The file.
        path: ProjectPath,
    },
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
        /// Why not.
        cause: String,
        /// A file that was written and remains so.
        left: ProjectPath,
        /// Why it could not be put back.
        source: io::Error,
    },
}

/// A step that is ready: what remains is one rename or removal.
struct Ready<'a> {
    step: Step<'a>,
    target: PathBuf,
    /// The new content beside the target; `None` where the file is to be removed.
    content: Option<NamedTempFile>,
}

/// Takes all steps below `root`, or none of them.
pub(crate) fn write(root: &Path, steps: &[Step]) -> Result<(), WriteError> {
    let Some(first) = steps.first() else { return Ok(()) };
    let root = root.canonicalize().map_err(|source| WriteError::Io { path: first.path.clone(), source })?;
    for step in steps {
        check(&root, *step)?;
    }
    let written = prepare_all(&root, steps).and_then(|ready| commit(&root, ready));
    if written.is_err() {
        // Folders that were made for files which are not to be.
        steps
            .iter()
            .filter(|step| step.from.is_none())
            .for_each(|step| remove_empty_folders(&root, step.path));
    }
    written
}

/// Whether a file is what the step starts from, and is reached without links.
fn check(root: &Path, step: Step) -> Result<(), WriteError> {
    let io = |source| WriteError::Io { path: step.path.clone(), source };
    let link = || WriteError::Link { path: step.path.clone() };
    let target = root.join(step.path);
    let folder = target.ancestors().skip(1).find(|folder| folder.exists()).unwrap_or(root);
    if folder.canonicalize().map_err(io)? != folder {
        return Err(link());
    }
    let found = match fs::symlink_metadata(&target) {
        Ok(meta) if meta.is_symlink() => return Err(link()),
        Ok(meta) if meta.is_file() => Some(fs::read(&target).map_err(io)?),
        Ok(_) => return Err(WriteError::Changed { path: step.path.clone() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(io(error)),
    };
    if found.as_deref() == step.from { Ok(()) } else { Err(WriteError::Changed { path: step.path.clone() }) }
}

/// Makes everything ready. What is likely to fail, a full disk or a missing permission, fails here, before any file
/// has changed.
fn prepare_all<'a>(root: &Path, steps: &[Step<'a>]) -> Result<Vec<Ready<'a>>, WriteError> {
    let one = |step: &Step<'a>| {
        prepare(root, *step).map_err(|source| WriteError::Io { path: step.path.clone(), source })
    };
    steps.iter().map(one).collect()
}

/// Writes the new content beside its place, with the permissions of the file that it will replace.
fn prepare<'a>(root: &Path, step: Step<'a>) -> io::Result<Ready<'a>> {
    let target = root.join(step.path);
    let content = match (step.to, target.parent()) {
        (Some(bytes), Some(folder)) => Some(beside(folder, &target, bytes)?),
        (Some(_), None) | (None, _) => None,
    };
    Ok(Ready { step, target, content })
}

fn beside(folder: &Path, target: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".patchwright-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // What a new file gets; the process's mask is taken off.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    if let Ok(meta) = fs::metadata(target) {
        keep_owner(file.path(), &meta);
        fs::set_permissions(file.path(), meta.permissions())?;
    }
    Ok(file)
}

/// Gives a file the owner of another one, where the process may: root mends files of others.
#[cfg(unix)]
fn keep_owner(path: &Path, like: &fs::Metadata) {
    use std::os::unix::fs::MetadataExt as _;
    let is_same = fs::metadata(path).is_ok_and(|own| own.uid() == like.uid() && own.gid() == like.gid());
    if !is_same {
        // A refusal leaves the process's own user as owner, as any editor would.
        let _ = std::os::unix::fs::chown(path, Some(like.uid()), Some(like.gid()));
    }
}

#[cfg(not(unix))]
fn keep_owner(_path: &Path, _like: &fs::Metadata) {}

/// Puts all that is ready in its place; when one fails, puts those before it back.
fn commit(root: &Path, ready: Vec<Ready>) -> Result<(), WriteError> {
    let mut done: Vec<Step> = Vec::with_capacity(ready.len());
    for item in ready {
        let step = item.step;
        match finish(root, item) {
            Ok(()) => done.push(step),
            Err(source) => return Err(put_back(root, &done, step.path, source)),
        }
    }
    Ok(())
}

/// Puts back what was done, the last first; gives the error to report.
fn put_back(root: &Path, done: &[Step], path: &ProjectPath, source: io::Error) -> WriteError {
    for step in done.iter().rev() {
        let back = Step { path: step.path, from: step.to, to: step.from };
        if let Err(error) = prepare(root, back).and_then(|item| finish(root, item)) {
            return WriteError::HalfWritten {
                path: path.clone(),
                cause: source.to_string(),
                left: step.path.clone(),
                source: error,
            };
        }
    }
    WriteError::Io { path: path.clone(), source }
}

/// The one operation that makes a step visible.
fn finish(root: &Path, item: Ready) -> io::Result<()> {
    if let Some(content) = item.content {
        content.persist(&item.target).map_err(|error| error.error)?;
    } else {
        fs::remove_file(&item.target)?;
        remove_empty_folders(root, item.step.path);
    }
    Ok(())
}

/// Removes the folders above a path as long as they are empty, as version control does with those of a removed file.
fn remove_empty_folders(root: &Path, path: &ProjectPath) {
    let target = root.join(path);
    for folder in target.ancestors().skip(1).take_while(|folder| *folder != root) {
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    /// A folder in the place of a file makes the last operation fail, after the others were done.
    #[test]
    fn when_the_last_operation_of_one_file_fails_the_earlier_are_put_back() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
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
        let error = commit(&root, prepare_all(&root, &steps).unwrap()).unwrap_err();
        assert!(matches!(&error, WriteError::Io { path, .. } if *path == failing), "{error}");
        assert_eq!(fs::read(root.join("a")).unwrap(), b"a");
        assert_eq!(fs::read(root.join("d/c")).unwrap(), b"c");
        let names = |folder: &Path| {
            let mut names: Vec<_> =
                fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names(&root), ["a", "d", "e"]);
        assert_eq!(names(&root.join("d")), ["c"]);
    }
}
