//! What of the fix and of its tests stands in what a model is shown before it asks for anything, for the [issues](crate::issues), where
//! only an issue tells of the bug; then with each source of pieces left out and each limit changed. Constants are tuned on the cases whose
//! name ends with an even hexadecimal digit; the others are held out.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use patchwright_edits::diff::{Change, FilePatch, Hunk, Patch};
use patchwright_index::{Element, ElementKind, Index, IndexedFile};
use patchwright_initial_context::{CodeExcerpt, ContextOptions, ContextSource, IssueContext};
use patchwright_syntax::Span;

use crate::issues::{Case, cases};

/// Characters of a line of a test, as sessions show them.
const LINE_CHARS: usize = 200;

/// A function that a patch changes, with the lines of it that the patch changes.
struct Changed {
    path: String,
    name: String,
    declaration: u32,
    lines: Span,
    edited: BTreeSet<u32>,
}

/// What is shown for one case.
struct Found {
    /// Of each function that the fix changes, the place of the file that shows it, from 1.
    functions: Vec<Option<usize>>,
    /// Whether a line that the fix changes is shown.
    edited: bool,
    /// Of the declarations that the fix uses and does not change, those that are shown, and all.
    used: (usize, usize),
    /// Of each test that the fix changes, whether its code is shown.
    tests: Vec<bool>,
    /// Whether a test of a file is named to which the fix adds tests or in which it changes some.
    test_file: bool,
    /// Characters of code and of the text beside it.
    chars: (usize, usize),
    seconds: f64,
}

pub fn measure() {
    let variants = variants();
    let mut found: Vec<BTreeMap<String, Vec<Found>>> = variants.iter().map(|_| BTreeMap::new()).collect();
    for case in cases() {
        let Some(index) = case.index() else { continue };
        let mut functions = changed(&case.fix, &index, is_production);
        let is_listed = |function: &Changed| {
            let name = format!("{}::{}", function.path, function.name);
            case.functions.as_ref().is_none_or(|listed| listed.contains(&name))
        };
        functions.retain(is_listed);
        let tests = changed(&case.tests, &index, |file| file.test);
        let tests: Vec<Changed> = tests.into_iter().filter(|test| is_test(&test.name)).collect();
        if functions.is_empty() {
            println!("{}: left out, no function is changed", case.name);
            continue;
        }
        let used = used(&case, &index, &functions);
        for (place, ((_, options), found)) in variants.iter().zip(&mut found).enumerate() {
            let started = Instant::now();
            let context = IssueContext::of(&index, &case.issue, &is_production, options, LINE_CHARS).unwrap();
            let seconds = started.elapsed().as_secs_f64();
            let one = Found::of(&case, &index, &context, &functions, &used, &tests, seconds);
            if place == 0 {
                println!("{}: {}", case.name, one.line(&functions, &tests));
            }
            found.entry(case.name.clone()).or_default().push(one);
        }
    }
    for (place, ((name, _), found)) in variants.iter().zip(&found).enumerate() {
        println!("{name}");
        let all: Vec<(&str, &Found)> =
            found.iter().flat_map(|(name, found)| found.iter().map(|one| (name.as_str(), one))).collect();
        let of = |wanted: &dyn Fn(&str) -> bool| {
            all.iter().filter(|(name, _)| wanted(name)).map(|(_, found)| *found).collect::<Vec<_>>()
        };
        if place == 0 {
            let repositories: BTreeSet<&str> = all.iter().map(|(name, _)| repository(name)).collect();
            for wanted in repositories {
                println!("  {wanted}: {}", summary(&of(&|name| repository(name) == wanted)));
            }
        }
        println!("  tuned: {}", summary(&of(&is_tuned)));
        println!("  held out: {}", summary(&of(&|name| !is_tuned(name))));
        println!("  all: {}", summary(&of(&|_| true)));
    }
}

fn repository(name: &str) -> &str {
    name.rsplit_once('-').map_or(name, |(repository, _)| repository)
}

fn is_tuned(name: &str) -> bool {
    name.chars().last().and_then(|digit| digit.to_digit(16)).is_some_and(|digit| digit % 2 == 0)
}

