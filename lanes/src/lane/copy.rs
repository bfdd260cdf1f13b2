//! Copying a project into a lane.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Seek;
use std::path::{Component, Path, PathBuf};

use globset::{GlobSet, GlobSetBuilder};
use patchwright_folder::{EntryKind, Folder, FolderEntry, FolderError, SHOWN_OF_GLOB, WalkBounds, read_glob};
use patchwright_syntax::PRIVATE_FOLDERS;
use patchwright_syntax::repository::named_repositories;
use patchwright_syntax::shorten;
use patchwright_syntax::walk::ENVIRONMENT_MARKS;

use super::LaneError;
use crate::own_files;
use crate::repository::PLANTED;

/// Names that lead to a git repository, whatever lies there: a file or a link of this name leads to one elsewhere. Where the case of
/// letters does not count, or a long name has a short one, git takes them for one another.
const GIT: &[&str] = &[".git", "git~1"];
/// Folders in which tools keep what they know, which no build or test needs.
const CACHES: &[&str] =
    &["__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox"];
/// Names of folders which may hold what a build made.
const OUTPUT: &[&str] = &["target", "build", "out", "bin", "classes", "dist"];
/// Files that lie in what a build made, and not in a source.
const COMPILED: &[&str] = &["class", "o", "pyc"];
/// Files that people write.
const SOURCES: &[&str] =
    &["java", "py", "kt", "scala", "groovy", "c", "cc", "cpp", "h", "hpp", "js", "ts", "go", "rs"];
/// Files looked at to tell whether a folder is build output, and folders in one another.
const LOOKED_AT: WalkBounds = WalkBounds { depth: 32, entries: 20_000 };

/// The rules for what is left out of a copy.
#[derive(Clone, Debug)]
pub struct CopyRules {
    hidden: GlobSet,
    /// Paths relative to the project.
    without: BTreeSet<PathBuf>,
    /// Is true if caches, environments and what a build made are copied too.
    with_made: bool,
    /// Is true if the repository that we put into the copy at hand is copied too.
    with_planted: bool,
}

impl CopyRules {
    /// Leaves out what fits one of the globs too. A glob that fits a folder hides all that is in it.
    ///
    /// # Errors
    /// A glob is not valid.
    pub fn new(hidden: &[String]) -> Result<Self, LaneError> {
        let mut set = GlobSetBuilder::new();
        let wrong = |glob: &str, reason| LaneError::Pattern { glob: shorten(glob, SHOWN_OF_GLOB), reason };
        for glob in hidden {
            let glob = glob.trim_end_matches('/').trim_start_matches("./");
            set.add(read_glob(glob, false).map_err(|reason| wrong(glob, reason))?);
        }
        let hidden = set.build().map_err(|error| wrong("", error.kind().to_string()))?;
        Ok(Self { hidden, ..Self::plain() })
    }

    /// Leaves out only what no copy holds.
    pub fn plain() -> Self {
        Self { hidden: GlobSet::empty(), without: BTreeSet::new(), with_made: false, with_planted: false }
    }

    /// Copies what tools and builds made too: it belongs to the project as somebody else gave it.
    pub fn with_made(self) -> Self {
        Self { with_made: true, ..self }
    }

    /// Copies the repository that we put into a copy of ours too.
    pub(super) fn with_planted(self) -> Self {
        Self { with_planted: true, ..self }
    }

    /// Leaves out these files and folders too, by their paths relative to the project.
    pub fn without(self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { without: paths.into_iter().collect(), ..self }
    }

    fn hides(&self, relative: &Path) -> bool {
        self.hidden.is_match(relative) || self.without.contains(relative)
    }

    /// Is true for what leads to a git repository, at any depth, but for one of ours.
    fn leads_to_git(&self, relative: &Path) -> bool {
        let is_git = |name: &str| GIT.iter().any(|git| name.eq_ignore_ascii_case(git));
        let is_planted = self.with_planted && relative == Path::new(PLANTED);
        !is_planted && relative.file_name().and_then(OsStr::to_str).is_some_and(is_git)
    }

    /// Is true for folders that tell of other revisions or of earlier sessions, or lead to a repository of the user's.
    fn is_private(&self, relative: &Path) -> bool {
        let is_private =
            |name: &str| PRIVATE_FOLDERS.iter().any(|private| *private != PLANTED && name == *private);
        relative.file_name().and_then(OsStr::to_str).is_some_and(is_private) || self.leads_to_git(relative)
    }

    fn skips(&self, relative: &Path) -> bool {
        let is_one_of = |names: &[&str]| {
            relative.file_name().and_then(OsStr::to_str).is_some_and(|name| names.contains(&name))
        };
        self.is_private(relative) || !self.with_made && is_one_of(CACHES)
    }
}

