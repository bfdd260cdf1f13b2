//! Parts of values that are missing: an operand, the ends of a slice, the choice of the larger or smaller of two.

use tree_sitter::Node;

use super::{Slot, slots};
use crate::file::ancestors;
use crate::grammar::NodeRole;
use crate::mutation::Mutations;
use crate::site::Site;
use crate::{types, view};

/// Names that are tried as an operand of one value.
const MOST: usize = 10;

/// A sum or a difference lacks an operand.
pub(crate) fn add_operand(site: &Site, mutations: &mut Mutations) {
    for (node, slot) in slots(site) {
        let Some(share) = share(site, node, slot) else { continue };
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
                mutations.replace(
                    site,
                    node,
                    &bracketed(site, node, &format!("{text} - {name}")),
                    number * share * near,
                );
            }
            let sum = if number > 0.0 { share * near } else { 0.8 * share * near };
            mutations.replace(site, node, &bracketed(site, node, &format!("{text} + {name}")), 0.9 * sum);
            if number < 1.0 {
                mutations.replace(site, node, &bracketed(site, node, &format!("{name} + {tight}")), sum);
            }
        }
    }
}

/// How likely a value lacks an operand.
fn share(site: &Site, node: Node, slot: Slot) -> Option<f64> {
    if site.role(node).is_literal()
        || matches!(site.role(node), NodeRole::Parenthesized | NodeRole::Ternary | NodeRole::ObjectCreation)
    {
        return None;
    }
    let sum = view::binary(site.file, node).map(|parts| matches!(parts.operator.as_str(), "+" | "-"));
    if sum == Some(false) {
        return None;
    }
    Some(match slot {
        Slot::Argument => 0.9,
        Slot::Returned | Slot::Value => 0.8,
        Slot::Index => 0.7,
        Slot::Choice | Slot::Element => 0.5,
        Slot::Operand => {
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
    let mut found: Vec<(String, f64)> = site
        .names(at)
        .filter(|known| known.from > 0 && known.class.is_none() && known.name != site.text(node))
        .map(|known| {
            let rows = site.file.row_of(at).abs_diff(site.file.row_of(known.from)) as f64;
            let fit = types::fit(site.grammar.statically_typed, ty, known.ty.as_deref());
            let new = if there.contains(&known.name) { 0.6 } else { 1.0 };
            let kin = if is_compared(site, site.text(node), &known.name) { 2.0 } else { 1.0 };
            (known.name.clone(), (fit * new * kin / (1.0 + rows / 20.0)).min(1.0))
        })
        .filter(|(_, near)| *near > 0.1)
        .collect();
    found.sort_by(|left, right| right.1.total_cmp(&left.1));
    found.truncate(MOST);
    found
}

/// Whether a condition of the function compares two values: then they are of one kind, and one may count from the other.
fn is_compared(site: &Site, one: &str, other: &str) -> bool {
    let function = site.function.map(|function| function.start_byte());
    site.conditions_near().iter().filter(|piece| piece.function == function).any(|piece| {
        let sides = piece.text.split(['<', '>', '=', '!']).map(str::trim).filter(|side| !side.is_empty());
        let sides: Vec<&str> = sides.collect();
        matches!(sides[..], [left, right] if [left, right] == [one, other] || [left, right] == [other, one])
    })
}

/// All of a sequence is taken where a part of it was meant.
pub(crate) fn take_part(site: &Site, mutations: &mut Mutations) {
    for (node, slot) in slots(site) {
        if !view::is_variable(site.file, node) && view::member(site.file, node).is_none() {
            continue;
        }
        let share = match slot {
            Slot::Argument | Slot::Value | Slot::Returned => 1.0,
            Slot::Operand => 0.5,
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
        let mut ends = vec![("1".to_owned(), 0.9)];
        ends.extend(
            site.names(node.start_byte())
                .filter(|known| known.from > 0 && known.class.is_none() && known.name != text)
                .filter(|known| {
                    let fit = types::fit(site.grammar.statically_typed, Some("int"), known.ty.as_deref());
                    fit > if site.grammar.statically_typed { 0.7 } else { 0.4 }
                })
                .take(MOST)
                .map(|known| (known.name.clone(), if known.ty.is_some() { 0.9 } else { 0.5 })),
        );
        for (end, near) in ends {
            for (form, likely) in site.grammar.parts {
                mutations.replace(
                    site,
                    node,
                    &form.replace("{x}", text).replace("{n}", &end),
                    rank * near * likely,
                );
            }
        }
    }
}

/// What is kept is overwritten where the larger or the smaller of two was to be kept, or the two are mixed up.
pub(crate) fn min_or_max(site: &Site, mutations: &mut Mutations) {
    for node in &site.expressions {
        let Some(parts) = view::assignment(site.file, *node) else { continue };
        let number = match types::of(site, parts.value)
            .or_else(|| types::of(site, parts.target))
            .as_deref()
            .map(types::base)
        {
            Some("int" | "long" | "double" | "float") => 1.0,
            None if !site.grammar.statically_typed => 0.5,
            _ => continue,
        };
        if parts.operator != "="
            || site.role(*node) == NodeRole::Declarator
            || site.role(parts.value).is_literal()
        {
            continue;
        }
        let (target, value) = (site.text(parts.target), site.text(parts.value));
        let looped =
            ancestors(*node).any(|outer| matches!(site.role(outer), NodeRole::While | NodeRole::ForEach));
        let rank = number * if looped { 1.0 } else { 0.5 };
        for (index, form) in site.grammar.min_max.iter().enumerate() {
            let text = form.replace("{a}", target).replace("{b}", value);
            mutations.replace(site, parts.value, &text, rank * if index == 0 { 1.0 } else { 0.9 });
        }
    }
}
