//! Names: another variable, field or object.

use tree_sitter::Node;

use super::{ExprContext, best, contexts};
use crate::grammar::NodeRole;
use crate::mutation::Mutations;
use crate::similarity::similarity;
use crate::site::Site;
use crate::{types, view};

super::generators!(
    replace_constant,
    replace_operand,
    replace_receiver,
    replace_target,
    replace_variable,
    self_prefix
);

/// Candidates for one name that are looked at.
const MOST: usize = 14;

/// The names that could stand in the place of a node, the best first.
pub(crate) fn substitutes(site: &Site, node: Node, wanted: Option<&str>) -> Vec<(String, f64)> {
    let at = node.start_byte();
    let old = site.text(node);
    let others = site.names(at).filter(|known| known.name != old);
    let found = others
        .filter_map(|known| Some((known.name.as_str(), site.fit_above(0.08, known, wanted, old, at)?)))
        .collect();
    best(found, MOST).into_iter().map(|(name, rank)| (name.to_owned(), rank)).collect()
}

/// Another name of the same type.
pub(crate) fn replace_variable(site: &Site, mutations: &mut Mutations) {
    for &node in &site.expressions {
        if view::is_variable(site.file, node) && !is_own(site, node) {
            let wanted = types::of(site, node);
            let target = is_target(site, node);
            let others = substitutes(site, node, wanted.as_deref());
            // Of few names each is the likelier.
            let crowd = if others.len() <= 5 { 1.3 } else { 1.0 };
            for (name, rank) in others {
                let rank = crowd * rank;
                mutations.replace(node, &name, if target { 0.5 * rank } else { rank });
            }
            for (text, rank) in accessors(site, node).into_iter().filter(|_| !target) {
                mutations.replace(node, &text, rank);
            }
        } else if let Some((object, name)) = view::member(site.file, node)
            && !is_callee(node)
        {
            for (other, rank) in members(site, object, name) {
                mutations.replace(name, &other, rank);
            }
        }
    }
}

/// Methods of the class itself that give what a name holds, and may do more: named like it, and asked for nothing.
fn accessors(site: &Site, node: Node) -> Vec<(String, f64)> {
    let (class, old, ty) = (site.class_name(), site.text(node), types::of(site, node));
    let around =
        site.function.and_then(|function| function.child_by_field_name("name")).map(|name| site.text(name));
    let methods = site.file.facts.methods.iter().filter(|method| {
        method.parameters.is_empty()
            && method.class.as_deref() == class
            && Some(method.name.as_str()) != around
    });
    let own = if site.grammar.statically_typed { "" } else { site.grammar.keywords.self_prefix };
    methods
        .filter_map(|method| {
            let alike = similarity(old, &method.name);
            let fit = site.type_fit(ty.as_deref(), method.returns.as_deref());
            (alike >= 0.5 && fit > 0.0).then(|| (format!("{own}{}()", method.name), 0.8 * alike * fit))
        })
        .collect()
}

/// Another place to keep a value in, of those that the function uses.
pub(crate) fn replace_target(site: &Site, mutations: &mut Mutations) {
    for (node, parts) in site.each(view::assignment) {
        if site.role(node) == NodeRole::Declarator {
            continue;
        }
        let (at, old) = (parts.target.start_byte(), site.text(parts.target));
        for piece in site.expressions_near() {
            if site.shares_function(piece)
                && matches!(piece.role, NodeRole::Subscript | NodeRole::MemberAccess)
                && known(site, &piece.names, at)
                && !piece.text.ends_with(')')
            {
                let alike = 0.5 + 0.5 * similarity(old, &piece.text);
                mutations.replace(parts.target, &piece.text, alike / (1.0 + site.rows_to(piece) / 12.0));
            }
        }
    }
}

fn is_own(site: &Site, node: Node) -> bool {
    site.text(node) == site.grammar.self_name()
}

fn is_callee(node: Node) -> bool {
    node.parent().is_some_and(|parent| parent.child_by_field_name("function") == Some(node))
}

/// Is true if a name is what is assigned to.
fn is_target(site: &Site, node: Node) -> bool {
    node.parent()
        .and_then(|parent| view::assignment(site.file, parent))
        .is_some_and(|parts| parts.target == node)
}

