//! The code that is shown before anything is asked for: that of the failures, and that which an issue leads to.

mod callees;
mod excerpts;

use std::collections::BTreeSet;

use patchwright_index::{
    ElementKind, FittingFunction, Index, IndexedFile, Mention, Query, fitting_functions, mentions,
};
use patchwright_protocol::Failure;
use patchwright_syntax::{ProjectPath, Span};
use patchwright_validation::{Baseline, TestHarness};

pub use self::excerpts::CodeExcerpt;
use self::excerpts::{Excerpts, Shown};
use crate::issue_words;
use crate::project_index::with_index;

/// Methods of the innermost frames, and as many that lead to them.
const METHODS: usize = 3;
/// Pieces of code that an issue names.
const NAMED: usize = 8;
/// Lines of code that an issue names after which its words are not asked, and pieces that these lead to.
const ENOUGH_LINES: u32 = 40;
const RANKED: usize = 3;
/// Functions that its words fit, the least share of the best one's score, and how many times that of the next the score of one is that
/// stands out.
const FITTING: usize = 3;
const FITTING_SHARE: f64 = 0.6;
const STANDS_OUT: f64 = 1.2;
/// Lines of a project that is shown whole, and of a file that is.
const WHOLE_PROJECT: u32 = 800;
const WHOLE_FILE: u32 = 120;
const SHORT_FILE: u32 = 60;
/// Lines of a file of which parts are shown and that is shown whole in the end if there is room.
const COMPLETED_FILE: u32 = 150;
/// Lines of a declaration before its docstring, and lines between it and the one before it that are shown with it.
const HEAD_LINES: u32 = 30;
const ABOVE: u32 = 16;
/// Lines of each piece, of one that is shown whole because little more is left, and of the function that an issue names first.
const PIECE_LINES: u32 = 60;
const WHOLE_PIECE: u32 = 80;
const FIRST_PIECE: u32 = 150;
/// Lines of all that failures, names and words lead to, and with what these call.
const ALL_LINES: u32 = 220;
const WITH_CALLEES: u32 = 280;

/// The code that a reader of the failures looks at first: where they come up, and what leads there.
///
/// # Errors
/// The files cannot be read.
pub async fn code_of_failures(
    harness: &TestHarness,
    baseline: &Baseline,
) -> Result<Vec<CodeExcerpt>, Failure> {
    let methods = patchwright_fault_localization::methods_of_failures(harness, baseline, METHODS).await?;
    let mut shown = Excerpts::default();
    for (method, line) in methods {
        if let Ok(path) = ProjectPath::new(&method.path) {
            shown.add(&path, &piece(method.lines, line, WHOLE_PIECE), ALL_LINES);
        }
    }
    Ok(shown.read(harness.project()))
}

/// The code that an issue names, as far as it names one place of the production code: where its tracebacks lead, then what stands in
/// it as code, then dotted names and short files.
///
/// # Errors
/// The files cannot be read.
pub async fn code_of_issue(harness: &TestHarness, issue: &str) -> Result<Vec<CodeExcerpt>, Failure> {
    let text = issue.to_owned();
    in_production(harness, move |index, wanted| Ok(named(index, &text, wanted).read(index.project()))).await
}

/// The same where an issue alone tells of the bug, with the tests and files around it as text: small files are shown whole, a small project
/// too; where it names little the code comes along that its words fit best, and what the shown code calls.
///
/// # Errors
/// The files cannot be read.
pub async fn all_of_issue(
    harness: &TestHarness,
    issue: &str,
    line_chars: usize,
) -> Result<(Vec<CodeExcerpt>, Option<String>), Failure> {
    let text = issue.to_owned();
    let found = in_production(harness, move |index, wanted| {
        let code = all_of(index, &text, wanted).read(index.project());
        Ok((code, issue_words::around(index, &text)?))
    });
    let (code, around) = found.await?;
    Ok((code, around.text(harness.project(), line_chars).await?))
}

/// Calls `look` with the index of the project and a test of its files for those that hold production code.
async fn in_production<T: Send + 'static>(
    harness: &TestHarness,
    look: impl FnOnce(&Index, &dyn Fn(&IndexedFile) -> bool) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let is_production = |file: &IndexedFile| !file.test && !file.language.is_stub(&file.path);
    with_index(harness, move |index, editable| {
        look(index, &|file| is_production(file) && editable.contains(&file.path))
    })
    .await
}

