//! The generators, one family a file: each writes down what one pattern would make of a place.

pub(crate) mod arithmetic;
pub(crate) mod boolean_literals;
pub(crate) mod calls;
pub(crate) mod collection_elements;
pub(crate) mod comparisons;
pub(crate) mod conditions;
pub(crate) mod control_flow;
pub(crate) mod declarations;
pub(crate) mod defensive_copies;
pub(crate) mod equivalent_forms;
pub(crate) mod guards;
pub(crate) mod literals;
pub(crate) mod missing_operands;
pub(crate) mod missing_steps;
pub(crate) mod names;
pub(crate) mod null_guards;
pub(crate) mod numbers;
pub(crate) mod operators;
pub(crate) mod predicates;
pub(crate) mod statements;
pub(crate) mod value_comparisons;
pub(crate) mod wrapping_calls;

use tree_sitter::Node;

use crate::grammar::NodeRole;
use crate::site::Site;
use crate::view;

/// What an expression is to the node around it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Operand,
    Argument,
    Index,
    Value,
    Returned,
    Choice,
    Element,
}

/// The slot of an expression whose value is used; `None` for targets, callees and statements.
pub(crate) fn slot(site: &Site, node: Node) -> Option<Slot> {
    if !site.role(node).is_expression() || matches!(site.role(node), NodeRole::Lambda | NodeRole::Assign) {
        return None;
    }
    let parent = node.parent()?;
    let value = || {
        view::assignment(site.file, parent).is_some_and(|parts| parts.value == node)
            || parent.child_by_field_name("value") == Some(node)
    };
    match site.role(parent) {
        NodeRole::BinaryOperation => Some(Slot::Operand),
        NodeRole::Arguments => Some(Slot::Argument),
        NodeRole::KeywordArgument | NodeRole::Parameter if value() => Some(Slot::Argument),
        NodeRole::Subscript
            if parent.child_by_field_name("value") != Some(node)
                && parent.child_by_field_name("array") != Some(node) =>
        {
            Some(Slot::Index)
        }
        NodeRole::Slice => Some(Slot::Index),
        NodeRole::Assign | NodeRole::AugmentedAssign | NodeRole::Declarator if value() => Some(Slot::Value),
        NodeRole::Return => Some(Slot::Returned),
        NodeRole::Ternary => Some(Slot::Choice),
        NodeRole::ForEach if parent.child_by_field_name("left") != Some(node) => Some(Slot::Argument),
        NodeRole::Parenthesized => slot(site, parent),
        NodeRole::Collection => Some(Slot::Element),
        _ if matches!(parent.kind(), "expression_list" | "pair") => Some(Slot::Element),
        _ if parent.kind() == "yield" => Some(Slot::Returned),
        _ if parent.kind() == "dimensions_expr" => Some(Slot::Index),
        _ => None,
    }
}

/// The expressions whose values are used, with their slots.
pub(crate) fn slots<'a>(site: &Site<'a>) -> Vec<(Node<'a>, Slot)> {
    site.expressions.iter().filter_map(|node| slot(site, *node).map(|slot| (*node, slot))).collect()
}

/// A text in the place of `{x}`.
pub(crate) fn filled(template: &str, text: &str) -> String {
    template.replace("{x}", text)
}
