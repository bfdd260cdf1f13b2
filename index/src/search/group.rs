//! From matching lines to files, classes and methods.

use patchwright_syntax::{Class, Language, Method, Outline, Project, Span, outline, shorten};

use super::pass::{File, Line};
use super::weight::Weights;
use super::words::{Match, Words};
use super::{ClassHits, FileHits, MethodHits, Omitted, SearchCap};

/// Text that is no code of a known language counts for less.
const LOOSE_TEXT: u64 = 4;

/// The matches of a method, class or rest of a file, before the cap.
struct Unit<'o> {
    place: Place<'o>,
    lines: Vec<&'o Line>,
    score: u64,
}

#[derive(Copy, Clone)]
enum Place<'o> {
    Method(Option<&'o Class>, &'o Method),
    Class(&'o Class),
    Rest,
}

/// A file with its matches in place, and how much of it the cap left out.
pub(super) struct Grouped {
    pub hits: FileHits,
    pub omitted: Omitted,
}

/// Sorts the lines of a file into what they belong to. `None` if the file has become unreadable.
pub(super) fn group(
    project: &Project,
    file: &File,
    words: &Words,
    weights: &Weights,
    cap: &SearchCap,
) -> Option<Grouped> {
    let source = project.read(&file.path).ok()?;
    let language = Language::of_path(file.path.as_path());
    let outline = language.map(|language| outline(language, &source)).unwrap_or_default();
    let text = source.lines();
    let units = units(file, &outline, words, weights);
    let score = file_score(file, &units, weights) / if language.is_some() { 1 } else { LOOSE_TEXT };

    let mut omitted = Omitted::default();
    let mut best: Vec<&Unit> = units.iter().filter(|unit| matches!(unit.place, Place::Method(..))).collect();
    best.sort_by_key(|unit| std::cmp::Reverse(unit.score));
    for unit in best.split_off(best.len().min(cap.methods)) {
        omitted.methods += 1;
        omitted.hits += unit.lines.len();
    }
    let shows = |method: &Method| {
        best.iter().any(|unit| matches!(unit.place, Place::Method(_, one) if std::ptr::eq(one, method)))
    };
    let mut hits = FileHits {
        path: file.path.clone(),
        score: score.max(1),
        words: words.named(&Match::strongest(
            file.lines.iter().flat_map(|line| &line.matches).chain(&file.name).copied(),
        )),
        classes: Vec::new(),
        functions: Vec::new(),
        loose: Vec::new(),
    };
    for unit in &units {
        let mut shown = |lines: &[&Line]| {
            let chosen = chosen(lines, unit.place.declaration().map(|(_, line)| line), weights, cap.hits);
            omitted.hits += lines.len() - chosen.len();
            let shown = chosen.iter().map(|line| (line.number, line_text(&text, line.number, cap.line)));
            shown.collect::<Vec<_>>()
        };
        match unit.place {
            Place::Method(class, method) if shows(method) => {
                let found = MethodHits {
                    qualified: method.qualified.clone(),
                    lines: method.lines,
                    words: words
                        .named(&Match::strongest(unit.lines.iter().flat_map(|line| &line.matches).copied())),
                    hits: shown(&unit.lines),
                };
                match class {
                    Some(class) => class_hits(&mut hits.classes, class).methods.push(found),
                    None => hits.functions.push(found),
                }
            }
            Place::Method(..) => {}
            Place::Class(class) => class_hits(&mut hits.classes, class).loose = shown(&unit.lines),
            Place::Rest => hits.loose = shown(&unit.lines),
        }
    }
    hits.classes.sort_by_key(|class| (class.lines.first, std::cmp::Reverse(class.lines.last)));
    Some(Grouped { hits, omitted })
}

/// The units of a file in its order.
fn units<'o>(file: &'o File, outline: &'o Outline, words: &Words, weights: &Weights) -> Vec<Unit<'o>> {
    let methods = outline.all_methods();
    let classes = outline.all_classes();
    let mut units: Vec<Unit> = Vec::new();
    for line in &file.lines {
        let place = place_of(&methods, &classes, line.number);
        match units.iter_mut().rev().find(|unit| unit.place.is(place)) {
            Some(unit) => unit.lines.push(line),
            None => units.push(Unit { place, lines: vec![line], score: 0 }),
        }
    }
    for unit in &mut units {
        let name = unit.place.declaration().map(|(name, _)| words.matches(name)).unwrap_or_default();
        unit.score = weights.unit(&name, unit.lines.iter().map(|line| line.matches.as_slice()));
    }
    units
}

impl Place<'_> {
    fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::Method(_, left), Self::Method(_, right)) => std::ptr::eq(left, right),
            (Self::Class(left), Self::Class(right)) => std::ptr::eq(left, right),
            (Self::Rest, Self::Rest) => true,
            (Self::Method(..) | Self::Class(_) | Self::Rest, _) => false,
        }
    }

    /// Its name and the line with it.
    fn declaration(&self) -> Option<(&str, u32)> {
        match self {
            Self::Method(_, method) => Some((&method.name, method.declaration_line)),
            Self::Class(class) => Some((&class.name, class.declaration_line)),
            Self::Rest => None,
        }
    }
}

fn place_of<'o>(methods: &[(Option<&'o Class>, &'o Method)], classes: &[&'o Class], line: u32) -> Place<'o> {
    let size = |span: Span| span.last - span.first;
    let method = methods
        .iter()
        .filter(|(_, method)| method.lines.contains(line))
        .min_by_key(|(_, one)| size(one.lines));
    let class =
        classes.iter().filter(|class| class.lines.contains(line)).min_by_key(|class| size(class.lines));
    match (method, class) {
        // A class inside of a method is nearer to its own lines than the method is.
        (Some((_, method)), Some(class)) if size(class.lines) < size(method.lines) => Place::Class(class),
        (Some((owner, method)), _) => Place::Method(*owner, method),
        (None, Some(class)) => Place::Class(class),
        (None, None) => Place::Rest,
    }
}

/// The best unit, and an eighth of each other up to as much again.
fn file_score(file: &File, units: &[Unit], weights: &Weights) -> u64 {
    let name = weights.unit(&file.name, []);
    let best = units.iter().map(|unit| unit.score).chain([name]).max().unwrap_or_default();
    let all: u64 = units.iter().map(|unit| unit.score).sum::<u64>() + name;
    best + ((all - best) / 8).min(best)
}

fn class_hits<'h>(hits: &'h mut Vec<ClassHits>, class: &Class) -> &'h mut ClassHits {
    let at = hits.iter().position(|known| known.lines == class.lines && known.qualified == class.qualified);
    let at = at.unwrap_or_else(|| {
        let (qualified, lines) = (class.qualified.clone(), class.lines);
        hits.push(ClassHits { qualified, lines, methods: Vec::new(), loose: Vec::new() });
        hits.len() - 1
    });
    &mut hits[at]
}

/// The lines worth showing, in the order of the file: a declaration always, then the best.
fn chosen<'o>(lines: &[&'o Line], declaration: Option<u32>, weights: &Weights, most: usize) -> Vec<&'o Line> {
    let mut best: Vec<&Line> = lines.to_vec();
    best.sort_by_key(|line| {
        (declaration != Some(line.number), std::cmp::Reverse(weights.line(&line.matches)))
    });
    best.truncate(most);
    best.sort_by_key(|line| line.number);
    best
}

fn line_text(lines: &[&str], number: u32, most: usize) -> String {
    let row = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    shorten(row.and_then(|row| lines.get(row)).copied().unwrap_or_default().trim_end(), most)
}
