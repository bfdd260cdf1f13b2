//! Statements on one logical line.

use super::expression::Shape;
use super::reader::{Reader, Scope};
use super::token::{Bracket, Kind, Place, Word};
use crate::assembly::What;

/// What a statement gives a skeleton.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Yields {
    /// Its lines, outside of functions.
    Lines,
    /// Its words, at the beginning of a block.
    Documentation,
    Nothing,
}

impl Reader<'_> {
    /// Statements with semicolons between them, up to the end of the line.
    pub(super) fn simple_statements(&mut self, scope: &mut Scope) -> Option<()> {
        loop {
            self.simple_statement(scope)?;
            if self.code.skip(Kind::Semicolon)? && !self.code.is(Kind::Newline) {
                continue;
            }
            return self.code.is(Kind::Newline).then_some(());
        }
    }

    fn simple_statement(&mut self, scope: &mut Scope) -> Option<()> {
        let start = self.code.token.start;
        let yields = match self.code.token.kind {
            Kind::Word(word) => match word {
                Word::Import | Word::From => {
                    self.import(word)?;
                    Yields::Lines
                }
                Word::Pass | Word::Break | Word::Continue => {
                    self.code.bump()?;
                    Yields::Nothing
                }
                Word::Return => {
                    self.code.bump()?;
                    if !self.ends() {
                        self.code.list()?;
                    }
                    Yields::Nothing
                }
                Word::Raise => {
                    self.code.bump()?;
                    if !self.ends() {
                        self.code.expression()?;
                        if self.code.skip(Kind::Word(Word::From))? {
                            self.code.expression()?;
                        }
                    }
                    Yields::Nothing
                }
                Word::Assert => {
                    self.code.bump()?;
                    self.code.expression()?;
                    if self.code.skip(Kind::Comma)? {
                        self.code.expression()?;
                    }
                    Yields::Nothing
                }
                Word::Del => {
                    self.code.bump()?;
                    if !self.code.list()?.is_target() {
                        return None;
                    }
                    Yields::Nothing
                }
                Word::Global | Word::Nonlocal => {
                    self.code.bump()?;
                    self.code.name()?;
                    while self.code.skip(Kind::Comma)? {
                        self.code.name()?;
                    }
                    Yields::Nothing
                }
                Word::Yield => {
                    self.code.yielded()?;
                    Yields::Nothing
                }
                Word::Await | Word::Lambda | Word::Not => self.expression_statement(scope)?,
                // None of them begins a simple statement.
                Word::And
                | Word::As
                | Word::Async
                | Word::Class
                | Word::Def
                | Word::Elif
                | Word::Else
                | Word::Except
                | Word::Finally
                | Word::For
                | Word::If
                | Word::In
                | Word::Is
                | Word::Or
                | Word::Try
                | Word::While
                | Word::With => return None,
            },
            Kind::OldName => {
                // What follows may make it a statement of the old language.
                self.code.bump()?;
                self.code.expect(Kind::Open(Bracket::Round))?;
                self.code.arguments()?;
                if !self.ends() {
                    return None;
                }
                Yields::Nothing
            }
            _ => self.expression_statement(scope)?,
        };
        self.show(scope, start, yields)
    }

    fn show(&mut self, scope: &mut Scope, start: Place, yields: Yields) -> Option<()> {
        let rows = (start.row, self.code.end.row);
        let documents = yields == Yields::Documentation;
        let begins = scope.begin(start.row, documents);
        if documents && begins {
            let text = self.code.slice(start.byte, self.code.end.byte);
            self.sheet.document(start.row, text);
        } else if yields == Yields::Lines && scope.open {
            self.sheet.keep(rows);
        } else if !self.sheet.fold(rows) && scope.open && rows.0 < rows.1 {
            // Parts of it may be left out one by one.
            return None;
        }
        Some(())
    }

    fn ends(&self) -> bool {
        matches!(self.code.token.kind, Kind::Newline | Kind::Semicolon)
    }

    fn import(&mut self, word: Word) -> Option<()> {
        self.code.bump()?;
        let token = self.code.token;
        // The parser has a statement of its own for it.
        let future = self.code.slice(token.start.byte, token.end.byte) == "__future__";
        if word == Word::From {
            let mut dots = false;
            while self.code.is(Kind::Dot) || self.code.is(Kind::Constant) {
                // Three dots look like a constant.
                let token = self.code.token;
                if !self.code.slice(token.start.byte, token.end.byte).starts_with('.') {
                    return None;
                }
                dots = true;
                self.code.bump()?;
            }
            if !dots || !self.code.word(Word::Import) {
                self.dotted_name()?;
            }
            self.code.expect(Kind::Word(Word::Import))?;
            if !future && self.code.skip(Kind::Star)? {
                return Some(());
            }
        }
        self.code.lexer.strict += 1;
        let round = word == Word::From && self.code.skip(Kind::Open(Bracket::Round))?;
        let close = Kind::Close(Bracket::Round);
        loop {
            self.dotted_name()?;
            if self.code.skip(Kind::Word(Word::As))? {
                self.code.name()?;
            }
            if !self.code.skip(Kind::Comma)? || (round && self.code.is(close)) {
                break;
            }
        }
        self.code.lexer.strict -= 1;
        if round { self.code.expect(close) } else { Some(()) }
    }

    fn dotted_name(&mut self) -> Option<()> {
        self.code.name()?;
        while self.code.skip(Kind::Dot)? {
            self.code.name()?;
        }
        Some(())
    }

    /// An expression, an assignment or documentation.
    fn expression_statement(&mut self, scope: &Scope) -> Option<Yields> {
        let start = self.code.token.start;
        let soft = self.soft_keyword()?;
        let mut shape = self.code.list()?;
        match self.code.token.kind {
            Kind::Colon => {
                if !matches!(shape, Shape::Name | Shape::Part) || soft {
                    return None;
                }
                let end = self.code.end;
                self.code.bump()?;
                self.code.annotation()?;
                if self.code.skip(Kind::Assign)? {
                    self.value()?;
                }
                self.fields(scope, &[(start, end)])?;
                Some(Yields::Lines)
            }
            Kind::Augment => {
                if !matches!(shape, Shape::Name | Shape::Part) || soft {
                    return None;
                }
                self.code.bump()?;
                self.value()?;
                Some(Yields::Nothing)
            }
            Kind::Assign => {
                let mut targets = Vec::new();
                let mut begun = start;
                while self.code.is(Kind::Assign) {
                    if !shape.is_target() || (soft && shape != Shape::Name) {
                        return None;
                    }
                    targets.push((begun, self.code.end));
                    self.code.bump()?;
                    begun = self.code.token.start;
                    if self.code.word(Word::Yield) {
                        self.code.yielded()?;
                        break;
                    }
                    shape = self.code.list()?;
                }
                self.fields(scope, &targets)?;
                Some(Yields::Lines)
            }
            _ if shape == Shape::Text => Some(Yields::Documentation),
            _ => Some(Yields::Nothing),
        }
    }

    /// The right side of an assignment.
    fn value(&mut self) -> Option<()> {
        if self.code.word(Word::Yield) { self.code.yielded() } else { self.code.list().map(|_| ()) }
    }

    /// Whether a statement begins with a name that begins other statements, too; `None` where it may be one of those.
    fn soft_keyword(&self) -> Option<bool> {
        let token = self.code.token;
        if token.kind != Kind::Name {
            return Some(false);
        }
        let name = self.code.slice(token.start.byte, token.end.byte);
        if !matches!(name, "match" | "case" | "type") {
            return Some(false);
        }
        let rest = self.code.lexer.rest();
        let blanks = rest.iter().take_while(|byte| **byte == b' ').count();
        let next = |ahead: usize| rest.get(blanks + ahead).copied().unwrap_or(0);
        match next(0) {
            b'=' if next(1) != b'=' => Some(true),
            b'.' if blanks == 0 => Some(true),
            b'(' if name == "type" => Some(true),
            _ => None,
        }
    }

    /// Notes the variables of targets that begin and end there.
    fn fields(&mut self, scope: &Scope, targets: &[(Place, Place)]) -> Option<()> {
        if scope.owner.is_some_and(|owner| self.found.get(owner).is_some_and(|owner| owner.what.is_method()))
        {
            return Some(());
        }
        for (start, end) in targets {
            for name in names_of(self.code.slice(start.byte, end.byte))? {
                self.declare(What::Field, name, *start, start.row, scope.owner);
                self.end_declaration(self.found.len() - 1, self.code.end.row);
            }
        }
        Some(())
    }
}

/// The names that a target gives values to: itself, or those between its commas.
fn names_of(target: &str) -> Option<Vec<&str>> {
    let is_name = |text: &str| {
        text.bytes().all(super::lexer::is_word)
            && text.bytes().next().is_some_and(|byte| !byte.is_ascii_digit())
    };
    if is_name(target) {
        return Some(vec![target]);
    }
    if target.contains(['.', '[']) {
        return Some(Vec::new());
    }
    if target.contains(['#', '\\', '"', '\'']) {
        return None;
    }
    let whole = target.starts_with('(') && closes_at_end(target);
    let inner = if whole { target.get(1..target.len() - 1)? } else { target };
    let mut names = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    for (place, letter) in inner.char_indices().chain([(inner.len(), ',')]) {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                let part = inner.get(from..place)?.trim();
                if !part.is_empty() && is_name(part) {
                    names.push(part);
                }
                from = place + 1;
            }
            _ => {}
        }
    }
    Some(names)
}

/// Whether the bracket that a text begins with is closed by its last letter.
fn closes_at_end(text: &str) -> bool {
    let mut depth = 0_usize;
    for (place, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return place + 1 == text.len();
                }
            }
            _ => {}
        }
    }
    false
}
