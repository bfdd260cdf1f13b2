//! Copying a project into a lane.

use std::collections::BTreeSet;
use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use globset::{Glob, GlobSet, GlobSetBuilder};

use super::{LaneError, failed};
use crate::ours;

/// Folders that no build or test needs: version control, caches, our own records.
const SKIPPED: &[&str] = &[
    ".git",
    ".hg",
    ".svn",
    ".patchwright",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    ".tox",
    ".nox",
];
/// Names of folders which may hold what a build made.
const OUTPUT: &[&str] = &["target", "build", "out", "bin", "classes", "dist"];
/// Files that lie in what a build made, and not in a source.
const COMPILED: &[&str] = &["class", "o", "pyc"];
/// Files that people write.
const SOURCES: &[&str] =
    &["java", "py", "kt", "scala", "groovy", "c", "cc", "cpp", "h", "hpp", "js", "ts", "go", "rs"];
/// Files looked at to tell whether a folder is build output.
const LOOKED_AT: usize = 2_000;

/// What is left out of a copy.
#[derive(Clone, Debug)]
pub(crate) struct CopyRules {
    hidden: GlobSet,
}

impl CopyRules {
    /// Leaves out what fits one of the globs too. A glob that fits a folder hides all that is in it.
    pub(crate) fn new(hidden: &[String]) -> Result<Self, LaneError> {
        let mut set = GlobSetBuilder::new();
        let wrong = |glob: &str, error: &globset::Error| LaneError::Pattern {
            glob: glob.to_owned(),
            reason: error.kind().to_string(),
        };
        for glob in hidden {
            let glob = glob.trim_end_matches('/').trim_start_matches("./");
            set.add(Glob::new(glob).map_err(|error| wrong(glob, &error))?);
        }
        let hidden = set.build().map_err(|error| wrong("", &error))?;
        Ok(Self { hidden })
    }

    /// Leaves out only what no copy holds.
    pub(crate) fn plain() -> Self {
        Self { hidden: GlobSet::empty() }
    }
}

/// Copies a project. File modes and times are kept; links are kept when they point inside, sockets and pipes are left
/// out. Returns a note for each thing left out that a user would miss.
///
/// # Errors
/// Files cannot be read or written, or it was told to `stop` in the meantime.
pub(crate) fn copy_project(
    from: &Path,
    to: &Path,
    rules: &CopyRules,
    stop: &AtomicBool,
) -> Result<Vec<String>, LaneError> {
    let from = from.canonicalize().map_err(failed("open", from))?;
    fs::create_dir_all(to).map_err(failed("create", to))?;
    let own =
        to.canonicalize().map_err(failed("open", to))?.ancestors().take(2).map(Path::to_owned).collect();
    let mut copy = Copy { root: &from, target: to, own, rules, stop, notes: BTreeSet::new() };
    copy.folder(Path::new(""))?;
    Ok(copy.notes.into_iter().collect())
}

struct Copy<'a> {
    root: &'a Path,
    target: &'a Path,
    /// The target and the folder that holds it.
    own: Vec<PathBuf>,
    rules: &'a CopyRules,
    stop: &'a AtomicBool,
    notes: BTreeSet<String>,
}

impl Copy<'_> {
    fn folder(&mut self, relative: &Path) -> Result<(), LaneError> {
        let (from, to) = (self.root.join(relative), self.target.join(relative));
        fs::create_dir_all(&to).map_err(failed("create", &to))?;
        let mut names = Vec::new();
        for entry in fs::read_dir(&from).map_err(failed("read", &from))? {
            names.push(entry.map_err(failed("read", &from))?.file_name());
        }
        let listed = ours::listed(&head(&from.join(ours::LIST), ours::LONGEST_LIST));
        names.retain(|name| !listed.contains(name));
        names.sort();
        for name in names {
            self.entry(&relative.join(name))?;
        }
        Ok(())
    }

    fn entry(&mut self, relative: &Path) -> Result<(), LaneError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(LaneError::Stopped);
        }
        let from = self.root.join(relative);
        // The folder of the work may lie in the project: it must not be copied into itself.
        if self.rules.hidden.is_match(relative) || self.own.contains(&from) {
            return Ok(());
        }
        let Ok(meta) = fs::symlink_metadata(&from) else {
            // Gone since the folder was read.
            return Ok(());
        };
        let kind = meta.file_type();
        if kind.is_symlink() {
            self.link(relative)
        } else if kind.is_dir() {
            if is_skipped(relative) || is_run(&from) || is_virtualenv(&from) || is_build_output(&from) {
                return Ok(());
            }
            if fs::read_dir(&from).is_err() {
                self.note(relative, "cannot be read");
                return Ok(());
            }
            self.folder(relative)?;
            let to = self.target.join(relative);
            // We must be able to change what is in it, whatever the original allows.
            let mode = meta.permissions().mode() | 0o700;
            fs::set_permissions(&to, fs::Permissions::from_mode(mode)).map_err(failed("set the mode of", &to))
        } else if kind.is_file() {
            self.file(relative, &meta)
        } else {
            self.note(relative, "is neither a file nor a folder");
            Ok(())
        }
    }

    fn file(&mut self, relative: &Path, meta: &fs::Metadata) -> Result<(), LaneError> {
        let (from, to) = (self.root.join(relative), self.target.join(relative));
        if File::open(&from).is_err() {
            self.note(relative, "cannot be read");
            return Ok(());
        }
        if ours::is_marked(&head(&from, ours::HEAD)) {
            return Ok(());
        }
        copy_file(&from, &to, meta)
    }

    /// Keeps a link that points to something inside that is copied too, as a relative one.
    fn link(&mut self, relative: &Path) -> Result<(), LaneError> {
        let from = self.root.join(relative);
        let inside =
            from.canonicalize().ok().and_then(|found| found.strip_prefix(self.root).map(Path::to_owned).ok());
        let Some(inside) = inside.filter(|inside| !self.leaves_out(inside)) else {
            self.note(relative, "is a link that leads out of the project");
            return Ok(());
        };
        let to = self.target.join(relative);
        symlink(relative_to(&inside, relative), &to).map_err(failed("link", &to))
    }

    /// Whether a path, or a folder above it, is left out.
    fn leaves_out(&self, inside: &Path) -> bool {
        inside.ancestors().filter(|path| !path.as_os_str().is_empty()).any(|path| {
            let absolute = self.root.join(path);
            self.rules.hidden.is_match(path)
                || is_skipped(path)
                || (absolute.is_dir() && is_virtualenv(&absolute))
        })
    }

    fn note(&mut self, relative: &Path, why: &str) {
        self.notes.insert(format!("left out of the copies: `{}` {why}", relative.display()));
    }
}

