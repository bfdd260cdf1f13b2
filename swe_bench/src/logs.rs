//! The logs of a run, and their grading.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use patchwright_folder::{LONGEST_FILE, LONGEST_LOG, read_file};
use patchwright_suites::LoadError;
use patchwright_syntax::parallel;

use super::grade::{grade, parser};
use super::log::{self, NoResult};
use super::parsers::Parser;
use super::predictions::{PredictedPatch, Prediction, Predictions, folder_of};
use super::report::{CaseReport, EvaluationClass, RunReport};
use super::rows::{Dataset, Row};
use super::rules::Rules;
use super::signs;
use super::text::decode;

/// The output of the tests of a case, in its folder.
const TEST_OUTPUT: &str = "test_output.txt";
/// The official program's own log of a case, in its folder.
const RUN_LOG: &str = "run_instance.log";
/// The end of a file that holds both (1.x): `<id>.<model>.eval.log`.
const FLAT: &str = ".eval.log";
/// Ends of files that are called by the case alone.
const BARE: [&str; 3] = [FLAT, ".log", ".txt"];
/// A folder of logs that is not called by a model.
const PLAIN: &str = "logs";
/// Folders below the one named in which logs are looked for: `logs/run_evaluation/<run>/<model>/<id>`, and
/// one to spare.
const DEEPEST: usize = 6;

/// The logs of one case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Found {
    /// The folder of the run; empty where the layout has none.
    run: String,
    /// The folder of the model; empty where the layout has none.
    model: String,
    tests: Option<PathBuf>,
    run_log: Option<PathBuf>,
    patch: Option<PathBuf>,
}

/// The logs of a folder, by case.
#[derive(Clone, Debug, Default)]
pub struct Logs {
    found: BTreeMap<String, Vec<Found>>,
}

impl Logs {
    /// Looks for logs in a folder and those below it: `<id>/test_output.txt` and `<id>/run_instance.log`,
    /// usually in `logs/run_evaluation/<run>/<model>`, or in `<model>/logs`; `<id>.<model>.eval.log` of 1.x; and
    /// `<id>.eval.log`, `<id>.log` and `<id>.txt`. Logs of cases that the dataset does not have are passed over.
    ///
    /// # Errors
    /// The folder, or one below it, cannot be read.
    pub fn find(folder: &Path, dataset: &Dataset) -> Result<Self, LoadError> {
        let mut logs = Self::default();
        // The names of folders above tell the model and the run.
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        logs.look_in(&folder, dataset, DEEPEST)?;
        Ok(logs)
    }

    fn look_in(&mut self, folder: &Path, dataset: &Dataset, deep: usize) -> Result<(), LoadError> {
        let wrong = |error: std::io::Error| LoadError {
            place: folder.display().to_string(),
            message: format!("the folder of logs cannot be read: {error}"),
        };
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(wrong)? {
            paths.push(entry.map_err(wrong)?.path());
        }
        paths.sort();
        let id = name(folder);
        if dataset.get(id).is_some() {
            let file = |name: &str| Some(folder.join(name)).filter(|path| path.is_file());
            let (run, model) = folder.parent().map(run_and_model).unwrap_or_default();
            let found = Found {
                run: run.to_owned(),
                model: model.to_owned(),
                tests: file(TEST_OUTPUT),
                run_log: file(RUN_LOG),
                patch: file("patch.diff"),
            };
            if found.tests.is_some() || found.run_log.is_some() {
                self.found.entry(id.to_owned()).or_default().push(found);
            }
            return Ok(());
        }
        for path in paths {
            if path.is_dir() {
                if deep > 0 {
                    self.look_in(&path, dataset, deep - 1)?;
                }
                continue;
            }
            let file = name(&path);
            let of_folder = || if name(folder) == PLAIN { run_and_model(folder).1 } else { "" };
            // Beside a folder of the case, a file with its name is something else, such as what the model said.
            let bare = bare(file, dataset).filter(|id| !folder.join(id).is_dir()).map(|id| (id, of_folder()));
            if let Some((id, model)) = bare.or_else(|| flat(file, dataset)) {
                let found = Found { model: model.to_owned(), tests: Some(path.clone()), ..Found::default() };
                self.found.entry(id.to_owned()).or_default().push(found);
            }
        }
        Ok(())
    }

