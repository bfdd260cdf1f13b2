//! Replies that were cut off, and in the middle of which the next one begins.
//!
//! Replies are often recorded one after the other, and one that reached its limit ends anywhere: in a string, between
//! two tokens. What tells is that an entry begins where none can stand, inside another one.

use serde_json::Value;

use super::frame::{Expect, Frame};
use super::lookahead::{blanks, quoted_end};
use super::parser::{Mode, ParseStop, Parser};
use super::{DamageKind, JsonRepair};
use crate::names::is_file_key;

/// Keys that begin a reply, apart from those that name a file.
const FIRST_KEYS: &[&str] =
    &["mutations", "mutants", "fixes", "variants", "edits", "main_list", "thoughts", "command"];

/// Keys in an entry: nothing that names a file stands below them.
const ENTRY_KEYS: &[&str] = &[
    "insertions",
    "deletions",
    "modifications",
    "target_lines",
    "line_number",
    "new_lines",
    "modified_line",
];

/// The most brackets of lists before the first key of a reply.
const OPENERS: usize = 3;

impl Parser<'_, '_> {
    /// Is true if the bracket at hand begins a reply or an entry where none can stand. A reply stands neither below
    /// its own first key nor among entries.
    pub(super) fn resumes_here(&self) -> bool {
        if self.mode != Mode::Lenient {
            return false;
        }
        let Some(key) = first_key_of_reply(self.text, self.at) else { return false };
        let below_itself = || self.stack.iter().any(|frame| frame.key() == Some(key));
        self.is_out_of_place() || (!is_entry_file(key) && (self.in_entries() || below_itself()))
    }

    /// Is true if an entry cannot stand here: below the key of an entry, in an object without a key, or, as a list, among
    /// the entries of another list.
    fn is_out_of_place(&self) -> bool {
        let list = self.byte() == Some(b'[');
        match self.stack.last() {
            None => return false,
            Some(Frame::Object { key: None, .. }) if list => return true,
            Some(Frame::Array { elements })
                if list && !elements.is_empty() && elements.iter().all(Value::is_object) =>
            {
                return true;
            }
            Some(Frame::Object { .. } | Frame::Array { .. } | Frame::Tuple { .. }) => {}
        }
        self.is_below_entry()
    }

    /// Is true if what is being read is a part of a field of an entry.
    pub(super) fn is_below_entry(&self) -> bool {
        self.stack.iter().any(Frame::is_below_entry)
    }

    /// Is true if the first key of a reply or an entry, just read without repairs, stands where none can. It is trusted as long as nothing
    /// was broken.
    pub(super) fn is_misplaced(&self, key: &str) -> bool {
        self.mode != Mode::Lenient
            && self.repairs_made
            && self.stack.last().is_some_and(Frame::is_empty)
            && (FIRST_KEYS.contains(&key) || is_entry_file(key))
            && self.is_below_entry()
    }

    /// Ends what was cut off here; reading goes on with what begins here.
    pub(super) fn cut_here(&mut self) -> Result<(), ParseStop> {
        self.damage(DamageKind::Cut, self.at)?;
        self.forget_key();
        self.close_all()
    }

    /// The end of a string that began at `start` and was cut off, when the quote at `quote` is that of the first key of a reply:
    /// before its brackets.
    pub(super) fn cut_before_key(&self, start: usize, quote: usize) -> Option<usize> {
        if self.mode != Mode::Lenient {
            return None;
        }
        let bytes = self.text.as_bytes();
        let at = before_blanks(bytes, start, quote);
        if at == start || bytes[at] != b'{' || first_key(self.text, quote).is_none() {
            return None;
        }
        Some(self.before_openers(start, at))
    }

    /// The first of the brackets of lists that stand before `at`, in a string that began at `start`.
    pub(super) fn before_openers(&self, start: usize, mut at: usize) -> usize {
        let bytes = self.text.as_bytes();
        for _ in 0..OPENERS {
            let opener = before_blanks(bytes, start, at);
            if opener == start || bytes[opener] != b'[' {
                break;
            }
            at = opener;
        }
        at
    }

    /// A key for files that stands in its object already begins a new entry, when the object stands in a list; so does the first
    /// key of a change, when the change is whole.
    pub(super) fn begins_next_entry(&self, name: &str) -> bool {
        let [.., Frame::Array { .. }, object] = self.stack.as_slice() else { return false };
        let first = object.first_key() == Some(name);
        (first && object.is_change()) || (is_entry_file(name) && object.has_key(name))
    }

