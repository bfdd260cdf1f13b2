//! Conditions and statements of a file, to be used at another place of it.

use std::ops::Range;

use tree_sitter::Node;

use crate::file::{File, visit};
use crate::grammar::NodeRole;
use crate::view;

/// A piece of code and the names that it needs.
#[derive(Clone, Debug)]
pub(crate) struct Fragment {
    pub text: String,
    /// The variables in it.
    pub names: Vec<String>,
    /// Its bytes in the file.
    pub range: Range<usize>,
    /// Its first row.
    pub row: usize,
    /// The function that it stands in.
    pub function: Option<usize>,
    pub role: NodeRole,
}

/// The pieces of a file.
#[derive(Debug, Default)]
pub(crate) struct Fragments {
    pub conditions: Vec<Fragment>,
    pub statements: Vec<Fragment>,
    /// Receivers, arguments and the like: expressions that are more than a name.
    pub expressions: Vec<Fragment>,
}

/// Longer pieces are not copied.
const MAX_STATEMENT: usize = 240;
const MAX_EXPRESSION: usize = 60;

/// Pieces of each kind that are looked at before and behind a place: far ones are rarely used, and a long file has thousands.
const NEAR: usize = 250;

/// The pieces nearest to a row.
pub(crate) fn near(pieces: &[Fragment], row: usize) -> &[Fragment] {
    let at = pieces.partition_point(|piece| piece.row < row);
    &pieces[at.saturating_sub(NEAR)..pieces.len().min(at + NEAR)]
}

impl Fragments {
    /// Takes a file apart.
    pub(crate) fn of(file: &File) -> Self {
        let mut found = Self::default();
        let mut functions: Vec<Range<usize>> = Vec::new();
        visit(file.tree.root_node(), |node| {
            while functions.last().is_some_and(|function| function.end <= node.start_byte()) {
                functions.pop();
            }
            let role = file.role(node);
            if role == NodeRole::Function {
                functions.push(node.byte_range());
            }
            let function = functions.last().map(|function| function.start);
            let piece = |node: Node| Fragment {
                text: file.text_of(node).to_owned(),
                names: view::variables_in(file, node),
                range: node.byte_range(),
                row: node.start_position().row,
                function,
                role: file.role(node),
            };
            let length = node.end_byte() - node.start_byte();
            let well_formed = length <= MAX_STATEMENT && !node.has_error();
            if let Some(condition) = view::condition(file, node)
                && condition.end_byte() - condition.start_byte() <= MAX_EXPRESSION * 2
                && !condition.has_error()
            {
                found.conditions.push(piece(condition));
                for operator in [file.grammar.keywords.and, file.grammar.keywords.or] {
                    let parts = view::joined(file, condition, operator);
                    if parts.len() > 1 {
                        found.conditions.extend(parts.into_iter().map(piece));
                    }
                }
            }
            let short = match role {
                NodeRole::ExpressionStatement | NodeRole::Return | NodeRole::Throw | NodeRole::Jump => true,
                NodeRole::If => {
                    node.kind() != "elif_clause" && node.child_by_field_name("alternative").is_none()
                }
                _ => false,
            };
            if short && well_formed && function.is_some() && !is_docstring(file, node) {
                found.statements.push(piece(node));
            }
            if matches!(
                role,
                NodeRole::Call | NodeRole::MemberAccess | NodeRole::Subscript | NodeRole::BinaryOperation
            ) && length <= MAX_EXPRESSION
                && !node.has_error()
                && !file.text_of(node).contains('\n')
            {
                found.expressions.push(piece(node));
            }
            true
        });
        found
    }
}

fn is_docstring(file: &File, node: Node) -> bool {
    node.named_child_count() == 1
        && node.named_child(0).is_some_and(|child| file.role(child) == NodeRole::StringLiteral)
}
