//! SWT-Bench: logs, reports and what is wrong with them.

use std::fs;
use std::path::Path;

use patchwright_swe_bench::Dataset;
use patchwright_swt_bench::{
    Benchmark, GradeOptions, Layout, RunKind, RunReport, TableForm, grade_logs, predictions, table,
};

use crate::support::{FIX, Logs, PREDICTED, data, log};

const ID: &str = "pydata__xarray-1";

fn graded(dataset: &Dataset, folder: &Path, predictions: Option<&str>, strict: bool) -> RunReport {
    let file = folder.join("predictions.json");
    let predicted = predictions.map(|text| {
        fs::write(&file, text).unwrap();
        predictions::load(&file, dataset, Benchmark::Swt).unwrap()
    });
    let layout = Layout::find(folder).unwrap();
    let options = GradeOptions { strict, ..GradeOptions::default() };
    let reports = grade_logs(dataset, predicted.as_ref(), &layout, options, &|_, _| {}).unwrap();
    reports.into_iter().next().unwrap()
}

fn prediction(patch: &str) -> String {
    serde_json::json!([{"instance_id": ID, "model_name_or_path": "m", "model_patch": patch}]).to_string()
}

#[test]
fn a_case_whose_test_fails_before_and_passes_after_is_resolved() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = data(folder.path(), &[ID, "pydata__xarray-2"], Benchmark::Swt);
    Logs::new(folder.path(), "m").put_success(ID);
    let report = graded(&dataset, folder.path(), Some(&prediction(PREDICTED)), true);
    let case = &report.cases[0].json().unwrap()[ID];
    assert_eq!(case["resolved"], true);
    assert_eq!(case["resolved_strict"], true);
    assert_eq!(case["added_f2p"], 1);
    assert_eq!(case["tests_pred"]["FAIL_TO_PASS"][0], "tests/test_sum.py::test_sum");
    // Three lines can be executed: line 2 before, 2 and 3 after; the prediction reaches two of them.
    assert_eq!(case["coverage_delta_pred"].as_f64(), Some(2.0 / 3.0));
    assert_eq!(report.json()["resolved_ids"][0], ID);
    assert!(report.cases[0].notes.is_empty(), "{:?}", report.cases[0].notes);
    // Two rows, one of them without a prediction.
    let expect = "Method     W     S   F→×   F→P  P→P  ΔC all  ΔC S  ΔC ¬S  S strict\nm       50.0  50.0  50.0  50.0  0.0    66.7  66.7    0.0      50.0\n";
    assert_eq!(table(std::slice::from_ref(&report), TableForm::Text), expect);
}

#[test]
fn the_run_that_is_named_is_graded_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = data(folder.path(), &[ID], Benchmark::Swt);
    let logs = Logs::new(folder.path(), "m");
    logs.put_success(ID);
    let layout = Layout::find(folder.path()).unwrap();
    let own = layout.runs()[0].run_id.clone();
    fs::write(folder.path().join("predictions.json"), prediction(PREDICTED)).unwrap();
    let file = folder.path().join("predictions.json");
    let predicted = predictions::load(&file, &dataset, Benchmark::Swt).unwrap();
    let of = |run_id: &str| {
        let options = GradeOptions { run_id: Some(run_id), ..GradeOptions::default() };
        grade_logs(&dataset, Some(&predicted), &layout, options, &|_, _| {})
    };
    assert_eq!(of(&own).unwrap()[0].run_id, own);
    insta::assert_snapshot!(of("another").unwrap_err().message);
}

#[test]
fn a_log_that_begins_at_another_commit_is_none_of_the_case() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = data(folder.path(), &[ID], Benchmark::Swt);
    let logs = Logs::new(folder.path(), "m");
    let at = |commit: &str| {
        format!("+ git diff {commit}\n{}", log("PASSED tests/test_sum.py::test_sum", "\"2\": 1"))
    };
    for (kind, graded_then) in [(RunKind::PredPost, true), (RunKind::PredPre, false)] {
        logs.put_success(ID);
        logs.put(kind, ID, &at(&"0f".repeat(20)));
        let report = graded(&dataset, folder.path(), None, false);
        let case = &report.cases[0];
        let told = format!("{}: the log is of another case: it begins at the commit 0f0f", kind.name());
        assert!(case.notes.iter().any(|note| note.starts_with(&told)), "{:?}", case.notes);
        assert_eq!(case.outcome != patchwright_swt_bench::CaseOutcome::NotRun, graded_then);
        assert!(case.json().is_none_or(|json| json[ID]["resolved"] == false));
    }
}

