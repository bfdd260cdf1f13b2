//! Lines, blocks and what they declare.
//!
//! The order in which rows are shown or left out is that of the walk over the tree of the parser (`skeleton::gather`): what is
//! inside comes first.

use super::expression::Expressions;
use super::lexer::{Comment, Line};
use super::token::{Kind, Place, Word};
use crate::assembly::{Declaration, What};
use crate::header::Description;
use crate::outline::Span;
use crate::skeleton::{Rows, Sheet};

/// Blocks inside so many others are in doubt.
const MAX_NESTING: usize = 25;

/// Reads a file.
pub(super) struct Reader<'t> {
    pub code: Expressions<'t>,
    pub sheet: Sheet<'t>,
    pub found: Vec<Declaration>,
    /// The comments with a line of their own: row and column.
    alone: Vec<(usize, usize)>,
    /// Comments above the next line with code that belong to no block yet, and how many of them were taken.
    pending: Vec<Comment>,
    taken: usize,
    /// Where the code of the next line begins.
    pub next: Line,
}

/// The block that is being read.
#[derive(Debug)]
pub(super) struct Scope {
    /// Whether it is outside of functions.
    pub open: bool,
    /// The class or function around it.
    pub owner: Option<usize>,
    pub nesting: usize,
    /// The comments that end just above: the first of them, and the row below.
    pub remark: Option<(Comment, usize)>,
    /// Whether nothing but comments was read so far.
    fresh: bool,
    /// The row of the first statement.
    first: Option<usize>,
    /// The row of the first thing that is not documentation.
    hidden: Option<usize>,
    pub last: usize,
}

impl Scope {
    pub fn new(open: bool, owner: Option<usize>, nesting: usize) -> Self {
        Self { open, owner, nesting, remark: None, fresh: true, first: None, hidden: None, last: 0 }
    }

    /// A statement begins; whether it is the first.
    pub fn begin(&mut self, row: usize, documents: bool) -> bool {
        self.remark = None;
        self.first.get_or_insert(row);
        if !documents {
            self.hidden.get_or_insert(row);
        }
        std::mem::replace(&mut self.fresh, false)
    }

    fn comment(&mut self, comment: Comment) {
        let row = comment.start.row;
        let begun = self.remark.take().filter(|(_, below)| *below == row);
        self.remark = Some((begun.map_or(comment, |(first, _)| first), row + 1));
        self.hidden.get_or_insert(row);
        self.last = self.last.max(row);
    }

    fn rows(&self) -> Rows {
        (self.first.unwrap_or_default(), self.last)
    }
}

/// A header and the block behind its `:`.
pub(super) struct Suite {
    pub header: (usize, usize),
    pub rows: Rows,
    pub hidden: Option<usize>,
}

impl<'t> Reader<'t> {
    pub fn new(text: &'t str, sheet: Sheet<'t>) -> Self {
        Self {
            code: Expressions::new(text),
            sheet,
            found: Vec::new(),
            alone: Vec::new(),
            pending: Vec::new(),
            taken: 0,
            next: Line::End,
        }
    }

    /// Reads all of it.
    pub fn file(&mut self) -> Option<()> {
        let mut scope = Scope::new(true, None, 0);
        self.next_line()?;
        self.lines(0, &mut scope)
    }

    pub(super) fn next_line(&mut self) -> Option<()> {
        self.pending.clear();
        self.taken = 0;
        self.next = self.code.lexer.next_line(&mut self.pending)?;
        self.alone.extend(self.pending.iter().map(|comment| (comment.start.row, comment.start.column)));
        Some(())
    }

    /// The lines of a block with so much indentation.
    fn lines(&mut self, indentation: usize, scope: &mut Scope) -> Option<()> {
        loop {
            let width = match self.next {
                Line::Code(width) => width,
                Line::End => 0,
            };
            if width > indentation {
                return None;
            }
            // Comments as deep as the block belong to it, though what follows may not.
            while let Some(comment) = self.pending.get(self.taken).copied()
                && (width == indentation || comment.width >= indentation)
            {
                self.taken += 1;
                scope.comment(comment);
            }
            if width < indentation || self.next == Line::End {
                return Some(());
            }
            self.code.lexer.indentation = indentation;
            self.code.lexer.trailing = None;
            self.code.bump()?;
            self.line(indentation, scope)?;
        }
    }

    fn line(&mut self, indentation: usize, scope: &mut Scope) -> Option<()> {
        let start = self.code.token.start;
        match self.code.token.kind {
            Kind::At => self.decorated(indentation, scope)?,
            Kind::Word(Word::Class | Word::Def) => self.declaration(indentation, start, scope)?,
            Kind::Word(Word::If | Word::While | Word::For | Word::Try | Word::With) => {
                self.compound(indentation, start, scope)?;
            }
            Kind::Word(Word::Async) => {
                self.code.bump()?;
                if self.code.word(Word::Def) {
                    self.declaration(indentation, start, scope)?;
                } else if self.code.word(Word::For) || self.code.word(Word::With) {
                    self.compound(indentation, start, scope)?;
                } else {
                    return None;
                }
            }
            _ => {
                self.simple_statements(scope)?;
                scope.last = self.code.end.row;
                return self.end_line(scope);
            }
        }
        Some(())
    }

    /// Behind simple statements.
    fn end_line(&mut self, scope: &mut Scope) -> Option<()> {
        if let Some(comment) = self.code.lexer.trailing.take() {
            scope.comment(comment);
        }
        self.next_line()
    }

    /// From the `:` of a header to the end of the block behind it.
    pub(super) fn suite(&mut self, indentation: usize, mut scope: Scope) -> Option<Suite> {
        if scope.nesting > MAX_NESTING {
            return None;
        }
        let end = self.code.token.end;
        self.code.expect(Kind::Colon)?;
        if self.code.is(Kind::Newline) {
            self.next_line()?;
            let Line::Code(width) = self.next else { return None };
            if width <= indentation {
                return None;
            }
            // They stand above the block.
            self.taken = self.pending.len();
            self.lines(width, &mut scope)?;
        } else {
            self.simple_statements(&mut scope)?;
            scope.last = self.code.end.row;
            self.end_line(&mut scope)?;
        }
        Some(Suite { header: (end.row, end.column), rows: scope.rows(), hidden: scope.hidden })
    }

    /// Notes a declaration with the comments just above it; its last line is still open.
    pub fn declare(
        &mut self,
        what: What,
        name: &str,
        start: Place,
        row: usize,
        owner: Option<usize>,
    ) -> usize {
        let before = self.code.slice(start.byte - start.column, start.byte);
        let first_on_line = before.trim().is_empty();
        let mut first = start.row;
        if first_on_line {
            let above = self.alone.iter().rev().skip_while(|(row, _)| *row >= start.row);
            for (row, column) in above {
                if row + 1 != first || *column != start.column {
                    break;
                }
                first = *row;
            }
        }
        self.found.push(Declaration {
            what,
            name: name.to_owned(),
            description: Description::default(),
            lines: Span { first: number(first), last: number(first) },
            line: number(row),
            first_on_line,
            damaged: false,
            supers: Vec::new(),
            owner,
        });
        self.found.len() - 1
    }

    pub fn end_declaration(&mut self, index: usize, last: usize) {
        if let Some(declaration) = self.found.get_mut(index) {
            declaration.lines.last = number(last);
        }
    }
}

fn number(row: usize) -> u32 {
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}
