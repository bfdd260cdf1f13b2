//! `patchwright bench grade` for tests that reproduce issues: SWT-Bench and TDD-Bench, in containers or from logs of their runs.

mod output;

use std::path::{Path, PathBuf};

use patchwright_command_line::bench::gold::GoldArgs;
use patchwright_command_line::bench::grade::{GradeArgs, TestGrading};
use patchwright_protocol::{Failure, Goal};
use patchwright_runs::{Grade, RunPrediction, RunRecord};
use patchwright_suites::{LoadError, Suite};
use patchwright_swe_bench::{Dataset, PredictedPatch, Prediction, Predictions, SweBench, folder_of};
use patchwright_swt_bench::tdd::{self, TddCase, TddLogs, TddOutcome, TddReport};
use patchwright_swt_bench::{
    Applied, Benchmark, CaseOutcome, GradeOptions, Layout, ModelRun, RunKind, RunPlan, RunReport, TestRuns,
    dataset, gold_problem, grade_logs, predictions, table, tdd_gold_problem,
};

pub use self::output::form;
use self::output::{ended, print, tell_divisors, told, written};
use crate::bench::bar::bar;
use crate::bench::kept::{self, Judged, keep};
use crate::bench::{evaluate, swe_bench};
use crate::failure::ExitCode;
use crate::output::warn;

/// The folders of logs, in the folder of reports.
const LOGS: &str = "run_instance_swt_logs";
const TDD_LOGS: &str = "logs/run_evaluation";

/// Predicted tests that are graded.
struct Work<'a> {
    args: &'a GradeArgs,
    dataset: Dataset,
    /// All that there are logs of, where none are given.
    predictions: Option<Predictions>,
    /// The run of ours that the predictions are the answers of.
    run: Option<PathBuf>,
    /// Golden tests have to be accepted.
    gold: bool,
    /// The name of the run that is graded, where it is known.
    run_id: Option<String>,
}

/// Grades predicted tests and writes reports in the official layout.
pub async fn grade(args: &GradeArgs, benchmark: Benchmark, file: &Path) -> Result<ExitCode, Failure> {
    let loaded = dataset::load(file, args.split.as_deref(), benchmark).map_err(Failure::user)?;
    grade_of(args, benchmark, loaded).await
}

/// The same with a dataset that was read, and what is odd about it.
async fn grade_of(
    args: &GradeArgs,
    benchmark: Benchmark,
    (dataset, warnings): (Dataset, Vec<String>),
) -> Result<ExitCode, Failure> {
    warn(&warnings);
    let (predictions, run) = match args.predictions.as_deref() {
        None => (None, None),
        Some(word) => {
            let (predictions, run) = predicted(word, &dataset, benchmark)?;
            (Some(predictions), run)
        }
    };
    let gold = args.predictions.as_deref() == Some("gold");
    let run_id = args.testing.run_id.clone();
    Work { args, dataset, predictions, run, gold, run_id }.graded(benchmark).await
}

/// Grades the golden tests of a dataset, as `bench gold` was told.
pub async fn gold(args: &GoldArgs, benchmark: Benchmark, word: &str) -> Result<ExitCode, Failure> {
    let file = word.split_once(':').map_or(word, |(_, file)| file);
    let split = args.split.as_deref();
    let (dataset, warnings) = dataset::load(Path::new(file), split, benchmark).map_err(Failure::user)?;
    let suite = SweBench::new(dataset.clone(), swe_bench::options(None)?);
    let picked = args.cases.selection().pick(suite.cases()).map_err(Failure::user)?;
    let grading = GradeArgs {
        suite: word.to_owned(),
        split: args.split.clone(),
        predictions: Some("gold".to_owned()),
        case: picked.iter().map(|case| case.id.clone()).collect(),
        fixes: None,
        truth: None,
        logs: None,
        testing: evaluate::testing_of_gold(args),
        rules: None,
        out: args.reports(),
        tests: TestGrading::default(),
        json: args.json,
    };
    Box::pin(grade_of(&grading, benchmark, (dataset, warnings))).await
}

