//! Fixes filtered by tests: a fix is kept where predicted tests fail without it and pass with it.
//!
//! The paper (arXiv 2406.12952, section 5) uses tests so. The rule is that of S, with the fix in the place of the golden patch: a test
//! newly turns from failing to passing, and none newly fails with the fix.

use std::collections::BTreeMap;
use std::path::Path;

use patchwright_edits::diff::{FilePatch, Patch};
use patchwright_folder::{LONGEST_FILE, read_file};
use patchwright_suites::LoadError;
use patchwright_swe_bench::{Dataset, PredictedPatch, Predictions, Row, is_test};
use serde_json::{Value, json};

use crate::grade::RunKind;
use crate::report::{CaseOutcome, CaseReport};
use crate::table::{TableForm, drawn};

/// The runs of a case that say what tests make of a fix.
pub const FILTER_RUNS: [RunKind; 4] =
    [RunKind::PredPre, RunKind::PredPost, RunKind::BasePre, RunKind::BasePost];

/// What tests say of a fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilterVerdict {
    /// They fail without it and pass with it.
    Kept,
    /// They do not; why.
    Dropped(String),
    /// There are no tests, or they could not be run; why. Such a fix is not kept.
    Untested(String),
}

/// A fix, with what tests say of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilteredFix {
    /// The case.
    pub instance_id: String,
    /// What tests say.
    pub verdict: FilterVerdict,
    /// Is true if the benchmark accepts the fix; none where that is not known.
    pub resolved: Option<bool>,
}

/// The fixes of one model, filtered by the tests of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterReport {
    /// Who wrote the tests.
    pub tests: String,
    /// Who wrote the fixes.
    pub fixes: String,
    /// The fixes, in the order of the dataset.
    pub cases: Vec<FilteredFix>,
}

/// The numbers of fixes whose truth is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilterCounts {
    /// Fixes.
    pub fixes: usize,
    /// Those that are right.
    pub right: usize,
    /// Those that tests were run on.
    pub tested: usize,
    /// Those that are kept.
    pub kept: usize,
    /// Those that are kept and right.
    pub kept_right: usize,
}

/// A dataset in which each fix stands in the place of the golden patch, without the tests that it changes; cases without a fix are left
/// out.
///
/// # Errors
/// No case has a fix.
pub fn with_fixes(dataset: &Dataset, fixes: &Predictions) -> Result<Dataset, LoadError> {
    let with_fix = |row: &Row| {
        let PredictedPatch::Text(text) = &fixes.get(&row.instance_id)?.patch else { return None };
        let patch = production(text)?;
        Some(Row { patch, ..row.clone() })
    };
    let rows: Vec<Row> = dataset.rows().iter().filter_map(with_fix).collect();
    if rows.is_empty() {
        return Err(LoadError {
            place: "fixes".to_owned(),
            message:
                "none of them changes production code of a case of the dataset; give fixes, and not tests"
                    .to_owned(),
        });
    }
    Dataset::new(rows)
}

/// The cases that a report of SWE-bench on the run of a model calls resolved.
///
/// # Errors
/// A file that cannot be read, or is no such report.
pub fn resolved_ids(file: &Path) -> Result<Vec<String>, LoadError> {
    let wrong = |message: String| LoadError { place: file.display().to_string(), message };
    let bytes =
        read_file(file, LONGEST_FILE).map_err(|error| wrong(format!("it cannot be read: {error}")))?;
    let report: Value =
        serde_json::from_slice(&bytes).map_err(|error| wrong(format!("it is no JSON: {error}")))?;
    // Older reports of SWE-bench call the field `resolved`.
    let ids = ["resolved_ids", "resolved"].iter().find_map(|field| report.get(field)?.as_array());
    let ids = ids.ok_or_else(|| {
        wrong("there is no list `resolved_ids` in it; give the report of a run of SWE-bench, <model>.<run>.json".to_owned())
    })?;
    Ok(ids.iter().filter_map(|id| id.as_str().map(str::to_owned)).collect())
}

/// The part of a diff that changes no tests; none where there is none.
fn production(diff: &str) -> Option<String> {
    let is_production =
        |file: &FilePatch| [file.old_path(), file.new_path()].iter().flatten().any(|path| !is_test(path));
    let files: Vec<FilePatch> =
        Patch::readable(diff.as_bytes()).files.into_iter().filter(is_production).collect();
    (!files.is_empty()).then(|| Patch { files }.text())
}

