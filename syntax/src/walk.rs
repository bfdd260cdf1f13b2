//! The files of a folder that belong to a project.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, Match, WalkBuilder};
use patchwright_folder::{Folder, FolderError, WalkBounds, bounded_glob, checkpoint};

use crate::project_error::ProjectError;
use crate::repository::is_repository;

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

/// The file of a folder that says which of what lies below is ignored.
const IGNORE: &str = ".gitignore";
/// Bytes of one such file: far more than anybody writes.
const LONGEST_IGNORE: u64 = 512 * 1024;
/// Bytes of all such files of a project: their patterns are held in memory.
const MOST_IGNORE: u64 = 4 * 1024 * 1024;

/// A walk over the source of a project: `.gitignore` files in the tree count, those of the user or of folders above do
/// not, so that the same tree gives the same files on every machine. As git does, it follows no link to a `.gitignore`.
///
/// Ignore files are read here and not by the crate that walks, which opens whatever has that name and reads it to its end.
pub struct Walk {
    root: PathBuf,
    rules: Arc<IgnoreRules>,
}

impl Walk {
    /// A walk over what lies in a folder.
    pub fn new(root: &Path) -> Self {
        Self::within(root, WalkBounds::PROJECT.entries)
    }

    fn within(root: &Path, most: usize) -> Self {
        let folder = Folder::open(root).ok();
        let rules = IgnoreRules {
            root: root.to_owned(),
            folder,
            most,
            entries: AtomicUsize::new(0),
            bytes: AtomicU64::new(0),
            known: Mutex::default(),
            fault: Mutex::default(),
        };
        Self { root: root.to_owned(), rules: Arc::new(rules) }
    }

    /// The walk, ready to begin. [`Self::end`] says afterwards whether it came to its end.
    pub fn builder(&self) -> WalkBuilder {
        let mut builder = WalkBuilder::new(&self.root);
        let rules = Arc::clone(&self.rules);
        builder.standard_filters(false).follow_links(false).filter_entry(move |entry| rules.takes(entry));
        builder
    }

    /// Says why the walk was broken off, if it was.
    ///
    /// # Errors
    /// [`ProjectError::IgnoreFile`], [`ProjectError::TooMany`].
    pub fn end(&self) -> Result<(), ProjectError> {
        lock(&self.rules.fault).take().map_or(Ok(()), Err)
    }
}

/// The rules of the ignore files of a project, read as a walk comes to their folders.
struct IgnoreRules {
    root: PathBuf,
    /// None where it cannot be opened, which the walk itself finds out.
    folder: Option<Folder>,
    /// Files and folders that may be found.
    most: usize,
    entries: AtomicUsize,
    /// Bytes of ignore files that were read.
    bytes: AtomicU64,
    /// The rules of each folder that was seen.
    known: Mutex<HashMap<PathBuf, Arc<FolderRules>>>,
    /// The reason why the walk is broken off.
    fault: Mutex<Option<ProjectError>>,
}

/// The rules of a folder, and of those above.
struct FolderRules {
    own: Gitignore,
    above: Option<Arc<FolderRules>>,
}

impl FolderRules {
    /// What the nearest rule for a path says: whether it is ignored. None where there is none.
    fn ignores(&self, path: &Path, is_folder: bool) -> Option<bool> {
        let mut rules = Some(self);
        while let Some(FolderRules { own, above }) = rules {
            match own.matched(path, is_folder) {
                Match::Ignore(_) => return Some(true),
                Match::Whitelist(_) => return Some(false),
                Match::None => rules = above.as_deref(),
            }
        }
        None
    }
}

impl IgnoreRules {
    fn takes(&self, entry: &DirEntry) -> bool {
        if entry.depth() == 0 {
            return true;
        }
        if lock(&self.fault).is_some() {
            return false;
        }
        if self.entries.fetch_add(1, Ordering::Relaxed) >= self.most {
            self.break_off(ProjectError::TooMany { path: self.root.clone(), most: self.most });
            return false;
        }
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let above = entry.path().parent().unwrap_or(&self.root);
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        !self.of_folder(above).ignores(entry.path(), is_folder).unwrap_or(is_hidden)
            && is_source(entry)
            && !(is_folder && is_repository(entry.path()))
    }

