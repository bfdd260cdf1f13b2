//! Unified diffs, as programs and models write them.

mod envelope;
mod head;
mod hunk;

use patchwright_replies::ValueChange;

use self::head::{Head, Operation, is_pair};
use self::hunk::{Hunk, is_hunk};
use super::EditFormat;
use super::error::FormatProblem;
use super::path_line::Paths;
use super::text::{Around, FormatError, Found, Line, lines};
use crate::edit::{Edit, NO_SIGN, Replacement};

/// The state that the parsers of the parts of a diff share.
struct Reader<'t> {
    text: &'t str,
    lines: Vec<Line<'t>>,
    around: Around<'t>,
    found: Found,
}

/// Reads all diffs in a text.
pub(super) fn scan(text: &str, around: Around) -> Found {
    let mut reader = Reader { text, lines: lines(text), around, found: Found::default() };
    let mut paths = Paths::new(around.project);
    let mut at = 0;
    while let Some(&line) = reader.lines.get(at) {
        match reader.at_line(at, &mut paths) {
            Ok(Some(next)) => at = next,
            Ok(None) => {
                paths.see(line.text());
                at += 1;
            }
            Err(fault) => {
                reader.found.fault = Some(fault);
                break;
            }
        }
    }
    reader.found
}

impl<'t> Reader<'t> {
    fn line(&self, at: usize) -> Option<Line<'t>> {
        self.lines.get(at).copied()
    }

    fn text_at(&self, at: usize) -> &'t str {
        self.lines.get(at).map_or("", Line::text)
    }

    /// Reads the part of a diff that begins in a line, if one does, and gives the line behind it.
    fn at_line(&mut self, at: usize, paths: &mut Paths) -> Result<Option<usize>, FormatError> {
        let Some(line) = self.line(at) else { return Ok(None) };
        let text = line.text();
        if text.starts_with("diff --cc ") || text.starts_with("diff --combined ") || text.starts_with("@@@ ")
        {
            return Err(FormatError::flaw(line, None, FormatProblem::Combined));
        }
        if text.trim_end() == envelope::BEGIN {
            return self.envelope(at).map(Some);
        }
        if text.starts_with("diff --git ") || is_pair(&self.lines, at) {
            return self.file(at).map(Some);
        }
        if !is_hunk(text) {
            return Ok(None);
        }
        // Hunks without the names of a file, below a path as other formats have it.
        let numbered = hunk::numbers(text).is_some();
        if !numbered && !self.looks_like_body(at + 1) {
            return Ok(None);
        }
        let Some(file) = paths.take(None, self.around.file) else { return Err(FormatError::no_file(line)) };
        let (hunks, next) = self.hunks(at, &file.path, &Head::default())?;
        let edit = Edit { file_path: file.path, replacements: replacements(hunks), ..Edit::default() };
        self.push(at, next, edit);
        Ok(Some(next))
    }

    fn looks_like_body(&self, at: usize) -> bool {
        self.text_at(at).starts_with(['+', '-', ' '])
    }

    fn push(&mut self, first: usize, next: usize, edit: Edit) {
        self.found.add(&self.lines[first..next], edit, EditFormat::Diff);
    }

    /// Reads the diff of one file.
    fn file(&mut self, at: usize) -> Result<usize, FormatError> {
        let line = self.lines[at];
        let (mut head, below) = self.head(at)?;
        let name = head.names().map_err(|flaw| FormatError::flaw(line, None, flaw))?;
        let named = |name: &String| !name.trim().is_empty();
        if !head.rename_to.as_ref().is_none_or(named) {
            return Err(FormatError::no_file(line));
        }
        let file = name.filter(named).ok_or_else(|| FormatError::no_file(line))?;
        let (hunks, next) = self.hunks(below, &file, &head)?;
        if head.converted {
            self.found.repaired(line, ValueChange::LineEndsRepaired);
        }
        if head.mode_changed {
            self.found.repaired(line, ValueChange::ModeIgnored);
        }
        if hunks.is_empty() && !head.stands_alone() {
            if head.mode_changed {
                return Ok(next);
            }
            let cut = next >= self.lines.len() && !self.around.complete;
            return Err(if cut {
                FormatError::cut(line, Some(&file), self.text)
            } else {
                FormatError::flaw(line, Some(&file), FormatProblem::NoHunks)
            });
        }
        if head.operation == Operation::Create && hunks.iter().any(|hunk| !hunk.search.is_empty()) {
            return Err(FormatError::flaw(line, Some(&file), FormatProblem::NotNew));
        }
        self.push(at, next, edit(head, file, hunks));
        Ok(next)
    }

    /// Reads the hunks from a line on.
    fn hunks(&mut self, mut at: usize, file: &str, of: &Head) -> Result<(Vec<Hunk>, usize), FormatError> {
        let mut hunks = Vec::new();
        loop {
            // Blank lines between hunks may be unchanged lines that lost their sign.
            let blank =
                self.lines[at.min(self.lines.len())..].iter().take_while(|line| line.text().is_empty());
            let head = at + blank.count();
            if head >= self.lines.len() || !is_hunk(self.text_at(head)) {
                return Ok((hunks, at));
            }
            let (hunk, next) = self.hunk(head, file, of)?;
            hunks.push(hunk);
            at = next;
        }
    }
}

fn edit(head: Head, file_path: String, hunks: Vec<Hunk>) -> Edit {
    if head.operation == Operation::Create {
        let content = hunks.into_iter().map(|hunk| hunk.replace).collect();
        return Edit { file_path, content: Some(content), ..Edit::default() };
    }
    let (replacements, delete) = (replacements(hunks), head.operation == Operation::Delete);
    Edit { file_path, replacements, delete, rename_to: head.rename_to, ..Edit::default() }
}

fn replacements(hunks: Vec<Hunk>) -> Vec<Replacement> {
    let replacement = |hunk: Hunk| Replacement {
        search: hunk.search,
        replace: hunk.replace,
        whole_lines: true,
        line: hunk.line,
        all: false,
        signs: if hunk.signs.contains([' ', NO_SIGN]) { hunk.signs } else { String::new() },
    };
    hunks.into_iter().map(replacement).collect()
}
