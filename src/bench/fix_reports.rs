//! Reports on graded fixes: written, and told.

use std::path::Path;

use patchwright_protocol::Failure;
use patchwright_swe_bench::{CaseReport, EvaluationClass, NoResult, RunReport};
use serde_json::json;

use crate::output::warn;

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

fn tell(report: &RunReport) {
    let (old, others): (Vec<&CaseReport>, Vec<&CaseReport>) =
        report.cases.iter().partition(|case| is_of_version_1(case));
    let of_case = |case: &CaseReport| {
        case.notes.iter().map(|note| format!("{}: {note}", case.instance_id)).collect::<Vec<_>>()
    };
    let all: Vec<String> =
        report.warnings.iter().cloned().chain(others.into_iter().flat_map(of_case)).collect();
    warn(&all);
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
