//! Errors of folders.

use std::io;
use std::path::{Path, PathBuf};

/// The reason why a folder does not give what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The path has parts that are no names, or begins at the root.
    #[error("`{}` is no path below a folder", .0.display())]
    LeadsOut(PathBuf),
    /// A part of the path is a link.
    #[error("`{}` leads through a link", .0.display())]
    Link(PathBuf),
    /// It is a folder, a pipe, a socket or a device.
    #[error("`{}` is no regular file", .0.display())]
    NotRegular(PathBuf),
    /// It holds more than is read of such a file.
    #[error("`{}` has {bytes} bytes, more than the {most} that are read", .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        bytes: u64,
        /// The most that is read, in bytes.
        most: u64,
    },
    /// There are more folders in one another than are looked at.
    #[error("`{}` is more than {most} folders deep", .path.display())]
    TooDeep {
        /// A folder.
        path: PathBuf,
        /// The bound.
        most: usize,
    },
    /// There is more in it than is looked at.
    #[error("`{}` holds more than {most} files and folders", .path.display())]
    TooMany {
        /// The folder.
        path: PathBuf,
        /// The bound.
        most: usize,
    },
    /// Nobody waits for it any more.
    #[error("the work on the disk was stopped")]
    Cancelled,
    /// The operating system refused.
    #[error("cannot {doing} `{}`: {source}", .path.display())]
    Io {
        /// The operation, as a verb.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl FolderError {
    /// Is true if there is nothing of that name.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    /// Is true if what lies in the folder is at fault, and so whoever put it there, and not the system.
    pub fn is_of_the_content(&self) -> bool {
        match self {
            Self::LeadsOut(_)
            | Self::Link(_)
            | Self::NotRegular(_)
            | Self::TooLarge { .. }
            | Self::TooDeep { .. }
            | Self::TooMany { .. } => true,
            Self::Io { source, .. } => matches!(
                source.kind(),
                io::ErrorKind::NotFound
                    | io::ErrorKind::AlreadyExists
                    | io::ErrorKind::NotADirectory
                    | io::ErrorKind::IsADirectory
                    | io::ErrorKind::PermissionDenied
                    | io::ErrorKind::DirectoryNotEmpty
                    | io::ErrorKind::InvalidFilename
            ),
            Self::Cancelled => false,
        }
    }
}

/// Names the path and the deed in an error of the operating system.
pub(crate) fn failed<'a, E: Into<io::Error>>(
    doing: &'static str,
    path: &'a Path,
) -> impl Fn(E) -> FolderError + 'a {
    move |error| {
        let source: io::Error = error.into();
        match source.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
            Some(rustix::io::Errno::LOOP) => FolderError::Link(path.to_owned()),
            // A path that leads out, as `openat2` tells it.
            Some(rustix::io::Errno::XDEV) => FolderError::LeadsOut(path.to_owned()),
            _ => FolderError::Io { doing, path: path.to_owned(), source },
        }
    }
}

impl From<FolderError> for io::Error {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::Io { source, .. } => source,
            error => Self::other(error),
        }
    }
}
