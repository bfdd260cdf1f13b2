//! Keys that cannot be printed.

use std::fmt;

/// The text in place of a key.
const REMOVED: &str = "[key removed]";

/// The number of a key's first characters that give it away in a masked form (`sk-abc…`).
const TELLING_HEAD: usize = 8;

/// A key of fewer characters keeps nothing secret (a server on one's own machine takes any), and stands in words.
const SHORTEST: usize = 3;

/// A key. It has no `Display` and no `Serialize`, and its `Debug` says nothing about it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a key in; white space around it is not part of it.
    pub fn new(value: &str) -> Self {
        Self(value.trim().to_owned())
    }

    /// The value itself: for the request's header and for the list of what a log must not hold, nothing else.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// `text` without the key, whole or in the shortened forms that services echo (`sk-abc***xyz`).
    pub fn scrub(&self, text: &str) -> String {
        if self.0.chars().count() < SHORTEST {
            return text.to_owned();
        }
        let text = text.replace(&self.0, REMOVED);
        let Some((end, _)) = self.0.char_indices().nth(TELLING_HEAD) else { return text };
        let head = &self.0[..end];
        let mut scrubbed = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(start) = rest.find(head) {
            let tail = &rest[start..];
            let length = tail.find(|c: char| !is_key_character(c)).unwrap_or(tail.len()).max(head.len());
            scrubbed.push_str(&rest[..start]);
            scrubbed.push_str(REMOVED);
            rest = &tail[length..];
        }
        scrubbed.push_str(rest);
        scrubbed
    }
}

/// Characters of which keys, and the masks services put into them, are made.
fn is_key_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '*' | '•' | '…')
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(hidden)")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn scrub_removes_the_key_in_all_its_forms() {
        let secret = Secret::new(" sk-proj-abcdef123456\n");
        let check = |text: &str, expect: &str| assert_eq!(secret.scrub(text), expect, "{text}");
        check("nothing here", "nothing here");
        check("key sk-proj-abcdef123456.", "key [key removed].");
        check("provided: sk-proj-****3456. You can", "provided: [key removed]. You can");
        check("sk-proj-abcdef123456sk-proj-abcdef123456", "[key removed][key removed]");
        check("Bearer sk-proj-abcdef", "Bearer [key removed]");
        check("sk-other", "sk-other");
    }

    #[test]
    fn a_short_or_empty_key_is_still_removed_and_breaks_nothing() {
        assert_eq!(Secret::new("abc").scrub("xabcx"), "x[key removed]x");
        assert_eq!(Secret::new("").scrub("text"), "text");
        assert_eq!(Secret::new("x").scrub("an example"), "an example");
        assert_eq!(Secret::new("schlüssel-ä").scrub("ein schlüssel-ä hier"), "ein [key removed] hier");
    }

    #[test]
    fn debug_says_nothing() {
        assert_eq!(format!("{:?}", Secret::new("sk-proj-abcdef123456")), "Secret(hidden)");
    }
}
