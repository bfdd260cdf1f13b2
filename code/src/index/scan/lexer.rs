//! From bytes to tokens. Every question is answered with `None` where the answer is in doubt.

use super::token::{Bracket, Kind, Place, Token, of_word};

/// Blanks before code from which on a line is in doubt.
const MOST_BLANKS: usize = 1000;

/// A comment with the indentation of its line.
#[derive(Copy, Clone, Debug)]
pub(super) struct Comment {
    pub start: Place,
    pub end: usize,
    pub width: usize,
}

/// Reads tokens one by one.
pub(super) struct Lexer<'t> {
    pub text: &'t str,
    bytes: &'t [u8],
    at: usize,
    row: usize,
    /// The byte at which the row begins.
    line: usize,
    /// Brackets that are open.
    pub depth: usize,
    /// The quotes of the f-strings around.
    pub quotes: Vec<u8>,
    /// The indentation of the block that is read.
    pub indentation: usize,
    /// Whether a line may not begin left of its block even behind a comma.
    pub strict: usize,
    /// The last byte of the last token.
    last: u8,
    /// The comment at the end of the last logical line.
    pub trailing: Option<Comment>,
    /// Whether a line was continued by `\` in front of the last token.
    continued: bool,
}

/// Where the code of a line begins.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// So far from its left end.
    Code(usize),
    /// There is none any more.
    End,
}

