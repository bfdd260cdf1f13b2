//! Calls: another function, other arguments.

use std::collections::BTreeMap;

use super::names::{known, substitutes};
use super::{best, joined_without};
use crate::grammar::NodeRole;
use crate::ingredients::{Method, Variable};
use crate::mutation::Mutations;
use crate::similarity::similarity;
use crate::site::Site;
use crate::view::{self, Call};
use crate::{file, types};

super::generators!(add_argument, remove_argument, replace_argument, replace_callee, swap_arguments);

/// Names of functions that are looked at.
const MOST: usize = 16;

/// Another function with the same arguments.
pub(crate) fn replace_callee(site: &Site, mutations: &mut Mutations) {
    for (node, call) in site.each(view::call) {
        if site.role(node) == NodeRole::ObjectCreation {
            continue;
        }
        for (other, rank) in other_names(site, &call) {
            mutations.replace(call.name, &other, rank);
        }
    }
}

/// Names of functions that could be called in the place of one, the best first.
fn other_names(site: &Site, call: &Call) -> Vec<(String, f64)> {
    let old = site.text(call.name);
    let count = call.arguments.len();
    let mut found: BTreeMap<&str, f64> = BTreeMap::new();
    for group in site.grammar.confusable_functions.iter().filter(|group| group.contains(&old)) {
        for (index, other) in group.iter().filter(|other| **other != old).enumerate() {
            raise(&mut found, other, 0.9 / (1.0 + 0.15 * index as f64));
        }
    }
    let plain = call.receiver.is_none_or(|receiver| site.is_self(receiver));
    let class = site.class_name();
    let own = site.methods().iter().find(|(_, method)| method.name == old).map(|(_, method)| *method);
    for (near, method) in site.methods() {
        let fits = || count <= method.parameters.len() && method.required() <= count;
        if method.name == old || !fits() || Some(method.name.as_str()) == class {
            continue;
        }
        let alike = similarity(old, &method.name);
        let kin = own.is_some_and(|own| own.class == method.class);
        // A method of another object must resemble the one that is called, or belong to the same class.
        if !plain && !kin && alike < 0.3 {
            continue;
        }
        let returned =
            own.map_or(0.6, |own| site.type_fit(own.returns.as_deref(), method.returns.as_deref()));
        raise(&mut found, &method.name, near * returned * (0.35 + 0.65 * alike));
    }
    for (other, arguments) in &site.file.facts.called {
        let alike = similarity(old, other);
        if other != old && *arguments == count && alike > 0.25 {
            raise(&mut found, other, 0.7 * alike);
        }
    }
    best(found.into_iter().map(|(name, rank)| (name.to_owned(), rank)).collect(), MOST)
}

/// Ranks a name at least so.
fn raise<'n>(found: &mut BTreeMap<&'n str, f64>, name: &'n str, rank: f64) {
    let known = found.entry(name).or_insert(rank);
    *known = known.max(rank);
}

/// The methods that a call may mean.
fn meant<'s>(site: &'s Site, call: &Call) -> Vec<&'s Method> {
    let name = types::base(site.text(call.name));
    let made = site.file.grammar.statically_typed;
    let is_meant = |method: &&Method| {
        method.name == name || !made && method.name == "__init__" && method.class.as_deref() == Some(name)
    };
    site.methods().iter().map(|(_, method)| *method).filter(is_meant).collect()
}

/// The text of an argument list with one more argument.
fn with(site: &Site, call: &Call, at: usize, argument: &str) -> String {
    let mut texts: Vec<&str> = call.arguments.iter().map(|argument| site.text(*argument)).collect();
    texts.insert(at.min(texts.len()), argument);
    format!("({})", texts.join(", "))
}

/// One more argument.
pub(crate) fn add_argument(site: &Site, mutations: &mut Mutations) {
    for (node, call) in site.each(view::call) {
        let count = call.arguments.len();
        let at = call.list.start_byte();
        let methods = meant(site, &call);
        for method in &methods {
            for (index, parameter) in method.parameters.iter().enumerate() {
                let named = format!("{}=", parameter.name);
                let given = call.arguments.iter().any(|argument| site.text(*argument).starts_with(&named));
                if method.parameters.len() <= count || index > count || given {
                    continue;
                }
                for (text, rank) in values(site, parameter.ty.as_deref(), &parameter.name, at) {
                    mutations.replace(call.list, &with(site, &call, index, &text), rank);
                    if parameter.optional && !site.grammar.statically_typed {
                        let text = format!("{named}{text}");
                        mutations.replace(call.list, &with(site, &call, count, &text), 0.8 * rank);
                    }
                }
            }
        }
        if methods.is_empty() {
            let given = |name: &str| call.arguments.iter().any(|argument| site.text(*argument) == name);
            let known = |variable: &&Variable| variable.class.is_some() || variable.from > 0;
            for variable in site.names(at).take(30).filter(known).filter(|variable| !given(&variable.name)) {
                let rank = if site.role(node) == NodeRole::ObjectCreation { 0.4 } else { 0.25 };
                mutations.replace(call.list, &with(site, &call, count, &variable.name), rank);
                if count > 0 {
                    mutations.replace(call.list, &with(site, &call, 0, &variable.name), 0.15);
                }
            }
            for text in usual(site.text(call.name), count) {
                mutations.replace(call.list, &with(site, &call, count, text), 0.5);
            }
        }
    }
}

