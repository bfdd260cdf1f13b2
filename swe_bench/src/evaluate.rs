//! Predictions tested in containers, several at once.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use patchwright_folder::atomic::replace;
use patchwright_lanes::own_files;
use patchwright_suites::container::passes;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::cache::{VerdictCache, VerdictInputs, VerdictKey};
use super::container::{EvaluationInputs, TrialError};
use super::grade::parser;
use super::images::{ImageNames, ImageStore};
use super::logs::{Logs, grade_logs};
use super::parsers::Parser;
use super::predictions::{Prediction, Predictions, folder_of};
use super::report::{CaseReport, EvaluationClass};
use super::rows::{Dataset, Row};
use super::rules::Rules;
use super::script::{Reset, eval_script, with_exit_code};
use super::spec::Specs;

/// The number of times that a case is tried whose container or image fails.
const TRIES: u32 = 3;
/// The files that an evaluation writes into the folder of a case.
const FILES: [&str; 5] = ["patch.diff", "eval.sh", "run_instance.log", "test_output.txt", "report.json"];

/// Settings for evaluating predictions.
#[derive(Debug)]
pub struct Evaluation {
    /// The rules.
    pub rules: Rules,
    /// The way in which test files are reset.
    pub reset: Reset,
    /// Commands for rows without a script.
    pub specs: Specs,
    /// The names of images.
    pub names: ImageNames,
    /// The images.
    pub store: ImageStore,
    /// Verdicts of earlier evaluations.
    pub cache: Option<VerdictCache>,
    /// Test again what has a verdict, and keep the new one.
    pub again: bool,
    /// The time that the tests of a case may take; 30 minutes officially.
    pub time: Duration,
    /// Is true if the network may be reached; officially it may, and many scripts install from it.
    pub network: bool,
    /// Cases at once.
    pub workers: usize,
    /// Images pulled at once.
    pub pulls: usize,
    /// Before a case is tried again whose container or image failed; three times as long before the next time.
    pub pause: Duration,
    /// The folder in which logs and reports lie, in the official layout.
    pub out: PathBuf,
    /// The name of the run; a part of paths.
    pub run_id: String,
    /// Says when to stop.
    pub cancel: CancellationToken,
}

/// The outcome of a case, and how it came about.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// The verdict.
    pub report: CaseReport,
    /// The prediction.
    pub prediction: Prediction,
    /// Is true if it was known from an earlier evaluation.
    pub cached: bool,
    /// Is true if what stood in the way of a verdict may be gone later.
    pub passing: bool,
    /// Wall-clock seconds.
    pub seconds: f64,
}

impl Evaluation {
    /// The folder with the logs of a case.
    pub fn logs_of(&self, prediction: &Prediction) -> PathBuf {
        let model = folder_of(&prediction.model);
        self.out.join("logs/run_evaluation").join(&self.run_id).join(model).join(&prediction.instance_id)
    }

    /// Evaluates predictions, those of one project after each other, since their images share layers. `told` hears of each
    /// case as soon as it is done; their order is that of their ends.
    pub async fn run(
        &self,
        dataset: &Dataset,
        predictions: &Predictions,
        told: impl Fn(&Evaluated),
    ) -> Vec<Evaluated> {
        let mut work: Vec<(&Row, &Prediction)> = predictions
            .list()
            .iter()
            .filter_map(|prediction| Some((dataset.get(&prediction.instance_id)?, prediction)))
            .collect();
        let order = |row: &Row| (row.repo.clone(), row.version.clone(), row.instance_id.clone());
        work.sort_by_key(|(row, _)| order(row));
        let pulls = Arc::new(Semaphore::new(self.pulls.max(1)));
        let cases = work.into_iter().map(|(row, prediction)| {
            let pulls = Arc::clone(&pulls);
            async move { Box::pin(self.case(row, prediction, &pulls)).await }
        });
        let mut cases = futures_util::stream::iter(cases).buffer_unordered(self.workers.max(1));
        let mut done = Vec::new();
        while let Some(case) = cases.next().await {
            told(&case);
            done.push(case);
        }
        done
    }

    /// Evaluates one prediction; what stands in the way becomes a verdict of its own.
    async fn case(&self, row: &Row, prediction: &Prediction, pulls: &Semaphore) -> Evaluated {
        let started = Instant::now();
        let bare = bare(row, prediction);
        let (report, cached, passing) =
            match self.cancel.run_until_cancelled(self.verdict(row, prediction, pulls)).await {
                Some(Ok((report, cached))) => (report, cached, false),
                Some(Err(Fault { reason, passes })) => (with_note(bare, reason), false, passes),
                None => {
                    let bare = CaseReport { class: EvaluationClass::Missing, ..bare };
                    (with_note(bare, "it was ended before it had a verdict".to_owned()), false, true)
                }
            };
        let seconds = started.elapsed().as_secs_f64();
        Evaluated { report, prediction: prediction.clone(), cached, passing, seconds }
    }

