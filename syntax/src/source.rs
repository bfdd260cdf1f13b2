//! The text of a source file, decoded without losing a byte.

use std::borrow::Cow;

/// The encoding by which the bytes of a [`Source`] became text.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-8 that begins with a byte order mark, which [`Source::text`] leaves out.
    Utf8WithMark,
    /// Not valid UTF-8: every byte is read as the character of that number (Latin-1).
    Latin1,
}

/// A source file in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    encoding: Encoding,
    /// All text; in UTF-8 with the mark, if there is one.
    text: String,
    /// The bytes where they differ from `text`.
    bytes: Option<Vec<u8>>,
}

/// The byte order mark.
pub const MARK: &str = "\u{feff}";

impl Source {
    /// Decodes bytes: UTF-8, or else Latin-1. `None` for binary content (a NUL byte).
    pub fn decode(bytes: Vec<u8>) -> Option<Self> {
        if bytes.contains(&0) {
            return None;
        }
        Some(match String::from_utf8(bytes) {
            Ok(text) => Self::from_text(text),
            Err(error) => {
                let bytes = error.into_bytes();
                Self { encoding: Encoding::Latin1, text: decoded(&bytes).into_owned(), bytes: Some(bytes) }
            }
        })
    }

    /// Takes text as it is.
    pub fn from_text(text: impl Into<String>) -> Self {
        let text = text.into();
        let encoding = if text.starts_with(MARK) { Encoding::Utf8WithMark } else { Encoding::Utf8 };
        Self { encoding, text, bytes: None }
    }

    /// The encoding by which the bytes were read.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The bytes as they are on disk.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or(self.text.as_bytes())
    }

    /// The text, without a byte order mark.
    pub fn text(&self) -> &str {
        self.text.strip_prefix(MARK).unwrap_or(&self.text)
    }

    /// The lines without their terminators (`\n` or `\r\n`); a terminator at the very end opens no further line.
    pub fn lines(&self) -> Vec<&str> {
        self.text().lines().collect()
    }

    /// The number of lines.
    pub fn line_count(&self) -> usize {
        self.text().lines().count()
    }
}

/// Bytes as text: UTF-8, or else Latin-1.
pub fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives() {
        let check = |bytes: &[u8], encoding: Encoding, text: &str, lines: &[&str]| {
            let source = Source::decode(bytes.to_vec()).unwrap();
            assert_eq!(source.encoding(), encoding, "{bytes:?}");
            assert_eq!(source.bytes(), bytes);
            assert_eq!(source.text(), text);
            assert_eq!(source.lines(), lines);
            assert_eq!(source.line_count(), lines.len());
        };
        check(b"", Encoding::Utf8, "", &[]);
        check(b"a\nb", Encoding::Utf8, "a\nb", &["a", "b"]);
        check(b"a\r\n\r\nb\n", Encoding::Utf8, "a\r\n\r\nb\n", &["a", "", "b"]);
        check("π = 3\n".as_bytes(), Encoding::Utf8, "π = 3\n", &["π = 3"]);
        check(b"\xef\xbb\xbfx = 1\n", Encoding::Utf8WithMark, "x = 1\n", &["x = 1"]);
        check(b"// caf\xe9\xff\n", Encoding::Latin1, "// caf\u{e9}\u{ff}\n", &["// caf\u{e9}\u{ff}"]);
    }

    #[test]
    fn binary_content_is_refused() {
        assert_eq!(Source::decode(b"PK\x03\x04\0\0".to_vec()), None);
    }
}