/// Copies a project. File modes and times are kept; links are kept when they point inside, sockets and pipes are left
/// out. Returns a note for each thing left out that a user would miss. `on_file` is told how many files are copied, and
/// how many there are.
///
/// # Errors
/// Files cannot be read or written, or `is_cancelled` says that nobody waits.
pub fn copy_project(
    from: &Folder,
    to: &Folder,
    rules: &CopyRules,
    is_cancelled: &dyn Fn() -> bool,
    on_file: Option<&dyn Fn(u64, u64)>,
) -> Result<Vec<String>, LaneError> {
    let root = real(from);
    let target = real(to);
    // The folder of the work may lie in the project: it must not be copied into itself.
    let own = target.ancestors().take(2).filter_map(|path| path.strip_prefix(&root).ok()).map(Path::to_owned);
    let mut copy =
        Copy { left_out: own.collect(), root, target: to, open: None, rules, notes: BTreeSet::new() };
    copy.leave_out_listed(from, Path::new(""));
    let mut all = 0;
    if on_file.is_some() {
        let mut count = |folder: &Folder, path: &Path, entry: &FolderEntry| {
            all += u64::from(entry.kind == EntryKind::File);
            Ok(entry.kind == EntryKind::Folder && !copy.omits(path) && copy.copied(folder, path).is_some())
        };
        from.walk(WalkBounds::PROJECT, is_cancelled, &mut count)?;
    }
    let mut done = 0;
    let mut visit = |folder: &Folder, path: &Path, entry: &FolderEntry| {
        if let Some(on_file) = on_file.filter(|_| entry.kind == EntryKind::File) {
            done += 1;
            on_file(done, all);
        }
        copy.entry(folder, path, entry)
    };
    from.walk(WalkBounds::PROJECT, is_cancelled, &mut visit)?;
    Ok(copy.notes.into_iter().collect())
}

/// Where a folder is without links.
#[allow(
    clippy::disallowed_methods,
    reason = "links of a project lead where its owner wants; no command runs there"
)]
fn real(folder: &Folder) -> PathBuf {
    folder.path().canonicalize().unwrap_or_else(|_| folder.path().to_owned())
}

struct Copy<'a> {
    /// Where the project is: links of it are followed, to see whether they stay inside.
    root: PathBuf,
    target: &'a Folder,
    /// The folder of the target that was last copied into, and its path.
    open: Option<(PathBuf, Folder)>,
    /// The target and the folder that holds it, where they lie in the project, and what lists of ours name.
    left_out: BTreeSet<PathBuf>,
    rules: &'a CopyRules,
    notes: BTreeSet<String>,
}

