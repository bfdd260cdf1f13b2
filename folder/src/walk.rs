//! Walking through all that lies in a folder.

use std::path::Path;

use crate::error::FolderError;
use crate::folder::{EntryKind, Folder, FolderEntry};

/// How far a walk goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkBounds {
    /// Folders in one another.
    pub depth: usize,
    /// Files, folders and all else.
    pub entries: usize,
}

impl WalkBounds {
    /// More than any project has that people wrote: the open folders of several walks stay below what a process may open, and
    /// what is known of the entries below a gigabyte.
    pub const PROJECT: Self = Self { depth: 64, entries: 2_000_000 };
}

/// Who is called for each thing in a folder.
pub trait FolderVisitor {
    /// Looks at one thing; `folder` is the one that it lies in, `path` is relative to where the walk began. Says whether to go
    /// into it, where it is a folder.
    ///
    /// # Errors
    /// End the walk.
    fn visit(&mut self, folder: &Folder, path: &Path, entry: &FolderEntry) -> Result<bool, FolderError>;
}

impl<F: FnMut(&Folder, &Path, &FolderEntry) -> Result<bool, FolderError>> FolderVisitor for F {
    fn visit(&mut self, folder: &Folder, path: &Path, entry: &FolderEntry) -> Result<bool, FolderError> {
        self(folder, path, entry)
    }
}

impl Folder {
    /// Goes through all that lies below, folders before what is in them and names in their order.
    ///
    /// # Errors
    /// Something cannot be read, lies too deep, or is too much; `is_cancelled` says that nobody waits; or the visitor wants to end.
    pub fn walk(
        &self,
        bounds: WalkBounds,
        is_cancelled: &dyn Fn() -> bool,
        visitor: &mut dyn FolderVisitor,
    ) -> Result<(), FolderError> {
        Traversal { bounds, is_cancelled, visitor, left: bounds.entries }.enter(self, Path::new(""), 0)
    }
}

struct Traversal<'a> {
    bounds: WalkBounds,
    is_cancelled: &'a dyn Fn() -> bool,
    visitor: &'a mut dyn FolderVisitor,
    left: usize,
}

impl Traversal<'_> {
    fn enter(&mut self, folder: &Folder, path: &Path, depth: usize) -> Result<(), FolderError> {
        if depth > self.bounds.depth {
            return Err(FolderError::TooDeep { path: folder.path().to_owned(), most: self.bounds.depth });
        }
        let entries = folder.list_while(self.left, self.is_cancelled)?;
        self.left -= entries.len();
        for (name, entry) in entries {
            if (self.is_cancelled)() {
                return Err(FolderError::Cancelled);
            }
            let path = path.join(&name);
            if self.visitor.visit(folder, &path, &entry)? && entry.kind == EntryKind::Folder {
                self.enter(&folder.below(&name)?, &path, depth + 1)?;
            }
        }
        Ok(())
    }
}
