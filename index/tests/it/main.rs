//! What the crate promises, seen from outside.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod calls;
mod damage;
mod indexes;
mod javascript;
mod mentions;
mod near_tests;
mod outlines;
mod projects;
mod searches;
mod test_codes;

use std::fs;
use std::path::Path;

use patchwright_syntax::Project;
use tempfile::TempDir;

/// A project in a temporary folder with these files.
fn project(files: &[(&str, &str)]) -> (TempDir, Project) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        write(folder.path(), path, text.as_bytes());
    }
    let project = Project::open(folder.path()).unwrap();
    (folder, project)
}

fn write(root: &Path, path: &str, bytes: &[u8]) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}
