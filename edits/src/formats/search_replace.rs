//! Blocks of `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE` below a path.

use super::EditFormat;
use super::error::FormatProblem;
use super::path_line::{Paths, path_in};
use super::text::{Around, FormatError, Found, Line, lines};
use crate::edit::{Edit, Replacement};

/// The possible numbers of signs in a marker; seven are right.
const SIGNS: std::ops::RangeInclusive<usize> = 5..=9;

/// A line that belongs to the frame of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Marker<'t> {
    kind: Kind,
    indentation: &'t str,
    signs: usize,
    /// The text behind the word.
    rest: &'t str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Begin,
    Divider,
    End,
}

impl<'t> Marker<'t> {
    fn of(line: Line<'t>) -> Option<Self> {
        let indentation = line.indentation();
        let text = &line.text()[indentation.len()..];
        let sign = *text.as_bytes().first()?;
        let (kind, words): (Kind, &[&str]) = match sign {
            b'<' => (Kind::Begin, &["SEARCH", "ORIGINAL", "HEAD"]),
            b'=' => (Kind::Divider, &[]),
            b'>' => (Kind::End, &["REPLACE", "UPDATED"]),
            // Where markers of merge conflicts would be in the way.
            b'-' => (Kind::Begin, &["SEARCH"]),
            b'+' => (Kind::End, &["REPLACE"]),
            _ => return None,
        };
        let signs = text.bytes().take_while(|byte| *byte == sign).count();
        let rest = text[signs..].trim();
        if !SIGNS.contains(&signs) {
            return None;
        }
        let rest = match kind {
            Kind::Divider => rest.is_empty().then_some(rest),
            Kind::Begin | Kind::End => words.iter().find_map(|word| behind_word(rest, word)),
        }?;
        (kind == Kind::Begin || rest.is_empty()).then_some(Self { kind, indentation, signs, rest })
    }
}

/// The text behind a word, in capitals or not, that it begins with.
fn behind_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (first, rest) = text.split_at_checked(word.len())?;
    let ends = rest.chars().next().is_none_or(char::is_whitespace);
    (first.eq_ignore_ascii_case(word) && ends).then(|| rest.trim())
}

/// Reads all blocks in a text.
pub(super) fn scan(text: &str, around: Around) -> Found {
    Found::by(|found| {
        let lines = lines(text);
        let mut paths = Paths::default();
        let mut at = 0;
        while let Some(&line) = lines.get(at) {
            match Marker::of(line) {
                Some(begin) if begin.kind == Kind::Begin => {
                    let own = path_in(begin.rest).map(|own| own.path);
                    let file = found.path(&mut paths, line, own, around)?;
                    let (end, edit) = block(&lines, at, begin, &file, text)?;
                    found.add(&lines[at..=end], edit, EditFormat::SearchReplace);
                    at = end;
                }
                Some(end) if end.kind == Kind::End => {
                    return Err(FormatError::flaw(line, None, FormatProblem::NoBegin));
                }
                Some(_) | None => paths.see(line.text()),
            }
            at += 1;
        }
        Ok(())
    })
}

/// The block that begins in a line: its last line and the edit.
fn block(
    lines: &[Line],
    at: usize,
    begin: Marker,
    file: &str,
    text: &str,
) -> Result<(usize, Edit), FormatError> {
    let first = lines[at];
    let mut dividers = Vec::new();
    for (index, line) in lines.iter().enumerate().skip(at + 1) {
        // What is indented otherwise is part of the text.
        let Some(marker) = Marker::of(*line).filter(|marker| marker.indentation == begin.indentation) else {
            continue;
        };
        match marker.kind {
            Kind::Begin => {
                return Err(FormatError::flaw(first, Some(file), FormatProblem::NoEnd(line.number)));
            }
            Kind::Divider => dividers.push((index, marker.signs)),
            Kind::End => {
                let divider = divider(lines, &dividers, begin.signs, marker.signs)
                    .map_err(|flaw| FormatError::flaw(first, Some(file), flaw))?;
                let inside = [&lines[at + 1..divider], &lines[divider + 1..index]];
                return Ok((index, edit(file, inside, begin.indentation)));
            }
        }
    }
    Err(FormatError::cut(first, Some(file), text))
}

/// The line in the middle. A heading in reStructuredText looks the same; it is told by its length, or not at all.
fn divider(
    lines: &[Line],
    found: &[(usize, usize)],
    begin: usize,
    end: usize,
) -> Result<usize, FormatProblem> {
    match found {
        [(index, signs)] if signs.abs_diff(begin) <= 1 || *signs == end => Ok(*index),
        [] | [_] => Err(FormatProblem::NoDivider),
        _ => {
            let mut alike = found.iter().filter(|(_, signs)| *signs == begin);
            if let (Some((index, _)), None) = (alike.next(), alike.next()) {
                return Ok(*index);
            }
            let lines = found.iter().map(|(index, _)| lines[*index].number).collect();
            Err(FormatProblem::SeveralDividers(lines))
        }
    }
}

fn edit(file: &str, [search, replace]: [&[Line]; 2], indentation: &str) -> Edit {
    let fits = |line: &Line| line.is_blank() || line.raw.starts_with(indentation);
    let taken_off = if search.iter().chain(replace).all(fits) { indentation } else { "" };
    let (search, replace) = (joined(search, taken_off), joined(replace, taken_off));
    let file_path = file.to_owned();
    if search.is_empty() {
        return Edit { file_path, content: Some(replace), ..Edit::default() };
    }
    let replacement = Replacement { search, replace, whole_lines: true, ..Replacement::default() };
    Edit { file_path, replacements: vec![replacement], ..Edit::default() }
}

fn joined(lines: &[Line], indentation: &str) -> String {
    let mut text = String::new();
    for line in lines {
        let whole = line.text();
        // A blank line may be shorter than the indentation.
        text.push_str(whole.strip_prefix(indentation).unwrap_or_else(|| whole.trim_start()));
        text.push('\n');
    }
    text
}