/// The tests that a word of the command line names, and the run of ours whose answers they are, if they are.
pub fn predicted(
    word: &str,
    dataset: &Dataset,
    benchmark: Benchmark,
) -> Result<(Predictions, Option<PathBuf>), Failure> {
    if word == "gold" {
        return Ok((predictions::gold(dataset), None));
    }
    let run = evaluate::run_folder(word)?;
    let Some(folder) = run else {
        let found = predictions::load(Path::new(word), dataset, benchmark).map_err(Failure::user)?;
        if found.list().is_empty() {
            return Err(evaluate::no_prediction(word));
        }
        return Ok((found, None));
    };
    let record = RunRecord::read(&folder).map_err(Failure::user)?;
    let (found, others): (Vec<RunPrediction>, Vec<RunPrediction>) =
        record.tests().into_iter().partition(|test| dataset.get(&test.instance_id).is_some());
    if found.is_empty() {
        let why = match others.first() {
            Some(other) => format!("its cases, such as {}, are not in the dataset", missing(dataset, other)),
            None => "no case of this run was answered with a test".to_owned(),
        };
        return Err(Failure::user(format!("--predictions {word}: {why}"))
            .hint("give a run with --method, or one whose sessions wrote reproduction tests, and the dataset of its cases"));
    }
    if let Some(first) = others.first() {
        crate::say(&format!(
            "warning: {} cases of the run are not in the dataset, and left out, such as {}",
            others.len(),
            missing(dataset, first)
        ));
    }
    record.write_predictions().map_err(Failure::environment)?;
    let found = Predictions::new(found.into_iter().map(|test| Prediction {
        instance_id: test.instance_id,
        model: test.model_name_or_path,
        patch: PredictedPatch::Text(test.model_patch),
    }));
    let run = (record.file.goal() == Goal::Test).then_some(folder);
    Ok((found, run))
}

/// A case that the dataset does not have, with what left it out, where that is known.
fn missing(dataset: &Dataset, prediction: &RunPrediction) -> String {
    let id = &prediction.instance_id;
    dataset.left_out(id).map_or_else(|| id.clone(), |why| format!("{id} ({why})"))
}