    /// Predictions for the cases that have logs, of each model whose logs are there, where no file of predictions is there:
    /// patches from `patch.diff` beside the logs, or unknown.
    pub fn predictions(&self) -> Predictions {
        let of_case = |(id, found): (&String, &Vec<Found>)| -> Vec<Prediction> {
            found.iter().map(|found| found.prediction(id)).collect()
        };
        Predictions::new(self.found.iter().flat_map(of_case))
    }

    /// The logs of a prediction: those of its model if there are any, else those of no other model that has predictions, and of
    /// these the last by name of the run. A log beside which another patch lies is not of this prediction.
    fn of(
        &self,
        prediction: &Prediction,
        predictions: &Predictions,
        warnings: &mut Vec<String>,
    ) -> Option<&Found> {
        let found = self.found.get(&prediction.instance_id)?;
        let model = folder_of(&prediction.model);
        let own: Vec<&Found> = found.iter().filter(|found| found.model == model).collect();
        let foreign = own.is_empty();
        let nobodys = || found.iter().filter(|found| !predictions.is_of_another(&found.model)).collect();
        let own = if foreign { nobodys() } else { own };
        let (own, of_others): (Vec<&Found>, Vec<&Found>) =
            own.into_iter().partition(|found| found.is_of(&prediction.patch));
        let id = &prediction.instance_id;
        if own.is_empty() && !of_others.is_empty() {
            warnings.push(format!(
                "{id}: its logs are of another patch (see patch.diff beside them); none is graded"
            ));
        } else if foreign && own.iter().any(|found| !found.model.is_empty()) {
            warnings.push(format!(
                "{id}: no log is of the model {}; another model's is graded",
                prediction.model
            ));
        }
        let (last, others) = own.split_last()?;
        if !others.is_empty() {
            let path = last.tests.as_ref().or(last.run_log.as_ref());
            warnings.push(format!(
                "{}: {} logs were found; {} is graded",
                prediction.instance_id,
                own.len(),
                path.map(|path| path.display().to_string()).unwrap_or_default()
            ));
        }
        Some(last)
    }
}

impl Found {
    /// The prediction that was evaluated, as far as the folder tells. What ran was not empty: then an empty `patch.diff` is not the patch.
    fn prediction(&self, id: &str) -> Prediction {
        let bytes = self.patch.as_ref().and_then(|path| read_file(path, LONGEST_FILE).ok());
        let bytes = bytes.filter(|bytes| self.tests.is_none() || !bytes.trim_ascii().is_empty());
        Prediction {
            instance_id: id.to_owned(),
            model: if self.model.is_empty() { "None".to_owned() } else { self.model.clone() },
            patch: bytes.map_or(PredictedPatch::Unknown, |bytes| {
                PredictedPatch::Text(String::from_utf8_lossy(&bytes).into_owned())
            }),
        }
    }

    /// Is true if nothing says that the log is of another patch.
    fn is_of(&self, patch: &PredictedPatch) -> bool {
        let PredictedPatch::Text(patch) = patch else { return true };
        let beside = self.patch.as_ref().and_then(|path| read_file(path, LONGEST_FILE).ok());
        beside.is_none_or(|beside| String::from_utf8_lossy(&beside).trim_end() == patch.trim_end())
    }
}

/// The id and the model of a flat log's name. Both may have dots, so the longest id that the dataset has is
/// meant.
fn flat<'name>(name: &'name str, dataset: &Dataset) -> Option<(&'name str, &'name str)> {
    let name = name.strip_suffix(FLAT)?;
    let splits = name.rmatch_indices('.').map(|(at, _)| (&name[..at], &name[at + 1..]));
    splits.into_iter().find(|(id, _)| dataset.get(id).is_some())
}

/// The id that a log is called by.
fn bare<'name>(name: &'name str, dataset: &Dataset) -> Option<&'name str> {
    let ids = BARE.iter().filter_map(|end| name.strip_suffix(end));
    ids.into_iter().find(|id| dataset.get(id).is_some())
}

/// The run and the model of a folder that holds the folders of cases: `<run>/<model>`, or `<model>/logs`.
fn run_and_model(folder: &Path) -> (&str, &str) {
    let above = folder.parent().map(name).unwrap_or_default();
    if name(folder) == PLAIN { ("", above) } else { (above, name(folder)) }
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// The work on a case.
struct Job<'run> {
    row: &'run Row,
    prediction: Option<&'run Prediction>,
    found: Option<&'run Found>,
    parser: Parser,
}

