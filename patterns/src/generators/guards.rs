//! Guards: a test around a statement, an early way out before it, a base case at the start of a function.

use tree_sitter::Node;

use super::conditions::{borrowed, tests};
use super::{ExprContext, best, best_texts, contexts, filled};
use crate::OverfitReason;
use crate::file::{ancestors, children};
use crate::grammar::NodeRole;
use crate::mutation::{InsertionPoint, Mutations, block, if_head, in_block, shown, wrapped};
use crate::name_usage::Returned;
use crate::site::Site;
use crate::{types, view};

super::generators!(base_case, conditional_value, early_exit, wrap_in_condition);

/// Guards of one kind that are looked at.
const MOST: usize = 14;

/// The tests that could guard a statement, the likeliest first.
fn guards(site: &Site, statement: Node, holds: bool) -> Vec<(String, f64)> {
    let at = statement.start_byte();
    let head = entries(site, statement);
    let mut found = tests(site, &head, at, holds);
    found.extend(borrowed(site, &head, at).into_iter().map(|(text, rank)| (text, 0.7 * rank)));
    best_texts(found, MOST)
}

/// The parts of a statement that are evaluated first: its head, or all of it if it has no blocks.
fn entries<'t>(site: &Site, statement: Node<'t>) -> Vec<Node<'t>> {
    let parts = children(site.file, statement);
    let blocks = |node: &Node| {
        matches!(site.role(*node), NodeRole::Block | NodeRole::Clause) || site.grammar.is_statement(*node)
    };
    if parts.iter().any(blocks) {
        parts.into_iter().filter(|part| !blocks(part)).collect()
    } else {
        vec![statement]
    }
}

/// A statement runs only under a condition.
pub(crate) fn wrap_in_condition(site: &Site, mutations: &mut Mutations) {
    for statement in site.statements.iter().filter(|statement| in_block(site.file, **statement)) {
        // A name that is declared inside of a guard is not known behind it.
        let role = site.role(*statement);
        if matches!(role, NodeRole::Declaration | NodeRole::Field) || !role.is_statement() {
            continue;
        }
        let Some(rows) = site.file.whole_rows(*statement) else { continue };
        for (condition, rank) in guards(site, *statement, true) {
            if let Some(splice) = wrapped(site.file, rows.clone(), &if_head(site.file, &condition)) {
                let what = format!("the statement runs only if `{}`", shown(&condition));
                mutations.add(vec![splice], rank, what);
            }
        }
    }
}

/// The values that a function may return early here, each with its rank and whether it is a constant.
fn results(site: &Site) -> Vec<(String, f64, bool)> {
    let mut found: Vec<(String, f64, bool)> = Vec::new();
    let Some(function) = site.function else { return found };
    let mut add = |text: &str, rank: f64, constant: bool| {
        if !found.iter().any(|(known, _, _)| known == text) {
            found.push((text.to_owned(), rank, constant));
        }
    };
    let returns = site.returns();
    let returns = returns.as_deref();
    if returns == Some("void") || function.kind() == "constructor_declaration" {
        return vec![(String::new(), 1.0, false)];
    }
    let mut any = false;
    for Returned { value, is_literal, names } in &site.file.name_usage(function).returns {
        let Some(text) = value else {
            add("", 0.9, false);
            continue;
        };
        any = true;
        // What is made of what is not known yet cannot be returned.
        if text.len() <= 40 && super::names::known(site, names, function_start(site)) {
            add(text, if *is_literal { 0.9 } else { 0.5 }, *is_literal);
        }
    }
    if !any && !site.grammar.statically_typed {
        add("", 1.0, false);
    }
    if any || site.grammar.statically_typed {
        let kind = returned_kind(site);
        for idiom in &site.grammar.default_returns {
            let suits = if idiom.types.is_empty() && site.grammar.statically_typed {
                if returns.is_some_and(types::is_primitive) { 0.0 } else { 1.0 }
            } else {
                site.type_suits(&idiom.types, returns.or(kind.as_deref()))
            };
            if suits > 0.05 {
                add(idiom.text, 0.7 * suits * idiom.share, true);
            }
        }
        for known in site.names(function_start(site)).filter(|known| known.from > 0) {
            let fit = site.type_fit(returns, known.ty.as_deref());
            if fit > 0.0 {
                add(&known.name, 0.6 * fit, false);
            }
        }
    }
    found
}

fn function_start(site: &Site) -> usize {
    let body = site.function.and_then(|function| function.child_by_field_name("body"));
    body.map_or(0, |body| body.start_byte())
}

/// The kind of value that a function without a declared type returns, from one of its returns.
fn returned_kind(site: &Site) -> Option<String> {
    let mut found = None;
    crate::file::visit(site.function?, |node| {
        if let Some(value) = view::value_of(site.file, node)
            && site.role(node) == NodeRole::Return
        {
            found = found.take().or_else(|| types::of(site, value));
        }
        true
    });
    found
}

