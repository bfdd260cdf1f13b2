//! Choosing the lines of a skeleton: one walk over statements that knows roles, not languages.

use std::collections::BTreeMap;

use tree_sitter::{Node, Tree};

use super::SkeletonLineKind as Kind;
use crate::header::Headers;
use crate::language::{Entry, Kinds, Language, Role};
use crate::normal::is_docstring;
use crate::outline::Outline;
use crate::reading::last_row;
use crate::text::shorten;

/// Declarations inside so many others are not looked at.
const MAX_NESTING: usize = 100;

/// Lines from which on a value or an import is shown by its first and last lines.
const LONG: usize = 30;

/// How many of them are shown at each end.
const SHOWN: usize = 10;

/// Characters of a line that are shown.
const LINE: usize = 300;

/// A line that was chosen.
pub(crate) struct Chosen {
    pub number: u32,
    pub kind: Kind,
    pub text: String,
}

/// The lines of a skeleton, in the order of the file.
pub(crate) fn gather(language: Language, text: &str, tree: &Tree, declared: &Outline) -> Vec<Chosen> {
    let mut gatherer = Gatherer {
        entry: language.entry(),
        kinds: language.kinds(),
        text,
        rows: text.lines().collect(),
        chosen: BTreeMap::new(),
    };
    gatherer.inside(tree.root_node(), Place::Open, 0);
    if declared.syntax_errors > 0 {
        gatherer.add_missed(declared);
    }
    gatherer.finish()
}

/// Where a node stands.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Place {
    /// In a file or class.
    Open,
    /// In a function or method, of which only declarations are shown.
    Body,
}

struct Gatherer<'t> {
    entry: &'static Entry,
    kinds: &'static Kinds,
    text: &'t str,
    rows: Vec<&'t str>,
    /// By row, counted from 0.
    chosen: BTreeMap<usize, (Kind, String)>,
}

impl<'t> Gatherer<'t> {
    /// Looks at all that a node holds.
    fn inside(&mut self, around: Node<'t>, place: Place, nesting: usize) {
        if nesting > MAX_NESTING {
            return;
        }
        let mut cursor = around.walk();
        // The comments that end just above, by their first one and the row below them.
        let mut remark: Option<(Node, usize)> = None;
        let mut may_be_docstring = self.entry.docstrings;
        for node in around.named_children(&mut cursor) {
            let (first, last) = rows_of(node);
            let above = remark.take().filter(|(_, below)| *below == first).map(|(begins, _)| begins);
            if self.kinds.role(node) == Role::Comment {
                remark = Some((above.unwrap_or(node), last + 1));
            } else if may_be_docstring && is_docstring(node) {
                self.document(node);
                may_be_docstring = false;
            } else {
                self.statement(node, above, place, nesting);
                may_be_docstring = false;
            }
        }
    }

    fn statement(&mut self, outer: Node<'t>, above: Option<Node<'t>>, place: Place, nesting: usize) {
        let node = self.unwrapped(outer);
        match self.kinds.role(node) {
            Role::Class(_) => self.declaration(outer, node, above, Place::Open, nesting),
            Role::Method | Role::Constructor => self.declaration(outer, node, above, Place::Body, nesting),
            Role::Initializer if place == Place::Open => {
                self.declaration(outer, node, above, Place::Body, nesting);
            }
            Role::Import | Role::Package | Role::Field(_) | Role::Constant if place == Place::Open => {
                self.keep(node);
            }
            Role::Damage | Role::Body => self.inside(node, place, nesting + 1),
            Role::Comment | Role::Decoration => {}
            Role::Import
            | Role::Package
            | Role::Field(_)
            | Role::Constant
            | Role::Initializer
            | Role::ClassIfBody(_)
            | Role::Wrapper
            | Role::Text
            | Role::Other => self.other(node, place, nesting),
        }
    }

    /// A statement that declares nothing itself, but may hold what does.
    fn other(&mut self, node: Node<'t>, place: Place, nesting: usize) {
        let mut cursor = node.walk();
        let block = node.children(&mut cursor).find(|child| child.kind() == self.entry.block);
        if place == Place::Open || block.is_some() || node.kind() == self.entry.block {
            self.inside(node, place, nesting + 1);
        }
        let rows = rows_of(node);
        if !self.shows(rows, Kind::Code) {
            self.forget(rows, Kind::Elision);
            self.leave_out(rows.0);
        } else if let Some(block) = block {
            self.frame(rows.0, node, block);
        }
    }