/// Arguments that are often forgotten in calls of what comes with the language.
fn usual(name: &str, count: usize) -> &'static [&'static str] {
    match (name, count) {
        ("sorted" | "sort", _) => &["reverse=True", "key=len", "key=str"],
        ("min" | "max", 1) => &["default=0", "default=None", "key=len"],
        ("open", 1 | 2) => &["encoding=\"utf-8\"", "newline=\"\""],
        ("get" | "pop" | "getattr" | "next", 1 | 2) => &["None", "0", "\"\"", "[]", "{}"],
        ("sum", 1) => &["0", "[]"],
        ("split" | "rsplit" | "replace", 1 | 2) => &["1", "-1"],
        ("enumerate", 1) => &["1", "start=1"],
        ("zip", _) => &["strict=True"],
        ("toArray", 0) => &["new String[0]"],
        _ => &[],
    }
}

/// Values that could be given for a parameter.
fn values(site: &Site, ty: Option<&str>, word: &str, at: usize) -> Vec<(String, f64)> {
    let names = site.names(at).map(|known| (known.name.clone(), site.fit(known, ty, word, at)));
    let mut found = best(names.filter(|(_, rank)| *rank > 0.1).collect(), 8);
    let [yes, no] = site.grammar.keywords.booleans;
    match ty.map(types::base) {
        Some("boolean" | "bool") => found.extend([(yes.to_owned(), 0.7), (no.to_owned(), 0.6)]),
        Some("int" | "long" | "float" | "double") => {
            found.extend([("0".to_owned(), 0.5), ("1".to_owned(), 0.5)]);
        }
        _ => found.push((site.grammar.keywords.null.to_owned(), 0.3)),
    }
    found
}

/// One argument less.
pub(crate) fn remove_argument(site: &Site, mutations: &mut Mutations) {
    for (_, call) in site.each(view::call) {
        let methods = meant(site, &call);
        let count = call.arguments.len();
        let allowed = methods.is_empty()
            || methods.iter().any(|method| {
                let (required, all) = (method.required(), method.parameters.len());
                required < count && all != count || required < all
            });
        for index in 0..count {
            let rest = joined_without(site, &call.arguments, index, ", ");
            let named = site.role(call.arguments[index]) == NodeRole::KeywordArgument;
            let rank = if count == 1 { 0.4 } else { 0.5 + 0.5 * (index + 1) as f64 / count as f64 };
            let rank = rank * if allowed { 1.0 } else { 0.15 } * if named { 1.1 } else { 1.0 };
            mutations.replace(call.list, &format!("({rest})"), rank);
        }
    }
}

/// Two arguments change places.
pub(crate) fn swap_arguments(site: &Site, mutations: &mut Mutations) {
    for (node, call) in site.each(view::call) {
        let mut arguments = call.arguments;
        arguments.retain(|argument| site.role(*argument) != NodeRole::KeywordArgument);
        for (index, &one) in arguments.iter().enumerate() {
            for (second, &other) in arguments.iter().enumerate().skip(index + 1) {
                let fit = site.type_fit(types::of(site, one).as_deref(), types::of(site, other).as_deref());
                if site.text(one) == site.text(other) || fit == 0.0 {
                    continue;
                }
                let rank = (0.3 + 0.7 * fit) / (second - index) as f64;
                let what = format!("`{}` and `{}` change places", site.text(one), site.text(other));
                mutations.exchange(one, other, rank * site.proximity(node), what);
            }
        }
    }
}

/// Another argument: what the parameter is called, what stands near, what it is a part of.
pub(crate) fn replace_argument(site: &Site, mutations: &mut Mutations) {
    for (_, call) in site.each(view::call) {
        let methods = meant(site, &call);
        for (index, argument) in call.arguments.iter().enumerate() {
            let value = argument
                .child_by_field_name("value")
                .filter(|_| site.role(*argument) == NodeRole::KeywordArgument)
                .unwrap_or(*argument);
            for method in methods.iter().filter(|method| method.parameters.len() >= call.arguments.len()) {
                let Some(parameter) = method.parameters.get(index) else { continue };
                for (text, rank) in values(site, parameter.ty.as_deref(), &parameter.name, value.start_byte())
                {
                    mutations.replace(value, &text, rank);
                }
            }
            if site.role(value).is_literal() {
                let wanted = types::of_literal(site.file, value);
                for (text, rank) in substitutes(site, value, wanted.as_deref()) {
                    mutations.replace(value, &text, 0.7 * rank);
                }
            } else if methods.is_empty() && view::is_variable(site.file, value) {
                let [yes, no] = site.grammar.keywords.booleans;
                for text in [site.grammar.keywords.null, yes, no, "0", "1"] {
                    mutations.replace(value, text, 0.12);
                }
            }
            for piece in site.expressions_near().iter().filter(|piece| site.shares_function(piece)) {
                let shares = file::visit_any(value, |inner| {
                    view::is_variable(site.file, inner)
                        && piece.names.iter().any(|name| name == site.text(inner))
                });
                if piece.text != site.text(value) && known(site, &piece.names, value.start_byte()) {
                    let rank = if shares { 0.5 } else { 0.25 } / (1.0 + site.rows_to(piece) / 8.0);
                    mutations.replace(value, &piece.text, rank);
                }
            }
        }
    }
}