/// Ways out of a function or loop with how likely each is.
fn exits(site: &Site, at: Node) -> Vec<(String, f64, bool)> {
    let end = site.grammar.keywords.terminator;
    let mut found = Vec::new();
    let looped = ancestors(at)
        .take_while(|node| site.role(*node) != NodeRole::Function)
        .any(|node| site.role(node).is_loop() && node.kind() != "for_in_clause");
    if looped {
        found.push((format!("continue{end}"), 0.8, false));
        found.push((format!("break{end}"), 0.5, false));
    }
    for (value, rank, constant) in results(site) {
        let rank = if looped { 0.6 * rank } else { rank };
        let text = if value.is_empty() { format!("return{end}") } else { format!("return {value}{end}") };
        found.push((text, rank, constant));
    }
    let thrown = site.statements_near().iter().filter(|piece| piece.role == NodeRole::Throw);
    for piece in thrown.take(6) {
        if !piece.text.contains('\n') && super::names::known(site, &piece.names, at.start_byte()) {
            found.push((piece.text.clone(), 0.35, false));
        }
    }
    let throw = if site.grammar.statically_typed {
        "throw new IllegalArgumentException();"
    } else {
        "raise ValueError"
    };
    found.push((throw.to_owned(), 0.15, false));
    found
}

/// The function or loop is left early under a condition.
pub(crate) fn early_exit(site: &Site, mutations: &mut Mutations) {
    for statement in site.statements.iter().filter(|statement| in_block(site.file, **statement)) {
        let declares =
            matches!(site.role(*statement), NodeRole::Field | NodeRole::Function | NodeRole::Class);
        if site.function.is_some() && !declares {
            leave_before(site, *statement, &guards(site, *statement, false), mutations);
        }
    }
}

/// A function that does not treat its simplest case by itself.
pub(crate) fn base_case(site: &Site, mutations: &mut Mutations) {
    let Some(function) = site.function else { return };
    let Some(body) = function.child_by_field_name("body") else { return };
    let statements = children(site.file, body);
    let first = statements.iter().find(|node| {
        site.role(**node) != NodeRole::ExpressionStatement
            || node.named_child(0).is_none_or(|child| site.role(child) != NodeRole::StringLiteral)
    });
    let Some(first) = first.copied() else { return };
    // Only where the place is the head of the function or its first statement.
    if !site.statements.iter().any(|statement| *statement == function || *statement == first) {
        return;
    }
    let parameters = function.child_by_field_name("parameters");
    let mut conditions = Vec::new();
    for known in site.names(first.start_byte()).filter(|known| known.class.is_none() && known.from > 0) {
        if parameters.is_some_and(|list| known.from != list.end_byte()) {
            continue;
        }
        let ty = known.ty.as_deref();
        for idiom in &site.grammar.absence_idioms {
            let suits = site.type_suits(&idiom.types, ty);
            conditions.push((filled(idiom.text, &known.name), suits * idiom.share));
        }
        if !(site.grammar.statically_typed && ty.is_some_and(types::is_primitive)) {
            conditions.push((site.grammar.null_test(&known.name, true), 0.8));
        }
        if site.type_suits(&["int", "long"], ty) > 0.3 {
            conditions.push((format!("{} <= 1", known.name), 0.4));
            conditions.push((format!("{} == 1", known.name), 0.4));
        }
    }
    conditions.retain(|(_, rank)| *rank > 0.05);
    leave_before(site, first, &best(conditions, MOST), mutations);
}

/// The function or loop around a statement is left before it under one of some conditions.
fn leave_before(site: &Site, at: Node, conditions: &[(String, f64)], mutations: &mut Mutations) {
    let exits = exits(site, at);
    for (index, (condition, rank)) in conditions.iter().enumerate() {
        for (order, (exit, likely, constant)) in exits.iter().enumerate() {
            // The unlikely ways out are tried under the likeliest conditions only.
            if index + order > MOST {
                continue;
            }
            let code = block(site.file, &if_head(site.file, condition), exit);
            let odd = *constant && *likely < 0.4;
            let mark = odd.then_some(OverfitReason::ConstantReturn);
            mutations.insert(InsertionPoint::Before(at), &code, rank * likely, mark);
        }
    }
}

/// A value is taken only under a condition, and another else.
pub(crate) fn conditional_value(site: &Site, mutations: &mut Mutations) {
    for (node, context) in contexts(site) {
        if !matches!(context, ExprContext::Assigned | ExprContext::Returned | ExprContext::Argument)
            || site.role(node).is_literal()
            || matches!(site.role(node), NodeRole::Ternary | NodeRole::Collection)
            || site.text(node).len() > 80
        {
            continue;
        }
        let ty = types::of(site, node)
            .or_else(|| (context == ExprContext::Returned).then(|| site.returns()).flatten());
        let suits = |types: &[&str]| types.is_empty() || site.type_suits(types, ty.as_deref()) > 0.5;
        let idioms = site.grammar.default_returns.iter().filter(|idiom| suits(&idiom.types));
        let default_returns: Vec<&str> = idioms.map(|idiom| idiom.text).take(4).collect();
        let rank = if context == ExprContext::Argument { 0.4 } else { 0.8 };
        let objects = tests(site, &[node], node.start_byte(), true);
        for (condition, near) in objects.into_iter().filter(|(_, near)| *near >= 0.5).take(6) {
            for empty in &default_returns {
                let text = site.grammar.ternary(&condition, site.text(node), empty);
                mutations.replace(node, &text, rank * near);
                if condition.contains(site.grammar.keywords.null) && site.grammar.statically_typed {
                    let text = site.grammar.ternary(&condition.replace("!=", "=="), empty, site.text(node));
                    mutations.replace(node, &text, rank * near * 0.9);
                }
            }
        }
        if view::is_variable(site.file, node) && !site.grammar.statically_typed {
            for empty in default_returns.iter().filter(|empty| **empty != "None") {
                mutations.replace(node, &format!("{} or {empty}", site.text(node)), 0.4);
            }
        }
    }
}
