//! A short look ahead at what follows a place in the text.

use super::doubtful_quotes::is_empty_text;
use super::frame::Frame;
use super::missing_tokens::fence;
use super::parser::{Mode, Parser};
use super::strings::StringRole;

/// Known keys are not longer than this, in bytes; so that no long text is compared with them.
const LONGEST_KEY: usize = 200;

/// The number of commas in a row that are skipped.
const MOST_COMMAS: usize = 3;

/// The degree to which what follows a quote fits to the end of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// It does not fit: the quote is inside the string.
    No,
    /// It fits, but text might look the same.
    Weak,
    /// Text would hardly look like this.
    Strong,
}

/// The next thing after closing brackets or a comma.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next<'t> {
    /// The text ends.
    End,
    /// A quoted key with its colon.
    Key { name: &'t str, comma: bool },
    /// An opening bracket.
    Open,
    /// A quoted text; `list` when a comma or `]` comes after it.
    Text { list: bool, comma: bool },
    /// A number or a literal.
    Word,
    /// Anything else.
    Other,
}

/// The item at `at`, after blanks and commas.
pub(super) fn next_item(text: &str, at: usize) -> Next<'_> {
    let bytes = text.as_bytes();
    let first = blanks(bytes, at);
    let at = over_commas(bytes, first);
    let comma = at > first;
    match bytes.get(at) {
        None => Next::End,
        Some(b'{' | b'[') => Next::Open,
        Some(b'"' | b'\'') => {
            let Some(end) = quoted_end(bytes, at) else { return Next::Other };
            let after = blanks(bytes, end + 1);
            match bytes.get(after) {
                Some(b':') => Next::Key { name: &text[at + 1..end], comma },
                Some(b',' | b']') => Next::Text { list: true, comma },
                _ => Next::Text { list: false, comma },
            }
        }
        Some(b'0'..=b'9' | b'-') if comma => Next::Word,
        Some(_) => Next::Other,
    }
}

/// The key without quotes that comes at `at`, after blanks and a comma, with its colon.
pub(super) fn unquoted_key(text: &str, at: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    let first = blanks(bytes, at);
    let start = over_commas(bytes, first);
    let word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let length = bytes[start..].iter().take(LONGEST_KEY).take_while(word).count();
    let colon = bytes.get(blanks(bytes, start + length)) == Some(&b':');
    (start > first && length > 0 && colon).then(|| &text[start..start + length])
}

/// The first key of the object that comes at `at`, after blanks and commas.
pub(super) fn first_key(text: &str, at: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    let at = over_commas(bytes, blanks(bytes, at));
    if bytes.get(at) != Some(&b'{') {
        return None;
    }
    let Next::Key { name, comma: false } = next_item(text, at + 1) else { return None };
    Some(name)
}

/// Is true if, after a comma, a list comes that begins with a text or a number.
pub(super) fn list_follows(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let first = blanks(bytes, at);
    let list = over_commas(bytes, first);
    list > first
        && bytes.get(list) == Some(&b'[')
        && matches!(bytes.get(blanks(bytes, list + 1)), Some(b'"' | b'\'' | b'0'..=b'9'))
}

/// Over commas and the blanks after them.
fn over_commas(bytes: &[u8], mut at: usize) -> usize {
    for _ in 0..MOST_COMMAS {
        if bytes.get(at) != Some(&b',') {
            break;
        }
        at = blanks(bytes, at + 1);
    }
    at
}

/// The first byte at or after `at` that is not blank.
pub(super) fn blanks(bytes: &[u8], at: usize) -> usize {
    find(bytes, at, |byte| !byte.is_ascii_whitespace())
}

/// The first byte at or after `at` of this kind; the end of the text if there is none.
pub(super) fn find(bytes: &[u8], at: usize, fits: impl Fn(&u8) -> bool) -> usize {
    bytes[at.min(bytes.len())..].iter().position(fits).map_or(bytes.len(), |n| at + n)
}

/// The closing quote of the quoted text that begins at `at`, on the same line.
pub(super) fn quoted_end(bytes: &[u8], at: usize) -> Option<usize> {
    let quote = bytes[at];
    let mut end = at + 1;
    loop {
        match *bytes.get(end)? {
            b'\n' => return None,
            b'\\' => end += 2,
            byte if byte == quote => return Some(end),
            _ => end += 1,
        }
    }
}

