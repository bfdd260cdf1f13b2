//! The jobs that were submitted for a run, a JSON line each.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// An array of tasks that was submitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Its number, as the scheduler gave it.
    pub job: String,
    /// What is added to the index of a task to get its part: arrays may be shorter than a run has parts.
    pub offset: u32,
    /// The parts.
    pub parts: Vec<u32>,
    /// How many parts the run has.
    pub of: u32,
    /// When it was submitted: RFC 3339, UTC.
    pub submitted: String,
}

/// The folder of scripts, logs and jobs in that of a run.
pub(crate) fn folder(run: &Path) -> PathBuf {
    run.join("slurm")
}

fn file(run: &Path) -> PathBuf {
    folder(run).join("jobs.jsonl")
}

/// The jobs of a run, the oldest first. A line that was torn by a kill is left out.
pub(crate) fn read(run: &Path) -> io::Result<Vec<Job>> {
    match fs::read_to_string(file(run)) {
        Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(Vec::new())
        }
        Err(error) => Err(error),
    }
}

/// Removes scripts and empty folders where nothing was ever submitted.
pub(crate) fn clear_unused(run: &Path) {
    if !file(run).exists() {
        // What is left is in nobody's way but that of another run here.
        let _ = fs::remove_dir_all(folder(run)).and_then(|()| fs::remove_dir(run));
    }
}

/// Adds one; it is on the disk when this returns.
pub(crate) fn add(run: &Path, job: &Job) -> io::Result<()> {
    let mut line = serde_json::to_string(job)?;
    line.push('\n');
    let mut file = OpenOptions::new().create(true).append(true).open(file(run))?;
    file.write_all(line.as_bytes())?;
    file.sync_all()
}
