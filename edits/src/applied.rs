//! The effect of a fix: the files before and after.

use std::collections::BTreeSet;
use std::path::Path;

use patchwright_folder::Folder;
use patchwright_syntax::{Language, ProjectPath, changed_lines, decoded, examples, form_of};

use crate::diff::unified;
use crate::obeyed::obeyed_by;
use crate::outcome::EditOutcome;
use crate::refusal::EditError;
use crate::write::{ProjectWriteError, Step, write, write_durably};

/// One file before and after a fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The file.
    pub path: ProjectPath,
    /// Its bytes before; `None` where it did not exist.
    pub before: Option<Vec<u8>>,
    /// Its bytes after; `None` where it is deleted.
    pub after: Option<Vec<u8>>,
}

/// The outcome of a set of edits, and of each change in it.
#[derive(Debug)]
pub struct ApplyReport {
    /// Every change, file by file.
    pub outcomes: Vec<EditOutcome>,
    /// The fix, or why it was refused as a whole.
    pub result: Result<Applied, EditError>,
}

/// A fix worked out but not yet written anywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// The files that change, sorted by path, each once.
    pub files: Vec<FileChange>,
    /// Deviations from what the edits say, for whoever wrote them.
    pub notes: Vec<String>,
    /// Is true if only comments, formatting or docstrings change, and no example in these.
    pub comment_only: bool,
}

impl FileChange {
    /// Is true if the file does the same as before: only comments, formatting or docstrings differ, and no example in these.
    pub fn is_comment_only(&self) -> bool {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => {
                let language = Language::of_path(self.path.as_path());
                form_of(language, before) == form_of(language, after)
                    && examples(language, before) == examples(language, after)
            }
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// The numbers, in the file before, of the lines that the fix takes away, or that it puts something before.
    pub fn touched(&self) -> BTreeSet<u32> {
        let text = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(decoded).unwrap_or_default().into_owned();
        changed_lines(&text(&self.before), &text(&self.after))
    }
}

impl Applied {
    /// The files that are made or changed and that tools of the developer obey without being asked, each with who does.
    pub fn obeyed(&self) -> impl Iterator<Item = (&ProjectPath, &'static str)> {
        let written = self.files.iter().filter(|file| file.after.is_some());
        written.filter_map(|file| Some((&file.path, obeyed_by(&file.path)?)))
    }

    /// Both changes together. Of a file that both change, the other's wins.
    pub fn with(&self, other: &Self) -> Self {
        let is_own = |file: &&FileChange| other.files.iter().all(|changed| changed.path != file.path);
        let mut files: Vec<FileChange> =
            self.files.iter().filter(is_own).chain(&other.files).cloned().collect();
        files.sort_by(|one, another| one.path.cmp(&another.path));
        let notes = self.notes.iter().chain(&other.notes).cloned().collect();
        Self { files, notes, comment_only: self.comment_only && other.comment_only }
    }

    /// The change as a unified diff in git's form, as text to show and to store. Files that are not UTF-8 are shown as
    /// the text that they hold; [`Self::diff_bytes`] keeps their bytes.
    pub fn diff(&self) -> String {
        let mut diff = String::new();
        for FileChange { path, before, after } in &self.files {
            let [before, after] = [before, after].map(|bytes| bytes.as_deref().map(decoded));
            let bytes =
                unified(path, before.as_deref().map(str::as_bytes), after.as_deref().map(str::as_bytes));
            diff.push_str(&decoded(&bytes));
        }
        diff
    }

    /// The change as a unified diff in git's form, byte for byte as `git apply` wants it.
    pub fn diff_bytes(&self) -> Vec<u8> {
        self.files
            .iter()
            .flat_map(|file| unified(&file.path, file.before.as_deref(), file.after.as_deref()))
            .collect()
    }

    /// A name for what the fix does: equal for two fixes that differ in comments and formatting only, different
    /// otherwise. The examples of docstrings count, because they may be run as tests. 64 hexadecimal digits.
    pub fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for file in self.files.iter().filter(|file| !file.is_comment_only()) {
            let language = Language::of_path(file.path.as_path());
            let form = file.after.as_deref().map(|after| form_of(language, after));
            let fate = if form.is_some() { "" } else { "deleted" };
            let shown = file.after.as_deref().map(|after| examples(language, after)).unwrap_or_default();
            // Most files have none, and keep the name that they had.
            let shown = (!shown.is_empty()).then_some(shown.as_str());
            let parts = [file.path.as_str(), fate, form.as_deref().unwrap_or_default()];
            for part in parts.into_iter().chain(shown) {
                // Lengths first: no two lists of parts run together to the same bytes.
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part.as_bytes());
            }
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Writes the change below `root`, each file atomically with its permissions kept, and all or none: when one
    /// file cannot be written, those before it are put back. A change that is interrupted, even by the end of the machine, is
    /// finished or taken back by [`recover`](crate::recover), which tells of it by `name`.
    ///
    /// # Errors
    /// A file is not what it was when the fix was worked out, or cannot be written; an earlier change is not finished.
    pub fn write_to(&self, root: &Path, name: &str) -> Result<(), ProjectWriteError> {
        let folder = Folder::open(root).map_err(ProjectWriteError::Root)?;
        write_durably(&folder, name, &self.steps().collect::<Vec<_>>())
    }

    /// The same below an open folder that nobody keeps: it does not wait for the disk.
    ///
    /// # Errors
    /// As for [`Self::write_to`].
    pub fn write_in(&self, folder: &Folder) -> Result<(), ProjectWriteError> {
        write(folder, &self.steps().collect::<Vec<_>>())
    }

    /// Takes the change back below `root`; the reverse of [`Self::write_to`], with the same care.
    ///
    /// # Errors
    /// A file is not what [`Self::write_to`] made of it, or cannot be written.
    pub fn revert(&self, root: &Path) -> Result<(), ProjectWriteError> {
        let folder = Folder::open(root).map_err(ProjectWriteError::Root)?;
        write_durably(&folder, "", &self.steps().map(Step::reversed).collect::<Vec<_>>())
    }

    fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        self.files.iter().map(|file| Step {
            path: &file.path,
            from: file.before.as_deref(),
            to: file.after.as_deref(),
        })
    }
}
