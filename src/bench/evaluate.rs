//! Predictions tested in containers: progress, verdicts, reports.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar};
use patchwright_command_line::bench::gold::GoldArgs;
use patchwright_command_line::bench::grade::{GradeArgs, Testing};
use patchwright_protocol::Failure;
use patchwright_runs::{Grade, RunRecord};
use patchwright_suites::Suite;
use patchwright_swe_bench::{
    CaseReport, Dataset, Evaluated, Evaluation, EvaluationClass, Predictions, Reset, Row, Rules, RunReport,
    SweBench, VerdictCache,
};

use crate::bench::bar::bar;
use crate::bench::fix_reports::write_and_tell;
use crate::bench::kept::{Judged, keep};
use crate::bench::swe_bench;
use crate::failure::ExitCode;
use crate::model::cache_folder;

/// The predictions to evaluate, and where their reports go.
pub struct Work {
    /// The cases that count.
    pub dataset: Dataset,
    /// The predictions for them.
    pub predictions: Predictions,
    /// The run of ours that the predictions come from.
    pub run: Option<PathBuf>,
    /// The folder for logs and reports.
    pub out: PathBuf,
    /// The rules.
    pub rules: Rules,
    /// The settings of its tests.
    pub testing: Testing,
    /// Print the report as JSON.
    pub json: bool,
}

impl Work {
    /// The work that `bench grade` was given.
    pub fn of(args: &GradeArgs, dataset: Dataset) -> Result<Self, Failure> {
        let (predictions, run) = predictions(args.predictions.as_deref().unwrap_or("gold"), &dataset)?;
        let dataset = only(dataset, &args.case)?;
        Ok(Self {
            predictions,
            dataset,
            run,
            out: args.out.clone(),
            rules: args.rules.unwrap_or_default(),
            testing: args.testing.clone(),
            json: args.json,
        })
    }

    /// Fixes whose verdicts are wanted beside something else; their logs have a folder of their own.
    pub fn of_fixes(args: &GradeArgs, dataset: Dataset, predictions: Predictions) -> Self {
        Self {
            dataset,
            predictions,
            run: None,
            out: args.out.join("fixes"),
            rules: args.rules.unwrap_or_default(),
            testing: args.testing.clone(),
            json: false,
        }
    }

    /// The developers' fixes, as `bench gold` was told.
    pub fn gold(args: &GoldArgs, word: &str) -> Result<Self, Failure> {
        let file = word.split_once(':').map_or(word, |(_, file)| file);
        let dataset = swe_bench::dataset(Path::new(file), args.split.as_deref())?;
        let suite = SweBench::new(dataset, swe_bench::options(None)?);
        let picked = args.cases.selection().pick(suite.cases()).map_err(Failure::user)?;
        let ids: Vec<String> = picked.iter().map(|case| case.id.clone()).collect();
        let dataset = only(suite.dataset().clone(), &ids)?;
        Ok(Self {
            predictions: Predictions::gold(&dataset),
            dataset,
            run: None,
            out: args.reports(),
            rules: Rules::default(),
            testing: testing_of_gold(args),
            json: args.json,
        })
    }
}

/// How `bench gold` was told to test in containers.
pub fn testing_of_gold(args: &GoldArgs) -> Testing {
    Testing {
        run_id: Some(args.testing.run_id.clone().unwrap_or_else(|| "gold".to_owned())),
        ..args.testing.clone()
    }
}

/// The predictions that a word of the command line names, and the run of ours that they come from, if they do.
pub fn predictions(word: &str, dataset: &Dataset) -> Result<(Predictions, Option<PathBuf>), Failure> {
    let run = run_folder(word)?;
    let found = match (&run, word) {
        (Some(run), _) => {
            let run = RunRecord::read(run).map_err(Failure::user)?;
            run.write_predictions().map_err(Failure::environment)?;
            Predictions::load(&run.places.predictions(), dataset)
        }
        (None, "gold") => Ok(Predictions::gold(dataset)),
        (None, file) => Predictions::load(Path::new(file), dataset),
    };
    let found = found.map_err(Failure::user)?;
    if found.list().is_empty() {
        return Err(no_prediction(word));
    }
    Ok((found, run))
}

