//! Steps that are missing: an update, a way out, a result that is kept.

use tree_sitter::Node;

use super::names::substitutes;
use crate::file::{ancestors, children};
use crate::grammar::NodeRole;
use crate::mutation::{InsertionPoint, Mutations, in_block, shown, splice};
use crate::site::Site;
use crate::{types, view};

super::generators!(add_exit, add_update, keep_result);

/// A step is missing: a counter, a mark of what was seen.
pub(crate) fn add_update(site: &Site, mutations: &mut Mutations) {
    let end = site.grammar.keywords.terminator;
    for beside in site.anchors() {
        let statement = beside.statement();
        let looped = ancestors(statement).find(|node| site.role(*node).is_loop());
        let share = if looped.is_some() { 1.0 } else { 0.4 };
        let at = beside.byte();
        let tested = looped.and_then(|looped| view::condition(site.file, looped));
        let tested = tested.map(|condition| view::variables_in(site.file, condition)).unwrap_or_default();
        let kept = looped.map(|looped| targets(site, looped)).unwrap_or_default();
        let mut codes: Vec<(String, f64)> = Vec::new();
        for known in site.names(at).filter(|known| known.from > 0 || !site.grammar.statically_typed).take(16)
        {
            let (name, ty) = (&known.name, known.ty.as_deref().map(types::base));
            let starved = is_starved(site, name);
            match ty {
                Some("int" | "long" | "short" | "float") => {
                    // What a loop moves on already is rarely to be moved twice.
                    let once = if kept.contains(name) { 0.5 } else { 1.0 };
                    let rank = once * if tested.contains(name) { 1.0 } else { 0.55 };
                    let [up, down] =
                        if site.grammar.statically_typed { ["++", "--"] } else { [" += 1", " -= 1"] };
                    codes.push((format!("{name}{up}{end}"), rank));
                    codes.push((format!("{name}{down}{end}"), 0.6 * rank));
                }
                Some("boolean" | "bool") => {
                    for truth in site.grammar.keywords.booleans {
                        codes.push((format!("{name} = {truth}{end}"), 0.5));
                    }
                }
                Some("list" | "set" | "List" | "ArrayList" | "Set" | "HashSet") => {
                    let verb = if matches!(ty, Some("list")) { "append" } else { "add" };
                    for other in site.names(at).filter(|other| other.from > 0 && other.name != *name).take(6)
                    {
                        let simple = !matches!(other.ty.as_deref(), Some("list" | "set" | "dict"));
                        let rank = if simple { 0.5 } else { 0.25 } * if starved { 2.0 } else { 1.0 };
                        codes.push((format!("{name}.{verb}({}){end}", other.name), rank));
                        if verb == "append" && is_asked(site, name) {
                            codes.push((format!("{name}.add({}){end}", other.name), rank));
                        }
                    }
                }
                _ => {}
            }
        }
        for (code, rank) in codes {
            mutations.insert(beside, &code, share * rank, None);
        }
        for (code, rank) in marks(site).into_iter().chain(moves(site, statement, at)) {
            mutations.insert(beside, &code, rank, None);
        }
    }
}

/// What is asked for in a collection is put into it: a mark of what was seen.
fn marks(site: &Site) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    for piece in site.conditions_near() {
        let [element, collection] = if site.grammar.statically_typed {
            let Some((collection, rest)) = piece.text.trim_start_matches('!').split_once(".contains(") else {
                continue;
            };
            [rest.trim_end_matches(')'), collection]
        } else {
            let Some((element, collection)) = piece.text.split_once(" in ") else { continue };
            [element.trim_start_matches("not ").trim_end_matches(" not"), collection]
        };
        if site.shares_function(piece) && [element, collection].iter().all(|text| !text.contains(' ')) {
            let verbs: &[&str] = if site.grammar.statically_typed { &["add"] } else { &["add", "append"] };
            let end = site.grammar.keywords.terminator;
            found.extend(verbs.iter().map(|verb| (format!("{collection}.{verb}({element}){end}"), 0.9)));
        }
    }
    found
}

/// A name of the function that a loop never moves on: it becomes another name that the loop knows.
fn moves(site: &Site, statement: Node, at: usize) -> Vec<(String, f64)> {
    let Some(looped) = ancestors(statement).find(|node| site.role(*node).is_loop()) else {
        return Vec::new();
    };
    let kept = targets(site, looped);
    let here = view::variables_in(site.file, looped);
    let still = site
        .local_names(looped.start_byte())
        .filter(|known| site.uses(&known.name) && !kept.contains(&known.name));
    let mut found = Vec::new();
    for one in still.take(6) {
        for other in site.names(at).filter(|other| other.from > 0 && other.name != one.name).take(8) {
            let fit = site.type_fit(one.ty.as_deref(), other.ty.as_deref());
            let moved = if kept.contains(&other.name) { 1.0 } else { 0.6 };
            if here.contains(&other.name) && fit > 0.0 {
                let code = format!("{} = {}{}", one.name, other.name, site.grammar.keywords.terminator);
                found.push((code, 0.9 * fit * moved));
            }
        }
    }
    found
}

/// The names and places that a loop gives new values.
fn targets(site: &Site, looped: Node) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    crate::file::visit(looped, |node| {
        if let Some(parts) = view::assignment(site.file, node) {
            found.push(site.text(parts.target).to_owned());
        }
        true
    });
    found
}