#[test]
fn an_import_that_fails_before_counts_unless_one_looks_strictly() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = data(folder.path(), &[ID], Benchmark::Swt);
    let logs = Logs::new(folder.path(), "m");
    logs.put_success(ID);
    let before =
        log("ERROR tests/test_sum.py - ImportError: no\nPASSED tests/test_sum.py::test_old", "\"2\": 1");
    logs.put(RunKind::PredPre, ID, &before);
    let report = graded(&dataset, folder.path(), None, true);
    let case = &report.cases[0].json().unwrap()[ID];
    assert_eq!((case["resolved"].as_bool(), case["resolved_strict"].as_bool()), (Some(true), Some(false)));
}

#[test]
fn oddities_of_logs_and_predictions_are_told() {
    let check = |damage: &dyn Fn(&Logs), predicted: &str, expect: &str, resolved: bool| {
        let folder = tempfile::tempdir().unwrap();
        let dataset = data(folder.path(), &[ID], Benchmark::Swt);
        let logs = Logs::new(folder.path(), "m");
        logs.put_success(ID);
        damage(&logs);
        let report = graded(&dataset, folder.path(), Some(predicted), false);
        let told = format!("{:?} {:?}", report.cases[0].notes, report.warnings);
        assert!(told.contains(expect), "{expect}: {told}");
        assert_eq!(report.cases[0].resolved(), resolved, "{expect}: {told}");
    };
    let own = prediction(PREDICTED);
    let cut = log("PASSED tests/test_sum.py::test_sum", "").replace("+ git checkout 0\n", "");
    check(&|logs| drop(logs.put(RunKind::PredPost, ID, &cut)), &own, "pred_post: the log is cut off", false);
    check(
        &|logs| fs::remove_dir_all(logs.root().join("base_pre")).unwrap(),
        &own,
        "base_pre: there is no log",
        false,
    );
    check(&|_| (), &prediction(&PREDICTED.replace("test_sum", "test_else")), "of another prediction", false);
    let spec = |logs: &Logs| {
        let folder = logs.put(RunKind::PredPre, ID, &log("", ""));
        fs::write(folder.join("exec_spec.json"), r#"{"instance_id": "pydata__xarray-7"}"#).unwrap();
    };
    check(&spec, &own, "of another case", false);
    let void = |logs: &Logs| drop(logs.put(RunKind::PredPre, ID, ">>>>> Patch Apply Failed\n"));
    check(&void, &own, "nothing in it counts", false);
    let twice = own.replace(']', &format!(", {}", own.trim_start_matches('[')));
    check(&|_| (), &twice, "was predicted before; the last one counts", true);
    let mixed = format!("{FIX}{PREDICTED}");
    let production = |logs: &Logs| {
        for kind in [RunKind::PredPre, RunKind::PredPost] {
            let text = log("PASSED tests/test_sum.py::test_sum", "\"2\": 1");
            fs::write(logs.put(kind, ID, &text).join("model_patch.diff"), &mixed).unwrap();
        }
    };
    check(
        &production,
        &prediction(&mixed),
        "changes files that are no tests, which are applied too: shop/cart.py",
        false,
    );
}

#[test]
fn reports_are_written_in_the_official_layout() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = data(folder.path(), &[ID], Benchmark::Swt);
    Logs::new(folder.path(), "a__b").put_success(ID);
    let out = folder.path().join("out");
    let file = graded(&dataset, folder.path(), None, false).write(&out).unwrap();
    assert_eq!(file, out.join("evaluation_results/a__b.run.json"));
    let case = out.join(format!("run_instance_swt_logs/run/a__b/{ID}/report.json"));
    assert!(
        fs::read_to_string(case)
            .unwrap()
            .starts_with("{\n    \"pydata__xarray-1\": {\n        \"patch_is_None\": false,\n")
    );
}

#[test]
fn what_cannot_be_graded_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = data(folder.path(), &[ID], Benchmark::Swt);
    let error = Layout::find(folder.path()).unwrap_err().to_string();
    assert!(error.contains("run_instance_swt_logs"), "{error}");
    Logs::new(folder.path(), "m").put_success(ID);
    Logs::new(folder.path(), "n").put_success(ID);
    let layout = Layout::find(folder.path()).unwrap();
    let file = folder.path().join("p.json");
    fs::write(&file, prediction(PREDICTED).replace("\"m\"", "\"somebody\"")).unwrap();
    let predicted = predictions::load(&file, &dataset, Benchmark::Swt).unwrap();
    let error =
        grade_logs(&dataset, Some(&predicted), &layout, GradeOptions::default(), &|_, _| {}).unwrap_err();
    insta::assert_snapshot!(error.message);
}