    /// The verdict, from an earlier evaluation or a new one, and whether it is an earlier one.
    async fn verdict(
        &self,
        row: &Row,
        prediction: &Prediction,
        pulls: &Semaphore,
    ) -> Result<(CaseReport, bool), Fault> {
        self.clear(prediction)?;
        if prediction.is_empty(self.rules) {
            return Ok((CaseReport { class: EvaluationClass::Empty, ..bare(row, prediction) }, false));
        }
        let lasting = |reason: String| Fault { reason, passes: false };
        let parser = parser(row, self.rules)
            .ok_or_else(|| lasting(format!("no log parser is known for {}", row.repo)))?;
        let script = eval_script(row, &self.specs, self.reset).map_err(|error| lasting(error.to_string()))?;
        let script = if self.rules == Rules::V5 { with_exit_code(&script) } else { script };
        let job = Job { row, prediction, script, parser, image: self.names.of(row) };
        let mut pause = self.pause;
        for _ in 1..TRIES {
            match self.tried(&job, pulls).await {
                Err(Fault { reason, passes: true }) => {
                    tracing::warn!("{}: {reason}; again in {} s", row.instance_id, pause.as_secs());
                    tokio::time::sleep(pause).await;
                    pause *= 3;
                }
                done => return done,
            }
        }
        self.tried(&job, pulls).await
    }

    /// Removes what an earlier evaluation left: it must not be taken for this one's.
    fn clear(&self, prediction: &Prediction) -> Result<(), Fault> {
        let logs = self.logs_of(prediction);
        for name in FILES {
            let file = logs.join(name);
            match fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    let reason = format!("{}: {error}", file.display());
                    return Err(Fault { reason, passes: true });
                }
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    async fn tried(&self, job: &Job<'_>, pulls: &Semaphore) -> Result<(CaseReport, bool), Fault> {
        let here = {
            let _pull = pulls.acquire().await;
            let taken = self.store.take(&job.image).await;
            taken.map_err(|error| Fault { passes: passes(&error), reason: error.to_string() })?
        };
        let verdict = self.judged(job, &here.id).await;
        self.store.give_back(&job.image).await;
        verdict
    }

    async fn judged(&self, job: &Job<'_>, image_id: &str) -> Result<(CaseReport, bool), Fault> {
        let Job { row, prediction, script, parser, image } = job;
        let patch = prediction.applicable();
        let key = VerdictKey::of(&VerdictInputs {
            patch: &patch,
            image: &format!("{image}@{image_id}"),
            script,
            network: self.network,
            row,
            parser: *parser,
            rules: self.rules,
        });
        let logs = self.logs_of(prediction);
        let disk =
            |error: std::io::Error| Fault { reason: format!("{}: {error}", logs.display()), passes: true };
        fs::create_dir_all(&logs).map_err(disk)?;
        // They are as the official program writes them, and so carry no mark.
        own_files::note(&logs, &FILES).map_err(disk)?;
        // Also beside a verdict of before: what lies in the folder belongs together.
        replace(&logs.join("patch.diff"), patch.as_bytes()).map_err(disk)?;
        replace(&logs.join("eval.sh"), script).map_err(disk)?;
        let known = self.cache.as_ref().filter(|_| !self.again).and_then(|cache| cache.get(&key));
        if let Some(graded) = known {
            let mut report = CaseReport { class: EvaluationClass::of(&graded), ..bare(row, prediction) };
            report.notes.extend(graded.notes());
            report.notes.push(KNOWN.to_owned());
            return Ok((CaseReport { graded: Some(graded), ..report }, true));
        }
        let session = format!("grade-{}", self.run_id);
        let trial = EvaluationInputs {
            image,
            session: &session,
            patch: &patch,
            script,
            rules: self.rules,
            time: self.time,
            network: self.network,
            logs: &logs,
        };
        let ran = trial.run().await;
        let hits =
            ran.map_err(|error: TrialError| Fault { passes: error.passes(), reason: error.to_string() })?;
        let (row, prediction, rules) = (Row::clone(row), Prediction::clone(prediction), self.rules);
        // Logs of many megabytes are read and parsed aside.
        let graded = patchwright_blocking::spawn(move |_| of_logs(row, prediction, &logs, rules)).await;
        let lasting = |reason: String| Fault { reason, passes: false };
        let mut report = graded.map_err(|failure| lasting(failure.message))?.map_err(lasting)?;
        let hits: Vec<String> = hits.notes().collect();
        // A sign of a broken environment is a reason to look again, and so is a limit of ours.
        if let (Some(cache), Some(graded), None, true) =
            (&self.cache, &report.graded, report.sign, hits.is_empty())
            && let Err(error) = cache.put(&key, graded)
        {
            tracing::warn!("a verdict is not kept: {error}");
        }
        report.notes.extend(hits);
        Ok((report, false))
    }
}

/// The note where nothing was tested.
const KNOWN: &str = "the verdict is that of an earlier evaluation of the same patch in the same image";

/// A prediction that is worth a container.
struct Job<'a> {
    row: &'a Row,
    prediction: &'a Prediction,
    script: String,
    parser: Parser,
    image: String,
}

/// The verdict on what lies in a folder of logs.
fn of_logs(row: Row, prediction: Prediction, logs: &Path, rules: Rules) -> Result<CaseReport, String> {
    let text = |error: patchwright_suites::LoadError| error.to_string();
    let dataset = Dataset::new([row]).map_err(text)?;
    let found = Logs::find(logs, &dataset).map_err(text)?;
    let report =
        grade_logs(&dataset, &Predictions::new([prediction]), &found, rules, |_, _| {}).map_err(text)?;
    report.cases.into_iter().next().ok_or_else(|| report.warnings.join("; "))
}

/// The reason why there is no verdict.
struct Fault {
    reason: String,
    /// It may work later.
    passes: bool,
}

/// A case of which nothing is known but its prediction.
fn bare(row: &Row, prediction: &Prediction) -> CaseReport {
    CaseReport {
        notes: prediction.notes(row),
        ..CaseReport::of(&row.instance_id, EvaluationClass::Infrastructure)
    }
}

fn with_note(mut report: CaseReport, note: String) -> CaseReport {
    report.notes.push(note);
    report
}