impl Copy<'_> {
    /// Copies one thing; says whether to copy what is in it.
    fn entry(&mut self, folder: &Folder, relative: &Path, entry: &FolderEntry) -> Result<bool, FolderError> {
        let name = relative.file_name().unwrap_or_default();
        if self.omits(relative) || self.rules.leads_to_git(relative) {
            return Ok(false);
        }
        match entry.kind {
            EntryKind::Folder => return self.folder(folder, relative, entry),
            EntryKind::Link => self.link(relative)?,
            EntryKind::File => match folder.file(name) {
                Ok(mut file) => {
                    if !is_marked(&mut file) {
                        self.file(relative, file, entry)?;
                    }
                }
                // Gone since the folder was read.
                Err(error) if error.is_not_found() => {}
                Err(_) => self.note(relative, "cannot be read"),
            },
            EntryKind::Other => self.note(relative, "is neither a file nor a folder"),
        }
        Ok(false)
    }

    /// Is true if a path is left out because somebody named it.
    fn omits(&self, relative: &Path) -> bool {
        self.rules.hides(relative) || self.left_out.contains(relative)
    }

    /// The folder at a path if what is in it is copied.
    fn copied(&mut self, above: &Folder, relative: &Path) -> Option<Folder> {
        if self.rules.skips(relative) {
            return None;
        }
        let name = relative.file_name().unwrap_or_default();
        let Ok(folder) = above.below(name) else {
            self.note(relative, "cannot be read");
            return None;
        };
        let is_run = folder.file(own_files::RUN).is_ok_and(|mut file| is_marked(&mut file));
        let is_made =
            || !self.rules.with_made && (is_environment(&folder) || is_build_output(above, name, &folder));
        (!is_run && !is_made()).then_some(folder)
    }

    fn folder(&mut self, above: &Folder, relative: &Path, entry: &FolderEntry) -> Result<bool, FolderError> {
        let Some(folder) = self.copied(above, relative) else { return Ok(false) };
        self.leave_out_listed(&folder, relative);
        self.target.make(relative)?;
        // We must be able to change what is in it, whatever the original allows.
        self.target.set_mode(relative, entry.mode | 0o700)?;
        Ok(true)
    }

    /// Copies a file. Files of one folder come one after the other.
    fn file(&mut self, relative: &Path, mut file: File, entry: &FolderEntry) -> Result<(), FolderError> {
        let above = relative.parent().unwrap_or(Path::new(""));
        let open = match self.open.take().filter(|(path, _)| path == above) {
            Some(open) => open,
            None => (above.to_owned(), self.target.below(above)?),
        };
        let put = open.1.put(relative.file_name().unwrap_or_default(), &mut file, entry);
        self.open = Some(open);
        put
    }

    /// Keeps a link that points to something inside that is copied too, as a relative one.
    #[allow(
        clippy::disallowed_methods,
        reason = "links of a project lead where its owner wants; no command runs there"
    )]
    fn link(&mut self, relative: &Path) -> Result<(), FolderError> {
        let from = self.root.join(relative);
        let inside = from
            .canonicalize()
            .ok()
            .and_then(|found| found.strip_prefix(&self.root).map(Path::to_owned).ok());
        let Some(inside) = inside.filter(|inside| !self.leaves_out(inside)) else {
            self.note(relative, "is a link that leads out of the project");
            return Ok(());
        };
        self.target.link(&relative_to(&inside, relative), relative)
    }

    /// Is true if a path, or a folder above it, is left out.
    fn leaves_out(&self, inside: &Path) -> bool {
        inside.ancestors().filter(|path| !path.as_os_str().is_empty()).any(|path| {
            let is_environment = || {
                !self.rules.with_made
                    && Folder::open(&self.root.join(path)).is_ok_and(|folder| is_environment(&folder))
            };
            self.omits(path) || self.rules.skips(path) || is_environment()
        })
    }

    /// Leaves out what a list of ours names in a folder.
    fn leave_out_listed(&mut self, folder: &Folder, relative: &Path) {
        let list = folder.read(own_files::LIST, own_files::LONGEST_LIST as u64).unwrap_or_default();
        self.left_out.extend(own_files::listed(&list).iter().map(|name| relative.join(name)));
        self.left_out.extend(named_repositories(folder).iter().map(|named| relative.join(named)));
    }

    fn note(&mut self, relative: &Path, why: &str) {
        self.notes.insert(format!("left out of the copies: `{}` {why}", relative.display()));
    }
}

/// Is true if Patchwright wrote a file, which is looked at from its beginning and left there.
fn is_marked(file: &mut File) -> bool {
    let is_marked =
        own_files::head(&mut *file, own_files::HEAD).is_ok_and(|head| own_files::is_marked(&head));
    file.rewind().is_ok() && is_marked
}

fn is_file(folder: &Folder, name: impl AsRef<Path>) -> bool {
    folder.entry(name).is_ok_and(|entry| entry.kind == EntryKind::File)
}

/// A Python environment is used where it is.
fn is_environment(folder: &Folder) -> bool {
    ENVIRONMENT_MARKS.iter().any(|mark| folder.entry(mark).is_ok())
}

/// Is true if a folder holds what a build made: a name that builds use, beside a build file or with compiled files in it
/// and no source.
fn is_build_output(above: &Folder, name: &OsStr, folder: &Folder) -> bool {
    let Some(name) = name.to_str().filter(|name| OUTPUT.contains(name)) else {
        return false;
    };
    let beside = |files: &[&str]| files.iter().any(|file| is_file(above, file));
    match name {
        "target" if beside(&["pom.xml", "Cargo.toml"]) => return true,
        "build" if beside(&["build.gradle", "build.gradle.kts"]) => return true,
        // Python's own builds copy the sources.
        "build" if beside(&["setup.py", "pyproject.toml"]) && folder.is_folder("lib") => {
            return true;
        }
        _ => {}
    }
    let (mut compiled, mut sources) = (false, false);
    let mut look = |_: &Folder, path: &Path, entry: &FolderEntry| {
        let extension = path.extension().and_then(OsStr::to_str).filter(|_| entry.kind != EntryKind::Folder);
        sources |= extension.is_some_and(|extension| SOURCES.contains(&extension));
        compiled |= extension.is_some_and(|extension| COMPILED.contains(&extension));
        if sources { Err(FolderError::Cancelled) } else { Ok(true) }
    };
    // Where there is too much to see all, what was seen tells.
    let _ = folder.walk(LOOKED_AT, &|| false, &mut look);
    compiled && !sources
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
