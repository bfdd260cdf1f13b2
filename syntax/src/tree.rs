//! Walking a syntax tree without recursion: generated code nests deeper than a stack.

use tree_sitter::{Node, Tree};

/// A step of a walk.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Step<'tree> {
    /// A node begins.
    Enter(Node<'tree>),
    /// A node that was entered, with all below it, ends.
    Leave(Node<'tree>),
}

/// Visits every node of a tree in the order of the text. When `visit` answers `false` to a node that begins, nothing
/// below that node is visited, and neither is its end.
pub(crate) fn walk<'tree>(tree: &'tree Tree, mut visit: impl FnMut(Step<'tree>) -> bool) {
    let mut cursor = tree.walk();
    loop {
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
