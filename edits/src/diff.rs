//! Unified diffs to the letter: those of git with all that their heads say, and those of other tools.
//!
//! Diffs of models are read with tolerance by [`crate::formats`]. Here a hunk holds the lines that its head counts, or the
//! diff is refused; what git writes without quoting names (`core.quotePath=false`) is written again byte by byte.

mod apply;
mod between;
mod names;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use apply::HunkError;
pub(crate) use between::{lines_of, unified};
pub(crate) use names::{pair, unquoted};
pub use read::{PatchSyntaxError, hunk_lengths};

/// A unified diff of any number of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// The files, in their order.
    pub files: Vec<FilePatch>,
}

/// The part of a diff that is about one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilePatch {
    /// The name before as written, without its quotes; `None` where the file is made.
    pub old: Option<String>,
    /// The name after as written, without its quotes; `None` where the file goes.
    pub new: Option<String>,
    /// The mode before, such as `0o100644`, where the diff says it.
    pub old_mode: Option<u32>,
    /// The mode after, where the diff says it.
    pub new_mode: Option<u32>,
    /// The way by which the file came to another name; `None` where git says nothing of it.
    pub transfer: Option<Transfer>,
    /// The similarity of both contents, in git's words: `similarity index 90%`.
    pub likeness: Option<String>,
    /// Git's names of the contents before and after.
    pub blobs: Option<(String, String)>,
    /// The change of a file that is no text.
    pub binary: Option<Binary>,
    /// The changes of a text.
    pub hunks: Vec<Hunk>,
}

/// The way by which a file comes to another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// It moves.
    Rename,
    /// It also stays where it is.
    Copy,
}

/// The change of a file that is no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binary {
    /// Only that there is one.
    Differs,
    /// Git's lines that encode the content after, and those for the content before.
    Data(Vec<Vec<u8>>),
}

/// Lines of a file that change, with those around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// The number of its first line before the change, from 1; where it has none, of the line that follows.
    pub old_line: u32,
    /// The same after the change.
    pub new_line: u32,
    /// The text behind the second `@@`.
    pub heading: Vec<u8>,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Is true if it is there before and after.
    pub mark: Mark,
    /// The line with its line feed, which the last line of a file may lack.
    pub bytes: Vec<u8>,
}

/// When a line of a hunk is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Before and after.
    Same,
    /// Before.
    Removed,
    /// After.
    Added,
}

/// Lines that are replaced in one place, without any that stays between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<'a> {
    /// The number of the first removed line before the change, or of the line before which lines are added.
    pub old_line: u32,
    /// The removed lines, with their line feeds.
    pub removed: Vec<&'a [u8]>,
    /// The added lines, with their line feeds.
    pub added: Vec<&'a [u8]>,
}

impl Patch {
    /// Reads a diff. What stands between the files, such as the head of a mail, is skipped.
    ///
    /// # Errors
    /// The first line that cannot be read: a hunk has other lines than it says, the quotes of a name do not end.
    pub fn parse(bytes: &[u8]) -> Result<Self, PatchSyntaxError> {
        let (patch, error) = read::read(bytes);
        error.map_or(Ok(patch), Err)
    }

    /// Reads as much as can be read of a diff that may be cut off or wrong in places.
    pub fn readable(bytes: &[u8]) -> Self {
        read::read(bytes).0
    }

    /// Is true if it changes no content: a diff that only changes modes is empty too.
    pub fn is_empty(&self) -> bool {
        !self.files.iter().any(FilePatch::changes_content)
    }

    /// The diff that undoes this one.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { files: self.files.into_iter().map(FilePatch::reversed).collect() }
    }
}

impl FilePatch {
    /// Is true if it changes more than the mode.
    pub fn changes_content(&self) -> bool {
        !self.hunks.is_empty() || self.binary.is_some() || self.old_path() != self.new_path()
    }

    /// The path before, without the prefix of git.
    pub fn old_path(&self) -> Option<&str> {
        self.path(self.old.as_deref())
    }

    /// The path after, without the prefix of git.
    pub fn new_path(&self) -> Option<&str> {
        self.path(self.new.as_deref())
    }

    /// The prefixes of git differ, so that of two equal names none has any.
    fn path<'a>(&self, name: Option<&'a str>) -> Option<&'a str> {
        let bare = |name: &'a str| names::PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix));
        name.map(|name| bare(name).filter(|_| self.old != self.new).unwrap_or(name))
    }

    fn reversed(self) -> Self {
        if self.transfer == Some(Transfer::Copy) {
            // The copy goes, whatever is in it; where it came from is as it was.
            return Self { old: self.new, old_mode: self.new_mode, ..Self::default() };
        }
        let binary = self.binary.map(|binary| match binary {
            Binary::Data(blocks) => Binary::Data(blocks.into_iter().rev().collect()),
            Binary::Differs => Binary::Differs,
        });
        Self {
            old: self.new,
            new: self.old,
            binary,
            old_mode: self.new_mode,
            new_mode: self.old_mode,
            blobs: self.blobs.map(|(before, after)| (after, before)),
            hunks: self.hunks.into_iter().map(Hunk::reversed).collect(),
            ..self
        }
    }
}

impl Hunk {
    /// Its changes, from above.
    pub fn changes(&self) -> Vec<Change<'_>> {
        let mut changes = Vec::new();
        let mut old_line = self.old_line;
        for run in self.lines.chunk_by(|one, other| (one.mark == Mark::Same) == (other.mark == Mark::Same)) {
            let of = |mark: Mark| -> Vec<&[u8]> {
                run.iter().filter(|line| line.mark == mark).map(|line| line.bytes.as_slice()).collect()
            };
            let (same, removed, added) = (of(Mark::Same), of(Mark::Removed), of(Mark::Added));
            let next = old_line.saturating_add((same.len() + removed.len()) as u32);
            if same.is_empty() {
                changes.push(Change { old_line, removed, added });
            }
            old_line = next;
        }
        changes
    }

    /// The lines that are there before the change, or after it.
    fn side(&self, other: Mark) -> Vec<&[u8]> {
        self.lines.iter().filter(|line| line.mark != other).map(|line| line.bytes.as_slice()).collect()
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
        Self { old_line: self.new_line, new_line: self.old_line, lines, ..self }
    }
}
