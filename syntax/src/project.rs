//! A folder of source code: listing, finding and reading its files, and nothing outside of it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use patchwright_folder::{Folder, FolderError, checkpoint};
use thiserror::Error;

use crate::path::{PathError, ProjectPath};
use crate::repository::Repositories;
use crate::resolve;
use crate::source::Source;
use crate::walk::Walk;

/// Files above this size are not read: 8 MiB, far beyond any source that a person writes.
pub const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// A folder of source code. Nothing is cached: files may change between two calls.
#[derive(Clone, Debug)]
pub struct Project {
    root: PathBuf,
}

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Its path.
    pub path: ProjectPath,
    /// An explanation of how it was found, when what was asked for is not its exact path.
    pub note: Option<String>,
}

/// The reason why a folder cannot be opened as a project, or not be listed.
#[derive(Debug, Error)]
pub enum ProjectError {
    /// There is nothing there.
    #[error("there is no folder `{}`", .0.display())]
    Missing(PathBuf),
    /// It is a file.
    #[error("`{}` is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// The operating system refused.
    #[error("cannot read the folder `{}`", .path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A `.gitignore` that cannot be read as one: it is too large, or not readable.
    #[error("cannot read an ignore file: {0}; shorten it, or leave it out of the project")]
    IgnoreFile(#[source] FolderError),
    /// There are more files than a project has.
    #[error("`{}` holds more than {most} files and folders that are not ignored; give a folder of the project, or ignore the others", .path.display())]
    TooMany {
        /// The folder.
        path: PathBuf,
        /// The bound.
        most: usize,
    },
    /// The walk over the folder failed.
    #[error("cannot list the folder `{}`", .path.display())]
    Walk {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: ignore::Error,
    },
}

/// The reason why a file cannot be read as source.
#[derive(Debug, Error)]
pub enum ProjectReadError {
    /// It holds a NUL byte.
    #[error("`{0}` is a binary file")]
    Binary(ProjectPath),
    /// It is above [`MAX_FILE_BYTES`].
    #[error("`{path}` has {bytes} bytes; files above {MAX_FILE_BYTES} bytes are not read")]
    TooLarge {
        /// The file.
        path: ProjectPath,
        /// Its size.
        bytes: u64,
    },
    /// It is a device, a pipe or the like.
    #[error("`{0}` is not a regular file")]
    NotAFile(ProjectPath),
    /// It is a link that leads out of the project.
    #[error("`{0}` leads out of the project")]
    Outside(ProjectPath),
    /// The operating system refused.
    #[error("cannot read `{path}`: {source}")]
    Io {
        /// The file.
        path: ProjectPath,
        /// The cause.
        source: std::io::Error,
    },
}

impl Project {
    /// Opens a folder.
    pub fn open(root: &Path) -> Result<Self, ProjectError> {
        let path = root.to_path_buf();
        match root.canonicalize() {
            Ok(found) if found.is_dir() => Ok(Self { root: found }),
            Ok(_) => Err(ProjectError::NotAFolder(path)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(ProjectError::Missing(path)),
            Err(source) => Err(ProjectError::Io { path, source }),
        }
    }

    /// The folder, absolute and without symbolic links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// All files, sorted. `.gitignore` files count; hidden files, links, version control and build output are left out,
    /// and so are names that are not UTF-8.
    pub fn files(&self) -> Result<Vec<ProjectPath>, ProjectError> {
        let mut files = Vec::new();
        let walk = Walk::new(&self.root);
        for entry in walk.builder().build() {
            checkpoint();
            let entry = match entry {
                Ok(entry) => entry,
                // A folder that cannot be entered hides its files, but not those of the others.
                Err(error) if error.depth().is_none_or(|depth| depth > 0) => continue,
                Err(source) => return Err(ProjectError::Walk { path: self.root.clone(), source }),
            };
            if entry.file_type().is_some_and(|kind| kind.is_file()) {
                files.extend(self.path_of(entry.path()));
            }
        }
        walk.end()?;
        files.sort();
        Ok(files)
    }

    /// The path of a file below the root; `None` for anything else or a name that is not UTF-8.
    pub fn path_of(&self, absolute: &Path) -> Option<ProjectPath> {
        ProjectPath::new(absolute.strip_prefix(&self.root).ok()?.to_str()?).ok()
    }

    /// Finds the file that someone means: the exact path, a dotted name (`org.x.Foo`, `pkg.module`), the end of a path,
    /// or the nearest name, as long as there is only one. Whatever leads out of the project is refused.
    pub fn resolve(&self, asked: &str) -> Result<Resolved, PathError> {
        resolve::resolve(self, asked)
    }

    /// The file that a path names as it is written, whether it exists or not. What goes through a link or leads out of the project is refused.
    pub fn itself(&self, asked: &str) -> Result<ProjectPath, PathError> {
        resolve::itself(self, asked)
    }

    /// The place of a file that does not exist yet, taken as it is written; `None` where something is there. Whatever leads
    /// out of the project is refused.
    pub fn vacant(&self, asked: &str) -> Result<Option<ProjectPath>, PathError> {
        resolve::vacant(self, asked)
    }

    /// Whether a path belongs to version control or to this program: by its name, or because it lies in a git repository, whatever that is
    /// called.
    pub fn is_private(&self, path: &ProjectPath) -> bool {
        let lies_in_repository =
            || Folder::open(&self.root).is_ok_and(|folder| Repositories::of(&folder).hold(path.as_path()));
        path.is_private() || lies_in_repository()
    }

    /// Reads a file from disk, now.
    pub fn read(&self, path: &ProjectPath) -> Result<Source, ProjectReadError> {
        let io = |source| ProjectReadError::Io { path: path.clone(), source };
        let found = self.root.join(path).canonicalize().map_err(io)?;
        if !found.starts_with(&self.root) {
            return Err(ProjectReadError::Outside(path.clone()));
        }
        // Looked at before it is opened: opening a pipe would wait for its other end.
        let meta = found.metadata().map_err(io)?;
        if !meta.is_file() {
            return Err(ProjectReadError::NotAFile(path.clone()));
        }
        let mut bytes = Vec::new();
        File::open(&found).map_err(io)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(ProjectReadError::TooLarge { path: path.clone(), bytes: meta.len() });
        }
        Source::decode(bytes).ok_or_else(|| ProjectReadError::Binary(path.clone()))
    }
}