/// Is true if a function takes things out of a collection of this name and never puts one in.
fn is_starved(site: &Site, name: &str) -> bool {
    site.function.is_some_and(|function| {
        let usage = site.file.name_usage(function);
        usage.emptied.contains(name) && !usage.filled.contains(name)
    })
}

/// Is true if it is asked what is in a collection of this name.
fn is_asked(site: &Site, name: &str) -> bool {
    let ends = format!(" in {name}");
    site.conditions_near().iter().any(|piece| piece.text.ends_with(&ends))
}

/// A way out is missing: a return, a break, a continue.
pub(crate) fn add_exit(site: &Site, mutations: &mut Mutations) {
    let file = site.file;
    let end = site.grammar.keywords.terminator;
    let own = site.statements.iter().copied().filter(|statement| in_block(file, *statement));
    for statement in &own.chain(site.tails()).collect::<Vec<_>>() {
        let inside: Vec<NodeRole> = ancestors(*statement)
            .map(|node| site.role(node))
            .take_while(|role| *role != NodeRole::Function)
            .collect();
        let looped = inside.iter().any(|role| role.is_loop());
        let switched =
            ancestors(*statement).next().is_some_and(|node| node.kind() == "switch_block_statement_group");
        let last = statement.next_named_sibling().is_none();
        if !site.role(*statement).ends_flow() {
            let share = if last { 1.0 } else { 0.3 };
            let mut words = Vec::new();
            if looped || switched {
                words.push((format!("break{end}"), if switched { 1.0 } else { 0.8 }));
            }
            if looped {
                words.push((format!("continue{end}"), 0.7));
            }
            let may_return_nothing =
                !site.grammar.statically_typed || site.returns().as_deref() == Some("void");
            if site.function.is_some() && may_return_nothing {
                words.push((format!("return{end}"), 0.5));
            }
            for (word, rank) in &words {
                mutations.insert(InsertionPoint::After(*statement), word, share * rank, None);
            }
            returns(site, *statement, share, mutations);
        }
        if let Some(group) = statement
            .parent()
            .filter(|parent| parent.kind() == "switch_block_statement_group" && site.omission)
            && let Some(before) =
                group.prev_named_sibling().and_then(|group| children(file, group).last().copied())
        {
            mutations.insert(InsertionPoint::After(before), &format!("break{end}"), 0.9, None);
        }
    }
    // A case that falls through into the one on the place.
    for label in site.statements.iter().filter(|node| site.role(**node) == NodeRole::Clause) {
        if let Some(last) = label
            .parent()
            .and_then(|group| group.prev_named_sibling())
            .and_then(|group| children(file, group).last().copied())
            && site.grammar.is_statement(last)
            && !site.role(last).ends_flow()
        {
            mutations.insert(InsertionPoint::After(last), &format!("break{end}"), 1.0, None);
        }
    }
}

/// A value is worked out but not returned.
fn returns(site: &Site, statement: Node, share: f64, mutations: &mut Mutations) {
    if site.function.is_none() || site.returns().as_deref() == Some("void") {
        return;
    }
    if site.role(statement) == NodeRole::ExpressionStatement
        && let Some(call) =
            children(site.file, statement).first().filter(|node| site.role(**node) == NodeRole::Call)
    {
        let range = call.start_byte()..call.start_byte();
        let what = format!("what `{}` gives is returned", shown(site.text(*call)));
        mutations.add(vec![splice(range, "return ")], 0.9, what);
    }
    let wanted = site.returns();
    for known in site.names(statement.end_byte()).filter(|known| known.from > 0).take(12) {
        let fit = site.type_fit(wanted.as_deref(), known.ty.as_deref());
        let code = format!("return {}{}", known.name, site.grammar.keywords.terminator);
        mutations.insert(InsertionPoint::After(statement), &code, 0.6 * share * fit, None);
    }
}

/// A value is thrown away that should be kept: `s.trim()` for `s = s.trim()`.
pub(crate) fn keep_result(site: &Site, mutations: &mut Mutations) {
    for statement in
        site.statements.iter().filter(|statement| site.role(**statement) == NodeRole::ExpressionStatement)
    {
        let Some(node) = children(site.file, *statement).first().copied() else { continue };
        if let Some(call) = view::call(site.file, node) {
            let is_variable = |node: &Node| view::is_variable(site.file, *node);
            let receiver = call.receiver.filter(is_variable).map(|receiver| (receiver, 1.0));
            let arguments = call.arguments.into_iter().filter(is_variable).map(|argument| (argument, 0.4));
            for (keeper, rank) in receiver.into_iter().chain(arguments.take(2)) {
                let name = site.text(keeper);
                let splices = vec![splice(node.start_byte()..node.start_byte(), &format!("{name} = "))];
                mutations.add(splices, rank, format!("`{name}` keeps the result"));
            }
        }
        if let Some(parts) = view::assignment(site.file, node)
            && parts.operator == "="
        {
            // Kept under another name: what is assigned to.
            let wanted = types::of(site, parts.target);
            for (name, rank) in substitutes(site, parts.target, wanted.as_deref()) {
                mutations.replace(parts.target, &name, 0.5 * rank);
            }
        }
    }
}