/// The code that an issue names.
fn named(index: &Index, issue: &str, wanted: impl Fn(&IndexedFile) -> bool) -> Excerpts {
    let mut shown = Excerpts::default();
    for (place, Mention { path, lines, line }) in
        mentions(index, issue, wanted).into_iter().take(NAMED).enumerate()
    {
        let Some(file) = index.file(path.as_str()) else { continue };
        let whole = if place == 0 { FIRST_PIECE } else { WHOLE_PIECE };
        let spans =
            line.map_or_else(|| head_and_body(file, lines, whole), |line| piece(lines, line, WHOLE_PIECE));
        shown.add(&path, &spans, ALL_LINES);
    }
    shown
}

/// The code that an issue leads to which alone tells of a bug.
fn all_of(index: &Index, issue: &str, wanted: impl Fn(&IndexedFile) -> bool) -> Excerpts {
    let files: Vec<&IndexedFile> = index.files().filter(|file| wanted(file) && file.lines > 0).collect();
    let whole = |file: &IndexedFile| Span { first: 1, last: file.lines };
    if files.iter().map(|file| file.lines).sum::<u32>() <= WHOLE_PROJECT {
        let mut shown = Excerpts::default();
        for file in files {
            shown.add(&file.path, &[whole(file)], WHOLE_PROJECT);
        }
        return shown;
    }
    let named = named(index, issue, &wanted);
    let mut shown = Excerpts::default();
    // The only file that is named is read as a whole sooner or later.
    let whole_file = if named.files().len() == 1 { ALL_LINES } else { WHOLE_FILE };
    for Shown { path, lead, spans } in named.files() {
        let small = index.file(path.as_str()).filter(|file| file.lines <= whole_file).map(whole);
        if !small.is_some_and(|small| shown.add(path, &[small], ALL_LINES)) {
            shown.add(path, &[*lead], ALL_LINES);
            shown.add(path, spans, ALL_LINES);
        }
    }
    let most = if shown.lines() < ENOUGH_LINES { ALL_LINES } else { WITH_CALLEES };
    for FittingFunction { path, lines, .. } in fitting(index, issue, &wanted, &shown) {
        let Some(file) = index.file(path.as_str()) else { continue };
        shown.add(&path, &head_and_body(file, lines, WHOLE_PIECE), most);
    }
    if shown.lines() < ENOUGH_LINES {
        let ranked = issue_words::ranked(index, issue, |path| index.file(path.as_str()).is_some_and(&wanted));
        let known: BTreeSet<ProjectPath> = shown.files().iter().map(|file| file.path.clone()).collect();
        for ranked in ranked.into_iter().filter(|one| !known.contains(&one.path)).take(RANKED) {
            let Some(file) = index.file(ranked.path.as_str()) else { continue };
            let fitting = if file.lines <= WHOLE_FILE {
                vec![whole(file)]
            } else {
                head_and_body(file, uncut(file, ranked.lines), WHOLE_PIECE)
            };
            if !shown.add(&ranked.path, &fitting, ALL_LINES) {
                shown.add(&ranked.path, &piece(ranked.lines, ranked.lines.first, WHOLE_PIECE), ALL_LINES);
            }
        }
    }
    for (path, lines) in callees::of(&shown, index, &files) {
        shown.add(&path, &[lines], WITH_CALLEES);
    }
    for (path, lines) in callees::classes_of(&shown, index, &files) {
        shown.add(&path, &[lines], WITH_CALLEES);
    }
    // What is missing of a short file costs more to ask for than to show.
    let known: Vec<&IndexedFile> =
        shown.files().iter().filter_map(|file| index.file(file.path.as_str())).collect();
    for file in known.into_iter().filter(|file| file.lines <= COMPLETED_FILE) {
        let more = if file.lines <= SHORT_FILE { SHORT_FILE } else { 0 };
        shown.add(&file.path, &[whole(file)], WITH_CALLEES + more);
    }
    shown
}

