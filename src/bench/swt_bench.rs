//! `patchwright bench grade` for tests that reproduce issues: SWT-Bench, in containers or from logs of its runs, and TDD-Bench, from logs.

use std::path::{Path, PathBuf};

use patchwright_protocol::Failure;
use patchwright_suites::{LoadError, python_json};
use patchwright_swe_bench::{Dataset, Prediction, Predictions};
use patchwright_swt_bench::tdd::{self, TddLogs, TddOutcome, TddReport};
use patchwright_swt_bench::{
    Applied, Benchmark, CaseOutcome, GradeOptions, Layout, RunReport, Subset, TableForm, TestRuns, dataset,
    grade_logs, predictions, table,
};
use serde_json::{Map, Value};

use crate::bench::grade_args::GradeArgs;
use crate::bench::{evaluate, grade, suite, swe_bench};
use crate::failure::ExitCode;

/// The folder of logs, in the folder of reports.
const LOGS: &str = "run_instance_swt_logs";

/// Grades predicted tests and writes reports in the official layout.
pub async fn grade(args: &GradeArgs, benchmark: Benchmark, file: &Path) -> Result<ExitCode, Failure> {
    let (dataset, warnings) = dataset::load(file, args.split.as_deref(), benchmark).map_err(Failure::user)?;
    suite::warn(&warnings);
    let predictions = match args.predictions.as_deref() {
        None => None,
        Some("gold") => Some(predictions::gold(&dataset)),
        Some(file) => {
            let (found, warnings) =
                predictions::load(Path::new(file), &dataset, benchmark).map_err(Failure::user)?;
            suite::warn(&warnings);
            Some(found)
        }
    };
    match (benchmark, &args.logs) {
        (Benchmark::Swt, Some(logs)) => swt(args, &dataset, predictions.as_ref(), logs),
        (Benchmark::Swt, None) => {
            let predictions = predictions.unwrap_or_else(|| predictions::gold(&dataset));
            let (meant, logs) = run(args, &dataset, &predictions).await?;
            swt(args, &dataset, Some(&meant), &logs)
        }
        (Benchmark::Tdd, Some(logs)) => of_tdd(args, &dataset, predictions.as_ref(), logs),
        (Benchmark::Tdd, None) => Err(Failure::user(format!(
            "--suite {}: predictions for TDD-Bench are graded from the logs of their runs",
            args.suite
        ))
        .hint("run the official program, and give the folder of its logs with --logs")),
    }
}

/// Runs the predictions that are meant in containers; gives them, and the folder of their logs.
async fn run(
    args: &GradeArgs,
    dataset: &Dataset,
    predictions: &Predictions,
) -> Result<(Predictions, PathBuf), Failure> {
    if args.tests.script {
        return Err(Failure::user("--script: scripts are graded from the logs of their runs")
            .hint("give the folder of logs with --logs"));
    }
    if let Some(unknown) = args.case.iter().find(|id| predictions.get(id).is_none()) {
        return Err(Failure::user(format!("--case {unknown}: there is no prediction for it"))
            .hint("name a case of the dataset that the predictions have"));
    }
    let testing = &args.testing;
    let store = swe_bench::store(testing.images_gib);
    // Without an engine nothing can be run; that is told once and not for every case.
    store.folder().await.map_err(Failure::environment)?;
    let root = args.out.join(LOGS);
    crate::files::create_folder(&root)
        .map_err(|error| Failure::environment(format!("cannot write to {}: {error}", root.display())))?;
    let runs = TestRuns {
        names: swe_bench::names()?,
        store,
        specs: swe_bench::specs()?,
        applied: if args.tests.tests_only { Applied::TestsOnly } else { Applied::Whole },
        time: testing.timeout.0,
        network: !testing.offline,
        workers: testing.workers.get(),
        root: root.clone(),
        run_id: evaluate::run_name(testing.run_id.clone().unwrap_or_else(|| "graded".to_owned()))?,
    };
    let only = |prediction: &&Prediction| args.case.is_empty() || args.case.contains(&prediction.instance_id);
    let meant = Predictions::new(predictions.list().iter().filter(only).cloned());
    let done = runs.run(dataset, &meant, |case| {
        let how = case.problem.clone().unwrap_or_else(|| format!("{} runs", case.made));
        let told = [&[how][..], &case.notes].concat().join("; ");
        crate::say(&format!("{}: {told}", case.instance_id));
    });
    let done = done.await;
    if done.iter().all(|case| case.problem.is_some()) {
        return Err(Failure::environment("no prediction could be run".to_owned())
            .hint("see above what stood in the way of each"));
    }
    Ok((meant, root))
}

