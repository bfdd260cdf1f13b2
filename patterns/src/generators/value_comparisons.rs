//! Comparisons of two values: of numbers that are near, of one with a constant, of objects that may be the same.

use super::ScoredTexts;
use crate::ingredients::Method;
use crate::similarity::similarity;
use crate::site::Site;
use crate::types;

fn is_number(ty: Option<&str>) -> bool {
    ty.is_some_and(|ty| matches!(types::base(ty), "int" | "long" | "double" | "float"))
}

/// Comparisons of numbers, and of what methods of the class count, with its constants.
pub(crate) fn limits(site: &Site, subjects: &[(String, Option<String>, f64)], at: usize) -> ScoredTexts {
    let is_constant = |name: &str| {
        name.len() > 1 && !name.contains(char::is_lowercase) && name.starts_with(char::is_uppercase)
    };
    let constants: Vec<&str> = site
        .names(at)
        .filter(|known| is_number(known.ty.as_deref()))
        .map(|known| known.name.as_str())
        .filter(|name| is_constant(name.strip_prefix(site.grammar.keywords.self_prefix).unwrap_or(name)))
        .take(5)
        .collect();
    if constants.is_empty() {
        return Vec::new();
    }
    let class = site.class_name();
    let own = if site.grammar.statically_typed { "" } else { site.grammar.keywords.self_prefix };
    let counts = |method: &&Method| {
        method.class.as_deref() == class
            && method.parameters.is_empty()
            && is_number(method.returns.as_deref())
    };
    let methods = site.file.facts.methods.iter().filter(counts);
    let counted = methods.map(|method| (format!("{own}{}()", method.name), 0.6));
    let local = subjects
        .iter()
        .filter(|(name, ty, _)| is_number(ty.as_deref()) && !constants.contains(&name.as_str()))
        .take(6)
        .map(|(name, _, near)| (name.clone(), *near));
    let mut found = Vec::new();
    for (name, near) in counted.take(6).chain(local) {
        for constant in &constants {
            for (operator, share) in
                [("<", 0.6), (">=", 0.55), (">", 0.45), ("<=", 0.45), ("==", 0.3), ("!=", 0.3)]
            {
                found.push((format!("{name} {operator} {constant}"), share * near));
            }
        }
    }
    found
}

/// Comparisons of two numbers.
pub(crate) fn pairs(site: &Site, subjects: &[(String, Option<String>, f64)]) -> ScoredTexts {
    let numbers: Vec<&(String, Option<String>, f64)> =
        subjects.iter().filter(|(_, ty, _)| is_number(ty.as_deref())).take(5).collect();
    let mut found = Vec::new();
    for (index, one) in numbers.iter().enumerate() {
        for other in &numbers[index + 1..] {
            if site.type_fit(one.1.as_deref(), other.1.as_deref()) < 0.9 {
                continue;
            }
            for (operator, share) in
                [("<", 0.3), (">", 0.3), ("==", 0.25), ("!=", 0.25), ("<=", 0.2), (">=", 0.2)]
            {
                // `first` and `last`, `low` and `high` are bounds of each other.
                let kin = if similarity(&one.0, &other.0) >= 0.5 { 3.0 } else { 1.0 };
                found.push((format!("{} {operator} {}", one.0, other.0), kin * share * one.2.min(other.2)));
            }
        }
    }
    found
}

/// Tests that two names stand for the same object, or not: above all for a parameter that nothing asks for.
pub(crate) fn identities(site: &Site, subjects: &[(String, Option<String>, f64)]) -> ScoredTexts {
    let is_object = |ty: Option<&str>| match ty {
        Some("int" | "float" | "bool" | "str" | "long" | "double" | "boolean" | "char") => false,
        Some(_) => true,
        None => !site.grammar.statically_typed,
    };
    let objects: Vec<_> = subjects
        .iter()
        .filter(|(name, ty, _)| is_object(ty.as_deref()) && !name.contains(['.', '(']))
        .take(8)
        .collect();
    let [same, different] = site.grammar.keywords.null_tests;
    let mut found = Vec::new();
    for (index, one) in objects.iter().enumerate() {
        for other in &objects[index + 1..] {
            let fit = site.type_fit(one.1.as_deref(), other.1.as_deref());
            let forgotten = [one, other].iter().any(|(name, _, _)| !site.uses(name));
            let share = if forgotten { 0.8 } else { 0.2 } * fit.min(0.9) * one.2.max(other.2);
            found.push((format!("{} {different} {}", one.0, other.0), share));
            found.push((format!("{} {same} {}", one.0, other.0), 0.6 * share));
        }
    }
    found
}
