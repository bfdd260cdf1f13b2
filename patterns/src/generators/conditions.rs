//! Conditions: narrower, wider, others.

use std::collections::BTreeMap;

use tree_sitter::Node;

use super::names::known;
use super::predicates::predicates;
use super::value_comparisons::{identities, limits, pairs};
use super::{ScoredTexts, filled, joined_without};
use crate::OverfitReason;
use crate::file::visit;
use crate::grammar::{Idiom, NodeRole};
use crate::mutation::{Mutations, shown, splice};
use crate::site::Site;
use crate::types;
use crate::view;

super::generators!(constant, narrow, replace, widen);

/// Names that are worth a test near some nodes: those in them first.
pub(crate) fn subjects(site: &Site, nodes: &[Node], at: usize) -> Vec<(String, Option<String>, f64)> {
    let mut found: Vec<(String, Option<String>, f64)> = Vec::new();
    let own = site.grammar.self_name();
    for node in nodes {
        visit(*node, |inner| {
            let text = site.text(inner);
            let member = site.role(inner) == NodeRole::MemberAccess
                && text.starts_with(site.grammar.keywords.self_prefix)
                && text.matches('.').count() == 1;
            let getter = site.role(inner) == NodeRole::Call && text.len() <= 30 && text.ends_with("()");
            if (view::is_variable(site.file, inner) && text != own || member || getter)
                && inner.start_byte() < at.max(node.end_byte())
                && !found.iter().any(|(known, _, _)| known == text)
                && !site.file.facts.mentions.contains(text)
                && (member || getter || site.names(at).any(|known| known.name == text))
            {
                let ty = types::of(site, inner);
                found.push((text.to_owned(), ty, if getter { 0.5 } else { 1.0 }));
            }
            true
        });
    }
    for variable in site.names(at).filter(|variable| variable.from > 0 || variable.class.is_some()).take(24) {
        if !found.iter().any(|(known, _, _)| *known == variable.name) {
            let near = match (&variable.class, site.uses(&variable.name)) {
                (None, true) => 0.5,
                (Some(_), true) => 0.45,
                (None, false) => 0.4,
                (Some(_), false) => 0.2,
            };
            found.push((variable.name.clone(), variable.ty.clone(), near));
        }
    }
    found
}

/// Is true if a value of a type can be no object at all.
fn nullable(site: &Site, ty: Option<&str>) -> f64 {
    match ty {
        Some(ty) if site.grammar.statically_typed && types::is_primitive(ty) => 0.0,
        Some(_) if site.grammar.statically_typed => 1.0,
        Some("int" | "float" | "bool") => 0.15,
        Some("str" | "list" | "dict" | "set" | "tuple") => 0.5,
        _ => 0.8,
    }
}

/// Tests of values near some nodes: no object, idioms, bounds.
pub(crate) fn tests(site: &Site, nodes: &[Node], at: usize, holds: bool) -> ScoredTexts {
    let mut found = Vec::new();
    let idioms: &[Idiom] = if holds { &site.grammar.presence_idioms } else { &site.grammar.absence_idioms };
    let subjects = subjects(site, nodes, at);
    for (text, ty, near) in &subjects {
        let null = nullable(site, ty.as_deref()) * near;
        if null > 0.0 {
            let dereferenced = is_dereferenced(site, nodes, text);
            found.push((site.grammar.null_test(text, !holds), null * if dereferenced { 1.0 } else { 0.6 }));
        }
        for idiom in idioms {
            let suits = site.type_suits(&idiom.types, ty.as_deref());
            if suits > 0.0 {
                found.push((filled(idiom.text, text), near * suits * idiom.share));
            }
        }
    }
    found.extend(bounds(site, nodes, at, holds));
    found.extend(kinds(site, nodes, holds));
    found.extend(memberships(site, nodes, at));
    found.extend(pairs(site, &subjects));
    found.extend(limits(site, &subjects, at));
    found.extend(identities(site, &subjects));
    found.extend(predicates(site, &subjects));
    found
}

/// Is true if something of a value is asked for in some nodes.
fn is_dereferenced(site: &Site, nodes: &[Node], text: &str) -> bool {
    nodes.iter().any(|node| {
        crate::file::visit_any(*node, |inner| {
            view::dereferenced(site.file, inner).is_some_and(|object| site.text(object) == text)
        })
    })
}

