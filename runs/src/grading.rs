//! Judgements of patches, added to the log of the run, or of the part, that has the attempt.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use patchwright_trajectory::Redactor;

use super::error::RunError;
use super::event::{Grade, RunEvent};
use super::folder::{Places, RunFolder};

/// The judgement of the patch of an attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct GradedAttempt {
    /// The case's id.
    pub case: String,
    /// The attempt's number.
    pub attempt: u32,
    /// The judgement.
    pub grade: Grade,
}

/// Looks whether judgements of these cases can be written.
///
/// # Errors
/// When a process works in a folder that would get one, or its files cannot be understood.
pub fn check_gradable<'c>(places: &Places, cases: impl Iterator<Item = &'c str>) -> Result<(), RunError> {
    let folders: BTreeSet<&Path> = cases.map(|case| places.folder_of(case)).collect();
    folders.into_iter().try_for_each(|folder| RunFolder::open(folder).map(drop))
}

/// Adds judgements to the logs; `redactor` replaces secrets in them.
///
/// # Errors
/// When a process works in a folder, or a log does not take them. Then those of folders before it are written.
pub async fn add_grades(
    places: &Places,
    graded: Vec<GradedAttempt>,
    redactor: &Redactor,
) -> Result<(), RunError> {
    let mut by_folder: BTreeMap<PathBuf, Vec<RunEvent>> = BTreeMap::new();
    for GradedAttempt { case, attempt, grade } in graded {
        let folder = places.folder_of(&case).to_owned();
        by_folder.entry(folder).or_default().push(RunEvent::Graded { case, attempt, grade });
    }
    for (folder, events) in by_folder {
        RunFolder::open(&folder)?.add(events, redactor.clone()).await?;
    }
    Ok(())
}
