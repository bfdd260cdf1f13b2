//! Blocks of `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE` below a path.

use super::EditFormat;
use super::error::FormatProblem;
use super::path_line::{Paths, path_in};
use super::text::{Around, FormatError, Found, Line, code, lines};
use crate::edit::{Edit, Replacement};
use crate::matching::with_plain_ends;

/// The possible numbers of signs in a marker; seven are right.
const SIGNS: std::ops::RangeInclusive<usize> = 5..=9;

/// The word behind the first marker of a merge conflict. Some models begin blocks with it.
const CONFLICT: &str = "HEAD";

/// A line that belongs to the frame of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Marker<'t> {
    kind: Kind,
    indentation: &'t str,
    signs: usize,
    /// Whether it may be a marker of a merge conflict.
    may_be_conflict: bool,
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
            b'<' => (Kind::Begin, &["SEARCH", "ORIGINAL", CONFLICT]),
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
        let may_be_conflict = text[signs..].trim_start().starts_with(CONFLICT);
        let is_marker = kind == Kind::Begin || rest.is_empty();
        is_marker.then_some(Self { kind, indentation, signs, may_be_conflict, rest })
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
        let mut paths = Paths::new(around.project);
        let mut at = 0;
        while let Some(&line) = lines.get(at) {
            match Marker::of(line) {
                Some(begin) if begin.kind == Kind::Begin => {
                    let own = path_in(begin.rest).map(|own| own.path);
                    let file = found.path(&mut paths, line, own, around)?;
                    let (end, edit) = block(&lines, at, begin, &file, text, around)?;
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
    around: Around,
) -> Result<(usize, Edit), FormatError> {
    let first = lines[at];
    let mut dividers = Vec::new();
    for (index, line) in lines.iter().enumerate().skip(at + 1) {
        // What is indented otherwise is part of the text.
        let Some(marker) = Marker::of(*line).filter(|marker| marker.indentation == begin.indentation) else {
            continue;
        };
        match marker.kind {
            // The block edits a file that holds conflict markers.
            Kind::Begin if marker.may_be_conflict && !begin.may_be_conflict => {}
            Kind::Begin => {
                return Err(FormatError::flaw(first, Some(file), FormatProblem::NoEnd(line.number)));
            }
            Kind::Divider => dividers.push((index, marker.signs)),
            Kind::End => {
                let told = divider(lines, &dividers, begin.signs, marker.signs).or_else(|flaw| {
                    let own = if dividers.len() > 1 { file_of(around, file) } else { None };
                    own.and_then(|own| divider_by_file(lines, at, &dividers, &own)).ok_or(flaw)
                });
                let divider = told.map_err(|flaw| FormatError::flaw(first, Some(file), flaw))?;
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

/// The text of the file that a block is for.
fn file_of(around: Around, file: &str) -> Option<String> {
    let project = around.project?;
    let path = project.resolve(file).ok()?.path;
    project.read(&path).ok().map(|source| with_plain_ends(source.text()).into_owned() + "\n")
}

/// The divider for which the text to find occurs in the file. If there are several, the last one: a file does not contain a text with a line of
/// `=======` by chance.
fn divider_by_file(lines: &[Line], begin: usize, found: &[(usize, usize)], own: &str) -> Option<usize> {
    let stands = |divider: &usize| {
        let search = code(&lines[begin + 1..*divider]);
        !search.is_empty() && (own.starts_with(&search) || own.contains(&format!("\n{search}")))
    };
    found.iter().rev().map(|(index, _)| *index).find(stands)
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
