//! Reports of TDD-Bench in the official form.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use patchwright_folder::atomic::replace;
use patchwright_suites::python_json;
use patchwright_swe_bench::{StatusMap, folder_of};
use serde_json::{Map, Value, json};

use super::grade::TddVerdict;
use crate::table::{TableForm, drawn};

/// What came of a case.
#[derive(Clone, Debug, PartialEq)]
pub enum TddOutcome {
    /// It was run, and scored.
    Graded(Box<TddVerdict>),
    /// It has no complete logs, or such as cannot be counted.
    Error,
    /// The prediction is empty.
    Empty,
    /// There is no prediction.
    Missing,
}

/// The report on a case.
#[derive(Clone, Debug, PartialEq)]
pub struct TddCase {
    /// The case.
    pub instance_id: String,
    /// What came of it.
    pub outcome: TddOutcome,
    /// What people should know before they believe it.
    pub notes: Vec<String>,
    /// The first of the notes that tells of a patch which git refused.
    pub refused: Option<String>,
    /// The first of the notes that tells of a log which is not whole, so that the score may be too high.
    pub broken: Option<String>,
}

impl TddCase {
    /// A case that nothing came of yet.
    pub(crate) fn missing(instance_id: &str) -> Self {
        Self {
            instance_id: instance_id.to_owned(),
            outcome: TddOutcome::Missing,
            notes: Vec::new(),
            refused: None,
            broken: None,
        }
    }

    /// The verdict, where there is one.
    pub fn verdict(&self) -> Option<&TddVerdict> {
        match &self.outcome {
            TddOutcome::Graded(verdict) => Some(verdict),
            TddOutcome::Error | TddOutcome::Empty | TddOutcome::Missing => None,
        }
    }

    /// The `report.json` of the case; none where the official program writes none.
    ///
    /// Official place: `run_instance` in `tddbench/harness/run_evaluation.py`.
    pub fn json(&self) -> Option<Value> {
        let verdict = self.verdict()?;
        let statuses = |statuses: &StatusMap| -> Map<String, Value> {
            statuses.iter().map(|(test, status)| (test.clone(), json!(status.name()))).collect()
        };
        Some(json!({ self.instance_id.as_str(): {
            "contributing_functions": verdict.functions,
            "test_before_patch": statuses(&verdict.before),
            "test_after_patch": statuses(&verdict.after),
            "total_changed": verdict.count.changed,
            "total_missed": verdict.count.missed,
            "cov_score": verdict.cov_score,
            "final_score": verdict.final_score,
            "resolved": verdict.resolved(),
        }}))
    }
}

/// The report on the predictions of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct TddReport {
    /// The model.
    pub model: String,
    /// The run.
    pub run_id: String,
    /// The fixes that the tests were run with: `gold`.
    pub patches: String,
    /// All cases of the dataset, in its order.
    pub cases: Vec<TddCase>,
    /// Oddities of predictions and logs.
    pub warnings: Vec<String>,
}

impl TddReport {
    /// The mean score over all cases of the dataset: tddScore, from 0 to 1.
    ///
    /// Official place: `make_run_report` in `tddbench/harness/run_evaluation.py`.
    pub fn score(&self) -> f64 {
        let scores = self.cases.iter().filter_map(TddCase::verdict).map(|verdict| verdict.final_score);
        // Of nothing, `sum` is -0.
        scores.fold(0.0, |sum, score| sum + score) / self.cases.len().max(1) as f64
    }

    /// The name of the official file about the whole run.
    pub fn file_name(&self) -> String {
        format!("{}.{}.json", folder_of(&self.model), self.run_id)
    }

    /// The file about the whole run, as the official program writes it; `tddScore` is its `final_score` under the paper's name.
    ///
    /// Official place: `make_run_report` in `tddbench/harness/run_evaluation.py`.
    pub fn json(&self) -> Value {
        let ids = |holds: &dyn Fn(&TddCase) -> bool| {
            let mut ids: Vec<&str> =
                self.cases.iter().filter(|case| holds(case)).map(|case| case.instance_id.as_str()).collect();
            ids.sort_unstable();
            ids
        };
        let resolved = |case: &TddCase| case.verdict().is_some_and(TddVerdict::resolved);
        let completed = ids(&|case| case.verdict().is_some());
        let submitted = ids(&|case| case.outcome != TddOutcome::Missing);
        let incomplete = ids(&|case| case.outcome == TddOutcome::Missing);
        let empty = ids(&|case| case.outcome == TddOutcome::Empty);
        let errors = ids(&|case| case.outcome == TddOutcome::Error);
        let unresolved = ids(&|case| case.verdict().is_some() && !resolved(case));
        let resolved = ids(&resolved);
        json!({
            "total_instances": self.cases.len(),
            "submitted_instances": submitted.len(),
            "completed_instances": completed.len(),
            "resolved_instances": resolved.len(),
            "unresolved_instances": unresolved.len(),
            "empty_patch_instances": empty.len(),
            "error_instances": errors.len(),
            "unstopped_instances": 0,
            "completed_ids": completed,
            "incomplete_ids": incomplete,
            "empty_patch_ids": empty,
            "submitted_ids": submitted,
            "resolved_ids": resolved,
            "unresolved_ids": unresolved,
            "error_ids": errors,
            "unstopped_containers": [],
            "unremoved_images": [],
            "final_score": self.score(),
            "schema_version": 2,
            "tddScore": self.score(),
        })
    }

    /// Writes `<folder>/<model>.<run>.json` and, for each case that was scored,
    /// `<folder>/logs/run_evaluation/<run>/<patches>/<id>/report.json`. Gives the path of the former.
    ///
    /// # Errors
    /// A failure of the file system.
    pub fn write(&self, folder: &Path) -> io::Result<PathBuf> {
        let cases = folder.join("logs/run_evaluation").join(&self.run_id).join(folder_of(&self.patches));
        for case in &self.cases {
            if let Some(json) = case.json() {
                let folder = cases.join(&case.instance_id);
                fs::create_dir_all(&folder)?;
                replace(&folder.join("report.json"), python_json::text(&json))?;
            }
        }
        fs::create_dir_all(folder)?;
        let file = folder.join(self.file_name());
        replace(&file, python_json::text(&self.json()) + "\n")?;
        Ok(file)
    }
}

/// The table of methods: the share of cases with tests that fail before and pass after, the mean coverage of those, and tddScore, all in
/// per cent.
pub fn table(reports: &[TddReport], form: TableForm) -> String {
    let head = ["Method", "resolved", "%", "coverage", "tddScore"].map(str::to_owned).to_vec();
    let rows = reports.iter().map(|report| {
        let resolved: Vec<&TddVerdict> =
            report.cases.iter().filter_map(TddCase::verdict).filter(|verdict| verdict.resolved()).collect();
        let total = report.cases.len().max(1) as f64;
        let covered: f64 = resolved.iter().map(|verdict| verdict.cov_score).sum();
        let coverage = if resolved.is_empty() { 0.0 } else { 100.0 * covered / resolved.len() as f64 };
        vec![
            report.model.clone(),
            format!("{} of {}", resolved.len(), report.cases.len()),
            format!("{:.1}", 100.0 * resolved.len() as f64 / total),
            format!("{coverage:.1}"),
            format!("{:.1}", 100.0 * report.score()),
        ]
    });
    let lines: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    drawn(&lines, form)
}
