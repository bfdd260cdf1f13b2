//! A folder whose content nobody trusts, touched through a capability.
//!
//! Programs that nobody has read write to such folders, perhaps while we look. A [`Folder`] is an open folder: every path is
//! resolved from it, step by step by the kernel (`openat2` with `RESOLVE_BENEATH`, `RESOLVE_NO_SYMLINKS`), so that none leads out and
//! no link is ever followed. Only regular files are read, without waiting, and never more of them than was asked for. Walks are bounded in
//! depth and number, and end as soon as nobody waits for them.
//!
//! Files that the user names are trusted, but for their size: [`read_file`] reads those. Files of our own are written by [`atomic`].

pub mod atomic;
mod cancel;
mod error;
mod folder;
mod glob;
mod named;
mod remove;
mod resolve;
mod walk;

pub use cancel::{Cancelled, WorkFlag, checkpoint};
pub use error::FolderError;
pub use folder::{EntryKind, Folder, FolderEntry};
pub use glob::{DEEPEST_GLOB, GlobTooLarge, LONGEST_GLOB, SHOWN_OF_GLOB, bounded_glob, read_glob};
pub use named::{
    LONGEST_DATA_SET, LONGEST_FILE, LONGEST_LOG, LONGEST_SETTINGS, read_file, read_from, read_text_file,
};
pub use walk::{FolderVisitor, WalkBounds};
