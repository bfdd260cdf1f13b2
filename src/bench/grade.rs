//! `patchwright bench grade`: verdicts on predictions, for SWE-bench by tests in containers or from the logs of tests.

use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use patchwright_command_line::bench::grade::GradeArgs;
use patchwright_protocol::Failure;
use patchwright_swe_bench::{
    CaseReport, Dataset, EvaluationClass, Logs, NoResult, Predictions, RunReport, grade_logs,
};
use patchwright_swt_bench::Benchmark;
use serde_json::json;

use crate::bench::{evaluate, suite, swe_bench, swt_bench};
use crate::failure::ExitCode;

/// Grades predictions and writes reports in the official layout.
pub async fn run(args: &GradeArgs) -> Result<ExitCode, Failure> {
    let file = match args.suite.split_once(':') {
        Some(("swe-bench", file)) => file,
        word => {
            let of_tests = word.and_then(|(kind, file)| Some((Benchmark::named(kind)?, file)));
            if let Some((benchmark, file)) = of_tests {
                return swt_bench::grade(args, benchmark, Path::new(file)).await;
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

/// Writes reports in the official layout, and tells what they say.
pub fn write_and_tell(reports: &[RunReport], out: &Path, json: bool) -> Result<(), Failure> {
    for report in reports {
        let written = report
            .write(out)
            .map_err(|error| Failure::environment(format!("cannot write to {}: {error}", out.display())))?;
        tell(report);
        crate::say(&format!("report {}", written.display()));
    }
    crate::print(&shown(reports, json))
}

/// A bar over so many cases, with the time left.
pub fn bar(cases: usize) -> ProgressBar {
    let bar = ProgressBar::new(cases as u64);
    // A template that cannot be read leaves the plain style: only looks are lost.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} graded, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// Grades the logs of one model, with a bar.
fn graded(
    dataset: &Dataset,
    predictions: &Predictions,
    logs: &Logs,
    args: &GradeArgs,
) -> Result<RunReport, Failure> {
    let bar = bar(dataset.rows().len());
    let graded = grade_logs(dataset, predictions, logs, args.rules.unwrap_or_default(), |done, _| {
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    graded.map_err(Failure::user)
}

fn tell(report: &RunReport) {
    let (old, others): (Vec<&CaseReport>, Vec<&CaseReport>) =
        report.cases.iter().partition(|case| is_of_version_1(case));
    let of_case = |case: &CaseReport| {
        case.notes.iter().map(|note| format!("{}: {note}", case.instance_id)).collect::<Vec<_>>()
    };
    let all: Vec<String> =
        report.warnings.iter().cloned().chain(others.into_iter().flat_map(of_case)).collect();
    suite::warn(&all);
    if let Some(first) = old.first() {
        crate::say(&format!(
            "warning: {} of {} logs are in the form of SWE-bench 1.x or 2.0 and were not read, such as that of {}",
            old.len(),
            report.cases.iter().filter(|case| case.log.is_some()).count(),
            first.instance_id
        ));
        crate::say(&format!("hint: the rules {} do not know that form; give --rules v1", report.rules));
    }
}

/// Is true if the log of a case is one that only the rules of 1.x read.
fn is_of_version_1(case: &CaseReport) -> bool {
    case.graded.as_ref().is_some_and(|graded| graded.result == Err(NoResult::OfVersion1))
}

/// The output: the report or the table of the model; of several models an object by model, or a table for each.
fn shown(reports: &[RunReport], json: bool) -> String {
    if let [report] = reports {
        return if json { report.json() } else { table(report) };
    }
    if json {
        let by_model = |report: &RunReport| format!("{}: {}", json!(report.model), report.json().trim_end());
        let parts: Vec<String> = reports.iter().map(by_model).collect();
        return format!("{{\n{}\n}}\n", parts.join(",\n"));
    }
    let tables: Vec<String> =
        reports.iter().map(|report| format!("{}\n{}", report.model, table(report))).collect();
    tables.join("\n")
}

/// The number of cases of each class, and the reasons of those that say nothing about their patch.
fn table(report: &RunReport) -> String {
    let mut text = String::new();
    for class in EvaluationClass::ALL {
        let count = report.count(class);
        if count > 0 {
            text.push_str(&format!("{:<16}{count:>6}\n", class.name()));
        }
    }
    let submitted = report.cases.len() - report.count(EvaluationClass::Missing);
    text.push_str(&format!("{:<16}{submitted:>6} of {} cases\n", "submitted", report.cases.len()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(model: &str) -> RunReport {
        RunReport {
            rules: patchwright_swe_bench::Rules::V5,
            model: model.to_owned(),
            run_id: "run".to_owned(),
            cases: Vec::new(),
            warnings: Vec::new(),
        }
    }

    #[test]
    fn one_model_is_shown_as_it_is_and_several_by_name() {
        let (one, two) = (report("one"), report("org/\"two\""));
        assert_eq!(shown(std::slice::from_ref(&one), true), one.json());
        assert_eq!(shown(std::slice::from_ref(&one), false), table(&one));
        let value: serde_json::Value =
            serde_json::from_str(&shown(&[one.clone(), two.clone()], true)).unwrap_or_default();
        assert_eq!(value["one"]["schema_version"], 2);
        assert_eq!(value["org/\"two\""]["total_instances"], 0);
        let text = shown(&[one, two], false);
        assert!(text.starts_with("one\nsubmitted") && text.contains("\n\norg/\"two\"\nsubmitted"), "{text}");
    }
}
