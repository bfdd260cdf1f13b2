//! Collections that two owners share: one of them should have a copy.

use tree_sitter::Node;

use super::{Slot, filled, slots};
use crate::file::ancestors;
use crate::grammar::NodeRole;
use crate::mutation::Mutations;
use crate::site::Site;
use crate::{types, view};

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
    for (node, slot) in slots(site) {
        if !matches!(site.role(node), NodeRole::Name | NodeRole::MemberAccess | NodeRole::Subscript) {
            continue;
        }
        let Some(share) = kept(site, node, slot) else { continue };
        let ty = types::of(site, node);
        for idiom in site.grammar.copies {
            let suits = match ty.as_deref() {
                None if !site.grammar.statically_typed => {
                    idiom.share * if is_plural(site.text(node)) { 0.9 } else { 0.35 }
                }
                ty => idiom.share * types::suits(site.grammar.statically_typed, idiom.types, ty),
            };
            if suits >= 0.1 {
                mutations.replace(site, node, &filled(idiom.text, site.text(node)), share * suits);
            }
        }
    }
}

/// How likely what stands in a slot is still used elsewhere.
fn kept(site: &Site, node: Node, slot: Slot) -> Option<f64> {
    let holder = || ancestors(node).find(|outer| site.role(*outer) != NodeRole::Parenthesized);
    match slot {
        Slot::Returned | Slot::Element => Some(1.0),
        Slot::Choice => Some(0.6),
        Slot::Value => {
            let target = holder()
                .and_then(|holder| view::assignment(site.file, holder))
                .filter(|parts| parts.operator == "=")?
                .target;
            Some(if matches!(site.role(target), NodeRole::MemberAccess | NodeRole::Subscript) {
                1.0
            } else {
                0.6
            })
        }
        Slot::Argument => {
            let call = ancestors(node)
                .find(|outer| matches!(site.role(*outer), NodeRole::Call | NodeRole::ObjectCreation))?;
            let name = view::call(site.file, call).map(|call| site.text(call.name))?;
            let makes = site.role(call) == NodeRole::ObjectCreation || name.starts_with(char::is_uppercase);
            Some(if KEEPING.contains(&name) || makes { 1.0 } else { 0.45 })
        }
        Slot::Operand | Slot::Index => None,
    }
}

/// Whether a name without a type is that of several things.
fn is_plural(text: &str) -> bool {
    let name = text.rsplit('.').next().unwrap_or(text);
    name.len() > 2 && name.ends_with('s') && !name.ends_with("ss")
}
