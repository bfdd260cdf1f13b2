//! Change coverage: which lines of the golden patch tests execute, and which of them more often than before.

use std::collections::HashSet;

use patchwright_edits::diff::{Mark, Patch};

use crate::trace::Trace;

/// A line of a file.
type FileLine = (String, u32);

/// The lines that a patch removes and adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedLines {
    /// In the files before the patch.
    removed: Vec<FileLine>,
    /// In the files after the patch.
    added: Vec<FileLine>,
}

impl ChangedLines {
    /// The lines of a patch in git's form. The first two characters of a name (`a/`, `b/`) are no part of the path.
    ///
    /// Official place: `extract_changed_lines_from_patch` in `src/grading.py`.
    pub fn of(patch: &str) -> Self {
        let mut changed = Self::default();
        for file in Patch::readable(patch.as_bytes()).files {
            let path =
                |name: &Option<String>| name.as_ref().and_then(|name| name.get(2..)).map(str::to_owned);
            let (old, new) = (path(&file.old), path(&file.new));
            for hunk in &file.hunks {
                let (mut before, mut after) = (hunk.old_line, hunk.new_line);
                for line in &hunk.lines {
                    match line.mark {
                        Mark::Same => (before, after) = (before + 1, after + 1),
                        Mark::Removed => {
                            changed.removed.extend(old.clone().map(|file| (file, before)));
                            before += 1;
                        }
                        Mark::Added => {
                            changed.added.extend(new.clone().map(|file| (file, after)));
                            after += 1;
                        }
                    }
                }
            }
        }
        changed
    }

    /// Is true if a file has such a line.
    pub fn names(&self, file: &str) -> bool {
        self.removed.iter().chain(&self.added).any(|(path, _)| path == file)
    }
}

/// The traces of the six runs of a case.
#[derive(Clone, Copy, Debug)]
pub struct Traces<'a> {
    /// With the predicted tests, without and with the golden patch.
    pub predicted: [&'a Trace; 2],
    /// With the golden tests.
    pub golden: [&'a Trace; 2],
    /// Without new tests.
    pub base: [&'a Trace; 2],
}

/// The shares of the executable lines of the golden patch; from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChangeCoverage {
    /// Executed with the predicted tests.
    pub predicted: f64,
    /// Executed with the golden tests.
    pub golden: f64,
    /// Executed without new tests.
    pub base: f64,
    /// Executed more often with the predicted tests than without new ones: ΔC.
    pub delta_predicted: f64,
    /// Executed more often with the golden tests than without new ones.
    pub delta_golden: f64,
}

impl ChangeCoverage {
    /// The coverage of a patch's lines; none where no line of it can be executed, or nothing was traced.
    ///
    /// Official place: `get_pred_report` in `src/grading.py`, four rules of which differ from the paper (arXiv 2406.12952, section 4):
    /// - A line can be executed if the trace of the golden tests or of no new tests names it, also with no hit
    ///   (`extract_executable_lines`).
    /// - Removed lines count before the patch, added lines after it, but without new tests both count in the run *after* it.
    /// - A line that is hit more often than without new tests counts, also where it was hit before (`get_coverage_delta`).
    /// - A line that is named twice counts twice below the line and once above it (`count_covered_lines`).
    pub fn of(changed: &ChangedLines, traces: &Traces<'_>) -> Option<Self> {
        let [golden_before, golden_after] = traces.golden;
        let [base_before, base_after] = traces.base;
        let [predicted_before, predicted_after] = traces.predicted;
        let removed = executable(&changed.removed, [golden_before, base_before]);
        let added = executable(&changed.added, [golden_after, base_after]);
        let total = removed.len() + added.len();
        if total == 0 {
            return None;
        }
        let share = |lines: usize| lines as f64 / total as f64;
        let covered =
            |before: &Trace, after: &Trace| share(more(&removed, before, None) + more(&added, after, None));
        let delta = |before: &Trace, after: &Trace| {
            share(more(&removed, before, Some(base_after)) + more(&added, after, Some(base_after)))
        };
        Some(Self {
            predicted: covered(predicted_before, predicted_after),
            golden: covered(golden_before, golden_after),
            base: covered(base_after, base_after),
            delta_predicted: delta(predicted_before, predicted_after),
            delta_golden: delta(golden_before, golden_after),
        })
    }
}

/// The lines that one of the traces names.
fn executable<'a>(lines: &'a [FileLine], traces: [&Trace; 2]) -> Vec<&'a FileLine> {
    let is_named = |(file, line): &&FileLine| traces.iter().any(|trace| trace.hits(file, *line).is_some());
    lines.iter().filter(is_named).collect()
}

