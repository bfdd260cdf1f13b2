//! The blocks of SWT-Bench: `diff`, a path, `rewrite` or `insert`, a place, code, `end diff`.

use patchwright_replies::ValueChange;

use super::EditFormat;
use super::error::FormatProblem;
use super::path_line::path_in;
use super::text::{Around, FormatError, Found, Line, lines};
use crate::edit::{Definition, Edit, Placement};

const BEGIN: &str = "diff";
const END: &str = "end diff";

/// What a block does with its code.
#[derive(Clone, Copy)]
enum Deed {
    Rewrite,
    Insert,
}

/// Reads all blocks in a text.
pub(super) fn scan(text: &str, around: Around) -> Found {
    let lines = lines(text);
    let mut found = Found::default();
    let mut at = 0;
    while at < lines.len() {
        if !begins(&lines[at..]) {
            at += 1;
            continue;
        }
        match block(&lines, at, &mut found, text, around) {
            Ok(next) => at = next,
            Err(fault) => {
                found.fault = Some(fault);
                return found;
            }
        }
    }
    found
}

/// Whether a block begins: the line alone is also a word, so the lines below it count too.
fn begins(lines: &[Line]) -> bool {
    let [first, rest @ ..] = lines else { return false };
    if first.raw.trim() != BEGIN {
        return false;
    }
    match rest {
        [path, word, ..] => deed(word.text()).is_some() || is_path(path),
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

fn deed(word: &str) -> Option<Deed> {
    let word = word.trim();
    if word.eq_ignore_ascii_case("rewrite") {
        Some(Deed::Rewrite)
    } else {
        word.eq_ignore_ascii_case("insert").then_some(Deed::Insert)
    }
}

fn place(deed: Deed, text: &str) -> Option<Placement> {
    let text = text.trim();
    let (start, end) = (text.eq_ignore_ascii_case("BOF"), text.eq_ignore_ascii_case("EOF"));
    let number = || text.parse::<u32>().ok();
    match deed {
        Deed::Rewrite if start || end => Some(Placement::Same),
        Deed::Rewrite => number().map(Placement::SameNear),
        Deed::Insert if start => Some(Placement::Start),
        Deed::Insert if end => Some(Placement::End),
        Deed::Insert => number().map(Placement::Near),
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
    let unknown = || FormatProblem::UnknownWord { found: word.text().trim().to_owned() };
    let deed = match deed(word.text()) {
        Some(deed) => deed,
        None if lines.len() == at + 3 && !word.is_whole() && !around.complete => return Err(cut()),
        None => return Err(FormatError::flaw(word, file, unknown())),
    };
    let position = position.filter(Line::is_whole).ok_or_else(cut)?;
    let place = place(deed, position.text()).ok_or_else(|| {
        let found = position.text().trim().to_owned();
        FormatError::flaw(position, file, FormatProblem::UnknownPlace { found })
    })?;
    let body = at + 4;
    let mut end = body;
    while end < lines.len() && lines[end].text().trim() != END && !begins(&lines[end..]) {
        end += 1;
    }
    let last = lines.get(end).copied().ok_or_else(cut)?;
    let ended = last.text().trim() == END;
    if !ended {
        found.mended(last, ValueChange::EndAdded);
    }
    let code: String = lines[body..end].iter().flat_map(|line| [line.text(), "\n"]).collect();
    if code.trim().is_empty() {
        return Err(FormatError::flaw(first, file, FormatProblem::NoCode));
    }
    let next = if ended { end + 1 } else { end };
    let definition = Definition { name: None, code, place };
    let file_path = file.unwrap_or_default().to_owned();
    let edit = Edit { file_path, definitions: vec![definition], ..Edit::default() };
    found.add(&lines[at..next], edit, EditFormat::Swt);
    Ok(next)
}
