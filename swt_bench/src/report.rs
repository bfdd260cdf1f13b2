//! Reports in the official form.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use patchwright_folder::atomic::replace;
use patchwright_suites::python_json;
use patchwright_swe_bench::folder_of;
use serde_json::{Map, Value, json};

use crate::changes::ChangeCoverage;
use crate::excluded::Subset;
use crate::grade::Verdict;
use crate::head::RefusedPatch;
use crate::transitions::Transitions;

/// What came of a case.
#[derive(Clone, Debug, PartialEq)]
pub enum CaseOutcome {
    /// It was run, and graded.
    Graded(Box<Verdict>),
    /// It was run, and the log says nothing of a patch that was applied.
    NotApplied,
    /// The prediction is empty, and counts as one that is not applied.
    Empty,
    /// There are no logs of it, or not of this prediction.
    NotRun,
}

/// The report on a case.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseReport {
    /// The case.
    pub instance_id: String,
    /// What came of it.
    pub outcome: CaseOutcome,
    /// What people should know before they believe it.
    pub notes: Vec<String>,
    /// The patches that git refused in its runs; the notes tell of them too.
    pub refused: Vec<RefusedPatch>,
    /// The first of the notes that tells of a log which is not whole, or not that of the run.
    pub broken: Option<String>,
}

impl CaseReport {
    /// That on a case of which there are no logs.
    pub fn not_run(instance_id: &str) -> Self {
        Self {
            instance_id: instance_id.to_owned(),
            outcome: CaseOutcome::NotRun,
            notes: Vec::new(),
            refused: Vec::new(),
            broken: None,
        }
    }

    /// The verdict, where there is one.
    pub fn verdict(&self) -> Option<&Verdict> {
        match &self.outcome {
            CaseOutcome::Graded(verdict) => Some(verdict),
            CaseOutcome::NotApplied | CaseOutcome::Empty | CaseOutcome::NotRun => None,
        }
    }

    /// Is true if the tests resolve the case (S).
    pub fn resolved(&self) -> bool {
        self.verdict().is_some_and(|verdict| verdict.added.resolved)
    }

    /// The coverage of the golden patch, where it can be measured.
    pub fn coverage(&self) -> Option<&ChangeCoverage> {
        self.verdict()?.coverage.as_ref()
    }

    /// The `report.json` of the case; none where the official program writes none.
    ///
    /// Official place: `get_pred_report` in `src/grading.py`. `resolved_strict` is our own and stands there only where it was asked for.
    pub fn json(&self) -> Option<Value> {
        let applied = match &self.outcome {
            CaseOutcome::Graded(_) => true,
            CaseOutcome::NotApplied | CaseOutcome::Empty => false,
            CaseOutcome::NotRun => return None,
        };
        let share = |of: fn(&ChangeCoverage) -> f64| self.coverage().map(of);
        let mut report = Map::new();
        let mut put = |key: &str, value: Value| drop(report.insert(key.to_owned(), value));
        put("patch_is_None", json!(false));
        put("patch_exists", json!(true));
        put("patch_successfully_applied", json!(applied));
        put("resolved", json!(self.resolved()));
        put("coverage_pred", json!(share(|all| all.predicted)));
        put("coverage_gold", json!(share(|all| all.golden)));
        put("coverage_base", json!(share(|all| all.base)));
        put("coverage_delta_pred", json!(share(|all| all.delta_predicted)));
        put("coverage_delta_gold", json!(share(|all| all.delta_golden)));
        if let Some(verdict) = self.verdict() {
            put("added_f2p", json!(verdict.added.fail_to_pass));
            put("tests_base", tests(&verdict.base));
            put("tests_pred", tests(&verdict.predicted));
            put("tests_gold", tests(&verdict.golden));
            if let Some(strict) = &verdict.strict {
                put("resolved_strict", json!(strict.resolved));
            }
        }
        Some(json!({ self.instance_id.as_str(): report }))
    }
}

fn tests(transitions: &Transitions) -> Value {
    json!({
        "FAIL_TO_PASS": transitions.fail_to_pass,
        "PASS_TO_PASS": transitions.pass_to_pass,
        "FAIL_TO_FAIL": transitions.fail_to_fail,
        "PASS_TO_FAIL": transitions.pass_to_fail,
        "UNMATCHED": transitions.unmatched,
    })
}

