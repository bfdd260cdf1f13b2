//! Numbers: one too many, wrong ones, wrong kinds of arithmetic.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::{ExprContext, contexts};
use crate::file::ancestors;
use crate::grammar::NodeRole;
use crate::mutation::Mutations;
use crate::site::Site;
use crate::{types, view};

super::generators!(initial_value, literal, off_by_one);

/// Functions whose arguments are positions or counts.
const COUNTING: &[&str] = &[
    "range",
    "substring",
    "charAt",
    "get",
    "subList",
    "set",
    "remove",
    "add",
    "insert",
    "copyOfRange",
    "nextInt",
    "setLength",
    "deleteCharAt",
    "islice",
    "randrange",
    "randint",
    "pop",
    "arraycopy",
    "fill",
    "limit",
    "skip",
];

/// What hexadecimal numbers begin with.
const HEXADECIMAL: [&str; 2] = ["0x", "0X"];

/// The bits by which bytes and halves of them are shifted.
const WIDTHS: [i64; 5] = [8, 4, 16, 24, 32];

/// A bound, an index or a length is one too large or too small.
pub(crate) fn off_by_one(site: &Site, mutations: &mut Mutations) {
    for (node, context) in contexts(site) {
        if matches!(
            site.role(node),
            NodeRole::StringLiteral
                | NodeRole::BooleanLiteral
                | NodeRole::NullLiteral
                | NodeRole::Collection
                | NodeRole::ObjectCreation
                | NodeRole::Parenthesized
        ) || node.parent().is_some_and(|parent| {
            site.role(parent) == NodeRole::Parenthesized && context != ExprContext::Operand
        }) {
            continue;
        }
        let Some(mut rank) = countable(site, node, context) else { continue };
        if let Some(ty) = types::of(site, node) {
            if !matches!(types::base(&ty), "int" | "long" | "short" | "byte" | "char" | "Integer" | "float") {
                continue;
            }
        } else if context != ExprContext::Index {
            rank *= 0.7;
        }
        let torn = node.parent().and_then(|parent| view::binary(site.file, parent));
        let torn = torn.is_some_and(|parts| matches!(parts.operator.as_str(), "%" | "//" | "/" | "*"));
        for (text, share) in shifted(site, node) {
            let text = if torn { format!("({text})") } else { text };
            mutations.replace(node, &text, rank * share);
        }
    }
    for &node in &site.expressions {
        ranges(site, node, mutations);
        slice_ends(site, node, mutations);
    }
}

/// The likelihood that a position, bound or count stands in a context.
fn countable(site: &Site, node: Node, context: ExprContext) -> Option<f64> {
    let parent = node.parent()?;
    Some(match context {
        ExprContext::Index => 1.0,
        ExprContext::Operand => {
            let brackets = site.role(parent) == NodeRole::Parenthesized;
            let outer = if brackets { parent.parent()? } else { parent };
            let parts = view::binary(site.file, outer)?;
            match parts.operator.as_str() {
                "<" | "<=" | ">" | ">=" => {
                    let bound = parts.right == node;
                    let looped = ancestors(parent).take(3).any(|node| site.role(node) == NodeRole::While);
                    if bound && looped {
                        1.0
                    } else if bound || view::binary(site.file, node).is_some() {
                        // What is added up to fit a bound often lacks what lies between.
                        0.8
                    } else {
                        0.45
                    }
                }
                "==" | "!=" => 0.35,
                "%" | "//" | "/" | "*" if brackets => 0.45,
                "%" | "//" | "/" | "*" => 0.3,
                _ => return None,
            }
        }
        ExprContext::Argument => {
            let call = ancestors(node).nth(1).and_then(|call| view::call(site.file, call));
            let name = call.map(|call| site.text(call.name)).unwrap_or_default();
            let own = site.file.facts.methods.iter().any(|method| method.name == name);
            match (COUNTING.contains(&name), own) {
                (true, _) => 1.0,
                (false, true) => 0.5,
                (false, false) => 0.35,
            }
        }
        ExprContext::Assigned => 0.5,
        ExprContext::Returned => 0.55,
        ExprContext::Choice => 0.3,
        ExprContext::Element => 0.45,
    })
}