impl Work<'_> {
    async fn graded(mut self, benchmark: Benchmark) -> Result<ExitCode, Failure> {
        if let Some(option) = self.args.of_fixes() {
            return Err(Failure::user(format!(
                "{option} is about fixes of SWE-bench, and tests are graded here"
            ))
            .hint("leave it out"));
        }
        let logs = self.args.logs.as_deref();
        match benchmark {
            Benchmark::Swt => {
                let layout = match logs {
                    Some(logs) => Layout::find(logs).map_err(Failure::user)?,
                    None => self.layout().await?,
                };
                self.swt(&layout).await
            }
            Benchmark::Tdd => {
                self.check_tdd()?;
                let logs = if let Some(logs) = logs {
                    TddLogs::find(logs).map_err(Failure::user)?
                } else {
                    let runs = self.run(benchmark).await?;
                    vec![TddLogs::at(&runs.root.join(folder_of(&runs.run_id)))]
                };
                self.tdd(&logs).await
            }
        }
    }

    /// The logs of the predictions after they were run.
    async fn layout(&mut self) -> Result<Layout, Failure> {
        let runs = self.run(Benchmark::Swt).await?;
        let models = self.predictions.iter().flat_map(Predictions::list);
        let own = models
            .map(|prediction| ModelRun { run_id: runs.run_id.clone(), model: folder_of(&prediction.model) });
        Ok(Layout::at(&runs.root, own.collect()).with_others())
    }

    /// Runs the predictions in containers, of which those that are meant are left.
    async fn run(&mut self, benchmark: Benchmark) -> Result<TestRuns, Failure> {
        let predictions = self.predictions.take().unwrap_or_else(|| predictions::gold(&self.dataset));
        let (args, of_run) = (self.args, self.run.as_deref().and_then(Path::file_name));
        let of_run = of_run.map(|name| name.to_string_lossy().into_owned());
        let (plan, root, name) = match benchmark {
            Benchmark::Swt => {
                let tests = &args.tests;
                let plan = if tests.script {
                    RunPlan::Script(tests.script_name.clone())
                } else {
                    RunPlan::Tests(RunKind::ALL.to_vec())
                };
                (plan, LOGS, None)
            }
            Benchmark::Tdd => {
                // Folders of logs name the fix, and no model.
                let model = predictions.list().first().map(|prediction| folder_of(&prediction.model));
                (RunPlan::BeforeAndAfter, TDD_LOGS, model)
            }
        };
        let name = of_run.or(name).unwrap_or_else(|| "graded".to_owned());
        let runs = test_runs(args, plan, &args.out.join(root), &name).await?;
        self.predictions = Some(run(&runs, args, &self.dataset, &predictions).await?);
        self.run_id = Some(runs.run_id.clone());
        Ok(runs)
    }

    /// Refuses options that TDD-Bench does not know.
    fn check_tdd(&self) -> Result<(), Failure> {
        let known = ["--markdown", "--tests-only"];
        match self.args.tests.given().into_iter().find(|option| !known.contains(option)) {
            Some(option) => Err(Failure::user(format!("{option}: TDD-Bench knows no such option"))
                .hint("leave it out, or give swt-bench:FILE")),
            None => Ok(()),
        }
    }

    async fn swt(&self, layout: &Layout) -> Result<ExitCode, Failure> {
        let tests = &self.args.tests;
        let run_id = self.run_id.as_deref();
        let options =
            GradeOptions { strict: tests.strict, script: tests.script, subset: tests.subset, run_id };
        let bar = bar(self.dataset.rows().len(), "graded");
        let predictions = self.predictions.as_ref();
        let graded = grade_logs(&self.dataset, predictions, layout, options, &|done, _| {
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        let reports = graded.map_err(Failure::user)?;
        for report in &reports {
            told(&report.warnings, report.cases.iter().map(|case| (&case.instance_id, &case.notes)));
            written(report.write(&self.args.out), &self.args.out)?;
            tell_divisors(report);
        }
        let json = |report: &RunReport| (report.model.clone(), report.json());
        let shown = || table(&reports, form(self.args));
        print(self.args, reports.iter().map(json).collect(), shown)?;
        let cases = || reports.iter().flat_map(|report| &report.cases);
        self.keep(cases().filter_map(|case| Some((&case.instance_id, kept::swt(case)?)))).await?;
        let accepted = self.tell_gold(cases().map(|case| (&case.instance_id, gold_problem(case))));
        let graded = cases().any(|case| case.outcome != CaseOutcome::NotRun);
        let is_told = cases().any(|case| !case.notes.is_empty());
        Ok(if accepted { ended(graded, is_told, layout.root()) } else { ExitCode::NotFound })
    }

    async fn tdd(&self, logs: &[TddLogs]) -> Result<ExitCode, Failure> {
        let bar = bar(self.dataset.rows().len(), "graded");
        let predictions = self.predictions.as_ref();
        let graded: Result<Vec<TddReport>, LoadError> = logs
            .iter()
            .map(|logs| {
                tdd::grade_logs(&self.dataset, predictions, logs, &|done, _| bar.set_position(done as u64))
            })
            .collect();
        bar.finish_and_clear();
        let reports = graded.map_err(Failure::user)?;
        for report in &reports {
            told(&report.warnings, report.cases.iter().map(|case| (&case.instance_id, &case.notes)));
            written(report.write(&self.args.out), &self.args.out)?;
        }
        let json = |report: &TddReport| (report.model.clone(), report.json());
        let shown = || tdd::table(&reports, form(self.args));
        print(self.args, reports.iter().map(json).collect(), shown)?;
        let cases = || reports.iter().flat_map(|report| &report.cases);
        self.keep(cases().filter_map(|case| Some((&case.instance_id, kept::tdd(case)?)))).await?;
        let is_meant = |case: &&TddCase| {
            predictions.is_none_or(|predictions| predictions.get(&case.instance_id).is_some())
        };
        let meant = cases().filter(is_meant);
        let accepted = self.tell_gold(meant.map(|case| (&case.instance_id, tdd_gold_problem(case))));
        let graded = cases().any(|case| match &case.outcome {
            TddOutcome::Graded(_) | TddOutcome::Empty => true,
            TddOutcome::Error | TddOutcome::Missing => false,
        });
        let folder = logs.first().map_or(Path::new("."), TddLogs::folder);
        let is_told = cases().any(|case| !case.notes.is_empty());
        Ok(if accepted { ended(graded, is_told, folder) } else { ExitCode::NotFound })
    }

    /// Writes verdicts into the run of ours that the tests come from.
    async fn keep(&self, graded: impl Iterator<Item = (&String, Grade)>) -> Result<(), Failure> {
        let (Some(run), Some(predictions)) = (&self.run, &self.predictions) else { return Ok(()) };
        let judged = graded.filter_map(|(case, grade)| {
            let patch = predictions.get(case)?.patch.clone();
            Some(Judged { case: case.clone(), patch, grade })
        });
        keep(run, judged.collect()).await
    }

    /// Tells of how many cases the golden tests are accepted, and names the others; is true if there are none, or others were graded.
    fn tell_gold<'a>(&self, cases: impl Iterator<Item = (&'a String, Option<String>)>) -> bool {
        if !self.gold {
            return true;
        }
        let (mut accepted, mut all) = (0, 0);
        for (case, problem) in cases {
            all += 1;
            match problem {
                Some(why) => crate::say(&format!("{case}: its golden tests are not accepted: {why}")),
                None => accepted += 1,
            }
        }
        crate::say(&format!("the golden tests of {accepted} of {all} cases are accepted"));
        accepted == all
    }
}