/// Other members of the same object: those that the file uses, and those that its class declares.
fn members(site: &Site, object: Node, name: Node) -> Vec<(String, f64)> {
    let (object_text, old) = (site.text(object), site.text(name));
    let mut found: Vec<(String, f64)> = Vec::new();
    let mut add = |other: &str, near: f64| {
        if other != old && !found.iter().any(|(known, _)| known == other) {
            found.push((other.to_owned(), near * (0.5 + 0.5 * similarity(old, other))));
        }
    };
    if site.is_self(object) {
        let ty = site.type_of_field(old);
        for known in site.names(name.start_byte()).filter(|known| known.class.is_some()) {
            let plain = known.name.strip_prefix(site.grammar.keywords.self_prefix).unwrap_or(&known.name);
            let fit = site.type_fit(ty.as_deref(), known.ty.as_deref());
            if fit > 0.0 {
                add(plain, 0.4 + 0.6 * fit);
            }
        }
    }
    for piece in site.expressions_near().iter().filter(|piece| piece.role == NodeRole::MemberAccess) {
        if let Some((left, right)) = piece.text.rsplit_once('.') {
            if left == object_text {
                add(right, 1.0);
            } else if similarity(left, object_text) > 0.5 && similarity(right, old) > 0.0 {
                add(right, 0.7);
            } else if similarity(right, old) >= 0.3 {
                // An object of the same kind has another name here.
                add(right, 0.5);
            }
        }
    }
    if let Some(other) = crate::similarity::opposite(old) {
        add(other, 1.0);
    }
    for group in site.grammar.confusable_functions.iter().filter(|group| group.contains(&old)) {
        for other in group {
            add(other, 1.0);
        }
    }
    if let Some(class) = types::of(site, object) {
        let class = types::base(&class).to_owned();
        for (near, facts) in site.ingredients.around(site.file) {
            for known in facts.variables.iter().filter(|known| known.class.as_deref() == Some(&class)) {
                add(known.name.strip_prefix(site.grammar.keywords.self_prefix).unwrap_or(&known.name), near);
            }
        }
    }
    best(found, MOST)
}

/// A call on another object.
pub(crate) fn replace_receiver(site: &Site, mutations: &mut Mutations) {
    for (_, call) in site.each(view::call) {
        let Some(receiver) = call.receiver else { continue };
        let plain = matches!(site.role(receiver), NodeRole::MemberAccess | NodeRole::This)
            || view::is_variable(site.file, receiver);
        if !plain || is_own(site, receiver) {
            continue;
        }
        let wanted = types::of(site, receiver);
        for (name, rank) in substitutes(site, receiver, wanted.as_deref()) {
            mutations.replace(receiver, &name, rank);
        }
        if !site.grammar.statically_typed && view::is_variable(site.file, receiver) {
            let text = format!("{}{}", site.grammar.keywords.self_prefix, site.text(receiver));
            mutations.replace(receiver, &text, 0.1);
        }
    }
}

/// Another operand: one of its own parts, or a value of the same type.
pub(crate) fn replace_operand(site: &Site, mutations: &mut Mutations) {
    for (node, context) in contexts(site) {
        if context == ExprContext::Index {
            continue;
        }
        let in_call = node.parent().is_some_and(|parent| site.role(parent) == NodeRole::Arguments);
        let share = match context {
            ExprContext::Operand => 1.0,
            _ if in_call => 0.8,
            _ => 0.6,
        };
        for (text, rank) in parts_of(site, node) {
            mutations.replace(node, &text, share * rank);
        }
        let wanted = types::of(site, node);
        if !view::is_variable(site.file, node)
            && !matches!(
                site.role(node),
                NodeRole::BooleanLiteral | NodeRole::NullLiteral | NodeRole::Collection
            )
        {
            // A call and a name are never alike: its value may have been kept before.
            let called = if site.role(node) == NodeRole::Call { 1.0 } else { 0.6 };
            for (name, rank) in substitutes(site, node, wanted.as_deref()) {
                mutations.replace(node, &name, called * share * rank);
            }
        }
        for piece in site.expressions_near() {
            if piece.role == NodeRole::BinaryOperation
                || piece.text == site.text(node)
                || !known(site, &piece.names, node.start_byte())
            {
                continue;
            }
            let near = if site.shares_function(piece) { 0.5 } else { 0.25 };
            let alike = similarity(site.text(node), &piece.text);
            mutations.replace(node, &piece.text, share * near * alike / (1.0 + site.rows_to(piece) / 10.0));
        }
    }
}

