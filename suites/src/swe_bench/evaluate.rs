//! Predictions tested in containers, several at once.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use tokio::sync::Semaphore;

use super::cache::{Cache, Key};
use super::container::{Trial, TrialError, passes};
use super::images::{ImageNames, ImageStore};
use super::logs::{Logs, grade_logs};
use super::predictions::{Prediction, Predictions, folder_of};
use super::report::{CaseReport, Class};
use super::rows::{Dataset, Row};
use super::rules::Rules;
use super::script::{Reset, eval_script, with_exit_code};
use super::spec::Specs;
use crate::run::Cancel;

/// How often a case is tried whose container or image fails.
const TRIES: u32 = 3;

/// How predictions are evaluated.
#[derive(Debug)]
pub struct Evaluation {
    /// The rules.
    pub rules: Rules,
    /// How test files are reset.
    pub reset: Reset,
    /// Commands for rows without a script.
    pub specs: Specs,
    /// What images are called.
    pub names: ImageNames,
    /// The images.
    pub store: ImageStore,
    /// Verdicts of earlier evaluations.
    pub cache: Option<Cache>,
    /// How long the tests of a case may take; 30 minutes officially.
    pub time: Duration,
    /// Whether the network may be reached; officially it may, and many scripts install from it.
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
    pub cancel: Cancel,
}

/// What came of a case, and how.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// The verdict.
    pub report: CaseReport,
    /// The model, as the prediction names it.
    pub model: String,
    /// Whether it was known from an earlier evaluation.
    pub cached: bool,
    /// Wall-clock seconds.
    pub seconds: f64,
}

impl Evaluation {
    /// The folder with the logs of a case.
    pub fn logs_of(&self, prediction: &Prediction) -> PathBuf {
        let model = folder_of(&prediction.model);
        self.out
            .join("logs")
            .join("run_evaluation")
            .join(&self.run_id)
            .join(model)
            .join(&prediction.instance_id)
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
        work.sort_by(|(one, _), (other, _)| (&one.repo, &one.version).cmp(&(&other.repo, &other.version)));
        let pulls = Arc::new(Semaphore::new(self.pulls.max(1)));
        let cases = work.into_iter().map(|(row, prediction)| {
            let pulls = Arc::clone(&pulls);
            async move { self.case(row, prediction, &pulls).await }
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
        let (report, cached) = match self.cancel.or(self.verdict(row, prediction, pulls)).await {
            Some(Ok(verdict)) => verdict,
            Some(Err(why)) => (broken(row, prediction, why), false),
            None => (broken(row, prediction, "it was ended before it had a verdict".to_owned()), false),
        };
        let seconds = started.elapsed().as_secs_f64();
        Evaluated { report, model: prediction.model.clone(), cached, seconds }
    }

    /// The verdict, from an earlier evaluation or a new one, and whether it is an earlier one.
    async fn verdict(
        &self,
        row: &Row,
        prediction: &Prediction,
        pulls: &Semaphore,
    ) -> Result<(CaseReport, bool), String> {
        if prediction.is_empty(self.rules) {
            return Ok((self.graded(row, prediction, &self.out)?, false));
        }
        let script = eval_script(row, &self.specs, self.reset).map_err(|error| error.to_string())?;
        let script = if self.rules == Rules::V5 { with_exit_code(&script) } else { script };
        let image = self.names.of(row);
        let mut pause = self.pause;
        for attempt in 1.. {
            let tried = self.tried(row, prediction, &script, &image, pulls).await;
            let error = match tried {
                Ok(verdict) => return Ok(verdict),
                Err(Fault::Passing(reason)) if attempt < TRIES => reason,
                Err(Fault::Passing(reason) | Fault::Lasting(reason)) => return Err(reason),
            };
            tracing::warn!("{}: {error}; it is tried again in {} s", row.instance_id, pause.as_secs());
            tokio::time::sleep(pause).await;
            pause *= 3;
        }
        Err("it was never tried".to_owned())
    }

    async fn tried(
        &self,
        row: &Row,
        prediction: &Prediction,
        script: &str,
        image: &str,
        pulls: &Semaphore,
    ) -> Result<(CaseReport, bool), Fault> {
        let here = {
            let _pull = pulls.acquire().await;
            self.store.take(image).await.map_err(|error| Fault::of(passes(&error), &error))?
        };
        let verdict = self.judged(row, prediction, script, (image, &here.id)).await;
        self.store.give_back(image).await;
        verdict
    }

    async fn judged(
        &self,
        row: &Row,
        prediction: &Prediction,
        script: &str,
        (image, id): (&str, &str),
    ) -> Result<(CaseReport, bool), Fault> {
        let patch = prediction.applicable();
        let required = [row.fail_to_pass.as_slice(), row.pass_to_pass.as_slice()];
        let key = Key::of(&patch, &format!("{image}@{id}"), script, required, self.rules);
        if let Some(graded) = self.cache.as_ref().and_then(|cache| cache.get(&key)) {
            let mut notes = prediction.notes(row);
            notes.push(
                "the verdict is that of an earlier evaluation of the same patch in the same image".to_owned(),
            );
            let report = CaseReport {
                instance_id: row.instance_id.clone(),
                class: Class::of(&graded),
                log: None,
                graded: Some(graded),
                sign: None,
                notes,
            };
            return Ok((report, true));
        }
        let logs = self.logs_of(prediction);
        fs::create_dir_all(&logs).map_err(|error| Fault::Passing(format!("{}: {error}", logs.display())))?;
        let session = format!("grade-{}", self.run_id);
        let trial = Trial {
            image,
            session: &session,
            patch: &patch,
            script,
            rules: self.rules,
            time: self.time,
            network: self.network,
            logs: &logs,
        };
        trial.run().await.map_err(|error: TrialError| Fault::of(error.passes(), &error))?;
        let report = self.graded(row, prediction, &logs).map_err(Fault::Lasting)?;
        // A sign of a broken environment is a reason to look again.
        if let (Some(cache), Some(graded), None) = (&self.cache, &report.graded, report.sign)
            && let Err(error) = cache.put(&key, graded)
        {
            tracing::warn!("a verdict is not kept: {error}");
        }
        Ok((report, false))
    }

    /// The verdict on what lies in a folder of logs.
    fn graded(&self, row: &Row, prediction: &Prediction, logs: &Path) -> Result<CaseReport, String> {
        let text = |error: crate::LoadError| error.to_string();
        let dataset = Dataset::new([row.clone()]).map_err(text)?;
        let found =
            if logs == self.out { Logs::default() } else { Logs::find(logs, &dataset).map_err(text)? };
        let report =
            grade_logs(&dataset, &Predictions::new([prediction.clone()]), &found, self.rules, |_, _| {});
        let case = report.map_err(text)?.cases.into_iter().next();
        case.ok_or_else(|| "nothing was graded".to_owned())
    }
}

/// Why there is no verdict.
enum Fault {
    /// It may work later.
    Passing(String),
    /// It will not.
    Lasting(String),
}

impl Fault {
    fn of(passes: bool, error: &impl ToString) -> Self {
        if passes { Self::Passing(error.to_string()) } else { Self::Lasting(error.to_string()) }
    }
}

/// A case that nothing is known of but what stood in the way.
fn broken(row: &Row, prediction: &Prediction, why: String) -> CaseReport {
    let mut notes = prediction.notes(row);
    notes.push(why);
    CaseReport {
        instance_id: row.instance_id.clone(),
        class: Class::Infrastructure,
        log: None,
        graded: None,
        sign: None,
        notes,
    }
}
