//! Parts of values that are missing: an operand, the ends of a slice, the choice of the larger or smaller of two.

use tree_sitter::Node;

use super::{ExprContext, best, contexts};
use crate::file::ancestors;
use crate::grammar::NodeRole;
use crate::mutation::Mutations;
use crate::site::Site;
use crate::{types, view};

super::generators!(add_operand, min_or_max, take_part);

/// Names that are tried as an operand of one value.
const MOST: usize = 10;

/// A sum or a difference lacks an operand.
pub(crate) fn add_operand(site: &Site, mutations: &mut Mutations) {
    for (node, context) in contexts(site) {
        let Some(share) = share(site, node, context) else { continue };
        let ty = types::of(site, node);
        let number = match ty.as_deref().map(types::base) {
            Some("int" | "long" | "double" | "float" | "short") => 1.0,
            Some("list" | "str" | "String") => 0.0,
            None if !site.grammar.statically_typed => 0.5,
            _ => continue,
        };
        let text = site.text(node);
        for (name, near) in addends(site, node, ty.as_deref()) {
            let tight = view::tight(site.file, node);
            if number > 0.0 {
                let difference = bracketed(site, node, &format!("{text} - {name}"));
                mutations.replace(node, &difference, number * share * near);
            }
            let sum = if number > 0.0 { share * near } else { 0.8 * share * near };
            mutations.replace(node, &bracketed(site, node, &format!("{text} + {name}")), 0.9 * sum);
            if number < 1.0 {
                mutations.replace(node, &bracketed(site, node, &format!("{name} + {tight}")), sum);
            }
        }
    }
}

/// The likelihood that a value lacks an operand.
fn share(site: &Site, node: Node, context: ExprContext) -> Option<f64> {
    if site.role(node).is_literal()
        || matches!(site.role(node), NodeRole::Parenthesized | NodeRole::Ternary | NodeRole::ObjectCreation)
    {
        return None;
    }
    let sum = view::binary(site.file, node).map(|parts| matches!(parts.operator.as_str(), "+" | "-"));
    if sum == Some(false) {
        return None;
    }
    Some(match context {
        ExprContext::Argument => 0.9,
        ExprContext::Returned | ExprContext::Assigned => 0.8,
        ExprContext::Index => 0.7,
        ExprContext::Choice | ExprContext::Element => 0.5,
        ExprContext::Operand => {
            let parts = node.parent().and_then(|parent| view::binary(site.file, parent))?;
            match parts.operator.as_str() {
                "<" | "<=" | ">" | ">=" | "==" | "!=" => 0.6,
                "*" | "/" | "//" | "%" => 0.35,
                _ => return None,
            }
        }
    })
}

/// Text of a sum, in brackets where an operator around it would tear it apart.
fn bracketed(site: &Site, node: Node, sum: &str) -> String {
    let torn = node.parent().and_then(|parent| view::binary(site.file, parent)).is_some_and(|parts| {
        !matches!(parts.operator.as_str(), "<" | "<=" | ">" | ">=" | "==" | "!=" | "&&" | "||" | "and" | "or")
    });
    if torn { format!("({sum})") } else { sum.to_owned() }
}

/// The local names that could be added to a value, the likeliest first: what the value does not name already.
fn addends(site: &Site, node: Node, ty: Option<&str>) -> Vec<(String, f64)> {
    let at = node.start_byte();
    let there = view::variables_in(site.file, node);
    let ranked = site.local_names(at).filter(|known| known.name != site.text(node)).map(|known| {
        let rows = site.file.row_of(at).abs_diff(site.file.row_of(known.from)) as f64;
        let fit = site.type_fit(ty, known.ty.as_deref());
        let new = if there.contains(&known.name) { 0.6 } else { 1.0 };
        let kin = if is_compared(site, site.text(node), &known.name) { 2.0 } else { 1.0 };
        (known.name.clone(), (fit * new * kin / (1.0 + rows / 20.0)).min(1.0))
    });
    best(ranked.filter(|(_, near)| *near > 0.1).collect(), MOST)
}

/// Is true if a condition of the function compares two values: then they are of one kind, and one may count from the other.
fn is_compared(site: &Site, one: &str, other: &str) -> bool {
    site.conditions_near().iter().filter(|piece| site.shares_function(piece)).any(|piece| {
        let sides = piece.text.split(['<', '>', '=', '!']).map(str::trim).filter(|side| !side.is_empty());
        let sides: Vec<&str> = sides.collect();
        matches!(sides[..], [left, right] if [left, right] == [one, other] || [left, right] == [other, one])
    })
}

/// All of a sequence is taken where a part of it was meant.
pub(crate) fn take_part(site: &Site, mutations: &mut Mutations) {
    for (node, context) in contexts(site) {
        if !view::is_variable(site.file, node) && view::member(site.file, node).is_none() {
            continue;
        }
        let share = match context {
            ExprContext::Argument | ExprContext::Assigned | ExprContext::Returned => 1.0,
            ExprContext::Operand => 0.5,
            _ => continue,
        };
        let walked = node.parent().is_some_and(|parent| site.role(parent) == NodeRole::ForEach);
        let ty = types::of(site, node);
        let sequence = match ty.as_deref().map(types::base) {
            Some("list" | "str" | "tuple" | "String") => 1.0,
            None if !site.grammar.statically_typed && walked => 0.8,
            None if !site.grammar.statically_typed => 0.4,
            _ => continue,
        };
        let rank = sequence * share * if walked { 1.0 } else { 0.8 };
        let text = site.text(node);
        let least = if site.grammar.statically_typed { 0.7 } else { 0.4 };
        let names = site
            .local_names(node.start_byte())
            .filter(|known| known.name != text && site.type_fit(Some("int"), known.ty.as_deref()) > least)
            .map(|known| (known.name.as_str(), if known.ty.is_some() { 0.9 } else { 0.5 }));
        for (end, near) in std::iter::once(("1", 0.9)).chain(names.take(MOST)) {
            for (form, likely) in &site.grammar.parts {
                let part = form.replace("{x}", text).replace("{n}", end);
                mutations.replace(node, &part, rank * near * likely);
            }
        }
    }
}

/// What is kept is overwritten where the larger or the smaller of two was to be kept, or the two are mixed up.
pub(crate) fn min_or_max(site: &Site, mutations: &mut Mutations) {
    for (node, parts) in site.each(view::assignment) {
        let ty = types::of(site, parts.value).or_else(|| types::of(site, parts.target));
        let number = match ty.as_deref().map(types::base) {
            Some("int" | "long" | "double" | "float") => 1.0,
            None if !site.grammar.statically_typed => 0.5,
            _ => continue,
        };
        if parts.operator != "="
            || site.role(node) == NodeRole::Declarator
            || site.role(parts.value).is_literal()
        {
            continue;
        }
        let (target, value) = (site.text(parts.target), site.text(parts.value));
        let looped = ancestors(node).any(|outer| site.role(outer).is_loop());
        let rank = number * if looped { 1.0 } else { 0.5 };
        for (index, form) in site.grammar.min_max.iter().enumerate() {
            let text = form.replace("{a}", target).replace("{b}", value);
            mutations.replace(parts.value, &text, rank * if index == 0 { 1.0 } else { 0.9 });
        }
    }
}
