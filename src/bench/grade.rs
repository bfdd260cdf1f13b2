//! `patchwright bench grade`: verdicts on predictions, for SWE-bench by tests in containers or from the logs of tests.

use std::path::Path;

use patchwright_command_line::bench::grade::GradeArgs;
use patchwright_protocol::Failure;
use patchwright_swe_bench::{Dataset, Logs, Predictions, RunReport, grade_logs};
use patchwright_swt_bench::Benchmark;

use crate::bench::bar::bar;
use crate::bench::fix_reports::write_and_tell;
use crate::bench::{evaluate, filter, swe_bench, swt_bench};
use crate::failure::ExitCode;

/// Grades predictions and writes reports in the official layout.
pub async fn run(args: &GradeArgs) -> Result<ExitCode, Failure> {
    let file = match args.suite.split_once(':') {
        Some(("swe-bench", file)) => file,
        word => {
            let of_tests = word.and_then(|(kind, file)| Some((Benchmark::named(kind)?, file)));
            if let Some((benchmark, file)) = of_tests {
                let file = Path::new(file);
                return match &args.fixes {
                    Some(fixes) => filter::run(args, benchmark, file, fixes).await,
                    None => swt_bench::grade(args, benchmark, file).await,
                };
            }
            return Err(Failure::user(format!(
                "--suite {}: only SWE-bench, SWT-Bench and TDD-Bench have predictions to grade",
                args.suite
            ))
            .hint("give swe-bench:FILE, swt-bench:FILE or tdd-bench:FILE"));
        }
    };
    if let Some(option) = args.fixes.as_ref().map(|_| &"--fixes").or(args.tests.given().first()) {
        return Err(Failure::user(format!("{option}: SWE-bench judges fixes, and knows no such option"))
            .hint("give swt-bench:FILE or tdd-bench:FILE to judge tests"));
    }
    let dataset = swe_bench::dataset(Path::new(file), args.split.as_deref())?;
    match &args.logs {
        Some(logs) => of_logs(args, &dataset, logs),
        None => evaluate::run(evaluate::Work::of(args, dataset)?).await,
    }
}

fn of_logs(args: &GradeArgs, dataset: &Dataset, folder: &Path) -> Result<ExitCode, Failure> {
    let logs = Logs::find(folder, dataset).map_err(Failure::user)?;
    let predictions = match args.predictions.as_deref() {
        None => logs.predictions(),
        Some(word) => evaluate::predictions(word, dataset)?.0,
    };
    let models = predictions.by_model();
    let mut reports = Vec::new();
    for predictions in &models {
        reports.push(graded(dataset, predictions, &logs, args)?);
    }
    write_and_tell(&reports, &args.out, args.json)?;
    if reports.iter().flat_map(|report| &report.cases).all(|case| case.log.is_none()) {
        crate::say(&format!("no log of a case was found in {}, so nothing was graded", folder.display()));
        return Ok(ExitCode::NotFound);
    }
    Ok(ExitCode::Done)
}

/// Grades the logs of one model, with a bar.
fn graded(
    dataset: &Dataset,
    predictions: &Predictions,
    logs: &Logs,
    args: &GradeArgs,
) -> Result<RunReport, Failure> {
    let bar = bar(dataset.rows().len(), "graded");
    let graded = grade_logs(dataset, predictions, logs, args.rules.unwrap_or_default(), |done, _| {
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    graded.map_err(Failure::user)
}
