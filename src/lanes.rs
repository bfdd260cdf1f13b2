//! Where lanes live: a folder of the system's temporary folder that names its owner, so that what a killed
//! session left behind can be found and removed.

use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Names another folder to put lanes in (by default the system's temporary folder).
pub const FOLDER_VARIABLE: &str = "PATCHWRIGHT_LANES";

const PREFIX: &str = "patchwright-lanes-";

/// A folder for the lanes of one session; removed when dropped.
#[derive(Debug)]
pub struct Lanes {
    folder: tempfile::TempDir,
}

impl Lanes {
    /// Makes the folder.
    pub fn create() -> Result<Self, Failure> {
        let base = base();
        let folder = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}{}-", std::process::id()))
            .tempdir_in(&base)
            .map_err(|error| {
                Failure::environment(format!("cannot make a folder for lanes in {}: {error}", base.display()))
                    .hint(format!("free some space, or name another folder in {FOLDER_VARIABLE}"))
            })?;
        Ok(Self { folder })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders of sessions whose process is gone (a dry run only looks) and gives their paths.
pub fn sweep(dry_run: bool) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(base()) else { return Vec::new() };
    let mut removed: Vec<_> = entries
        .filter_map(Result::ok)
        .filter(|entry| owner(&entry.file_name().to_string_lossy()).is_some_and(|owner| !lives(owner)))
        .map(|entry| entry.path())
        .filter(|path| dry_run || std::fs::remove_dir_all(path).is_ok())
        .collect();
    removed.sort();
    removed
}

fn base() -> PathBuf {
    std::env::var_os(FOLDER_VARIABLE).map_or_else(std::env::temp_dir, PathBuf::from)
}

fn owner(name: &str) -> Option<u32> {
    name.strip_prefix(PREFIX)?.split('-').next()?.parse().ok()
}

/// Whether a process is alive. Where there is no `/proc`, everything counts as alive: nothing is removed by
/// mistake.
fn lives(process: u32) -> bool {
    let processes = Path::new("/proc");
    !processes.join("self").exists() || processes.join(process.to_string()).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_our_own_make_have_an_owner() {
        assert_eq!(owner("patchwright-lanes-123-abc"), Some(123));
        assert_eq!(owner("patchwright-lanes-x-abc"), None);
        assert_eq!(owner("other-123"), None);
        assert!(lives(std::process::id()));
    }
}