/// The number of lines that were executed more often than in another run, or at all.
fn more(lines: &[&FileLine], trace: &Trace, than: Option<&Trace>) -> usize {
    let hits = |trace: &Trace, (file, line): &FileLine| trace.hits(file, *line).unwrap_or_default();
    let distinct: HashSet<&FileLine> = lines.iter().copied().collect();
    let is_more = |line: &&&FileLine| hits(trace, line) > than.map_or(0, |than| hits(than, line));
    distinct.iter().filter(is_more).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str =
        "diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -2,3 +2,4 @@ def f():\n a\n-b\n+c\n+d\n e\n";

    /// `2:1 3:0`: hits of lines of `m.py`.
    fn trace(text: &str) -> Trace {
        let lines: Vec<String> = text
            .split_whitespace()
            .filter_map(|word| word.split_once(':'))
            .map(|(line, hits)| format!("\"{line}\": {hits}"))
            .collect();
        let log = format!(
            "+ cat coverage.cover\n{{\"/testbed/m.py\": {{{}}}}}\n+ git checkout x\n",
            lines.join(", ")
        );
        Trace::of_log(&log, |_| true)
    }

    #[test]
    fn lines_of_a_patch() {
        let changed = ChangedLines::of(PATCH);
        let line = |number| ("m.py".to_owned(), number);
        assert_eq!(
            (changed.removed.as_slice(), changed.added.as_slice()),
            ([line(3)].as_slice(), [line(3), line(4)].as_slice())
        );
        assert!(changed.names("m.py") && !changed.names("a/m.py"));
    }

    #[test]
    fn hits_beyond_those_of_the_base_count() {
        let check = |runs: [&str; 6], expect: Option<[f64; 5]>| {
            let [pred_pre, pred_post, gold_pre, gold_post, base_pre, base_post] = runs.map(trace);
            let traces = Traces {
                predicted: [&pred_pre, &pred_post],
                golden: [&gold_pre, &gold_post],
                base: [&base_pre, &base_post],
            };
            let found = ChangeCoverage::of(&ChangedLines::of(PATCH), &traces);
            let found =
                found.map(|all| [all.predicted, all.golden, all.base, all.delta_predicted, all.delta_golden]);
            assert_eq!(found, expect, "{runs:?}");
        };
        check([""; 6], None);
        check(["3:1", "3:1 4:1", "3:1", "3:1 4:0", "", ""], Some([1.0, 2.0 / 3.0, 0.0, 1.0, 2.0 / 3.0]));
        // Lines that only the predicted tests reach are not executable.
        check(["3:1", "3:1 4:1", "3:1", "", "", ""], Some([1.0, 1.0, 0.0, 1.0, 1.0]));
        // The removed line counts in the run after the patch where there are no new tests.
        check(
            ["3:2", "4:2", "3:2", "4:2", "3:2", "3:1 4:1"],
            Some([2.0 / 3.0, 2.0 / 3.0, 1.0, 2.0 / 3.0, 2.0 / 3.0]),
        );
        check(["3:1", "4:1", "3:1", "4:1", "3:1", "3:1 4:1"], Some([2.0 / 3.0, 2.0 / 3.0, 1.0, 0.0, 0.0]));
    }
}
