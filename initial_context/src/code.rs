//! The code that is shown before a model asks for any: where failures come up, and what an issue leads to.

mod calls;
mod classes;
mod excerpts;
mod options;
mod ranking;

use std::collections::HashSet;

use patchwright_index::{FittingFunction, Index, IndexedFile, Mention, Query, mentions};
use patchwright_protocol::Failure;
use patchwright_syntax::{ProjectPath, Span};
use patchwright_validation::{Baseline, TestHarness};

pub use self::excerpts::CodeExcerpt;
use self::excerpts::Excerpts;
pub use self::options::{ContextOptions, ContextSource};
use crate::issue_words;
use crate::piece::{self, Piece};
use crate::project_index::with_editable;

/// Methods of the innermost frames, and as many that lead to them.
const METHODS: usize = 3;
/// Lines that failures lead to, or the names of an issue.
const LINES: u32 = 260;
/// Lines of one of these pieces; of a longer one a part is shown.
const PIECE_LINES: u32 = 60;
/// Pieces that a fix will likely change.
const LIKELY: usize = 2;
/// Pieces that an issue names.
const NAMED: usize = 5;
/// Lines of production code up to which a project is shown whole: everything costs less than searching.
const WHOLE_PROJECT: u32 = 800;

/// The methods where failures come up, and those that lead there.
///
/// # Errors
/// The files cannot be read.
pub async fn failure_code(harness: &TestHarness, baseline: &Baseline) -> Result<Vec<CodeExcerpt>, Failure> {
    let methods = patchwright_fault_localization::methods_of_failures(harness, baseline, METHODS).await?;
    let mut shown = Excerpts::default();
    for (method, line) in methods {
        if let Ok(path) = ProjectPath::new(&method.path) {
            shown.add(&path, &piece::cut(method.lines, line, PIECE_LINES, PIECE_LINES), LINES);
        }
    }
    Ok(shown.read(harness.project()))
}

/// The production code that an issue names: tracebacks, then quoted messages, then names written as code, then dotted names.
///
/// # Errors
/// The files cannot be read.
pub async fn referenced_code(harness: &TestHarness, issue: &str) -> Result<Vec<CodeExcerpt>, Failure> {
    let text = issue.to_owned();
    in_production(harness, move |index, wanted| {
        let mut seen = HashSet::new();
        let mut named: Vec<Piece> = mentions(index, &text, wanted).into_iter().map(Piece::from).collect();
        named.retain(|piece| seen.insert(piece.clone()));
        // The first piece is the likeliest place of the bug: it is shown whole if it fits at all.
        let most = LINES - PIECE_LINES;
        let lines = |place: usize| (if place == 0 { most } else { PIECE_LINES }, PIECE_LINES);
        Ok(excerpts(index, &Query::of_text(&text), named.iter().take(NAMED), lines, most)
            .read(index.project()))
    })
    .await
}

/// What is shown before anything is asked for where only an issue tells of the bug.
pub struct IssueContext {
    /// The code that it leads to.
    pub code: Vec<CodeExcerpt>,
    /// The tests and data files near the issue, as text.
    pub near: Option<String>,
}

impl IssueContext {
    /// What the words of an issue lead to in an indexed project; its production code is in the `wanted` files. Lines of tests are cut to
    /// `line_chars` characters.
    ///
    /// # Errors
    /// The files cannot be read.
    pub fn of(
        index: &Index,
        issue: &str,
        wanted: &dyn Fn(&IndexedFile) -> bool,
        options: &ContextOptions,
        line_chars: usize,
    ) -> Result<Self, Failure> {
        let files = production_files(index, wanted);
        let ranked = ranking::ranked(index, issue, &files, wanted, options);
        let code =
            excerpts_of_issue(index, &Query::of_text(issue), &files, &ranked, options).read(index.project());
        Ok(Self { code, near: issue_words::near_text(index, issue, &ranked, line_chars)? })
    }
}

