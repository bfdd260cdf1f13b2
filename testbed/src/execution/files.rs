//! The files in which a run leaves its results.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use globset::Glob;

use crate::lane::{Lane, LaneError, failed};
use crate::results::{self, ResultFile};
use crate::spec::ProjectSpec;

/// The file that our own runners write to, in the folder `out`.
pub(super) const LINES_FILE: &str = "results.jsonl";

/// Removes the results of the run before, which nobody may take for those of the next.
pub(super) fn remove(spec: &ProjectSpec, lane: &Lane) -> Result<(), LaneError> {
    for (path, _) in paths(spec, lane) {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed("remove", &path)(error)),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// Reads the results, sorted by path.
pub(super) fn read(spec: &ProjectSpec, lane: &Lane) -> Result<Vec<ResultFile>, LaneError> {
    let mut files = Vec::new();
    for (path, relative) in paths(spec, lane) {
        match fs::read(&path) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                files.push(ResultFile { path: relative, text });
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(failed("read", &path)(error)),
        }
    }
    Ok(files)
}

/// The files that hold results, with their paths relative to the project; sorted.
fn paths(spec: &ProjectSpec, lane: &Lane) -> Vec<(PathBuf, String)> {
    let Some(glob) = results::files_of(&spec.results) else {
        return vec![(lane.out().join(LINES_FILE), LINES_FILE.to_owned())];
    };
    let Ok(glob) = Glob::new(glob.trim_start_matches("./")) else { return Vec::new() };
    let matcher = glob.compile_matcher();
    let project = lane.project();
    let mut found = Vec::new();
    let mut open = vec![project.clone()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() {
                let relative = path.strip_prefix(&project).unwrap_or(&path).to_string_lossy().into_owned();
                if matcher.is_match(&relative) {
                    found.push((path, relative));
                }
            }
        }
    }
    found.sort();
    found
}
