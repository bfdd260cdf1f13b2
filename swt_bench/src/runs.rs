//! The grading of the logs of a run.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use patchwright_suites::LoadError;
use patchwright_swe_bench::text::decode;
use patchwright_swe_bench::{Dataset, PredictedPatch, Prediction, Predictions, Row, is_test};
use patchwright_syntax::parallel;

use crate::changes::ChangedLines;
use crate::excluded::{Subset, counts};
use crate::grade::{RunKind, grade};
use crate::layout::{Layout, ModelRun, PATCH, SPEC, TEST_OUTPUT, tests_of};
use crate::log::{LogNote, Reasons, RunLog, of_another_case};
use crate::parsers::LogParser;
use crate::predictions::{TestPatch, added_files, lost_lines, production_files, without_binaries};
use crate::report::{CaseOutcome, CaseReport, RunReport};

/// The model whose predictions are the golden tests.
pub(crate) const GOLD: &str = "gold";

/// The way in which logs are graded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GradeOptions<'a> {
    /// Look strictly at failures too.
    pub strict: bool,
    /// The runs were those of a script, whose exit status counts (`--exec_mode reproduction_script`).
    pub script: bool,
    /// The subset that aggregates are about; by the size of the dataset where nothing is said.
    pub subset: Option<Subset>,
    /// The run whose logs are those of the predictions; where nothing is said, the last one of their model by name.
    pub run_id: Option<&'a str>,
}

/// Grades all runs of a folder of logs, or those of the models that have predictions: a report for each. `progress` hears how many of how
/// many cases are done; it is called from several threads.
///
/// # Errors
/// A log cannot be read, or a model that has predictions has no logs.
pub fn grade_logs(
    dataset: &Dataset,
    predictions: Option<&Predictions>,
    layout: &Layout,
    options: GradeOptions<'_>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<RunReport>, LoadError> {
    let grading = Grading { dataset, layout, options, progress };
    let mut reports = match predictions {
        None => {
            let runs = layout.runs().iter().map(|run| grading.run(run, None));
            runs.collect::<Result<Vec<_>, _>>()?
        }
        Some(predictions) => {
            let models = predictions.by_model();
            let reports = models.iter().map(|own| grading.predictions(own)).collect::<Result<Vec<_>, _>>()?;
            reports.into_iter().flatten().collect()
        }
    };
    let possible = grading.possible(&reports)?;
    for report in &mut reports {
        report.possible = possible;
    }
    Ok(reports)
}

struct Grading<'a> {
    dataset: &'a Dataset,
    layout: &'a Layout,
    options: GradeOptions<'a>,
    progress: &'a (dyn Fn(usize, usize) + Sync),
}

