//! Steps that are missing: an update, a way out, a result that is kept.

use tree_sitter::Node;

use super::names::substitutes;
use crate::draft::{Beside, Drafts, in_block, shown, splice};
use crate::file::{ancestors, children};
use crate::grammar::Role;
use crate::site::Site;
use crate::{types, view};

/// A step is missing: a counter, a mark of what was seen.
pub(crate) fn update(site: &Site, drafts: &mut Drafts) {
    let end = site.grammar.words.end;
    for beside in site.anchors() {
        let statement = beside.statement();
        let looped = ancestors(statement).find(|node| matches!(site.role(*node), Role::While | Role::Each));
        let share = if looped.is_some() { 1.0 } else { 0.4 };
        let at = beside.byte();
        let tested = looped.and_then(|looped| view::condition(site.file, looped));
        let tested = tested.map(|condition| view::variables_in(site.file, condition)).unwrap_or_default();
        let mut codes: Vec<(String, f64)> = Vec::new();
        for known in site.names(at).filter(|known| known.from > 0 || !site.grammar.typed).take(16) {
            let (name, ty) = (&known.name, known.ty.as_deref().map(types::base));
            match ty {
                Some("int" | "long" | "short" | "float") => {
                    let rank = if tested.contains(name) { 1.0 } else { 0.55 };
                    if site.grammar.typed {
                        codes.extend([
                            (format!("{name}++{end}"), rank),
                            (format!("{name}--{end}"), 0.6 * rank),
                        ]);
                    } else {
                        codes.extend([(format!("{name} += 1"), rank), (format!("{name} -= 1"), 0.6 * rank)]);
                    }
                }
                Some("boolean" | "bool") => {
                    for truth in site.grammar.words.truths {
                        codes.push((format!("{name} = {truth}{end}"), 0.5));
                    }
                }
                Some("list" | "set" | "List" | "ArrayList" | "Set" | "HashSet") => {
                    let verb = if matches!(ty, Some("list")) { "append" } else { "add" };
                    for other in site.names(at).filter(|other| other.from > 0 && other.name != *name).take(6)
                    {
                        let simple = !matches!(other.ty.as_deref(), Some("list" | "set" | "dict"));
                        let rank = if simple { 0.5 } else { 0.25 };
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
            drafts.insert(site, beside, &code, share * rank, None);
        }
    }
}

/// Whether it is asked what is in a collection of this name.
fn is_asked(site: &Site, name: &str) -> bool {
    let ends = format!(" in {name}");
    site.file.fragments.conditions.iter().any(|piece| piece.text.ends_with(&ends))
}

/// A way out is missing: a return, a break, a continue.
pub(crate) fn jump(site: &Site, drafts: &mut Drafts) {
    let file = site.file;
    let end = site.grammar.words.end;
    let own = site.statements.iter().copied().filter(|statement| in_block(file, *statement));
    for statement in &own.chain(site.tails()).collect::<Vec<_>>() {
        let inside: Vec<Role> = ancestors(*statement)
            .map(|node| site.role(node))
            .take_while(|role| *role != Role::Function)
            .collect();
        let looped = inside.iter().any(|role| matches!(role, Role::While | Role::Each));
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
            if site.function.is_some() {
                words.push((
                    format!("return{end}"),
                    if site.grammar.typed && site.returns().as_deref() != Some("void") { 0.0 } else { 0.5 },
                ));
            }
            for (word, rank) in &words {
                drafts.insert(site, Beside::Behind(*statement), word, share * rank, None);
            }
            returns(site, *statement, share, drafts);
        }
        if let Some(group) = statement
            .parent()
            .filter(|parent| parent.kind() == "switch_block_statement_group" && site.omission)
            && let Some(before) =
                group.prev_named_sibling().and_then(|group| children(file, group).last().copied())
        {
            drafts.insert(site, Beside::Behind(before), &format!("break{end}"), 0.9, None);
        }
    }
    // A case that falls through into the one on the place.
    for label in site.statements.iter().filter(|node| site.role(**node) == Role::Clause) {
        if let Some(last) = label
            .parent()
            .and_then(|group| group.prev_named_sibling())
            .and_then(|group| children(file, group).last().copied())
            && site.grammar.is_statement(last)
            && !site.role(last).ends_flow()
        {
            drafts.insert(site, Beside::Behind(last), &format!("break{end}"), 1.0, None);
        }
    }
}

/// A value is worked out but not returned.
fn returns(site: &Site, statement: Node, share: f64, drafts: &mut Drafts) {
    if site.function.is_none() || site.returns().as_deref() == Some("void") {
        return;
    }
    if site.role(statement) == Role::Plain
        && let Some(call) =
            children(site.file, statement).first().filter(|node| site.role(**node) == Role::Call)
    {
        let range = call.start_byte()..call.start_byte();
        let what = format!("what `{}` gives is returned", shown(site.text(*call)));
        drafts.add(vec![splice(range, "return ")], 0.9, what);
    }
    let wanted = site.returns();
    let wanted = wanted.as_deref();
    for known in site.names(statement.end_byte()).filter(|known| known.from > 0).take(12) {
        let fit = types::fit(site.grammar.typed, wanted, known.ty.as_deref());
        let code = format!("return {}{}", known.name, site.grammar.words.end);
        drafts.insert(site, Beside::Behind(statement), &code, 0.6 * share * fit, None);
    }
}

/// A value is thrown away that should be kept: `s.trim()` for `s = s.trim()`.
pub(crate) fn keep(site: &Site, drafts: &mut Drafts) {
    for statement in site.statements.iter().filter(|statement| site.role(**statement) == Role::Plain) {
        let Some(node) = children(site.file, *statement).first().copied() else { continue };
        if let Some(call) = view::call(site.file, node) {
            let at = node.start_byte()..node.start_byte();
            let receiver = call.receiver.filter(|receiver| view::is_variable(site.file, *receiver));
            if let Some(receiver) = receiver {
                let text = format!("{} = ", site.text(receiver));
                drafts.add(
                    vec![splice(at.clone(), &text)],
                    1.0,
                    format!("`{}` keeps the result", site.text(receiver)),
                );
            }
            for argument in
                call.arguments.iter().filter(|argument| view::is_variable(site.file, **argument)).take(2)
            {
                let text = format!("{} = ", site.text(*argument));
                drafts.add(
                    vec![splice(at.clone(), &text)],
                    0.4,
                    format!("`{}` keeps the result", site.text(*argument)),
                );
            }
        }
        if let Some(parts) = view::assignment(site.file, node)
            && parts.operator == "="
        {
            // Kept under another name: what is assigned to.
            let wanted = types::of(site, parts.target);
            for (name, rank) in substitutes(site, parts.target, wanted.as_deref()) {
                drafts.replace(site, parts.target, &name, 0.5 * rank);
            }
        }
    }
}
