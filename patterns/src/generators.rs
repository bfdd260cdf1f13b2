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

use std::collections::BTreeSet;

use serde::de::{Deserialize, Deserializer, Error};
use tree_sitter::Node;

use crate::Generator;
use crate::grammar::NodeRole;
use crate::site::Site;
use crate::view;

/// Conditions that could be put somewhere, with how likely each is.
type ScoredTexts = Vec<(String, f64)>;

/// Lists the generators of a family, which is a file.
macro_rules! generators {
    ($($function:ident),+ $(,)?) => {
        /// The generators of this family, by their names.
        pub(super) const GENERATORS: &[(&str, crate::Generator)] = &[$((stringify!($function), $function)),+];
    };
}
pub(crate) use generators;

/// The families, by their names.
static FAMILIES: &[(&str, &[(&str, Generator)])] = &[
    ("arithmetic", arithmetic::GENERATORS),
    ("boolean_literals", boolean_literals::GENERATORS),
    ("calls", calls::GENERATORS),
    ("collection_elements", collection_elements::GENERATORS),
    ("comparisons", comparisons::GENERATORS),
    ("conditions", conditions::GENERATORS),
    ("control_flow", control_flow::GENERATORS),
    ("declarations", declarations::GENERATORS),
    ("defensive_copies", defensive_copies::GENERATORS),
    ("equivalent_forms", equivalent_forms::GENERATORS),
    ("guards", guards::GENERATORS),
    ("literals", literals::GENERATORS),
    ("missing_operands", missing_operands::GENERATORS),
    ("missing_steps", missing_steps::GENERATORS),
    ("names", names::GENERATORS),
    ("null_guards", null_guards::GENERATORS),
    ("numbers", numbers::GENERATORS),
    ("operators", operators::GENERATORS),
    ("statements", statements::GENERATORS),
    ("wrapping_calls", wrapping_calls::GENERATORS),
];

/// Reads the name of a generator, such as `names::replace_variable`.
pub(crate) fn named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Generator, D::Error> {
    let name = <&str>::deserialize(deserializer)?;
    let found = name.split_once("::").and_then(|(family, function)| {
        let (_, generators) = FAMILIES.iter().find(|(known, _)| *known == family)?;
        generators.iter().find(|(known, _)| *known == function)
    });
    found.map(|(_, generator)| *generator).ok_or_else(|| D::Error::custom(format!("no generator `{name}`")))
}

/// The use that the node around an expression makes of its value.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExprContext {
    Operand,
    Argument,
    Index,
    Assigned,
    Returned,
    Choice,
    Element,
}

/// The context of an expression whose value is used; `None` for targets, callees and statements.
pub(crate) fn context(site: &Site, node: Node) -> Option<ExprContext> {
    if !site.role(node).is_expression() || matches!(site.role(node), NodeRole::Lambda | NodeRole::Assign) {
        return None;
    }
    let parent = node.parent()?;
    let is = |field: &str| parent.child_by_field_name(field) == Some(node);
    let value =
        || is("value") || view::assignment(site.file, parent).is_some_and(|parts| parts.value == node);
    Some(match site.role(parent) {
        NodeRole::BinaryOperation => ExprContext::Operand,
        NodeRole::Arguments => ExprContext::Argument,
        NodeRole::KeywordArgument | NodeRole::Parameter if value() => ExprContext::Argument,
        NodeRole::Subscript if !is("value") && !is("array") => ExprContext::Index,
        NodeRole::Slice => ExprContext::Index,
        NodeRole::Assign | NodeRole::AugmentedAssign | NodeRole::Declarator if value() => {
            ExprContext::Assigned
        }
        NodeRole::Return => ExprContext::Returned,
        NodeRole::Ternary => ExprContext::Choice,
        NodeRole::ForEach if !is("left") => ExprContext::Argument,
        NodeRole::Parenthesized => return context(site, parent),
        NodeRole::Collection => ExprContext::Element,
        _ => match parent.kind() {
            "expression_list" | "pair" => ExprContext::Element,
            "yield" => ExprContext::Returned,
            "dimensions_expr" => ExprContext::Index,
            _ => return None,
        },
    })
}

/// The expressions whose values are used, with their contexts.
pub(crate) fn contexts<'a>(site: &Site<'a>) -> Vec<(Node<'a>, ExprContext)> {
    site.expressions.iter().filter_map(|node| context(site, *node).map(|context| (*node, context))).collect()
}

/// The best of what was ranked, the best first.
pub(crate) fn best<T>(mut ranked: Vec<(T, f64)>, most: usize) -> Vec<(T, f64)> {
    ranked.sort_by(|left, right| right.1.total_cmp(&left.1));
    ranked.truncate(most);
    ranked
}

/// The best of texts that were ranked, the best first and each once.
pub(crate) fn best_texts(mut ranked: Vec<(String, f64)>, most: usize) -> Vec<(String, f64)> {
    ranked.sort_by(|left, right| right.1.total_cmp(&left.1));
    let mut seen = BTreeSet::new();
    ranked.retain(|(text, _)| seen.insert(text.clone()));
    ranked.truncate(most);
    ranked
}

/// The texts of all nodes but one, joined.
pub(crate) fn joined_without(site: &Site, nodes: &[Node], left_out: usize, separator: &str) -> String {
    let others = nodes.iter().enumerate().filter(|(index, _)| *index != left_out);
    others.map(|(_, node)| site.text(*node)).collect::<Vec<_>>().join(separator)
}

/// A text in the place of `{x}`.
pub(crate) fn filled(template: &str, text: &str) -> String {
    template.replace("{x}", text)
}
