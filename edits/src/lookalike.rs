//! Signs that look alike: blanks, dashes and quotes of typography, the ellipsis, letters with their marks apart or together, and what has no width.
//! Models write the plain ones for those that a file has.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use patchwright_syntax::line_number;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use unicode_normalization::UnicodeNormalization as _;

use crate::edit::Replacement;
use crate::matching::with_plain_ends;

/// The most signs of a text that is compared with its replacement sign by sign.
const LONGEST: usize = 20_000;
/// The most signs that are named.
const NAMED: usize = 6;

/// A text with plain signs for all that look like them, and for each of its bytes the byte of the text that it comes from.
struct Folded {
    text: String,
    from: Vec<usize>,
}

impl Folded {
    fn of(text: &str) -> Self {
        let mut folded =
            Self { text: String::with_capacity(text.len()), from: Vec::with_capacity(text.len() + 1) };
        for (at, letter) in text.char_indices() {
            match letter {
                // The file's line ends are no difference.
                '\r' if text[at..].starts_with("\r\n") => {}
                _ if letter.is_ascii() => folded.text.push(letter),
                '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => {}
                '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
                    folded.text.push(' ');
                }
                '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => {
                    folded.text.push('-');
                }
                '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{ff07}' => folded.text.push('\''),
                '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ff02}' => folded.text.push('"'),
                '\u{2026}' => folded.text.push_str("..."),
                _ => folded.text.extend([letter].into_iter().nfd()),
            }
            folded.from.resize(folded.text.len(), at);
        }
        folded.from.push(text.len());
        folded
    }

    /// The byte of the text for one of the folded text, if a sign begins there.
    fn origin(&self, folded: usize) -> Option<usize> {
        let at = *self.from.get(folded)?;
        let begins = folded == 0 || self.from.get(folded - 1) != Some(&at) || folded == self.text.len();
        begins.then_some(at)
    }
}

/// The lines, counted from 1, at which a text occurs in a file except that some characters only look alike.
pub(crate) fn lines_alike(file: &str, search: &str) -> Vec<u32> {
    let (whole, wanted) = (Folded::of(file), Folded::of(&with_plain_ends(search)));
    if wanted.text.trim().is_empty() {
        return Vec::new();
    }
    let line = |at: usize| {
        let own = file.get(whole.origin(at)?..whole.origin(at + wanted.text.len())?)?;
        let is_line = at == 0 || whole.text[..at].ends_with('\n');
        (is_line && with_plain_ends(own) != with_plain_ends(search))
            .then(|| line_number(whole.text[..at].matches('\n').count()))
    };
    whole.text.match_indices(&wanted.text).filter_map(|(at, _)| line(at)).collect()
}

/// The code points of look-alike characters that only one of two lines contains; `None` if there are none.
pub(crate) fn difference(own: &str, written: &str) -> Option<String> {
    let is_folded = |text: &str| Folded::of(text).text != text;
    let signs = |text: &str| text.chars().filter(|sign| !sign.is_ascii()).collect::<BTreeSet<char>>();
    let differ = (is_folded(own) || is_folded(written)) && signs(own) != signs(written);
    differ.then(|| named(own, written))
}

/// The replacement in the characters of the file, if its text stands at exactly one place there in characters that look alike. What it does not
/// change keeps the file's characters. The second value is a note for the user.
pub(crate) fn translated(file: &str, replacement: &Replacement) -> Option<(Replacement, String)> {
    let (search, replace) = (with_plain_ends(&replacement.search), with_plain_ends(&replacement.replace));
    let (whole, wanted) = (Folded::of(file), Folded::of(&search));
    if wanted.text.trim().is_empty() || whole.text == file && wanted.text == search {
        return None;
    }
    let mut places = whole.text.match_indices(&wanted.text);
    let (Some((at, _)), None) = (places.next(), places.next()) else { return None };
    let (start, end) = (whole.origin(at)?, whole.origin(at + wanted.text.len())?);
    let own = file.get(start..end)?;
    let (old, new): (Vec<char>, Vec<char>) = (search.chars().collect(), replace.chars().collect());
    if with_plain_ends(own) == search || old.len().max(new.len()) > LONGEST {
        return None;
    }
    // For each sign of the text, the byte of the file at which its counterpart begins.
    let mut counterparts = Vec::with_capacity(old.len() + 1);
    let mut folded = 0;
    for (byte, _) in search.char_indices() {
        while wanted.from.get(folded).is_some_and(|from| *from < byte) {
            folded += 1;
        }
        counterparts.push(whole.origin(at + folded));
    }
    counterparts.push(Some(end));
    let mut text = String::new();
    for operation in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let (old, new_range) = (operation.old_range(), operation.new_range());
        let kept = || file.get(counterparts[old.start]?..counterparts[old.end]?);
        match kept().filter(|_| operation.tag() == DiffTag::Equal) {
            Some(kept) => text.push_str(kept),
            None => text.extend(&new[new_range]),
        }
    }
    if own.contains("\r\n") {
        text = with_plain_ends(&text).replace('\n', "\r\n");
    }
    let translated =
        Replacement { search: own.to_owned(), replace: text, signs: String::new(), ..replacement.clone() };
    Some((translated, format!("found with other signs that look alike: {}", named(own, &search))))
}

