//! The unified diffs of benchmarks, applied to the letter.
//!
//! What models write is applied with tolerance by `patchwright_code`; what a benchmark says of a revision has to fit
//! exactly, wherever its lines have moved to, or its data is not for that revision.

mod names;
mod parse;
mod write;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path};

pub use parse::PatchSyntaxError;

/// The leading parts of names that `git diff` (1) and Subversion (0) write, and one folder more (2); in this order.
pub const STRIPS: &[usize] = &[1, 0, 2];

/// A unified diff of any number of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    files: Vec<FilePatch>,
}

/// What a diff says of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FilePatch {
    /// The name before, as written; `None` where the file is made.
    old: Option<String>,
    /// The name after, as written; `None` where the file goes.
    new: Option<String>,
    hunks: Vec<Hunk>,
    binary: bool,
    /// The file before stays where it is.
    copied: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Hunk {
    /// The line at which it begins before and after, from 1; of an empty side the line before it.
    old_start: usize,
    new_start: usize,
    lines: Vec<Line>,
}

/// A line of a hunk, with its line feed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    mark: Mark,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Same,
    Removed,
    Added,
}

/// Why a diff does not apply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// A name leads out of the folder, or has too few parts.
    #[error("`{0}` is not the name of a file in the folder")]
    Name(String),
    /// A file that it changes is not there.
    #[error("there is no file `{0}`")]
    Missing(String),
    /// A file that it makes is there.
    #[error("the file `{0}` exists already")]
    Exists(String),
    /// The lines of a hunk stand nowhere.
    #[error("`{file}` does not have the lines of the hunk for line {line}")]
    Hunk {
        /// The file.
        file: String,
        /// The line that the hunk names.
        line: usize,
    },
    /// It changes a file that is no text.
    #[error("`{0}` is binary, and what changes in it is not in the diff")]
    Binary(String),
    /// A line cannot be written in the file's encoding.
    #[error("a line for `{0}` cannot be written in ISO-8859-1, in which the file is")]
    Encoding(String),
    /// The disk.
    #[error("`{file}`: {message}")]
    Disk {
        /// The file.
        file: String,
        /// What the system says.
        message: String,
    },
}

/// Files by name as a diff leaves them; `None` for those that go.
pub type Changes = BTreeMap<String, Option<Vec<u8>>>;

impl Patch {
    /// Reads a diff. What stands between the files, such as the head of a mail, is skipped.
    ///
    /// # Errors
    /// A hunk has other lines than it says; the quotes of a name do not end.
    pub fn parse(bytes: &[u8]) -> Result<Self, PatchSyntaxError> {
        parse::parse(bytes)
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// What it makes of the files of `root`. Nothing is written.
    ///
    /// # Errors
    /// The first thing that does not fit.
    pub fn changes(&self, root: &Path, strip: usize) -> Result<Changes, PatchError> {
        let mut changes = Changes::new();
        for file in &self.files {
            file.apply(root, strip, &mut changes)?;
        }
        Ok(changes)
    }

    /// Applies it to the files of `root`, and to none where one does not fit, with the first of [`STRIPS`] that fits.
    ///
    /// # Errors
    /// Why it does not fit in the way in which `git diff` names files.
    pub fn apply(&self, root: &Path) -> Result<(), PatchError> {
        // Files that are made could be made anywhere: only those that are there tell how names are written.
        let makes_all = self.files.iter().all(|file| file.old.is_none());
        let strips = if makes_all { &STRIPS[..1] } else { STRIPS };
        let mut first = None;
        for strip in strips {
            match self.changes(root, *strip) {
                Ok(changes) => return write_all(root, &changes),
                Err(error) => _ = first.get_or_insert(error),
            }
        }
        first.map_or(Ok(()), Err)
    }

    /// The diff that undoes this one.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { files: self.files.into_iter().map(FilePatch::reversed).collect() }
    }

    /// Gives each name the form `a/path`, where `place` says what the path is.
    #[must_use]
    pub fn with_names(mut self, place: impl Fn(&str) -> String) -> Self {
        for file in &mut self.files {
            for (name, prefix) in [(&mut file.old, "a/"), (&mut file.new, "b/")] {
                *name = name.as_deref().map(|name| format!("{prefix}{}", place(name)));
            }
        }
        self
    }

    /// Its text. Bytes that are not UTF-8 are read as ISO-8859-1, line by line; [`Patch::changes`] takes them back.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            file.write(&mut text);
        }
        text
    }
}

impl FilePatch {
    fn name(&self) -> String {
        self.new.as_ref().or(self.old.as_ref()).cloned().unwrap_or_default()
    }

    fn apply(&self, root: &Path, strip: usize, changes: &mut Changes) -> Result<(), PatchError> {
        if self.binary {
            return Err(PatchError::Binary(self.name()));
        }
        let stripped = |name: &Option<String>| {
            name.as_deref()
                .map(|name| stripped(name, strip).ok_or_else(|| PatchError::Name(name.to_owned())))
                .transpose()
        };
        let (old, new) = (stripped(&self.old)?, stripped(&self.new)?);
        let current = |name: &str, changes: &Changes| match changes.get(name) {
            Some(known) => Ok(known.clone()),
            None => read(root, name),
        };
        let before = match &old {
            Some(name) => current(name, changes)?.ok_or_else(|| PatchError::Missing(name.clone()))?,
            None => Vec::new(),
        };
        if let Some(name) = new.as_ref().filter(|_| new != old)
            && current(name, changes)?.is_some_and(|there| !(there.is_empty() && old.is_none()))
        {
            return Err(PatchError::Exists(name.clone()));
        }
        let name = new.as_ref().or(old.as_ref()).cloned().unwrap_or_default();
        let after = patched(&name, &before, &self.hunks)?;
        if let Some(gone) = old.filter(|old| new.as_ref() != Some(old) && !self.copied) {
            changes.insert(gone, None);
        }
        if let Some(new) = new {
            changes.insert(new, Some(after));
        }
        Ok(())
    }

