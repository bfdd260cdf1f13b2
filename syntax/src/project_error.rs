//! What can be wrong with the folder of a project.

use std::path::PathBuf;

use patchwright_folder::FolderError;
use thiserror::Error;

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