/// The functions that the words of an issue fit best. Where much is shown, only the best of the rest that it speaks of, or one that fits by far
/// the best.
fn fitting(
    index: &Index,
    issue: &str,
    wanted: impl Fn(&IndexedFile) -> bool,
    shown: &Excerpts,
) -> Vec<FittingFunction> {
    let mut fitting = fitting_functions(index, &Query::of_text(issue), wanted);
    let next = fitting.get(1).map_or(0.0, |next| next.score);
    let out = fitting.first().map(|best| best.score).filter(|best| *best >= next * STANDS_OUT);
    let is_little = shown.lines() < ENOUGH_LINES;
    fitting.retain(|function| {
        let is_told = function.is_named || Some(function.score) == out;
        is_little || (is_told && !shown.shows(&function.path, function.lines.first))
    });
    let least = fitting.first().map_or(0.0, |best| best.score * FITTING_SHARE);
    fitting.retain(|function| function.score >= least);
    fitting.truncate(if is_little { FITTING } else { 1 });
    fitting
}

/// The docstring of several lines that a definition in Python begins with.
fn docstring(file: &IndexedFile, lines: Span) -> Option<Span> {
    let source = file.source()?;
    let rows: Vec<&str> = source.lines();
    let row = |number: u32| rows.get(number as usize - 1).map_or("", |row| row.trim());
    let quote = |row: &str| {
        let begins = |quote: &&str| row.trim_start_matches(['r', 'R']).starts_with(*quote);
        ["\"\"\"", "'''"].into_iter().find(begins)
    };
    let last_head = lines.last.min(lines.first + HEAD_LINES);
    let (first, mark) = (lines.first..=last_head).find_map(|number| Some((number, quote(row(number))?)))?;
    let last = (first + 1..lines.last).find(|number| row(*number).contains(mark))?;
    Some(Span { first, last })
}

/// Lines of a file with all of the functions, unless they are long, that these begin or end in.
fn uncut(file: &IndexedFile, lines: Span) -> Span {
    let around = |line: u32| {
        let functions = file.elements().iter().filter(|element| {
            element.kind.is_callable()
                && element.lines.contains(line)
                && element.lines.last - element.lines.first < WHOLE_PIECE
        });
        functions.map(|element| element.lines).min_by_key(|lines| lines.last - lines.first)
    };
    Span {
        first: around(lines.first).map_or(lines.first, |function| function.first),
        last: around(lines.last).map_or(lines.last, |function| function.last),
    }
}

/// A piece of code from its first line on, with what stands right above it. Of a long one that begins with its documentation the code
/// behind that is shown; `whole` is as for [`piece`].
fn head_and_body(file: &IndexedFile, lines: Span, whole: u32) -> Vec<Span> {
    let docstring = docstring(file, lines).filter(|_| lines.last - lines.first >= WHOLE_PIECE);
    let mut spans = match docstring {
        None => piece(lines, lines.first, whole),
        Some(docstring) => {
            let rest = Span { first: docstring.last + 1, last: lines.last };
            let head = Span { first: lines.first, last: docstring.first };
            std::iter::once(head).chain(piece(rest, rest.first, whole)).collect()
        }
    };
    if let Some(head) = spans.first_mut() {
        head.first = first_above(file, lines.first);
    }
    spans
}

/// The line where begins what stands between a function and the one before it, unless it is much: mostly what the function uses, or should.
fn first_above(file: &IndexedFile, first: u32) -> u32 {
    let blocks = file.elements().iter().filter(|element| element.kind != ElementKind::Variable);
    let ends = blocks
        .map(|element| if element.lines.last < first { element.lines.last } else { element.lines.first });
    let before = ends.filter(|line| *line < first).max().unwrap_or(0);
    let Some(source) = file.source().filter(|_| first - before - 1 <= ABOVE) else { return first };
    let rows: Vec<&str> = source.lines();
    let is_code = |number: &u32| rows.get(*number as usize - 1).is_some_and(|row| !row.trim().is_empty());
    (before + 1..first).find(is_code).unwrap_or(first)
}

/// A piece of code. Of one that has more than `whole` lines the head is shown, and the part that leads to `line`.
fn piece(lines: Span, line: u32, whole: u32) -> Vec<Span> {
    if lines.last - lines.first < whole {
        return vec![lines];
    }
    let first = line.saturating_sub(PIECE_LINES * 3 / 4).max(lines.first);
    let part = Span { first, last: lines.last.min(first + PIECE_LINES - 1) };
    vec![Span { first: lines.first, last: lines.first }, part]
}

#[cfg(test)]
mod tests;