/// The error where there is nothing to judge.
pub fn no_prediction(word: &str) -> Failure {
    Failure::user(format!("--predictions {word}: there is no prediction in it"))
        .hint("a prediction is an object with `instance_id`, `model_name_or_path` and `model_patch`; `gold` stands for the developers' own")
}

/// The folder of the run of ours that a word of the command line names, if it does.
pub fn run_folder(word: &str) -> Result<Option<PathBuf>, Failure> {
    let folder = Path::new(word);
    let run = folder.join("run.toml").is_file().then(|| folder.canonicalize()).transpose();
    run.map_err(|error| Failure::user(format!("--predictions {word}: {error}")))
}

/// Of a dataset only these cases; all where none are named.
pub fn only(dataset: Dataset, ids: &[String]) -> Result<Dataset, Failure> {
    if ids.is_empty() {
        return Ok(dataset);
    }
    if let Some(unknown) = ids.iter().find(|id| dataset.get(id).is_none()) {
        return Err(Failure::user(match dataset.left_out(unknown) {
            Some(why) => format!("--case {unknown}: the row was left out of the dataset: {why}"),
            None => format!("--case {unknown}: the dataset has no such case"),
        }));
    }
    Ok(dataset.filtered(|row| ids.contains(&row.instance_id), "--case names others"))
}

/// Tests the predictions and writes reports in the official layout.
pub async fn run(work: Work) -> Result<ExitCode, Failure> {
    let evaluation = evaluation(&work)?;
    let evaluated = tested(&work, &evaluation).await?;
    let reports = reports(&work, &evaluation.run_id, &evaluated);
    write_and_tell(&reports, &work.out, work.json)?;
    if let Some(run) = &work.run {
        keep(run, judged(work.rules, &evaluated)).await?;
    }
    if evaluation.cancel.is_cancelled() {
        crate::say("it was ended early; the same command goes on with the cases that have no verdict");
        return Ok(ExitCode::Interrupted);
    }
    if evaluated.iter().any(|case| case.passing) {
        crate::say("some cases have no verdict; the same command tries these again, and only these");
    }
    let known = evaluated.iter().all(|case| case.report.class != EvaluationClass::Infrastructure);
    Ok(if known { ExitCode::Done } else { ExitCode::NotFound })
}

/// The verdicts on the predictions, without reports.
pub async fn verdicts(work: &Work) -> Result<Vec<Evaluated>, Failure> {
    tested(work, &evaluation(work)?).await
}

/// Removes what programs that were killed have left.
pub async fn sweep() {
    if let Err(error) = patchwright_sandbox::sweep(false).await {
        tracing::debug!("no leftovers looked for: {error}");
    }
}

async fn tested(work: &Work, evaluation: &Evaluation) -> Result<Vec<Evaluated>, Failure> {
    sweep().await;
    // Without an engine nothing can be tested; that is told once and not for every case.
    evaluation.store.folder().await.map_err(Failure::environment)?;
    for warning in work.predictions.warnings() {
        crate::say(&format!("warning: {warning}"));
    }
    let meant = work.predictions.list().iter();
    let meant = meant.filter(|prediction| work.dataset.get(&prediction.instance_id).is_some());
    let progress = EvaluationProgress::of(meant.count());
    let evaluated = evaluation.run(&work.dataset, &work.predictions, |case| progress.tell(case)).await;
    progress.close();
    Ok(evaluated)
}

/// The name of a run, which names a folder.
pub fn run_name(name: String) -> Result<String, Failure> {
    if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\']) {
        return Err(Failure::user(format!("--run-id {name}: it has to be usable as the name of a folder")));
    }
    Ok(name)
}