/// An expression and its neighbours, the simplest first.
fn shifted(site: &Site, node: Node) -> Vec<(String, f64)> {
    if site.role(node) == NodeRole::IntegerLiteral {
        return Vec::new();
    }
    if let Some(parts) = view::binary(site.file, node)
        && site.text(parts.right) == "1"
    {
        let left = site.text(parts.left);
        let others = match parts.operator.as_str() {
            "+" => ["- 1", "+ 2"],
            "-" => ["+ 1", "- 2"],
            _ => return plainly_shifted(site, node),
        };
        let [one, other] = others.map(|step| (format!("{left} {step}"), 0.4));
        return vec![(left.to_owned(), 1.0), one, other];
    }
    plainly_shifted(site, node)
}

/// An expression with one added or taken away.
fn plainly_shifted(site: &Site, node: Node) -> Vec<(String, f64)> {
    if site.role(node) == NodeRole::BinaryOperation
        && !view::binary(site.file, node)
            .is_some_and(|parts| matches!(parts.operator.as_str(), "+" | "-" | "*" | "/" | "//"))
    {
        return Vec::new();
    }
    let text = match site.role(node) {
        NodeRole::Ternary | NodeRole::Assign => view::tight(site.file, node),
        _ => site.text(node).to_owned(),
    };
    vec![(format!("{text} - 1"), 0.95), (format!("{text} + 1"), 1.0)]
}

/// The ends of Python's ranges.
fn ranges(site: &Site, node: Node, mutations: &mut Mutations) {
    let Some(call) = view::call(site.file, node) else { return };
    if site.text(call.name) != "range" || call.receiver.is_some() {
        return;
    }
    let texts: Vec<&str> = call.arguments.iter().map(|argument| site.text(*argument)).collect();
    let options: Vec<(String, f64)> = match texts[..] {
        [end] => vec![
            (format!("(1, {end})"), 0.8),
            (format!("(1, {end} + 1)"), 0.7),
            (format!("({end}, -1, -1)"), 0.1),
        ],
        ["1", end] => vec![(format!("({end})"), 0.8)],
        [start, end] => {
            vec![(format!("({start} + 1, {end} + 1)"), 0.5), (format!("({end}, {start}, -1)"), 0.1)]
        }
        [start, "0", "-1"] => vec![(format!("({start}, -1, -1)"), 0.8)],
        _ => return,
    };
    for (text, rank) in options {
        mutations.replace(call.list, &text, rank);
    }
}

/// The ends of a slice are left out or moved.
fn slice_ends(site: &Site, node: Node, mutations: &mut Mutations) {
    if site.role(node) != NodeRole::Slice {
        return;
    }
    let text = site.text(node);
    let ends: Vec<&str> = text.split(':').map(str::trim).collect();
    let [first, last] = ends[..] else { return };
    let mut options = Vec::new();
    if !first.is_empty() {
        options.push((format!(":{last}"), 0.6));
    } else if !last.is_empty() {
        options.push((format!("1:{last}"), 0.4));
        options.push((format!("{last}:"), 0.6));
    } else {
        options.extend([("1:".to_owned(), 0.6), (":-1".to_owned(), 0.6), ("::-1".to_owned(), 0.4)]);
    }
    if !last.is_empty() {
        options.push((format!("{first}:"), 0.6));
    } else if !first.is_empty() {
        options.push((format!("{first}:-1"), 0.4));
        options.push((format!(":{first}"), 0.6));
    }
    for (text, rank) in options {
        mutations.replace(node, &text, rank);
    }
}