/// Runs the predictions that are meant in containers, and gives them.
async fn run(
    runs: &TestRuns,
    args: &GradeArgs,
    dataset: &Dataset,
    predictions: &Predictions,
) -> Result<Predictions, Failure> {
    if let Some(unknown) = args.case.iter().find(|id| predictions.get(id).is_none()) {
        return Err(Failure::user(format!("--case {unknown}: there is no prediction for it"))
            .hint("name a case of the dataset that the predictions have"));
    }
    let only = |prediction: &&Prediction| args.case.is_empty() || args.case.contains(&prediction.instance_id);
    let meant = Predictions::new(predictions.list().iter().filter(only).cloned());
    let done = runs
        .run(dataset, &meant, |case| {
            let how = case.problem.clone().unwrap_or_else(|| format!("{} runs", case.made));
            let told = [&[how][..], &case.notes].concat().join("; ");
            crate::say(&format!("{}: {told}", case.instance_id));
        })
        .await;
    if_ended_early(runs)?;
    // An empty one counts, and has nothing to run.
    if done.iter().all(|case| case.problem.is_some()) {
        return Err(Failure::environment("no prediction could be run".to_owned())
            .hint("see above what stood in the way of each"));
    }
    Ok(meant)
}

/// Where runs were ended early, nothing is graded.
///
/// # Errors
/// They were.
pub fn if_ended_early(runs: &TestRuns) -> Result<(), Failure> {
    if runs.cancel.is_cancelled() {
        return Err(Failure::cancelled().hint(
            "nothing was graded; the same command begins again, and keeps the runs that predictions share",
        ));
    }
    Ok(())
}

/// The settings for runs in containers whose logs go to a folder; `name` is that of the run where none is given.
pub async fn test_runs(
    args: &GradeArgs,
    plan: RunPlan,
    root: &Path,
    name: &str,
) -> Result<TestRuns, Failure> {
    let testing = &args.testing;
    evaluate::sweep().await;
    let store = swe_bench::store(testing.images_gib);
    // Without an engine nothing can be run; that is told once and not for every case.
    store.folder().await.map_err(Failure::environment)?;
    crate::files::create_folder(root)
        .map_err(|error| Failure::environment(format!("cannot write to {}: {error}", root.display())))?;
    let name = testing.run_id.clone().unwrap_or_else(|| name.to_owned());
    Ok(TestRuns {
        names: swe_bench::names()?,
        store,
        specs: swe_bench::specs()?,
        applied: if args.tests.tests_only { Applied::TestsOnly } else { Applied::Whole },
        plan,
        time: testing.time(),
        again: testing.again,
        network: !testing.offline,
        workers: testing.workers.get(),
        root: root.to_owned(),
        run_id: evaluate::run_name(name)?,
        cancel: crate::cancel::on_signals(),
    })
}