/// The first bytes of a file; none of one that cannot be read.
fn head(path: &Path, most: usize) -> Vec<u8> {
    File::open(path).and_then(|file| ours::head(file, most)).unwrap_or_default()
}

/// Whether a folder is that of a batch run.
fn is_run(folder: &Path) -> bool {
    ours::is_marked(&head(&folder.join(ours::RUN), ours::HEAD))
}

/// Whether a reflink may still be possible: one that fails costs as much as a small file.
static REFLINKS: AtomicBool = AtomicBool::new(true);

/// Copies one file with its mode and times; as a reflink where the file system can.
pub(super) fn copy_file(from: &Path, to: &Path, meta: &fs::Metadata) -> Result<(), LaneError> {
    if !REFLINKS.load(Ordering::Relaxed) || reflink_copy::reflink(from, to).is_err() {
        // A link to the file itself would be cheaper still, but what a test writes in place would be in every copy.
        REFLINKS.store(false, Ordering::Relaxed);
        fs::copy(from, to).map_err(failed("write", to))?;
    }
    let file = File::options().write(true).open(to);
    if let (Ok(modified), Ok(file)) = (meta.modified(), &file) {
        // Build tools compare times: a copy must not look newer than what was made from it.
        file.set_times(FileTimes::new().set_modified(modified)).map_err(failed("set the time of", to))?;
    }
    let mode = meta.permissions().mode() | 0o200;
    fs::set_permissions(to, fs::Permissions::from_mode(mode)).map_err(failed("set the mode of", to))
}

fn is_skipped(relative: &Path) -> bool {
    relative.file_name().and_then(|name| name.to_str()).is_some_and(|name| SKIPPED.contains(&name))
}

/// A Python environment is used where it is.
fn is_virtualenv(folder: &Path) -> bool {
    folder.join("pyvenv.cfg").is_file()
}

/// Whether a folder holds what a build made: a name that builds use, beside a build file or with compiled files in it
/// and no source.
fn is_build_output(folder: &Path) -> bool {
    let Some(name) = folder.file_name().and_then(|name| name.to_str()).filter(|name| OUTPUT.contains(name))
    else {
        return false;
    };
    let beside = |files: &[&str]| files.iter().any(|file| folder.with_file_name(file).is_file());
    match name {
        "target" if beside(&["pom.xml", "Cargo.toml"]) => return true,
        "build" if beside(&["build.gradle", "build.gradle.kts"]) => return true,
        // Python's own builds copy the sources.
        "build" if beside(&["setup.py", "pyproject.toml"]) && folder.join("lib").is_dir() => return true,
        _ => {}
    }
    let mut compiled = false;
    let mut open = vec![folder.to_owned()];
    let mut looked_at = 0;
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(path);
                continue;
            }
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            if SOURCES.contains(&extension) {
                return false;
            }
            compiled |= COMPILED.contains(&extension);
            looked_at += 1;
            if looked_at >= LOOKED_AT {
                return compiled;
            }
        }
    }
    compiled
}

/// The text of a link at `link` that leads to `target`; both are relative to the same root.
fn relative_to(target: &Path, link: &Path) -> PathBuf {
    let folder: Vec<_> = link.parent().unwrap_or(Path::new("")).components().collect();
    let parts: Vec<_> = target.components().collect();
    let common = folder.iter().zip(&parts).take_while(|(one, other)| one == other).count();
    let up = std::iter::repeat_n(Component::ParentDir, folder.len() - common);
    let path: PathBuf = up.chain(parts[common..].iter().copied()).collect();
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }
}

/// Gives the right to change back to every folder below, as far as possible.
pub(super) fn make_writable(folder: &Path) {
    let Ok(meta) = fs::symlink_metadata(folder) else { return };
    if !meta.is_dir() {
        return;
    }
    // What cannot be changed shows when the folder is removed.
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(meta.permissions().mode() | 0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        make_writable(&entry.path());
    }
}
