//! The declarations that a name means.

use patchwright_replies::{Match, NameMatching, match_name};
use patchwright_syntax::{bare, name_parts, similarity};

use super::super::{Element, ElementKind};

/// The least similarity of a misspelt name to the right one: what is only a part of a longer name is another name.
const ALIKE: f64 = 0.8;

/// Letters from which on a name may be misspelt.
const LONG_ENOUGH: usize = 4;

/// The most names that a reason offers.
const OFFERED: usize = 3;

/// The declarations of one name; several only where they have the same qualified name. `class` was named before.
pub(super) fn find<'e>(
    elements: &'e [Element],
    kind: Option<ElementKind>,
    name: &str,
    class: Option<&str>,
) -> Result<Vec<&'e Element>, String> {
    let wanted = name_parts(name);
    if wanted.is_empty() {
        return Err(format!("`{name}` is no name"));
    }
    let inner = class.filter(|_| kind != Some(ElementKind::Class)).map(|class| {
        let mut parts: Vec<&str> = class.split('.').map(bare).collect();
        parts.extend(&wanted);
        parts
    });
    let those = |fits: &dyn Fn(&[&str]) -> bool| -> Vec<&'e Element> {
        elements.iter().filter(|element| fits(&parts_of(element))).collect()
    };
    let steps: [&dyn Fn() -> Vec<&'e Element>; 4] = [
        &|| inner.as_ref().map_or_else(Vec::new, |inner| those(&|own| own == inner)),
        &|| those(&|own| own == wanted),
        &|| those(&|own| own.ends_with(&wanted)),
        // A package or module in front of it.
        &|| {
            (1..wanted.len())
                .map(|from| those(&|own| own == &wanted[from..]))
                .find(|found| !found.is_empty())
                .unwrap_or_default()
        },
    ];
    for step in steps {
        let found = of_kind(step(), kind);
        if !found.is_empty() {
            return only(found, name);
        }
    }
    misspelt(elements, kind, &wanted.join("."), name)
}

fn parts_of(element: &Element) -> Vec<&str> {
    element.qualified.split('.').map(bare).collect()
}

/// Is true if a declaration is what it was said to be; a method may be called a function.
fn fits(element: &Element, kind: ElementKind) -> bool {
    kind == element.kind || (kind.is_callable() && element.kind.is_callable())
}

/// Those of the kind that was said; all if there are none.
fn of_kind(found: Vec<&Element>, kind: Option<ElementKind>) -> Vec<&Element> {
    let right: Vec<&Element> =
        found.iter().copied().filter(|element| kind.is_some_and(|kind| fits(element, kind))).collect();
    if right.is_empty() { found } else { right }
}

fn only<'e>(found: Vec<&'e Element>, name: &str) -> Result<Vec<&'e Element>, String> {
    let mut names: Vec<&str> = found.iter().map(|element| element.qualified.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    match names.len() {
        0 | 1 => Ok(found),
        count => Err(format!("`{name}` could be any of {count}: {}", offer(&names))),
    }
}

fn misspelt<'e>(
    elements: &'e [Element],
    kind: Option<ElementKind>,
    wanted: &str,
    name: &str,
) -> Result<Vec<&'e Element>, String> {
    // What is another name and another kind of thing is another thing.
    let elements: Vec<&Element> =
        elements.iter().filter(|element| kind.is_none_or(|kind| fits(element, kind))).collect();
    let whole = wanted.contains('.');
    let mut names: Vec<&str> = elements
        .iter()
        .map(|element| if whole { element.qualified.as_str() } else { element.name() })
        .collect();
    names.sort_unstable();
    names.dedup();
    let missing = |nearest: &[&str]| match nearest {
        [] => format!("there is no `{name}`"),
        _ => format!("there is no `{name}`; the nearest names are {}", offer(nearest)),
    };
    if wanted.len() < LONG_ENOUGH {
        return Err(missing(&[]));
    }
    let alike =
        |near: &str| similarity::by_typos(&wanted.to_lowercase(), &near.to_lowercase(), ALIKE) >= ALIKE;
    let matching = NameMatching { threshold: 1.0 - ALIKE, ..NameMatching::default() };
    match match_name(wanted, &names, &[], &matching) {
        Match::Exact(near) | Match::Near(near) if !alike(near) => Err(missing(&[near])),
        Match::Exact(near) | Match::Near(near) => {
            let same = |element: &&Element| element.qualified == near || element.name() == near;
            only(elements.into_iter().filter(same).collect(), name)
        }
        Match::Several(nearest) | Match::None { nearest } => Err(missing(&nearest)),
    }
}

fn offer(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(OFFERED).map(|name| format!("`{name}`")).collect();
    shown.join(", ")
}
