//! Strings in other marks than JSON's: three quotes, a prefix, typographic quotes.

use serde_json::Value;

use super::frame::Expect;
use super::lookahead::quoted_end;
use super::parser::{ParseStop, Parser};
use super::strings::Reading;
use super::{DamageKind, JsonRepair};

impl Parser<'_, '_> {
    /// Is true if a string in three quotes begins here, where one of them stands.
    pub(super) fn triple_quoted(&self, quote: u8) -> bool {
        let bytes = self.text.as_bytes();
        [self.at + 1, self.at + 2].iter().all(|at| bytes.get(*at) == Some(&quote))
    }

    /// A string in three quotes; `raw` when its prefix says that backslashes stand for themselves.
    pub(super) fn triple_quoted_string(&mut self, quote: u8, raw: bool) -> Result<(), ParseStop> {
        self.repair(JsonRepair::PythonLiteral, self.at)?;
        let start = self.at + 3;
        let end = self.triple_quotes_end(quote, start);
        if end.is_none() {
            self.damage(DamageKind::Cut, self.at)?;
        }
        let written = &self.text[start..end.unwrap_or(self.text.len())];
        let text = if raw { written.to_owned() } else { self.unescaped(start, written)? };
        if written.contains('\n') && text.len() < written.len() && holds_python_escape(written) {
            // Whoever breaks lines as they are may have meant backslashes as they are, too.
            self.damage(DamageKind::TwoReadings, self.at)?;
        }
        self.at = end.map_or(self.text.len(), |end| end + 3);
        self.push(Value::String(text));
        Ok(())
    }

    /// The three quotes that end a string which goes on at `from`: the first of them is not escaped.
    fn triple_quotes_end(&mut self, quote: u8, mut from: usize) -> Option<usize> {
        let mark = if quote == b'"' { "\"\"\"" } else { "'''" };
        let start = from;
        loop {
            let end = self.memory.find(self.text, mark, from)?;
            let escaped =
                self.text.as_bytes()[start..end].iter().rev().take_while(|byte| **byte == b'\\').count() % 2;
            if escaped == 0 {
                return Some(end);
            }
            from = end + 1;
        }
    }

    /// The text that stands at `start`, its escapes read.
    fn unescaped(&mut self, start: usize, written: &str) -> Result<String, ParseStop> {
        let mut reading = Reading::default();
        let (mut at, end) = (start, start + written.len());
        while let Some(plain) = memchr::memchr(b'\\', &self.text.as_bytes()[at..end]) {
            reading.text.push_str(&self.text[at..at + plain]);
            at = self.escape(at + plain, b'\'', &mut reading)?;
        }
        reading.text.push_str(&self.text[at.min(end)..end]);
        Ok(reading.text)
    }

    /// A prefixed raw string (`r"…"`), its backslashes kept; the quote stands here.
    pub(super) fn raw_string(&mut self, quote: u8) -> Result<(), ParseStop> {
        if let Some(end) = quoted_end(self.text.as_bytes(), self.at) {
            let text = self.text[self.at + 1..end].to_owned();
            self.at = end + 1;
            self.push(Value::String(text));
            return Ok(());
        }
        let (text, _) = self.string(quote, self.place())?;
        self.damage(DamageKind::Cut, self.at)?;
        self.push(Value::String(text));
        Ok(())
    }

    /// The marks that can close the typographic quote that stands here.
    pub(super) fn typographic_quote(&self) -> Option<[&'static str; 3]> {
        match self.text[self.at..].chars().next()? {
            '“' | '”' | '„' => Some(["”", "“", "\""]),
            '‘' | '’' => Some(["’", "‘", "'"]),
            _ => None,
        }
    }

    /// The text up to a closing typographic quote on the same line.
    fn typographic(&mut self, closing: [&'static str; 3]) -> Result<Option<String>, ParseStop> {
        self.repair(JsonRepair::TypographicQuotes, self.at)?;
        let start = self.at + '“'.len_utf8();
        let line = self.memory.find(self.text, "\n", start).unwrap_or(self.text.len());
        let ends = closing.map(|mark| (self.memory.find(self.text, mark, start).unwrap_or(line), mark.len()));
        let Some((end, length)) = ends.into_iter().filter(|(end, _)| *end < line).min() else {
            self.damage(DamageKind::Cut, self.at)?;
            self.at = line;
            return Ok(None);
        };
        self.at = end + length;
        Ok(Some(self.text[start..end].to_owned()))
    }

    pub(super) fn typographic_key(&mut self, closing: [&'static str; 3]) -> Result<(), ParseStop> {
        let start = self.at;
        if let Some(name) = self.typographic(closing)? {
            return self.key_read(name, start);
        }
        Ok(())
    }

    pub(super) fn typographic_value(&mut self, closing: [&'static str; 3]) -> Result<(), ParseStop> {
        match self.typographic(closing)? {
            Some(text) => self.push(Value::String(text)),
            None if self.in_object() => self.drop_key()?,
            None => self.expect = Expect::Comma,
        }
        Ok(())
    }
}

/// Is true if a text holds an escape that is none of a quote or a backslash.
fn holds_python_escape(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(plain) = memchr::memchr(b'\\', &bytes[at..]) {
        at += plain + 1;
        match bytes.get(at) {
            Some(b'\\' | b'"' | b'\'' | b'\n') => at += 1,
            Some(_) => return true,
            None => break,
        }
    }
    false
}
