//! The docstring of a definition.

use patchwright_syntax::{Language, Span};

/// Lines of a definition in which its docstring begins, behind all parameters.
const MOST_HEAD: u32 = 60;

/// The docstring of several lines that a definition begins with, where its language has docstrings. `rows` are the lines of the file,
/// `lines` those of the definition.
pub fn docstring(language: Language, rows: &[&str], lines: Span) -> Option<Span> {
    if !language.entry().docstrings {
        return None;
    }
    let row = |number: u32| rows.get(number as usize - 1).map_or("", |row| row.trim());
    let quote = |row: &str| {
        let begins = |quote: &&str| row.trim_start_matches(['r', 'R']).starts_with(*quote);
        ["\"\"\"", "'''"].into_iter().find(begins)
    };
    let last_head = lines.last.min(lines.first + MOST_HEAD);
    let (first, mark) = (lines.first..=last_head).find_map(|number| Some((number, quote(row(number))?)))?;
    // Other texts in the code begin a line, too; only a docstring follows the colon that ends the head.
    let before = (lines.first..first).rev().map(row).find(|row| !row.is_empty())?;
    if !before.ends_with(':') || row(first).matches(mark).count() > 1 {
        return None;
    }
    let last = (first + 1..lines.last).find(|number| row(*number).contains(mark))?;
    Some(Span { first, last })
}
