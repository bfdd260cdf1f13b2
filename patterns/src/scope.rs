//! The names that are known at a place.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tree_sitter::Node;

use crate::file::{File, ancestors, around, children, visit, visit_any};
use crate::grammar::NodeRole;
use crate::ingredients::{Ingredients, Variable, parameters};
use crate::name_usage::NameUsage;
use crate::{types, view};

/// The names known in a statement: those of the function, the nearest first, then fields, then those of the module. A
/// name counts from the byte behind its declaration.
pub(crate) fn of(file: &File, ingredients: &Ingredients, anchor: Node) -> Vec<Variable> {
    let mut found: Vec<Variable> = Vec::new();
    if file.grammar.statically_typed {
        blocks(file, anchor, &mut found);
    } else {
        functions(file, anchor, &mut found);
    }
    // In a loop a name is known before the place that binds it last, so what was bound before counts first.
    let here = anchor.start_byte();
    found.sort_by_key(|variable| (variable.from > here, std::cmp::Reverse(variable.from)));
    let mut seen = BTreeSet::new();
    found.retain(|variable| seen.insert(variable.name.clone()));
    fields(file, ingredients, anchor, &mut found);
    if !file.grammar.statically_typed {
        let globals = file.facts.variables.iter().filter(|variable| variable.class.is_none());
        found.extend(globals.filter(|variable| !seen.contains(&variable.name)).cloned());
    }
    strangers(file, anchor, &mut found);
    found
}

/// Names that are used around a place although nothing that was read declares them, such as inherited fields.
fn strangers(file: &File, anchor: Node, found: &mut Vec<Variable>) {
    let function = around(anchor).find(|node| file.role(*node) == NodeRole::Function);
    let name_usage = match function {
        Some(function) => file.name_usage(function),
        None => Arc::new(NameUsage::of(file, anchor)),
    };
    let own = file.grammar.keywords.self_prefix;
    let known: BTreeSet<&str> = found
        .iter()
        .flat_map(|variable| [Some(variable.name.as_str()), variable.name.strip_prefix(own)])
        .flatten()
        .collect();
    let strange: Vec<Variable> = name_usage
        .free
        .iter()
        .filter(|name| !known.contains(name.as_str()))
        .filter(|name| !(file.grammar.statically_typed && name.starts_with(char::is_uppercase)))
        // What the function declares further down is not known here.
        .filter(|name| !name_usage.declared.contains(*name))
        .map(|name| {
            let ty = name_usage.all.get(name).map(|ty| (*ty).to_owned());
            Variable { name: name.clone(), ty, class: None, from: 0 }
        })
        .collect();
    found.extend(strange);
}

/// Is true if a name is given by a lambda, a loop or a comprehension around it, the innermost first, or is assigned here.
pub(crate) fn is_bound_by<'t>(file: &File, node: Node<'t>, around: impl Iterator<Item = Node<'t>>) -> bool {
    let name = file.text_of(node);
    let names_it = |part: Option<Node<'t>>| {
        part.is_some_and(|part| {
            visit_any(part, |inner| inner.child_count() == 0 && file.text_of(inner) == name)
        })
    };
    let holds_it = |part: &Node| part.byte_range().contains(&node.start_byte());
    let mut around = around.take_while(|outer| file.role(*outer) != NodeRole::Function);
    matches!(name, "self" | "cls")
        || around.any(|outer| {
            let left = outer.child_by_field_name("left");
            match file.role(outer) {
                NodeRole::Lambda => names_it(outer.child_by_field_name("parameters")),
                NodeRole::Collection => children(file, outer).into_iter().any(|part| {
                    file.role(part) == NodeRole::ForEach && names_it(part.child_by_field_name("left"))
                }),
                NodeRole::ForEach | NodeRole::CatchClause | NodeRole::Parameters => {
                    left.as_ref().is_some_and(holds_it)
                }
                NodeRole::Assign if !file.grammar.statically_typed => left.is_some_and(|left| {
                    holds_it(&left)
                        && !matches!(file.role(left), NodeRole::Subscript | NodeRole::MemberAccess)
                }),
                _ => false,
            }
        })
}

