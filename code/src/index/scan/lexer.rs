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
    pub(super) bytes: &'t [u8],
    pub(super) at: usize,
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
    pub(super) last: u8,
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

    pub(super) fn peek(&self, ahead: usize) -> u8 {
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
        let tabs = tabs_in(blanks);
        let code = !matches!(self.peek(0), b'\n' | b'\r' | 0);
        if code && ((tabs > 0 && tabs < blanks.len()) || blanks.len() > MOST_BLANKS) {
            return None;
        }
        Some(blanks.len() + 7 * tabs)
    }

    pub(super) fn newline(&mut self) {
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
        self.white_space()?;
        let start = self.place();
        if matches!(self.peek(0), b'\n' | 0) {
            if self.peek(0) == b'\n' {
                self.newline();
            }
            // A `\` with nothing behind it is in doubt.
            return (!self.continued).then_some(Token { kind: Kind::Newline, start, end: start });
        }
        let kind = self.kind()?;
        self.last = self.bytes.get(self.at - 1).copied()?;
        Some(Token { kind, start, end: self.place() })
    }

    /// Goes over white space, to a token or the end of the logical line.
    fn white_space(&mut self) -> Option<()> {
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
                _ => return Some(()),
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
        let width = self.at - from + 7 * tabs_in(self.bytes.get(from..self.at)?);
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
            b'=' | b'!' if next == b'=' => (Kind::Operator, 2),
            b'=' => (Kind::Assign, 1),
            b'-' if next == b'>' => (Kind::Arrow, 2),
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
}

fn tabs_in(blanks: &[u8]) -> usize {
    memchr::memchr_iter(b'\t', blanks).count()
}

/// Whether a byte is part of a name or number.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
