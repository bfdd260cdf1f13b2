//! The ingredients of fixes: names, methods, literals, conditions and statements of the project.

mod facts;
mod fragments;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use patchwright_syntax::{Language, Project, ProjectPath, parallel};

pub(crate) use facts::{FileFacts, Method, Variable, is_exception, is_name, parameters};
pub(crate) use fragments::{Fragment, Fragments, near};

use crate::file::File;
use crate::grammar::Grammar;

/// More text than this is not read: what is far away is rarely an ingredient, and time is.
const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// A file above this size is generated, or a table.
const MAX_FILE: u64 = 512 * 1024;
/// Parsed files that are kept.
const KEPT: usize = 16;
/// Files that are near another: what is in hundreds of them makes no fix likelier, and asking them takes time.
const NEAREST: usize = 64;

/// The fix ingredients that the files of a project offer. Built once, and then only read.
pub struct Ingredients {
    /// By path.
    files: Vec<(String, FileFacts)>,
    parsed: Mutex<Vec<Arc<File>>>,
    /// For files that were asked about: the files near them, with how near.
    near: Mutex<BTreeMap<String, Arc<[Neighbor]>>>,
}

/// The proximity of a file, and its place among all.
type Neighbor = (f64, usize);

impl Ingredients {
    /// Gathers what may be used from all files that may be changed: tests are no ingredients.
    ///
    /// Files above half a megabyte are left out, and once eight megabytes are read, all that follow, the most deeply nested
    /// last.
    pub fn gather(project: &Project, may_change: &dyn Fn(&str) -> bool) -> Self {
        let mut paths: Vec<ProjectPath> = project.files().unwrap_or_default();
        paths.retain(|path| {
            Language::of_path(path.as_path()).and_then(Grammar::of).is_some() && may_change(path.as_str())
        });
        paths.sort_by_key(|path| (path.parts().count(), path.clone()));
        let (mut read, mut bytes) = (Vec::new(), 0);
        for path in paths {
            let size = std::fs::metadata(project.root().join(path.as_path())).map(|file| file.len());
            if let Ok(size) = size
                && size <= MAX_FILE
                && bytes < MAX_BYTES
            {
                bytes += size;
                read.push(path);
            }
        }
        let facts = parallel::over(&read, |path| {
            let source = project.read(path).ok()?;
            File::parse(path.as_str(), source.text()).map(|file| file.facts)
        });
        let known =
            read.iter().zip(facts).filter_map(|(path, facts)| Some((path.as_str().to_owned(), facts?)));
        let mut files: Vec<(String, FileFacts)> = known.collect();
        files.sort_by(|(one, _), (other, _)| one.cmp(other));
        Self { files, parsed: Mutex::default(), near: Mutex::default() }
    }

    /// A file as it is now, parsed once as long as its text stays the same.
    pub(crate) fn file(&self, path: &str, text: &str) -> Option<Arc<File>> {
        let mut parsed = lock(&self.parsed);
        if let Some(known) = parsed.iter().find(|file| file.path == path && file.text == text) {
            return Some(Arc::clone(known));
        }
        let file = Arc::new(File::parse(path, text)?);
        parsed.retain(|known| known.path != path);
        if parsed.len() >= KEPT {
            parsed.remove(0);
        }
        parsed.push(Arc::clone(&file));
        Some(file)
    }

    /// The facts of the files of the same language that are nearest to a file, with their proximity, the nearest first. The
    /// file itself is not among them.
    pub(crate) fn around(&self, file: &File) -> Vec<(f64, &FileFacts)> {
        let near = Arc::clone(
            lock(&self.near).entry(file.path.clone()).or_insert_with(|| self.nearest(file).into()),
        );
        near.iter().filter_map(|(near, at)| Some((*near, &self.files.get(*at)?.1))).collect()
    }

    fn nearest(&self, file: &File) -> Vec<Neighbor> {
        let folder = |path: &str| path.rsplit_once('/').map_or(0, |(folder, _)| folder.len());
        let home = &file.path[..folder(&file.path)];
        let others = self.files.iter().enumerate();
        let mut near: Vec<Neighbor> = others
            .filter(|(_, (path, facts))| *path != file.path && facts.language == file.grammar.name)
            .map(|(at, (path, _))| {
                let name = path.rsplit('/').next().unwrap_or(path);
                let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
                let near = if file.facts.mentions.contains(stem) {
                    0.8
                } else if &path[..folder(path)] == home {
                    0.6
                } else {
                    0.3
                };
                (near, at)
            })
            .collect();
        near.sort_by(|left, right| right.0.total_cmp(&left.0));
        near.truncate(NEAREST);
        near
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is kept there is whole whatever happened to who held it.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