    fn reversed(self) -> Self {
        if self.copied {
            // The copy goes, whatever is in it; where it came from is as it was.
            return Self { old: self.new, ..Self::default() };
        }
        Self {
            old: self.new,
            new: self.old,
            hunks: self.hunks.into_iter().map(Hunk::reversed).collect(),
            ..self
        }
    }
}

impl Hunk {
    fn side(&self, left_out: Mark) -> Vec<&Line> {
        self.lines.iter().filter(|line| line.mark != left_out).collect()
    }

    fn reversed(self) -> Self {
        let mut lines = Vec::with_capacity(self.lines.len());
        // Of each change, what goes is written before what comes.
        let mut added = Vec::new();
        for line in self.lines {
            match line.mark {
                Mark::Same => {
                    lines.append(&mut added);
                    lines.push(line);
                }
                Mark::Removed => added.push(Line { mark: Mark::Added, ..line }),
                Mark::Added => lines.push(Line { mark: Mark::Removed, ..line }),
            }
        }
        lines.append(&mut added);
        Self { old_start: self.new_start, new_start: self.old_start, lines }
    }
}

/// A file with its hunks worked in.
fn patched(name: &str, before: &[u8], hunks: &[Hunk]) -> Result<Vec<u8>, PatchError> {
    let utf8 = std::str::from_utf8(before).is_ok();
    let lines: Vec<&[u8]> = before.split_inclusive(|byte| *byte == b'\n').collect();
    let mut after = Vec::with_capacity(before.len());
    let mut done = 0;
    for hunk in hunks {
        let old = hunk.side(Mark::Added);
        let wanted = if old.is_empty() { hunk.old_start } else { hunk.old_start.saturating_sub(1) };
        let at = place(&lines, &old, wanted, done)
            .ok_or_else(|| PatchError::Hunk { file: name.to_owned(), line: hunk.old_start })?;
        after.extend(lines[done..at].concat());
        done = at;
        for line in &hunk.lines {
            match line.mark {
                // As it stands in the file, whatever the encoding of the diff.
                Mark::Same => after.extend_from_slice(lines[done]),
                Mark::Removed => {}
                Mark::Added => {
                    let bytes = encoded(&line.bytes, utf8);
                    after.extend_from_slice(&bytes.ok_or_else(|| PatchError::Encoding(name.to_owned()))?);
                }
            }
            done += usize::from(line.mark != Mark::Added);
        }
    }
    after.extend(lines[done..].concat());
    Ok(after)
}

/// Where the old lines of a hunk stand, from `least` on: nearest to the place that the hunk names.
fn place(lines: &[&[u8]], old: &[&Line], wanted: usize, least: usize) -> Option<usize> {
    let last = lines.len().checked_sub(old.len())?;
    let fits = |at: &usize| old.iter().zip(&lines[*at..]).all(|(line, there)| same(&line.bytes, there));
    let mut places: Vec<usize> = (least..=last).filter(fits).collect();
    places.sort_by_key(|at| at.abs_diff(wanted));
    places.first().copied()
}

fn same(one: &[u8], other: &[u8]) -> bool {
    one == other || decoded(one) == decoded(other)
}

/// A line as text: UTF-8, or else ISO-8859-1.
pub(crate) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()),
    }
}

/// A line in the encoding of its file.
fn encoded(line: &[u8], utf8: bool) -> Option<Cow<'_, [u8]>> {
    match (utf8, std::str::from_utf8(line)) {
        (true, Ok(_)) | (false, Err(_)) => Some(Cow::Borrowed(line)),
        (true, Err(_)) => Some(Cow::Owned(decoded(line).into_owned().into_bytes())),
        (false, Ok(text)) => text
            .chars()
            .map(|character| u8::try_from(u32::from(character)).ok())
            .collect::<Option<_>>()
            .map(Cow::Owned),
    }
}

/// A name without its leading parts; `None` where it has too few, or leads out.
fn stripped(name: &str, strip: usize) -> Option<String> {
    let parts: Vec<&str> = name.split('/').skip(strip).collect();
    let rest = parts.join("/");
    let inside = Path::new(&rest).components().all(|part| matches!(part, Component::Normal(_)));
    (inside && !rest.is_empty()).then_some(rest)
}

fn read(root: &Path, name: &str) -> Result<Option<Vec<u8>>, PatchError> {
    let path = root.join(name);
    let disk =
        |error: &std::io::Error| PatchError::Disk { file: name.to_owned(), message: error.to_string() };
    match path.canonicalize() {
        Ok(real) => {
            // A link could lead out of the folder.
            let root = root.canonicalize().map_err(|error| disk(&error))?;
            if !real.starts_with(root) {
                return Err(PatchError::Name(name.to_owned()));
            }
            fs::read(real).map(Some).map_err(|error| disk(&error))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(disk(&error)),
    }
}

fn write_all(root: &Path, changes: &Changes) -> Result<(), PatchError> {
    for (name, bytes) in changes {
        let path = root.join(name);
        let done = match bytes {
            Some(bytes) => {
                path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, bytes))
            }
            None => fs::remove_file(&path),
        };
        done.map_err(|error| PatchError::Disk { file: name.clone(), message: error.to_string() })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
