//! Declarations: modifiers, types, exceptions, default values.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::joined_without;
use crate::file::{children, visit, visit_any};
use crate::grammar::{NodeRole, replacements};
use crate::ingredients::{is_exception, is_name};
use crate::mutation::{InsertionPoint, Mutations, block, if_head, inserted, shown, splice};
use crate::site::Site;
use crate::{types, view};

super::generators!(add_throws, exception, modifier, mutable_default, remove_throws, replace_type);

/// The declarations on the place.
fn declarations<'a>(site: &Site<'a>) -> impl Iterator<Item = Node<'a>> {
    site.statements.iter().copied().filter(|node| {
        matches!(
            site.role(*node),
            NodeRole::Field | NodeRole::Function | NodeRole::Class | NodeRole::Declaration
        )
    })
}

/// The part of a node that has a role.
fn part<'t>(site: &Site, node: Node<'t>, role: NodeRole) -> Option<Node<'t>> {
    children(site.file, node).into_iter().find(|child| site.role(*child) == role)
}

/// Another modifier, one more, one less.
pub(crate) fn modifier(site: &Site, mutations: &mut Mutations) {
    for declaration in declarations(site) {
        let list = part(site, declaration, NodeRole::Modifiers);
        let local = site.role(declaration) == NodeRole::Declaration;
        let there: Vec<Node> = list.map(words_of).unwrap_or_default();
        for word in &there {
            for other in replacements(&site.grammar.modifiers, site.text(*word)) {
                if other.is_empty() {
                    // The white space behind the word goes with it.
                    let rest = site.file.slice(word.end_byte()..declaration.end_byte());
                    let gap = rest.len() - rest.trim_start().len();
                    let what = format!("`{}` is left out", site.text(*word));
                    mutations.add(vec![splice(word.start_byte()..word.end_byte() + gap, "")], 0.8, what);
                } else {
                    mutations.replace(*word, other, 0.7);
                }
            }
        }
        let added = replacements(&site.grammar.modifiers, "");
        for (index, other) in added.iter().enumerate() {
            let function = site.role(declaration) == NodeRole::Function;
            let fits = match *other {
                "synchronized" => function,
                "volatile" | "transient" => site.role(declaration) == NodeRole::Field,
                "static" => !local && declaration.kind() != "constructor_declaration",
                _ => true,
            };
            if !fits || there.iter().any(|word| site.text(*word) == *other) {
                continue;
            }
            let (at, text) = match list {
                Some(list) if !there.is_empty() => (list.end_byte(), format!(" {other}")),
                Some(list) => (list.end_byte() + 1, format!("{other} ")),
                None => (declaration.start_byte(), format!("{other} ")),
            };
            let rank = 0.6 / (1.0 + 0.2 * index as f64);
            mutations.add(vec![splice(at..at, &text)], rank, format!("`{other}` is added"));
        }
    }
}

/// The words in a list of modifiers, annotations left out.
fn words_of(list: Node) -> Vec<Node> {
    let mut cursor = list.walk();
    list.children(&mut cursor).filter(|child| !child.is_named()).collect()
}

/// The exceptions that the methods called in a function declare, and those that it raises.
fn raised(site: &Site, function: Node) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    visit(function, |node| {
        if let Some(call) = view::call(site.file, node) {
            let name = types::base(site.text(call.name));
            for (_, method) in site.methods().iter().filter(|(_, method)| method.name == name) {
                found.extend(method.throws.iter().cloned());
            }
            if is_exception(name) {
                found.insert(name.to_owned());
            }
        }
        true
    });
    found
}

/// A method declares one more exception.
pub(crate) fn add_throws(site: &Site, mutations: &mut Mutations) {
    let Some(function) = site.function.filter(|_| site.grammar.statically_typed) else { return };
    let list = part(site, function, NodeRole::ThrowsClause);
    let declared = list.map(|list| site.text(list)).unwrap_or_default();
    let head = if site.statements.contains(&function) { 1.0 } else { 0.3 };
    let mut names: Vec<(String, f64)> = raised(site, function).into_iter().map(|name| (name, 1.0)).collect();
    let known = site.methods().iter().take(200).flat_map(|(_, method)| &method.throws);
    names.extend(known.map(|name| (name.clone(), 0.5)));
    names.extend(site.file.facts.exceptions.iter().map(|name| (name.clone(), 0.4)));
    names.extend([("IOException".to_owned(), 0.4), ("Exception".to_owned(), 0.3)]);
    let mut seen = BTreeSet::new();
    for (name, rank) in names {
        if declared.contains(&name) || !seen.insert(name.clone()) {
            continue;
        }
        let (at, text) = match list {
            Some(list) => (list.end_byte(), format!(", {name}")),
            None => match function.child_by_field_name("parameters") {
                Some(parameters) => (parameters.end_byte(), format!(" throws {name}")),
                None => continue,
            },
        };
        mutations.add(vec![splice(at..at, &text)], head * rank, format!("`{name}` is declared"));
    }
}