/// A comparison with a number that lets one more value through: another operator and the number beside.
fn boundaries(site: &Site, node: Node, mutations: &mut Mutations) {
    let Some(parts) = view::binary(site.file, node) else { return };
    let Ok(value) = site.text(parts.right).parse::<i64>() else { return };
    let others: &[(&str, i64)] = match parts.operator.as_str() {
        "==" => &[("<=", 1), (">=", -1), ("<", -1), (">", 1)],
        "!=" => &[(">", 1), ("<", -1)],
        "<" | ">=" => &[("==", -1), ("!=", -1)],
        "<=" | ">" => &[("==", 1), ("!=", 1)],
        _ => return,
    };
    for (operator, step) in others {
        let text = format!("{operator} {}", value.saturating_add(*step));
        let range = parts.at.start..parts.right.end_byte();
        mutations.replace_range(range, &text, 0.5 * site.proximity(node));
    }
}

/// Another number.
pub(crate) fn literal(site: &Site, mutations: &mut Mutations) {
    for &node in &site.expressions {
        boundaries(site, node, mutations);
        let text = site.text(node);
        match site.role(node) {
            NodeRole::IntegerLiteral if HEXADECIMAL.iter().any(|prefix| text.starts_with(prefix)) => {
                hexadecimals(node, text, mutations);
            }
            NodeRole::IntegerLiteral => {
                let suffix = text.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '_');
                if let Ok(value) = text[..text.len() - suffix.len()].replace('_', "").parse::<i64>() {
                    integers(site, node, value, suffix, mutations);
                }
            }
            NodeRole::FloatLiteral => {
                for other in ["0.0", "1.0", "0.5", "2.0", "1.5", "100.0"] {
                    mutations.replace(node, other, 0.5);
                }
                scaled(node, text, mutations);
                near_numbers(site, node, true, mutations);
            }
            _ => {}
        }
    }
}

fn integers(site: &Site, node: Node, value: i64, suffix: &str, mutations: &mut Mutations) {
    let mut options = vec![
        (value.saturating_add(1), 1.0),
        (value.saturating_sub(1), if value == 0 { 0.75 } else { 1.0 }),
        (0, 0.6),
        (1, 0.6),
        (2, 0.5),
        (-1, 0.45),
        (value.saturating_neg(), 0.4),
    ];
    if is_shift_width(site, node) {
        options.extend(WIDTHS.map(|width| (width, 0.6)));
    }
    if value >= 1 {
        options.extend([
            (value.saturating_mul(10), 0.4),
            (value / 10, 0.35),
            (value.saturating_mul(2), 0.35),
            (value / 2, 0.3),
        ]);
    }
    if value >= 10 {
        options.extend([(10, 0.4), (100, 0.4), (1000, 0.4), (16, 0.3)]);
    }
    // A sign in front of the number takes part.
    let signed = node.parent().is_some_and(|parent| site.role(parent) == NodeRole::UnaryOperation);
    let mut seen = BTreeSet::from([value]);
    options.retain(|(other, _)| seen.insert(*other) && !(signed && *other < 0));
    for (other, rank) in options {
        mutations.replace(node, &format!("{other}{suffix}"), rank);
    }
    near_numbers(site, node, false, mutations);
}

/// Is true if a number says by how many bits a value is shifted.
fn is_shift_width(site: &Site, node: Node) -> bool {
    let parts = node.parent().and_then(|parent| view::binary(site.file, parent));
    parts.is_some_and(|parts| parts.right == node && matches!(parts.operator.as_str(), "<<" | ">>" | ">>>"))
}

/// A number with other factors: of two, or of a digit.
fn hexadecimals(node: Node, text: &str, mutations: &mut Mutations) {
    let (prefix, digits) = text.split_at(HEXADECIMAL[0].len());
    let suffix = digits.trim_start_matches(|letter: char| letter.is_ascii_hexdigit() || letter == '_');
    let digits = digits[..digits.len() - suffix.len()].replace('_', "");
    let Ok(value) = u64::from_str_radix(&digits, 16) else { return };
    let is_upper = digits.contains(|digit: char| digit.is_ascii_uppercase());
    for (other, rank) in [
        (value.checked_mul(2), 0.35),
        (Some(value / 2), 0.35),
        (value.checked_mul(2).and_then(|double| double.checked_add(1)), 0.35),
        (value.checked_mul(16), 0.3),
        (Some(value / 16), 0.3),
    ] {
        let Some(other) = other else { continue };
        let other = if is_upper { format!("{other:X}") } else { format!("{other:x}") };
        mutations.replace(node, &format!("{prefix}{other}{suffix}"), rank);
    }
}