impl FilterReport {
    /// Puts together what tests say of fixes. `graded` holds the verdicts on tests in a dataset of [`with_fixes`]; a case without one has no
    /// tests. `problems` say why tests could not be run.
    pub fn of(
        dataset: &Dataset,
        [tests, fixes]: [String; 2],
        graded: &[CaseReport],
        problems: &BTreeMap<String, String>,
        truth: &BTreeMap<String, bool>,
    ) -> Self {
        let case = |row: &Row| {
            let id = &row.instance_id;
            let report = graded.iter().find(|report| report.instance_id == *id);
            let untested = |why: Option<&str>| {
                FilterVerdict::Untested(why.unwrap_or("there is no log of its tests").to_owned())
            };
            let verdict = match (problems.get(id), report.map(|report| (report, &report.outcome))) {
                (Some(problem), _) => untested(Some(problem)),
                (None, None) => untested(Some("there are no tests for it")),
                (None, Some((report, CaseOutcome::NotRun))) => {
                    untested(report.notes.last().map(String::as_str))
                }
                (None, Some((report, CaseOutcome::NotApplied))) => {
                    let refused = report.refused.first().map(ToString::to_string);
                    untested(Some(refused.as_deref().unwrap_or("the tests do not apply")))
                }
                (None, Some((_, CaseOutcome::Empty))) => untested(Some("the prediction of tests is empty")),
                (None, Some((_, CaseOutcome::Graded(verdict)))) => {
                    let added = verdict.added;
                    if added.resolved {
                        FilterVerdict::Kept
                    } else {
                        FilterVerdict::Dropped(why(added.fails_before, added.fail_to_pass > 0).to_owned())
                    }
                }
            };
            FilteredFix { instance_id: id.clone(), verdict, resolved: truth.get(id).copied() }
        };
        Self { tests, fixes, cases: dataset.rows().iter().map(case).collect() }
    }

    /// The numbers over the fixes whose truth is known.
    pub fn counts(&self) -> FilterCounts {
        let mut counts = FilterCounts::default();
        for (fix, right) in self.cases.iter().filter_map(|fix| Some((fix, fix.resolved?))) {
            let (tested, kept) = match fix.verdict {
                FilterVerdict::Kept => (1, 1),
                FilterVerdict::Dropped(_) => (1, 0),
                FilterVerdict::Untested(_) => (0, 0),
            };
            counts.fixes += 1;
            counts.right += usize::from(right);
            counts.tested += tested;
            counts.kept += kept;
            counts.kept_right += if right { kept } else { 0 };
        }
        counts
    }

    /// As JSON: the numbers, and case by case what tests say and what is true.
    pub fn json(&self) -> Value {
        let counts = self.counts();
        let cases = self.cases.iter().map(|fix| {
            let (verdict, why) = match &fix.verdict {
                FilterVerdict::Kept => ("kept", None),
                FilterVerdict::Dropped(why) => ("dropped", Some(why)),
                FilterVerdict::Untested(why) => ("untested", Some(why)),
            };
            json!({"instance_id": fix.instance_id, "verdict": verdict, "reason": why, "resolved": fix.resolved})
        });
        json!({
            "tests": self.tests,
            "fixes": self.fixes,
            "known_fixes": counts.fixes,
            "resolved_fixes": counts.right,
            "tested_fixes": counts.tested,
            "kept_fixes": counts.kept,
            "kept_resolved_fixes": counts.kept_right,
            "precision_before": counts.precision_before(),
            "precision": counts.precision(),
            "recall": counts.recall(),
            "cases": cases.collect::<Vec<_>>(),
        })
    }
}

/// The reason why tests do not speak for a fix.
fn why(fails_before: bool, turns: bool) -> &'static str {
    match (fails_before, turns) {
        (false, _) => "no test fails without it",
        (true, false) => "no test that fails without it passes with it",
        (true, true) => "a test fails with it, or one that it should turn is lost",
    }
}

impl FilterCounts {
    /// The share of right fixes before any is dropped.
    pub fn precision_before(self) -> Option<f64> {
        share(self.right, self.fixes)
    }

    /// The share of right fixes among those that are kept.
    pub fn precision(self) -> Option<f64> {
        share(self.kept_right, self.kept)
    }

