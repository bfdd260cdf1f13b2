//! Calls around an expression: one more, one less.

use super::{ExprContext, contexts, filled};
use crate::grammar::NodeRole;
use crate::mutation::Mutations;
use crate::site::Site;
use crate::{types, view};

super::generators!(unwrap, wrap);

/// An expression is put into a call that is known for its type.
pub(crate) fn wrap(site: &Site, mutations: &mut Mutations) {
    for (node, context) in contexts(site) {
        if matches!(
            site.role(node),
            NodeRole::NullLiteral | NodeRole::BooleanLiteral | NodeRole::IntegerLiteral
        ) || context == ExprContext::Index && site.role(node) == NodeRole::Slice
        {
            continue;
        }
        let ty = types::of(site, node);
        let share = match context {
            ExprContext::Assigned | ExprContext::Returned => 1.0,
            ExprContext::Argument => 0.9,
            ExprContext::Operand | ExprContext::Choice | ExprContext::Element => 0.8,
            ExprContext::Index => 0.5,
        };
        for idiom in &site.grammar.wraps {
            let suits = site.type_suits(&idiom.types, ty.as_deref());
            let head = idiom.text.split("{x}").next().unwrap_or_default();
            let there = !head.is_empty() && site.text(node).starts_with(head);
            if there || suits < 0.1 {
                continue;
            }
            let bracketed = idiom.text.contains("({x}") || idiom.text.contains(", {x})");
            let text = if bracketed { site.text(node).to_owned() } else { view::tight(site.file, node) };
            mutations.replace(node, &filled(idiom.text, &text), share * suits * idiom.share);
        }
        if !matches!(context, ExprContext::Assigned | ExprContext::Returned | ExprContext::Argument)
            || !view::is_variable(site.file, node)
        {
            continue;
        }
        for method in site.file.facts.methods.iter().filter(|method| method.parameters.len() == 1) {
            let of_object = method.class.is_some() && !site.grammar.statically_typed;
            let own = if of_object { site.grammar.keywords.self_prefix } else { "" };
            mutations.replace(node, &format!("{own}{}({})", method.name, site.text(node)), 0.2);
        }
    }
}

/// A call is taken away, its argument or object stays.
pub(crate) fn unwrap(site: &Site, mutations: &mut Mutations) {
    for (node, call) in site.each(view::call) {
        if super::context(site, node).is_none()
            && !node
                .parent()
                .is_some_and(|parent| matches!(site.role(parent), NodeRole::Call | NodeRole::MemberAccess))
        {
            continue;
        }
        match (call.receiver, &call.arguments[..]) {
            (None, [only]) => mutations.replace(node, site.text(*only), 1.0),
            (Some(receiver), [only]) => {
                let class = site.text(receiver).starts_with(char::is_uppercase);
                let (inner, rank) = if class { (*only, 0.9) } else { (receiver, 0.5) };
                mutations.replace(node, site.text(inner), rank);
            }
            (Some(receiver), _) => mutations.replace(node, site.text(receiver), 0.6),
            _ => {}
        }
    }
}
