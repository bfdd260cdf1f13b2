//! Operators: another one, one more, one less, operands exchanged.

use crate::file::ancestors;
use crate::grammar::NodeRole;
use crate::mutation::{Mutations, splice};
use crate::site::Site;
use crate::{types, view};

super::generators!(assignment, binary, drop_operand, regroup, swap_operands, unary);

/// Another operator between two operands.
pub(crate) fn binary(site: &Site, mutations: &mut Mutations) {
    let file = site.file;
    for &node in &site.expressions {
        for parts in view::binaries(file, node) {
            let sides = [parts.left, parts.right].map(|side| site.role(side));
            let texts = sides.contains(&NodeRole::StringLiteral);
            let fixed =
                sides.iter().any(|role| matches!(role, NodeRole::NullLiteral | NodeRole::BooleanLiteral));
            let ordered = |operator: &str| matches!(operator, "<" | "<=" | ">" | ">=");
            for (index, other) in site.grammar.confused(&parts.operator).iter().enumerate() {
                let identity = matches!(*other, "==" | "!=" | "is" | "is not");
                // Texts are joined, and nothing is less than null.
                let senseless = texts && site.grammar.statically_typed && !matches!(*other, "==" | "!=")
                    || fixed && !identity
                    || texts && matches!(parts.operator.as_str(), "+" | "%")
                    || !site.grammar.statically_typed && *other == "is" && !fixed;
                if senseless {
                    continue;
                }
                let equal = ordered(&parts.operator) && ordered(other) && index == 0;
                let rank = if equal { 1.0 } else { 0.8 / (1.0 + 0.35 * index as f64) };
                let worded = other.starts_with(char::is_alphabetic);
                let spaced = file.slice(parts.at.start.saturating_sub(1)..parts.at.start) == " ";
                let text = if worded && !spaced { format!(" {other} ") } else { (*other).to_owned() };
                mutations.replace_range(parts.at.clone(), &text, rank * site.proximity(node));
            }
        }
    }
}

