//! Other forms of the same operation: what is an operator in one is a call, or another call, in the other.

use crate::grammar::{NodeRole, replacements};
use crate::mutation::Mutations;
use crate::site::Site;
use crate::view;

super::generators!(rewrite);

/// An operation is written in a form that does something else for some values.
pub(crate) fn rewrite(site: &Site, mutations: &mut Mutations) {
    for &node in &site.expressions {
        let Some((key, holes)) = taken_apart(site, node) else { continue };
        for (index, to) in replacements(&site.grammar.forms, &key).iter().enumerate() {
            let text = ["{a}", "{b}", "{c}"]
                .iter()
                .zip(&holes)
                .fold((*to).to_owned(), |text, (hole, part)| text.replace(hole, part));
            mutations.replace(node, &text, 1.0 / (1.0 + 0.1 * index as f64));
        }
    }
}

/// The form of an expression and its parts: `%`, `[]`, `.name/arguments`, `name/arguments`.
fn taken_apart(site: &Site, node: tree_sitter::Node) -> Option<(String, Vec<String>)> {
    let file = site.file;
    if let Some(parts) = view::binary(file, node) {
        return Some((parts.operator, vec![view::tight(file, parts.left), view::tight(file, parts.right)]));
    }
    if let Some(parts) = view::assignment(file, node).filter(|parts| parts.operator != "=") {
        let holes = vec![site.text(parts.target).to_owned(), site.text(parts.value).to_owned()];
        return Some((parts.operator, holes));
    }
    if let Some((object, indices)) = view::subscript(file, node) {
        let [index] = indices[..] else { return None };
        // A slice is no key, and a target is not read.
        let read = super::context(site, node).is_some()
            || node.parent().is_some_and(|parent| {
                matches!(site.role(parent), NodeRole::MemberAccess | NodeRole::Subscript)
            });
        return (site.role(index) != NodeRole::Slice && read)
            .then(|| ("[]".to_owned(), vec![site.text(object).to_owned(), site.text(index).to_owned()]));
    }
    let call = view::call(file, node).filter(|_| site.role(node) == NodeRole::Call)?;
    let dot = if call.receiver.is_some() { "." } else { "" };
    let key = format!("{dot}{}/{}", site.text(call.name), call.arguments.len());
    let receiver = call.receiver.map(|receiver| site.text(receiver));
    let arguments = call.arguments.iter().map(|argument| site.text(*argument));
    Some((key, receiver.into_iter().chain(arguments).map(str::to_owned).collect()))
}