/// Is true if a number or literal stands at `at`, followed by something that separates.
fn word_follows(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+' | b'_');
    let end = find(bytes, at, |byte| !in_word(byte));
    let word = &text[at..end];
    let literal = ["true", "false", "null", "True", "False", "None"].contains(&word);
    let number = word.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let after = bytes.get(blanks(bytes, end));
    (literal || number) && matches!(after, None | Some(b',' | b']' | b'}' | b')'))
}

impl Parser<'_, '_> {
    /// Judges by the text after the quote at `quote` if it is the end of a string at `place`.
    pub(super) fn fit(&self, quote: usize, place: StringRole) -> Fit {
        if self.mode != Mode::Lenient || place == StringRole::Key {
            return Fit::Strong;
        }
        let bytes = self.text.as_bytes();
        let begin = blanks(bytes, quote + 1);
        let at = self.over_comment(begin);
        if at > begin && begin == quote + 1 && bytes[begin..at].contains(&bytes[quote]) {
            // `"s = "// c";"`
            return Fit::No;
        }
        let new_line = bytes[quote..at].contains(&b'\n');
        match bytes.get(at) {
            None => Fit::Strong,
            Some(b')') if !self.stack.iter().any(|frame| matches!(frame, Frame::Tuple { .. })) => Fit::No,
            Some(b'}' | b']' | b')') => self.fit_of_closers(at),
            Some(b',') => self.fit_after_comma(at + 1, place == StringRole::Member, true),
            Some(_) if place == StringRole::Element && self.empty_text_at(quote) => Fit::No,
            Some(b'"' | b'\'') => match (place, self.key_at(at)) {
                (_, Some(true)) if new_line => Fit::Strong,
                (_, Some(true)) => Fit::Weak,
                (place, key) if new_line && (key.is_some() || place != StringRole::Member) => Fit::Weak,
                (StringRole::Member, _) => Fit::No,
                (StringRole::Element | StringRole::Key, _) => {
                    let text = matches!(next_item(self.text, at), Next::Text { list: true, .. });
                    if text { Fit::Weak } else { Fit::No }
                }
            },
            Some(b'{') if new_line => Fit::Weak,
            Some(b'`' | b'<') if new_line && fence(&self.text[at..]).is_some() => Fit::Strong,
            // A known key inside a list that was not closed; reading still stands at its opening quote.
            Some(b':')
                if place == StringRole::Element
                    && quote - self.at <= LONGEST_KEY
                    && self.keys.contains(&self.text[self.at + 1..quote]) =>
            {
                Fit::Strong
            }
            Some(_) => Fit::No,
        }
    }

    /// Is true if the quotes at `quote` and behind it are an empty text in code; reading still stands at the opening quote of the string.
    fn empty_text_at(&self, quote: usize) -> bool {
        let bytes = self.text.as_bytes();
        bytes.get(quote + 1) == Some(&bytes[quote])
            && quoted_end(bytes, quote + 1)
                .is_some_and(|end| is_empty_text(&bytes[self.at + 1..quote], &bytes[quote + 2..end]))
    }

    /// Over one comment, when one stands at `at`, and the blanks after it.
    fn over_comment(&self, at: usize) -> usize {
        let rest = &self.text.as_bytes()[at..];
        let near = &rest[..rest.len().min(200)];
        let length = if near.starts_with(b"/*") {
            near.windows(2).position(|pair| pair == b"*/").map(|n| n + 2)
        } else if near.starts_with(b"//") || near.starts_with(b"# ") {
            near.iter().position(|byte| *byte == b'\n')
        } else {
            None
        };
        length.map_or(at, |length| blanks(self.text.as_bytes(), at + length))
    }

    /// Is true if a quoted key stands at `at`, and if so whether it is a known one.
    fn key_at(&self, at: usize) -> Option<bool> {
        let Next::Key { name, .. } = next_item(self.text, at) else { return None };
        Some(self.keys.contains(name))
    }

    /// Is true if a known key stands at `at`, in quotes, with a value after it and no colon.
    fn known_text_at(&self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        quoted_end(bytes, at).is_some_and(|end| {
            let value = bytes.get(blanks(bytes, end + 1));
            matches!(value, Some(b'[' | b'{' | b'"' | b'0'..=b'9'))
                && self.keys.contains(&self.text[at + 1..end])
        })
    }

    /// Is true if the `{` at `at` opens an object whose first key is a known one.
    pub(super) fn known_object_at(&self, at: usize) -> bool {
        let key = blanks(self.text.as_bytes(), at + 1);
        matches!(self.text.as_bytes().get(key), Some(b'"' | b'\'')) && self.key_at(key) == Some(true)
    }

