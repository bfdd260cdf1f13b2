//! How alike names are: what is alike is taken for each other.

use patchwright_code::subtokens;

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

/// How alike two names are, by their words and their beginnings: from 0 to 1.
pub(crate) fn likeness(left: &str, right: &str) -> f64 {
    let (one, other) = (subtokens(left), subtokens(right));
    let shared = one.iter().filter(|word| other.contains(word)).count();
    let all = one.len() + other.len() - shared;
    let words = if all == 0 { 0.0 } else { shared as f64 / all as f64 };
    let (short, long) = if left.len() < right.len() { (left, right) } else { (right, left) };
    let begin = short.bytes().zip(long.bytes()).take_while(|(one, other)| one == other).count();
    let end = short.bytes().rev().zip(long.bytes().rev()).take_while(|(one, other)| one == other).count();
    let ends = begin.max(end) as f64 / long.len().max(1) as f64;
    // Counters and the like: `i` and `j`.
    let tiny = if left.len() <= 2 && right.len() <= 2 { 0.7 } else { 0.0 };
    let opposite = if one.len() == other.len()
        && one.iter().zip(&other).any(|(one, other)| opposite(one) == Some(other))
    {
        0.9
    } else {
        0.0
    };
    words.max(ends).max(tiny).max(opposite)
}
