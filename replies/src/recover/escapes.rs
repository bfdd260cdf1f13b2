//! Escapes in strings: those of JSON, and those of Python in its literals.

use super::JsonRepair;
use super::parser::{ParseStop, Parser};
use super::strings::Reading;

impl Parser<'_, '_> {
    /// Reads the escape at `at` and returns the byte behind it.
    pub(super) fn escape(&mut self, at: usize, quote: u8, reading: &mut Reading) -> Result<usize, ParseStop> {
        let bytes = self.text.as_bytes();
        if bytes.get(at + 1) == Some(&b'"') {
            // A quote that the code itself escapes, or a character literal, is no half of a pair.
            let literal = bytes[..at].ends_with(b"\\\\")
                || bytes[..at].ends_with(b"'") && bytes.get(at + 2) == Some(&b'\'');
            reading.escaped += usize::from(quote == b'"' && !literal);
        }
        let python = quote == b'\'' || self.python;
        let character_literal = || bytes[..at].ends_with(b"'") && bytes[at + 2..].starts_with(b"'");
        let (character, end) = match bytes.get(at + 1) {
            // In Python a slash needs no escape, and its backslash is kept.
            Some(b'/') if python => (None, at),
            // An apostrophe that needed no escape; between apostrophes it is a character of the code.
            Some(b'\'') if !python && character_literal() => (None, at),
            Some(b'\'') if !python => {
                self.repair(JsonRepair::InvalidEscape, at)?;
                (Some('\''), at + 2)
            }
            Some(b'u') => unicode_escape(bytes, at),
            Some(byte) => match simple_escape(*byte) {
                Some(character) => (Some(character), at + 2),
                None => match python_escape(self.text, at) {
                    Some((character, end)) if python => {
                        self.repair(JsonRepair::PythonLiteral, at)?;
                        reading.text.extend(character);
                        return Ok(end);
                    }
                    found => {
                        self.python_escapes_kept |= found.is_some();
                        (None, at)
                    }
                },
            },
            None => (None, at),
        };
        if let Some(character) = character {
            reading.text.push(character);
            Ok(end)
        } else {
            self.repair(JsonRepair::InvalidEscape, at)?;
            reading.text.push('\\');
            Ok(at + 1)
        }
    }
}

/// The character of an escape of one sign that JSON and Python have both.
fn simple_escape(sign: u8) -> Option<char> {
    Some(match sign {
        b'"' | b'\'' | b'\\' | b'/' => char::from(sign),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        _ => return None,
    })
}

/// The character of the escape `\uXXXX` at `at`, a surrogate pair included, and the byte behind it.
fn unicode_escape(bytes: &[u8], at: usize) -> (Option<char>, usize) {
    let unit = |at: usize| bytes.get(at..at + 6)?.strip_prefix(b"\\u").and_then(hexadecimal);
    let Some(first) = unit(at) else { return (None, at) };
    if let Some(character) = char::from_u32(first) {
        return (Some(character), at + 6);
    }
    let second = unit(at + 6).filter(|second| first < 0xDC00 && (0xDC00..0xE000).contains(second));
    let pair = |second| char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00));
    (second.and_then(pair), at + 12)
}

/// The character of an escape at `at` that Python alone has, none for a line that goes on, and the byte behind it.
fn python_escape(text: &str, at: usize) -> Option<(Option<char>, usize)> {
    let bytes = text.as_bytes();
    let digits = |count: usize| {
        let code = hexadecimal(bytes.get(at + 2..at + 2 + count)?)?;
        Some((Some(char::from_u32(code)?), at + 2 + count))
    };
    match bytes.get(at + 1)? {
        b'a' => Some((Some('\u{7}'), at + 2)),
        b'v' => Some((Some('\u{b}'), at + 2)),
        b'\n' => Some((None, at + 2)),
        b'\r' if bytes.get(at + 2) == Some(&b'\n') => Some((None, at + 3)),
        b'x' => digits(2),
        b'U' => digits(8),
        b'N' => {
            let name = text[at + 2..].strip_prefix('{')?;
            let length = name.bytes().take(LONGEST_NAME).position(|byte| byte == b'}')?;
            let character = unicode_names2::character(&name[..length])?;
            Some((Some(character), at + "\\N{}".len() + length))
        }
        b'0'..=b'7' => {
            let octal = bytes[at + 1..].iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
            let (code, length) =
                octal.fold((0, 0), |(code, length), digit| (code * 8 + u32::from(digit - b'0'), length + 1));
            Some((Some(char::from_u32(code)?), at + 1 + length))
        }
        _ => None,
    }
}

/// Names of characters are not longer than this.
const LONGEST_NAME: usize = 100;

/// The number that hexadecimal digits stand for.
fn hexadecimal(digits: &[u8]) -> Option<u32> {
    let digit = |code: u32, digit: &u8| Some((code << 4) | char::from(*digit).to_digit(16)?);
    digits.iter().try_fold(0_u32, digit)
}