/// Tests that an index is inside of what it is for, and that a key is known.
fn bounds(site: &Site, nodes: &[Node], at: usize, holds: bool) -> ScoredTexts {
    let mut found = Vec::new();
    for node in nodes {
        visit(*node, |inner| {
            let indexed = view::subscript(site.file, inner)
                .and_then(|(object, indices)| indices.first().map(|index| (object, *index)))
                .or_else(|| {
                    let call = view::call(site.file, inner)?;
                    let name = site.text(call.name);
                    matches!(name, "get" | "charAt" | "remove" | "set").then_some(())?;
                    Some((call.receiver?, *call.arguments.first()?))
                });
            let Some((object, index)) = indexed else { return true };
            if matches!(site.role(index), NodeRole::Slice | NodeRole::StringLiteral)
                || inner.start_byte() > at.max(node.end_byte())
            {
                return true;
            }
            let (object_text, index_text) = (site.text(object), site.text(index));
            let ty = types::of(site, object);
            let [below, above] = if holds { ["<", ">"] } else { [">=", "<="] };
            for idiom in &site.grammar.lengths {
                let suits = site.type_suits(&idiom.types, ty.as_deref());
                if suits > 0.05 {
                    let length = filled(idiom.text, object_text);
                    found.push((format!("{index_text} {below} {length}"), 0.9 * suits));
                    found.push((format!("{length} {above} {index_text}"), 0.3 * suits));
                }
            }
            if holds {
                found.push((format!("{index_text} >= 0"), 0.8));
                found.push((format!("{index_text} > 0"), 0.4));
            } else {
                found.push((format!("{index_text} < 0"), 0.5));
            }
            if !site.grammar.statically_typed {
                let word = if holds { "in" } else { "not in" };
                found.push((format!("{index_text} {word} {object_text}"), 0.7));
            } else if ty.as_deref().map(types::base).is_some_and(|ty| ty.ends_with("Map")) {
                let not = if holds { "" } else { "!" };
                found.push((format!("{not}{object_text}.containsKey({index_text})"), 0.8));
            }
            true
        });
    }
    found
}

/// Tests that a value is in a collection, or is not.
fn memberships(site: &Site, nodes: &[Node], at: usize) -> ScoredTexts {
    let mut found = Vec::new();
    let used: Vec<String> = nodes.iter().flat_map(|node| view::variables_in(site.file, *node)).collect();
    for known in site.names(at).take(40) {
        let base = known.ty.as_deref().map(types::base).unwrap_or_default();
        let share = match base {
            "set" | "Set" | "HashSet" => 0.8,
            "dict" | "OrderedDict" | "defaultdict" | "list" | "List" | "ArrayList" => 0.55,
            _ => continue,
        };
        let near = if used.contains(&known.name) { 1.0 } else { 0.7 };
        for other in site.local_names(at).filter(|other| other.name != known.name).take(8) {
            let name = &other.name;
            let near = if used.contains(name) { near } else { 0.6 * near };
            let kind = other.ty.as_deref().map(types::base).unwrap_or_default();
            if matches!(kind, "set" | "list" | "dict" | "List" | "Set" | "Map") {
                continue;
            }
            let tests = site.grammar.keywords.membership;
            let [inside, outside] = tests.map(|test| test.replace("{x}", name).replace("{c}", &known.name));
            found.push((outside, share * near));
            found.push((inside, 0.8 * share * near));
        }
    }
    found
}

/// Tests that a value is of the type that it is cast to, or that texts are asked of it as of no other type.
fn kinds(site: &Site, nodes: &[Node], holds: bool) -> ScoredTexts {
    let keywords = &site.grammar.keywords;
    let mut found = Vec::new();
    let mut add = |value: &str, ty: &str, rank: f64| {
        let test = keywords.type_test.replace("{x}", value).replace("{t}", ty);
        let text = match (holds, site.grammar.statically_typed) {
            (true, _) => test,
            (false, true) => format!("{}({test})", keywords.not),
            (false, false) => format!("{}{test}", keywords.not),
        };
        found.push((text, rank));
    };
    for node in nodes {
        visit(*node, |inner| {
            if site.role(inner) == NodeRole::Cast
                && let (Some(ty), Some(value)) =
                    (inner.child_by_field_name("type"), inner.child_by_field_name("value"))
                && site.text(ty).starts_with(char::is_uppercase)
            {
                add(site.text(value), site.text(ty), 0.9);
            }
            if !site.grammar.statically_typed
                && view::is_variable(site.file, inner)
                && let Some(ty @ ("str" | "list" | "dict")) = types::of(site, inner).as_deref()
            {
                add(site.text(inner), ty, 0.35);
            }
            true
        });
    }
    found
}

/// Conditions that stand in the file and could stand here.
pub(crate) fn borrowed(site: &Site, nodes: &[Node], at: usize) -> ScoredTexts {
    let near: Vec<String> = nodes.iter().flat_map(|node| view::variables_in(site.file, *node)).collect();
    let mut found = Vec::new();
    for piece in site.conditions_near() {
        if piece.text.contains('\n')
            || !known(site, &piece.names, at)
            || piece.role == NodeRole::BooleanLiteral
        {
            continue;
        }
        let shares = piece.names.iter().any(|name| near.contains(name));
        let same = if site.shares_function(piece) { 0.8 } else { 0.45 };
        let rows = 1.0 / (1.0 + site.rows_to(piece) / 60.0);
        found.push((piece.text.clone(), same * rows * if shares { 1.0 } else { 0.35 }));
    }
    found
}