/// Declarations in the blocks around a place, where each block has names of its own.
fn blocks(file: &File, anchor: Node, found: &mut Vec<Variable>) {
    let mut inner = anchor;
    for node in around(anchor) {
        match file.role(node) {
            NodeRole::Block => {
                let before = children(file, node).into_iter();
                before
                    .take_while(|child| child.start_byte() <= inner.start_byte())
                    .for_each(|child| declared(file, child, found));
            }
            NodeRole::While
            | NodeRole::ForEach
            | NodeRole::Declaration
            | NodeRole::CatchClause
            | NodeRole::Statement => {
                declared(file, node, found);
                for child in children(file, node) {
                    declared(file, child, found);
                    if child.kind() == "resource_specification" {
                        for part in children(file, child) {
                            declared(file, part, found);
                        }
                    }
                }
            }
            NodeRole::Function | NodeRole::Lambda => {
                listed(file, node, found);
                let is_callable = |node| matches!(file.role(node), NodeRole::Function | NodeRole::Lambda);
                if file.role(node) == NodeRole::Function && !ancestors(node).any(is_callable) {
                    break;
                }
            }
            _ => {}
        }
        inner = node;
    }
}

/// Adds the variables that one node declares by itself.
fn declared(file: &File, node: Node, found: &mut Vec<Variable>) {
    let ty = node.child_by_field_name("type").map(|ty| types::declared(file, ty));
    match file.role(node) {
        NodeRole::Declaration => {
            for declarator in children(file, node) {
                if file.role(declarator) == NodeRole::Declarator
                    && let Some(name) = declarator.child_by_field_name("name")
                {
                    let value = declarator.child_by_field_name("value");
                    let plain = ty.clone().filter(|ty| ty != "var");
                    let ty = plain.or_else(|| value.and_then(|value| types::of_literal(file, value)));
                    add(file, name, ty, declarator.end_byte(), found);
                }
            }
        }
        NodeRole::ForEach | NodeRole::Parameter => {
            if let Some(name) = node.child_by_field_name("name") {
                let until =
                    node.child_by_field_name("value").map_or(node.end_byte(), |value| value.end_byte());
                add(file, name, ty, until, found);
            }
        }
        _ => {}
    }
}

/// The parameters of a function.
fn listed(file: &File, function: Node, found: &mut Vec<Variable>) {
    let Some(list) = function.child_by_field_name("parameters") else { return };
    if file.role(list) == NodeRole::Name {
        return add(file, list, None, list.end_byte(), found);
    }
    let from = list.end_byte();
    let known = parameters(file, list).into_iter();
    found.extend(known.map(|one| Variable { name: one.name, ty: one.ty, class: None, from }));
}

fn add(file: &File, name: Node, ty: Option<String>, from: usize, found: &mut Vec<Variable>) {
    found.push(Variable { name: file.text_of(name).to_owned(), ty, class: None, from });
}

/// Names in the functions around a place, where a function has one set of names.
fn functions(file: &File, anchor: Node, found: &mut Vec<Variable>) {
    let mut uses: BTreeMap<String, &'static str> = BTreeMap::new();
    for node in around(anchor) {
        match file.role(node) {
            NodeRole::Function => {
                listed(file, node, found);
                let until = anchor.end_byte();
                let name_usage = file.name_usage(node);
                let before = name_usage.bound.iter().filter(|(start, _)| *start <= until);
                found.extend(before.map(|(_, variable)| variable.clone()));
                for (name, ty) in &name_usage.own {
                    uses.entry(name.clone()).or_insert(ty);
                }
            }
            NodeRole::Lambda => listed(file, node, found),
            _ => {}
        }
    }
    for variable in found.iter_mut().filter(|variable| variable.ty.is_none()) {
        variable.ty = uses.get(&variable.name).map(|ty| (*ty).to_owned());
    }
}

/// Adds the variables that one node binds.
pub(crate) fn bound(file: &File, node: Node, found: &mut Vec<Variable>) {
    let (target, value, until) = match file.role(node) {
        NodeRole::Assign => {
            let value = node.child_by_field_name("right");
            (node.child_by_field_name("left"), value, node.end_byte())
        }
        NodeRole::ForEach if node.kind() != "for_in_clause" => {
            let right = node.child_by_field_name("right");
            (node.child_by_field_name("left"), None, right.map_or(node.end_byte(), |right| right.end_byte()))
        }
        _ if node.kind() == "as_pattern_target" => (Some(node), None, node.end_byte()),
        _ => return,
    };
    let Some(target) = target else { return };
    let ty = value.and_then(|value| types::of_literal(file, value));
    let plain = file.role(target) == NodeRole::Name;
    visit(target, |inner| {
        let role = file.role(inner);
        if role == NodeRole::Name {
            add(file, inner, ty.clone().filter(|_| plain), until, found);
        }
        // `a.b` and `a[b]` give no name.
        !matches!(role, NodeRole::MemberAccess | NodeRole::Subscript)
    });
}