/// Grades the logs of predictions, in parallel; those of several models want a report each, see [`Predictions::by_model`].
/// Cases for which no parser is known are left out, with a warning. `progress` hears how many of how many cases are done;
/// it is called from several threads.
///
/// # Errors
/// No parser is known for any case, or a log cannot be read.
pub fn grade_logs(
    dataset: &Dataset,
    predictions: &Predictions,
    logs: &Logs,
    rules: Rules,
    progress: impl Fn(usize, usize) + Sync,
) -> Result<RunReport, LoadError> {
    let mut warnings = predictions.warnings().to_vec();
    let mut jobs = Vec::new();
    let mut unreadable = None;
    for row in dataset.rows() {
        let Some(parser) = parser(row, rules) else {
            let error = no_parser(row);
            warnings.push(format!("{error}; the case is left out"));
            unreadable.get_or_insert(error);
            continue;
        };
        let prediction = predictions.get(&row.instance_id);
        let found = prediction.and_then(|prediction| logs.of(prediction, predictions, &mut warnings));
        jobs.push(Job { row, prediction, found, parser });
    }
    if let Some(error) = unreadable.filter(|_| jobs.is_empty()) {
        return Err(error);
    }
    let done = AtomicUsize::new(0);
    let cases = parallel::over(&jobs, |job| {
        let report = case(job, rules);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
        report
    });
    let runs = jobs.iter().filter_map(|job| job.found).map(|found| found.run.as_str());
    let model = predictions.list().first().map_or("None", |prediction| prediction.model.as_str());
    Ok(RunReport {
        rules,
        model: model.to_owned(),
        run_id: runs.filter(|run| !run.is_empty()).max().unwrap_or("graded").to_owned(),
        cases: cases.into_iter().collect::<Result<_, _>>()?,
        warnings,
    })
}

fn no_parser(row: &Row) -> LoadError {
    LoadError {
        place: format!("{}, field `repo`", row.instance_id),
        message: format!(
            "no log parser is known for {}; name one in the field `log_parser`, such as `parse_log_pytest`",
            row.repo
        ),
    }
}

fn case(job: &Job<'_>, rules: Rules) -> Result<CaseReport, LoadError> {
    let mut report = CaseReport::of(&job.row.instance_id, EvaluationClass::Missing);
    let Some(prediction) = job.prediction else { return Ok(report) };
    report.notes = prediction.notes(job.row);
    if prediction.is_empty(rules) {
        report.class = EvaluationClass::Empty;
        return Ok(report);
    }
    let tests = read(job.found.and_then(|found| found.tests.as_ref()))?;
    let run_log = read(job.found.and_then(|found| found.run_log.as_ref()))?;
    report.log = job.found.and_then(|found| found.tests.clone());
    let stopped = stopped(tests.as_deref(), run_log.as_deref());
    let gradable = tests.as_ref().filter(|_| stopped.is_none());
    report.graded = gradable.map(|tests| grade(job.row, job.parser, tests, rules));
    if !report.graded.as_ref().is_some_and(super::Graded::resolved) {
        let texts: Vec<&str> = tests.iter().chain(&run_log).map(String::as_str).collect();
        report.sign = signs::find(&texts);
    }
    let graded = || report.graded.as_ref().map_or(EvaluationClass::Infrastructure, EvaluationClass::of);
    report.class = stopped.map_or_else(graded, EvaluationClass::without_tests);
    match &report.graded {
        Some(graded) => report.notes.extend(graded.notes()),
        None => {
            report.notes.push(stopped.map_or("there is no log of its tests", NoResult::sentence).to_owned());
        }
    }
    Ok(report)
}

/// The reason why the official program stopped before it wrote a report on the case, so that there is none here either: then a log of
/// tests says nothing, or is that of an earlier run.
fn stopped(tests: Option<&str>, run_log: Option<&str>) -> Option<NoResult> {
    if run_log.is_some_and(log::says_patch_failed) {
        return Some(NoResult::PatchFailed);
    }
    tests.is_some_and(log::ends_in_timeout).then_some(NoResult::TimedOut)
}

fn read(path: Option<&PathBuf>) -> Result<Option<String>, LoadError> {
    let Some(path) = path else { return Ok(None) };
    match read_file(path, LONGEST_LOG) {
        Ok(bytes) => Ok(Some(decode(bytes))),
        Err(error) => Err(LoadError {
            place: path.display().to_string(),
            message: format!("the log cannot be read: {error}"),
        }),
    }
}
