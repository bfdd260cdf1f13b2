//! The lines of a text with edits, and what parsers of it give back.

use std::ops::Range;

use patchwright_replies::{Repair, ValueChange, end_of};
use patchwright_syntax::Project;

use super::EditFormat;
use super::error::{ErrorLocation, FormatProblem, ReadingError};
use super::fence::indentation;
use super::path_line::Paths;
use crate::edit::Edit;

/// A line of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    /// The line with its end.
    pub raw: &'t str,
    /// The byte at which it begins.
    pub start: usize,
    /// Its number, from 1.
    pub number: u32,
}

impl<'t> Line<'t> {
    /// The line without its end, which may be `\r\n`.
    pub fn text(&self) -> &'t str {
        let line = self.raw.strip_suffix('\n').unwrap_or(self.raw);
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// Is true if its end is there.
    pub fn is_whole(&self) -> bool {
        self.raw.ends_with('\n')
    }

    pub fn is_blank(&self) -> bool {
        self.raw.trim().is_empty()
    }

    pub fn end(&self) -> usize {
        self.start + self.raw.len()
    }

    /// The blanks before its text.
    pub fn indentation(&self) -> &'t str {
        indentation(self.text())
    }
}

pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .zip(1..)
        .map(|(raw, number)| {
            let line = Line { raw, start, number };
            start = line.end();
            line
        })
        .collect()
}

/// The texts of lines, each ended by `\n`.
pub(super) fn code(lines: &[Line]) -> String {
    lines.iter().flat_map(|line| [line.text(), "\n"]).collect()
}

/// The context of a text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around<'t> {
    /// The file that edits without a path are for.
    pub file: Option<&'t str>,
    /// Is true if the text is known to end where it was meant to end.
    pub complete: bool,
    /// The project that the edits are for.
    pub project: Option<&'t Project>,
}

/// An edit that was found in a text.
#[derive(Debug)]
pub(super) struct Block {
    /// The bytes where it stands.
    pub span: Range<usize>,
    pub edit: Edit,
    pub format: EditFormat,
}

/// The findings of a parser in a text.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub blocks: Vec<Block>,
    pub repairs: Vec<Repair>,
    /// The first thing that could not be read, and where; nothing was read behind it.
    pub fault: Option<FormatError>,
}

impl Found {
    /// Reads with `scan`, which ends where something cannot be read.
    pub fn by(scan: impl FnOnce(&mut Self) -> Result<(), FormatError>) -> Self {
        let mut found = Self::default();
        found.fault = scan(&mut found).err();
        found
    }

    /// The byte of the first edit or fault.
    pub fn start(&self) -> Option<usize> {
        let block = self.blocks.first().map(|block| block.span.start);
        block.into_iter().chain(self.fault.as_ref().map(|fault| fault.at)).min()
    }

    /// Adds an edit that stands in these lines.
    pub fn add(&mut self, lines: &[Line], edit: Edit, format: EditFormat) {
        if let (Some(first), Some(last)) = (lines.first(), lines.last()) {
            self.blocks.push(Block { span: first.start..last.end(), edit, format });
        }
    }

    /// The path for the block that begins in a line, which may name its `own`.
    pub fn path(
        &mut self,
        paths: &mut Paths,
        line: Line,
        own: Option<String>,
        around: Around,
    ) -> Result<String, FormatError> {
        let block = paths.take(own, around.file).ok_or_else(|| FormatError::no_file(line))?;
        if block.of_other_fence {
            self.repaired(line, ValueChange::PathOfBlockBefore);
        }
        Ok(block.path)
    }

    /// Notes something that was repaired in a line.
    pub fn repaired(&mut self, line: Line, change: ValueChange) {
        self.repairs.push(Repair::Line { line: line.number, change });
    }
}

/// The reason for which a parser stopped.
#[derive(Debug)]
pub(super) struct FormatError {
    pub at: usize,
    pub error: ReadingError,
}

impl FormatError {
    /// An edit that is not as its format wants it.
    pub fn flaw(line: Line, file: Option<&str>, problem: FormatProblem) -> Self {
        let spot = ErrorLocation::line(line.number, file);
        Self { at: line.start, error: ReadingError::Flawed { spot, problem } }
    }

    /// An edit without a file.
    pub fn no_file(line: Line) -> Self {
        Self { at: line.start, error: ReadingError::NoFile(ErrorLocation::line(line.number, None)) }
    }

    /// The text ends within the edit that begins at `line`.
    pub fn cut(line: Line, file: Option<&str>, text: &str) -> Self {
        let spot = ErrorLocation::line(line.number, file);
        Self { at: line.start, error: ReadingError::Cut { spot, after: end_of(text.trim_end()) } }
    }
}
