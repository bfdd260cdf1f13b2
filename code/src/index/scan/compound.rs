//! Statements with blocks: declarations, conditions, loops and the like.

use super::lexer::{Line, is_word};
use super::reader::{Reader, Scope, Suite};
use super::token::{Bracket, Kind, Place, Word};
use crate::assembly::What;
use crate::language::ClassKind;
use crate::skeleton::SkeletonLineKind;

impl Reader<'_> {
    pub(super) fn decorated(&mut self, indentation: usize, scope: &mut Scope) -> Option<()> {
        let start = self.code.token.start;
        while self.code.is(Kind::At) {
            self.code.bump()?;
            self.code.expression()?;
            if !self.code.is(Kind::Newline) {
                return None;
            }
            self.next_line()?;
            if self.next != Line::Code(indentation) {
                return None;
            }
            self.code.bump()?;
        }
        if self.code.word(Word::Async) {
            self.code.bump()?;
            if !self.code.word(Word::Def) {
                return None;
            }
        }
        self.declaration(indentation, start, scope)
    }

    /// A class or function; what belongs to it begins at `start`.
    pub(super) fn declaration(&mut self, indentation: usize, start: Place, scope: &mut Scope) -> Option<()> {
        let first = start.row;
        if let Some((remark, _)) = scope.remark.take().filter(|(_, below)| *below == first) {
            self.sheet.document(remark.start.row, self.code.slice(remark.start.byte, remark.end));
        }
        scope.begin(first, false);
        let class = self.code.word(Word::Class);
        if !class && !self.code.word(Word::Def) {
            return None;
        }
        self.code.bump()?;
        let row = self.code.token.start.row;
        let name = self.code.name()?;
        let what = if class { What::Class(ClassKind::Class) } else { What::Method };
        let index = self.declare(what, name, start, row, scope.owner);
        if class {
            if self.code.skip(Kind::Open(Bracket::Round))? {
                self.code.arguments()?;
            }
        } else {
            self.parameters()?;
            if self.code.skip(Kind::Arrow)? {
                self.code.annotation()?;
            }
        }
        let suite = self.suite(indentation, Scope::new(class, Some(index), scope.nesting + 1))?;
        let last = suite.rows.1;
        self.end_declaration(index, last);
        if first == last {
            self.sheet.keep((first, last));
        } else {
            if class || self.sheet.shows(suite.rows, SkeletonLineKind::Code) {
                self.sheet.frame(first, suite.header, suite.rows);
            } else {
                self.sheet.without_body(first, suite.header, suite.rows, suite.hidden);
            }
            self.sheet.documentation_is_code(suite.rows);
        }
        scope.last = last;
        Some(())
    }

    fn parameters(&mut self) -> Option<()> {
        let close = Kind::Close(Bracket::Round);
        self.code.expect(Kind::Open(Bracket::Round))?;
        while !self.code.is(close) {
            if !self.code.skip(Kind::Slash)? {
                let pairs = self.code.skip(Kind::StarStar)?;
                let starred = pairs || self.code.skip(Kind::Star)?;
                // Only a single star may stand alone.
                if pairs || !starred || self.code.is(Kind::Name) {
                    self.code.name()?;
                    if self.code.skip(Kind::Colon)? {
                        self.code.annotation()?;
                    }
                }
                if !starred && self.code.skip(Kind::Assign)? {
                    self.code.expression()?;
                }
            }
            if !self.code.skip(Kind::Comma)? {
                break;
            }
        }
        self.code.expect(close)
    }

    /// `if`, loops, `try` and `with`, with all their clauses.
    pub(super) fn compound(&mut self, indentation: usize, start: Place, scope: &mut Scope) -> Option<()> {
        scope.begin(start.row, false);
        let Kind::Word(word) = self.code.token.kind else { return None };
        self.code.bump()?;
        match word {
            Word::If | Word::While => {
                self.code.expression()?;
            }
            Word::For => {
                self.code.targets()?;
                self.code.expect(Kind::Word(Word::In))?;
                self.code.list()?;
            }
            Word::With => self.with_items()?,
            Word::Try => {}
            _ => return None,
        }
        let suite = self.part(indentation, scope)?;
        let mut last = suite.rows.1;
        let mut stage = word;
        let mut clauses = 0;
        while self.next == Line::Code(indentation) {
            let Some(clause) = self.clause_ahead() else { break };
            match (stage, clause) {
                (Word::If, Word::Elif)
                | (Word::If | Word::While | Word::For, Word::Else)
                | (Word::Try, Word::Except | Word::Finally)
                | (Word::Except, Word::Except | Word::Else | Word::Finally)
                | (Word::Else, Word::Finally)
                    if stage != Word::Else || word == Word::Try => {}
                _ => return None,
            }
            self.code.lexer.trailing = None;
            self.code.lexer.indentation = indentation;
            self.code.bump()?;
            let row = self.code.token.start.row;
            self.code.bump()?;
            match clause {
                Word::Elif => {
                    self.code.expression()?;
                }
                Word::Except if !self.code.is(Kind::Colon) => {
                    self.code.skip(Kind::Star)?;
                    self.code.expression()?;
                    if self.code.skip(Kind::Word(Word::As))? {
                        self.code.name()?;
                    }
                }
                _ => {}
            }
            let part = self.part(indentation, scope)?;
            last = part.rows.1;
            if !self.sheet.fold((row, last)) {
                self.sheet.frame(row, part.header, part.rows);
            }
            clauses += 1;
            stage = if clause == Word::Elif { Word::If } else { clause };
        }
        if word == Word::Try && clauses == 0 {
            return None;
        }
        if !self.sheet.fold((start.row, last)) {
            self.sheet.frame(start.row, suite.header, suite.rows);
        }
        scope.last = last;
        Some(())
    }

    /// The block of a statement or clause, which is as open as what is around it.
    fn part(&mut self, indentation: usize, scope: &Scope) -> Option<Suite> {
        let suite = self.suite(indentation, Scope::new(scope.open, scope.owner, scope.nesting + 1))?;
        self.sheet.fold(suite.rows);
        Some(suite)
    }

    /// The clause of a statement that the next line begins with.
    fn clause_ahead(&self) -> Option<Word> {
        let rest = self.code.lexer.rest();
        let words: [(&[u8], Word); 4] = [
            (b"elif", Word::Elif),
            (b"else", Word::Else),
            (b"except", Word::Except),
            (b"finally", Word::Finally),
        ];
        let found = words.into_iter().find(|(word, _)| rest.starts_with(word))?;
        rest.get(found.0.len()).is_none_or(|byte| !is_word(*byte)).then_some(found.1)
    }

    fn with_items(&mut self) -> Option<()> {
        loop {
            self.code.expression()?;
            if self.code.skip(Kind::Word(Word::As))? && !self.code.primary()?.is_target() {
                return None;
            }
            if !self.code.skip(Kind::Comma)? {
                return Some(());
            }
        }
    }
}
