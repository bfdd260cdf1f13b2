//! TDD-Bench: logs and reports.

use std::fs;
use std::path::Path;

use patchwright_swt_bench::tdd::{TddLogs, TddReport, grade_logs, table};
use patchwright_swt_bench::{Benchmark, TableForm, predictions};

use crate::support::{PREDICTED, data};

const ID: &str = "pydata__xarray-1";

fn log(tests: &str, missing: &str) -> String {
    format!(
        "Applied patch tests/test_sum.py cleanly.\n+ coverage run --branch -m pytest -rA tests/test_sum.py::test_sum\n{tests}\n\
         + coverage report --show-missing\nName    Stmts   Miss Branch BrPart  Cover   Missing\n\
         shop/cart.py      10      2      4      1    80%   {missing}\n+ git checkout 0\n"
    )
}

fn graded(folder: &Path, logs: [Option<&str>; 2], patch: &str) -> TddReport {
    let dataset = data(folder, &[ID, "pydata__xarray-2"], Benchmark::Tdd);
    for (text, place) in logs.iter().zip(["gold_before", "gold"]) {
        let at = folder.join("logs/run_evaluation/run").join(place).join(ID);
        fs::create_dir_all(&at).unwrap();
        if let Some(text) = text {
            fs::write(at.join("test_coverage_combine.txt"), text).unwrap();
        }
    }
    let file = folder.join("mine.json");
    fs::write(&file, serde_json::json!([{"instance_id": ID, "model_patch": patch}]).to_string()).unwrap();
    let predicted = predictions::load(&file, &dataset, Benchmark::Tdd).unwrap();
    assert!(predicted.warnings().is_empty(), "{:?}", predicted.warnings());
    let found = TddLogs::find(folder).unwrap();
    grade_logs(&dataset, Some(&predicted), &found[0], &|_, _| {}).unwrap()
}

#[test]
fn the_score_is_coverage_of_tests_that_turn() {
    let check = |before: &str, after: &str, expect: (f64, f64, bool)| {
        let folder = tempfile::tempdir().unwrap();
        let report = graded(folder.path(), [Some(before), Some(after)], PREDICTED);
        let case = &report.cases[0].json().unwrap()[ID];
        let found = (
            case["cov_score"].as_f64().unwrap(),
            case["final_score"].as_f64().unwrap(),
            case["resolved"] == true,
        );
        assert_eq!(found, expect, "{before} {after}");
        assert_eq!(case["contributing_functions"][0], "tests/test_sum.py::test_sum");
    };
    let (failed, passed) = ("FAILED tests/test_sum.py::test_sum", "PASSED tests/test_sum.py::test_sum");
    check(&log(failed, "7"), &log(passed, "3"), (2.0 / 3.0, 2.0 / 3.0, true));
    check(&log("ERROR tests/test_sum.py", "2"), &log(passed, "2-3"), (0.0, 0.0, false));
    check(&log(failed, ""), &log(failed, ""), (1.0, 0.0, false));
}

#[test]
fn a_log_that_begins_at_another_commit_is_none_of_the_case() {
    let folder = tempfile::tempdir().unwrap();
    let commit = "0f".repeat(20);
    let other = format!("+ git diff {commit}\n{}", log("PASSED tests/test_sum.py::test_sum", "3"));
    let before = log("FAILED tests/test_sum.py::test_sum", "7");
    let report = graded(folder.path(), [Some(&before), Some(&other)], PREDICTED);
    let case = &report.cases[0];
    let told =
        format!("after the golden patch: the log is of another case: it begins at the commit {commit}");
    assert!(case.notes.iter().any(|note| note.starts_with(&told)), "{:?}", case.notes);
    assert!(case.verdict().is_none());
}

#[test]
fn reports_and_tables() {
    let folder = tempfile::tempdir().unwrap();
    let logs = [log("FAILED a", ""), log("PASSED a", "3")];
    let report = graded(folder.path(), [Some(&logs[0]), Some(&logs[1])], PREDICTED);
    let json = report.json();
    assert_eq!(
        (json["submitted_instances"].as_u64(), json["incomplete_ids"][0].as_str()),
        (Some(1), Some("pydata__xarray-2"))
    );
    assert_eq!(json["tddScore"].as_f64(), Some(1.0 / 3.0));
    let expect = "Method  resolved     %  coverage  tddScore\nmine      1 of 2  50.0      66.7      33.3\n";
    assert_eq!(table(std::slice::from_ref(&report), TableForm::Text), expect);
    let file = report.write(&folder.path().join("out")).unwrap();
    assert!(file.ends_with("mine.run.json"));
}

#[test]
fn logs_that_break_off_are_errors_and_empty_predictions_are_not_run() {
    let check = |logs: [Option<&str>; 2], patch: &str, list: &str, note: &str| {
        let folder = tempfile::tempdir().unwrap();
        let report = graded(folder.path(), logs, patch);
        assert_eq!(report.json()[list][0], ID, "{list}");
        let told = report.cases[0].notes.join("; ");
        assert!(told.contains(note), "{told}");
    };
    let whole = log("PASSED a", "");
    check(
        [Some("FAILED a\n"), Some(&whole)],
        PREDICTED,
        "error_ids",
        "before the golden patch: the log is cut off",
    );
    check([Some(&whole), None], PREDICTED, "error_ids", "after the golden patch: there is no log");
    let late = "FAILED a\n\n\nTimeout error: 60 seconds exceeded.";
    check([Some(&whole), Some(late)], PREDICTED, "error_ids", "took too long");
    check([Some(&whole), Some(&whole)], "", "empty_patch_ids", "");
}

#[test]
fn folders_without_logs_say_what_is_expected() {
    let folder = tempfile::tempdir().unwrap();
    let error = TddLogs::find(&folder.path().join("nothing")).unwrap_err().to_string();
    assert!(error.contains("gold_before/<case>"), "{error}");
}
