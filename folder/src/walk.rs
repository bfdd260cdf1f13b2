//! Walking through all that lies in a folder.

use std::path::Path;

use crate::error::FolderError;
use crate::folder::{EntryKind, Folder, FolderEntry};

/// The bounds of a walk.
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

/// Looks at one thing in a folder, given the folder that it lies in and its path from where the walk began. Says whether to go into
/// it, where it is a folder; an error ends the walk.
pub type FolderVisitor<'a> = dyn FnMut(&Folder, &Path, &FolderEntry) -> Result<bool, FolderError> + 'a;

impl Folder {
    /// Goes through all that lies below, folders before what is in them and names in their order.
    ///
    /// # Errors
    /// Something cannot be read, lies too deep, or is too much; `is_cancelled` says that nobody waits; or the visitor wants to end.
    pub fn walk(
        &self,
        bounds: WalkBounds,
        is_cancelled: &dyn Fn() -> bool,
        visitor: &mut FolderVisitor<'_>,
    ) -> Result<(), FolderError> {
        Traversal { bounds, is_cancelled, visitor, left: bounds.entries }.enter(self, Path::new(""), 0)
    }
}

struct Traversal<'a> {
    bounds: WalkBounds,
    is_cancelled: &'a dyn Fn() -> bool,
    visitor: &'a mut FolderVisitor<'a>,
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
            if (self.visitor)(folder, &path, &entry)? && entry.kind == EntryKind::Folder {
                self.enter(&folder.below(&name)?, &path, depth + 1)?;
            }
        }
        Ok(())
    }
}
