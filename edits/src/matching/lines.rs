//! A text as lines, each with its place in the original bytes.

use std::borrow::Cow;
use std::ops::Range;

/// A text whose lines can be compared without regard to how they end.
#[derive(Debug)]
pub(crate) struct Lines<'t> {
    raw: &'t str,
    /// The text with `\n` at every line end.
    plain: Cow<'t, str>,
    places: Vec<Placement>,
}

/// The bytes at which a line begins and ends.
#[derive(Copy, Clone, Debug)]
struct Placement {
    raw: usize,
    plain: usize,
    /// The end in the plain text, without the line end.
    end: usize,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(raw: &'t str) -> Self {
        let plain = with_plain_ends(raw);
        let mut places = Vec::new();
        let mut at = 0;
        let mut shift = 0;
        for line in plain.split_inclusive('\n') {
            let end = at + line.strip_suffix('\n').unwrap_or(line).len();
            places.push(Placement { raw: at + shift, plain: at, end });
            shift += usize::from(raw[end + shift..].starts_with("\r\n"));
            at += line.len();
        }
        Self { raw, plain, places }
    }

    /// The text as it is.
    pub(crate) fn raw(&self) -> &'t str {
        self.raw
    }

    /// The text with `\n` at every line end.
    pub(crate) fn plain(&self) -> &str {
        &self.plain
    }

    /// The number of lines.
    pub(crate) fn count(&self) -> usize {
        self.places.len()
    }

    /// A line without its end; empty beyond the last one.
    pub(crate) fn get(&self, line: usize) -> &str {
        self.places.get(line).map_or("", |place| &self.plain[place.plain..place.end])
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(|place| &self.plain[place.plain..place.end])
    }

    /// The byte at which a line begins in the text as it is; the end of the text beyond the last line.
    pub(crate) fn start(&self, line: usize) -> usize {
        self.places.get(line).map_or(self.raw.len(), |place| place.raw)
    }

    /// Some whole lines, with their ends, in the text as it is.
    pub(crate) fn range(&self, lines: Range<usize>) -> Range<usize> {
        self.start(lines.start)..self.start(lines.end)
    }

    /// The end of a line: `\n`, `\r\n`, or nothing at the end of the text.
    pub(crate) fn end_of(&self, line: usize) -> &'t str {
        let Some(place) = self.places.get(line) else { return "" };
        &self.raw[place.raw + (place.end - place.plain)..self.start(line + 1)]
    }

    /// The line that a byte of the plain text belongs to.
    pub(crate) fn line_at(&self, plain: usize) -> usize {
        self.places.partition_point(|place| place.plain <= plain).saturating_sub(1)
    }

    /// A byte of the plain text in the text as it is.
    pub(crate) fn raw_at(&self, plain: usize) -> usize {
        if plain >= self.plain.len() {
            return self.raw.len();
        }
        let line = self.line_at(plain);
        self.places.get(line).map_or(plain, |place| place.raw + (plain - place.plain))
    }

    /// The line end that most lines have.
    pub(crate) fn usual_end(&self) -> &'static str {
        usual_end(self.raw)
    }

    /// Is true if what comes before a line, at the end of the text, does not end with a line end.
    pub(crate) fn is_open_at(&self, line: usize) -> bool {
        line == self.count() && line > 0 && self.end_of(line - 1).is_empty()
    }
}

/// The line end that most lines of a text have; `\n` where none has any.
pub(crate) fn usual_end(text: &str) -> &'static str {
    let all = text.matches('\n').count();
    let with_return = text.matches("\r\n").count();
    if with_return > all - with_return { "\r\n" } else { "\n" }
}

/// A text with `\n` at every line end.
pub(crate) fn with_plain_ends(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

/// The lines of a plain text; one line end at its end opens no further line.
pub(crate) fn split(plain: &str) -> Vec<&str> {
    if plain.is_empty() {
        return Vec::new();
    }
    plain.strip_suffix('\n').unwrap_or(plain).split('\n').collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_the_plain_text_has_one_in_the_original() {
        for raw in ["", "a", "a\n", "\n", "a\r\nb\nc\r\n", "é\r\nx\r\n\r\ny", "a\rb\r\n", "\r\n\r\n"] {
            let lines = Lines::new(raw);
            let expect: Vec<&str> = raw.split_inclusive('\n').collect();
            assert_eq!(lines.count(), expect.len(), "{raw:?}");
            for (number, line) in expect.iter().enumerate() {
                assert_eq!(&&raw[lines.range(number..number + 1)], line, "{raw:?}");
                assert_eq!(format!("{}{}", lines.get(number), lines.end_of(number)), *line, "{raw:?}");
            }
            for (at, letter) in lines.plain().char_indices().filter(|(_, letter)| *letter != '\n') {
                assert!(raw[lines.raw_at(at)..].starts_with(letter), "{raw:?} {at}");
            }
        }
        assert_eq!(Lines::new("a\r\nb\r\nc\n").usual_end(), "\r\n");
        assert_eq!(Lines::new("a\r\nb\n").usual_end(), "\n");
    }

    #[test]
    fn texts_are_split_at_their_line_ends() {
        assert_eq!(split(""), [""; 0]);
        assert_eq!(split("\n"), [""]);
        assert_eq!(split("a\n\n"), ["a", ""]);
        assert_eq!(split("a\nb"), ["a", "b"]);
    }
}
