//! Constant regular expressions.

use std::sync::LazyLock;

use regex::Regex;

/// A constant regular expression, compiled when it is first used.
pub type Pattern = LazyLock<Regex>;

/// A [`Pattern`] of a text that stands in the source.
#[macro_export]
macro_rules! pattern {
    ($text:expr) => {
        ::std::sync::LazyLock::new(|| $crate::pattern::compiled($text))
    };
}
pub use pattern;

/// Compiles a pattern that stands in the source: [`pattern!`](crate::pattern!) calls it.
///
/// # Panics
/// The pattern is not valid.
#[expect(clippy::expect_used, reason = "the patterns are constants, and the tests use every one of them")]
pub fn compiled(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern is valid")
}