    /// Judges what comes after a comma. `innermost` when the string's own container goes on.
    fn fit_after_comma(&self, mut at: usize, in_object: bool, innermost: bool) -> Fit {
        let bytes = self.text.as_bytes();
        let mut next = self.over_comment(blanks(bytes, at));
        for _ in 1..MOST_COMMAS {
            // A comma too many.
            if bytes.get(next) == Some(&b',') {
                at = next + 1;
                next = self.over_comment(blanks(bytes, at));
            }
        }
        let new_line = bytes[at..next].contains(&b'\n');
        match bytes.get(next) {
            None => Fit::Strong,
            Some(b'}' | b']' | b')') => Fit::Weak,
            Some(b'"' | b'\'') => match self.key_at(next) {
                Some(true) => Fit::Strong,
                Some(false) if in_object => Fit::Weak,
                // A known key without its colon.
                None if in_object && self.known_text_at(next) => Fit::Weak,
                Some(false) | None if in_object => Fit::No,
                Some(false) | None if new_line => Fit::Strong,
                Some(false) | None => Fit::Weak,
            },
            Some(b'{') => {
                let key = blanks(bytes, next + 1);
                let quoted = matches!(bytes.get(key), Some(b'"' | b'\''));
                match quoted.then(|| self.key_at(key)).flatten() {
                    Some(true) => Fit::Strong,
                    None if in_object && innermost => Fit::No,
                    Some(false) | None => Fit::Weak,
                }
            }
            Some(b'[' | b'(') if !in_object => Fit::Weak,
            Some(_) if !in_object && word_follows(self.text, next) => Fit::Weak,
            Some(_) if in_object => {
                let end = find(bytes, next, |byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'));
                let typographic = self.text[next..].starts_with(['“', '‘']);
                if typographic || (end > next && bytes.get(blanks(bytes, end)) == Some(&b':')) {
                    Fit::Weak
                } else {
                    Fit::No
                }
            }
            Some(_) if self.text[next..].starts_with(['“', '‘']) => Fit::Weak,
            Some(_) => Fit::No,
        }
    }

    /// Judges a run of closing brackets at `at`, and what comes after it, by the open containers.
    fn fit_of_closers(&self, mut at: usize) -> Fit {
        let bytes = self.text.as_bytes();
        let mut open = self.stack.iter().rev().map(Frame::closer).peekable();
        let mut best = Fit::Strong;
        let mut last = at;
        let mut closers = 0;
        while let Some(byte @ (b'}' | b']' | b')')) = bytes.get(at) {
            closers += 1;
            match open.next() {
                Some(expected) if expected == *byte => {}
                Some(_) | None => best = Fit::Weak,
            }
            last = at;
            at = blanks(bytes, at + 1);
        }
        let new_line = bytes[last..at].contains(&b'\n');
        // A list that was closed too early: its next text follows, or its next list.
        let element_follows = || {
            matches!(next_item(self.text, at), Next::Text { list: true, comma: true })
                || (closers > 1 && list_follows(self.text, at))
        };
        let fit = match (bytes.get(at), open.peek()) {
            (None, _) | (Some(b'`' | b'<'), None) => Fit::Strong,
            (Some(_), None) if new_line => Fit::Strong,
            (Some(_), None) => Fit::Weak,
            (Some(b','), Some(b'}')) if best == Fit::Strong && element_follows() => Fit::Weak,
            (Some(b','), Some(closer)) => self.fit_after_comma(at + 1, *closer == b'}', false),
            (Some(b'"' | b'\''), Some(_)) if self.key_at(at) == Some(true) => Fit::Strong,
            // A comma is missing between two objects of a list.
            (Some(b'{'), Some(b']')) if self.known_object_at(at) => Fit::Strong,
            (Some(b'"' | b'\'' | b'{' | b'['), Some(_)) if new_line => Fit::Weak,
            (Some(b'['), Some(_)) if matches!(next_item(self.text, at + 1), Next::Open) => Fit::Weak,
            // A comma is missing between two lists in a list.
            (Some(b'['), Some(b']')) if matches!(bytes.get(blanks(bytes, at + 1)), Some(b'"' | b'\'')) => {
                Fit::Weak
            }
            (Some(b'/' | b'#'), Some(_)) if self.over_comment(at) > at => Fit::Weak,
            (Some(_), Some(_)) => Fit::No,
        };
        fit.min(best)
    }
}
