//! The logs of a run of TDD-Bench, and their grading.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use patchwright_suites::LoadError;
use patchwright_swe_bench::{Dataset, Predictions, Row};
use patchwright_syntax::parallel;

use super::functions::{contributing, written};
use super::grade::{COVERAGE, TddVerdict};
use super::report::{TddCase, TddOutcome, TddReport};
use crate::evaluate::SCRIPT;
use crate::head::{GivenPatch, LogHead, of_another_tdd_run, reason};
use crate::log::{of_another_case, says_not_applied};
use crate::logged::{TESTS_ALONE, odd, text, weakened};
use crate::predictions::{TestPatch, changes_of_tests, is_empty};

/// The folder of runs whose fix is the golden one.
pub(super) const PATCHES: &str = "gold";
/// The end of the name of the folder with the runs without the golden patch.
pub(super) const BEFORE: &str = "_before";
/// What a log begins with where the golden patch does not apply.
pub(super) const NOT_APPLIED: &str = ">>>>> Patch Apply Failed";
/// Output and coverage in one file, and each in its own.
pub(super) const COMBINED: &str = "test_coverage_combine.txt";
pub(super) const OUTPUT: &str = "test_output.txt";
pub(super) const REPORTED: &str = "test_coverage.txt";

/// A log of a run: what the tests printed, and the coverage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TddLog {
    /// Up to `+ coverage report`.
    pub output: String,
    /// From there on.
    pub report: String,
}

impl TddLog {
    /// The two parts of a whole log; none where it ends before the coverage.
    ///
    /// Official place: `run_instance` in `tddbench/harness/run_evaluation.py`, which cuts at every `+ coverage report`.
    pub fn cut(log: &str) -> Option<Self> {
        let mut parts = log.split(COVERAGE);
        let (output, report) = (parts.next()?, parts.next()?);
        Some(Self { output: output.to_owned(), report: report.to_owned() })
    }

    /// Is true if neither a sum nor another command follows the table of coverage.
    fn ends_in_coverage(&self) -> bool {
        let mut lines = self.report.lines().skip(1);
        !lines.any(|line| line.starts_with("+ ") || line.starts_with("TOTAL"))
    }

    /// The log of a folder; none where it has none, and the reason where it breaks off.
    fn read(folder: &Path) -> Result<Result<Self, String>, LoadError> {
        const CUT_OFF: &str = "the log is cut off: it has no coverage";
        if let Some(log) = text(&folder.join(COMBINED))? {
            return Ok(match Self::cut(&log) {
                _ if log.trim_end().ends_with(" seconds exceeded.") && log.contains("\nTimeout error: ") => {
                    Err("the tests took too long".to_owned())
                }
                Some(log) => Ok(log),
                None if log.starts_with(NOT_APPLIED) => {
                    Err(GivenPatch::GoldenPatch.refused(&reason(&log).unwrap_or_default()))
                }
                None => Err(CUT_OFF.to_owned()),
            });
        }
        match (text(&folder.join(OUTPUT))?, text(&folder.join(REPORTED))?) {
            (Some(output), Some(report)) => Ok(Ok(Self { output, report })),
            (Some(log), None) => Ok(Self::cut(&log).ok_or_else(|| CUT_OFF.to_owned())),
            (None, _) => Ok(Err("there is no log".to_owned())),
        }
    }
}

/// The folders of a run: `<run>/<patches>_before/<case>` and `<run>/<patches>/<case>`, where `<patches>` is `gold` unless other fixes than
/// the golden ones were tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TddLogs {
    run: PathBuf,
    patches: String,
}

