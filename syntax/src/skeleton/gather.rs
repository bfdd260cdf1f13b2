//! Choosing the lines of a skeleton: one walk over statements that knows roles, not languages.

use tree_sitter::{Node, Tree};

use super::sheet::{Rows, Sheet};
use super::{Skeleton, SkeletonLineKind as Kind};
use crate::header::Headers;
use crate::language::{Language, SyntaxRole};
use crate::normal::is_docstring;
use crate::outline::Outline;
use crate::reading::last_row;

/// Declarations inside so many others are not looked at.
const MAX_NESTING: usize = 100;

/// The skeleton of a file that was parsed and outlined before.
pub fn of_tree(language: Language, text: &str, tree: &Tree, declared: &Outline) -> Skeleton {
    let headers = Headers::new(language, text);
    let mut gatherer = Gatherer { headers, sheet: Sheet::new(headers.entry, text) };
    gatherer.inside(tree.root_node(), Place::Open, 0);
    if declared.syntax_errors > 0 {
        gatherer.add_missed(declared);
    }
    gatherer.sheet.finish()
}

/// The surroundings of a node.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Place {
    /// In a file or class.
    Open,
    /// In a function or method, of which only declarations are shown.
    Body,
}

struct Gatherer<'t> {
    headers: Headers<'t>,
    sheet: Sheet<'t>,
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
        let mut may_be_docstring = self.headers.entry.docstrings;
        for node in around.named_children(&mut cursor) {
            let (first, last) = rows_of(node);
            let above = remark.take().filter(|(_, below)| *below == first).map(|(begins, _)| begins);
            if self.headers.kinds.role(node) == SyntaxRole::Comment {
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
        match self.headers.kinds.role(node) {
            SyntaxRole::Class(_) => self.declaration(outer, node, above, Place::Open, nesting),
            SyntaxRole::Method | SyntaxRole::Constructor => {
                self.declaration(outer, node, above, Place::Body, nesting);
            }
            SyntaxRole::Initializer if place == Place::Open => {
                self.declaration(outer, node, above, Place::Body, nesting);
            }
            SyntaxRole::Import | SyntaxRole::Package | SyntaxRole::Field(_) | SyntaxRole::Constant
                if place == Place::Open =>
            {
                self.sheet.keep(rows_of(node));
            }
            SyntaxRole::Bound(_, _) if self.headers.function(node).is_some() => {
                self.declaration(outer, node, above, Place::Body, nesting);
            }
            SyntaxRole::Bound(name, _)
                if place == Place::Open
                    && node
                        .child_by_field_name(name)
                        .is_some_and(|name| self.headers.kinds.is_name(name)) =>
            {
                self.sheet.keep(rows_of(node));
            }
            SyntaxRole::Titled if self.headers.title(node).is_some() => {
                self.declaration(outer, node, above, Place::Open, nesting);
            }
            SyntaxRole::Damage | SyntaxRole::Body => self.inside(node, place, nesting + 1),
            SyntaxRole::Comment | SyntaxRole::Decoration => {}
            _ => self.other(node, place, nesting),
        }
    }

    /// A statement that declares nothing itself, but may hold what does.
    fn other(&mut self, node: Node<'t>, place: Place, nesting: usize) {
        let mut cursor = node.walk();
        let block = node.children(&mut cursor).find(|child| child.kind() == self.headers.entry.block);
        if place == Place::Open || block.is_some() || node.kind() == self.headers.entry.block {
            self.inside(node, place, nesting + 1);
        }
        let rows = rows_of(node);
        if !self.sheet.fold(rows)
            && let Some(block) = block
        {
            self.sheet.frame(rows.0, self.header_end(node, block), rows_of(block));
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
        let Some(body) = self.body(node).filter(|_| first < last) else {
            return self.sheet.keep(rows_of(outer));
        };
        self.inside(body, inner, nesting + 1);
        let rows = rows_of(body);
        let header = self.header_end(node, body);
        if inner == Place::Open || self.sheet.shows(rows, Kind::Code) {
            self.sheet.frame(first, header, rows);
        } else {
            let mut cursor = body.walk();
            let hidden = body
                .named_children(&mut cursor)
                .find(|statement| !(self.headers.entry.docstrings && is_docstring(*statement)));
            self.sheet.without_body(first, header, rows, hidden.map(|statement| rows_of(statement).0));
        }
        if self.headers.entry.indented {
            self.sheet.documentation_is_code(rows);
        }
    }

    /// The end of the header before a body: a row and a column.
    fn header_end(&self, node: Node<'t>, body: Node<'t>) -> (usize, usize) {
        let mut cursor = node.walk();
        let before = node.children(&mut cursor).take_while(|child| child.start_byte() < body.start_byte());
        let end = before.filter(|child| self.headers.kinds.role(*child) != SyntaxRole::Comment).last();
        let end = end.map_or_else(|| body.start_position(), |end| end.end_position());
        (end.row, end.column)
    }

    fn document(&mut self, node: Node) {
        self.sheet.document(node.start_position().row, self.headers.slice(node));
    }

    /// Adds what the outline found by the look of its line in code that does not parse.
    fn add_missed(&mut self, declared: &Outline) {
        let classes = declared.all_classes().into_iter().map(|class| class.declaration_line);
        let methods = declared.all_methods().into_iter().map(|(_, method)| method.declaration_line);
        for number in classes.chain(methods) {
            let Some(row) = (number as usize).checked_sub(1) else { continue };
            if row < self.sheet.len() && !self.sheet.shows((row, row), Kind::Code) {
                self.sheet.keep_row(row);
                if row + 1 < self.sheet.len() && !self.sheet.row(row + 1).trim().is_empty() {
                    self.sheet.leave_out(row + 1);
                }
            }
        }
    }

    /// The declaration in a wrapper.
    fn unwrapped(&self, outer: Node<'t>) -> Node<'t> {
        if self.headers.kinds.role(outer) != SyntaxRole::Wrapper {
            return outer;
        }
        let mut cursor = outer.walk();
        let declares =
            |node: &Node| matches!(self.headers.kinds.role(*node), SyntaxRole::Class(_) | SyntaxRole::Method);
        outer.named_children(&mut cursor).find(declares).unwrap_or(outer)
    }

    fn body(&self, node: Node<'t>) -> Option<Node<'t>> {
        let is_block = |node: &Node| node.kind() == self.headers.entry.block;
        if is_block(&node) {
            return Some(node);
        }
        let mut cursor = node.walk();
        self.headers.body(node).or_else(|| node.children(&mut cursor).find(is_block))
    }
}

/// The rows that a node begins and ends on.
fn rows_of(node: Node) -> Rows {
    (node.start_position().row, last_row(node))
}
