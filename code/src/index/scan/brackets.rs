//! What stands in brackets: tuples, lists, dictionaries, arguments, items, and what is made by loops.

use super::expression::{Expressions, Shape};
use super::token::{Bracket, Kind, Word};

impl Expressions<'_> {
    /// Behind `(`: brackets, a tuple or a generator.
    pub(super) fn round(&mut self) -> Option<Shape> {
        if self.word(Word::Yield) {
            self.yielded()?;
            self.expect(Kind::Close(Bracket::Round))?;
            return Some(Shape::Other);
        }
        let starred = self.is(Kind::Star);
        let (shape, comma) = self.collection(Bracket::Round)?;
        // `(*a)` is no tuple.
        if starred && !comma {
            return None;
        }
        Some(shape)
    }

    /// Elements with commas between them, or one for all of something else, to the closing bracket; whether there is a comma.
    pub(super) fn collection(&mut self, bracket: Bracket) -> Option<(Shape, bool)> {
        let close = Kind::Close(bracket);
        let mut targets = true;
        let mut first = true;
        let mut comma = false;
        while !self.is(close) {
            if self.is(Kind::Star) {
                self.bump()?;
                targets &= self.starred()?.is_target();
            } else {
                targets &= self.expression()?.is_target();
                if first && self.comprehension()? {
                    targets = false;
                    break;
                }
            }
            first = false;
            if !self.skip(Kind::Comma)? {
                break;
            }
            comma = true;
        }
        self.expect(close)?;
        Some((if targets { Shape::Targets } else { Shape::Other }, comma))
    }

    /// What is taken apart by a `*`.
    fn starred(&mut self) -> Option<Shape> {
        let shape = self.comparison()?;
        Some(if shape == Shape::Targets { Shape::Other } else { shape })
    }

    /// Behind `{`: a dictionary or a set.
    pub(super) fn curly(&mut self) -> Option<Shape> {
        let close = Kind::Close(Bracket::Curly);
        if self.skip(close)? {
            return Some(Shape::Other);
        }
        let mut pairs = None;
        let mut first = true;
        while !self.is(close) {
            let pair = if self.is(Kind::StarStar) {
                self.bump()?;
                self.comparison()?;
                true
            } else if self.is(Kind::Star) {
                self.bump()?;
                self.starred()?;
                false
            } else {
                self.expression()?;
                let pair = self.skip(Kind::Colon)?;
                if pair {
                    self.expression()?;
                }
                if first && self.comprehension()? {
                    break;
                }
                pair
            };
            if pairs.is_some_and(|pairs| pairs != pair) {
                return None;
            }
            pairs = Some(pair);
            first = false;
            if !self.skip(Kind::Comma)? {
                break;
            }
        }
        self.expect(close)?;
        Some(Shape::Other)
    }

    /// `for … in … if …` behind an element; whether there is any.
    pub(super) fn comprehension(&mut self) -> Option<bool> {
        let mut any = false;
        loop {
            let unusual = self.skip(Kind::Word(Word::Async))?;
            if self.word(Word::For) {
                any = true;
                self.lexer.strict += 1;
                self.bump()?;
                self.targets()?;
                self.expect(Kind::Word(Word::In))?;
                self.lexer.strict -= 1;
                self.disjunction()?;
            } else if self.word(Word::If) && any && !unusual {
                self.bump()?;
                let shape = self.disjunction()?;
                if shape == Shape::Name && self.skip(Kind::Walrus)? {
                    self.disjunction()?;
                }
            } else {
                return (!unusual).then_some(any);
            }
        }
    }

    /// What a loop gives values to.
    pub fn targets(&mut self) -> Option<()> {
        loop {
            self.skip(Kind::Star)?;
            if !self.primary()?.is_target() {
                return None;
            }
            if !self.skip(Kind::Comma)? || self.word(Word::In) {
                return Some(());
            }
        }
    }

    /// Behind `(` of a call.
    pub fn arguments(&mut self) -> Option<()> {
        let close = Kind::Close(Bracket::Round);
        let mut first = true;
        while !self.is(close) {
            if self.is(Kind::Star) || self.is(Kind::StarStar) {
                self.bump()?;
                self.expression()?;
            } else {
                let shape = self.expression()?;
                if self.is(Kind::Assign) {
                    if shape != Shape::Name {
                        return None;
                    }
                    self.bump()?;
                    self.expression()?;
                } else if first && self.comprehension()? {
                    break;
                }
            }
            first = false;
            if !self.skip(Kind::Comma)? {
                break;
            }
        }
        self.expect(close)
    }

    /// Behind `[` of an item or a slice.
    pub(super) fn items(&mut self) -> Option<()> {
        let close = Kind::Close(Bracket::Square);
        if self.is(close) {
            return None;
        }
        while !self.is(close) {
            if self.is(Kind::Star) {
                return None;
            }
            if self.in_type() {
                self.annotation()?;
                if !self.skip(Kind::Comma)? {
                    break;
                }
                continue;
            }
            if !self.is(Kind::Colon) {
                self.expression()?;
            }
            for _ in 0..2 {
                if self.skip(Kind::Colon)?
                    && !matches!(self.token.kind, Kind::Colon | Kind::Comma)
                    && !self.is(close)
                {
                    self.expression()?;
                }
            }
            if !self.skip(Kind::Comma)? {
                break;
            }
        }
        self.expect(close)
    }
}
