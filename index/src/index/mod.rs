//! One index of a repository: its files, what they declare, their skeletons.
//!
//! An [`Index`] is a snapshot. Each file is read once, in parallel, for what needs no parser; it is parsed when it is first asked
//! for more, which of a large project are a few files. What cannot be read is listed and left out.

mod build;
mod element;
mod file;
mod locations;
#[cfg(test)]
mod tests;
mod tree;
mod windows;

use std::path::Path;
use std::sync::Arc;

use patchwright_syntax::{Project, ProjectError, ProjectPath, Skeleton, parallel, resolve};

pub use element::{Element, ElementKind};
pub use file::IndexedFile;
pub use locations::{Location, ResolvedLocations, UnresolvedLocation};
pub use tree::TreeOptions;
pub use windows::windows;

/// Bytes of source that an index holds in memory at most: no project is slower for less, few have more.
const HELD_BYTES: u64 = 64 * 1024 * 1024;

/// The files of a project at one time, and the declarations in those of known languages.
#[derive(Clone, Debug)]
pub struct Index {
    project: Arc<Project>,
    /// All files, sorted.
    all: Vec<ProjectPath>,
    /// Those of known languages that could be read, sorted.
    files: Vec<IndexedFile>,
    problems: Vec<IndexProblem>,
}

/// A file or folder that is left out of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexProblem {
    /// Its path, as far as that is known.
    pub path: String,
    /// The reason for which it is left out.
    pub message: String,
}

impl Index {
    /// Makes the index of a folder, in parallel. A file that cannot be read is a [`problem`](Self::problems).
    ///
    /// # Errors
    /// The folder is not there or cannot be listed.
    pub fn build(root: &Path) -> Result<Self, ProjectError> {
        build::build(Project::open(root)?, HELD_BYTES)
    }

    /// The folder.
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// The files of known languages, sorted by path.
    pub fn files(&self) -> impl ExactSizeIterator<Item = &IndexedFile> {
        self.files.iter()
    }

    /// The file at exactly this path, if it is of a known language.
    pub fn file(&self, path: &str) -> Option<&IndexedFile> {
        let place = self.files.binary_search_by(|file| file.path.as_str().cmp(path));
        place.ok().and_then(|place| self.files.get(place))
    }

    /// The files that were left out, and the reasons.
    pub fn problems(&self) -> &[IndexProblem] {
        &self.problems
    }

    /// The files as indented text for a prompt: four blanks a level, folders end with `/`. With a cap on its tokens, large
    /// folders are folded to one line that says how many files they hold.
    pub fn tree(&self, options: &TreeOptions) -> String {
        tree::render(&self.all, options)
    }

    /// Parses files in parallel, so that what they declare is there when it is asked for.
    pub fn parse<'p>(&self, paths: impl IntoIterator<Item = &'p str>) {
        let files: Vec<&IndexedFile> = paths.into_iter().filter_map(|path| self.file(path)).collect();
        parallel::over(&files, |file| {
            file.parsed();
        });
    }

    /// The skeleton of a file of a known language.
    pub fn skeleton(&self, path: &str) -> Option<&Skeleton> {
        self.file(path).map(IndexedFile::skeleton)
    }

    /// The declarations of a file, in the order of the file; nothing for a file that is not in the index.
    pub fn elements(&self, path: &str) -> &[Element] {
        self.file(path).map(IndexedFile::elements).unwrap_or_default()
    }

    /// The files that someone may mean: the exact path, without quotes and `./`, a path that begins above the project or
    /// in it, a dotted name, or the one nearest name. Several if it cannot be told which, none if there is none.
    pub fn find_path(&self, given: &str) -> Vec<&ProjectPath> {
        resolve::among(&self.all, given)
    }

    /// Reads the places that a model's answer names: paths, each followed by lines such as `class: A`,
    /// `function: A.b`, `variable: c`, `line: 42` or `lines 10-20`. `within` are the files that the model was shown: they
    /// are meant before all others, and by an answer that names no file.
    pub fn locate(&self, answer: &str, within: &[ProjectPath]) -> ResolvedLocations {
        locations::locate(self, answer, within)
    }
}
