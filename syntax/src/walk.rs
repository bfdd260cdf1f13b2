//! The files of a folder that belong to a project.

use std::path::Path;

use ignore::{DirEntry, WalkBuilder};

/// Folders that never hold source, whatever stands beside them. Hidden ones are left out anyway.
const NEVER: &[&str] = &["node_modules", "__pycache__", "site-packages"];

/// The signs of a Python environment: a file of virtual ones (PEP 405), a folder of conda's.
pub const ENVIRONMENT_MARKS: &[&str] = &["pyvenv.cfg", "conda-meta"];

/// Folders that hold build output when a build file stands beside them. Without one, `build` or `target` is as good a
/// name for a package as any.
const OUTPUT: &[(&str, &[&str])] = &[
    ("target", &["pom.xml", "Cargo.toml", "build.sbt"]),
    (
        "build",
        &[
            "build.gradle",
            "build.gradle.kts",
            "build.xml",
            "pom.xml",
            "setup.py",
            "setup.cfg",
            "pyproject.toml",
        ],
    ),
    ("out", &["build.xml", "build.gradle", "build.gradle.kts", "pom.xml"]),
    ("dist", &["build.xml", "setup.py", "setup.cfg", "pyproject.toml", "package.json"]),
    ("bin", &["build.xml", "pom.xml", ".classpath"]),
];

/// Folders of version control and of this program: no source, and not to be read.
pub(crate) const PRIVATE: &[&str] = &[".git", ".hg", ".svn", ".patchwright"];

/// A walk over the source of a project: `.gitignore` files in the tree count, those of the user or of folders above do
/// not, so that the same tree gives the same files on every machine.
pub fn builder(root: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .follow_links(false)
        .parents(false)
        .ignore(false)
        .git_global(false)
        .git_exclude(false)
        .require_git(false)
        .filter_entry(is_source);
    builder
}

fn is_source(entry: &DirEntry) -> bool {
    if entry.depth() == 0 || !entry.file_type().is_some_and(|kind| kind.is_dir()) {
        return true;
    }
    let Some(name) = entry.file_name().to_str() else { return false };
    if NEVER.contains(&name) || ENVIRONMENT_MARKS.iter().any(|mark| entry.path().join(mark).exists()) {
        return false;
    }
    let markers =
        OUTPUT.iter().find(|(folder, _)| *folder == name).map_or(&[] as &[&str], |(_, markers)| markers);
    let Some(parent) = entry.path().parent() else { return true };
    !markers.iter().any(|marker| parent.join(marker).exists())
}
