//! The files that tests are judged by: those of the tests, settings of test tools and libraries that lie in the project. What a run changes of
//! them on the disk counts against the change that was tried, unless the run before any change does the same.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use globset::{GlobSet, GlobSetBuilder};
use patchwright_detection::ProjectSpec;
use patchwright_detection::adapters::CLASSES;
use patchwright_folder::read_glob;
use patchwright_folder::{EntryKind, Folder, FolderEntry, FolderError, WalkBounds};
use patchwright_lanes::{Lane, LaneError, MOST_BYTES};
use patchwright_syntax::Language;
use patchwright_syntax::has_extension;

/// The words for a file that was changed.
const CHANGED: &str = "tests changed this file on the disk while they ran:";
/// The folder in which Python keeps what it compiled.
const PYTHON_CACHE: &str = "__pycache__";
/// Libraries that lie in a project.
const LIBRARIES: &str = "**/*.jar";

/// Which files of a project are guarded.
#[derive(Debug)]
pub(crate) struct Guarded {
    tests: GlobSet,
    settings: GlobSet,
}

/// The guarded files of a lane at one time, by path relative to it.
pub(crate) type Glance = BTreeMap<PathBuf, FolderEntry>;

impl Guarded {
    /// The files that a candidate may not change in the project at `root`, and libraries.
    pub(crate) fn of(spec: &ProjectSpec, root: &Path) -> Self {
        let rules = spec.rules(root).forbidden;
        let globs: Vec<&str> = rules.iter().map(|rule| rule.glob.as_str()).collect();
        let (tests, settings) = globs.split_at(spec.tests.len().min(globs.len()));
        Self { tests: set(tests), settings: set(&[settings, &[LIBRARIES]].concat()) }
    }

    /// Looks at the guarded files of a lane, and at the classes that were compiled there.
    pub(crate) fn look(&self, lane: &Lane, is_cancelled: &dyn Fn() -> bool) -> Result<Glance, LaneError> {
        let mut found = Glance::new();
        let mut note = |_: &Folder, path: &Path, entry: &FolderEntry| {
            if entry.kind != EntryKind::Folder && (self.is_guarded(path) || self.is_compiled_test(path)) {
                found.insert(path.to_owned(), *entry);
            }
            Ok(true)
        };
        lane.project()?.walk(WalkBounds::PROJECT, is_cancelled, &mut note)?;
        let mut classes = |_: &Folder, path: &Path, entry: &FolderEntry| {
            if entry.kind != EntryKind::Folder {
                found.insert(Path::new(CLASSES).join(path), *entry);
            }
            Ok(true)
        };
        match lane.out()?.below(CLASSES) {
            Ok(folder) => folder.walk(WalkBounds::PROJECT, is_cancelled, &mut classes)?,
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(error.into()),
        }
        Ok(found)
    }

    /// What a run has changed of the guarded files of a lane, in words.
    pub(crate) fn changes(
        &self,
        lane: &Lane,
        before: &Glance,
        pristine: &Folder,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<BTreeSet<String>, LaneError> {
        let after = self.look(lane, is_cancelled)?;
        let project = lane.project()?;
        let is_changed = |path: &Path| match (before.get(path), after.get(path)) {
            (Some(one), Some(other)) if one == other => false,
            // Code and settings are not even written anew with the same content: it may have been another meanwhile.
            (Some(_), Some(_)) => !self.is_data(path) || !is_equal(&project, pristine, path),
            // Beside the files of tests, tests may write what they like.
            (None, Some(_)) => self.settings.is_match(path) || self.is_loaded(path),
            (Some(_), None) => true,
            (None, None) => false,
        };
        let paths: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
        let changed = paths.into_iter().filter(|path| is_changed(path));
        Ok(changed.map(|path| format!("{CHANGED} {}", path.display())).collect())
    }

    fn is_guarded(&self, path: &Path) -> bool {
        self.tests.is_match(path) || self.settings.is_match(path)
    }

    /// Is true for what Python would load in place of a guarded source.
    fn is_compiled_test(&self, path: &Path) -> bool {
        let source = || {
            let folder = path.parent().filter(|folder| folder.ends_with(PYTHON_CACHE))?.parent()?;
            let name = path.file_name()?.to_str()?.split('.').next()?;
            Some(folder.join(format!("{name}.py")))
        };
        has_extension(&path.to_string_lossy(), "pyc")
            && source().is_some_and(|source| self.is_guarded(&source))
    }

    /// Is true for what tests read and is no code.
    fn is_data(&self, path: &Path) -> bool {
        Language::of_path(path).is_none() && !self.settings.is_match(path) && !self.is_loaded(path)
    }

    /// Is true for what was compiled.
    fn is_loaded(&self, path: &Path) -> bool {
        path.starts_with(CLASSES) || self.is_compiled_test(path)
    }
}

/// Is true if a file is as it was before any change.
fn is_equal(project: &Folder, pristine: &Folder, path: &Path) -> bool {
    let read = |folder: &Folder| folder.read(path, MOST_BYTES);
    let is_same = || Ok::<_, FolderError>(read(project)? == read(pristine)?);
    is_same().unwrap_or(false)
}

/// The globs that can be read: a rule that cannot is refused where it is given.
fn set(globs: &[&str]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        if let Ok(glob) = read_glob(glob, false) {
            set.add(glob);
        }
    }
    set.build().unwrap_or_else(|_| GlobSet::empty())
}
