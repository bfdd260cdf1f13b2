//! Strings in expressions, and the expressions in strings.

use super::expression::{Expressions, Shape};
use super::literal::FormatPart;
use super::token::{Bracket, Kind, Word};

impl Expressions<'_> {
    /// One or more strings side by side.
    pub(super) fn strings(&mut self) -> Option<Shape> {
        let mut plain = true;
        while matches!(self.token.kind, Kind::Text | Kind::Format) {
            if self.is(Kind::Format) {
                plain &= self.format()?;
            }
            self.bump()?;
        }
        Some(if plain { Shape::Text } else { Shape::Other })
    }

    /// An f-string, from its first quote on; whether it has no values in it. Its end becomes that of the token.
    fn format(&mut self) -> Option<bool> {
        if self.lexer.quotes.len() > 3 {
            return None;
        }
        let prefix = self.slice(self.token.start.byte, self.token.end.byte);
        let style = self.lexer.format_start(prefix.as_bytes());
        let mut plain = true;
        while self.lexer.format_text(style)? == FormatPart::Value {
            plain = false;
            self.lexer.quotes.push(style.quote);
            self.value()?;
            self.lexer.quotes.pop();
        }
        self.lexer.after_quote();
        self.token.end = self.lexer.place();
        Some(plain)
    }

    /// A value in an f-string, from behind its `{` to behind its `}`.
    fn value(&mut self) -> Option<()> {
        self.lexer.depth += 1;
        self.bump()?;
        if self.word(Word::Yield) {
            return None;
        }
        self.expression()?;
        while self.is(Kind::Comma) {
            self.bump()?;
            self.expression()?;
        }
        self.skip(Kind::Assign)?;
        if self.is(Kind::Bang) {
            self.lexer.conversion()?;
            self.bump()?;
        }
        if self.is(Kind::Colon) {
            while self.lexer.format_specifier()? == FormatPart::Value {
                self.value()?;
            }
            self.bump()?;
        }
        // Nothing is read behind the bracket: it is text again.
        self.is(Kind::Close(Bracket::Curly)).then_some(())
    }
}
