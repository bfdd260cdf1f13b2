//! Edits in tags: `<file>path</file>`, `<original>code</original>`, `<patched>code</patched>`, with or without a frame around each.

use super::EditFormat;
use super::error::FormatProblem;
use super::fence::Fence;
use super::path_line::{Paths, path_in};
use super::text::{Around, FormatError, Found, Line, lines};
use crate::edit::{Edit, Replacement};

/// The tag that begins an edit.
pub(super) const OPEN: &str = "<original>";
const CLOSE: &str = "</original>";
const OPEN_NEW: &str = "<patched>";
const CLOSE_NEW: &str = "</patched>";
const FILE: (&str, &str) = ("<file>", "</file>");

/// Reads all edits in a text. The tags begin a line, or stand behind one another.
pub(super) fn scan(text: &str, around: Around) -> Found {
    Found::by(|found| {
        let lines = lines(text);
        let mut paths = Paths::new(around.project);
        let mut at = 0;
        while let Some(&line) = lines.get(at) {
            at += 1;
            let begins = ["<", "```", "~~~"].iter().any(|mark| line.text().trim_start().starts_with(mark));
            let own = path(line.text());
            let Some(open) = line.text().find(OPEN).filter(|_| begins) else {
                paths.see(own.unwrap_or(line.text()));
                continue;
            };
            let own = own.and_then(path_in).map(|own| own.path);
            let file = found.path(&mut paths, line, own, around)?;
            let begin = line.start + open + OPEN.len();
            let cut = || FormatError::cut(line, Some(&file), text);
            let behind = begin + text[begin..].find(OPEN_NEW).ok_or_else(cut)?;
            let old = text[begin..behind].trim_end().strip_suffix(CLOSE).filter(|old| !old.contains(OPEN));
            let old = old.ok_or_else(|| FormatError::flaw(line, Some(&file), FormatProblem::NoPatched))?;
            let behind = behind + OPEN_NEW.len();
            let length = text[behind..].find(CLOSE_NEW).ok_or_else(cut)?;
            let new = &text[behind..behind + length];
            // A new text that holds the tags has no clear end.
            let rest = &text[behind + length + CLOSE_NEW.len()..];
            let between = &rest[..rest.find(OPEN).unwrap_or(rest.len())];
            if between.contains(CLOSE_NEW) || new.contains(OPEN_NEW) {
                return Err(FormatError::flaw(line, Some(&file), FormatProblem::SeveralTags));
            }
            let next = lines.partition_point(|line| line.start < behind + length + CLOSE_NEW.len());
            found.add(&lines[at - 1..next], edit(&file, old, new), EditFormat::SearchReplace);
            at = next;
        }
        Ok(())
    })
}

/// What stands between the tags of a file.
fn path(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(FILE.0)?;
    rest.split_once(FILE.1).map(|(path, _)| path.trim())
}

fn edit(file: &str, old: &str, new: &str) -> Edit {
    let (search, replace) = (code(old), code(new));
    let file_path = file.to_owned();
    if search.trim().is_empty() {
        return Edit { file_path, content: Some(replace), ..Edit::default() };
    }
    let replacement = Replacement { search, replace, whole_lines: true, ..Replacement::default() };
    Edit { file_path, replacements: vec![replacement], ..Edit::default() }
}

/// The lines between two tags; the tags may stand on lines of their own, and a fence around the code.
fn code(inner: &str) -> String {
    let mut lines = lines(inner);
    if lines.len() > 1 && lines.first().is_some_and(Line::is_blank) {
        lines.remove(0);
    }
    if lines.last().is_some_and(|last| last.is_blank() && !last.is_whole()) {
        lines.pop();
    }
    let fences = lines.first().zip(lines.last()).filter(|_| lines.len() > 1);
    let fences = fences.and_then(|(first, last)| Fence::of(first.text()).zip(Fence::of(last.text())));
    if fences.is_some_and(|(open, close)| close.closes(&open)) {
        lines.pop();
        lines.remove(0);
    }
    super::text::code(&lines)
}
