//! The one pass over the files of a project.

use std::io;
use std::sync::{Mutex, PoisonError};

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use ignore::{DirEntry, WalkState};
use patchwright_folder::{WorkFlag, checkpoint};
use patchwright_syntax::{MAX_FILE_BYTES, Project, ProjectError, ProjectPath, decoded, parallel, walk::Walk};

use super::words::{Match, Words};

/// Lines of a file that are remembered; a file with more matches is data.
const MOST_LINES: usize = 5000;

/// Bytes of a line that are looked at; what is longer was not written by a person.
const LINE: usize = 2000;

/// A line that matches.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Counted from 1.
    pub number: u32,
    pub matches: Vec<Match>,
}

/// A file that matches by its lines or its name.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub path: ProjectPath,
    pub lines: Vec<Line>,
    /// Words in its name, without the folders.
    pub name: Vec<Match>,
}

/// The findings of a pass.
#[derive(Default)]
pub(super) struct Pass {
    /// The files that match, sorted by path.
    pub files: Vec<File>,
    /// The number of files that were looked at.
    pub looked_at: usize,
}

/// Looks at every file once, in parallel. A binary, unreadable or huge file is passed over.
pub(super) fn pass(project: &Project, words: &Words) -> Result<Pass, ProjectError> {
    let matcher = RegexMatcherBuilder::new()
        .case_insensitive(true)
        .line_terminator(Some(b'\n'))
        .build_literals(&words.literals)
        .map_err(|error| ProjectError::Io {
            path: project.root().to_path_buf(),
            source: io::Error::other(error),
        })?;
    let shared = Mutex::new(Pass::default());
    let walk = Walk::new(project.root());
    let flag = WorkFlag::current();
    walk.builder().threads(parallel::threads()).build_parallel().run(|| {
        let mut searcher =
            SearcherBuilder::new().line_number(true).binary_detection(BinaryDetection::quit(0)).build();
        let (shared, matcher, flag) = (&shared, &matcher, &flag);
        Box::new(move |entry| {
            if flag.is_set() {
                return WalkState::Quit;
            }
            if let Ok(entry) = entry
                && let Some(path) = searchable(project, &entry)
            {
                let file = look_at(&mut searcher, matcher, words, &entry, path);
                let mut pass = shared.lock().unwrap_or_else(PoisonError::into_inner);
                pass.looked_at += 1;
                pass.files.extend(file);
            }
            WalkState::Continue
        })
    });
    checkpoint();
    walk.end()?;
    let mut pass = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    pass.files.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(pass)
}

fn searchable(project: &Project, entry: &DirEntry) -> Option<ProjectPath> {
    let small = || entry.metadata().is_ok_and(|meta| meta.len() <= MAX_FILE_BYTES);
    let file = entry.file_type().is_some_and(|kind| kind.is_file()) && small();
    if file { project.path_of(entry.path()) } else { None }
}

fn look_at(
    searcher: &mut Searcher,
    matcher: &RegexMatcher,
    words: &Words,
    entry: &DirEntry,
    path: ProjectPath,
) -> Option<File> {
    let mut lines = Lines { words, found: Vec::new(), binary: false };
    let read = searcher.search_path(matcher, entry.path(), &mut lines);
    if read.is_err() || lines.binary {
        return None;
    }
    let stem = path.file_name().split('.').next().unwrap_or_default();
    let name = words.matches(stem);
    (!lines.found.is_empty() || !name.is_empty()).then_some(File { path, lines: lines.found, name })
}

struct Lines<'w> {
    words: &'w Words,
    found: Vec<Line>,
    binary: bool,
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let bytes = found.bytes();
        let matches = self.words.matches(&decoded(bytes.get(..LINE).unwrap_or(bytes)));
        if !matches.is_empty() {
            let number = u32::try_from(found.line_number().unwrap_or_default()).unwrap_or(u32::MAX);
            self.found.push(Line { number, matches });
        }
        Ok(self.found.len() < MOST_LINES)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.binary = true;
        Ok(false)
    }
}
