//! Walking a syntax tree without recursion: generated code nests deeper than a stack.

use std::ops::Range;

use patchwright_folder::checkpoint;
use tree_sitter::{InputEdit, Node, Point, Tree};

/// A step of a walk.
#[derive(Copy, Clone, Debug)]
pub enum Step<'tree> {
    /// A node begins.
    Enter(Node<'tree>),
    /// A node that was entered, with all below it, ends.
    Leave(Node<'tree>),
}

/// Visits a node and all below it in the order of the text; below a node only if `enter` answers `true`.
pub fn visit<'tree>(node: Node<'tree>, mut enter: impl FnMut(Node<'tree>) -> bool) {
    let mut cursor = node.walk();
    loop {
        checkpoint();
        if enter(cursor.node()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The change of a text that puts `new` in the place of a range of bytes, as a tree is told of it.
pub fn input_edit(text: &str, range: Range<usize>, new: &str) -> InputEdit {
    let start = point(text, range.start);
    let column = new.rfind('\n').map_or(start.column + new.len(), |last| new.len() - last - 1);
    InputEdit {
        start_byte: range.start,
        old_end_byte: range.end,
        new_end_byte: range.start + new.len(),
        start_position: start,
        old_end_position: point(text, range.end),
        new_end_position: Point { row: start.row + new.matches('\n').count(), column },
    }
}

fn point(text: &str, byte: usize) -> Point {
    let before = &text.as_bytes()[..byte.min(text.len())];
    let row = memchr::memchr_iter(b'\n', before).count();
    let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    Point { row, column: before.len() - start }
}

/// Visits every node of a tree in the order of the text. When `visit` answers `false` to a node that begins, nothing
/// below that node is visited, and neither is its end.
pub fn walk<'tree>(tree: &'tree Tree, mut visit: impl FnMut(Step<'tree>) -> bool) {
    let mut cursor = tree.walk();
    loop {
        checkpoint();
        let descend = visit(Step::Enter(cursor.node()));
        if descend && cursor.goto_first_child() {
            continue;
        }
        if descend {
            visit(Step::Leave(cursor.node()));
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            visit(Step::Leave(cursor.node()));
        }
    }
}