    /// A class, a method or anything like them; `outer` is the wrapper around it, if there is one.
    fn declaration(
        &mut self,
        outer: Node<'t>,
        node: Node<'t>,
        above: Option<Node<'t>>,
        inner: Place,
        nesting: usize,
    ) {
        if let Some(remark) = above {
            self.document(remark);
        }
        let (first, last) = rows_of(outer);
        let Some(body) = self.body(node).filter(|_| first < last) else { return self.keep(outer) };
        self.inside(body, inner, nesting + 1);
        let rows = rows_of(body);
        if inner == Place::Open || self.shows(rows, Kind::Code) {
            self.frame(first, node, body);
        } else {
            self.forget(rows, Kind::Elision);
            if self.entry.indented {
                self.header(first, node, body, "");
                let mut cursor = body.walk();
                let mut statements = body.named_children(&mut cursor);
                let hidden =
                    statements.find(|statement| !(self.entry.docstrings && is_docstring(*statement)));
                if let Some(statement) = hidden {
                    self.leave_out(rows_of(statement).0);
                }
            } else {
                self.header(first, node, body, " { … }");
            }
        }
        if self.entry.indented && !self.shows(rows, Kind::Code) && !self.shows(rows, Kind::Elision) {
            // Nothing but a docstring: it is the body.
            for (_, (kind, _)) in self.chosen.range_mut(rows.0..=rows.1) {
                *kind = Kind::Code;
            }
        }
    }

    /// The first and, where the language has one, the last line around what was chosen in a body.
    fn frame(&mut self, first: usize, node: Node<'t>, body: Node<'t>) {
        let Some(closing) = self.entry.closing_line else { return self.header(first, node, body, "") };
        self.header(first, node, body, " {");
        let last = rows_of(body).1;
        let line = self.row(last);
        let line = if line.trim_start().starts_with(closing) {
            line.to_owned()
        } else {
            format!("{}{closing}", indentation(self.row(first)))
        };
        self.chosen.entry(last).or_insert((Kind::Code, line));
    }

    /// Keeps the lines from a row to the end of what stands before a body.
    fn header(&mut self, first: usize, node: Node<'t>, body: Node<'t>, ending: &str) {
        let mut cursor = node.walk();
        let before = node.children(&mut cursor).take_while(|child| child.start_byte() < body.start_byte());
        let end = before.filter(|child| self.kinds.role(*child) != Role::Comment).last();
        let end = end.map_or_else(|| body.start_position(), |end| end.end_position());
        for row in first..end.row {
            self.put(row, Kind::Code, self.row(row).to_owned());
        }
        let line = self.row(end.row);
        let before = line.get(..end.column).unwrap_or(line).trim_end();
        let line = if before.is_empty() {
            format!("{}{}", indentation(line), ending.trim_start())
        } else {
            format!("{before}{ending}")
        };
        self.put(end.row, Kind::Code, line);
    }

    /// Keeps all lines of a node, or the first and the last of many.
    fn keep(&mut self, node: Node) {
        let (first, last) = rows_of(node);
        for row in first..=last {
            if last - first < LONG || row < first + SHOWN || row + SHOWN > last {
                self.put(row, Kind::Code, self.row(row).to_owned());
            } else if row == first + SHOWN {
                self.leave_out(row);
            }
        }
    }

    /// Says that lines are missing from here on.
    fn leave_out(&mut self, row: usize) {
        let line = format!("{}...", indentation(self.row(row)));
        self.chosen.entry(row).or_insert((Kind::Elision, line));
    }

    /// Keeps the first line with words of a comment or docstring, closed like the whole.
    fn document(&mut self, node: Node) {
        let text = self.text.get(node.byte_range()).unwrap_or_default();
        let (opening, closing) = self.delimiters(text);
        let inner = text.get(opening.len()..).unwrap_or_default();
        let inner = inner.strip_suffix(closing.as_str()).unwrap_or(inner);
        let words = inner.lines().enumerate().find(|(_, line)| line.contains(char::is_alphanumeric));
        let Some((below, line)) = words else { return };
        let first = node.start_position().row;
        let line = line.trim().trim_start_matches('*').trim_start();
        let gap = if opening.ends_with(['"', '\'']) { "" } else { " " };
        let closing = if closing.is_empty() { closing } else { format!("{gap}{closing}") };
        let shown = format!("{}{opening}{gap}{line}{closing}", indentation(self.row(first)));
        self.chosen.entry(first + below).or_insert((Kind::Documentation, shown));
    }

