//! A cache of the last results. Candidates for a fix differ in a line or two, so that most of what there is to find out about a long
//! file is found out again and again: what the file was, and what it became.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tree_sitter::Tree;

use crate::language::Language;
use crate::tree::input_edit;

/// The number of results of each kind that are kept.
const KEPT: usize = 6;
/// Shorter texts are parsed from the beginning in no time.
const SHORTEST: usize = 16 * 1024;

static TREES: Recent<(Language, Arc<str>, Tree)> = Recent::new();

/// The last results of some work, the latest first.
pub(crate) struct Recent<T>(Mutex<VecDeque<T>>);

impl<T> Recent<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(VecDeque::new()))
    }

    /// The first result that `find` takes, which becomes the latest.
    pub(crate) fn find<R>(&self, find: impl Fn(&T) -> Option<R>) -> Option<R> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, found) = kept.iter().enumerate().find_map(|(at, known)| Some((at, find(known)?)))?;
        let known = kept.remove(at)?;
        kept.push_front(known);
        Some(found)
    }

    pub(crate) fn keep(&self, result: T) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.truncate(KEPT - 1);
        kept.push_front(result);
    }
}

/// The tree of a text. One that is nearly that of the last is made from its tree, which takes a fraction of the time.
pub(crate) fn tree_of(language: Language, text: &str) -> Option<Tree> {
    if text.len() < SHORTEST {
        return language.parse(text);
    }
    let known = TREES.find(|(of, known, tree)| (*of == language && **known == *text).then(|| tree.clone()));
    if known.is_some() {
        return known;
    }
    let near = TREES.find(|(of, known, tree)| (*of == language).then(|| edited(tree, known, text)).flatten());
    // How a text with errors is read depends on where one comes from.
    let again = near.and_then(|near| language.parse_again(text, &near));
    let tree = match again.filter(|tree| !tree.root_node().has_error()) {
        Some(tree) => tree,
        None => language.parse(text)?,
    };
    TREES.keep((language, Arc::from(text), tree.clone()));
    Some(tree)
}

/// A tree that knows where its text became another; `None` where most of it did, or where it has errors.
fn edited(tree: &Tree, before: &str, after: &str) -> Option<Tree> {
    let most = before.len().min(after.len());
    let same =
        |one: &[u8], other: &[u8]| one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let mut start = same(before.as_bytes(), after.as_bytes());
    while !(before.is_char_boundary(start) && after.is_char_boundary(start)) {
        start -= 1;
    }
    let mut end = before.as_bytes()[start..]
        .iter()
        .rev()
        .zip(after.as_bytes()[start..].iter().rev())
        .take_while(|(one, other)| one == other)
        .count();
    while !(before.is_char_boundary(before.len() - end) && after.is_char_boundary(after.len() - end)) {
        end -= 1;
    }
    if start + end < most - most / 4 || tree.root_node().has_error() {
        return None;
    }
    let mut tree = tree.clone();
    tree.edit(&input_edit(before, start..before.len() - end, &after[start..after.len() - end]));
    Some(tree)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_made_from_the_last_is_the_same_as_one_made_anew() {
        let language = Language::by_name("python").unwrap();
        let mut text = String::new();
        for number in 0..2_000 {
            text.push_str(&format!("def größe_{number}(a, b):\n    return a + b * {number}\n\n"));
        }
        let check = |text: &str| {
            let (found, anew) = (tree_of(language, text).unwrap(), language.parse(text).unwrap());
            assert_eq!(found.root_node().to_sexp(), anew.root_node().to_sexp());
            let ends = |tree: &Tree| {
                tree.root_node().descendant_for_byte_range(9_000, 9_001).map(|node| node.byte_range())
            };
            assert_eq!(ends(&found), ends(&anew));
        };
        check(&text);
        for (from, to) in [
            ("a + b * 77\n", "a - b * 77\n"),
            ("return a + b * 900\n", "if a:\n        return b\n    return ä\n"),
            ("größe_5(", "grüße_5("),
            ("b * 100\n", "b * (100\n"),
            ("def größe_1999", "x = 1\ndef größe_1999"),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text);
            check(&changed);
            check(&text);
        }
        check("");
    }
}
