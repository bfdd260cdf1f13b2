//! A change that is prepared, made step by step, and taken back where a step fails.

use std::fs::{File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};

use patchwright_folder::{Folder, FolderError};
use patchwright_syntax::ProjectPath;

use super::journal::{Planned, Staging, hash_at};
use super::{ProjectWriteError, Step};

/// A change whose new contents are written, and no file of it yet.
pub(super) struct Transaction<'a> {
    project: &'a Folder,
    staging: Staging,
    steps: Vec<Planned>,
}

impl<'a> Transaction<'a> {
    /// Makes everything ready. What is likely to fail, a full disk or a missing permission, fails here, before any file
    /// has changed.
    pub fn prepare(project: &'a Folder, name: &str, steps: &[Step]) -> Result<Self, ProjectWriteError> {
        let staging = Staging::open(project)?;
        if staging.is_unfinished() {
            return Err(ProjectWriteError::Unfinished(staging.folder.path().display().to_string()));
        }
        let transaction = Self { project, staging, steps: steps.iter().map(Planned::new).collect() };
        let staged = (0..).zip(steps).try_for_each(|(at, step)| {
            stage(project, at, step)
                .map_err(|source| ProjectWriteError::Io { path: step.path.clone(), source })
        });
        let noted = staged.and_then(|()| {
            transaction.staging.note(name, &transaction.steps).map_err(ProjectWriteError::Staging)
        });
        match noted {
            Ok(()) => Ok(transaction),
            Err(error) => {
                transaction.clear();
                Err(error)
            }
        }
    }

    /// Waits until the disk has all that was prepared.
    pub fn synced(self) -> Result<Self, ProjectWriteError> {
        match self.project.sync() {
            Ok(()) => Ok(self),
            Err(error) => {
                self.clear();
                Err(ProjectWriteError::Staging(error.into()))
            }
        }
    }

    /// Takes all steps; where one fails, or a file turns out to have been saved meanwhile, takes back those before it.
    pub fn commit(self) -> Result<(), ProjectWriteError> {
        let mut done = Vec::with_capacity(self.steps.len());
        for (at, step) in (0..).zip(&self.steps) {
            let taken = take_step(self.project, at, step).and_then(|()| {
                done.push(at);
                self.check_replaced(at)
            });
            if let Err(error) = taken {
                return Err(self.abandon(&done, error));
            }
        }
        // An editor may have saved into a file that it had open before.
        for at in 0..self.steps.len() {
            if let Err(error) = self.check_replaced(at) {
                return Err(self.abandon(&done, error));
            }
        }
        self.clear();
        Ok(())
    }

    /// Refuses a step that replaced something else than it was to replace.
    fn check_replaced(&self, at: usize) -> Result<(), ProjectWriteError> {
        let step = &self.steps[at];
        if step.from.is_none() || hash_at(self.project, &Staging::place(at)) == Ok(step.from.clone()) {
            Ok(())
        } else {
            Err(ProjectWriteError::Changed(step.path.clone()))
        }
    }

    /// Takes back what was done; gives the error to report.
    fn abandon(self, done: &[usize], error: ProjectWriteError) -> ProjectWriteError {
        match take_back(self.project, &self.steps, done) {
            Ok(()) => {
                self.clear();
                error
            }
            // The journal stays: the next change begins with it.
            Err(ProjectWriteError::Io { path: left, source }) => {
                let (path, cause) = match error {
                    ProjectWriteError::Io { path, source } => (path, source.to_string()),
                    other => (left.clone(), other.to_string()),
                };
                ProjectWriteError::HalfWritten { path, cause, left, source }
            }
            Err(other) => other,
        }
    }

    fn clear(self) {
        self.staging.remove(self.project, self.steps.len());
    }
}

/// Writes the new content of a step, with the rights of the file that it will replace.
fn stage(project: &Folder, at: usize, step: &Step) -> io::Result<()> {
    let place = Staging::place(at);
    let Some(bytes) = step.to else {
        // The place is for the file that is to be removed; nothing may be left there.
        return match project.unlink(&place) {
            Err(error) if !error.is_not_found() => Err(error.into()),
            Ok(()) | Err(_) => Ok(()),
        };
    };
    let mut file = project.create(&place)?;
    file.write_all(bytes)?;
    if let Ok(entry) = project.entry(step.path) {
        keep_owner(&file, entry.owner)?;
        file.set_permissions(Permissions::from_mode(entry.mode))?;
    }
    Ok(())
}

/// Gives a file the owner of another one, where the process may: root repairs files of others.
fn keep_owner(file: &File, (user, group): (u32, u32)) -> io::Result<()> {
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (user, group) {
        // A refusal leaves the process's own user as owner, as any editor would.
        let _ = fchown(file, Some(user), Some(group));
    }
    Ok(())
}

/// The one operation that makes a step visible. What stood there before takes the place of the new content.
pub(super) fn take_step(project: &Folder, at: usize, step: &Planned) -> Result<(), ProjectWriteError> {
    let (place, path) = (Staging::place(at), step.path.as_path());
    let taken = match (&step.from, &step.to) {
        (Some(_), Some(_)) => project.exchange(&place, path, Staging::spare(at)),
        (None, Some(_)) => {
            make_above(project, &step.path).and_then(|()| project.rename_to_free(&place, path))
        }
        (Some(_), None) => {
            project.rename_to_free(path, &place).map(|()| remove_empty_folders(project, &step.path))
        }
        (None, None) => Ok(()),
    };
    taken.map_err(|error| {
        if step.from.is_none() {
            remove_empty_folders(project, &step.path);
        }
        ProjectWriteError::Io { path: step.path.clone(), source: error.into() }
    })
}

/// Takes steps back, the last first.
pub(super) fn take_back(
    project: &Folder,
    steps: &[Planned],
    done: &[usize],
) -> Result<(), ProjectWriteError> {
    done.iter().rev().try_for_each(|at| take_step(project, *at, &steps[*at].reversed()))
}

fn make_above(project: &Folder, path: &ProjectPath) -> Result<(), FolderError> {
    match path.as_path().parent().filter(|above| !above.as_os_str().is_empty()) {
        Some(above) => project.make(above).map(drop),
        None => Ok(()),
    }
}

/// Removes the folders above a path as long as they are empty, as version control does with those of a removed file.
fn remove_empty_folders(folder: &Folder, path: &ProjectPath) {
    let mut above = path.as_path().ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
    while above.next().is_some_and(|above| folder.remove_empty(above).is_ok()) {}
}