/// Is true if all names are known at a byte.
pub(crate) fn known(site: &Site, names: &[String], at: usize) -> bool {
    names.iter().all(|name| is_given(name) || site.knows(name, at) || name.starts_with(char::is_uppercase))
}

/// Names that a language gives everywhere.
fn is_given(name: &str) -> bool {
    const GIVEN: &[&str] = &[
        "self", "cls", "str", "int", "float", "list", "dict", "set", "tuple", "bool", "len", "object",
        "bytes",
    ];
    GIVEN.contains(&name)
}

/// The parts of an expression that could stand in its place.
fn parts_of(site: &Site, node: Node) -> Vec<(String, f64)> {
    let file = site.file;
    let mut found = Vec::new();
    if let Some((object, _)) = view::subscript(file, node) {
        found.push((site.text(object).to_owned(), 0.7));
    }
    if let Some((object, name)) = view::member(file, node) {
        if !site.is_self(object) {
            found.push((site.text(object).to_owned(), 0.5));
        }
        let name = site.text(name);
        if site.names(node.start_byte()).any(|known| known.name == name) {
            found.push((name.to_owned(), 0.5));
        }
    }
    if let Some(call) = view::call(file, node) {
        found.extend(call.arguments.iter().take(3).map(|argument| (site.text(*argument).to_owned(), 0.4)));
        if let Some(receiver) = call.receiver.filter(|receiver| !is_own(site, *receiver)) {
            found.push((site.text(receiver).to_owned(), 0.4));
        }
    }
    if view::is_variable(file, node) {
        let text = site.text(node);
        // What the file says of the same object elsewhere.
        for piece in site.expressions_near() {
            if piece.role != NodeRole::BinaryOperation
                && piece.text.len() > text.len()
                && piece.text.starts_with(text)
                && piece.text[text.len()..].starts_with(['.', '['])
                && known(site, &piece.names, node.start_byte())
            {
                found.push((piece.text.clone(), 0.5 / (1.0 + site.rows_to(piece) / 30.0)));
            }
        }
    }
    found
}

/// The object itself is forgotten before a name, or meant to be left out.
pub(crate) fn self_prefix(site: &Site, mutations: &mut Mutations) {
    let own = site.grammar.keywords.self_prefix;
    for &node in &site.expressions {
        if view::is_variable(site.file, node) {
            let text = site.text(node);
            let field = format!("{own}{text}");
            let declared = site.type_of_field(text).is_some()
                || site
                    .names(usize::MAX)
                    .any(|known| known.name == field || known.class.is_some() && known.name == text);
            let local = site.names(usize::MAX).any(|known| known.name == text && known.class.is_none());
            if declared && !is_own(site, node) {
                // In Java a field needs no word before it unless a local variable hides it.
                let rank = if local || !site.grammar.statically_typed { 1.0 } else { 0.05 };
                mutations.replace(node, &field, rank);
            }
        } else if let Some(call) = view::call(site.file, node)
            && call.receiver.is_none()
            && !site.grammar.statically_typed
        {
            let name = site.text(call.name);
            let method =
                site.file.facts.methods.iter().any(|method| method.name == name && method.class.is_some());
            if method {
                mutations.replace(call.name, &format!("{own}{name}"), 0.9);
            }
        } else if let Some((object, name)) = view::member(site.file, node)
            && site.is_self(object)
            && site.names(node.start_byte()).any(|known| known.name == site.text(name))
        {
            mutations.replace(node, site.text(name), 0.5);
        }
    }
}

/// A literal where a constant or field of that type was meant, and a constant where another was.
pub(crate) fn replace_constant(site: &Site, mutations: &mut Mutations) {
    for (node, _) in contexts(site) {
        let role = site.role(node);
        if !role.is_literal() || role == NodeRole::NullLiteral {
            continue;
        }
        let wanted = types::of_literal(site.file, node);
        for known in site.names(node.start_byte()) {
            let constant = known.name.chars().all(|letter| !letter.is_lowercase()) && known.name.len() > 1;
            let fit = site.type_fit(wanted.as_deref(), known.ty.as_deref());
            let rank = match known.from {
                _ if constant => 1.0,
                0 => 0.45,
                _ => 0.6,
            };
            mutations.replace(node, &known.name, fit * rank);
        }
    }
}