    /// Is true if the key `name` in a list begins an object that lacks its bracket: it is the first one of the object before, or
    /// of an entry or a change.
    pub(super) fn lacks_opener(&self, name: &str) -> bool {
        let Some(Frame::Array { elements }) = self.stack.last() else { return false };
        if elements.is_empty() {
            return is_entry_file(name) || name == "line_number";
        }
        let before = elements.last().and_then(Value::as_object);
        before.and_then(|before| before.keys().next()).is_some_and(|first| first == name)
    }

    /// Closes the object at hand and begins the next one in its list, for which the brackets are missing.
    pub(super) fn next_entry(&mut self, at: usize) -> Result<(), ParseStop> {
        self.close_before(at)?;
        self.open_without_bracket(at)
    }

    /// The first key of an entry that stands alone, in that entry once more, begins another one: no list is around them.
    pub(super) fn begins_next_value(&self, name: &str) -> bool {
        let [object] = self.stack.as_slice() else { return false };
        is_entry_file(name) && object.first_key() == Some(name) && object.has_entry_field()
    }

    /// Closes the entry that stands alone; the value ends here, and the next one begins without its bracket.
    pub(super) fn end_before_bare_entry(&mut self, at: usize) -> Result<(), ParseStop> {
        self.at = at;
        self.bare_entry = Some(at);
        self.close_before(at)
    }

    /// Begins the object of which the opening bracket is missing at `at`.
    pub(super) fn open_without_bracket(&mut self, at: usize) -> Result<(), ParseStop> {
        self.repair(JsonRepair::MissingOpener, at)?;
        self.stack.push(Frame::object(0));
        self.expect = Expect::Item { after_comma: false };
        Ok(())
    }
}

/// Is true if a key stands only in entries.
pub(super) fn is_entry_field(key: &str) -> bool {
    ENTRY_KEYS.contains(&key)
}

/// The short names among the keys for files are those of other things too.
pub(super) fn is_entry_file(key: &str) -> bool {
    matches!(key, "file_name" | "file_path") || (key.len() > "path".len() && is_file_key(key))
}

/// Is true if a reply or an entry begins at `at`.
pub(super) fn begins_entry(text: &str, at: usize) -> bool {
    first_key_of_reply(text, at).is_some()
}

/// The first key of the reply or the entry that begins at `at`, behind the bracket of its object, and of a list around it.
fn first_key_of_reply(text: &str, at: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    let object = if bytes.get(at) == Some(&b'[') { blanks(bytes, at + 1) } else { at };
    let key = blanks(bytes, object + 1);
    if bytes.get(object) != Some(&b'{') || !matches!(bytes.get(key), Some(b'"' | b'\'')) {
        return None;
    }
    first_key(text, key)
}

/// The first key of a reply or an entry that stands in quotes at `quote`, with its colon.
fn first_key(text: &str, quote: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    let end = quoted_end(bytes, quote)?;
    let key = &text[quote + 1..end];
    let begins = FIRST_KEYS.contains(&key) || is_entry_file(key);
    (begins && bytes.get(blanks(bytes, end + 1)) == Some(&b':')).then_some(key)
}

/// The last byte before `at` that is not blank, but none before `start`.
fn before_blanks(bytes: &[u8], start: usize, at: usize) -> usize {
    bytes[start..at].iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(start, |n| start + n)
}

/// Is true if a text, read as a string in quotes like `quote`, holds keys of an entry: then it is doubtful where it ends.
/// In quotes of the other kind they count only among brackets that do not match.
pub(super) fn holds_entry(text: &str, quote: u8) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b':', bytes).any(|colon| {
        let end = before_blanks(bytes, 0, colon);
        let closing = bytes[end];
        if !matches!(closing, b'"' | b'\'') || end == 0 || bytes[end - 1] == b'\\' {
            return false;
        }
        let near = end.saturating_sub(24);
        let Some(begin) = memchr::memrchr(closing, &bytes[near..end]) else { return false };
        let key = &bytes[near + begin + 1..end];
        let known = ENTRY_KEYS.iter().chain(&["file_name", "file_path"]).any(|known| known.as_bytes() == key);
        known && (closing == quote || !is_balanced(bytes))
    })
}

/// Is true if as many brackets close as open.
fn is_balanced(bytes: &[u8]) -> bool {
    let count = |wanted: u8| memchr::memchr_iter(wanted, bytes).count();
    count(b'{') == count(b'}') && count(b'[') == count(b']')
}