/// The signs that only one of two texts has, by their numbers.
fn named(own: &str, written: &str) -> String {
    let signs = |text: &str| text.chars().filter(|sign| !sign.is_ascii()).collect::<BTreeSet<char>>();
    let (own, written) = (signs(own), signs(written));
    let told = |signs: Vec<&char>| {
        signs.into_iter().take(NAMED).fold(String::new(), |mut told, sign| {
            let _ = write!(told, "{}U+{:04X}", if told.is_empty() { "" } else { ", " }, u32::from(*sign));
            told
        })
    };
    let (own, written) = (told(own.difference(&written).collect()), told(written.difference(&own).collect()));
    match (own.is_empty(), written.is_empty()) {
        (false, true) => format!("the file has {own}"),
        (true, false) => format!("the text has {written}"),
        (_, _) => format!("the file has {own}, the text {written}"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_changed_keeps_the_signs_of_the_file() {
        let check = |file: &str, search: &str, replace: &str, expect: Option<&str>| {
            let replacement = Replacement {
                search: search.to_owned(),
                replace: replace.to_owned(),
                ..Replacement::default()
            };
            let found =
                translated(file, &replacement).map(|(found, _)| file.replace(&found.search, &found.replace));
            assert_eq!(found.as_deref(), expect, "{file:?} {search:?}");
        };
        check("a\u{a0}kg = 1\n", "a kg = 1\n", "a kg = 2\n", Some("a\u{a0}kg = 2\n"));
        check("pages 1\u{2013}5\n", "pages 1-5", "pages 1-5, 7-9", Some("pages 1\u{2013}5, 7-9\n"));
        check(
            "it\u{2019}s \u{201c}so\u{201d}\n",
            "it's \"so\"",
            "it's \"not so\"",
            Some("it\u{2019}s \u{201c}not so\u{201d}\n"),
        );
        check("wait\u{2026} x\n", "wait... x", "wait... y", Some("wait\u{2026} y\n"));
        check("Zoe\u{308} = 1\n", "Zo\u{eb} = 1", "Zo\u{eb} = 2", Some("Zoe\u{308} = 2\n"));
        check("Zo\u{eb} = 1\n", "Zoe\u{308} = 1", "Zoe\u{308} = 2", Some("Zo\u{eb} = 2\n"));
        check("a\u{200b}b = 1\n", "ab = 1", "ab = 2", Some("a\u{200b}b = 2\n"));
        check("if n:\n    x\n", "\u{a0}   x\n", "\u{a0}   y\n", Some("if n:\n    y\n"));
        check("a\r\nb \u{2013} c\r\n", "b - c\n", "b - d\ne\n", Some("a\r\nb \u{2013} d\r\ne\r\n"));
        check("a\r\nb\r\n", "a\nb\n", "c\n", None);
        // Twice, not at all, to the letter, a part of a sign.
        check("a\u{a0}b a\u{2009}b\n", "a b", "c", None);
        check("a\u{a0}b\n", "a  b", "c", None);
        check("a b\n", "a b", "c", None);
        check("a\u{2026}b\n", "a.", "c", None);
    }

    #[test]
    fn signs_are_told_by_their_numbers() {
        let replacement =
            Replacement { search: "1-5".to_owned(), replace: "1-6".to_owned(), ..Replacement::default() };
        let (_, told) = translated("1\u{2013}5\n", &replacement).unwrap();
        assert_eq!(told, "found with other signs that look alike: the file has U+2013");
    }
}