fn evaluation(work: &Work) -> Result<Evaluation, Failure> {
    let testing = &work.testing;
    let workers = testing.workers.get();
    let name = match (&testing.run_id, &work.run) {
        (Some(name), _) => name.clone(),
        (None, Some(run)) => run.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        (None, None) => "graded".to_owned(),
    };
    let name = run_name(name)?;
    crate::files::create_folder(&work.out)
        .map_err(|error| Failure::environment(format!("cannot write to {}: {error}", work.out.display())))?;
    Ok(Evaluation {
        rules: work.rules,
        reset: if testing.official_reset { Reset::Official } else { Reset::Repaired },
        specs: swe_bench::specs()?,
        names: swe_bench::names()?,
        store: swe_bench::store(testing.images_gib),
        cache: cache_folder().map(|folder| VerdictCache::new(&folder.join("swe-bench").join("verdicts"))),
        again: testing.again,
        time: testing.time(),
        network: !testing.offline,
        workers,
        pulls: testing.pulls.map_or(workers.min(4), std::num::NonZero::get),
        pause: Duration::from_secs(10),
        out: work.out.clone(),
        run_id: name,
        cancel: crate::cancel::on_signals(),
    })
}

/// A report for each model: the official program takes predictions of one model only.
fn reports(work: &Work, run_id: &str, evaluated: &[Evaluated]) -> Vec<RunReport> {
    let of_model = |predictions: Predictions| {
        let case = |row: &Row| {
            let id = &row.instance_id;
            let own = |case: &&Evaluated| predictions.get(id).is_some_and(|own| *own == case.prediction);
            let found = evaluated.iter().find(own).map(|case| case.report.clone());
            found.unwrap_or_else(|| CaseReport::of(id, EvaluationClass::Missing))
        };
        RunReport {
            rules: work.rules,
            model: predictions.list().first().map_or("None", |prediction| &prediction.model).to_owned(),
            run_id: run_id.to_owned(),
            cases: work.dataset.rows().iter().map(case).collect(),
            warnings: Vec::new(),
        }
    };
    work.predictions.by_model().into_iter().map(of_model).collect()
}

/// The verdicts as the run that the patches come from keeps them; what says nothing about a patch is none.
fn judged(rules: Rules, evaluated: &[Evaluated]) -> Vec<Judged> {
    let judged = |case: &Evaluated| {
        let resolved = match case.report.class {
            EvaluationClass::Resolved => true,
            EvaluationClass::Unresolved | EvaluationClass::PatchFailed | EvaluationClass::TimedOut => false,
            EvaluationClass::Infrastructure | EvaluationClass::Empty | EvaluationClass::Missing => {
                return None;
            }
        };
        let grade = Grade { resolved: Some(resolved), by: format!("SWE-bench {rules}"), ..Grade::default() };
        let case_id = case.report.instance_id.clone();
        Some(Judged { case: case_id, patch: case.prediction.patch.clone(), grade })
    };
    evaluated.iter().filter_map(judged).collect()
}

/// The progress: a bar with the time left, and a line for each case.
struct EvaluationProgress {
    screen: MultiProgress,
    bar: ProgressBar,
    /// There is no terminal to draw on.
    plain: bool,
    total: usize,
    done: AtomicUsize,
    started: Instant,
}

impl EvaluationProgress {
    fn of(total: usize) -> Self {
        let screen = MultiProgress::new();
        let plain = screen.is_hidden();
        let bar = screen.add(bar(total, "graded"));
        bar.enable_steady_tick(Duration::from_secs(1));
        Self { screen, bar, plain, total, done: AtomicUsize::new(0), started: Instant::now() }
    }

    fn tell(&self, case: &Evaluated) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let left = self.started.elapsed().as_secs_f64() / done as f64 * (self.total - done) as f64;
        let report = &case.report;
        let how = if case.cached { "known".to_owned() } else { format!("{:.0} s", case.seconds) };
        let why = report.notes.last().filter(|_| report.class == EvaluationClass::Infrastructure);
        let why = why.map(|why| format!(": {}", why.lines().next().unwrap_or_default())).unwrap_or_default();
        let line = format!("{}: {} ({how}){why}", report.instance_id, report.class.name());
        let left =
            if self.plain { format!("; {done} of {}, {left:.0} s left", self.total) } else { String::new() };
        self.screen.suspend(|| crate::say(&format!("{line}{left}")));
        self.bar.inc(1);
    }

    fn close(&self) {
        self.bar.finish_and_clear();
    }
}