impl Grading<'_> {
    /// The report on the predictions of one model.
    fn predictions(&self, predictions: &Predictions) -> Result<Option<RunReport>, LoadError> {
        let Some(first) = predictions.list().first() else { return Ok(None) };
        let run_id = self.options.run_id;
        let run = self.layout.of_model(first, run_id).cloned().or_else(|| match self.layout.runs() {
            // A single run whose folder is called otherwise.
            [only] if run_id.is_none() => Some(only.clone()),
            _ => None,
        });
        let run = run.ok_or_else(|| LoadError {
            place: self.layout.root().display().to_string(),
            message: format!(
                "no logs are of the model {}; there are those of {}; give the predictions of one of these",
                first.model,
                self.layout.runs().iter().map(|run| run.model.as_str()).collect::<Vec<_>>().join(", ")
            ),
        })?;
        self.run(&run, Some(predictions)).map(Some)
    }

    /// The report on a run: the cases that have predictions, or else logs.
    fn run(&self, run: &ModelRun, predictions: Option<&Predictions>) -> Result<RunReport, LoadError> {
        let mut warnings = predictions.map_or(&[][..], Predictions::warnings).to_vec();
        let logged = self.layout.cases(run);
        let unknown: Vec<&String> = logged.iter().filter(|id| self.dataset.get(id).is_none()).collect();
        if let Some(first) = unknown.first() {
            warnings.push(format!(
                "{} cases have logs and are not in the dataset, such as {first}; they are left out",
                unknown.len()
            ));
        }
        let is_meant = |row: &&Row| match predictions {
            Some(predictions) => predictions.get(&row.instance_id).is_some(),
            None => logged.contains(&row.instance_id),
        };
        let rows: Vec<&Row> = self.dataset.rows().iter().filter(is_meant).collect();
        let done = AtomicUsize::new(0);
        let cases = parallel::over(&rows, |row| {
            let prediction = predictions.and_then(|predictions| predictions.get(&row.instance_id));
            let report = self.case(row, run, prediction);
            (self.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, rows.len());
            report
        });
        let named = predictions.and_then(|predictions| predictions.list().first());
        let subset = self.options.subset.unwrap_or_else(|| Subset::of(self.dataset));
        Ok(RunReport {
            model: named.map_or(&run.model, |prediction| &prediction.model).clone(),
            run_id: run.run_id.clone(),
            subset,
            total: subset.total(self.dataset),
            possible: None,
            strict: self.options.strict,
            cases: cases.into_iter().collect::<Result<_, _>>()?,
            warnings,
        })
    }

    /// The report on a case.
    ///
    /// Official place: `make_run_report` in `src/run_evaluation.py`.
    fn case(
        &self,
        row: &Row,
        run: &ModelRun,
        prediction: Option<&Prediction>,
    ) -> Result<CaseReport, LoadError> {
        let id = &row.instance_id;
        let mut report =
            CaseReport { instance_id: id.clone(), outcome: CaseOutcome::NotRun, notes: Vec::new() };
        let folder = self.layout.folder(RunKind::PredPre, run, id, &[]);
        let Some(patch) = text(&folder.join(PATCH))? else {
            report
                .notes
                .push(format!("there is no `{PATCH}` in {}: it was not run to its end", folder.display()));
            return Ok(report);
        };
        if let Some(problem) = foreign(&folder, &patch, row, prediction)? {
            report.notes.push(problem);
            return Ok(report);
        }
        report.notes.extend(match LoggedPatch::of(prediction, &patch) {
            LoggedPatch::Tests => Some(TESTS_ALONE.to_owned()),
            LoggedPatch::Whole | LoggedPatch::Another => mixed(&patch, self.options.script),
        });
        if run.model != GOLD {
            report.notes.extend(weakened(&patch));
        }
        let parser =
            if self.options.script { Some(LogParser::Script) } else { LogParser::of_repository(&row.repo) };
        let Some(parser) = parser else {
            report.notes.push(format!("no logs of {} can be read", row.repo));
            return Ok(report);
        };
        let changed = ChangedLines::of(&row.patch);
        let mut runs: [RunLog; 6] = Default::default();
        for (kind, log) in RunKind::ALL.into_iter().zip(&mut runs) {
            let tests = tests_of(kind, &row.repo, &patch, &row.test_patch);
            let folder = self.layout.folder(kind, run, id, &tests);
            let reasons = match kind {
                RunKind::PredPre if self.options.strict => Reasons::Find,
                RunKind::PredPre
                | RunKind::PredPost
                | RunKind::GoldPre
                | RunKind::GoldPost
                | RunKind::BasePre
                | RunKind::BasePost => Reasons::Skip,
            };
            let file = folder.join(TEST_OUTPUT);
            let logged = text(&file)?;
            if let Some(problem) = logged.as_deref().and_then(|log| of_another_case(log, row)) {
                report.notes.push(format!("{}: {problem} (see {})", kind.name(), file.display()));
                if kind == RunKind::PredPre {
                    return Ok(report);
                }
                continue;
            }
            *log = match logged {
                Some(text) => RunLog::read(&text, parser, row, |file| changed.names(file), reasons),
                None if kind == RunKind::PredPre => {
                    report.notes.push(format!(
                        "there is no log of its tests ({}): they took too long, or broke off",
                        file.display()
                    ));
                    return Ok(report);
                }
                None => RunLog::missing(),
            };
            self.note(kind, log, row, &mut report.notes);
            if kind == RunKind::PredPost
                && let Some(other) = text(&folder.join(PATCH))?
                && other.trim_end() != patch.trim_end()
            {
                report
                    .notes
                    .push("pred_post: the log is of another prediction than that of pred_pre".to_owned());
            }
        }
        let issue = self.options.strict.then_some(row.problem_statement.as_str());
        let verdict = grade(&changed, &runs, issue);
        report.outcome =
            verdict.map_or(CaseOutcome::NotApplied, |verdict| CaseOutcome::Graded(Box::new(verdict)));
        Ok(report)
    }

    /// Tells what is odd about a log.
    fn note(&self, kind: RunKind, log: &RunLog, row: &Row, notes: &mut Vec<String>) {
        for note in &log.notes {
            let mut text = format!("{}: {}", kind.name(), note.sentence());
            let others = self.layout.other_folders(kind, &row.instance_id);
            if *note == LogNote::Missing && kind.is_shared() && others > 0 {
                text.push_str(&format!(
                    " ({others} logs are there for other test files: was it run with another prediction, or another dataset?)"
                ));
            }
            notes.push(text);
        }
    }

    /// The number of cases that ΔC is divided by: those of a run of the golden tests whose golden patch has lines that can be executed.
    ///
    /// Official place: `GOLD_RUN_MAP` in `src/report.py`; without such a run the official program shows no ΔC.
    fn possible(&self, reports: &[RunReport]) -> Result<Option<usize>, LoadError> {
        let of = |report: &RunReport| {
            let cases = report.cases.iter().filter(|case| counts(&case.instance_id));
            cases.filter(|case| case.coverage().is_some()).count()
        };
        if let Some(report) = reports.iter().find(|report| report.model == GOLD) {
            return Ok(Some(of(report)));
        }
        let Some(run) = self.layout.runs().iter().rev().find(|run| run.model == GOLD) else {
            return Ok(None);
        };
        Ok(Some(of(&self.run(run, None)?)))
    }
}

