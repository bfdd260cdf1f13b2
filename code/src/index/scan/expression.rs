//! Whether something is an expression. What it is does not matter, as long as it is one beyond doubt; so there is no
//! precedence, only sides and signs.

use super::lexer::Lexer;
use super::token::{Bracket, Kind, Place, Token, Word};

/// Brackets, functions and conditions inside so many others are in doubt.
const MAX_NESTING: usize = 60;

/// What an expression looks like.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Name,
    /// A member or an item of something.
    Part,
    /// Brackets around what could be given values.
    Targets,
    /// One or more strings without values in them.
    Text,
    Other,
}

impl Shape {
    /// Whether it can be given a value.
    pub fn is_target(self) -> bool {
        match self {
            Self::Name | Self::Part | Self::Targets => true,
            Self::Text | Self::Other => false,
        }
    }
}

/// Reads expressions.
pub(super) struct Expressions<'t> {
    pub lexer: Lexer<'t>,
    /// The token that is looked at.
    pub token: Token,
    /// Where the one before it ends.
    pub end: Place,
    /// Types that are being read: what looks like an item in one is read otherwise by the parser.
    types: usize,
    nesting: usize,
}

impl<'t> Expressions<'t> {
    pub fn new(text: &'t str) -> Self {
        let nowhere = Token { kind: Kind::Newline, start: Place::default(), end: Place::default() };
        Self { lexer: Lexer::new(text), token: nowhere, end: Place::default(), types: 0, nesting: 0 }
    }

