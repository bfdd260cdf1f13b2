//! What is told and printed of graded tests.

use std::path::Path;

use patchwright_command_line::bench::grade::GradeArgs;
use patchwright_protocol::Failure;
use patchwright_suites::python_json;
use patchwright_swt_bench::{RunReport, Subset, TableForm};
use serde_json::{Map, Value};

use crate::failure::ExitCode;
use crate::output::warn;

/// Tells what measures are divided by where that is not what one expects.
pub(super) fn tell_divisors(report: &RunReport) {
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

/// The form of tables that is asked for.
pub fn form(args: &GradeArgs) -> TableForm {
    if args.tests.markdown { TableForm::Markdown } else { TableForm::Text }
}

/// Tells what is odd about a run and its cases.
pub(super) fn told<'a>(warnings: &[String], cases: impl Iterator<Item = (&'a String, &'a Vec<String>)>) {
    let notes = cases.flat_map(|(id, notes)| notes.iter().map(move |note| format!("{id}: {note}")));
    warn(&warnings.iter().cloned().chain(notes).collect::<Vec<_>>());
}

pub(super) fn written(file: std::io::Result<std::path::PathBuf>, out: &Path) -> Result<(), Failure> {
    let file =
        file.map_err(|error| Failure::environment(format!("cannot write to {}: {error}", out.display())))?;
    crate::say(&format!("report {}", file.display()));
    Ok(())
}

/// Prints the table, or the report as JSON; of several models an object by model.
pub(super) fn print(
    args: &GradeArgs,
    reports: Vec<(String, Value)>,
    shown: impl Fn() -> String,
) -> Result<(), Failure> {
    if !args.json {
        return crate::print(&shown());
    }
    let text = match <[(String, Value); 1]>::try_from(reports) {
        Ok([(_, report)]) => python_json::text(&report),
        Err(reports) => python_json::text(&Value::Object(reports.into_iter().collect::<Map<_, _>>())),
    };
    crate::print(&(text + "\n"))
}

/// The exit code; `told` says that the reason why a case was not graded has been told.
pub(super) fn ended(graded: bool, told: bool, folder: &Path) -> ExitCode {
    if graded {
        return ExitCode::Done;
    }
    let why = if told { "no log that could be graded" } else { "no log of a case" };
    crate::say(&format!("{why} was found in {}, so nothing was graded", folder.display()));
    ExitCode::NotFound
}
