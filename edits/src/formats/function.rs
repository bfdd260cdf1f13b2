//! Whole functions, methods or classes in fences below a path.

use super::EditFormat;
use super::fence::Fence;
use super::path_line::{Paths, path_in};
use super::text::{Around, FormatError, Found, Line, code, lines};
use crate::edit::{Definition, Edit, Placement};

/// Languages of fences that hold no code of the project.
const OTHERS: &[&str] = &[
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
    Found::by(|found| {
        let lines = lines(text);
        let mut paths = Paths::new(around.project);
        let mut at = 0;
        while let Some(&line) = lines.get(at) {
            let first = at;
            at += 1;
            let Some(open) = Fence::of(line.text()) else {
                paths.see(line.text());
                continue;
            };
            let closes = |line: &Line| Fence::of(line.text()).is_some_and(|fence| fence.closes(&open));
            let close = lines[at..].iter().position(closes).map(|length| at + length);
            let body = &lines[at..close.unwrap_or(lines.len())];
            at = close.unwrap_or(lines.len()) + 1;
            if is_other(open.info) {
                continue;
            }
            paths.see(line.text());
            let (own, body) = own_path(body);
            let file = found.path(&mut paths, line, own, around)?;
            if close.is_none() {
                return Err(FormatError::cut(line, Some(&file), text));
            }
            if let Some(edit) = edit(file, body) {
                found.add(&lines[first..at], edit, EditFormat::Function);
            }
        }
        Ok(())
    })
}

fn is_other(info: &str) -> bool {
    let language = info.split([' ', ':', '{']).next().unwrap_or_default().to_ascii_lowercase();
    OTHERS.contains(&language.as_str())
}

/// The path in a comment in the first line of a fence, and the lines of the code.
fn own_path<'l, 't>(body: &'l [Line<'t>]) -> (Option<String>, &'l [Line<'t>]) {
    let path = body.first().and_then(|first| path_in(first.text())).filter(|path| path.heading);
    path.map_or((None, body), |path| (Some(path.path), &body[1..]))
}

fn edit(file_path: String, body: &[Line]) -> Option<Edit> {
    let definition = Definition { name: None, code: code(body), place: Placement::Same };
    let empty = definition.code.trim().is_empty();
    (!empty).then(|| Edit { file_path, definitions: vec![definition], ..Edit::default() })
}