/// The types that the use of names in a node implies.
pub(crate) fn used_as<'f>(file: &'f File, node: Node) -> Vec<(&'f str, &'static str)> {
    let mut found = Vec::new();
    let mut say = |node: Node, ty: &'static str| {
        if file.role(node) == NodeRole::Name {
            found.push((file.text_of(node), ty));
        }
    };
    match file.role(node) {
        NodeRole::Call => {
            let Some(call) = view::call(file, node) else { return found };
            let callee = file.text_of(call.name);
            if let Some(receiver) = call.receiver {
                match callee {
                    "append" | "extend" | "pop" | "sort" | "insert" => say(receiver, "list"),
                    "lower" | "upper" | "strip" | "split" | "startswith" | "endswith" | "join" => {
                        say(receiver, "str");
                    }
                    "items" | "keys" | "values" | "get" | "setdefault" => say(receiver, "dict"),
                    _ => {}
                }
            } else if let Some(first) = call.arguments.first() {
                match callee {
                    "len" | "sorted" | "sum" | "enumerate" | "reversed" => say(*first, "list"),
                    "range" | "abs" => say(*first, "int"),
                    _ => {}
                }
            }
        }
        NodeRole::Subscript => {
            if let Some((object, indices)) = view::subscript(file, node) {
                say(object, "list");
                // A key may be anything, but one that is counted on is a number.
                let counted = indices.iter().filter_map(|index| view::binary(file, *index));
                counted.for_each(|parts| say(parts.left, "int"));
            }
        }
        NodeRole::ForEach => {
            if let Some(right) = node.child_by_field_name("right") {
                say(right, "list");
            }
        }
        NodeRole::AugmentedAssign => {
            if let Some(parts) = view::assignment(file, node)
                && file.role(parts.value) == NodeRole::IntegerLiteral
            {
                say(parts.target, "int");
            }
        }
        NodeRole::BinaryOperation => {
            let Some(parts) = view::binary(file, node) else { return found };
            let counts = matches!(
                parts.operator.as_str(),
                "+" | "-" | "*" | "//" | "%" | "<" | ">" | "<=" | ">=" | "=="
            );
            let length = view::call(file, parts.right).is_some_and(|call| file.text_of(call.name) == "len");
            let whole = parts.operator == "//" || length;
            if whole || counts && file.role(parts.right) == NodeRole::IntegerLiteral {
                say(parts.left, "int");
            }
        }
        _ => {}
    }
    found
}

/// The fields of the class around a place and of those that it extends.
fn fields(file: &File, ingredients: &Ingredients, anchor: Node, found: &mut Vec<Variable>) {
    let classes = around(anchor).filter(|node| file.role(*node) == NodeRole::Class);
    for name in classes.filter_map(|node| node.child_by_field_name("name")) {
        let class = file.text_of(name);
        for name in file.facts.line_of(class) {
            let others = ingredients.around(file).into_iter().map(|(_, facts)| facts);
            let others =
                others.filter(|facts| name != class || facts.classes.iter().any(|other| other.name == name));
            std::iter::once(&file.facts)
                .chain(others)
                .flat_map(|facts| &facts.variables)
                .filter(|variable| variable.class.as_deref() == Some(name))
                .for_each(|variable| field(file, variable, found));
        }
    }
}

fn field(file: &File, variable: &Variable, found: &mut Vec<Variable>) {
    let mut variable = variable.clone();
    variable.from = 0;
    // A name that is taken by a local variable is reached through the object.
    if file.grammar.statically_typed && found.iter().any(|known| known.name == variable.name) {
        variable.name = format!("{}{}", file.grammar.keywords.self_prefix, variable.name);
    }
    if !found.iter().any(|known| known.name == variable.name) {
        found.push(variable);
    }
}
