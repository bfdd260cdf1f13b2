//! Questions that objects answer with yes or no.

use super::ScoredTexts;
use crate::site::Site;
use crate::types;

/// Tests that ask the objects near a place what their classes say of themselves: methods without parameters that give a
/// truth value, and fields that hold one.
pub(crate) fn predicates(site: &Site, subjects: &[(String, Option<String>, f64)]) -> ScoredTexts {
    let mut found = Vec::new();
    let keywords = &site.grammar.keywords;
    let mut add = |text: String, rank: f64| {
        found.push((format!("{}{text}", keywords.not), rank));
        found.push((text, 0.85 * rank));
    };
    let truth = |ty: Option<&str>| ty.is_some_and(|ty| matches!(ty, "boolean" | "Boolean" | "bool"));
    for (subject, ty, near) in subjects.iter().filter(|(_, _, near)| *near >= 0.4) {
        let is_of =
            |class: Option<&str>| class.is_some_and(|class| is_object_of(subject, ty.as_deref(), class));
        for (_, method) in site.methods() {
            let asks = ["is_", "has_", "can_"].iter().any(|begin| method.name.starts_with(begin));
            if is_of(method.class.as_deref())
                && method.parameters.is_empty()
                && (truth(method.returns.as_deref()) || !site.grammar.statically_typed && asks)
            {
                add(format!("{subject}.{}()", method.name), 0.85 * near);
            }
        }
        if site.grammar.statically_typed {
            continue;
        }
        let around = site.ingredients.around(site.file);
        let facts = std::iter::once(&site.file.facts).chain(around.iter().map(|(_, facts)| *facts));
        for variable in facts.flat_map(|facts| &facts.variables) {
            if is_of(variable.class.as_deref())
                && truth(variable.ty.as_deref())
                && let Some(name) = variable.name.strip_prefix(keywords.self_prefix)
            {
                add(format!("{subject}.{name}"), 0.85 * near);
            }
        }
    }
    found
}

/// Is true if a name stands for an object of a class: by its type or, where that is not known, by being called like it.
fn is_object_of(subject: &str, ty: Option<&str>, class: &str) -> bool {
    if let Some(ty) = ty {
        return types::base(ty) == class;
    }
    let name = subject.rsplit('.').next().unwrap_or(subject);
    name.replace('_', "").eq_ignore_ascii_case(class)
}
