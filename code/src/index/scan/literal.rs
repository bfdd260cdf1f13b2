//! Numbers and strings, and the text of f-strings around their values.

use super::lexer::{Lexer, is_word};
use super::token::Kind;

impl Lexer<'_> {
    pub(super) fn number(&mut self) -> Option<Kind> {
        let based = self.peek(0) == b'0' && matches!(self.peek(1) | 0x20, b'x' | b'o' | b'b');
        if based {
            let digit: fn(u8) -> bool = match self.peek(1) | 0x20 {
                b'x' => |byte| byte.is_ascii_hexdigit(),
                b'o' => |byte| (b'0'..=b'7').contains(&byte),
                _ => |byte| matches!(byte, b'0' | b'1'),
            };
            self.at += 2;
            self.digits(digit)?;
        } else {
            let decimal: fn(u8) -> bool = |byte| byte.is_ascii_digit();
            if self.peek(0) != b'.' {
                self.digits(decimal)?;
            }
            if self.peek(0) == b'.' {
                self.at += 1;
                if self.peek(0).is_ascii_digit() {
                    self.digits(decimal)?;
                }
            }
            if matches!(self.peek(0), b'e' | b'E') {
                self.at += 1 + usize::from(matches!(self.peek(1), b'+' | b'-'));
                self.digits(decimal)?;
            }
            if matches!(self.peek(0), b'j' | b'J') {
                self.at += 1;
            }
        }
        let next = self.peek(0);
        (!is_word(next) && next < 0x80 && next != b'.').then_some(Kind::Number)
    }

    fn digits(&mut self, digit: fn(u8) -> bool) -> Option<()> {
        if !digit(self.peek(0)) {
            return None;
        }
        while digit(self.peek(0)) || (self.peek(0) == b'_' && digit(self.peek(1))) {
            self.at += 1;
        }
        Some(())
    }

    /// A string from its first quote on.
    pub(super) fn string(&mut self, prefix: &[u8]) -> Option<Kind> {
        let quote = self.peek(0);
        // Only the newest Python has strings in f-strings with the same quote.
        if self.quotes.contains(&quote) {
            return None;
        }
        let (mut raw, mut format) = (false, false);
        match prefix {
            b"" | b"u" | b"U" | b"b" | b"B" => {}
            b"r" | b"R" | b"br" | b"bR" | b"Br" | b"BR" | b"rb" | b"rB" | b"Rb" | b"RB" => raw = true,
            b"f" | b"F" => format = true,
            b"rf" | b"rF" | b"Rf" | b"RF" | b"fr" | b"fR" | b"Fr" | b"FR" => (raw, format) = (true, true),
            _ => return None,
        }
        if format {
            return Some(Kind::Format);
        }
        let triple = self.peek(1) == quote && self.peek(2) == quote;
        self.at += if triple { 3 } else { 1 };
        loop {
            let rest = self.rest();
            let found = memchr::memchr3(quote, b'\\', b'\n', rest)?;
            self.at += found;
            match rest.get(found).copied()? {
                b'\\' => self.escape(raw)?,
                b'\n' if triple => self.newline(),
                b'\n' => return None,
                _ if !triple => break self.at += 1,
                _ if self.peek(1) == quote && self.peek(2) == quote => break self.at += 3,
                _ => self.at += 1,
            }
        }
        Some(Kind::Text)
    }

    /// A backslash in a string, and what it takes with it.
    fn escape(&mut self, raw: bool) -> Option<()> {
        self.at += 1;
        match self.peek(0) {
            b'\n' => self.newline(),
            b'\r' if self.peek(1) == b'\n' => {
                self.at += 1;
                self.newline();
            }
            b'\\' | b'"' | b'\'' => self.at += 1,
            b'N' if !raw && self.peek(1) == b'{' => {
                let rest = self.rest();
                let end = rest.iter().position(|byte| matches!(byte, b'}' | b'\n' | b'"' | b'\'' | b'\\'))?;
                (rest.get(end) == Some(&b'}') && end > 2).then(|| self.at += end)?;
            }
            _ => {}
        }
        Some(())
    }

    /// The text of an f-string from its first quote or its last `}` on, to the next `{` of a value or to its end.
    pub fn format_text(&mut self, style: FormatStyle) -> Option<FormatPart> {
        loop {
            let byte = self.peek(0);
            match byte {
                b'{' if self.peek(1) == b'{' => self.at += 2,
                b'}' if self.peek(1) == b'}' => self.at += 2,
                b'{' => {
                    self.at += 1;
                    self.last = b'{';
                    return Some(FormatPart::Value);
                }
                b'\\' if style.raw => {
                    self.at += 1;
                    match self.peek(0) {
                        b'\\' | b'"' | b'\'' => self.at += 1,
                        b'\n' => self.newline(),
                        _ => {}
                    }
                }
                b'\\' => self.escape(false)?,
                b'\n' if style.triple => self.newline(),
                0 | b'}' | b'\n' => return None,
                _ if byte == style.quote && !style.triple => {
                    self.at += 1;
                    return Some(FormatPart::End);
                }
                _ if byte == style.quote && self.peek(1) == byte && self.peek(2) == byte => {
                    self.at += 3;
                    return Some(FormatPart::End);
                }
                _ => self.at += 1,
            }
        }
    }

    /// Goes over the first quotes of an f-string.
    pub fn format_start(&mut self, prefix: &[u8]) -> FormatStyle {
        let quote = self.peek(0);
        let triple = self.peek(1) == quote && self.peek(2) == quote;
        self.at += if triple { 3 } else { 1 };
        FormatStyle { quote, triple, raw: prefix.iter().any(|byte| matches!(byte, b'r' | b'R')) }
    }

    /// Takes the quotes at the end of an f-string for the last token.
    pub fn after_quote(&mut self) {
        self.last = b'"';
    }

    /// The conversion behind a `!`.
    pub fn conversion(&mut self) -> Option<()> {
        let known = self.peek(0).is_ascii_lowercase() && matches!(self.peek(1), b':' | b'}');
        known.then(|| self.at += 1)
    }

    /// The text of a format behind its `:`, up to a value in it or the `}` at its end, which is left.
    pub fn format_specifier(&mut self) -> Option<FormatPart> {
        loop {
            match self.peek(0) {
                b'{' if self.peek(1) == b'{' => return None,
                b'{' => {
                    self.at += 1;
                    self.last = b'{';
                    return Some(FormatPart::Value);
                }
                b'}' => return Some(FormatPart::End),
                0 | b'\n' | b'\\' | b'"' | b'\'' | b'#' => return None,
                _ => self.at += 1,
            }
        }
    }
}

/// How an f-string is written.
#[derive(Copy, Clone, Debug)]
pub(super) struct FormatStyle {
    pub quote: u8,
    triple: bool,
    raw: bool,
}

/// Where the text of an f-string ends.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum FormatPart {
    /// At a value.
    Value,
    /// At its end.
    End,
}
