//! What of the fix stands in the code that a model is shown before it asks for any, for the [issues](crate::issues), with each source of
//! pieces left out and each limit changed.

use std::collections::BTreeSet;
use std::time::Instant;

use patchwright_edits::diff::Hunk;
use patchwright_index::{ElementKind, Index, IndexedFile};
use patchwright_initial_context::{CodeExcerpt, ContextOptions, ContextSource, issue_code};
use patchwright_syntax::Span;

use crate::issues::{Case, cases};

/// A file and lines of it.
type Place = (String, Span);

/// Sums over the cases.
#[derive(Default)]
struct Figures {
    edited: u32,
    first: u32,
    used: (f64, u32),
    lines: usize,
    seconds: f64,
}

pub fn measure() {
    let variants = variants();
    let mut figures: Vec<Figures> = variants.iter().map(|_| Figures::default()).collect();
    let mut measured = 0;
    for case in cases() {
        let Some(index) = case.index() else { continue };
        let edited = edited(&case, &index);
        if edited.is_empty() {
            continue;
        }
        let used = used(&case, &index, &edited);
        for ((_, options), figures) in variants.iter().zip(&mut figures) {
            let started = Instant::now();
            let code = issue_code(&index, &case.issue, &is_production, options);
            figures.seconds += started.elapsed().as_secs_f64();
            figures.add(&code, &edited, &used);
        }
        measured += 1;
    }
    if measured > 0 {
        println!(
            "of {measured} cases: an edited line is shown, its function in the first file; share of the other declarations in the fix \
             that are shown; mean lines; mean seconds"
        );
    }
    for ((name, _), Figures { edited, first, used, lines, seconds }) in variants.iter().zip(figures) {
        let share = |count: f64| 100.0 * count / f64::from(measured.max(1));
        println!(
            "{name}: {:.1} %, {:.1} %, {:.1} %, {:.0} lines, {:.3} s",
            share(edited.into()),
            share(first.into()),
            100.0 * used.0 / f64::from(used.1.max(1)),
            lines as f64 / f64::from(measured.max(1)),
            seconds / f64::from(measured.max(1))
        );
    }
}

/// The defaults, and what each of them is worth.
fn variants() -> Vec<(String, ContextOptions)> {
    use ContextSource::{Callee, Class, CodeReference, FittingFunction};
    let all = ContextOptions::default();
    let without = [
        ("named code", &[FittingFunction, Callee, Class]),
        ("fitting functions", &[CodeReference, Callee, Class]),
        ("callees", &[CodeReference, FittingFunction, Class]),
        ("classes", &[CodeReference, FittingFunction, Callee]),
    ];
    let sources =
        without.map(|(name, sources)| (format!("without {name}"), ContextOptions { sources, ..all }));
    let lines = [200, 320].map(|lines| (format!("{lines} lines"), ContextOptions { lines, ..all }));
    let pieces = [3, 8].map(|pieces| (format!("{pieces} pieces"), ContextOptions { pieces, ..all }));
    let piece_lines =
        [40, 80].map(|count| (format!("pieces of {count}"), ContextOptions { piece_lines: count, ..all }));
    std::iter::once(("as it is".to_owned(), all))
        .chain(sources)
        .chain(lines)
        .chain(pieces)
        .chain(piece_lines)
        .collect()
}

impl Figures {
    fn add(&mut self, code: &[CodeExcerpt], edited: &[(Place, BTreeSet<u32>)], used: &[Place]) {
        let shows = |path: &str, wanted: &dyn Fn(u32) -> bool| {
            let of_file = code.iter().filter(|code| code.shown.path == path);
            of_file.flat_map(|code| &code.shown.lines).any(|(number, _)| wanted(*number))
        };
        let has_edited =
            |((path, _), lines): &(Place, BTreeSet<u32>)| shows(path, &|line| lines.contains(&line));
        let is_first = |((path, span), _): &(Place, BTreeSet<u32>)| {
            code.first().is_some_and(|first| first.shown.path == *path)
                && shows(path, &|line| span.contains(line))
        };
        self.edited += u32::from(edited.iter().any(has_edited));
        self.first += u32::from(edited.iter().any(is_first));
        if !used.is_empty() {
            let shown = used.iter().filter(|(path, span)| shows(path, &|line| span.contains(line))).count();
            self.used.0 += shown as f64 / used.len() as f64;
            self.used.1 += 1;
        }
        self.lines += code.iter().map(|code| code.shown.lines.len()).sum::<usize>();
    }
}

fn is_production(file: &IndexedFile) -> bool {
    !file.test && !file.language.is_stub(&file.path)
}

/// The functions that a fix edits, and the lines that it edits; a line outside of functions stands for itself. Before an inserted line
/// stands the one that it follows.
fn edited(case: &Case, index: &Index) -> Vec<(Place, BTreeSet<u32>)> {
    let mut edited: Vec<(Place, BTreeSet<u32>)> = Vec::new();
    for patch in &case.fix.files {
        let Some(file) =
            patch.old_path().and_then(|path| index.file(path)).filter(|file| is_production(file))
        else {
            continue;
        };
        for change in patch.hunks.iter().flat_map(Hunk::changes) {
            let count = u32::try_from(change.removed.len()).unwrap();
            let lines = if count > 0 {
                change.old_line..change.old_line + count
            } else {
                let before = change.old_line.saturating_sub(1).max(1);
                before..before + 1
            };
            for line in lines {
                let around =
                    file.elements().iter().filter(|it| it.kind.is_callable() && it.lines.contains(line));
                let innermost = around.map(|it| it.lines).min_by_key(|lines| lines.last - lines.first);
                let place = (file.path.to_string(), innermost.unwrap_or(Span { first: line, last: line }));
                match edited.iter_mut().find(|(known, _)| *known == place) {
                    Some((_, lines)) => drop(lines.insert(line)),
                    None => edited.push((place, BTreeSet::from([line]))),
                }
            }
        }
    }
    edited
}

/// The heads of the functions and classes that the lines of a fix name, each the only one of its name, and that it does not edit.
fn used(case: &Case, index: &Index, edited: &[(Place, BTreeSet<u32>)]) -> Vec<Place> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let changes = case.fix.files.iter().flat_map(|file| &file.hunks).flat_map(Hunk::changes);
    let texts: Vec<String> = changes
        .flat_map(|change| change.added)
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect();
    let words: BTreeSet<&str> = texts.iter().flat_map(|text| text.split(|letter| !is_part(letter))).collect();
    let declared: Vec<_> = index
        .files()
        .filter(|file| is_production(file))
        .flat_map(|file| file.elements().iter().map(move |element| (file, element)))
        .filter(|(_, element)| element.kind != ElementKind::Variable && words.contains(element.name()))
        .collect();
    let is_only = |name: &str| declared.iter().filter(|(_, element)| element.name() == name).count() == 1;
    let only = declared.iter().filter(|(_, element)| is_only(element.name()));
    let places = only.map(|(file, element)| {
        let line = element.declaration_line;
        (file.path.to_string(), Span { first: line, last: line })
    });
    let is_edited = |place: &Place| {
        edited.iter().any(|((path, span), _)| *path == place.0 && span.contains(place.1.first))
    };
    places.filter(|place| !is_edited(place)).collect()
}