/// The defaults, and what each of them is worth.
fn variants() -> Vec<(String, ContextOptions)> {
    use ContextSource::{Callee, Caller, Class, CodeReference, FittingFunction};
    let all = ContextOptions::default();
    let without = [
        ("named code", &[FittingFunction, Callee, Caller, Class]),
        ("fitting functions", &[CodeReference, Callee, Caller, Class]),
        ("callees", &[CodeReference, FittingFunction, Caller, Class]),
        ("callers", &[CodeReference, FittingFunction, Callee, Class]),
        ("classes", &[CodeReference, FittingFunction, Callee, Caller]),
    ];
    let sources =
        without.map(|(name, sources)| (format!("without {name}"), ContextOptions { sources, ..all }));
    let lines = [110, 232].map(|lines| (format!("{lines} lines"), ContextOptions { lines, ..all }));
    let piece_lines: [&'static [u32]; 3] = [&[60], &[40], &[20]];
    let piece_lines = piece_lines
        .map(|lines| (format!("pieces of {}", lines[0]), ContextOptions { piece_lines: lines, ..all }));
    std::iter::once(("as it is".to_owned(), all)).chain(sources).chain(lines).chain(piece_lines).collect()
}

impl Found {
    fn of(
        case: &Case,
        index: &Index,
        context: &IssueContext,
        functions: &[Changed],
        used: &[(String, u32)],
        tests: &[Changed],
        seconds: f64,
    ) -> Self {
        let near = context.near.as_deref().unwrap_or_default();
        let shows = |test: &Changed| {
            let source = index.file(&test.path).and_then(IndexedFile::source).unwrap();
            near.contains(&test.path) && near.contains(source.lines()[test.declaration as usize - 1].trim())
        };
        let test_files = case.tests.files.iter().filter_map(FilePatch::old_path);
        let lines = context.code.iter().flat_map(|code| &code.shown.lines);
        Self {
            functions: functions.iter().map(|function| function.rank(&context.code)).collect(),
            edited: functions.iter().any(|function| {
                function.edited.iter().any(|line| place_of(&context.code, &function.path, *line).is_some())
            }),
            used: (
                used.iter().filter(|(path, line)| place_of(&context.code, path, *line).is_some()).count(),
                used.len(),
            ),
            tests: tests.iter().map(shows).collect(),
            test_file: test_files.into_iter().any(|path| near.contains(path)),
            chars: (lines.map(|(_, line)| line.chars().count() + 1).sum(), near.chars().count()),
            seconds,
        }
    }

    /// What is missing, and how much is shown.
    fn line(&self, functions: &[Changed], tests: &[Changed]) -> String {
        let places = |shown: Vec<Option<usize>>, changed: &[Changed]| {
            let place =
                |shown: &Option<usize>| shown.map_or_else(|| "–".to_owned(), |place| place.to_string());
            let each = shown.iter().zip(changed).map(|(shown, one)| format!("{} {}", one.name, place(shown)));
            each.collect::<Vec<_>>().join(", ")
        };
        let shown_tests = self.tests.iter().map(|shown| shown.then_some(1)).collect();
        format!(
            "{}; edited {}; tests: {}; test file {}; {} + {} characters",
            places(self.functions.clone(), functions),
            self.edited,
            places(shown_tests, tests),
            self.test_file,
            self.chars.0,
            self.chars.1
        )
    }
}

impl Changed {
    /// The place of the file that shows code of it, and not only its head or a class around it.
    fn rank(&self, code: &[CodeExcerpt]) -> Option<usize> {
        let inner = self.declaration + u32::from(self.lines.last > self.declaration);
        (inner..=self.lines.last).find_map(|line| place_of(code, &self.path, line))
    }
}

/// The place of the file that shows a line, from 1.
fn place_of(code: &[CodeExcerpt], path: &str, line: u32) -> Option<usize> {
    let shows = |code: &CodeExcerpt| {
        code.shown.path == path && code.shown.lines.iter().any(|(number, _)| *number == line)
    };
    code.iter().position(shows).map(|place| place + 1)
}

fn summary(found: &[&Found]) -> String {
    let share = |count: usize, of: usize| 100.0 * count as f64 / of.max(1) as f64;
    let of = |wanted: &dyn Fn(&Found) -> bool| found.iter().filter(|one| wanted(one)).count();
    let cases = found.len();
    let with_tests = of(&|one| !one.tests.is_empty());
    let used: Vec<f64> =
        found.iter().filter(|one| one.used.1 > 0).map(|one| share(one.used.0, one.used.1)).collect();
    let ranks: f64 = found
        .iter()
        .filter_map(|one| one.functions.iter().flatten().min())
        .map(|place| 1.0 / *place as f64)
        .sum();
    let mean =
        |value: &dyn Fn(&Found) -> f64| found.iter().map(|one| value(one)).sum::<f64>() / cases.max(1) as f64;
    format!(
        "{cases} cases: functions any {:.1} %, all {:.1} %, edited line {:.1} %, mean 1/file {:.2}, used {:.1} %; of {with_tests} tests any {:.1} %, \
         all {:.1} %; test file {:.1} %; {:.0} + {:.0} characters; {:.3} s, most {:.3} s",
        share(of(&|one| one.functions.iter().any(Option::is_some)), cases),
        share(of(&|one| one.functions.iter().all(Option::is_some)), cases),
        share(of(&|one| one.edited), cases),
        ranks / cases.max(1) as f64,
        used.iter().sum::<f64>() / used.len().max(1) as f64,
        share(of(&|one| one.tests.contains(&true)), with_tests),
        share(of(&|one| !one.tests.is_empty() && !one.tests.contains(&false)), with_tests),
        share(of(&|one| one.test_file), cases),
        mean(&|one| one.chars.0 as f64),
        mean(&|one| one.chars.1 as f64),
        mean(&|one| one.seconds),
        found.iter().map(|one| one.seconds).fold(0.0, f64::max),
    )
}

fn is_production(file: &IndexedFile) -> bool {
    !file.test && !file.language.is_stub(&file.path)
}

fn is_test(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|name| name.to_lowercase().starts_with("test"))
}

