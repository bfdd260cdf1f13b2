//! Lines of code without the brackets of their list: `"modified_line": "if (x) {", "return;", "}"`.

use super::doubtful_quotes::may_be_literal;
use super::frame::Frame;
use super::lookahead::{blanks, quoted_end};
use super::parser::{Mode, Parser};
use super::strings::{Reading, StringRole};
use crate::names::is_lines_key;

/// The most lines in such a list.
const MOST: usize = 400;

impl Parser<'_, '_> {
    /// Is true if, with the quote at `at`, the first of several lines ends that stand where one value should. They are what
    /// they seem when none has a quote inside and no comma between them can be a text in a line of code.
    pub(super) fn begins_bare_list(
        &self,
        start: usize,
        at: usize,
        place: StringRole,
        reading: &Reading,
    ) -> bool {
        if self.mode != Mode::Lenient || place != StringRole::Member || reading.quotes || reading.raw {
            return false;
        }
        let bytes = self.text.as_bytes();
        let quote = bytes[at];
        if !self.stack.last().and_then(Frame::key).is_some_and(is_lines_key) {
            return false;
        }
        let (mut begin, mut end) = (start + 1, at);
        let mut lines = false;
        for _ in 0..MOST {
            let comma = blanks(bytes, end + 1);
            let next = blanks(bytes, comma + 1);
            match bytes.get(comma) {
                Some(b',') if bytes.get(next) == Some(&quote) => {}
                Some(b',' | b'}' | b']') | None => return lines,
                Some(_) => return false,
            }
            let Some(next_end) = quoted_end(bytes, next) else { return false };
            if bytes.get(blanks(bytes, next_end + 1)) == Some(&b':') {
                return lines;
            }
            let (line, after) = (&bytes[begin..end], &bytes[next + 1..next_end]);
            if may_be_literal(line, after) || !are_in_pairs(line) || !are_in_pairs(after) {
                return false;
            }
            lines = true;
            (begin, end) = (next + 1, next_end);
        }
        false
    }
}

/// Is true if the escaped quotes of a line come in pairs: half a pair says that the line goes on.
fn are_in_pairs(line: &[u8]) -> bool {
    memchr::memmem::find_iter(line, b"\\\"").count() % 2 == 0
}