    fn break_off(&self, why: ProjectError) {
        lock(&self.fault).get_or_insert(why);
    }

    fn of_folder(&self, folder: &Path) -> Arc<FolderRules> {
        if let Some(known) = lock(&self.known).get(folder) {
            return Arc::clone(known);
        }
        let above = folder.parent().filter(|_| folder != self.root).map(|above| self.of_folder(above));
        let rules = match (self.read(folder), above) {
            (None, Some(above)) => above,
            (own, above) => Arc::new(FolderRules { own: own.unwrap_or_else(Gitignore::empty), above }),
        };
        Arc::clone(lock(&self.known).entry(folder.to_owned()).or_insert(rules))
    }

    /// The rules of the ignore file in a folder. What is no regular file is none, and neither is one that nobody may read.
    fn read(&self, folder: &Path) -> Option<Gitignore> {
        let path = folder.strip_prefix(&self.root).ok()?.join(IGNORE);
        let text = match self.folder.as_ref()?.read(&path, LONGEST_IGNORE) {
            Ok(text) => text,
            Err(error @ FolderError::TooLarge { .. }) => {
                self.break_off(ProjectError::IgnoreFile(error));
                return None;
            }
            Err(_) => return None,
        };
        let bytes = self.bytes.fetch_add(text.len() as u64, Ordering::Relaxed) + text.len() as u64;
        if bytes > MOST_IGNORE {
            let error = FolderError::TooLarge { path: self.root.join(path), bytes, most: MOST_IGNORE };
            self.break_off(ProjectError::IgnoreFile(error));
            return None;
        }
        let text = String::from_utf8_lossy(&text);
        let mut rules = GitignoreBuilder::new(folder);
        for line in text.trim_start_matches('\u{feff}').lines() {
            checkpoint();
            // A line that is no pattern ignores nothing, and neither does one beyond the bounds of a pattern.
            let _ = bounded_glob(line).map(|line| rules.add_line(None, line).map(drop));
        }
        rules.build().ok()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_source(entry: &DirEntry) -> bool {
    if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs::{create_dir_all, write};
    use std::os::unix::fs::symlink;

    use patchwright_folder::DEEPEST_GLOB;
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;
    use crate::path::ProjectPath;

    fn found(walk: &Walk) -> Vec<String> {
        let files = walk.builder().build().flatten().filter(|entry| entry.path().is_file());
        let name = |entry: DirEntry| entry.path().strip_prefix(&walk.root).unwrap().display().to_string();
        let mut names: Vec<String> = files.map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn the_nearest_rule_counts_and_may_show_what_is_hidden() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        create_dir_all(root.join("a/b")).unwrap();
        create_dir_all(root.join("out")).unwrap();
        for file in ["x.log", "a/x.log", "a/b/x.log", "a/b/y.py", "a/z.py", ".shown", ".hidden", "out/q.py"] {
            write(root.join(file), "").unwrap();
        }
        write(root.join(".gitignore"), "\u{feff}*.log\n[\n/out/\n!.shown\nz.py\n").unwrap();
        write(root.join("a/.gitignore"), "!x.log\n").unwrap();
        write(root.join("a/b/.gitignore"), "*.log\n").unwrap();
        let walk = Walk::new(root);
        assert_eq!(found(&walk), [".shown", "a/b/y.py", "a/x.log"]);
        walk.end().unwrap();
    }

    #[test]
    fn a_pattern_that_is_nested_too_deep_ignores_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for file in ["a.py", "b.log"] {
            write(root.join(file), "").unwrap();
        }
        let nested = |depth: usize| format!("{}a.py{}", "{".repeat(depth), "}".repeat(depth));
        for depth in [10 * DEEPEST_GLOB, 20_000] {
            write(root.join(".gitignore"), format!("{}\n*.log\n", nested(depth))).unwrap();
            let walk = Walk::new(root);
            assert_eq!(found(&walk), ["a.py"]);
            walk.end().unwrap();
        }
        write(root.join(".gitignore"), nested(DEEPEST_GLOB)).unwrap();
        assert_eq!(found(&Walk::new(root)), ["b.log"]);
    }

    #[test]
    fn a_repository_is_no_source_whatever_it_is_called() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for file in ["meta/HEAD", "meta/config", "meta/hooks/a.py", "objects/b.py", "refs/HEAD", "c.py"] {
            create_dir_all(root.join(file).parent().unwrap()).unwrap();
            write(root.join(file), "").unwrap();
        }
        create_dir_all(root.join("meta/objects")).unwrap();
        create_dir_all(root.join("meta/refs")).unwrap();
        symlink("meta", root.join("link")).unwrap();
        assert_eq!(found(&Walk::new(root)), ["c.py", "objects/b.py", "refs/HEAD"]);
        let project = crate::project::Project::open(root).unwrap();
        for path in ["meta/config", "meta/hooks/a.py", "link/config"] {
            assert!(project.resolve(path).is_err(), "{path}");
            assert!(project.is_private(&ProjectPath::new(path).unwrap()), "{path}");
        }
        assert!(project.vacant("meta/hooks/pre-commit").is_err());
        assert!(project.resolve("refs/HEAD").is_ok());
    }

