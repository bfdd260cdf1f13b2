//! Accesses of what may be no object, guarded inside of an expression.

use tree_sitter::Node;

use super::{ExprContext, best, contexts};
use crate::file::visit;
use crate::grammar::NodeRole;
use crate::mutation::Mutations;
use crate::site::Site;
use crate::{types, view};

super::generators!(guard_access);

/// Longer expressions are guarded by a statement.
const LONGEST: usize = 100;

/// An expression is worked out only if what it asks is an object; else there is another value.
pub(crate) fn guard_access(site: &Site, mutations: &mut Mutations) {
    for (node, context) in contexts(site) {
        let text = site.text(node);
        if !matches!(
            site.role(node),
            NodeRole::MemberAccess
                | NodeRole::Call
                | NodeRole::Subscript
                | NodeRole::BinaryOperation
                | NodeRole::UnaryOperation
        ) || text.len() > LONGEST
        {
            continue;
        }
        let others = others(site, node, context);
        for (object, near) in objects(site, node) {
            let condition = site.grammar.null_test(site.text(object), false);
            for (other, likely) in &others {
                let choice = site.grammar.ternary(&condition, text, other);
                let choice = if context == ExprContext::Operand { format!("({choice})") } else { choice };
                mutations.replace(node, &choice, near * likely);
            }
        }
    }
}

/// The objects that an expression dereferences, each with the likelihood that it is null; the last one first.
fn objects<'t>(site: &Site, node: Node<'t>) -> Vec<(Node<'t>, f64)> {
    let mut found: Vec<(Node, f64)> = Vec::new();
    let own = site.grammar.self_name();
    visit(node, |inner| {
        if let Some(object) = view::dereferenced(site.file, inner)
            && is_asked_twice(site, object)
            && site.text(object) != own
            && !found.iter().any(|(known, _)| site.text(*known) == site.text(object))
        {
            let directly =
                inner == node || view::call(site.file, node).is_some_and(|call| call.receiver.is_none());
            let local = if site.role(object) == NodeRole::Name { 0.9 } else { 1.0 };
            found.push((object, local * if directly { 1.0 } else { 0.7 } / (1.0 + 0.2 * found.len() as f64)));
        }
        site.role(inner) != NodeRole::Lambda
    });
    found
}

/// Is true if an object can be asked for, and then asked again, without harm, and may be none.
fn is_asked_twice(site: &Site, object: Node) -> bool {
    let constant = site.text(object).starts_with(char::is_uppercase);
    let known = types::of(site, object);
    let number = known.is_some_and(|ty| ty == "int" || ty == "str");
    match site.role(object) {
        NodeRole::Name => !constant && !number && site.knows(site.text(object), object.start_byte()),
        NodeRole::MemberAccess => !constant,
        NodeRole::Call => view::call(site.file, object)
            .is_some_and(|call| call.receiver.is_some() && call.arguments.is_empty()),
        _ => false,
    }
}

/// The values that could be taken instead, the likeliest first.
fn others(site: &Site, node: Node, context: ExprContext) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = Vec::new();
    let mut add = |text: &str, likely: f64| match found.iter_mut().find(|(known, _)| known == text) {
        Some(known) => known.1 = known.1.max(likely),
        None => found.push((text.to_owned(), likely)),
    };
    let declared = (context == ExprContext::Assigned)
        .then(|| node.parent()?.parent()?.child_by_field_name("type"))
        .flatten()
        .map(|ty| types::declared(site.file, ty))
        .filter(|ty| ty != "var");
    let returned = (context == ExprContext::Returned).then(|| site.returns()).flatten();
    let ty = declared.or(returned).or_else(|| types::of(site, node)).or_else(|| hinted(site, node));
    for idiom in &site.grammar.default_returns {
        let suits = match (idiom.types.is_empty(), site.grammar.statically_typed, ty.as_deref()) {
            (true, true, Some(ty)) if types::is_primitive(ty) => 0.0,
            (true, true, _) => 1.3,
            (false, true, None) => 0.6,
            (_, statically_typed, ty) => {
                site.type_suits(&idiom.types, ty).max(if statically_typed { 0.0 } else { 0.4 })
            }
        };
        add(idiom.text, (suits * idiom.share).min(1.0));
    }
    // A parameter may often be no object.
    if context == ExprContext::Argument && !site.grammar.statically_typed {
        add(site.grammar.keywords.null, 0.6);
    }
    // What the function gives back elsewhere.
    if let Some(function) = site.function.filter(|_| context == ExprContext::Returned) {
        visit(function, |inner| {
            let value = view::value_of(site.file, inner).filter(|_| site.role(inner) == NodeRole::Return);
            if let Some(value) = value.filter(|value| site.role(*value).is_literal()) {
                add(site.text(value), 0.9);
            }
            true
        });
    }
    found.retain(|(_, likely)| *likely > 0.1);
    best(found, 8)
}

/// The type that a name speaks for, where none is declared.
fn hinted(site: &Site, node: Node) -> Option<String> {
    if site.grammar.statically_typed {
        return None;
    }
    let text = site.text(node).trim_end_matches("()");
    let name = text.rsplit('.').next().unwrap_or(text);
    let kinds: &[(&[&str], &str)] = &[
        (&["name", "title", "text", "label", "path", "url", "description", "message", "value"], "str"),
        (&["amount", "count", "size", "length", "total", "price", "number", "width", "height", "id"], "int"),
        (&["is_", "has_", "can_"], "bool"),
    ];
    let kind = kinds.iter().find(|(words, _)| {
        words.iter().any(|word| name.ends_with(word) || word.ends_with('_') && name.starts_with(word))
    });
    let plural = || (name.len() > 3 && name.ends_with('s') && !name.ends_with("ss")).then_some("list");
    kind.map(|(_, kind)| *kind).or_else(plural).map(str::to_owned)
}