impl TddLogs {
    /// Finds the runs in a folder: `logs/run_evaluation` or one above it, a run, or the folder of its patches.
    ///
    /// # Errors
    /// There is none; the message says what the layout is.
    pub fn find(folder: &Path) -> Result<Vec<Self>, LoadError> {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let mut found = Vec::new();
        look(&folder, 4, &mut found);
        if found.is_empty()
            && let Some(above) = folder.parent()
        {
            look(above, 0, &mut found);
        }
        if found.is_empty() {
            return Err(LoadError {
                place: folder.display().to_string(),
                message: format!(
                    "no logs of TDD-Bench are in it; give the folder `logs/run_evaluation`, with \
                     `<run>/gold{BEFORE}/<case>/{COMBINED}` and `<run>/gold/<case>/{COMBINED}`"
                ),
            });
        }
        Ok(found)
    }

    /// The logs of a run that are about to be made, or were: `folder` is that of the run, and the fix is the golden one.
    pub fn at(folder: &Path) -> Self {
        Self { run: folder.to_owned(), patches: PATCHES.to_owned() }
    }

    /// The folder of the run.
    pub fn folder(&self) -> &Path {
        &self.run
    }

    /// The name of the run.
    pub fn run_id(&self) -> String {
        self.run.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The cases that have logs.
    pub fn cases(&self) -> Vec<String> {
        let mut cases: Vec<String> = [format!("{}{BEFORE}", self.patches), self.patches.clone()]
            .iter()
            .flat_map(|folder| names(&self.run.join(folder)))
            .collect();
        cases.sort();
        cases.dedup();
        cases
    }

    fn folders(&self, case: &str) -> [PathBuf; 2] {
        [format!("{}{BEFORE}", self.patches), self.patches.clone()].map(|part| self.run.join(part).join(case))
    }
}

/// Looks for folders whose names end with `_before`, with another one beside them.
fn look(folder: &Path, deep: usize, found: &mut Vec<TddLogs>) {
    let inside = names(folder);
    for name in &inside {
        if let Some(patches) = name.strip_suffix(BEFORE) {
            found.push(TddLogs { run: folder.to_owned(), patches: patches.to_owned() });
        }
    }
    if found.is_empty() && deep > 0 {
        for name in inside {
            look(&folder.join(name), deep - 1, found);
        }
    }
}

/// The names of the folders in a folder, in their order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Grades the logs of a run. Without predictions the test functions are those that the commands in the logs name. `progress` hears how
/// many of how many cases are done; it is called from several threads.
///
/// # Errors
/// A log cannot be read.
pub fn grade_logs(
    dataset: &Dataset,
    predictions: Option<&Predictions>,
    logs: &TddLogs,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<TddReport, LoadError> {
    let mut warnings = predictions.map_or(&[][..], Predictions::warnings).to_vec();
    let logged = logs.cases();
    let unknown: Vec<&String> = logged.iter().filter(|id| dataset.get(id).is_none()).collect();
    if let Some(first) = unknown.first() {
        warnings.push(format!(
            "{} cases have logs and are not in the dataset, such as {first}; they are left out",
            unknown.len()
        ));
    }
    let done = AtomicUsize::new(0);
    let cases = parallel::over(dataset.rows(), |row| {
        let report = case(row, predictions, logs, logged.contains(&row.instance_id));
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, dataset.rows().len());
        report
    });
    let first = predictions.and_then(|predictions| predictions.list().first());
    Ok(TddReport {
        model: first.map_or_else(|| logs.patches.clone(), |prediction| prediction.model.clone()),
        run_id: logs.run_id(),
        patches: logs.patches.clone(),
        cases: cases.into_iter().collect::<Result<_, _>>()?,
        warnings,
    })
}

fn case(
    row: &Row,
    predictions: Option<&Predictions>,
    logs: &TddLogs,
    logged: bool,
) -> Result<TddCase, LoadError> {
    let id = &row.instance_id;
    let mut report = TddCase::missing(id);
    let patch = match predictions.map(|predictions| predictions.get(id)) {
        None if !logged => return Ok(report),
        Some(None) => return Ok(report),
        None => None,
        Some(Some(prediction)) if is_empty(prediction) => {
            report.outcome = TddOutcome::Empty;
            return Ok(report);
        }
        Some(Some(prediction)) => prediction.text(),
    };
    let mut read = Vec::new();
    if let Some(patch) = patch {
        let logged = LoggedPatch::of(patch, logs, id)?;
        if let LoggedPatch::Another(problem) = logged {
            report.notes.push(problem);
            report.outcome = TddOutcome::Error;
            return Ok(report);
        }
        report.notes.extend(match logged {
            LoggedPatch::Tests => vec![TESTS_ALONE.to_owned()],
            LoggedPatch::Whole | LoggedPatch::Another(_) => odd(None, patch, false),
        });
        report.notes.extend(weakened(patch).filter(|_| patch != row.test_patch));
    }
    for (folder, when) in logs.folders(id).into_iter().zip(["before", "after"]) {
        let log = TddLog::read(&folder)?;
        let foreign = |log: &TddLog| {
            of_another_case(&log.output, row)
                .or_else(|| of_another_tdd_run(&log.output, row, when == "after"))
        };
        match log.and_then(|log| foreign(&log).map_or(Ok(log), Err)) {
            Ok(log) => read.push(log),
            Err(problem) => {
                report.notes.push(format!("{when} the golden patch: {problem} ({})", folder.display()));
                report.outcome = TddOutcome::Error;
                return Ok(report);
            }
        }
    }
    let [before, after] = read.as_slice() else { return Ok(report) };
    let functions = written(&contributing(patch.unwrap_or_default()), &before.output);
    let parts = [before, after].map(|log| (log.output.as_str(), log.report.as_str()));
    let given = patch.map_or(GivenPatch::Prediction, |patch| GivenPatch::predicted(patch, row));
    match TddVerdict::of(row, functions, parts) {
        Ok(verdict) => {
            for (statuses, log, when) in
                [(&verdict.before, before, "before"), (&verdict.after, after, "after")]
            {
                if let Some(reason) = LogHead::of(&log.output).first_refusal() {
                    let told = format!("{when} the golden patch: {}", given.refused(&reason));
                    report.refused.get_or_insert_with(|| told.clone());
                    report.notes.push(told);
                } else if says_not_applied(&log.output) {
                    report.notes.push(format!("{when} the golden patch: the prediction does not apply"));
                } else if statuses.is_empty() {
                    report.notes.push(format!("{when} the golden patch: no test is read from the log"));
                }
                if log.ends_in_coverage() {
                    let told = format!(
                        "{when} the golden patch: the log ends within the table of coverage, and what it does not name counts as executed, as officially"
                    );
                    report.broken.get_or_insert_with(|| told.clone());
                    report.notes.push(told);
                }
            }
            report.outcome = TddOutcome::Graded(Box::new(verdict));
        }
        Err(problem) => {
            report.notes.push(problem.to_string());
            report.outcome = TddOutcome::Error;
        }
    }
    Ok(report)
}

/// What of a prediction was run, as far as the scripts beside its logs say so: they hold what was applied.
enum LoggedPatch {
    /// All of it, or nothing says otherwise.
    Whole,
    /// Its tests.
    Tests,
    /// It is another one; how that is known.
    Another(String),
}

impl LoggedPatch {
    fn of(patch: &str, logs: &TddLogs, id: &str) -> Result<Self, LoadError> {
        let mut logged = Self::Whole;
        for folder in logs.folders(id) {
            let file = folder.join(SCRIPT);
            let Some(script) = text(&file)? else { continue };
            let applied = |patch: &str| script.contains(patch.trim_end());
            let is_worked_out = || {
                let changes = changes_of_tests(patch);
                !changes.is_empty() && changes_of_tests(&script).ends_with(&changes)
            };
            if !patch.contains("diff --git ") || applied(patch) {
                continue;
            }
            if !TestPatch::of(patch, None).is_ok_and(|tests| applied(&tests.diff)) && !is_worked_out() {
                let told = format!("its logs are of another prediction (see {})", file.display());
                return Ok(Self::Another(told));
            }
            logged = Self::Tests;
        }
        Ok(logged)
    }
}
