//! `patchwright bench grade`: verdicts on SWE-bench predictions, by tests in containers or from the logs of tests.

use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use patchwright_suites::swe_bench::{Class, Dataset, Logs, Predictions, RunReport, grade_logs};

use crate::bench::args::GradeArgs;
use crate::bench::{evaluate, swe_bench};
use crate::failure::{ExitCode, Failure};

/// Notes and warnings that are told; the others are in the reports' inputs.
const TOLD: usize = 20;

/// Grades predictions and writes reports in the official layout.
pub async fn run(args: &GradeArgs) -> Result<ExitCode, Failure> {
    let Some(("swe-bench", file)) = args.suite.split_once(':') else {
        return Err(Failure::usage(format!("--suite {}: only SWE-bench has logs to grade", args.suite))
            .hint("give swe-bench:FILE"));
    };
    let dataset = swe_bench::dataset(Path::new(file), args.split.as_deref())?;
    match &args.logs {
        Some(logs) => of_logs(args, &dataset, logs),
        None => evaluate::run(evaluate::Work::of(args, dataset)?).await,
    }
}

fn of_logs(args: &GradeArgs, dataset: &Dataset, folder: &Path) -> Result<ExitCode, Failure> {
    let logs = Logs::find(folder, dataset).map_err(Failure::usage)?;
    let predictions = match args.predictions.as_deref() {
        None => logs.predictions(),
        Some("gold") => Predictions::gold(dataset),
        Some(file) => Predictions::load(Path::new(file), dataset).map_err(Failure::usage)?,
    };
    let bar = ProgressBar::new(dataset.rows().len() as u64);
    // A template that cannot be read leaves the plain style: only looks are lost.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} graded, {eta} left") {
        bar.set_style(style);
    }
    let graded =
        grade_logs(dataset, &predictions, &logs, args.rules, |done, _| bar.set_position(done as u64));
    bar.finish_and_clear();
    let report = graded.map_err(Failure::usage)?;
    write_and_tell(std::slice::from_ref(&report), &args.out, args.json)?;
    if report.cases.iter().all(|case| case.log.is_none()) {
        crate::say(&format!("no log of a case was found in {}, so nothing was graded", folder.display()));
        return Ok(ExitCode::NotFound);
    }
    Ok(ExitCode::Done)
}

/// Writes reports in the official layout, and tells what they say.
pub fn write_and_tell(reports: &[RunReport], out: &Path, json: bool) -> Result<(), Failure> {
    for report in reports {
        let written = report
            .write(out)
            .map_err(|error| Failure::environment(format!("cannot write to {}: {error}", out.display())))?;
        tell(report);
        crate::say(&format!("report {}", written.display()));
        crate::print(&if json { report.json() } else { table(report) })?;
    }
    Ok(())
}

fn tell(report: &RunReport) {
    let of_case = |case: &patchwright_suites::swe_bench::CaseReport| {
        case.notes.iter().map(|note| format!("{}: {note}", case.instance_id)).collect::<Vec<_>>()
    };
    let all: Vec<String> =
        report.warnings.iter().cloned().chain(report.cases.iter().flat_map(of_case)).collect();
    for text in all.iter().take(TOLD) {
        crate::say(&format!("warning: {text}"));
    }
    if all.len() > TOLD {
        crate::say(&format!("warning: and {} more like these", all.len() - TOLD));
    }
}

/// How many cases are of which class, and why those are that say nothing about their patch.
fn table(report: &RunReport) -> String {
    let mut text = String::new();
    for class in Class::ALL {
        let count = report.count(class);
        if count > 0 {
            text.push_str(&format!("{:<16}{count:>6}\n", class.name()));
        }
    }
    let submitted = report.cases.len() - report.count(Class::Missing);
    text.push_str(&format!("{:<16}{submitted:>6} of {} cases\n", "submitted", report.cases.len()));
    text
}
