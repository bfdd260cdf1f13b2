//! Where lanes live: a folder of the system's temporary folder that names its owner, so that what a killed
//! session left behind can be found and removed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use patchwright_folder::{EntryKind, Folder, FolderEntry, FolderError};
use patchwright_protocol::Failure;
use patchwright_sandbox::{Owner, Sandbox, work_folders};

/// Names another folder to put lanes in (by default a temporary one of the system's).
pub const FOLDER_VARIABLE: &str = "PATCHWRIGHT_LANES";

const PREFIX: &str = "patchwright-lanes-";
/// Entries of the folder for lanes that are looked at, at most.
const MOST: usize = 1_000_000;
/// Time for removing what is left in the folder at the end of a session.
const LAST_REMOVAL: Duration = Duration::from_millis(300);

/// A folder for the lanes of one session; removed when dropped.
#[derive(Debug)]
pub struct Lanes {
    folder: PathBuf,
}

impl Lanes {
    /// Makes the folder, where a sandbox keeps it apart from what others do.
    pub fn create(sandbox: &dyn Sandbox) -> Result<Self, Failure> {
        Self::create_in(&given().unwrap_or_else(|| sandbox.work_folder()))
    }

    fn create_in(base: &Path) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}{}-", Owner::current()))
            .tempdir_in(base)
            .map_err(|error| {
                Failure::environment(format!("cannot make a folder for lanes in {}: {error}", base.display()))
                    .hint(format!("free some space, or name another folder in {FOLDER_VARIABLE}"))
            })?;
        Ok(Self { folder: folder.keep() })
    }

    /// Makes such a folder for what else a process works in.
    #[cfg(feature = "postgres")]
    pub fn of_worker() -> Result<Self, Failure> {
        Self::create_in(&given().unwrap_or_else(std::env::temp_dir))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        let began = Instant::now();
        match remove(&self.folder, &|| began.elapsed() > LAST_REMOVAL) {
            Err(FolderError::Cancelled) => crate::say(&format!(
                "{} holds too much to be removed at once: the next session removes it",
                self.folder.display()
            )),
            Err(error) => tracing::warn!(%error, "the folder for lanes could not be removed"),
            Ok(()) => {}
        }
    }
}

/// Removes the folders of sessions whose process is gone (a dry run only looks) and gives their paths. Those of other users are
/// theirs to remove.
pub fn sweep(dry_run: bool) -> Vec<PathBuf> {
    let is_left = |name: &str, entry: &FolderEntry| {
        let is_ours = entry.owner.0 == rustix::process::geteuid().as_raw();
        entry.kind == EntryKind::Folder && is_ours && owner(name).is_some_and(|owner| owner.is_gone())
    };
    let left = |base: PathBuf| {
        let entries = Folder::open(&base).and_then(|folder| folder.list(MOST)).unwrap_or_default();
        let left = entries
            .into_iter()
            .filter(|(name, entry)| name.to_str().is_some_and(|name| is_left(name, entry)));
        left.map(|(name, _)| base.join(name)).collect::<Vec<_>>()
    };
    let removed = |path: &PathBuf| {
        dry_run
            || remove(path, &|| false)
                .inspect_err(|error| tracing::warn!(%error, "a leftover could not be removed"))
                .is_ok()
    };
    let bases = given().map_or_else(work_folders, |base| [base].into());
    bases.into_iter().flat_map(left).filter(removed).collect()
}

fn remove(path: &Path, is_cancelled: &dyn Fn() -> bool) -> Result<(), FolderError> {
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    Folder::open(above)?.remove(name, is_cancelled)
}

fn given() -> Option<PathBuf> {
    std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from)
}

fn owner(name: &str) -> Option<Owner> {
    name.strip_prefix(PREFIX)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_our_own_make_have_an_owner() {
        let own = format!("{PREFIX}{}-abc", Owner::current());
        assert_eq!(owner(&own), Some(Owner::current()));
        assert_eq!(owner("patchwright-lanes-x-abc"), None);
        assert_eq!(owner("other-123"), None);
        assert!(!Owner::current().is_gone());
    }
}
