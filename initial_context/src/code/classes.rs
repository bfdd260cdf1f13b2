//! The classes that shown code uses.

use std::collections::BTreeMap;

use patchwright_index::{Element, ElementKind, IndexedFile};
use patchwright_syntax::{ProjectPath, Span};

use super::excerpts::{Excerpts, Shown};

/// The small classes of the project that the shown code names and that are not shown, the most named first.
pub(super) fn used_classes(shown: &Excerpts, files: &[&IndexedFile], most: u32) -> Vec<(ProjectPath, Span)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for Shown { path, spans, .. } in shown.files() {
        let source = files.iter().find(|file| &file.path == path).and_then(|file| file.source());
        let Some(source) = source else { continue };
        let lines = source.lines();
        let texts =
            spans.iter().filter_map(|span| lines.get(span.first as usize - 1..span.last as usize)).flatten();
        for word in
            texts.flat_map(|line| line.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')))
        {
            if word.starts_with(char::is_uppercase) && word.contains(char::is_lowercase) {
                *counts.entry(word.to_owned()).or_default() += 1;
            }
        }
    }
    let mut named: Vec<(String, usize)> = counts.into_iter().collect();
    named.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    let declared = named.iter().filter_map(|(name, _)| {
        declared(files, name, |element| {
            element.kind == ElementKind::Class && element.lines.last - element.lines.first < most
        })
    });
    declared.filter(|(path, lines)| !shown.shows(path, lines.first)).collect()
}

/// The only declaration of a name that is `wanted`.
fn declared(
    files: &[&IndexedFile],
    name: &str,
    wanted: impl Fn(&Element) -> bool,
) -> Option<(ProjectPath, Span)> {
    let is_named = |element: &&Element| element.name() == name && wanted(element);
    let holding =
        files.iter().filter(|file| file.source().is_some_and(|source| source.text().contains(name)));
    let mut found =
        holding.flat_map(|file| file.elements().iter().filter(is_named).map(move |element| (file, element)));
    let (file, element) = found.next()?;
    found.next().is_none().then(|| (file.path.clone(), element.lines))
}
