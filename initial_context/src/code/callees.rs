//! What shown code calls and which classes it uses, one level down.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use patchwright_index::{Element, ElementKind, IndexedFile};
use patchwright_syntax::{ProjectPath, Span, calls_in};

use super::excerpts::{Excerpts, Shown};

/// Finds declarations of up to so many lines that the shown code uses and that are not shown.
pub(super) type Find = fn(&Excerpts, &[&IndexedFile], u32) -> Vec<(ProjectPath, Span)>;

/// The functions and small classes that the shown code calls and that are not shown: those of its own file, else the only one of that name among
/// `files`, else the only one among those that the file imports the name from. In the order of the calls.
pub(super) fn functions(shown: &Excerpts, files: &[&IndexedFile], most: u32) -> Vec<(ProjectPath, Span)> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for Shown { path, spans, .. } in shown.files() {
        let Some(file) = files.iter().copied().find(|file| &file.path == path) else { continue };
        let Some(source) = file.source() else { continue };
        let calls = calls_in(file.language, &source);
        let calls = calls.into_iter().filter(|call| spans.iter().any(|span| span.contains(call.line)));
        for call in calls.filter(|call| seen.insert((path.clone(), call.callee.clone()))) {
            let is_small = |element: &Element| {
                element.kind != ElementKind::Variable && element.lines.last - element.lines.first < most
            };
            let callee = declared(&[file], &call.callee, is_small)
                .or_else(|| declared(files, &call.callee, is_small))
                .or_else(|| declared(&imported(file, &call.callee, files), &call.callee, is_small));
            let hidden = callee.filter(|(path, lines)| !shown.shows(path, lines.last));
            found.extend(hidden);
        }
    }
    found
}

/// The small classes of the project that the shown code names and that are not shown, the most named first.
pub(super) fn classes(shown: &Excerpts, files: &[&IndexedFile], most: u32) -> Vec<(ProjectPath, Span)> {
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

/// Those of `files` whose module stands on a line of a file that holds a name as well: an import of it in any language, or `module.name`.
fn imported<'a>(file: &IndexedFile, name: &str, files: &[&'a IndexedFile]) -> Vec<&'a IndexedFile> {
    let words = |line: &str| -> BTreeSet<String> {
        line.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).map(str::to_owned).collect()
    };
    let Some(source) = file.source() else { return Vec::new() };
    let holding = source.lines().into_iter().filter(|line| line.contains(name));
    let naming = holding.map(words).filter(|words| words.contains(name));
    let beside: BTreeSet<String> = naming.flatten().collect();
    let is_beside =
        |file: &&IndexedFile| file.module().rsplit('/').next().is_some_and(|module| beside.contains(module));
    files.iter().copied().filter(is_beside).collect()
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
