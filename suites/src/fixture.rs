//! Git repositories for tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::missing_panics_doc)]

use git2::{Repository, Signature};
use tempfile::TempDir;

/// A bare repository without commits.
///
/// # Panics
/// It cannot be made.
pub fn repository() -> (TempDir, Repository) {
    let folder = tempfile::tempdir().unwrap();
    let repository = Repository::init_bare(folder.path()).unwrap();
    (folder, repository)
}

/// Commits files on top of what there is; tells the revision.
///
/// # Panics
/// The repository cannot be read or written.
pub fn commit(repository: &Repository, files: &[(&str, &[u8])]) -> String {
    let parent = repository.head().ok().map(|head| head.peel_to_commit().unwrap());
    let mut index = git2::Index::new().unwrap();
    if let Some(parent) = &parent {
        index.read_tree(&parent.tree().unwrap()).unwrap();
    }
    for (path, bytes) in files {
        let entry = git2::IndexEntry {
            ctime: git2::IndexTime::new(0, 0),
            mtime: git2::IndexTime::new(0, 0),
            dev: 0,
            ino: 0,
            mode: 0o100_644,
            uid: 0,
            gid: 0,
            file_size: 0,
            id: repository.blob(bytes).unwrap(),
            flags: 0,
            flags_extended: 0,
            path: path.as_bytes().to_vec(),
        };
        index.add(&entry).unwrap();
    }
    let tree = repository.find_tree(index.write_tree_to(repository).unwrap()).unwrap();
    let author = Signature::new("Ann", "ann@example.org", &git2::Time::new(0, 0)).unwrap();
    let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
    repository.commit(Some("HEAD"), &author, &author, "more", &tree, &parents).unwrap().to_string()
}
