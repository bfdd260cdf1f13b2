//! The contents of the files that a run was started with, as hashes: a path alone does not say whether somebody has changed them since.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::RunError;
use super::files;

/// A file or a folder, and its content at some time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    /// Its path.
    pub path: PathBuf,
    /// The BLAKE3 of the file; of a folder, that of the paths and contents of all files in it.
    pub blake3: String,
}

impl Fingerprint {
    /// The fingerprint of the present content.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn of(path: &Path) -> Result<Self, RunError> {
        let hash = files::hash(path).map_err(|error| RunError::io(path, &error))?;
        Ok(Self { path: path.to_owned(), blake3: hash.to_hex().to_string() })
    }

    /// The change since then in words; none where there is none.
    fn change(&self) -> Option<String> {
        let what = if self.path.is_dir() { "folder" } else { "file" };
        let path = self.path.display();
        match Self::of(&self.path) {
            Ok(now) if now.blake3 == self.blake3 => None,
            Ok(_) => Some(format!("the {what} {path} has changed since the run began")),
            Err(error) => Some(format!("it is not what it was when the run began: {error}")),
        }
    }
}

/// Refuses files that are not what they were when their fingerprints, by the option that names each, were taken.
pub(super) fn check(fingerprints: &BTreeMap<String, Fingerprint>) -> Result<(), RunError> {
    let change = |(option, was): (&String, &Fingerprint)| Some(format!("{option}: {}", was.change()?));
    let changes: Vec<String> = fingerprints.iter().filter_map(change).collect();
    if changes.is_empty() { Ok(()) } else { Err(RunError::FilesChanged(changes)) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::RunFile;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        std::fs::write(folder.path().join("a/x"), "1").unwrap();
        std::fs::write(folder.path().join("y"), "2").unwrap();
        folder
    }

    #[test]
    fn a_folder_is_the_same_where_its_files_are() {
        let (one, other) = (folder(), folder());
        let hash = |folder: &tempfile::TempDir| Fingerprint::of(folder.path()).unwrap().blake3;
        let before = hash(&one);
        assert_eq!(before, hash(&other));
        std::fs::write(one.path().join("a/x"), "3").unwrap();
        assert_ne!(hash(&one), before);
        std::fs::write(one.path().join("a/x"), "1").unwrap();
        assert_eq!(hash(&one), before);
        std::fs::rename(one.path().join("y"), one.path().join("z")).unwrap();
        assert_ne!(hash(&one), before);
    }

    #[test]
    fn what_has_changed_is_named_with_its_cure_and_what_is_not_kept_is_taken() {
        let folder = folder();
        let mut file = RunFile::new("r", "manifest:y", vec!["a".to_owned()]);
        file.check_files().unwrap();
        for (option, path) in [("prompts", "a"), ("states", "y")] {
            let kept = Fingerprint::of(&folder.path().join(path)).unwrap();
            file.fingerprints.insert(option.to_owned(), kept);
        }
        let file: RunFile = toml::from_str(&toml::to_string(&file).unwrap()).unwrap();
        file.check_files().unwrap();
        std::fs::write(folder.path().join("a/new"), "").unwrap();
        std::fs::write(folder.path().join("y"), "").unwrap();
        let told =
            || file.check_files().unwrap_err().to_string().replace(folder.path().to_str().unwrap(), "<root>");
        let changed = told();
        std::fs::remove_file(folder.path().join("y")).unwrap();
        insta::assert_snapshot!(format!("{changed}\n\n{}", told()));
    }
}
