//! The files in which a run leaves its results.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use globset::GlobMatcher;
use patchwright_detection::ProjectSpec;
use patchwright_folder::read_glob;
use patchwright_folder::{EntryKind, Folder, FolderEntry, FolderError, WalkBounds};
use patchwright_lanes::{Lane, LaneError, MOST_BYTES, Tests};
use patchwright_test_results::{self as results, ReportFile};
use serde::Deserialize;

/// The file that our own runners write to, in the folder `out`.
pub(super) const LINES_FILE: &str = "results.jsonl";
/// Folders in one another that results may lie in.
const DEPTH: usize = 32;
/// Bytes that are counted in one go.
const MOST_COUNTED: u64 = 4 << 20;

/// Counts what our own runners have told so far. What it reads anybody may have written: it is only shown.
#[derive(Default)]
pub(super) struct LineCounter {
    /// The bytes that were read.
    read: u64,
    tests: Tests,
}

impl LineCounter {
    /// Reads on from where it stopped.
    pub(super) fn go_on(&mut self, out: &Folder) {
        let Ok(mut file) = out.file(LINES_FILE) else { return };
        let mut bytes = Vec::new();
        let read = file
            .seek(SeekFrom::Start(self.read))
            .and_then(|_| file.take(MOST_COUNTED).read_to_end(&mut bytes));
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if read.is_err() || whole == 0 {
            return;
        }
        self.read += whole as u64;
        for line in String::from_utf8_lossy(&bytes[..whole]).lines() {
            match serde_json::from_str(line) {
                Ok(ToldLine::Finished) => self.tests.done += 1,
                Ok(ToldLine::Collected { count }) => self.tests.all = Some(count),
                Ok(ToldLine::Turn { turn, all }) => self.tests.turn = Some((turn, all)),
                Err(_) => {}
            }
        }
    }

    pub(super) fn tests(&self) -> Tests {
        self.tests
    }
}

/// What is counted.
#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum ToldLine {
    Finished,
    Collected { count: u64 },
    Turn { turn: u64, all: u64 },
}

/// Removes the results of the run before, which nobody may take for those of the next.
pub(super) fn remove(spec: &ProjectSpec, lane: &Lane) -> Result<(), LaneError> {
    let (folder, paths) = paths(spec, lane)?;
    for path in paths {
        folder.unlink(&path).or_else(|error| if error.is_not_found() { Ok(()) } else { Err(error) })?;
    }
    Ok(())
}

/// Reads the results, sorted by path; with what is wrong with those that are no regular files of a bearable size.
pub(super) fn read(spec: &ProjectSpec, lane: &Lane) -> (Vec<ReportFile>, Vec<LaneError>) {
    let (mut files, mut refused) = (Vec::new(), Vec::new());
    let (folder, paths) = match paths(spec, lane) {
        Ok(found) => found,
        Err(error) => return (files, vec![error]),
    };
    let mut left = MOST_BYTES;
    for path in paths {
        match folder.read(&path, left) {
            Ok(bytes) => {
                left -= bytes.len() as u64;
                files.push(ReportFile { path, text: String::from_utf8_lossy(&bytes).into_owned() });
            }
            Err(error) if error.is_not_found() => {}
            Err(error) => refused.push(error.into()),
        }
    }
    (files, refused)
}

/// The folder that results lie in, and their paths relative to it; sorted.
fn paths(spec: &ProjectSpec, lane: &Lane) -> Result<(Folder, Vec<String>), LaneError> {
    let Some(glob) = results::files_of(&spec.results) else {
        return Ok((lane.out()?, vec![LINES_FILE.to_owned()]));
    };
    let project = lane.project()?;
    let found = match read_glob(glob.trim_start_matches("./"), false) {
        Ok(glob) => matching(&project, &glob.compile_matcher())?,
        Err(_) => Vec::new(),
    };
    Ok((project, found))
}

fn matching(project: &Folder, glob: &GlobMatcher) -> Result<Vec<String>, FolderError> {
    let mut found = Vec::new();
    let mut look = |_: &Folder, path: &Path, entry: &FolderEntry| {
        if entry.kind == EntryKind::File && glob.is_match(path) {
            found.push(path.to_string_lossy().into_owned());
        }
        Ok(path.components().count() < DEPTH)
    };
    project.walk(WalkBounds::PROJECT, &|| false, &mut look)?;
    found.sort();
    Ok(found)
}