    /// What a comment or string begins and ends with.
    fn delimiters(&self, text: &str) -> (String, String) {
        let begins = |end: usize| text.get(..end).unwrap_or_default().to_owned();
        if text.starts_with(self.entry.line_comment) {
            return (self.entry.line_comment.to_owned(), String::new());
        }
        if let Some(quote) = text.find(['"', '\'']).filter(|place| *place < 3) {
            let rest = text.get(quote..).unwrap_or_default();
            let width = if rest.starts_with("\"\"\"") || rest.starts_with("'''") { 3 } else { 1 };
            return (begins(quote + width), rest.get(..width).unwrap_or_default().to_owned());
        }
        let end = text.find(|letter: char| letter.is_alphanumeric() || letter.is_whitespace());
        let opening = begins(end.unwrap_or(text.len()));
        let closing = opening.chars().take(2).collect::<Vec<_>>().into_iter().rev().collect();
        (opening, closing)
    }

    /// Adds what the outline found by the look of its line in code that does not parse.
    fn add_missed(&mut self, declared: &Outline) {
        let classes = declared.all_classes().into_iter().map(|class| class.declaration_line);
        let methods = declared.all_methods().into_iter().map(|(_, method)| method.declaration_line);
        for number in classes.chain(methods) {
            let Some(row) = (number as usize).checked_sub(1) else { continue };
            let known = self.chosen.get(&row).is_some_and(|(kind, _)| *kind == Kind::Code);
            if !known && row < self.rows.len() {
                self.put(row, Kind::Code, self.row(row).to_owned());
                if row + 1 < self.rows.len() && !self.row(row + 1).trim().is_empty() {
                    self.leave_out(row + 1);
                }
            }
        }
    }

    /// The lines in their order; of neighbouring elisions of one block, the first.
    fn finish(self) -> Vec<Chosen> {
        let mut lines: Vec<Chosen> = Vec::with_capacity(self.chosen.len());
        for (row, (kind, text)) in self.chosen {
            let repeats = kind == Kind::Elision
                && lines.last().is_some_and(|line| line.kind == Kind::Elision && line.text == text);
            if !repeats {
                let number = u32::try_from(row + 1).unwrap_or(u32::MAX);
                lines.push(Chosen { number, kind, text: shorten(&text, LINE) });
            }
        }
        lines
    }

    fn put(&mut self, row: usize, kind: Kind, line: String) {
        self.chosen.insert(row, (kind, line));
    }

    fn forget(&mut self, (first, last): (usize, usize), kind: Kind) {
        let found = self.chosen.range(first..=last).filter(|(_, (own, _))| *own == kind);
        let rows: Vec<usize> = found.map(|(row, _)| *row).collect();
        for row in rows {
            self.chosen.remove(&row);
        }
    }

    fn shows(&self, (first, last): (usize, usize), kind: Kind) -> bool {
        self.chosen.range(first..=last).any(|(_, (own, _))| *own == kind)
    }

    fn row(&self, row: usize) -> &'t str {
        self.rows.get(row).copied().unwrap_or_default()
    }

    /// The declaration in a wrapper.
    fn unwrapped(&self, outer: Node<'t>) -> Node<'t> {
        if self.kinds.role(outer) != Role::Wrapper {
            return outer;
        }
        let mut cursor = outer.walk();
        let declares = |node: &Node| matches!(self.kinds.role(*node), Role::Class(_) | Role::Method);
        outer.named_children(&mut cursor).find(declares).unwrap_or(outer)
    }

    fn body(&self, node: Node<'t>) -> Option<Node<'t>> {
        if node.kind() == self.entry.block {
            return Some(node);
        }
        let headers = Headers { entry: self.entry, kinds: self.kinds, text: self.text };
        let mut cursor = node.walk();
        headers
            .body(node)
            .or_else(|| node.children(&mut cursor).find(|child| child.kind() == self.entry.block))
    }
}

/// The rows that a node begins and ends on.
fn rows_of(node: Node) -> (usize, usize) {
    (node.start_position().row, last_row(node))
}

/// The white space before a line.
fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}