fn swt(
    args: &GradeArgs,
    dataset: &Dataset,
    predictions: Option<&Predictions>,
    folder: &Path,
) -> Result<ExitCode, Failure> {
    let layout = Layout::find(folder).map_err(Failure::user)?;
    let tests = &args.tests;
    let options = GradeOptions { strict: tests.strict, script: tests.script, subset: tests.subset };
    let bar = grade::bar(dataset.rows().len());
    let graded = grade_logs(dataset, predictions, &layout, options, &|done, _| bar.set_position(done as u64));
    bar.finish_and_clear();
    let reports = graded.map_err(Failure::user)?;
    for report in &reports {
        told(&report.warnings, report.cases.iter().map(|case| (&case.instance_id, &case.notes)));
        written(report.write(&args.out), &args.out)?;
        if report.subset == Subset::Own && report.total != report.cases.len() {
            crate::say(&format!(
                "{}: {} of {} cases have predictions or logs; measures are divided by all",
                report.model,
                report.cases.len(),
                report.total
            ));
        }
        if report.possible.is_none() {
            crate::say(&format!(
                "{}: no run of the golden tests is beside the logs, so ΔC is divided by the cases of this run whose fix can be covered",
                report.model
            ));
        }
    }
    let json = |report: &RunReport| (report.model.clone(), report.json());
    let shown = || table(&reports, form(args));
    print(args, reports.iter().map(json).collect(), shown)?;
    let graded =
        reports.iter().flat_map(|report| &report.cases).any(|case| case.outcome != CaseOutcome::NotRun);
    Ok(ended(graded, folder))
}

fn of_tdd(
    args: &GradeArgs,
    dataset: &Dataset,
    predictions: Option<&Predictions>,
    folder: &Path,
) -> Result<ExitCode, Failure> {
    let unknown = args.tests.given().into_iter().find(|option| *option != "--markdown");
    if let Some(option) = unknown {
        return Err(Failure::user(format!("{option}: TDD-Bench knows no such option"))
            .hint("leave it out, or give swt-bench:FILE"));
    }
    let logs = TddLogs::find(folder).map_err(Failure::user)?;
    let bar = grade::bar(dataset.rows().len());
    let graded: Result<Vec<TddReport>, LoadError> = logs
        .iter()
        .map(|logs| tdd::grade_logs(dataset, predictions, logs, &|done, _| bar.set_position(done as u64)))
        .collect();
    bar.finish_and_clear();
    let reports = graded.map_err(Failure::user)?;
    for report in &reports {
        told(&report.warnings, report.cases.iter().map(|case| (&case.instance_id, &case.notes)));
        written(report.write(&args.out), &args.out)?;
    }
    let json = |report: &TddReport| (report.model.clone(), report.json());
    let shown = || tdd::table(&reports, form(args));
    print(args, reports.iter().map(json).collect(), shown)?;
    let is_graded = |outcome: &TddOutcome| match outcome {
        TddOutcome::Graded(_) => true,
        TddOutcome::Error | TddOutcome::Empty | TddOutcome::Missing => false,
    };
    let graded = reports.iter().flat_map(|report| &report.cases).any(|case| is_graded(&case.outcome));
    Ok(ended(graded, folder))
}

fn form(args: &GradeArgs) -> TableForm {
    if args.tests.markdown { TableForm::Markdown } else { TableForm::Text }
}

/// Tells what is odd about a run and its cases.
fn told<'a>(warnings: &[String], cases: impl Iterator<Item = (&'a String, &'a Vec<String>)>) {
    let notes = cases.flat_map(|(id, notes)| notes.iter().map(move |note| format!("{id}: {note}")));
    suite::warn(&warnings.iter().cloned().chain(notes).collect::<Vec<_>>());
}

fn written(file: std::io::Result<std::path::PathBuf>, out: &Path) -> Result<(), Failure> {
    let file =
        file.map_err(|error| Failure::environment(format!("cannot write to {}: {error}", out.display())))?;
    crate::say(&format!("report {}", file.display()));
    Ok(())
}

/// Prints the table, or the report as JSON; of several models an object by model.
fn print(args: &GradeArgs, reports: Vec<(String, Value)>, shown: impl Fn() -> String) -> Result<(), Failure> {
    if !args.json {
        return crate::print(&shown());
    }
    let text = match <[(String, Value); 1]>::try_from(reports) {
        Ok([(_, report)]) => python_json::text(&report),
        Err(reports) => python_json::text(&Value::Object(reports.into_iter().collect::<Map<_, _>>())),
    };
    crate::print(&(text + "\n"))
}

fn ended(graded: bool, folder: &Path) -> ExitCode {
    if graded {
        return ExitCode::Done;
    }
    crate::say(&format!("no log of a case was found in {}, so nothing was graded", folder.display()));
    ExitCode::NotFound
}