/// The report on the predictions of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    /// The model.
    pub model: String,
    /// The run.
    pub run_id: String,
    /// The subset that aggregates are about.
    pub subset: Subset,
    /// The number of cases that aggregates are divided by.
    pub total: usize,
    /// The number of cases that ΔC is divided by, where a run of the golden tests tells it.
    pub possible: Option<usize>,
    /// Is true if failures were looked at strictly.
    pub strict: bool,
    /// The cases that have predictions, or logs, in the order of the dataset.
    pub cases: Vec<CaseReport>,
    /// Oddities of predictions and logs.
    pub warnings: Vec<String>,
}

impl RunReport {
    /// The name of the official file about the whole run.
    pub fn file_name(&self) -> String {
        format!("{}.{}.json", folder_of(&self.model), self.run_id)
    }

    /// The file about the whole run, with the names that it has officially.
    ///
    /// Official place: `make_run_report` in `src/run_evaluation.py`. `completed` counts the cases that have a report; officially those
    /// that had one before the run, which are none in a first run. The aggregates below `table` are our own, as `src/report.py` prints
    /// them.
    pub fn json(&self) -> Value {
        let ids = |holds: &dyn Fn(&CaseReport) -> bool| {
            let mut ids: Vec<&str> =
                self.cases.iter().filter(|case| holds(case)).map(|case| case.instance_id.as_str()).collect();
            ids.sort_unstable();
            ids
        };
        let was_run = |case: &CaseReport| case.outcome != CaseOutcome::NotRun;
        let completed = ids(&was_run);
        let resolved = ids(&CaseReport::resolved);
        let unresolved = ids(&|case| was_run(case) && !case.resolved());
        let errors = ids(&|case| !was_run(case));
        let (coverage, delta) = self.means();
        let mut report = json!({
            "total_instances": self.cases.len(),
            "completed_instances": completed.len(),
            "resolved_instances": resolved.len(),
            "unresolved_instances": unresolved.len(),
            "error_instances": errors.len(),
            "Mean coverage": coverage,
            "Mean coverage delta": delta,
            "unstopped_instances": 0,
            "completed_ids": completed,
            "resolved_ids": resolved,
            "unresolved_ids": unresolved,
            "error_ids": errors,
            "unstopped_containers": [],
            "unremoved_images": [],
            "table": self.aggregates().json(),
        });
        if self.strict
            && let Some(report) = report.as_object_mut()
        {
            let strict = |case: &CaseReport| {
                case.verdict()
                    .and_then(|verdict| verdict.strict.as_ref())
                    .is_some_and(|strict| strict.resolved)
            };
            report.insert("strictly_resolved_ids".to_owned(), json!(ids(&strict)));
        }
        report
    }

    /// The means of coverage and its delta over the cases that have them; zero where none has.
    fn means(&self) -> (f64, f64) {
        let all: Vec<&ChangeCoverage> = self.cases.iter().filter_map(CaseReport::coverage).collect();
        let mean = |of: fn(&ChangeCoverage) -> f64| {
            if all.is_empty() { 0.0 } else { all.iter().map(|one| of(one)).sum::<f64>() / all.len() as f64 }
        };
        (mean(|one| one.predicted), mean(|one| one.delta_predicted))
    }

    /// Writes `<folder>/evaluation_results/<model>.<run>.json` and, for each case that was run,
    /// `<folder>/run_instance_swt_logs/<run>/<model>/<id>/report.json`. Gives the path of the former.
    ///
    /// # Errors
    /// A failure of the file system.
    pub fn write(&self, folder: &Path) -> io::Result<PathBuf> {
        let cases = folder.join("run_instance_swt_logs").join(&self.run_id).join(folder_of(&self.model));
        for case in &self.cases {
            if let Some(json) = case.json() {
                let folder = cases.join(&case.instance_id);
                fs::create_dir_all(&folder)?;
                replace(&folder.join("report.json"), python_json::text(&json))?;
            }
        }
        let results = folder.join("evaluation_results");
        fs::create_dir_all(&results)?;
        let file = results.join(self.file_name());
        replace(&file, python_json::text(&self.json()) + "\n")?;
        Ok(file)
    }
}
