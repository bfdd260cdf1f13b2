//! Replacements whose texts stand in the file to the byte, written as they are written.
//!
//! What was found exactly is taken at its word: of all such replacements of a file together, the file that results says whether they can be
//! meant so. Only where they cannot, or where a text has lost its indentation as models' texts do, are other readings looked for.

use patchwright_syntax::{Language, new_syntax_error};

use crate::edit::Replacement;
use crate::line_numbers::Numbers;
use crate::lookalike::translated;
use crate::matching::{Lines, may_have_lost, with_plain_ends};
use crate::replace::{UNSIGNED, already_there, depths_of_brackets, refuse_placeholder, to_the_byte};
use crate::spliced::{Splice, spliced};

/// A replacement as it is written.
pub(crate) struct Plain {
    pub(crate) splice: Splice,
    /// What of it is read otherwise, as half a sentence.
    pub(crate) note: Option<String>,
}

/// Other readings of a replacement whose text the file does not contain, each with a note for the user.
pub(crate) fn variants(text: &str, replacement: &Replacement) -> impl Iterator<Item = (Replacement, String)> {
    let unsigned = replacement.unsigned().map(|unsigned| (unsigned, UNSIGNED.to_owned()));
    // The whole file is folded for the second, so only where the first does not fit.
    unsigned.into_iter().chain(std::iter::once_with(|| translated(text, replacement)).flatten())
}

/// All replacements of a file as they are written, in their order; `None` where one of them is no plain one, or where the file that results is
/// broken by them.
pub(crate) fn plain(
    text: &str,
    replacements: &[(Replacement, Numbers)],
    language: Option<Language>,
) -> Option<Vec<Plain>> {
    let file = Lines::new(text);
    let plain = |(replacement, numbers): &(Replacement, Numbers)| {
        if let Some(splice) = one(&file, replacement, *numbers, language) {
            return Some(Plain { splice, note: replacement.is_unsigned().then(|| UNSIGNED.to_owned()) });
        }
        variants(text, replacement).find_map(|(variant, note)| {
            Some(Plain { splice: one(&file, &variant, *numbers, language)?, note: Some(note) })
        })
    };
    let found: Vec<Plain> = replacements.iter().map(plain).collect::<Option<_>>()?;
    let splices: Vec<Splice> = found.iter().map(|plain| plain.splice.clone()).collect();
    let after = spliced(text, &in_order(&splices)?)?;
    let is_broken = language.is_some_and(|language| new_syntax_error(language, text, &after).is_some());
    (!is_broken && !found.is_empty()).then_some(found)
}

/// Splices by their places; `None` where two of them touch the same bytes, or stand at one place.
fn in_order(splices: &[Splice]) -> Option<Vec<Splice>> {
    let mut sorted = splices.to_vec();
    sorted.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let apart = |two: &[Splice]| two[0].range.end <= two[1].range.start && two[0].range != two[1].range;
    sorted.windows(2).all(apart).then_some(sorted)
}

/// A replacement at the only place where its text stands to the byte, but for the ends of lines.
fn one(
    file: &Lines,
    replacement: &Replacement,
    numbers: Numbers,
    language: Option<Language>,
) -> Option<Splice> {
    let Replacement { search, replace, whole_lines, line, all, .. } = replacement;
    if search.is_empty() || *all || search == replace {
        return None;
    }
    let raw = file.raw();
    let by_number = line.filter(|_| numbers.choose(search));
    if let Some(splice) = by_number.and_then(|line| to_the_byte(file, search, replace, line)) {
        return Some(splice);
    }
    let (at, windows) = only_place(raw, search, *whole_lines)?;
    let written = |text: &str| if windows { with_windows_ends(text) } else { text.to_owned() };
    let (old, new) = (written(search), written(replace));
    if already_there(file, search, replace, at)
        || language.is_some()
            && begins_line(raw, at)
            && may_have_lost(language, search.lines(), replace.lines())
    {
        return None;
    }
    let (search, replace) = (with_plain_ends(search), with_plain_ends(replace));
    let (lines, others): (Vec<&str>, Vec<&str>) = (search.lines().collect(), replace.lines().collect());
    refuse_placeholder(&lines, &others).ok()?;
    if depths_of_brackets(file, &lines).is_some() {
        return None;
    }
    Some(Splice { range: at..at + old.len(), text: new })
}

/// The only byte at which a text stands, and whether lines end there as on Windows.
fn only_place(raw: &str, text: &str, whole_lines: bool) -> Option<(usize, bool)> {
    let windows = with_windows_ends(text);
    let of = |text: &str, is_windows: bool| -> Vec<(usize, bool)> {
        let mut from = 0;
        let next = || {
            let at = from + raw.get(from..)?.find(text)?;
            from = at + raw[at..].chars().next().map_or(1, char::len_utf8);
            Some(at)
        };
        let fits = |at: &usize| stands(raw, *at, text, whole_lines);
        // Two are one too many.
        std::iter::from_fn(next).filter(fits).take(2).map(|at| (at, is_windows)).collect()
    };
    let mut places = of(text, false);
    if windows != text {
        places.extend(of(&windows, true));
    }
    let [(at, is_windows)] = places.as_slice() else { return None };
    let is_line = !text.contains('\n');
    let ends_so = || raw[*at..].split_inclusive('\n').next().is_some_and(|line| line.ends_with("\r\n"));
    Some((*at, *is_windows || is_line && ends_so()))
}

/// A text with the line ends of Windows, as far as it has others.
fn with_windows_ends(text: &str) -> String {
    with_plain_ends(text).replace('\n', "\r\n")
}

/// Whether a text may stand here: as whole lines, or so that its first line is not one without its indentation.
fn stands(raw: &str, at: usize, text: &str, whole_lines: bool) -> bool {
    let before = raw[..at].rsplit('\n').next().unwrap_or_default();
    let end = at + text.len();
    if whole_lines {
        // A line without an end is the last of its file.
        return before.is_empty() && (text.ends_with('\n') || end == raw.len());
    }
    before.is_empty() || !before.trim().is_empty() && !text.starts_with([' ', '\t'])
}

fn begins_line(raw: &str, at: usize) -> bool {
    raw[..at].is_empty() || raw[..at].ends_with('\n')
}
