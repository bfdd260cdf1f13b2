//! A piece of code, and which of its lines are shown.

use std::hash::{Hash, Hasher};

use patchwright_index::{Element, ElementKind, IndexedFile, Query, docstring, fitting_part};
use patchwright_syntax::{ProjectPath, Span};

/// Lines of a docstring that are shown; a longer one gives its place to code.
const DOCSTRING_LINES: u32 = 6;

/// Lines before or behind the part of a piece that are shown with it, if there are no more.
const FEW_LINES: u32 = 8;

/// A function, a class or a short file that an issue leads to.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) path: ProjectPath,
    pub(crate) lines: Span,
    /// The line that the issue speaks of.
    pub(crate) line: Option<u32>,
}

/// Pieces of the same lines are one, whichever of them the issue speaks of.
impl PartialEq for Piece {
    fn eq(&self, other: &Self) -> bool {
        (&self.path, self.lines) == (&other.path, other.lines)
    }
}

impl Eq for Piece {}

impl Hash for Piece {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.path, self.lines).hash(state);
    }
}

impl Piece {
    /// The lines that are shown, behind the head of the class that they stand in: all of up to `whole`, but for a long docstring. Of more,
    /// the head and a part of so many lines: the part that leads to the line that is spoken of, else the one behind the documentation that
    /// fits the `query` best.
    pub(super) fn spans(&self, file: &IndexedFile, query: &Query, whole: u32, part: u32) -> Vec<Span> {
        let class = class_around(file, self.lines).map(|line| Span { first: line, last: line });
        class.into_iter().chain(self.own_spans(file, query, whole, part)).collect()
    }

    fn own_spans(&self, file: &IndexedFile, query: &Query, whole: u32, part: u32) -> Vec<Span> {
        let lines = self.lines;
        if let Some(line) = self.line {
            return cut(lines, line, whole, part);
        }
        let is_long = lines.last - lines.first >= part;
        let source = file.source();
        let rows = source.as_ref().map(|source| source.lines()).unwrap_or_default();
        let docstring = docstring(file.language, &rows, lines);
        let docstring = docstring.filter(|text| is_long || text.last - text.first >= DOCSTRING_LINES);
        let head = Span { first: lines.first, last: docstring.map_or(lines.first, |text| text.first) };
        let rest = Span { first: docstring.map_or(lines.first, |text| text.last + 1), last: lines.last };
        if rest.last - rest.first < whole + FEW_LINES {
            return vec![head, rest];
        }
        let rows = rows.get(rest.first as usize - 1..rest.last as usize).unwrap_or_default();
        let first = rest.first + fitting_part(query, rows, part as usize) as u32;
        let last = first + part - 1;
        // A few lines more cost less than a question after them.
        let first = if first < rest.first + FEW_LINES { rest.first } else { first };
        let last = if last + FEW_LINES > rest.last { rest.last } else { last };
        vec![head, Span { first, last }]
    }
}

/// The line that declares the innermost class around some lines.
fn class_around(file: &IndexedFile, lines: Span) -> Option<u32> {
    let around = |class: &&Element| {
        class.kind == ElementKind::Class && class.lines.encloses(lines) && class.lines != lines
    };
    let innermost = file.elements().iter().filter(around).max_by_key(|class| class.lines.first);
    innermost.map(|class| class.declaration_line)
}

/// All of up to `whole` lines; of more, the first line and `part` lines that lead to `line`.
pub(super) fn cut(lines: Span, line: u32, whole: u32, part: u32) -> Vec<Span> {
    if lines.last - lines.first < whole {
        return vec![lines];
    }
    let first = line.saturating_sub(part * 3 / 4).max(lines.first);
    let span = Span { first, last: lines.last.min(first + part - 1) };
    vec![Span { first: lines.first, last: lines.first }, span]
}
