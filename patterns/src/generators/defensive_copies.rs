//! Collections that two owners share: one of them should have a copy.

use tree_sitter::Node;

use super::{ExprContext, contexts, filled};
use crate::file::ancestors;
use crate::grammar::NodeRole;
use crate::mutation::Mutations;
use crate::site::Site;
use crate::{types, view};

super::generators!(copy);

/// Calls that keep what they are given.
const KEEPING: &[&str] = &[
    "add",
    "addAll",
    "addFirst",
    "addLast",
    "append",
    "appendleft",
    "insert",
    "offer",
    "push",
    "put",
    "putIfAbsent",
    "set",
    "setdefault",
];

/// A collection is kept or handed out as it is.
pub(crate) fn copy(site: &Site, mutations: &mut Mutations) {
    for (node, context) in contexts(site) {
        if !matches!(site.role(node), NodeRole::Name | NodeRole::MemberAccess | NodeRole::Subscript) {
            continue;
        }
        let Some(share) = kept(site, node, context) else { continue };
        let ty = types::of(site, node);
        for idiom in &site.grammar.copies {
            let suits = match ty.as_deref() {
                None if !site.grammar.statically_typed => {
                    idiom.share * if is_plural(site.text(node)) { 0.9 } else { 0.35 }
                }
                ty => idiom.share * site.type_suits(&idiom.types, ty),
            };
            if suits >= 0.1 {
                mutations.replace(node, &filled(idiom.text, site.text(node)), share * suits);
            }
        }
    }
}

/// The likelihood that the value in a context is still used elsewhere.
fn kept(site: &Site, node: Node, context: ExprContext) -> Option<f64> {
    match context {
        ExprContext::Returned | ExprContext::Element => Some(1.0),
        ExprContext::Choice => Some(0.6),
        ExprContext::Assigned => {
            let holder = ancestors(node).find(|outer| site.role(*outer) != NodeRole::Parenthesized)?;
            let parts = view::assignment(site.file, holder).filter(|parts| parts.operator == "=")?;
            match site.role(parts.target) {
                NodeRole::MemberAccess | NodeRole::Subscript => Some(1.0),
                _ => Some(0.6),
            }
        }
        ExprContext::Argument => {
            let call = ancestors(node)
                .find(|outer| matches!(site.role(*outer), NodeRole::Call | NodeRole::ObjectCreation))?;
            let name = view::call(site.file, call).map(|call| site.text(call.name))?;
            let makes = site.role(call) == NodeRole::ObjectCreation || name.starts_with(char::is_uppercase);
            Some(if KEEPING.contains(&name) || makes { 1.0 } else { 0.45 })
        }
        ExprContext::Operand | ExprContext::Index => None,
    }
}

/// Is true if a name without a type is that of several things.
fn is_plural(text: &str) -> bool {
    let name = text.rsplit('.').next().unwrap_or(text);
    name.len() > 2 && name.ends_with('s') && !name.ends_with("ss")
}
