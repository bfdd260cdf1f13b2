//! What shown code calls, one level down.

use std::collections::HashSet;

use patchwright_index::{Element, ElementKind, Index, IndexedFile};
use patchwright_syntax::{Call, ProjectPath, Span, calls_in};

use super::excerpts::Excerpts;

/// Callees that are looked up.
const MOST: usize = 12;
/// Lines of a callee.
const LINES: u32 = 40;
/// A name of so many letters is no method of a list or a file by chance.
const TELLING: usize = 8;

/// The functions and small classes that the shown code calls and that are not shown: those of its own file, else the only one of that name among
/// `files`. In the order of the calls.
pub(super) fn of(shown: &Excerpts, index: &Index, files: &[&IndexedFile]) -> Vec<(ProjectPath, Span)> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for (path, spans) in shown.spans() {
        let Some(file) = index.file(path.as_str()) else { continue };
        let Some(source) = file.source() else { continue };
        let calls = calls_in(file.language, &source);
        let calls = calls.into_iter().filter(|call| spans.iter().any(|span| span.contains(call.line)));
        for call in calls.filter(tells).filter(|call| seen.insert((path.clone(), call.callee.clone()))) {
            if found.len() == MOST {
                return found;
            }
            let callee = declared(&[file], &call.callee).or_else(|| declared(files, &call.callee));
            let hidden = callee.filter(|(path, lines)| !shown.shows(path, lines.last));
            found.extend(hidden);
        }
    }
    found
}

/// Is true if a call by its name is one of the project's code: what a list or a text has as well is not looked for.
fn tells(call: &Call) -> bool {
    let own = ["self", "cls", "this", "super", "super()"];
    let is_own = call.receiver.as_deref().is_none_or(|receiver| own.contains(&receiver));
    is_own || call.callee.len() >= TELLING || call.callee.contains('_')
}

/// The only small function or class of a name.
fn declared(files: &[&IndexedFile], name: &str) -> Option<(ProjectPath, Span)> {
    let is_named = |element: &&Element| {
        element.kind != ElementKind::Variable
            && element.name() == name
            && element.lines.last - element.lines.first < LINES
    };
    let holding =
        files.iter().filter(|file| file.source().is_some_and(|source| source.text().contains(name)));
    let mut found =
        holding.flat_map(|file| file.elements().iter().filter(is_named).map(move |element| (file, element)));
    let (file, element) = found.next()?;
    found.next().is_none().then(|| (file.path.clone(), element.lines))
}
