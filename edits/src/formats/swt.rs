//! The blocks of SWT-Bench: `diff`, a path, `rewrite` or `insert`, a place, code, `end diff`.

use patchwright_replies::ValueChange;

use super::EditFormat;
use super::error::FormatProblem;
use super::path_line::path_in;
use super::text::{Around, FormatError, Found, Line, code, lines};
use crate::edit::{Definition, Edit, Placement};

const BEGIN: &str = "diff";
const END: &str = "end diff";

/// The use that a block makes of its code.
#[derive(Clone, Copy)]
enum Operation {
    Rewrite,
    Insert,
}

/// Reads all blocks in a text.
pub(super) fn scan(text: &str, around: Around) -> Found {
    Found::by(|found| {
        let lines = lines(text);
        let mut at = 0;
        while at < lines.len() {
            at = if begins(&lines[at..]) { block(&lines, at, found, text, around)? } else { at + 1 };
        }
        Ok(())
    })
}

/// Is true if a block begins: the line alone is also a word, so the lines below it count too.
fn begins(lines: &[Line]) -> bool {
    let [first, rest @ ..] = lines else { return false };
    if first.raw.trim() != BEGIN {
        return false;
    }
    match rest {
        [path, word, ..] => operation(word.text()).is_some() || is_path(path),
        [path] => is_path(path),
        [] => false,
    }
}

fn is_path(line: &Line) -> bool {
    path_in(line.text()).is_some()
}

fn file_of(line: &Line) -> String {
    path_in(line.text()).map_or_else(|| line.text().trim().to_owned(), |found| found.path)
}

fn operation(word: &str) -> Option<Operation> {
    let word = word.trim();
    if word.eq_ignore_ascii_case("rewrite") {
        Some(Operation::Rewrite)
    } else {
        word.eq_ignore_ascii_case("insert").then_some(Operation::Insert)
    }
}

fn place(operation: Operation, text: &str) -> Option<Placement> {
    let text = text.trim();
    let (start, end) = (text.eq_ignore_ascii_case("BOF"), text.eq_ignore_ascii_case("EOF"));
    let number = || text.parse::<u32>().ok();
    match operation {
        Operation::Rewrite if start || end => Some(Placement::Same),
        Operation::Rewrite => number().map(Placement::SameNear),
        Operation::Insert if start => Some(Placement::Start),
        Operation::Insert if end => Some(Placement::End),
        Operation::Insert => number().map(Placement::Near),
    }
}

/// Reads the block that begins in a line and gives the line behind it.
fn block(
    lines: &[Line],
    at: usize,
    found: &mut Found,
    text: &str,
    around: Around,
) -> Result<usize, FormatError> {
    let first = lines[at];
    let [path, word, position] = [1, 2, 3].map(|below| lines.get(at + below).copied());
    let file = path.map(|line| file_of(&line));
    let file = file.as_deref();
    let cut = || FormatError::cut(first, file, text);
    let word = word.ok_or_else(cut)?;
    let unknown = || FormatProblem::UnknownWord(word.text().trim().to_owned());
    let operation = match operation(word.text()) {
        Some(operation) => operation,
        None if lines.len() == at + 3 && !word.is_whole() && !around.complete => return Err(cut()),
        None => return Err(FormatError::flaw(word, file, unknown())),
    };
    let position = position.filter(Line::is_whole).ok_or_else(cut)?;
    let place = place(operation, position.text()).ok_or_else(|| {
        FormatError::flaw(position, file, FormatProblem::UnknownPlace(position.text().trim().to_owned()))
    })?;
    let body = at + 4;
    let ends = |at: &usize| lines[*at].text().trim() == END || begins(&lines[*at..]);
    let end = (body..lines.len()).find(ends).ok_or_else(cut)?;
    let last = lines[end];
    let ended = last.text().trim() == END;
    if !ended {
        found.repaired(last, ValueChange::EndAdded);
    }
    let file_path =
        file.filter(|file| !file.is_empty()).ok_or_else(|| FormatError::no_file(first))?.to_owned();
    let code = code(&lines[body..end]);
    if code.trim().is_empty() {
        return Err(FormatError::flaw(first, file, FormatProblem::NoCode));
    }
    let next = if ended { end + 1 } else { end };
    let definition = Definition { name: None, code, place };
    let edit = Edit { file_path, definitions: vec![definition], ..Edit::default() };
    found.add(&lines[at..next], edit, EditFormat::Swt);
    Ok(next)
}
