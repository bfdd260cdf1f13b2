//! What becomes of a change that was interrupted.

use std::path::Path;

use patchwright_folder::Folder;
use patchwright_syntax::ProjectPath;

use super::ProjectWriteError;
use super::journal::{JOURNAL, Journal, MOST_READ, Planned, STAGING, Staging, hash_at};
use super::transaction::{take_back, take_step};

/// What became of a change that was interrupted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// The change is whole now.
    Finished {
        /// The name that the change was written with.
        name: String,
        /// How many files it is about.
        files: usize,
    },
    /// Files were changed since, so the rest of the change was not made, and what was made of it was taken back.
    TakenBack {
        /// The files that were changed since. They are left as they are; where the change had reached one, what stood there before it
        /// is beside it, with `.orig` behind its name.
        changed: Vec<ProjectPath>,
    },
}

/// How far a step has come, as the files tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Ahead,
    Done,
    /// Somebody else has changed the file since.
    Changed,
}

/// Is true if a change below this folder was interrupted after its first file may have been written.
pub fn is_interrupted(project: &Folder) -> bool {
    project.entry(Path::new(STAGING).join(JOURNAL)).is_ok()
}

/// Finishes a change that was interrupted, if there is one below this folder; where a file was changed since, takes it back.
///
/// The journal lies in the project, so it is not believed: a step is taken or taken back only where the files are what the step says
/// they are, and never outside of the project or in version control.
///
/// # Errors
/// The journal cannot be read, another process is at work, or the operating system refuses.
pub fn recover(project: &Folder) -> Result<Option<Recovery>, ProjectWriteError> {
    if project.entry(STAGING).is_err_and(|error| error.is_not_found()) {
        return Ok(None);
    }
    let staging = Staging::open(project)?;
    if !staging.is_unfinished() {
        // Only new contents were being prepared.
        let prepared = staging.folder.list(usize::MAX).map(|names| names.len()).unwrap_or_default();
        staging.remove(project, prepared);
        return Ok(None);
    }
    let Journal { name, steps, .. } = staging.journal(project)?;
    check_size(project, &steps)?;
    let progress: Vec<Progress> = (0..).zip(&steps).map(|(at, step)| progress(project, at, step)).collect();
    let where_is =
        |wanted: Progress| (0..).zip(&progress).filter(move |(_, found)| **found == wanted).map(|(at, _)| at);
    // What a step replaced is kept until the end. Where it replaced nothing, only the file can tell.
    let was_made = |at: usize| match &steps[at].from {
        Some(_) => hash_at(project, &Staging::place(at)).as_ref() == Ok(&steps[at].from),
        None => project.entry(&steps[at].path).is_ok(),
    };
    let all_were_made = !progress.contains(&Progress::Ahead) && where_is(Progress::Changed).all(was_made);
    let recovery = if !progress.contains(&Progress::Changed) || all_were_made {
        for at in where_is(Progress::Ahead) {
            take_step(project, at, &steps[at])?;
        }
        Recovery::Finished { name, files: steps.len() }
    } else {
        let is_kept = |at: &usize| steps[*at].from.is_none() || project.entry(Staging::place(*at)).is_ok();
        let done: Vec<usize> = where_is(Progress::Done).filter(is_kept).collect();
        take_back(project, &steps, &done)?;
        let changed: Vec<usize> = where_is(Progress::Changed).collect();
        for at in &changed {
            keep_beside(project, *at, &steps[*at]);
        }
        Recovery::TakenBack { changed: changed.into_iter().map(|at| steps[at].path.clone()).collect() }
    };
    staging.remove(project, steps.len());
    Ok(Some(recovery))
}

/// Where a changed file's old content is still kept, puts it beside the file.
fn keep_beside(project: &Folder, at: usize, step: &Planned) {
    let beside = format!("{}.orig", step.path);
    if step.from.is_some() && hash_at(project, &Staging::place(at)) == Ok(step.from.clone()) {
        // Where something has that name already, the folder of the change keeps it.
        let _ = project.rename_to_free(Staging::place(at), beside);
    }
}

/// Refuses what would be read for hours: a project may bring along a journal, and large files for it.
fn check_size(project: &Folder, steps: &[Planned]) -> Result<(), ProjectWriteError> {
    let places = (0..).zip(steps).flat_map(|(at, step)| [step.path.as_path().to_owned(), Staging::place(at)]);
    let sizes = places.filter_map(|place| project.entry(place).ok()).map(|entry| entry.bytes);
    if sizes.fold(0, u64::saturating_add) <= MOST_READ {
        return Ok(());
    }
    Err(ProjectWriteError::Unfinished(format!(
        "{STAGING}/{JOURNAL}: its files have more than {MOST_READ} bytes, which no change of ours has"
    )))
}

fn progress(project: &Folder, at: usize, step: &Planned) -> Progress {
    let (Ok(now), Ok(staged)) =
        (hash_at(project, step.path.as_path()), hash_at(project, &Staging::place(at)))
    else {
        return Progress::Changed;
    };
    // What was kept is gone where the change was made and cleared away.
    if now == step.to && (staged == step.from || staged.is_none()) {
        Progress::Done
    } else if now == step.from && staged == step.to {
        Progress::Ahead
    } else {
        Progress::Changed
    }
}
