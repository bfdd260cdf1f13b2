//! The rank of the place of the bug.

use patchwright_fault_localization::{FaultyLine, Localization, Ranking};
use patchwright_syntax::{Language, Project, StatementKind, Statements, statements};
use serde::Serialize;

/// Blank lines and comments that may stand between missing code and the statements around it.
const REACH: u32 = 5;

/// The rank of the place of the bug. The first of the faulty lines counts: whoever reads the list from
/// the top finds the bug there.
#[derive(Debug, PartialEq, Serialize)]
pub struct Judgement {
    /// The place in the list; none where no faulty line is ranked.
    pub rank: Option<usize>,
    /// The place when lines of the same suspiciousness are taken in any order, on average. Lines that are not ranked come
    /// last.
    pub average_rank: f64,
    /// The share of all lines with code that is looked at until then.
    pub exam: f64,
    /// Is true if it is among the first so many.
    pub top_1: bool,
    /// The same for five.
    pub top_5: bool,
    /// The same for ten.
    pub top_10: bool,
    /// The lines that count as faulty, each where its statement begins.
    pub lines: Vec<Place>,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// The file.
    pub path: String,
    /// The line.
    pub line: u32,
}

/// Judges a ranking; `None` where no line that is known to be faulty has a file in the project.
pub fn judge(
    ranking: &Ranking,
    known: &Localization,
    project: &Project,
    executable_lines: usize,
) -> Option<Judgement> {
    let mut lines: Vec<Place> = known.lines().iter().flat_map(|line| places(line, project)).collect();
    lines.sort();
    lines.dedup();
    let is_faulty =
        |path: &str, line: u32| lines.iter().any(|place| place.path == path && place.line == line);
    let found = ranking.lines.iter().position(|line| is_faulty(&line.path, line.line));
    if lines.is_empty() {
        return None;
    }
    let average_rank = if let Some(found) = found {
        let own = ranking.lines[found].suspiciousness;
        let above = ranking.lines.iter().filter(|line| line.suspiciousness > own).count();
        let equal = ranking.lines.iter().filter(|line| line.suspiciousness.total_cmp(&own).is_eq()).count();
        above as f64 + f64::midpoint(equal as f64, 1.0)
    } else {
        let rest = executable_lines.saturating_sub(ranking.lines.len());
        ranking.lines.len() as f64 + f64::midpoint(rest as f64, 1.0)
    };
    let among = |most: usize| found.is_some_and(|found| found < most);
    Some(Judgement {
        rank: found.map(|found| found + 1),
        average_rank,
        exam: average_rank / (executable_lines.max(1) as f64),
        top_1: among(1),
        top_5: among(5),
        top_10: among(10),
        lines,
    })
}

/// The statements that a faulty line stands for: its own, or where code is missing those around.
fn places(line: &FaultyLine, project: &Project) -> Vec<Place> {
    let Ok(found) = project.resolve(&line.path) else { return Vec::new() };
    let Some(language) = Language::of_path(found.path.as_path()) else { return Vec::new() };
    let Ok(source) = project.read(&found.path) else { return Vec::new() };
    let statements = statements(language, &source);
    let lines = if line.omission {
        let before =
            (line.line.saturating_sub(REACH)..line.line).rev().find_map(|line| first(&statements, line));
        let after = (line.line..line.line + REACH).find_map(|line| first(&statements, line));
        before.into_iter().chain(after).collect()
    } else {
        // A line on which nothing runs, such as a declaration, stands for itself.
        vec![first(&statements, line.line).unwrap_or(line.line)]
    };
    lines.into_iter().map(|line| Place { path: found.path.to_string(), line }).collect()
}

/// The line at which the statement of a line begins.
fn first(statements: &Statements, line: u32) -> Option<u32> {
    let statement = statements.at(line).filter(|statement| statement.kind != StatementKind::Header)?;
    Some(statement.lines.first)
}