    /// The share of kept fixes among those that are right.
    pub fn recall(self) -> Option<f64> {
        share(self.kept_right, self.right)
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The columns of fixes filtered by tests: the fields of [`FilterReport::json`], and their titles.
pub const FILTER_COLUMNS: [(&str, &str); 10] = [
    ("tests", "Tests"),
    ("fixes", "Fixes"),
    ("known_fixes", "fixes"),
    ("resolved_fixes", "right"),
    ("tested_fixes", "tested"),
    ("kept_fixes", "kept"),
    ("kept_resolved_fixes", "kept, right"),
    ("precision_before", "precision before"),
    ("precision", "precision"),
    ("recall", "recall"),
];

/// The row of a pair of models, as [`FilterReport::json`] writes it: names, counts, and shares in per cent.
pub fn filter_row(pair: &Value) -> Vec<String> {
    let cell = |(field, _): (&str, &str)| match pair.get(field) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(count)) if count.is_u64() => count.to_string(),
        Some(Value::Number(share)) => {
            share.as_f64().map_or_else(|| share.to_string(), |share| format!("{:.1}", 100.0 * share))
        }
        _ => "–".to_owned(),
    };
    FILTER_COLUMNS.map(cell).to_vec()
}

/// The table of fixes filtered by tests: a row for each pair of models, over the fixes whose truth is known.
pub fn filter_table(reports: &[FilterReport], form: TableForm) -> String {
    let heads = FILTER_COLUMNS.map(|(_, title)| title.to_owned()).to_vec();
    let rows = reports.iter().map(|report| filter_row(&report.json()));
    drawn(&std::iter::once(heads).chain(rows).collect::<Vec<_>>(), form)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use patchwright_swe_bench::Prediction;

    use std::fs;

    use super::*;

    #[test]
    fn precision_and_recall_are_over_the_fixes_whose_truth_is_known() {
        let fix = |verdict: FilterVerdict, resolved: Option<bool>| FilteredFix {
            instance_id: "a__a-1".to_owned(),
            verdict,
            resolved,
        };
        let dropped = || FilterVerdict::Dropped(String::new());
        let untested = || FilterVerdict::Untested(String::new());
        let cases = vec![
            fix(FilterVerdict::Kept, Some(true)),
            fix(FilterVerdict::Kept, Some(true)),
            fix(FilterVerdict::Kept, Some(false)),
            fix(dropped(), Some(true)),
            fix(dropped(), Some(false)),
            fix(untested(), Some(true)),
            fix(FilterVerdict::Kept, None),
        ];
        let report = FilterReport { tests: "t".to_owned(), fixes: "f".to_owned(), cases };
        let counts = report.counts();
        assert_eq!(counts, FilterCounts { fixes: 6, right: 4, tested: 5, kept: 3, kept_right: 2 });
        assert_eq!((counts.precision(), counts.recall()), (Some(2.0 / 3.0), Some(0.5)));
        let table = filter_table(&[report], TableForm::Text);
        let row: Vec<&str> = table.lines().last().unwrap().split_whitespace().collect();
        assert_eq!(row, ["t", "f", "6", "4", "5", "3", "2", "66.7", "66.7", "50.0"]);
        let empty = FilterReport { tests: String::new(), fixes: String::new(), cases: Vec::new() };
        assert_eq!((empty.counts().precision(), empty.counts().recall()), (None, None));
    }

    #[test]
    fn reports_of_swe_bench_say_what_is_resolved() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("report.json");
        let check = |text: &str, expect: Result<&[&str], &str>| {
            fs::write(&file, text).unwrap();
            match (resolved_ids(&file), expect) {
                (Ok(found), Ok(expect)) => assert_eq!(found, expect),
                (Err(error), Err(expect)) => assert!(error.message.contains(expect), "{error}"),
                (found, expect) => assert_eq!(format!("{found:?}"), format!("{expect:?}")),
            }
        };
        check("{\"resolved_ids\": [\"a\"]}", Ok(&["a"]));
        check("{\"resolved\": [\"a\", \"b\"]}", Ok(&["a", "b"]));
        check("{\"resolved_instances\": 3}", Err("no list `resolved_ids`"));
        check("resolved", Err("no JSON"));
    }

    #[test]
    fn a_fix_takes_the_place_of_the_golden_patch_without_its_tests() {
        let diff = |path: &str| {
            format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n")
        };
        let row = Row { instance_id: "a__a-1".to_owned(), repo: "a/a".to_owned(), ..Row::default() };
        let dataset = Dataset::new([row]).unwrap();
        let fixes = |text: &str| {
            Predictions::new([Prediction {
                instance_id: "a__a-1".to_owned(),
                model: "m".to_owned(),
                patch: PredictedPatch::Text(text.to_owned()),
            }])
        };
        let both = format!("{}{}", diff("m.py"), diff("tests/test_m.py"));
        assert_eq!(with_fixes(&dataset, &fixes(&both)).unwrap().rows()[0].patch, diff("m.py"));
        for none in [String::new(), diff("tests/test_m.py")] {
            assert!(with_fixes(&dataset, &fixes(&none)).unwrap_err().message.contains("give fixes"));
        }
    }
}
