//! Calls around an expression: one more, one less.

use super::{Slot, filled, slots};
use crate::grammar::NodeRole;
use crate::mutation::Mutations;
use crate::site::Site;
use crate::{types, view};

/// An expression is put into a call that is known for its type.
pub(crate) fn wrap(site: &Site, mutations: &mut Mutations) {
    for (node, slot) in slots(site) {
        if matches!(
            site.role(node),
            NodeRole::NullLiteral | NodeRole::BooleanLiteral | NodeRole::IntegerLiteral
        ) || slot == Slot::Index && site.role(node) == NodeRole::Slice
        {
            continue;
        }
        let ty = types::of(site, node);
        let share = match slot {
            Slot::Value | Slot::Returned => 1.0,
            Slot::Argument => 0.9,
            Slot::Operand | Slot::Choice | Slot::Element => 0.8,
            Slot::Index => 0.5,
        };
        for idiom in site.grammar.wraps {
            let suits = types::suits(site.grammar.statically_typed, idiom.types, ty.as_deref());
            let there = idiom
                .text
                .split("{x}")
                .next()
                .is_some_and(|head| !head.is_empty() && site.text(node).starts_with(head));
            if there || suits < 0.1 {
                continue;
            }
            let bracketed = idiom.text.contains("({x}") || idiom.text.contains(", {x})");
            let text = if bracketed { site.text(node).to_owned() } else { view::tight(site.file, node) };
            mutations.replace(site, node, &filled(idiom.text, &text), share * suits * idiom.share);
        }
        if slot == Slot::Value || slot == Slot::Returned || slot == Slot::Argument {
            lookup(site, node, mutations);
        }
    }
}

/// `x` where something is taken out of `x` elsewhere in the same way.
fn lookup(site: &Site, node: tree_sitter::Node, mutations: &mut Mutations) {
    if !view::is_variable(site.file, node) {
        return;
    }
    for method in site.file.facts.methods.iter().filter(|method| method.parameters.len() == 1) {
        let own = if method.class.is_some() && !site.grammar.statically_typed {
            site.grammar.keywords.self_prefix
        } else {
            ""
        };
        mutations.replace(site, node, &format!("{own}{}({})", method.name, site.text(node)), 0.2);
    }
}

/// A call is taken away, its argument or object stays.
pub(crate) fn unwrap(site: &Site, mutations: &mut Mutations) {
    for node in &site.expressions {
        let Some(call) = view::call(site.file, *node) else { continue };
        if super::slot(site, *node).is_none()
            && node.parent().is_none_or(|parent| {
                site.role(parent) != NodeRole::Call && site.role(parent) != NodeRole::MemberAccess
            })
        {
            continue;
        }
        match (call.receiver, &call.arguments[..]) {
            (None, [only]) => mutations.replace(site, *node, site.text(*only), 1.0),
            (Some(receiver), [only]) => {
                let class = site.text(receiver).starts_with(char::is_uppercase);
                mutations.replace(
                    site,
                    *node,
                    site.text(if class { *only } else { receiver }),
                    if class { 0.9 } else { 0.5 },
                );
            }
            (Some(receiver), _) => mutations.replace(site, *node, site.text(receiver), 0.6),
            _ => {}
        }
    }
}
