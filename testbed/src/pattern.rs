//! Constant regular expressions.

use std::sync::LazyLock;

use regex::Regex;

/// A constant regular expression, compiled when it is first used.
pub(crate) type Pattern = LazyLock<Regex>;

/// A [`Pattern`] of a text that stands in the source.
macro_rules! pattern {
    ($text:expr) => {
        ::std::sync::LazyLock::new(|| $crate::pattern::compiled($text))
    };
}
pub(crate) use pattern;

/// Compiles a pattern that stands in the source.
#[expect(clippy::expect_used, reason = "the patterns are constants, and the tests use every one of them")]
pub(crate) fn compiled(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern is valid")
}
