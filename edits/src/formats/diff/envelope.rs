//! The envelope `*** Begin Patch`: hunks without numbers below `*** Update File: path`, and whole new files.

use super::super::error::FormatProblem;
use super::super::text::{FormatError, Line};
use super::head::{Head, Operation};
use super::{Reader, replacements};
use crate::edit::Edit;

/// The first line.
pub(super) const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

impl Reader<'_> {
    /// Reads the envelope that begins in a line and gives the line behind it.
    pub(super) fn envelope(&mut self, first: usize) -> Result<usize, FormatError> {
        let mut at = first + 1;
        while let Some(line) = self.line(at) {
            let text = line.text().trim_end();
            if text == END {
                return Ok(at + 1);
            }
            let part =
                |name: &str| text.strip_prefix("*** ")?.strip_prefix(name)?.strip_prefix(':').map(str::trim);
            at = if let Some(file) = part("Update File") {
                self.updated(at, file)?
            } else if let Some(file) = part("Add File") {
                self.added(at, file)?
            } else if let Some(file) = part("Delete File") {
                let edit = Edit { file_path: file.to_owned(), delete: true, ..Edit::default() };
                self.push(at, at + 1, edit);
                at + 1
            } else if text.is_empty() {
                at + 1
            } else {
                return Err(FormatError::flaw(line, None, FormatProblem::NoSign(text.to_owned())));
            };
        }
        if self.around.complete {
            return Ok(at);
        }
        Err(FormatError::cut(self.lines[first], None, self.text))
    }

    fn updated(&mut self, first: usize, file: &str) -> Result<usize, FormatError> {
        let mut at = first + 1;
        let rename_to = self.text_at(at).strip_prefix("*** Move to:").map(|path| path.trim().to_owned());
        at += usize::from(rename_to.is_some());
        let mut hunks = Vec::new();
        while let Some(line) = self.line(at).filter(|line| !is_part(line)) {
            // `@@`, maybe with the name of what is around; the first may be missing.
            let body = at + usize::from(line.raw.starts_with("@@"));
            let next = self.lines[body..].iter().position(|line| line.raw.starts_with("@@") || is_part(line));
            let next = next.map_or(self.lines.len(), |length| body + length);
            let hunk = self.body(body, next, file, &Head::default())?;
            if hunk.search.is_empty() && !hunk.replace.is_empty() {
                return Err(FormatError::flaw(line, Some(file), FormatProblem::NoPlace));
            }
            if !hunk.search.is_empty() {
                hunks.push(hunk);
            }
            at = next + usize::from(self.text_at(next).starts_with("*** End of File"));
        }
        if hunks.is_empty() && rename_to.is_none() {
            return Err(FormatError::flaw(self.lines[first], Some(file), FormatProblem::NoHunks));
        }
        let edit = Edit {
            file_path: file.to_owned(),
            replacements: replacements(hunks),
            rename_to,
            ..Edit::default()
        };
        self.push(first, at, edit);
        Ok(at)
    }

    fn added(&mut self, first: usize, file: &str) -> Result<usize, FormatError> {
        let next = self.lines[first + 1..].iter().position(is_part);
        let next = next.map_or(self.lines.len(), |length| first + 1 + length);
        let mut head = Head::default();
        head.operation = Operation::Create;
        let hunk = self.body(first + 1, next, file, &head)?;
        if !hunk.search.is_empty() {
            return Err(FormatError::flaw(self.lines[first], Some(file), FormatProblem::NotNew));
        }
        let edit = Edit { file_path: file.to_owned(), content: Some(hunk.replace), ..Edit::default() };
        self.push(first, next, edit);
        Ok(next)
    }

    /// The lines of a body; blank ones at its end do not count.
    fn body(&self, first: usize, mut next: usize, file: &str, of: &Head) -> Result<super::Hunk, FormatError> {
        while next > first && self.text_at(next - 1).is_empty() {
            next -= 1;
        }
        self.collected(first, next, file, of)
    }
}

/// Is true if a line begins or ends a part of an envelope.
fn is_part(line: &Line) -> bool {
    line.raw.starts_with("*** ")
}