/// Comparisons like those in a condition, with another literal or name.
fn siblings(site: &Site, condition: Node) -> ScoredTexts {
    let mut found = Vec::new();
    visit(condition, |inner| {
        let Some(parts) = view::binary(site.file, inner) else { return true };
        if !matches!(parts.operator.as_str(), "==" | "!=" | "<" | ">" | "<=" | ">=") {
            return true;
        }
        if matches!(site.role(parts.right), NodeRole::StringLiteral | NodeRole::CharLiteral) {
            for text in site.file.facts.texts.iter().filter(|text| *text != site.text(parts.right)).take(20) {
                found.push((format!("{} {} {text}", site.text(parts.left), parts.operator), 0.5));
            }
        }
        let wanted = types::of(site, parts.left);
        for (name, rank) in super::names::substitutes(site, parts.left, wanted.as_deref()).into_iter().take(6)
        {
            found.push((format!("{name} {} {}", parts.operator, site.text(parts.right)), rank));
        }
        true
    });
    found
}

/// All that could be joined to a condition, each once, the likeliest first.
fn additions(site: &Site, holder: Node, condition: Node, narrower: bool) -> ScoredTexts {
    let body = view::field(holder, &["consequence", "body"]);
    let nodes = [condition, body.unwrap_or(holder)];
    let at = condition.start_byte();
    let mut all = tests(site, &nodes, at, narrower);
    let gaps = tests(site, &[condition], at, !narrower).into_iter().map(|(text, rank)| (text, 0.5 * rank));
    all.extend(gaps);
    all.extend(borrowed(site, &nodes, at));
    all.extend(siblings(site, condition));
    let mut best: BTreeMap<String, f64> = BTreeMap::new();
    for (text, rank) in all {
        let known = best.entry(text).or_insert(rank);
        *known = known.max(rank);
    }
    let there = site.text(condition);
    best.retain(|text, _| !there.contains(text.as_str()));
    super::best(best.into_iter().collect(), 40)
}

/// A condition holds too often.
pub(crate) fn narrow(site: &Site, mutations: &mut Mutations) {
    join(site, mutations, true);
}

/// A condition holds too seldom.
pub(crate) fn widen(site: &Site, mutations: &mut Mutations) {
    join(site, mutations, false);
}

fn join(site: &Site, mutations: &mut Mutations, narrower: bool) {
    let keywords = &site.grammar.keywords;
    let (operator, other) = if narrower { (keywords.and, keywords.or) } else { (keywords.or, keywords.and) };
    for (holder, condition) in site.conditions() {
        let text = view::joinable(site.file, condition, operator);
        let asked: Vec<String> = view::variables_in(site.file, condition)
            .into_iter()
            .filter(|name| is_dereferenced(site, &[condition], name))
            .collect();
        for (new, rank) in additions(site, holder, condition, narrower) {
            let new = if new.contains(&format!(" {other} ")) { format!("({new})") } else { new };
            // A test for no object stands in front; it is needed before the rest is asked.
            // What an object says of itself is asked last.
            let asked = asked.iter().any(|name| new.contains(name.as_str())) && !new.ends_with("()");
            let first = asked || new.contains(keywords.null) || is_bound(&new);
            let (front, back) = if first { (1.0, 0.75) } else { (0.45, 1.0) };
            mutations.replace(condition, &format!("{new} {operator} {text}"), rank * front);
            mutations.replace(condition, &format!("{text} {operator} {new}"), rank * back);
        }
        // What joins conditions the other way is taken out: one of two that must hold, or may.
        let parts = view::joined(site.file, condition, other);
        if parts.len() > 1 {
            for index in 0..parts.len() {
                let rest = joined_without(site, &parts, index, &format!(" {other} "));
                mutations.replace(condition, &rest, 0.8);
            }
        }
    }
}

fn is_bound(text: &str) -> bool {
    text.contains(".length") || text.contains(".size()") || text.contains("len(") || text.ends_with(">= 0")
}

/// Another condition altogether, or a value that is one.
pub(crate) fn replace(site: &Site, mutations: &mut Mutations) {
    for (holder, condition) in site.conditions() {
        for (text, rank) in additions(site, holder, condition, true) {
            mutations.replace(condition, &text, 0.8 * rank);
        }
    }
}

/// A condition that always or never holds: it often suits the tests only.
pub(crate) fn constant(site: &Site, mutations: &mut Mutations) {
    let [yes, no] = site.grammar.keywords.booleans;
    for (_, condition) in site.conditions() {
        for text in [yes, no].into_iter().filter(|text| site.text(condition) != *text) {
            let what = format!("`{}` becomes `{text}`", shown(site.text(condition)));
            let splices = vec![splice(condition.byte_range(), text)];
            mutations.add_overfitting(splices, 1.0, Some(OverfitReason::ConstantCondition), what);
        }
    }
}