    pub fn slice(&self, start: usize, end: usize) -> &'t str {
        self.lexer.text.get(start..end).unwrap_or_default()
    }

    /// Goes on to the next token.
    pub fn bump(&mut self) -> Option<()> {
        self.end = self.token.end;
        self.token = self.lexer.token()?;
        Some(())
    }

    pub fn is(&self, kind: Kind) -> bool {
        self.token.kind == kind
    }

    pub fn word(&self, word: Word) -> bool {
        self.token.kind == Kind::Word(word)
    }

    /// Goes over a token if it is there.
    pub fn skip(&mut self, kind: Kind) -> Option<bool> {
        let there = self.is(kind);
        if there {
            self.bump()?;
        }
        Some(there)
    }

    /// Goes over a token that must be there.
    pub fn expect(&mut self, kind: Kind) -> Option<()> {
        if self.is(kind) { self.bump() } else { None }
    }

    /// Goes over a name.
    pub fn name(&mut self) -> Option<&'t str> {
        let name = self.slice(self.token.start.byte, self.token.end.byte);
        self.expect(Kind::Name)?;
        Some(name)
    }

    /// An expression.
    pub fn expression(&mut self) -> Option<Shape> {
        if self.nesting > MAX_NESTING {
            return None;
        }
        self.nesting += 1;
        let shape = self.conditional();
        self.nesting -= 1;
        shape
    }

    /// A type: values with `|` between them. More may stand there, but the parser takes `a[b] == c` for a type and damage.
    pub fn annotation(&mut self) -> Option<()> {
        self.types += 1;
        loop {
            while self.is(Kind::Sign) {
                self.bump()?;
            }
            self.primary()?;
            let token = self.token;
            if !self.is(Kind::Operator) {
                break;
            }
            if self.slice(token.start.byte, token.end.byte) != "|" {
                return None;
            }
            self.bump()?;
        }
        self.types -= 1;
        Some(())
    }

    /// Whether a type is being read.
    pub fn in_type(&self) -> bool {
        self.types > 0
    }

    fn conditional(&mut self) -> Option<Shape> {
        if self.word(Word::Lambda) {
            // In an f-string its `:` may be another.
            return if self.lexer.quotes.is_empty() { self.lambda() } else { None };
        }
        let shape = self.disjunction()?;
        if self.word(Word::If) {
            self.bump()?;
            self.disjunction()?;
            self.expect(Kind::Word(Word::Else))?;
            self.expression()?;
            return Some(Shape::Other);
        }
        if self.is(Kind::Walrus) {
            if shape != Shape::Name || !self.lexer.quotes.is_empty() {
                return None;
            }
            self.bump()?;
            self.expression()?;
            return Some(Shape::Other);
        }
        Some(shape)
    }

    fn lambda(&mut self) -> Option<Shape> {
        self.bump()?;
        self.lexer.strict += 1;
        while !self.is(Kind::Colon) {
            if !self.skip(Kind::Slash)? {
                let pairs = self.skip(Kind::StarStar)?;
                let starred = pairs || self.skip(Kind::Star)?;
                // Only a single star may stand alone.
                if pairs || !starred || self.is(Kind::Name) {
                    self.name()?;
                }
                if !starred && self.skip(Kind::Assign)? {
                    self.expression()?;
                }
            }
            if !self.skip(Kind::Comma)? {
                break;
            }
        }
        self.lexer.strict -= 1;
        self.expect(Kind::Colon)?;
        self.expression()?;
        Some(Shape::Other)
    }

    /// Everything without `if` and `lambda`.
    pub fn disjunction(&mut self) -> Option<Shape> {
        let mut whole = None;
        loop {
            let negated = self.word(Word::Not);
            while self.word(Word::Not) {
                self.bump()?;
            }
            let shape = self.comparison()?;
            whole = Some(if whole.is_some() || negated { Shape::Other } else { shape });
            if !self.word(Word::And) && !self.word(Word::Or) {
                return whole;
            }
            self.bump()?;
        }
    }

    pub(super) fn comparison(&mut self) -> Option<Shape> {
        let mut whole = None;
        loop {
            let mut signed = false;
            while matches!(self.token.kind, Kind::Sign | Kind::Invert) {
                signed = true;
                self.bump()?;
            }
            if self.word(Word::Await) {
                signed = true;
                self.bump()?;
            }
            let shape = self.primary()?;
            whole = Some(if whole.is_some() || signed { Shape::Other } else { shape });
            match self.token.kind {
                Kind::Operator | Kind::Sign | Kind::Star | Kind::StarStar | Kind::Slash | Kind::At => {
                    self.bump()?;
                }
                Kind::Word(Word::In) => self.bump()?,
                Kind::Word(Word::Is) => {
                    self.bump()?;
                    self.skip(Kind::Word(Word::Not))?;
                }
                Kind::Word(Word::Not) => {
                    self.bump()?;
                    self.expect(Kind::Word(Word::In))?;
                }
                _ => return whole,
            }
        }
    }

    /// A value with its members, items and calls.
    pub fn primary(&mut self) -> Option<Shape> {
        let mut shape = self.atom()?;
        loop {
            match self.token.kind {
                Kind::Dot => {
                    self.bump()?;
                    if !self.skip(Kind::OldName)? {
                        self.name()?;
                    }
                    shape = Shape::Part;
                }
                Kind::Open(Bracket::Square) => {
                    self.bump()?;
                    self.items()?;
                    shape = Shape::Part;
                }
                Kind::Open(Bracket::Round) => {
                    self.bump()?;
                    self.arguments()?;
                    shape = Shape::Other;
                }
                _ => return Some(shape),
            }
        }
    }

    fn atom(&mut self) -> Option<Shape> {
        match self.token.kind {
            Kind::Name => {
                self.bump()?;
                Some(Shape::Name)
            }
            Kind::Number | Kind::Constant => {
                self.bump()?;
                Some(Shape::Other)
            }
            Kind::Text | Kind::Format => self.strings(),
            Kind::Open(bracket) => {
                if self.nesting > MAX_NESTING {
                    return None;
                }
                self.nesting += 1;
                self.bump()?;
                let shape = match bracket {
                    Bracket::Round => self.round(),
                    Bracket::Square => self.collection(Bracket::Square).map(|(shape, _)| shape),
                    Bracket::Curly => self.curly(),
                };
                self.nesting -= 1;
                shape
            }
            _ => None,
        }
    }

    /// `yield` and what it yields.
    pub fn yielded(&mut self) -> Option<()> {
        self.bump()?;
        if self.skip(Kind::Word(Word::From))? {
            self.expression()?;
            return Some(());
        }
        if matches!(self.token.kind, Kind::Newline | Kind::Semicolon | Kind::Close(_) | Kind::Assign) {
            return Some(());
        }
        self.list()?;
        Some(())
    }

    /// Expressions with commas between them, without brackets; what it looks like if it is one.
    pub fn list(&mut self) -> Option<Shape> {
        let (mut alone, mut targets) = (true, true);
        loop {
            let starred = self.skip(Kind::Star)?;
            // Nothing but a name may be taken apart here, says the parser.
            if starred && !self.is(Kind::Name) {
                return None;
            }
            let shape = if starred { self.primary()? } else { self.expression()? };
            targets &= shape.is_target();
            if !self.is(Kind::Comma) {
                return match (alone, targets) {
                    (true, _) if starred => None,
                    (true, _) => Some(shape),
                    (false, true) => Some(Shape::Targets),
                    (false, false) => Some(Shape::Other),
                };
            }
            alone = false;
            self.bump()?;
            if targets && matches!(self.token.kind, Kind::Newline | Kind::Semicolon) {
                // The parser looks for an assignment to them on the next line.
                return None;
            }
            if self.ends_list() {
                return Some(if targets { Shape::Targets } else { Shape::Other });
            }
        }
    }

    fn ends_list(&self) -> bool {
        matches!(
            self.token.kind,
            Kind::Newline | Kind::Semicolon | Kind::Close(_) | Kind::Assign | Kind::Augment | Kind::Colon
        )
    }
}