/// The outermost functions of the `wanted` files that a patch changes, and that were there before it.
fn changed(patch: &Patch, index: &Index, wanted: impl Fn(&IndexedFile) -> bool) -> Vec<Changed> {
    let mut all: Vec<Changed> = Vec::new();
    for patch in &patch.files {
        let file = patch.old_path().and_then(|path| index.file(path)).filter(|file| wanted(file));
        let Some(file) = file else { continue };
        for change in patch.hunks.iter().flat_map(Hunk::changes) {
            for line in changed_lines(&change) {
                let around =
                    file.elements().iter().filter(|it| it.kind.is_callable() && it.lines.contains(line));
                let Some(around) = around.max_by_key(|it| it.lines.last - it.lines.first) else { continue };
                if change.removed.is_empty() && !continues(file, around, &change) {
                    continue;
                }
                let known =
                    all.iter_mut().find(|one| one.path == file.path.as_str() && one.lines == around.lines);
                match known {
                    Some(known) => drop(known.edited.insert(line)),
                    None => all.push(Changed {
                        path: file.path.to_string(),
                        name: around.qualified.clone(),
                        declaration: around.declaration_line,
                        lines: around.lines,
                        edited: BTreeSet::from([line]),
                    }),
                }
            }
        }
    }
    all
}

/// The lines that a change removes, or the one that it follows.
fn changed_lines(change: &Change<'_>) -> std::ops::Range<u32> {
    let count = u32::try_from(change.removed.len()).unwrap();
    let first = if count > 0 { change.old_line } else { change.old_line.saturating_sub(1).max(1) };
    first..first + count.max(1)
}

/// Whether the inserted lines are part of the function, and not new code after its end.
fn continues(file: &IndexedFile, function: &Element, change: &Change<'_>) -> bool {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let source = file.source().unwrap();
    let head = depth(source.lines()[function.declaration_line as usize - 1]);
    let added = change.added.iter().map(|line| String::from_utf8_lossy(line));
    let mut code = added.filter(|line| !line.trim().is_empty());
    change.old_line <= function.lines.last || code.next().is_some_and(|line| depth(&line) > head)
}

/// The heads of the functions and classes that the lines of a fix name, each the only one of its name, and that it does not change.
fn used(case: &Case, index: &Index, changed: &[Changed]) -> Vec<(String, u32)> {
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
    let places = only.map(|(file, element)| (file.path.to_string(), element.declaration_line));
    let is_changed = |(path, line): &(String, u32)| {
        changed.iter().any(|function| function.path == *path && function.lines.contains(*line))
    };
    places.filter(|place| !is_changed(place)).collect()
}