    #[test]
    fn ignore_files_that_are_none_are_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["zeros", "pipe", "folder", "elsewhere"] {
            create_dir_all(root.join(name)).unwrap();
            write(root.join(name).join("a.py"), "").unwrap();
        }
        write(root.join("rules"), "*.py\n").unwrap();
        symlink("/dev/zero", root.join("zeros/.gitignore")).unwrap();
        symlink(root.join("rules"), root.join("elsewhere/.gitignore")).unwrap();
        mknodat(CWD, root.join("pipe/.gitignore"), FileType::Fifo, Mode::RUSR, 0).unwrap();
        create_dir_all(root.join("folder/.gitignore")).unwrap();
        let walk = Walk::new(root);
        assert_eq!(found(&walk), ["elsewhere/a.py", "folder/a.py", "pipe/a.py", "rules", "zeros/a.py"]);
        walk.end().unwrap();
    }

    #[test]
    fn an_ignore_file_that_is_too_large_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let line = "# nothing is ignored here\n";
        for times in [1, 10] {
            write(root.join(".gitignore"), line.repeat(times * LONGEST_IGNORE as usize / line.len() + 1))
                .unwrap();
            let walk = Walk::new(root);
            assert!(found(&walk).is_empty());
            let error = walk.end().unwrap_err().to_string();
            assert!(error.contains(".gitignore") && error.contains("524288"), "{error}");
        }
        std::fs::remove_file(root.join(".gitignore")).unwrap();
        let most = (MOST_IGNORE / LONGEST_IGNORE) as usize;
        for name in 0..10 * most {
            let inner = root.join(name.to_string());
            create_dir_all(&inner).unwrap();
            write(inner.join(".gitignore"), line.repeat(LONGEST_IGNORE as usize / line.len())).unwrap();
            write(inner.join("a"), "").unwrap();
        }
        let walk = Walk::new(root);
        assert!(found(&walk).len() <= most + 1);
        assert!(walk.end().unwrap_err().to_string().contains("4194304"));
    }

    #[test]
    fn files_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        for name in 0..100 {
            write(folder.path().join(name.to_string()), "").unwrap();
        }
        let walk = Walk::within(folder.path(), 10);
        assert_eq!(found(&walk).len(), 10);
        assert!(matches!(walk.end(), Err(ProjectError::TooMany { most: 10, .. })));
        let walk = Walk::within(folder.path(), 100);
        assert_eq!(found(&walk).len(), 100);
        walk.end().unwrap();
    }
}
