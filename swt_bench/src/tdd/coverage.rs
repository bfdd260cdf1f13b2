//! The coverage of the lines that a patch changes, from the table that `coverage report -m` prints.

use std::collections::HashSet;

/// The reason why coverage cannot be counted. The official program ends with an error there, and the case has no report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoverageProblem {
    /// The table names a line that is no number; this.
    Line(String),
    /// The head of a hunk has no number; this.
    Hunk(String),
}

impl std::fmt::Display for CoverageProblem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line(word) => {
                write!(formatter, "`{word}` among the missing lines of the coverage is no number")
            }
            Self::Hunk(word) => {
                write!(formatter, "`{word}` in the head of a hunk of the golden patch is no number")
            }
        }
    }
}

/// Lines of a patch that count, and those of them that no test executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeCount {
    /// Lines that are changed, without blank ones and comments.
    pub changed: usize,
    /// Those that were not executed.
    pub missed: usize,
}

/// The side of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The run before it: removed lines.
    Before,
    /// The run after it: added lines.
    After,
}

impl Side {
    /// The mark of lines that are there on this side only, and of those on the other.
    fn marks(self) -> (char, char) {
        match self {
            Self::Before => ('-', '+'),
            Self::After => ('+', '-'),
        }
    }
}

impl ChangeCount {
    /// Counts a side of the golden patch. `report` is the log from behind `+ coverage report` on.
    ///
    /// The patch is not parsed but cut, so that some lines count that do not belong there, and all of it is kept: a context line that
    /// begins with `-` or `+` after its blanks counts as changed; a file is known by `+++ b`, so that one that is removed belongs to the
    /// file before it, its lines included; `@@` inside of a line begins a hunk.
    ///
    /// # Errors
    /// What the official program cannot read either.
    ///
    /// Official place: the two loops over `patch_text_segmets` in `run_instance`, `tddbench/harness/run_evaluation.py`.
    pub fn of(patch: &str, report: &str, side: Side) -> Result<Self, CoverageProblem> {
        let mut count = Self::default();
        for part in patch.split("+++ b").skip(1) {
            let file = part.split('\n').next().unwrap_or_default().trim();
            let missing = missing_lines(file, report)?;
            let pieces: Vec<&str> = part.split("@@").collect();
            for hunk in pieces[1..].chunks(2) {
                let [head, code] = hunk else {
                    return Err(CoverageProblem::Hunk(hunk.concat().trim().to_owned()));
                };
                count.add(first_line(head, side)?, code, &missing, side);
            }
        }
        Ok(count)
    }

    /// Adds a hunk whose heading has the number before `first`.
    ///
    /// Official place: `calculate_coverage` in `tddbench/harness/run_evaluation.py`.
    fn add(&mut self, first: i64, code: &str, missing: &HashSet<i64>, side: Side) {
        let (own, other) = side.marks();
        let head: String = [own; 3].iter().collect();
        let there = code.split('\n').filter(|line| !line.trim().starts_with(other));
        for (line, number) in there.zip(first..) {
            let bare = line.trim();
            if bare.starts_with(&head) || !bare.starts_with(own) {
                continue;
            }
            let text = line.replace(own, "");
            let text = text.trim();
            if !text.is_empty() && !text.starts_with('#') {
                self.changed += 1;
                self.missed += usize::from(missing.contains(&number));
            }
        }
    }

    /// The share of lines that were executed; zero where none is changed.
    pub fn share(self) -> f64 {
        if self.changed == 0 { 0.0 } else { (self.changed - self.missed) as f64 / self.changed as f64 }
    }
}

impl std::ops::Add for ChangeCount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { changed: self.changed + other.changed, missed: self.missed + other.missed }
    }
}

/// The number of the line above the first one of a hunk, on a side of its head.
fn first_line(head: &str, side: Side) -> Result<i64, CoverageProblem> {
    let mut words = head.trim().split(' ');
    let word = match side {
        Side::Before => words.next(),
        Side::After => words.nth(1),
    };
    let wrong = || CoverageProblem::Hunk(head.trim().to_owned());
    let first = word.and_then(|word| word.split(',').next()).ok_or_else(wrong)?;
    first.trim().parse::<i64>().map(|number| number.abs() - 1).map_err(|_| wrong())
}

/// The lines that no test executed, of the first line of the table that begins with the file. A file that is not in the table counts as
/// executed whole. The columns are those of a table with branches: without `--branch`, as for Django, the first two numbers are lost.
///
/// Official place: `calculate_coverage` in `tddbench/harness/run_evaluation.py`.
fn missing_lines(file: &str, report: &str) -> Result<HashSet<i64>, CoverageProblem> {
    const COLUMNS: usize = 6;
    let file = file.strip_prefix('/').unwrap_or(file);
    let line = report.split('\n').find(|line| line.starts_with(file)).unwrap_or_default().trim();
    let mut missing = HashSet::new();
    for word in line.split(' ').filter(|word| !word.is_empty()).skip(COLUMNS) {
        let word = word.replace(',', "");
        let number = |text: &str| text.trim().parse::<i64>().map_err(|_| CoverageProblem::Line(word.clone()));
        let leaves = word.contains("exit");
        if !leaves && let Some((from, to)) = word.split_once("->") {
            missing.extend([number(from)?, number(to)?]);
        } else if !leaves && let Some((from, to)) = word.split_once('-') {
            missing.extend(number(from)?..=number(to)?);
        } else if let Some((from, _)) = word.split_once('-') {
            missing.insert(number(from)?);
        } else {
            missing.insert(number(&word)?);
        }
    }
    Ok(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "diff --git a/pkg/m.py b/pkg/m.py\n--- a/pkg/m.py\n+++ b/pkg/m.py\n@@ -3,4 +3,5 @@ def f():\n     one\n-    two\n+    # why\n+    three\n+\n     - four\n";

    #[test]
    fn changed_lines_are_counted_and_looked_up() {
        let check = |side: Side, report: &str, expect: (usize, usize)| {
            let found = ChangeCount::of(PATCH, report, side);
            let expect = ChangeCount { changed: expect.0, missed: expect.1 };
            assert_eq!(found, Ok(expect), "{report}");
        };
        let table = |missing: &str| format!(" -m\nName  Stmts\npkg/m.py    10  2  4   1   80%   {missing}\n");
        // The context line that begins with a dash counts before.
        check(Side::Before, &table("4"), (2, 1));
        check(Side::Before, &table("3-5"), (2, 2));
        check(Side::After, &table("5"), (1, 1));
        check(Side::After, &table("4->5, 9->exit"), (1, 1));
        check(Side::After, &table("1, 7-9"), (1, 0));
        check(Side::After, "nothing", (1, 0));
        // Without branches the first two numbers stand where others are looked for.
        check(Side::After, "pkg/m.py  10  2  80%  5, 6, 7", (1, 0));
    }

    #[test]
    fn what_cannot_be_counted_is_said() {
        let check = |patch: &str, report: &str, expect: &str| {
            let problem = ChangeCount::of(patch, report, Side::Before).map_err(|problem| problem.to_string());
            assert!(problem.clone().is_err_and(|text| text.contains(expect)), "{problem:?}");
        };
        check(PATCH, "pkg/m.py a b c d e many", "`many`");
        check(&PATCH.replace("-3,4", "-x,4"), "", "`-x,4 +3,5`");
    }

    #[test]
    fn shares() {
        let check = |changed, missed, expect: f64| {
            assert!((ChangeCount { changed, missed }.share() - expect).abs() < f64::EPSILON);
        };
        check(4, 1, 0.75);
        check(0, 0, 0.0);
    }
}
