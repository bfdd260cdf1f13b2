//! The code that is shown before anything is asked for: that of the failures, and that which an issue names.

use std::collections::BTreeSet;

use patchwright_index::{Index, Mention, mentions};
use patchwright_protocol::Failure;
use patchwright_syntax::{Project, ProjectPath};
use patchwright_testbed::{Baseline, TestBed, blocking};

use crate::render::lines_of;

/// Methods of the innermost frames, and as many that lead to them.
const METHODS: usize = 3;
/// Pieces of code that an issue names.
const NAMED: usize = 6;
/// Lines of each piece, of one that is shown whole because little more is left, and of all.
const PIECE_LINES: u32 = 60;
const WHOLE_LINES: u32 = 80;
const ALL_LINES: usize = 180;

/// Pieces of code: for each its file and its lines with their numbers.
pub type CodePieces = Vec<(String, Vec<(u32, String)>)>;

/// The code that a reader of the failures looks at first: where they come up, and what leads there.
///
/// # Errors
/// The files cannot be read.
pub async fn code_of_failures(bed: &TestBed, baseline: &Baseline) -> Result<CodePieces, Failure> {
    let methods = bed.methods_of_failures(baseline, METHODS).await?;
    let code = methods.into_iter().map(|(method, line)| {
        let (first, last) = (method.lines.first, method.lines.last);
        let lines = piece(bed.project(), &method.path, (first, last), line);
        (method.path, lines)
    });
    Ok(bounded(code))
}

/// The code that an issue names, as far as it names one place of the production code: where its tracebacks lead, then what stands in
/// it as code, then dotted names and short files.
///
/// # Errors
/// The files cannot be read.
pub async fn code_of_issue(bed: &TestBed, issue: &str) -> Result<CodePieces, Failure> {
    let (project, rules, issue) = (bed.project().clone(), bed.rules(), issue.to_owned());
    let named: Result<Vec<Mention>, Failure> = blocking::spawn(move |_| {
        let files = project.files().map_err(Failure::environment)?;
        let editable = rules.allowed(files).map_err(Failure::environment)?;
        let editable: BTreeSet<ProjectPath> = editable.into_iter().collect();
        let index = Index::build(project.root()).map_err(Failure::environment)?;
        Ok(mentions(&index, &issue, |file| !file.test && editable.contains(&file.path)))
    })
    .await?;
    let code = named?.into_iter().take(NAMED).map(|Mention { path, lines }| {
        let lines = piece(bed.project(), path.as_str(), (lines.first, lines.last), lines.first);
        (path.to_string(), lines)
    });
    Ok(bounded(code))
}

/// The lines of a piece of code. Of a long one the head is shown, and the part that leads to `line`.
fn piece(project: &Project, path: &str, (first, last): (u32, u32), line: u32) -> Vec<(u32, String)> {
    if last - first < WHOLE_LINES {
        return lines_of(project, path, first, last);
    }
    let start = line.saturating_sub(PIECE_LINES * 3 / 4).max(first);
    let mut lines = lines_of(project, path, start, last.min(start + PIECE_LINES - 1));
    if start > first {
        lines.splice(0..0, lines_of(project, path, first, first));
    }
    lines
}

/// The first pieces, as far as their lines have room.
fn bounded(code: impl Iterator<Item = (String, Vec<(u32, String)>)>) -> CodePieces {
    let mut room = ALL_LINES;
    let mut fits = |lines: &[(u32, String)]| {
        let rest = room.checked_sub(lines.len());
        room = rest.unwrap_or(room);
        rest.is_some()
    };
    code.filter(|(_, lines)| !lines.is_empty() && fits(lines)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_shown_as_far_as_there_is_room() {
        let of = |path: &str, count: u32| {
            (path.to_owned(), (1..=count).map(|number| (number, String::new())).collect::<Vec<_>>())
        };
        let shown = bounded([of("a", 100), of("none", 0), of("b", 90), of("c", 80), of("d", 1)].into_iter());
        let paths: Vec<&str> = shown.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["a", "c"], "180 lines");
    }
}
