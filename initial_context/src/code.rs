//! The code that is shown before a model asks for any: where failures come up, and what an issue leads to.

mod callees;
mod excerpts;
mod options;
mod piece;

use patchwright_index::{
    FUSION_K, FittingFunction, Index, IndexedFile, Mention, Query, fitting_functions, fuse, mentions,
};
use patchwright_protocol::Failure;
use patchwright_syntax::{ProjectPath, Span};
use patchwright_validation::{Baseline, TestHarness};

pub use self::excerpts::CodeExcerpt;
use self::excerpts::Excerpts;
pub use self::options::{ContextOptions, ContextSource};
use self::piece::Piece;
use crate::issue_words;
use crate::project_index::with_editable;

/// Methods of the innermost frames, and as many that lead to them.
const METHODS: usize = 3;
/// Lines of production code up to which a project is shown whole: everything costs less than searching.
const WHOLE_PROJECT: u32 = 800;

/// The methods where failures come up, and those that lead there.
///
/// # Errors
/// The files cannot be read.
pub async fn failure_code(harness: &TestHarness, baseline: &Baseline) -> Result<Vec<CodeExcerpt>, Failure> {
    let methods = patchwright_fault_localization::methods_of_failures(harness, baseline, METHODS).await?;
    let ContextOptions { lines: budget, piece_lines, .. } = ContextOptions::default();
    let mut shown = Excerpts::default();
    for (method, line) in methods {
        if let Ok(path) = ProjectPath::new(&method.path) {
            shown.add(&path, &piece::cut(method.lines, line, piece_lines, piece_lines), budget);
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
    let options = ContextOptions { sources: &[ContextSource::CodeReference], ..ContextOptions::default() };
    in_production(harness, move |index, wanted| {
        Ok(ranked(index, &text, wanted, &options).read(index.project()))
    })
    .await
}

/// What is shown before anything is asked for where only an issue tells of the bug.
pub struct IssueContext {
    /// The [`issue_code`].
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
        let code = issue_code(index, issue, wanted, options);
        Ok(Self { code, near: issue_words::near_text(index, issue, line_chars)? })
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

/// The code that an issue leads to among the `wanted` files: all of a small project, else one ranked list of pieces and what these call,
/// in one budget of lines.
pub fn issue_code(
    index: &Index,
    issue: &str,
    wanted: &dyn Fn(&IndexedFile) -> bool,
    options: &ContextOptions,
) -> Vec<CodeExcerpt> {
    excerpts_of_issue(index, issue, wanted, options).read(index.project())
}

/// See [`issue_code`].
fn excerpts_of_issue(
    index: &Index,
    issue: &str,
    wanted: &dyn Fn(&IndexedFile) -> bool,
    options: &ContextOptions,
) -> Excerpts {
    let files: Vec<&IndexedFile> = index.files().filter(|file| wanted(file) && file.lines > 0).collect();
    if files.iter().map(|file| file.lines).sum::<u32>() <= WHOLE_PROJECT {
        let mut shown = Excerpts::default();
        for file in files {
            shown.add(&file.path, &[Span { first: 1, last: file.lines }], WHOLE_PROJECT);
        }
        return shown;
    }
    let mut shown = ranked(index, issue, wanted, options);
    for (source, find) in [
        (ContextSource::Callee, callees::functions as callees::Find),
        (ContextSource::Class, callees::classes),
    ] {
        let found = if options.has(source) { find(&shown, &files, options.piece_lines) } else { Vec::new() };
        for (path, lines) in found {
            shown.add(&path, &[lines], options.lines);
        }
    }
    shown
}

/// The pieces that an issue names and the functions that its words fit, as one ranking. They leave the lines of one piece to what they call.
fn ranked(
    index: &Index,
    issue: &str,
    wanted: &dyn Fn(&IndexedFile) -> bool,
    options: &ContextOptions,
) -> Excerpts {
    let named =
        if options.has(ContextSource::CodeReference) { mentions(index, issue, wanted) } else { Vec::new() };
    let mut fitting = if options.has(ContextSource::FittingFunction) {
        fitting_functions(index, &Query::of_text(issue), wanted)
    } else {
        Vec::new()
    };
    fitting.truncate(options.pieces);
    let by_name: Vec<Piece> = named.into_iter().map(Piece::from).collect();
    let by_words: Vec<Piece> = fitting.into_iter().map(Piece::from).collect();
    let fused = fuse(&[(1.0, by_name.as_slice()), (1.0, &by_words)], FUSION_K);
    let most = options.lines.saturating_sub(options.piece_lines);
    let mut shown = Excerpts::default();
    for (place, (piece, _)) in fused.into_iter().take(options.pieces).enumerate() {
        let Some(file) = index.file(piece.path.as_str()) else { continue };
        // The first piece is the likeliest place of the bug: it is shown whole if it fits at all.
        let whole = if place == 0 { most } else { options.piece_lines };
        shown.add(&piece.path, &piece.spans(file, whole, options.piece_lines), most);
    }
    shown
}

/// Calls `look` with the index of the project and a test of its files for those that hold production code.
async fn in_production<T: Send + 'static>(
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
