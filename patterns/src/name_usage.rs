//! The use of names in a function. It is worked out once for each function: every place in it asks for all of it, and a long one has
//! thousands of places.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use crate::file::{File, ancestors, visit_below};
use crate::grammar::NodeRole;
use crate::ingredients::Variable;
use crate::scope::{bound, is_bound_by, used_as};
use crate::view;

/// The use of names in a function or another part of a file.
#[derive(Debug, Default)]
pub(crate) struct NameUsage {
    /// The names that it gives, without those of functions in it; each with the byte where what gives it begins.
    pub bound: Vec<(usize, Variable)>,
    /// The types that the use of names implies, the first of each name, without functions in it.
    pub own: BTreeMap<String, &'static str>,
    /// The same with functions in it.
    pub all: BTreeMap<String, &'static str>,
    /// Names that stand for values and are not given right there, in their order.
    pub free: Vec<String>,
    /// Names that are declared anywhere in it.
    pub declared: BTreeSet<String>,
    /// All names that stand for values.
    pub variables: BTreeSet<String>,
    /// The texts of what it takes things out of, and puts things into.
    pub emptied: BTreeSet<String>,
    pub filled: BTreeSet<String>,
    /// Its return statements, without those of functions in it.
    pub returns: Vec<Returned>,
}

/// A return of a function.
#[derive(Debug)]
pub(crate) struct Returned {
    /// The value; `None` where there is none.
    pub value: Option<String>,
    pub is_literal: bool,
    /// The names in the value.
    pub names: Vec<String>,
}

impl NameUsage {
    pub(crate) fn of(file: &File, root: Node) -> Self {
        let mut name_usage = Self::default();
        let mut seen = BTreeSet::new();
        let mut above: Vec<Node> = ancestors(root).collect();
        above.reverse();
        let outer = above.len();
        visit_below(root, above, |node, above| {
            let is_own = node == root || !is_in(file, node, &above[outer..], NodeRole::Function);
            if !file.grammar.statically_typed {
                for (name, ty) in used_as(file, node) {
                    name_usage.all.entry(name.to_owned()).or_insert(ty);
                    if is_own {
                        name_usage.own.entry(name.to_owned()).or_insert(ty);
                    }
                }
            }
            if file.role(node) == NodeRole::Declarator
                && let Some(name) = node.child_by_field_name("name")
            {
                name_usage.declared.insert(file.text_of(name).to_owned());
            }
            if let Some(call) = view::call(file, node)
                && let Some(receiver) = call.receiver
            {
                let receivers = match file.text_of(call.name) {
                    "pop" | "popleft" | "poll" | "remove" | "peek" => Some(&mut name_usage.emptied),
                    "append" | "extend" | "add" | "addAll" | "push" | "offer" | "insert" | "update" => {
                        Some(&mut name_usage.filled)
                    }
                    _ => None,
                };
                receivers.map(|receivers| receivers.insert(file.text_of(receiver).to_owned()));
            }
            if is_own
                && file.role(node) == NodeRole::Return
                && !is_in(file, node, &above[outer..], NodeRole::Lambda)
            {
                name_usage.returns.push(returned(file, node));
            }
            let mut bindings = Vec::new();
            bound(file, node, &mut bindings);
            let is_variable = above.last().is_some_and(|parent| view::is_variable_in(file, node, *parent));
            if is_variable {
                name_usage.variables.insert(file.text_of(node).to_owned());
            }
            if bindings.is_empty()
                && is_variable
                && !is_bound_by(file, node, above.iter().rev().copied())
                && seen.insert(file.text_of(node))
            {
                name_usage.free.push(file.text_of(node).to_owned());
            }
            if is_own {
                name_usage.bound.extend(bindings.into_iter().map(|variable| (node.start_byte(), variable)));
            }
        });
        name_usage
    }
}

/// Is true if a node in the part that is looked at is of a role, or lies in one that is; the first of `within` does not count.
fn is_in(file: &File, node: Node, within: &[Node], role: NodeRole) -> bool {
    let inner = within.iter().skip(1).copied();
    inner.chain([node]).any(|outer| file.role(outer) == role)
}

fn returned(file: &File, node: Node) -> Returned {
    let value = view::value_of(file, node);
    Returned {
        value: value.map(|value| file.text_of(value).to_owned()),
        is_literal: value.is_some_and(|value| file.role(value).is_literal()),
        names: value.map(|value| view::variables_in(file, value)).unwrap_or_default(),
    }
}
