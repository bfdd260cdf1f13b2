//! The imports that come with the code of a definition.

use std::collections::BTreeSet;

use patchwright_syntax::{MethodKind, Outline, Span};

use crate::matching::{Lines, indentation};
use crate::spliced::Splice;

/// Adds the imports that a file lacks: below those that it has, or above its first definition.
pub(super) fn missing(file: &Lines, declared: &Outline, imports: &[Vec<String>]) -> Option<Splice> {
    let end = file.usual_end();
    let own: BTreeSet<String> = declared
        .imports
        .iter()
        .map(|span| plain((span.first..=span.last).map(|line| file.get(line as usize - 1))))
        .collect();
    let is_new = |import: &&Vec<String>| !own.contains(&plain(import.iter().map(String::as_str)));
    let text: String =
        imports.iter().filter(is_new).flatten().flat_map(|line| [line.as_str(), end]).collect();
    if text.is_empty() {
        return None;
    }
    let is_outer = |span: &&Span| indentation(file.get(span.first as usize - 1)).is_empty();
    let (line, gap) = match declared.imports.iter().rfind(is_outer) {
        Some(last) => (last.last as usize, ""),
        None => (first_definition(declared)? as usize - 1, end),
    };
    let at = file.start(line);
    Some(Splice { range: at..at, text: text + gap })
}

/// The line at which the first definition begins, with what is above it; from 1.
fn first_definition(declared: &Outline) -> Option<u32> {
    let functions = declared.functions.iter().filter(|method| method.kind == MethodKind::Function);
    let classes = declared.classes.iter().map(|class| class.lines.first);
    functions.map(|function| function.lines.first).chain(classes).min()
}

/// An import in one line, however it is broken into lines.
fn plain<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}
