//! What a fix does: the files before and after.

use std::path::Path;

use crate::diff::unified;
use crate::language::Language;
use crate::normal::{normal_form, text_of};
use crate::path::ProjectPath;
use crate::write::{Step, WriteError, write};

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

/// A fix worked out but not yet written anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The files that change, sorted by path, each once.
    pub files: Vec<FileChange>,
    /// What was done differently from what the edits say, for whoever wrote them.
    pub notes: Vec<String>,
    /// Whether only comments, docstrings or formatting change.
    pub comment_only: bool,
}

impl FileChange {
    /// Whether the file does the same as before: only comments, docstrings or formatting differ.
    pub fn is_comment_only(&self) -> bool {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => {
                let language = Language::of_path(self.path.as_path());
                normal_form(language, before) == normal_form(language, after)
            }
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }
}

impl Applied {
    /// The change as a unified diff in git's form, as text to show and to store. Files that are not UTF-8 are shown as
    /// the text that they hold; [`Self::diff_bytes`] keeps their bytes.
    pub fn diff(&self) -> String {
        let mut diff = String::new();
        for FileChange { path, before, after } in &self.files {
            let before = before.as_deref().map(text_of);
            let after = after.as_deref().map(text_of);
            let bytes = unified(
                path,
                before.as_ref().map(|text| text.as_bytes()),
                after.as_ref().map(|text| text.as_bytes()),
            );
            diff.push_str(&text_of(&bytes));
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
    /// otherwise. 64 hexadecimal digits.
    pub fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for file in self.files.iter().filter(|file| !file.is_comment_only()) {
            let language = Language::of_path(file.path.as_path());
            let form = file.after.as_deref().map(|after| normal_form(language, after));
            let form = form.as_deref();
            for part in
                [file.path.as_str(), if form.is_some() { "" } else { "deleted" }, form.unwrap_or_default()]
            {
                // Lengths first: no two lists of parts run together to the same bytes.
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part.as_bytes());
            }
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Writes the change below `root`, each file atomically with its permissions kept, and all or none: when one
    /// file cannot be written, those before it are put back.
    ///
    /// # Errors
    /// A file is not what it was when the fix was worked out, or cannot be written.
    pub fn write_to(&self, root: &Path) -> Result<(), WriteError> {
        write(root, &self.steps(|file| (file.before.as_deref(), file.after.as_deref())))
    }

    /// Takes the change back below `root`; the reverse of [`Self::write_to`], with the same care.
    ///
    /// # Errors
    /// A file is not what [`Self::write_to`] made of it, or cannot be written.
    pub fn revert(&self, root: &Path) -> Result<(), WriteError> {
        write(root, &self.steps(|file| (file.after.as_deref(), file.before.as_deref())))
    }

    fn steps<'a>(
        &'a self,
        direction: impl Fn(&'a FileChange) -> (Option<&'a [u8]>, Option<&'a [u8]>),
    ) -> Vec<Step<'a>> {
        let step = |file: &'a FileChange| {
            let (from, to) = direction(file);
            Step { path: &file.path, from, to }
        };
        self.files.iter().map(step).collect()
    }
}