/// An operator with one operand: added, taken away, changed.
pub(crate) fn unary(site: &Site, mutations: &mut Mutations) {
    let file = site.file;
    let keywords = &site.grammar.keywords;
    for (_, condition) in site.conditions() {
        mutations.replace(condition, &view::negated(file, condition), 0.8);
        for operator in [keywords.and, keywords.or] {
            let parts = view::joined(file, condition, operator);
            if parts.len() > 1 {
                for part in parts {
                    mutations.replace(part, &view::negated(file, view::bare(file, part)), 0.7);
                }
            }
        }
    }
    for &node in &site.expressions {
        match site.role(node) {
            NodeRole::UnaryOperation => {
                if let Some((_, operand)) = view::unary(file, node) {
                    mutations.replace(node, site.text(operand), 0.8);
                }
            }
            NodeRole::Update => {
                let text = site.text(node);
                let name = text.trim_matches(['+', '-']);
                let forms = ["{}++", "++{}", "{}--", "--{}"].map(|form| form.replace("{}", name));
                let at = forms.iter().position(|form| form == text).unwrap_or(0);
                // The sign first, then the side.
                for (other, rank) in [(at ^ 2, 0.8), (at ^ 1, 0.7), (at ^ 3, 0.3)] {
                    mutations.replace(node, &forms[other], rank);
                }
            }
            NodeRole::Name | NodeRole::Call | NodeRole::MemberAccess | NodeRole::Subscript => {
                let Some(context) = super::context(site, node) else { continue };
                let ty = types::of(site, node);
                match ty.as_deref() {
                    Some("boolean" | "bool") => {
                        mutations.replace(node, &format!("{}{}", keywords.not, site.text(node)), 0.6);
                    }
                    Some("int" | "long" | "double" | "float") | None
                        if context != super::ExprContext::Index =>
                    {
                        let rank = if ty.is_some() { 0.35 } else { 0.12 };
                        mutations.replace(node, &format!("-{}", view::tight(file, node)), rank);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// Another assignment: with or without an operation.
pub(crate) fn assignment(site: &Site, mutations: &mut Mutations) {
    for (node, parts) in site.each(view::assignment) {
        if site.role(node) == NodeRole::Declarator {
            continue;
        }
        let others: &[&str] = if parts.operator == "=" {
            &["+=", "-=", "*=", "|=", "&="]
        } else {
            site.grammar.confused(&parts.operator)
        };
        let compound = matches!(
            site.role(parts.value),
            NodeRole::Collection | NodeRole::NullLiteral | NodeRole::BooleanLiteral
        );
        for (index, other) in others.iter().enumerate() {
            let rank = if compound && *other != "=" { 0.2 } else { 0.9 / (1.0 + 0.4 * index as f64) };
            mutations.replace_range(parts.at.clone(), other, rank);
        }
    }
}

/// The operands of an operator change places.
pub(crate) fn swap_operands(site: &Site, mutations: &mut Mutations) {
    for (node, parts) in site.each(view::binary) {
        let rank = match parts.operator.as_str() {
            "-" | "/" | "%" | "//" | "**" | "<<" | ">>" => 1.0,
            "<" | ">" | "<=" | ">=" | "in" | "not in" => 0.6,
            // The order of what is joined counts, that of what is added does not.
            "+" if types::of(site, node)
                .is_some_and(|ty| matches!(ty.as_str(), "str" | "list" | "String")) =>
            {
                1.0
            }
            "+" | "&&" | "||" | "and" | "or" => 0.4,
            _ => continue,
        };
        let [left, right] = [parts.left, parts.right];
        if site.text(left) == site.text(right) {
            continue;
        }
        let what = format!("the operands of `{}` change places", parts.operator);
        let splices = vec![
            splice(left.byte_range(), &view::tight(site.file, right)),
            splice(right.byte_range(), site.text(left)),
        ];
        mutations.add(splices, rank * site.proximity(node), what);
    }
}

/// Other brackets: operands are grouped in another way.
pub(crate) fn regroup<'a>(site: &Site<'a>, mutations: &mut Mutations) {
    let file = site.file;
    for &node in &site.expressions {
        let Some(outer) = view::binary(file, node) else { continue };
        let near = site.proximity(node);
        // `a + b / c` becomes `(a + b) / c`, and the other way round.
        let tighter = |side: tree_sitter::Node<'a>| {
            view::binary(file, side).filter(|inner| weakness(&inner.operator) < weakness(&outer.operator))
        };
        if let Some(inner) = tighter(outer.right) {
            let text = format!(
                "({} {} {}) {} {}",
                site.text(outer.left),
                outer.operator,
                site.text(inner.left),
                inner.operator,
                site.text(inner.right)
            );
            mutations.replace(node, &text, near);
        }
        if let Some(inner) = tighter(outer.left) {
            let text = format!(
                "{} {} ({} {} {})",
                site.text(inner.left),
                inner.operator,
                site.text(inner.right),
                outer.operator,
                site.text(outer.right)
            );
            mutations.replace(node, &text, near);
        }
        // Brackets that are there are taken away.
        for side in [outer.left, outer.right] {
            if site.role(side) == NodeRole::Parenthesized
                && let Some(inner) = view::binary(file, view::bare(file, side))
                && weakness(&inner.operator) > weakness(&outer.operator)
            {
                mutations.replace(side, site.text(view::bare(file, side)), 0.7 * near);
            }
        }
    }
    // A negation that should hold for more.
    for &node in &site.expressions {
        let Some((operator, operand)) = view::unary(file, node) else { continue };
        if operator != site.grammar.keywords.not.trim() {
            continue;
        }
        if let Some(parent) = node.parent().and_then(|parent| view::binary(file, parent))
            && parent.left == node
        {
            let text = format!("({} {} {})", site.text(operand), parent.operator, site.text(parent.right));
            let range = operand.start_byte()..parent.right.end_byte();
            mutations.replace_range(range, &text, 0.6);
        }
    }
}

/// The precedence of an operator: the lower, the tighter it binds.
fn weakness(operator: &str) -> u8 {
    match operator {
        "**" => 0,
        "*" | "/" | "%" | "//" => 1,
        "+" | "-" => 2,
        "<<" | ">>" | ">>>" => 3,
        "&" => 4,
        "^" => 5,
        "|" => 6,
        "&&" | "and" => 8,
        "||" | "or" => 9,
        _ => 7,
    }
}

/// One operand is left out.
pub(crate) fn drop_operand(site: &Site, mutations: &mut Mutations) {
    for (node, parts) in site.each(view::binary) {
        let keywords = &site.grammar.keywords;
        if parts.operator == keywords.and || parts.operator == keywords.or || weakness(&parts.operator) == 7 {
            continue;
        }
        // A sum of texts loses one of them seldom.
        let inner =
            ancestors(node).next().is_some_and(|parent| site.role(parent) == NodeRole::BinaryOperation);
        let rank = if inner { 0.5 } else { 0.9 };
        mutations.replace(node, site.text(parts.left), rank);
        mutations.replace(node, site.text(parts.right), rank * 0.9);
    }
}