/// The [`IssueContext`] of the harness's project.
///
/// # Errors
/// The files cannot be read.
pub async fn issue_context(
    harness: &TestHarness,
    issue: &str,
    line_chars: usize,
) -> Result<IssueContext, Failure> {
    let text = issue.to_owned();
    in_production(harness, move |index, wanted| {
        IssueContext::of(index, &text, wanted, &ContextOptions::default(), line_chars)
    })
    .await
}

/// The pieces of code that an issue leads to, the likeliest first.
pub(crate) fn pieces_of_issue(
    index: &Index,
    issue: &str,
    wanted: &dyn Fn(&IndexedFile) -> bool,
) -> Vec<Piece> {
    ranking::ranked(index, issue, &production_files(index, wanted), wanted, &ContextOptions::default())
}

fn production_files<'i>(index: &'i Index, wanted: &dyn Fn(&IndexedFile) -> bool) -> Vec<&'i IndexedFile> {
    index.files().filter(|file| wanted(file) && file.lines > 0).collect()
}

/// The code that an issue leads to: all of a small project, else the first ranked pieces and the classes that they use, in one budget of lines.
fn excerpts_of_issue(
    index: &Index,
    query: &Query,
    files: &[&IndexedFile],
    ranked: &[Piece],
    options: &ContextOptions,
) -> Excerpts {
    if files.iter().map(|file| file.lines).sum::<u32>() <= WHOLE_PROJECT {
        let mut shown = Excerpts::default();
        for file in files {
            shown.add(&file.path, &[Span { first: 1, last: file.lines }], WHOLE_PROJECT);
        }
        return shown;
    }
    let lines = |place: usize| {
        let most = options.piece_lines.get(place).or(options.piece_lines.last()).copied().unwrap_or_default();
        // The rest of a function that is half as long again costs less than a question after it, where a fix is likely.
        let whole = if place < LIKELY { most + most / 2 } else { most };
        (whole, most)
    };
    let most =
        options.lines.saturating_sub(if options.has(ContextSource::Class) { options.class_lines } else { 0 });
    let mut shown = excerpts(index, query, ranked.iter().take(options.pieces), lines, most);
    if options.has(ContextSource::Class) {
        for (path, span) in classes::used_classes(&shown, files, options.class_lines) {
            shown.add(&path, &[span], options.lines);
        }
    }
    shown
}

/// The first pieces whose lines together are at most `most`. `lines` says of each place how many lines a piece there is shown whole with,
/// and of a longer one how many are shown.
fn excerpts<'p>(
    index: &Index,
    query: &Query,
    pieces: impl Iterator<Item = &'p Piece>,
    lines: impl Fn(usize) -> (u32, u32),
    most: u32,
) -> Excerpts {
    let mut shown = Excerpts::default();
    for (place, piece) in pieces.enumerate() {
        let Some(file) = index.file(piece.path.as_str()) else { continue };
        let (whole, part) = lines(place);
        shown.add(&piece.path, &piece.spans(file, query, whole, part), most);
    }
    shown
}

/// Calls `look` with the index of the project and a test of its files for those that hold production code.
pub(crate) async fn in_production<T: Send + 'static>(
    harness: &TestHarness,
    look: impl FnOnce(&Index, &dyn Fn(&IndexedFile) -> bool) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let is_production = |file: &IndexedFile| !file.test && !file.language.is_stub(&file.path);
    with_editable(harness, move |index, editable| {
        look(index, &|file| is_production(file) && editable.contains(&file.path))
    })
    .await
}

impl From<Mention> for Piece {
    fn from(Mention { path, lines, line }: Mention) -> Self {
        Self { path, lines, line }
    }
}

impl From<FittingFunction> for Piece {
    fn from(FittingFunction { path, lines, .. }: FittingFunction) -> Self {
        Self { path, lines, line: None }
    }
}

#[cfg(test)]
mod tests;
