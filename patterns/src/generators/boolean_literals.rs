//! Fixed truth values where it depends: a loop that never ends, an answer that is always the same.

use tree_sitter::Node;

use super::ScoredTexts;
use super::conditions::{borrowed, tests};
use super::{best_texts, context};
use crate::file::children;
use crate::grammar::NodeRole;
use crate::mutation::Mutations;
use crate::site::Site;
use crate::view;

super::generators!(replace_by_condition);

/// Conditions that are looked at for one truth value.
const MOST: usize = 40;

/// A truth value that is written out becomes a condition.
pub(crate) fn replace_by_condition(site: &Site, mutations: &mut Mutations) {
    for &statement in &site.statements {
        if let Some(condition) = view::condition(site.file, statement).filter(|node| is_boolean(site, *node))
        {
            for (text, rank) in options(site, &children(site.file, statement), condition, true) {
                mutations.replace(condition, &text, rank);
            }
        }
    }
    for node in site.expressions.iter().copied().filter(|node| is_boolean(site, *node)) {
        // A flag in a call is a choice of the caller; what is returned or kept was worked out.
        let share = match context(site, node) {
            Some(super::ExprContext::Returned) => 1.0,
            Some(super::ExprContext::Assigned) => 0.5,
            _ => continue,
        };
        // What the function worked out, rather than what it was given.
        let around: Vec<Node> =
            site.function.and_then(|function| function.child_by_field_name("body")).into_iter().collect();
        for (text, rank) in options(site, &around, node, false) {
            mutations.replace(node, &text, share * rank);
        }
    }
}

fn is_boolean(site: &Site, node: Node) -> bool {
    site.role(node) == NodeRole::BooleanLiteral
}

/// The conditions that could stand in the place of a truth value, the likeliest first.
fn options(site: &Site, nodes: &[Node], at: Node, holds: bool) -> ScoredTexts {
    let at = at.start_byte();
    let mut found = tests(site, nodes, at, holds);
    found.extend(tests(site, nodes, at, !holds).into_iter().map(|(text, rank)| (text, 0.8 * rank)));
    found.extend(borrowed(site, nodes, at).into_iter().map(|(text, rank)| (text, 0.6 * rank)));
    for (_, rank) in found.iter_mut().filter(|(text, _)| text.contains(site.grammar.keywords.null)) {
        *rank *= 0.5;
    }
    best_texts(found, MOST)
}
