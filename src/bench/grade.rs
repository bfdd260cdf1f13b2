//! `patchwright bench grade`: verdicts on SWE-bench predictions, from the logs of their tests.

use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use patchwright_suites::swe_bench::{Class, Dataset, Logs, Predictions, RunReport, grade_logs};

use crate::bench::args::GradeArgs;
use crate::failure::{ExitCode, Failure};

/// Notes and warnings that are told; the others are in the reports' inputs.
const TOLD: usize = 20;

/// Grades logs and writes reports in the official layout.
pub fn run(args: &GradeArgs) -> Result<ExitCode, Failure> {
    let Some(("swe-bench", file)) = args.suite.split_once(':') else {
        return Err(Failure::usage(format!("--suite {}: only SWE-bench has logs to grade", args.suite))
            .hint("give swe-bench:FILE"));
    };
    let file = Path::new(file);
    let dataset = match &args.split {
        Some(split) => Dataset::load_split(file, split),
        None => Dataset::load(file),
    }
    .map_err(Failure::usage)?;
    let logs = Logs::find(&args.logs, &dataset).map_err(Failure::usage)?;
    let predictions = match args.predictions.as_deref() {
        None => logs.predictions(),
        Some("gold") => Predictions::gold(&dataset),
        Some(file) => Predictions::load(Path::new(file), &dataset).map_err(Failure::usage)?,
    };
    let bar = ProgressBar::new(dataset.rows().len() as u64);
    // A template that cannot be read leaves the plain style: only looks are lost.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} graded, {eta} left") {
        bar.set_style(style);
    }
    let graded =
        grade_logs(&dataset, &predictions, &logs, args.rules, |done, _| bar.set_position(done as u64));
    bar.finish_and_clear();
    let report = graded.map_err(Failure::usage)?;
    let written = report
        .write(&args.out)
        .map_err(|error| Failure::environment(format!("cannot write to {}: {error}", args.out.display())))?;
    tell(&report);
    crate::say(&format!("report {}", written.display()));
    if args.json {
        crate::print(&report.json())?;
    } else {
        crate::print(&table(&report))?;
    }
    if report.cases.iter().all(|case| case.log.is_none()) {
        crate::say(&format!("no log of a case was found in {}, so nothing was graded", args.logs.display()));
        return Ok(ExitCode::NotFound);
    }
    Ok(ExitCode::Done)
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