/// What is told where a prediction changes more than tests. A script that it adds is what is run.
pub(crate) fn mixed(patch: &str, script: bool) -> Option<String> {
    let added = if script { added_files(patch) } else { Vec::new() };
    let others: Vec<String> =
        production_files(patch).into_iter().filter(|path| !added.contains(path)).collect();
    (!others.is_empty()).then(|| {
        format!(
            "the prediction changes files that are no tests, which are applied too: {}",
            others.join(", ")
        )
    })
}

/// What is told where a prediction takes away what tests check so far.
pub(crate) fn weakened(patch: &str) -> Option<String> {
    let lost = lost_lines(patch).into_iter().filter(|(path, _)| is_test(path));
    let told: Vec<String> = lost.map(|(path, count)| format!("{path} ({count} lines)")).collect();
    (!told.is_empty()).then(|| {
        format!(
            "the prediction changes or removes lines of tests that are there, so that what these check may not be checked any more: {}",
            told.join(", ")
        )
    })
}

/// What is told where the logs are of the tests of a prediction that holds more.
pub(crate) const TESTS_ALONE: &str = "its logs are of its test files alone; officially all of it is applied";

/// What of a prediction was run.
enum LoggedPatch {
    /// All of it, or nothing says otherwise.
    Whole,
    /// Its tests.
    Tests,
    /// It is another one.
    Another,
}

impl LoggedPatch {
    /// `patch` is the one beside the logs.
    fn of(prediction: Option<&Prediction>, patch: &str) -> Self {
        let Some(PredictedPatch::Text(predicted)) = prediction.map(|prediction| &prediction.patch) else {
            return Self::Whole;
        };
        let is_same = |text: &str| text.trim_end() == patch.trim_end();
        // What was extracted from custom blocks is another text than the prediction.
        let is_other = !predicted.contains("diff --git ");
        if is_other || is_same(predicted) || is_same(&without_binaries(predicted)) {
            Self::Whole
        } else if TestPatch::of(predicted, None).is_ok_and(|tests| is_same(&tests.diff)) {
            Self::Tests
        } else {
            Self::Another
        }
    }
}

/// The reason why logs are not those of a prediction, where something says so.
fn foreign(
    folder: &Path,
    patch: &str,
    row: &Row,
    prediction: Option<&Prediction>,
) -> Result<Option<String>, LoadError> {
    if let LoggedPatch::Another = LoggedPatch::of(prediction, patch) {
        return Ok(Some(format!(
            "its logs are of another prediction (see {})",
            folder.join(PATCH).display()
        )));
    }
    let spec =
        text(&folder.join(SPEC))?.and_then(|spec| serde_json::from_str::<serde_json::Value>(&spec).ok());
    let field = |name: &str| spec.as_ref()?.get(name)?.as_str().map(str::to_owned);
    for (name, own) in [("instance_id", &row.instance_id), ("repo", &row.repo)] {
        if let Some(other) = field(name).filter(|other| other != own) {
            return Ok(Some(format!("its logs are of another case: `{name}` in `{SPEC}` is {other}")));
        }
    }
    Ok(None)
}

/// The text of a file; none where there is no such file.
pub(crate) fn text(file: &Path) -> Result<Option<String>, LoadError> {
    match fs::read(file) {
        Ok(bytes) => Ok(Some(decode(bytes))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(LoadError {
            place: file.display().to_string(),
            message: format!("it cannot be read: {error}"),
        }),
    }
}
