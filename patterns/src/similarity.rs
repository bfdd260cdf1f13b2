//! The similarity of names: similar names are confused with each other.

use patchwright_syntax::words;

/// Words that are taken for each other because they belong together.
const OPPOSITES: &[(&str, &str)] = &[
    ("left", "right"),
    ("first", "last"),
    ("start", "end"),
    ("begin", "end"),
    ("min", "max"),
    ("low", "high"),
    ("lower", "upper"),
    ("width", "height"),
    ("row", "column"),
    ("rows", "columns"),
    ("x", "y"),
    ("next", "previous"),
    ("from", "to"),
    ("source", "target"),
    ("key", "value"),
    ("top", "bottom"),
    ("before", "after"),
    ("old", "new"),
    ("in", "out"),
    ("input", "output"),
    ("successor", "predecessor"),
    ("successors", "predecessors"),
    ("parent", "child"),
    ("head", "tail"),
];

/// The word that belongs to a word, if one does.
pub(crate) fn opposite(word: &str) -> Option<&'static str> {
    OPPOSITES.iter().find_map(|(one, other)| match word {
        _ if word == *one => Some(*other),
        _ if word == *other => Some(*one),
        _ => None,
    })
}

/// The similarity of two names, by their words and their beginnings: from 0 to 1.
pub(crate) fn similarity(left: &str, right: &str) -> f64 {
    let (one, other) = (NameWords::of(left), NameWords::of(right));
    let (one, other) = (one.as_slice(), other.as_slice());
    let shared = one.iter().filter(|word| other.iter().any(|known| alike(word, known))).count();
    let all = one.len() + other.len() - shared;
    let words = if all == 0 { 0.0 } else { shared as f64 / all as f64 };
    let (short, long) = if left.len() < right.len() { (left, right) } else { (right, left) };
    let begin = short.bytes().zip(long.bytes()).take_while(|(one, other)| one == other).count();
    let end = short.bytes().rev().zip(long.bytes().rev()).take_while(|(one, other)| one == other).count();
    let ends = begin.max(end) as f64 / long.len().max(1) as f64;
    // Counters and the like: `i` and `j`.
    let tiny = if left.len() <= 2 && right.len() <= 2 { 0.7 } else { 0.0 };
    let opposed =
        one.len() == other.len() && one.iter().zip(other).any(|(one, other)| are_opposites(one, other));
    let opposite = if opposed { 0.9 } else { 0.0 };
    words.max(ends).max(tiny).max(opposite)
}

/// Is true if two words are the same but for capitals.
fn alike(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
        || !(one.is_ascii() && other.is_ascii())
            && one.chars().flat_map(char::to_lowercase).eq(other.chars().flat_map(char::to_lowercase))
}

fn are_opposites(one: &str, other: &str) -> bool {
    let is = |left: &str, right: &str| one.eq_ignore_ascii_case(left) && other.eq_ignore_ascii_case(right);
    OPPOSITES.iter().any(|(left, right)| is(left, right) || is(right, left))
}

/// Words of a name that are looked at; what has more is an expression rather.
const MOST_WORDS: usize = 16;

/// The [`words`] of a name. Names are compared some million times for one plan, so nothing is allocated.
struct NameWords<'n> {
    words: [&'n str; MOST_WORDS],
    count: usize,
}

impl<'n> NameWords<'n> {
    fn of(name: &'n str) -> Self {
        let mut found = Self { words: [""; MOST_WORDS], count: 0 };
        for (place, word) in found.words.iter_mut().zip(words(name)) {
            *place = word;
            found.count += 1;
        }
        found
    }

    fn as_slice(&self) -> &[&'n str] {
        &self.words[..self.count]
    }
}

#[cfg(test)]
mod tests {
    use patchwright_syntax::subtokens;

    use super::*;

    #[test]
    fn names_are_split_as_everywhere() {
        for name in [
            "",
            "_",
            "getFullName",
            "__init__",
            "parseHTTPHeader",
            "XMLHttpRequest2",
            "UTF8Decoder",
            "v2_old",
            "toString()",
            "größeMax",
            "Ägypten",
            "a.b[c]",
            "i",
        ] {
            let words: Vec<String> =
                NameWords::of(name).as_slice().iter().map(|word| word.to_lowercase()).collect();
            assert_eq!(words, subtokens(name), "{name}");
        }
    }

    #[test]
    fn what_belongs_together_is_alike() {
        let check = |left: &str, right: &str, least: f64, most: f64| {
            let found = similarity(left, right);
            assert!((least..=most).contains(&found), "{left} {right}: {found}");
            assert!((found - similarity(right, left)).abs() < f64::EPSILON, "{left} {right}");
        };
        check("maxLen", "max_len", 1.0, 1.0);
        check("maxLen", "minLen", 0.9, 0.9);
        check("ÄpfelZahl", "äpfel_zahl", 1.0, 1.0);
        check("i", "j", 0.7, 0.7);
        check("width", "amount", 0.0, 0.2);
        check("", "", 0.7, 0.7);
    }
}
