//! The imports of a file that are shown with its code.

use patchwright_syntax::{Language, ProjectPath, Source, Span, outline};

/// Lines of imports that are shown of a file.
const IMPORTS: usize = 12;

/// The first lines of a file that import something; none where it is in no known language.
pub fn import_spans(path: &ProjectPath, source: &Source) -> Vec<Span> {
    let Some(language) = Language::of_path(path.as_path()) else { return Vec::new() };
    let lines = source.lines();
    let text = |line: u32| lines.get(line as usize - 1).map_or("", |line| line.trim());
    // It names nothing that code could use.
    let is_used = |line: &u32| !text(*line).starts_with("from __future__");
    let imports = outline(language, source).imports;
    let numbers = imports.iter().flat_map(|span| span.first..=span.last).filter(is_used).take(IMPORTS);
    numbers.map(|line| Span { first: line, last: line }).collect()
}
