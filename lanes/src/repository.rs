//! Git repositories of users, read on the host.
//!
//! What lies in `.git` may come from a stranger: links to other repositories, pipes, endless files, objects that inflate to gigabytes.
//! So this module is its own small reader. It opens files through [`Folder`] alone, bounds what it reads of each, ends when nobody
//! waits, runs nothing, and never reads a configuration of git, with the exception of one line that it looks for. It knows which
//! commit is checked out, its objects, its tags and the files that are tracked, and opens only a repository that belongs to the project (`locate.rs`).
//!
//! Lanes never see such a repository. They get one of their own, with one commit (`planted.rs`).

mod files;
mod id;
mod locate;
mod object_kind;
mod objects;
mod pack;
mod packing;
mod parse;
mod planted;
mod references;
mod snapshot;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use object_kind::ObjectKind;
use objects::Objects;
use patchwright_folder::Folder;

pub use id::ObjectId;
pub use parse::{Author, Commit, EntryMode, Tree, TreeEntry};
pub use patchwright_folder::FolderError;
pub use planted::{PLANTED, PlantedRepository, plant};

/// The reason why a repository, or something of it, is not read.
#[derive(Debug, thiserror::Error)]
pub enum RepositoryError {
    /// `.git` is a link, a pipe or a device, or names a folder that does not belong to the project.
    #[error("the project's `.git` {0}")]
    Foreign(&'static str),
    /// It is a checkout of Defects4J, whose commits hold the fix.
    #[error("the project is a checkout of Defects4J, whose commits are none of its history")]
    Defects4J,
    /// Objects lie in another repository.
    #[error(
        "`.git/objects/{0}` names the objects of another repository, which are not read; `git repack -a -d` copies them, and then that file can be removed"
    )]
    Alternates(&'static str),
    /// There are more packs than are opened.
    #[error("the git repository has more than {0} packs; `git gc` makes one of them")]
    Packs(usize),
    /// It is kept in a way that is not read.
    #[error("{0}")]
    Format(&'static str),
    /// An object has more bytes than are read.
    #[error("an object of the git repository has more than {0} bytes")]
    TooLarge(usize),
    /// An object is not there.
    #[error("an object of the git repository is missing")]
    Missing,
    /// Something in it is not as git writes it.
    #[error("the git repository is damaged")]
    Damaged,
    /// A file or folder of it is not regular, is too large or cannot be read; or nobody waits any more.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// Is true if a project has a repository of its own, whatever its state.
pub fn has_own(origin: &Path) -> bool {
    Folder::open(origin).and_then(|project| project.entry(PLANTED)).is_ok()
}

/// What is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The branch, without `refs/heads/`; none where a commit is checked out by itself.
    pub branch: Option<String>,
    /// The commit; none where the branch has none yet.
    pub commit: Option<ObjectId>,
}

/// The repository that a file of a project lies in. Nothing else of the user can be reached through it.
pub struct ProjectRepository<'a> {
    /// The folder that its files lie in.
    top: PathBuf,
    /// Where `HEAD` and `index` are.
    own: Folder,
    /// Where references and objects are, which worktrees share.
    common: Folder,
    objects: Objects,
    is_cancelled: &'a dyn Fn() -> bool,
}

impl<'a> ProjectRepository<'a> {
    /// Opens the innermost repository around a file of the project at `origin`, both without links; none where there is none.
    ///
    /// # Errors
    /// It does not belong to the project, or cannot be read.
    pub fn around(
        origin: &Path,
        file: &Path,
        is_cancelled: &'a dyn Fn() -> bool,
    ) -> Result<Option<Self>, RepositoryError> {
        let Some(found) = locate::around(origin, file)? else { return Ok(None) };
        references::check_format(&found.common)?;
        let objects = Objects::open(found.common.below("objects")?)?;
        Ok(Some(Self { top: found.top, own: found.own, common: found.common, objects, is_cancelled }))
    }

    /// The folder that its files lie in.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// What is checked out.
    ///
    /// # Errors
    /// `HEAD` or the branch cannot be read.
    pub fn head(&self) -> Result<Head, RepositoryError> {
        references::head(&self.own, &self.common)
    }

    /// A commit.
    ///
    /// # Errors
    /// It is missing, too large, or no commit.
    pub fn commit(&self, id: ObjectId) -> Result<Commit, RepositoryError> {
        Commit::parse(&self.objects.read(id, ObjectKind::Commit, self.is_cancelled)?)
    }

    /// A folder of a commit.
    ///
    /// # Errors
    /// It is missing, too large, or no folder.
    pub fn tree(&self, id: ObjectId) -> Result<Tree, RepositoryError> {
        Ok(Tree::new(self.objects.read(id, ObjectKind::Tree, self.is_cancelled)?))
    }

    /// The bytes of a file of a commit.
    ///
    /// # Errors
    /// It is missing, too large, or no file.
    pub fn blob(&self, id: ObjectId) -> Result<Rc<Vec<u8>>, RepositoryError> {
        self.objects.read(id, ObjectKind::Blob, self.is_cancelled)
    }
}
