//! Where a reply ends although a list in it is open: at prose, as at a fence.
//!
//! The last bracket of a list is missing more often than others. What comes next is then no element, and no part of the
//! entry before it.

use serde_json::Value;

use super::frame::{Expect, Frame};
use super::lookahead::blanks;
use super::missing_tokens::fence;
use super::parser::{ParseStop, Parser};
use super::resync::begins_entry;
use super::shape::is_in_shape;
use crate::entries::names_a_file;

/// The most closing brackets and blanks between an entry and the end of a reply.
const WINDOW: usize = 64;

/// The part of a line that is looked at, in bytes.
const LONGEST_LINE: usize = 400;

/// The longest word that is taken for a literal or a key, in bytes.
const LONGEST_WORD: usize = 40;

impl Parser<'_, '_> {
    /// Is true if an element of a list has ended here that is an entry or a list of entries, and behind it so has the reply.
    /// That holds for an entry in its shape alone: one that lacks a bracket may hold others.
    pub(super) fn reply_ends_behind(&self, element: &Value) -> bool {
        ends_in_entry(element) && self.reply_ends_at(self.at) && is_whole(element)
    }

    /// Ends the value where a fence, a tag or prose at `byte` ends its reply, and is true if it did.
    pub(super) fn ends_with_reply(&mut self, byte: u8) -> Result<bool, ParseStop> {
        if matches!(byte, b'{' | b'[' | b'"' | b'\'' | b',') {
            return Ok(false);
        }
        if let Some(fence) = fence(&self.text[self.at..]) {
            self.fenced(fence)?;
        } else if self.prose_ends_reply() {
            self.end_of_reply()?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Is true if what stands here is prose behind the last entry of a list that was not closed.
    fn prose_ends_reply(&mut self) -> bool {
        let between = matches!(self.expect, Expect::Comma | Expect::Item { after_comma: true });
        if !between || !self.in_entries() || !self.is_prose(self.at) {
            return false;
        }
        // Prose between two entries of one list is left out of it.
        let object = self.memory.find(self.text, "{", self.at);
        let list = self.memory.find(self.text, "[", self.at);
        let mark = self.memory.find(self.text, "```", self.at);
        let first = [object, list, mark].into_iter().flatten().min();
        !object.is_some_and(|object| first == Some(object) && begins_entry(self.text, object))
    }

    /// Is true if the innermost container is a list, of entries or of lists of entries.
    pub(super) fn in_entries(&self) -> bool {
        matches!(self.stack.last(), Some(Frame::Array { elements }) if elements.last().is_some_and(ends_in_entry))
    }

    /// Is true if, but for closing brackets, a comma and comments, the text ends at `at`, or a fence or prose comes there, or a line
    /// that begins with no part of a string.
    fn reply_ends_at(&self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        let mut next = blanks(bytes, at);
        let closers = bytes[next..].iter().take(WINDOW).take_while(|byte| b"]} \t\r\n".contains(byte));
        next = blanks(bytes, next + closers.count());
        if bytes.get(next) == Some(&b',') {
            next = blanks(bytes, next + 1);
        }
        while bytes[next..].starts_with(b"//") || bytes[next..].starts_with(b"# ") {
            let line = memchr::memchr(b'\n', &bytes[next..]).map_or(bytes.len(), |length| next + length);
            next = blanks(bytes, line);
        }
        let Some(byte) = bytes.get(next) else { return true };
        (begins_line(self.text, next) && !b"\"':,]})".contains(byte))
            || fence(&self.text[next..]).is_some()
            || self.is_prose(next)
    }

    /// Is true if prose begins at `at`: words, on a line of their own or on one without quotes and brackets, that are neither a value nor a
    /// key.
    fn is_prose(&self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        let rest = &self.text[at..];
        let word = rest.trim_start_matches(['*', '-', '>', '~', '_', ' ', '<']);
        let number = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let word = match number.strip_prefix(['.', ')']) {
            Some(item) if number.len() < word.len() => item.trim_start_matches([' ', '*']),
            Some(_) | None => word,
        };
        let rule = word.len() < rest.len() && word.starts_with('\n') && rest.starts_with(['-', '~', '*']);
        if !rule && !word.starts_with(char::is_alphabetic) {
            return false;
        }
        let length = word.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(word.len());
        let name = &word[..length];
        if name.len() <= LONGEST_WORD {
            let literal = ["true", "false", "null", "True", "False", "None", "NaN"].contains(&name);
            let key = word[length..].trim_start().starts_with([':', '=']) && self.keys.contains(name);
            let prefix = word[length..].starts_with(['"', '\'']);
            if literal || key || prefix {
                return false;
            }
        }
        let mut line = bytes[at..].iter().take(LONGEST_LINE).take_while(|byte| **byte != b'\n');
        begins_line(self.text, at) || !line.any(|byte| b"\"'[]{}".contains(byte))
    }
}

/// Is true if nothing but blanks stands before `at` on its line.
fn begins_line(text: &str, at: usize) -> bool {
    text[..at].trim_end_matches([' ', '\t']).ends_with('\n')
}

/// Is true if a value is an entry, or a list that ends in one.
fn ends_in_entry(value: &Value) -> bool {
    match value {
        Value::Object(members) => names_a_file(members),
        Value::Array(elements) => elements.last().is_some_and(ends_in_entry),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Is true if each entry of an element has its fields where they belong.
fn is_whole(value: &Value) -> bool {
    match value {
        Value::Object(members) => is_in_shape(members, None),
        Value::Array(elements) => elements.iter().all(is_whole),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}