impl<'t> Lexer<'t> {
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            row: 0,
            line: 0,
            depth: 0,
            quotes: Vec::new(),
            indentation: 0,
            strict: 0,
            last: 0,
            trailing: None,
            continued: false,
        }
    }

    pub fn place(&self) -> Place {
        Place { byte: self.at, row: self.row, column: self.at - self.line }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// The rest of the text.
    pub fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Goes over empty lines and comments to the next line with code.
    pub fn next_line(&mut self, comments: &mut Vec<Comment>) -> Option<Line> {
        loop {
            let width = self.blanks()?;
            match self.peek(0) {
                0 => return Some(Line::End),
                b'\n' => self.newline(),
                b'\r' if self.peek(1) == b'\n' => self.at += 1,
                b'#' => comments.push(self.comment(width)),
                b'\\' | b'\r' => return None,
                _ => {
                    self.last = 0;
                    return Some(Line::Code(width));
                }
            }
        }
    }

    /// The white space before a line's first letter: a tab counts eight, as the parser has it.
    fn blanks(&mut self) -> Option<usize> {
        let from = self.at;
        loop {
            match self.peek(0) {
                b' ' | b'\t' => self.at += 1,
                // A form feed starts the count afresh; elsewhere than on an empty line that is in doubt.
                0x0c => {
                    self.at += 1;
                    while matches!(self.peek(0), b' ' | b'\t' | 0x0c) {
                        self.at += 1;
                    }
                    return matches!(self.peek(0), b'\n' | b'\r' | 0).then_some(0);
                }
                _ => break,
            }
        }
        let blanks = self.bytes.get(from..self.at)?;
        let tabs = blanks.iter().filter(|byte| **byte == b'\t').count();
        let code = !matches!(self.peek(0), b'\n' | b'\r' | 0);
        if code && ((tabs > 0 && tabs < blanks.len()) || blanks.len() > MOST_BLANKS) {
            return None;
        }
        Some(blanks.len() + 7 * tabs)
    }

    fn newline(&mut self) {
        self.at += 1;
        self.row += 1;
        self.line = self.at;
    }

    fn comment(&mut self, width: usize) -> Comment {
        let start = self.place();
        let rest = self.rest();
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        Comment { start, end: self.at, width }
    }

    /// The next token.
    pub fn token(&mut self) -> Option<Token> {
        self.continued = false;
        if let Some(token) = self.white_space()? {
            return Some(token);
        }
        let start = self.place();
        let kind = self.kind()?;
        self.last = self.bytes.get(self.at - 1).copied()?;
        Some(Token { kind, start, end: self.place() })
    }

    /// Goes over white space; the end of a logical line is a token.
    fn white_space(&mut self) -> Option<Option<Token>> {
        loop {
            match self.peek(0) {
                b' ' | b'\t' => self.at += 1,
                b'\r' if self.peek(1) == b'\n' => self.at += 1,
                b'#' if self.quotes.is_empty() => {
                    let comment = self.comment(0);
                    if self.depth == 0 {
                        self.trailing = Some(comment);
                    }
                }
                b'\n' if !self.quotes.is_empty() => return None,
                b'\n' if self.depth > 0 => {
                    self.newline();
                    self.inner_line()?;
                }
                0 if self.depth > 0 => return None,
                b'\n' | 0 => {
                    let place = self.place();
                    if self.peek(0) == b'\n' {
                        self.newline();
                    }
                    // A line that is continued by nothing.
                    return (!self.continued).then_some(Some(Token {
                        kind: Kind::Newline,
                        start: place,
                        end: place,
                    }));
                }
                b'\\' if self.quotes.is_empty() => {
                    self.at += 1 + usize::from(self.peek(1) == b'\r');
                    // In front of a statement it is a node of its own.
                    if self.peek(0) != b'\n' || matches!(self.last, 0 | b';' | b':') {
                        return None;
                    }
                    self.newline();
                    self.continued = true;
                }
                0x0c => return None,
                _ => return Some(None),
            }
        }
    }

    /// A line inside of brackets that begins left of its block: the parser takes its beginning for the end of the block
    /// unless a closing bracket or a string may stand there.
    fn inner_line(&mut self) -> Option<()> {
        let from = self.at;
        while matches!(self.peek(0), b' ' | b'\t') {
            self.at += 1;
        }
        let next = self.peek(0);
        if matches!(next, b'\n' | b'\r') {
            return Some(());
        }
        let tabs = self.bytes.get(from..self.at)?.iter().filter(|byte| **byte == b'\t').count();
        let width = self.at - from + 7 * tabs;
        let safe = match self.last {
            b'(' | b'{' | b',' => self.strict == 0,
            _ => matches!(next, b')' | b']' | b'}'),
        };
        (width >= self.indentation || safe).then_some(())
    }

    fn kind(&mut self) -> Option<Kind> {
        let first = self.peek(0);
        let (next, third) = (self.peek(1), self.peek(2));
        let (kind, length) = match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => return self.word(),
            b'0'..=b'9' => return self.number(),
            b'.' if next.is_ascii_digit() => return self.number(),
            b'"' | b'\'' => return self.string(&[]),
            b'(' => (self.open(Bracket::Round), 1),
            b'[' => (self.open(Bracket::Square), 1),
            b'{' => (self.open(Bracket::Curly), 1),
            b')' => (self.close(Bracket::Round)?, 1),
            b']' => (self.close(Bracket::Square)?, 1),
            b'}' => (self.close(Bracket::Curly)?, 1),
            b',' => (Kind::Comma, 1),
            b';' => (Kind::Semicolon, 1),
            b':' if next == b'=' => (Kind::Walrus, 2),
            b':' => (Kind::Colon, 1),
            b'.' if next == b'.' && third == b'.' => (Kind::Constant, 3),
            b'.' => (Kind::Dot, 1),
            b'=' if next == b'=' => (Kind::Operator, 2),
            b'=' => (Kind::Assign, 1),
            b'-' if next == b'>' => (Kind::Arrow, 2),
            b'!' if next == b'=' => (Kind::Operator, 2),
            b'!' if !self.quotes.is_empty() => (Kind::Bang, 1),
            b'<' if next == b'>' => return None,
            b'*' | b'/' | b'<' | b'>' if next == first && third == b'=' => (Kind::Augment, 3),
            b'*' if next == b'*' => (Kind::StarStar, 2),
            b'/' | b'<' | b'>' if next == first => (Kind::Operator, 2),
            b'<' | b'>' => (Kind::Operator, 1 + usize::from(next == b'=')),
            b'+' | b'-' | b'*' | b'/' | b'%' | b'@' | b'&' | b'|' | b'^' if next == b'=' => {
                (Kind::Augment, 2)
            }
            b'+' | b'-' => (Kind::Sign, 1),
            b'*' => (Kind::Star, 1),
            b'/' => (Kind::Slash, 1),
            b'@' => (Kind::At, 1),
            b'%' | b'&' | b'|' | b'^' => (Kind::Operator, 1),
            b'~' => (Kind::Invert, 1),
            _ => return None,
        };
        self.at += length;
        Some(kind)
    }

    fn open(&mut self, bracket: Bracket) -> Kind {
        self.depth += 1;
        Kind::Open(bracket)
    }

    fn close(&mut self, bracket: Bracket) -> Option<Kind> {
        self.depth = self.depth.checked_sub(1)?;
        Some(Kind::Close(bracket))
    }

    fn word(&mut self) -> Option<Kind> {
        let rest = self.rest();
        let length = rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len());
        let word = rest.get(..length)?;
        match rest.get(length) {
            Some(b'"' | b'\'') => {
                self.at += length;
                return self.string(word);
            }
            // A name with other letters, or something that only looks like a letter.
            Some(0x80..) => return None,
            _ => {}
        }
        self.at += length;
        Some(of_word(word))
    }

    fn number(&mut self) -> Option<Kind> {
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
    fn string(&mut self, prefix: &[u8]) -> Option<Kind> {
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
                0 => return None,
                b'{' if self.peek(1) == b'{' => self.at += 2,
                b'}' if self.peek(1) == b'}' => self.at += 2,
                b'{' => {
                    self.at += 1;
                    self.last = b'{';
                    return Some(FormatPart::Value);
                }
                b'}' => return None,
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
                b'\n' => return None,
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

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