/// A real number with other factors.
fn scaled(node: Node, text: &str, mutations: &mut Mutations) {
    let digits = text.trim_end_matches(['f', 'F', 'd', 'D']);
    let Some(value) = digits.replace('_', "").parse::<f64>().ok().filter(|value| *value != 0.0) else {
        return;
    };
    for (other, rank) in [(value * 10.0, 0.4), (value / 10.0, 0.4), (value * 2.0, 0.35), (value / 2.0, 0.35)]
    {
        if other.is_finite() {
            mutations.replace(node, &format!("{other:?}{}", &text[digits.len()..]), rank);
        }
    }
}

/// Numbers that the file uses already.
fn near_numbers(site: &Site, node: Node, real: bool, mutations: &mut Mutations) {
    for other in site.file.facts.numbers.iter().filter(|number| number.contains('.') == real).take(30) {
        mutations.replace(node, other, 0.3);
    }
}

/// A variable begins with the wrong value.
pub(crate) fn initial_value(site: &Site, mutations: &mut Mutations) {
    for (node, parts) in site.each(view::assignment) {
        let literal = site.role(parts.value).is_literal() || site.role(parts.value) == NodeRole::Collection;
        let signed = view::unary(site.file, parts.value).is_some();
        if parts.operator != "=" || !(literal || signed) {
            continue;
        }
        let ty = types::of(site, parts.target).or_else(|| types::of_literal(site.file, parts.value));
        let kind = ty.as_deref().map(types::base);
        let texts: &[&str] = match (site.grammar.statically_typed, kind) {
            (true, Some("int")) => &["0", "1", "-1", "Integer.MAX_VALUE", "Integer.MIN_VALUE"],
            (true, Some("long")) => &["0", "1", "Long.MAX_VALUE", "Long.MIN_VALUE"],
            (true, Some("double" | "float")) => {
                &["0.0", "1.0", "Double.NEGATIVE_INFINITY", "Double.POSITIVE_INFINITY", "Double.MAX_VALUE"]
            }
            (true, Some("String")) => &["\"\"", "null"],
            (true, Some("boolean")) => &["true", "false"],
            (true, _) => &["null"],
            (false, Some("int" | "float")) => &["0", "1", "-1", "None", "float('inf')", "float('-inf')"],
            (false, Some("list")) => &["[]", "set()", "None", "{}", "[0]", "[1]", "['']"],
            (false, Some("dict")) => &["{}", "set()", "None", "[]"],
            (false, _) => &["None", "[]", "{}", "''", "0", "False", "True"],
        };
        for (index, text) in texts.iter().enumerate() {
            mutations.replace(parts.value, text, 0.8 / (1.0 + 0.2 * index as f64));
        }
        for known in site.names(node.start_byte()).filter(|known| known.name != site.text(parts.target)) {
            let rank = site.fit(known, ty.as_deref(), site.text(parts.target), node.start_byte());
            mutations.replace(parts.value, &known.name, 0.8 * rank);
            if kind != Some("list") && matches!(known.ty.as_deref(), Some("list" | "str" | "tuple")) {
                mutations.replace(parts.value, &format!("{}[0]", known.name), 0.35);
                mutations.replace(parts.value, &format!("len({})", known.name), 0.3);
            }
            if known.ty.as_deref().is_some_and(|ty| ty.ends_with("[]")) && kind != Some("[]") {
                mutations.replace(parts.value, &format!("{}[0]", known.name), 0.4);
            }
        }
    }
}
