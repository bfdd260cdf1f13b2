//! Comparisons: of identity or of value, and of order.

use crate::file::ancestors;
use crate::grammar::NodeRole;
use crate::mutation::{Mutations, splice};
use crate::site::Site;
use crate::types;
use crate::view;

super::generators!(equality, ordering);

/// Identity is compared where the value was meant, or the other way round.
pub(crate) fn equality(site: &Site, mutations: &mut Mutations) {
    for &node in &site.expressions {
        if let Some(parts) = view::binary(site.file, node) {
            let equal = matches!(parts.operator.as_str(), "==" | "is");
            if !equal && !matches!(parts.operator.as_str(), "!=" | "is not") {
                continue;
            }
            let (left, right) = (site.text(parts.left), site.text(parts.right));
            if site.grammar.statically_typed {
                let plain = [parts.left, parts.right].iter().any(|side| {
                    let role = site.role(*side);
                    role.is_literal() && role != NodeRole::StringLiteral
                        || types::of(site, *side).is_some_and(|ty| types::is_primitive(&ty))
                });
                if plain {
                    continue;
                }
                let not = if equal { "" } else { "!" };
                let tight = view::tight(site.file, parts.left);
                mutations.replace(node, &format!("{not}{tight}.equals({right})"), 1.0);
                mutations.replace(node, &format!("{not}Objects.equals({left}, {right})"), 0.4);
                mutations.replace(
                    node,
                    &format!("{not}{}.equals({left})", view::tight(site.file, parts.right)),
                    0.3,
                );
            } else if parts.operator.starts_with("is") {
                let operator = if equal { "==" } else { "!=" };
                mutations.replace_range(parts.at, operator, 1.0);
            } else if matches!(site.role(parts.right), NodeRole::NullLiteral | NodeRole::BooleanLiteral) {
                mutations.replace_range(parts.at, if equal { "is" } else { "is not" }, 0.9);
            } else {
                // One of several values, or all of a kind.
                mutations.replace(node, &format!("{left}.lower() {} {right}.lower()", parts.operator), 0.2);
                if let Some(call) = view::call(site.file, parts.left)
                    && let [value] = call.arguments[..]
                    && site.text(call.name) == "type"
                {
                    let not = if equal { "" } else { "not " };
                    mutations.replace(node, &format!("{not}isinstance({}, {right})", site.text(value)), 1.0);
                }
            }
        }
        if let Some(call) = view::call(site.file, node)
            && let (Some(receiver), [only]) = (call.receiver, &call.arguments[..])
            && site.grammar.statically_typed
            && site.text(call.name) == "equals"
        {
            let (left, right) = (site.text(receiver), site.text(*only));
            mutations.replace(node, &format!("{left} == {right}"), 0.5);
            mutations.replace(node, &format!("Objects.equals({left}, {right})"), 0.6);
            mutations.replace(node, &format!("{}.equals({left})", view::tight(site.file, *only)), 0.8);
        }
    }
}

/// Two things are compared in the wrong order.
pub(crate) fn ordering(site: &Site, mutations: &mut Mutations) {
    for (node, call) in site.each(view::call) {
        let name = site.text(call.name);
        if !name.starts_with("compare") && name != "cmp" && name != "comparing" && name != "comparingInt" {
            continue;
        }
        match (call.receiver, &call.arguments[..]) {
            (Some(receiver), [only]) if !name.starts_with("comparing") => {
                let splices = vec![
                    splice(receiver.byte_range(), &view::tight(site.file, *only)),
                    splice(only.byte_range(), site.text(receiver)),
                ];
                mutations.add(splices, 1.0, "the two that are compared change places");
                mutations.replace(node, &format!("-{}", site.text(node)), 0.6);
            }
            (_, [_]) => mutations.replace(node, &format!("{}.reversed()", site.text(node)), 0.7),
            (_, [one, other]) => {
                mutations.exchange(*one, *other, 1.0, "the two that are compared change places");
            }
            _ => {}
        }
    }
    // A difference that may overflow, or has the wrong sign.
    for (node, parts) in site.each(view::binary).filter(|(_, parts)| parts.operator == "-") {
        let compared = ancestors(node)
            .find(|node| matches!(site.role(*node), NodeRole::Function | NodeRole::Lambda))
            .is_some_and(|function| {
                site.role(function) == NodeRole::Lambda
                    || function
                        .child_by_field_name("name")
                        .is_some_and(|name| site.text(name).starts_with("comp"))
            });
        if compared && site.grammar.statically_typed {
            let (left, right) = (site.text(parts.left), site.text(parts.right));
            for (class, rank) in [("Integer", 0.8), ("Long", 0.5), ("Double", 0.5)] {
                mutations.replace(node, &format!("{class}.compare({left}, {right})"), rank);
            }
        }
    }
}
