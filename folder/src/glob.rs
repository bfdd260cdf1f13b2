//! The bounds of globs: those who compile them follow nested braces by calls, as deep as they go.

use globset::{Glob, GlobBuilder};
use thiserror::Error;

/// The longest glob, in bytes.
pub const LONGEST_GLOB: usize = 4 << 10;
/// The most braces of a glob that may lie in one another.
pub const DEEPEST_GLOB: usize = 16;

/// A glob is more than anybody writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum GlobTooLarge {
    /// It is too long.
    #[error("it is longer than {LONGEST_GLOB} bytes")]
    Long,
    /// Its braces lie too deep in one another.
    #[error("its braces are nested more than {DEEPEST_GLOB} deep")]
    Deep,
}

/// The most characters of a glob in an error.
pub const SHOWN_OF_GLOB: usize = 200;

/// A glob that a project, a model or a recording decides.
///
/// # Errors
/// It is not valid, or beyond the bounds of globs: the fault in words.
pub fn read_glob(glob: &str, stops_at_separators: bool) -> Result<Glob, String> {
    let glob = bounded_glob(glob).map_err(|error| error.to_string())?;
    let mut builder = GlobBuilder::new(glob);
    builder.literal_separator(stops_at_separators).build().map_err(|error| error.kind().to_string())
}

/// The glob itself, if it may be compiled. What a project, a model or a recording decides is asked here first.
///
/// # Errors
/// It is too long, or nested too deep.
pub fn bounded_glob(glob: &str) -> Result<&str, GlobTooLarge> {
    if glob.len() > LONGEST_GLOB {
        return Err(GlobTooLarge::Long);
    }
    let mut depth = 0_usize;
    let mut in_class = false;
    let mut characters = glob.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if !in_class => drop(characters.next()),
            '[' if !in_class => {
                in_class = true;
                characters.next_if(|next| matches!(next, '!' | '^'));
                characters.next_if_eq(&']');
            }
            ']' => in_class = false,
            // Counts in a class too: one that nothing ends is none, and what follows it is read.
            '{' => depth += 1,
            '}' if !in_class => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST_GLOB {
            return Err(GlobTooLarge::Deep);
        }
    }
    Ok(glob)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_is_neither_longer_nor_deeper_than_its_bounds() {
        let nested = |depth: usize| format!("{}a{}", "{".repeat(depth), "}".repeat(depth));
        let check = |glob: &str, expect: Result<(), GlobTooLarge>| {
            assert_eq!(bounded_glob(glob).map(drop), expect, "{glob:.99}");
        };
        check("**/{a,b}/[!]{}]*.{js,ts}", Ok(()));
        check(&nested(DEEPEST_GLOB), Ok(()));
        check(&nested(DEEPEST_GLOB + 1), Err(GlobTooLarge::Deep));
        check(&nested(10 * DEEPEST_GLOB), Err(GlobTooLarge::Deep));
        check(&"{a,b}".repeat(LONGEST_GLOB / 5), Ok(()));
        check(&"\\{".repeat(LONGEST_GLOB / 2), Ok(()));
        check(&"a".repeat(LONGEST_GLOB + 1), Err(GlobTooLarge::Long));
        check(&nested(10 * LONGEST_GLOB), Err(GlobTooLarge::Long));
        // What ends no brace.
        for word in ["{\\}", "{[}]", "{[!]}]", "{[]}]", "{[\\]\\}"] {
            check(&word.repeat(10 * DEEPEST_GLOB), Err(GlobTooLarge::Deep));
        }
        // What nothing ends.
        check(&format!("[{}", "{}".repeat(10 * DEEPEST_GLOB)), Err(GlobTooLarge::Deep));
    }
}
