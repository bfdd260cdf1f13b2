//! Regular expressions that are compiled once.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::Regex;

/// A regular expression of this crate, compiled when it is used first. `\s` and `\S` have the official
/// parsers' notion of white space, which has four characters more than Unicode's.
#[derive(Debug)]
pub struct Pattern {
    text: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// The expression, not compiled yet.
    pub const fn new(text: &'static str) -> Self {
        Self { text, compiled: OnceLock::new() }
    }

    /// The compiled expression; none where its text is wrong, which is a defect of ours.
    pub fn regex(&self) -> Option<&Regex> {
        let compile = || {
            let text = self.text.replace(r"\s", r"[\s\x1c-\x1f]").replace(r"\S", r"[^\s\x1c-\x1f]");
            Regex::new(&text).ok()
        };
        let compiled = self.compiled.get_or_init(compile).as_ref();
        debug_assert!(compiled.is_some(), "this pattern does not compile: {}", self.text);
        compiled
    }

    /// Is true if it matches somewhere.
    pub fn finds(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    /// The first match that begins at `from` or later.
    pub fn find_from(&self, text: &str, from: usize) -> Option<std::ops::Range<usize>> {
        self.regex()?.find_at(text, from).map(|found| found.range())
    }

    /// The groups of the first match, all of which take part in it.
    pub fn groups<'text, const N: usize>(&self, text: &'text str) -> Option<[&'text str; N]> {
        let captures = self.regex()?.captures(text)?;
        let mut groups = [""; N];
        for (index, group) in groups.iter_mut().enumerate() {
            *group = captures.get(index + 1)?.as_str();
        }
        Some(groups)
    }

    /// The first group of all matches.
    pub fn all<'text>(&self, text: &'text str) -> impl Iterator<Item = &'text str> {
        let matches = self.regex().into_iter().flat_map(|regex| regex.captures_iter(text));
        matches.filter_map(|found| Some(found.get(1)?.as_str()))
    }

    /// The text without what matches.
    pub fn removed<'text>(&self, text: &'text str) -> Cow<'text, str> {
        self.regex().map_or(Cow::Borrowed(text), |regex| regex.replace_all(text, ""))
    }

    /// The parts between the matches.
    pub fn split<'text>(&self, text: &'text str) -> Vec<&'text str> {
        self.regex().map_or_else(|| vec![text], |regex| regex.split(text).collect())
    }
}
