//! Tables of a folder that `bench grade` wrote reports into: `bench report` and `bench compare` show these where there is no run.

use std::path::{Path, PathBuf};

use patchwright_protocol::Failure;
use patchwright_runs::report::Table;
use patchwright_swt_bench::{FILTER_COLUMNS, filter_row};
use serde_json::{Map, Value};

use crate::bench::filter;

/// The folder of reports of SWT-Bench, in the folder of `bench grade --out`.
const OF_TESTS: &str = "evaluation_results";
/// The measures of SWT-Bench, by their names in a report and in the paper.
const MEASURES: [(&str, &str); 8] = [
    ("W", "W"),
    ("S", "S"),
    ("F->X", "F→×"),
    ("F->P", "F→P"),
    ("P->P", "P→P"),
    ("coverage_delta_all", "ΔC all"),
    ("coverage_delta_resolved", "ΔC S"),
    ("coverage_delta_unresolved", "ΔC ¬S"),
];

/// The reports that were found, by the name of their file: `<model>.<run>`.
#[derive(Debug, Default)]
pub struct GradedFolder {
    reports: Vec<(String, Value)>,
    /// Fixes that tests have filtered: an object for each pair of models.
    filtered: Vec<Value>,
}

impl GradedFolder {
    /// Those of a folder that is no run; none where it has no reports.
    pub fn read(folder: &Path) -> Option<Self> {
        if folder.join("run.toml").exists() {
            return None;
        }
        let folders = [folder.to_owned(), folder.join(OF_TESTS)];
        let files: Vec<PathBuf> = folders.iter().flat_map(|folder| crate::files::in_folder(folder)).collect();
        let reports: Vec<(String, Value)> = files.iter().filter_map(|file| report(file)).collect();
        let filtered = filtered(&folder.join(filter::REPORT)).unwrap_or_default();
        (!reports.is_empty() || !filtered.is_empty()).then_some(Self { reports, filtered })
    }

    /// The reports of several folders, side by side; none where one of them is a run.
    ///
    /// # Errors
    /// Some are runs, and some hold reports alone.
    pub fn all(folders: &[PathBuf]) -> Result<Option<Self>, Failure> {
        let found: Vec<Option<Self>> = folders.iter().map(|folder| Self::read(folder)).collect();
        match (found.iter().position(Option::is_none), found.iter().position(Option::is_some)) {
            (None, _) => {
                let mut all = Self::default();
                for folder in found.into_iter().flatten() {
                    all.reports.extend(folder.reports);
                    all.filtered.extend(folder.filtered);
                }
                Ok(Some(all))
            }
            (Some(_), None) => Ok(None),
            (Some(other), Some(graded)) => Err(Failure::user(format!(
                "{} holds reports of `bench grade` and no run, and {} does not",
                folders[graded].display(),
                folders[other].display()
            ))
            .hint("compare runs with runs, whose folders `bench grade --predictions RUN` writes its verdicts into, or reports with reports")),
        }
    }

    /// The tables, one for each kind of benchmark.
    pub fn tables(&self) -> Vec<Table> {
        let of_tests = self.table("SWT-Bench", &MEASURES.map(|(_, title)| title), |report| {
            let table = report.get("table")?;
            let cell = |name: &str| {
                let value = table.get(name).and_then(Value::as_f64);
                value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"))
            };
            Some(MEASURES.iter().map(|(name, _)| cell(name)).collect())
        });
        let of_tdd = self.table("TDD-Bench", &["resolved", "of", "tddScore"], |report| {
            let score = report.get("tddScore")?.as_f64()?;
            Some(vec![
                count(report, "resolved_instances")?,
                count(report, "total_instances")?,
                format!("{:.1}", 100.0 * score),
            ])
        });
        let of_fixes = self.table("SWE-bench", &["resolved", "submitted", "of"], |report| {
            if report.get("tddScore").is_some() || report.get("table").is_some() {
                return None;
            }
            ["resolved_instances", "submitted_instances", "total_instances"]
                .iter()
                .map(|field| count(report, field))
                .collect()
        });
        let filtered = Table {
            title: "Fixes filtered by tests".to_owned(),
            heads: FILTER_COLUMNS.map(|(_, title)| title.to_owned()).to_vec(),
            rows: self.filtered.iter().map(filter_row).collect(),
            ..Table::default()
        };
        [of_tests, of_tdd, of_fixes, filtered].into_iter().filter(|table| !table.rows.is_empty()).collect()
    }

    fn table(&self, title: &str, heads: &[&str], cells: impl Fn(&Value) -> Option<Vec<String>>) -> Table {
        let row = |(name, report): &(String, Value)| {
            Some(std::iter::once(name.clone()).chain(cells(report)?).collect())
        };
        Table {
            title: format!("{title}: what was graded"),
            heads: std::iter::once("model.run").chain(heads.iter().copied()).map(str::to_owned).collect(),
            rows: self.reports.iter().filter_map(row).collect(),
            ..Table::default()
        }
    }

    /// The reports as they are, by their names; fixes filtered by tests as a list.
    pub fn json(self) -> Value {
        let mut all: Map<_, _> = self.reports.into_iter().collect();
        if !self.filtered.is_empty() {
            all.insert("filtered".to_owned(), Value::Array(self.filtered));
        }
        Value::Object(all)
    }
}

fn count(report: &Value, field: &str) -> Option<String> {
    Some(report.get(field)?.as_u64()?.to_string())
}

/// Fixes filtered by tests, if the file holds some.
fn filtered(file: &Path) -> Option<Vec<Value>> {
    let pairs: Vec<Value> = serde_json::from_slice(&crate::files::read(file).ok()?).ok()?;
    pairs.iter().all(|pair| pair.get("kept_fixes").is_some()).then_some(pairs)
}

/// The report in a file, with its name, if it is one.
fn report(file: &Path) -> Option<(String, Value)> {
    if file.extension().is_none_or(|extension| extension != "json") {
        return None;
    }
    let report: Value = serde_json::from_slice(&crate::files::read(file).ok()?).ok()?;
    report.get("resolved_ids")?.as_array()?;
    Some((file.file_stem()?.to_string_lossy().into_owned(), report))
}
