//! What fixes are made of: names, methods, literals, conditions and statements of the project.

mod facts;
mod fragments;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use patchwright_code::{Language, Project, ProjectPath};

pub(crate) use facts::{Facts, Method, Variable, is_exception, parameters};
pub(crate) use fragments::{Fragment, Fragments};

use crate::file::File;
use crate::grammar::Grammar;

/// More text than this is not read: what is far away is rarely an ingredient, and time is.
const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// A file above this size is generated, or a table.
const MAX_FILE: usize = 512 * 1024;
/// Parsed files that are kept.
const KEPT: usize = 16;

/// What the files of a project offer for fixes. Built once, and then only read.
pub struct Ingredients {
    files: BTreeMap<String, Facts>,
    left_out: Vec<String>,
    parsed: Mutex<Vec<Arc<File>>>,
}

impl Ingredients {
    /// Gathers what may be used from all files that may be changed: tests are no ingredients.
    ///
    /// Files above half a megabyte are left out, and once eight megabytes are read, all that follow, the most deeply nested
    /// last; [`Self::left_out`] names them.
    pub fn gather(project: &Project, may_change: &dyn Fn(&str) -> bool) -> Self {
        let mut paths: Vec<ProjectPath> = project.files().unwrap_or_default();
        paths.retain(|path| {
            Language::of_path(path.as_path()).and_then(Grammar::of).is_some() && may_change(path.as_str())
        });
        paths.sort_by_key(|path| (path.parts().count(), path.clone()));
        let (mut files, mut left_out, mut bytes) = (BTreeMap::new(), Vec::new(), 0);
        for path in paths {
            let source = if bytes < MAX_BYTES { project.read(&path).ok() } else { None };
            match source.filter(|source| source.text().len() <= MAX_FILE) {
                Some(source) => {
                    bytes += source.text().len() as u64;
                    if let Some(file) = File::parse(path.as_str(), source.text()) {
                        files.insert(path.as_str().to_owned(), file.facts);
                    }
                }
                None => left_out.push(path.as_str().to_owned()),
            }
        }
        Self { files, left_out, parsed: Mutex::new(Vec::new()) }
    }

    /// The files that could not be read, or for which there was no room.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// A file as it is now, parsed once as long as its text stays the same.
    pub(crate) fn file(&self, path: &str, text: &str) -> Option<Arc<File>> {
        let mut parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// What the files of the same language declare, the nearest first: how near, and the file's facts. The file itself is
    /// not among them.
    pub(crate) fn around<'a>(&'a self, file: &File) -> Vec<(f64, &'a Facts)> {
        let folder =
            |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
        let home = folder(&file.path);
        let mut near: Vec<(f64, &Facts)> = self
            .files
            .iter()
            .filter(|(path, facts)| **path != file.path && facts.language == file.grammar.name)
            .map(|(path, facts)| {
                let name = path.rsplit('/').next().unwrap_or(path);
                let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
                let near = if file.facts.mentions.contains(stem) {
                    0.8
                } else if folder(path) == home {
                    0.6
                } else {
                    0.3
                };
                (near, facts)
            })
            .collect();
        near.sort_by(|left, right| right.0.total_cmp(&left.0));
        near
    }
}