/// A method declares one exception less.
pub(crate) fn remove_throws(site: &Site, mutations: &mut Mutations) {
    let Some(function) = site.function else { return };
    let Some(list) = part(site, function, NodeRole::ThrowsClause) else { return };
    let names = children(site.file, list);
    let head = if site.statements.contains(&function) { 1.0 } else { 0.2 };
    for index in 0..names.len() {
        let what = format!("`{}` is no longer declared", site.text(names[index]));
        let splice = if names.len() == 1 {
            let start = site.file.slice(0..list.start_byte()).trim_end().len();
            splice(start..list.end_byte(), "")
        } else {
            let rest = joined_without(site, &names, index, ", ");
            splice(list.byte_range(), &format!("throws {rest}"))
        };
        mutations.add(vec![splice], head, what);
    }
}

/// Another exception is raised or caught.
pub(crate) fn exception(site: &Site, mutations: &mut Mutations) {
    for &statement in &site.statements {
        if !matches!(site.role(statement), NodeRole::Throw | NodeRole::CatchClause) {
            continue;
        }
        let mut names = Vec::new();
        let parts = children(site.file, statement).into_iter();
        for part in parts.filter(|part| site.role(*part) != NodeRole::Block) {
            visit(part, |node| {
                if is_name(site.file, node) && is_exception(site.text(node)) {
                    names.push(node);
                }
                true
            });
        }
        for name in names {
            let old = site.text(name);
            for group in site.grammar.exceptions.iter().filter(|group| group.first() == Some(&old)) {
                for (index, other) in group.iter().skip(1).enumerate() {
                    mutations.replace(name, other, 0.9 / (1.0 + 0.15 * index as f64));
                }
            }
            for other in &site.file.facts.exceptions {
                mutations.replace(name, other, 0.7);
            }
            for (_, facts) in site.ingredients.around(site.file).into_iter().take(20) {
                for class in facts.classes.iter().filter(|class| is_exception(&class.name)) {
                    mutations.replace(name, &class.name, 0.5);
                }
            }
            if site.role(statement) == NodeRole::CatchClause
                && !site.grammar.statically_typed
                && name.parent().is_some_and(|parent| site.role(parent) == NodeRole::CatchClause)
            {
                for other in ["TypeError", "ValueError", "KeyError", "AttributeError", "IndexError"] {
                    if other != old {
                        mutations.replace(name, &format!("({old}, {other})"), 0.4);
                    }
                }
            }
        }
    }
}

/// Another type, wider or with another order.
pub(crate) fn replace_type(site: &Site, mutations: &mut Mutations) {
    for &statement in &site.statements {
        visit(statement, |node| {
            if node != statement && (site.grammar.is_statement(node) || site.role(node) == NodeRole::Block) {
                return false;
            }
            let text = site.text(node);
            let plain = site.role(node) == NodeRole::Type && node.child_count() == 0
                || node.child_count() <= 1 && matches!(node.kind(), "integral_type" | "floating_point_type")
                || !site.grammar.statically_typed
                    && site.role(node) == NodeRole::Name
                    && !view::is_variable(site.file, node);
            if plain {
                for (index, other) in replacements(&site.grammar.types, text).iter().enumerate() {
                    mutations.replace(node, other, 0.8 / (1.0 + 0.3 * index as f64));
                }
            }
            !(site.grammar.statically_typed && node.kind() == "integral_type")
        });
        // A method whose result grows takes part in it.
        if let Some(declared) = statement.child_by_field_name("type")
            && site.role(statement) == NodeRole::Declaration
            && site.text(declared) == "int"
        {
            let mut literals = site.expressions.clone();
            literals.retain(|node| site.role(*node) == NodeRole::IntegerLiteral);
            if let [only] = literals[..] {
                let splices = vec![
                    splice(declared.byte_range(), "long"),
                    splice(only.byte_range(), &format!("{}L", site.text(only))),
                ];
                mutations.add(splices, 0.5, "`int` becomes `long`");
            }
        }
    }
}

/// A default value that all calls share.
pub(crate) fn mutable_default(site: &Site, mutations: &mut Mutations) {
    let Some(function) = site.function.filter(|_| !site.grammar.statically_typed) else { return };
    let (Some(list), Some(body)) =
        (function.child_by_field_name("parameters"), function.child_by_field_name("body"))
    else {
        return;
    };
    let head = site.statements.contains(&function);
    for parameter in children(site.file, list) {
        let (Some(name), Some(value)) =
            (parameter.child_by_field_name("name"), parameter.child_by_field_name("value"))
        else {
            continue;
        };
        let shared = matches!(site.role(value), NodeRole::Collection | NodeRole::Call);
        let used =
            visit_any(body, |node| view::is_variable(site.file, node) && site.text(node) == site.text(name));
        if !shared || !used {
            if head && !shared {
                for other in ["None", "True", "False", "0", "1"] {
                    mutations.replace(value, other, 0.25);
                }
            }
            continue;
        }
        let parts = children(site.file, body);
        let first = parts
            .iter()
            .find(|node| node.named_child(0).is_none_or(|child| site.role(child) != NodeRole::StringLiteral));
        let Some(first) = first else { continue };
        let (name, old) = (site.text(name), site.text(value));
        let condition = if_head(site.file, &format!("{name} is None"));
        let code = block(site.file, &condition, &format!("{name} = {old}"));
        if let Some(guard) = inserted(site.file, InsertionPoint::Before(*first), &code) {
            let splices = vec![splice(value.byte_range(), "None"), guard];
            let what = format!("`{}` is made anew for each call", shown(old));
            mutations.add(splices, if head { 1.0 } else { 0.4 }, what);
        }
    }
}
