//! Whole functions, methods or classes in fences below a path.

use patchwright_replies::ValueChange;

use super::EditFormat;
use super::path_line::{PathLine, Paths, path_in};
use super::text::{Around, Fence, FormatError, Found, Line, lines};
use crate::edit::{Definition, Edit, Placement};

/// Languages of fences that hold no code of the project.
const OTHERS: [&str; 16] = [
    "bash",
    "sh",
    "shell",
    "console",
    "zsh",
    "terminal",
    "text",
    "txt",
    "plaintext",
    "output",
    "log",
    "diff",
    "patch",
    "json",
    "markdown",
    "md",
];

/// Reads all fences with code in a text.
pub(super) fn scan(text: &str, around: Around) -> Found {
    let lines = lines(text);
    let mut found = Found::default();
    let mut paths = Paths::default();
    let mut at = 0;
    while let Some(&line) = lines.get(at) {
        let first = at;
        at += 1;
        let Some(open) = Fence::of(line.text()) else {
            paths.see(line.text());
            continue;
        };
        let length = lines[at..]
            .iter()
            .take_while(|line| !Fence::of(line.text()).is_some_and(|fence| fence.closes(&open)))
            .count();
        let body = &lines[at..at + length];
        let closed = lines.get(at + length).copied();
        at += length + 1;
        if is_other(open.info) {
            continue;
        }
        paths.see(line.text());
        let (own, body) = own_path(body);
        let fault = match (paths.take(own, around.file), closed) {
            (None, _) => Some(FormatError::no_file(line)),
            (Some(file), None) => Some(FormatError::cut(line, Some(&file.path), text)),
            (Some(file), Some(_)) => {
                if file.of_other_fence {
                    found.mended(line, ValueChange::PathOfBlockBefore);
                }
                if let Some(edit) = edit(file.path, body) {
                    found.add(&lines[first..at], edit, EditFormat::Function);
                }
                None
            }
        };
        if fault.is_some() {
            found.fault = fault;
            return found;
        }
    }
    found
}

fn is_other(info: &str) -> bool {
    let language = info.split([' ', ':', '{']).next().unwrap_or_default().to_ascii_lowercase();
    OTHERS.contains(&language.as_str())
}

/// The path in a comment in the first line of a fence, and the lines of the code.
fn own_path<'l, 't>(body: &'l [Line<'t>]) -> (Option<String>, &'l [Line<'t>]) {
    match body.split_first() {
        Some((first, rest)) => match path_in(first.text()) {
            Some(PathLine { path, heading: true }) => (Some(path), rest),
            Some(_) | None => (None, body),
        },
        None => (None, body),
    }
}

fn edit(file_path: String, body: &[Line]) -> Option<Edit> {
    let code: String = body.iter().flat_map(|line| [line.text(), "\n"]).collect();
    let definition = Definition { name: None, code, place: Placement::Same };
    let empty = definition.code.trim().is_empty();
    (!empty).then(|| Edit { file_path, definitions: vec![definition], ..Edit::default() })
}
