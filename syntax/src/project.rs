//! A folder of source code: listing, finding and reading its files, and nothing outside of it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use patchwright_folder::{Folder, checkpoint};
use thiserror::Error;

use crate::path::ProjectPath;
use crate::project_error::ProjectError;
use crate::repository::Repositories;
use crate::source::Source;
use crate::walk::Walk;

/// Files above this size are not read: 8 MiB, far beyond any source that a person writes.
pub const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// A folder of source code. Nothing is cached: files may change between two calls.
#[derive(Clone, Debug)]
pub struct Project {
    root: PathBuf,
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

    /// Whether a path belongs to version control or to this program: by its name, or because it lies in a git repository, whatever that is
    /// called.
    pub fn is_private(&self, path: &ProjectPath) -> bool {
        let lies_in_repository =
            || Folder::open(&self.root).is_ok_and(|folder| Repositories::of(&folder).hold(path.as_path()));
        path.is_private() || lies_in_repository()
    }

    /// Whether a path, as someone wrote it, is that of a text file that can be read.
    pub fn has_file(&self, path: &str) -> bool {
        ProjectPath::new(path).is_ok_and(|path| self.read(&path).is_ok())
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
