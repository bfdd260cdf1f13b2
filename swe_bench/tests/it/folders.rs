//! Folders of logs, reports of runs, and the cache of verdicts.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use patchwright_swe_bench::{
    Dataset, EvalType, EvaluationClass, Logs, Parser, PredictedPatch, Prediction, Predictions, Row, Rules,
    RunReport, VerdictCache, VerdictInputs, VerdictKey, grade, grade_logs, parser,
};

use crate::support::{START, dataset, marked, row, write};

fn prediction(id: &str, patch: PredictedPatch) -> Prediction {
    Prediction { instance_id: id.to_owned(), model: "org/model".to_owned(), patch }
}

fn text(patch: &str) -> PredictedPatch {
    PredictedPatch::Text(patch.to_owned())
}

/// One case for each thing that may come of it.
fn cases() -> (Dataset, Predictions) {
    let ids = [
        "a__fine-1",
        "b__wrong-2",
        "c__empty-3",
        "d__nolog-4",
        "e__noapply-5",
        "f__missing-6",
        "g__broken-7",
    ];
    let data = dataset(ids.map(|id| row(id, &["a"], &["b"])));
    let predictions = Predictions::new([
        prediction(ids[1], text("x\n")),
        prediction(ids[0], text("x\n")),
        prediction(ids[2], text("")),
        prediction(ids[3], text("x\n")),
        prediction(ids[4], text("x\n")),
        prediction(ids[6], text("x")),
    ]);
    (data, predictions)
}

fn logs_in(folder: &Path) {
    let case = |id: &str, file: &str, text: &str| {
        write(folder, &format!("logs/run_evaluation/my run/org__model/{id}/{file}"), text);
    };
    case("a__fine-1", "test_output.txt", &marked("PASSED a\r\nPASSED b"));
    case("a__fine-1", "run_instance.log", "Could not resolve host\n");
    case("b__wrong-2", "test_output.txt", &marked("FAILED a\nPASSED b"));
    case("b__wrong-2", "run_instance.log", "ModuleNotFoundError: x\n");
    case("c__empty-3", "test_output.txt", &marked("PASSED a\nPASSED b"));
    case("e__noapply-5", "run_instance.log", ">>>>> Patch Apply Failed:\nerror\n");
    case("g__broken-7", "test_output.txt", "Error response from daemon: no space\n");
    case("z__other-9", "test_output.txt", "");
}

fn graded(folder: &Path, rules: Rules) -> RunReport {
    let (data, predictions) = cases();
    let logs = Logs::find(folder, &data).unwrap();
    grade_logs(&data, &predictions, &logs, rules, |_, _| {}).unwrap()
}

#[test]
fn each_case_has_a_class_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    logs_in(folder.path());
    let report = graded(folder.path(), Rules::V5);
    let classes: Vec<(&str, EvaluationClass)> =
        report.cases.iter().map(|case| (case.instance_id.as_str(), case.class)).collect();
    assert_eq!(
        classes,
        [
            ("a__fine-1", EvaluationClass::Resolved),
            ("b__wrong-2", EvaluationClass::Unresolved),
            ("c__empty-3", EvaluationClass::Empty),
            ("d__nolog-4", EvaluationClass::Infrastructure),
            ("e__noapply-5", EvaluationClass::PatchFailed),
            ("f__missing-6", EvaluationClass::Missing),
            ("g__broken-7", EvaluationClass::Infrastructure),
        ]
    );
    assert_eq!(EvaluationClass::ALL.map(|class| report.count(class)), [1, 1, 1, 0, 2, 1, 1]);
    assert_eq!((report.run_id.as_str(), report.model.as_str()), ("my run", "org/model"));
    assert!(report.cases[6].notes.iter().any(|note| note.contains("newline")));
    assert!(report.cases[3].notes.iter().any(|note| note.contains("no log")));
}

#[test]
fn the_report_of_a_run_has_the_official_layout() {
    let folder = tempfile::tempdir().unwrap();
    logs_in(folder.path());
    for (rules, expect) in
        [(Rules::V4, include_str!("expected/run_v4.json")), (Rules::V5, include_str!("expected/run_v5.json"))]
    {
        let report = graded(folder.path(), rules);
        assert_eq!(report.json(), expect);
        let out = tempfile::tempdir().unwrap();
        let file = report.write(out.path()).unwrap();
        assert_eq!(file, out.path().join("org__model.my run.json"));
        assert_eq!(fs::read_to_string(file).unwrap(), expect);
        let cases = out.path().join("logs/run_evaluation/my run/org__model");
        let mut written: Vec<String> = fs::read_dir(&cases)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        written.sort();
        assert_eq!(written, ["a__fine-1", "b__wrong-2", "g__broken-7"]);
        let case = fs::read_to_string(cases.join("a__fine-1/report.json")).unwrap();
        assert!(case.starts_with("{\n    \"a__fine-1\": {\n        \"patch_is_None\": false,"), "{case}");
    }
}

#[test]
fn flat_logs_of_v1_are_found_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let data = dataset([row("a__a-1", &["a"], &[]), row("a__a.js-1", &["a"], &[])]);
    let log = ">>>>> Applied Patch (pred)\nPASSED a\n";
    write(folder.path(), "a__a-1.model.v2.eval.log", log);
    write(folder.path(), "deeper/a__a.js-1.model.v2.eval.log", log);
    write(folder.path(), "b__b-2.model.eval.log", log);
    write(folder.path(), "a__a-1.model.log", log);
    let logs = Logs::find(folder.path(), &data).unwrap();
    let predictions = logs.predictions();
    assert_eq!(predictions.list().len(), 2);
    assert_eq!(predictions.list()[0].model, "model.v2");
    assert_eq!(predictions.list()[0].patch, PredictedPatch::Unknown);
    let report = grade_logs(&data, &predictions, &logs, Rules::V1, |_, _| {}).unwrap();
    assert_eq!(report.count(EvaluationClass::Resolved), 2);
    assert_eq!(report.file_name(), "model.v2.graded.json");
}

#[test]
fn the_logs_of_a_model_are_taken_before_those_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let data = dataset([row("a__a-1", &["a"], &[])]);
    write(folder.path(), "r1/org__model/a__a-1/test_output.txt", marked("PASSED a"));
    write(folder.path(), "r2/other/a__a-1/test_output.txt", marked("FAILED a"));
    let logs = Logs::find(folder.path(), &data).unwrap();
    let grade = |logs: &Logs| {
        let predictions = Predictions::new([prediction("a__a-1", text("x\n"))]);
        grade_logs(&data, &predictions, logs, Rules::V5, |_, _| {}).unwrap()
    };
    let report = grade(&logs);
    assert_eq!((report.count(EvaluationClass::Resolved), report.warnings.len()), (1, 0));
    // Of two runs of the model the later by name is taken, with a warning.
    write(folder.path(), "r3/org__model/a__a-1/test_output.txt", marked("FAILED a"));
    let report = grade(&Logs::find(folder.path(), &data).unwrap());
    assert_eq!((report.count(EvaluationClass::Resolved), report.warnings.len()), (0, 1));
    assert!(
        report.warnings[0].contains("2 logs") && report.warnings[0].contains("r3"),
        "{:?}",
        report.warnings
    );
}

#[test]
fn bytes_that_are_no_text_do_not_stop_a_grading() {
    let folder = tempfile::tempdir().unwrap();
    let data = dataset([row("a__a-1", &["a"], &[])]);
    let mut bytes = marked("x\ry").into_bytes();
    bytes.splice(0..0, [0xff, b'\n']);
    let log = [b"\xff\xfe\n".as_slice(), marked("PASSED a\rPASSED \u{e9}").as_bytes()].concat();
    write(folder.path(), "m/a__a-1/test_output.txt", log);
    write(folder.path(), "m/a__a-1/patch.diff", bytes);
    let logs = Logs::find(folder.path(), &data).unwrap();
    let report = grade_logs(&data, &logs.predictions(), &logs, Rules::V5, |_, _| {}).unwrap();
    assert_eq!(report.count(EvaluationClass::Resolved), 1);
}

#[test]
fn progress_hears_of_each_case_once() {
    let data = dataset((0..50).map(|number| row(&format!("a__a-{number}"), &["a"], &[])));
    let (calls, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let progress = |done: usize, total: usize| {
        assert_eq!(total, 50);
        calls.fetch_add(1, Ordering::Relaxed);
        sum.fetch_add(done, Ordering::Relaxed);
    };
    let report = grade_logs(&data, &Predictions::gold(&data), &Logs::default(), Rules::V5, progress).unwrap();
    assert_eq!((calls.into_inner(), sum.into_inner()), (50, 50 * 51 / 2));
    let order: Vec<&str> = report.cases.iter().map(|case| case.instance_id.as_str()).collect();
    let expect: Vec<&str> = data.rows().iter().map(|row| row.instance_id.as_str()).collect();
    assert_eq!(order, expect);
}

#[test]
fn logs_are_found_by_the_names_of_their_cases() {
    let folder = tempfile::tempdir().unwrap();
    let ids = ["a__a-1", "b__b.js-2", "c__c-3", "d__d-4", "e__e-5"];
    let data = dataset(ids.map(|id| row(id, &["a"], &[])));
    let log = marked("PASSED a");
    write(folder.path(), "a__a-1.log", &log);
    write(folder.path(), "b__b.js-2.eval.log", &log);
    write(folder.path(), "c__c-3.txt", &log);
    write(folder.path(), "mine/logs/d__d-4/test_output.txt", &log);
    // What lies beside a folder of the case is something else.
    write(folder.path(), "mine/logs/d__d-4.log", "the model's talk");
    write(folder.path(), "mine/logs/e__e-5.log", &log);
    let logs = Logs::find(folder.path(), &data).unwrap();
    let found = logs.predictions();
    let models: Vec<(&str, &str)> = found
        .list()
        .iter()
        .map(|prediction| (prediction.instance_id.as_str(), prediction.model.as_str()))
        .collect();
    let expect = [(ids[0], "None"), (ids[1], "None"), (ids[2], "None"), (ids[3], "mine"), (ids[4], "mine")];
    assert_eq!(models, expect);
    let reports: Vec<RunReport> = found
        .by_model()
        .iter()
        .map(|group| grade_logs(&data, group, &logs, Rules::V5, |_, _| {}).unwrap())
        .collect();
    let names: Vec<String> = reports.iter().map(RunReport::file_name).collect();
    assert_eq!(names, ["None.graded.json", "mine.graded.json"]);
    assert_eq!(
        reports.iter().map(|report| report.count(EvaluationClass::Resolved)).collect::<Vec<_>>(),
        [3, 2]
    );
}

#[test]
fn each_model_is_graded_by_its_own_logs() {
    let folder = tempfile::tempdir().unwrap();
    let data = dataset([row("a__a-1", &["a"], &[])]);
    write(folder.path(), "run/one/a__a-1/test_output.txt", marked("PASSED a"));
    write(folder.path(), "run/two/a__a-1/test_output.txt", marked("FAILED a"));
    let logs = Logs::find(folder.path(), &data).unwrap();
    let found = logs.predictions();
    let counts: Vec<(String, usize)> = found
        .by_model()
        .iter()
        .map(|group| grade_logs(&data, group, &logs, Rules::V5, |_, _| {}).unwrap())
        .map(|report| (report.file_name(), report.count(EvaluationClass::Resolved)))
        .collect();
    assert_eq!(counts, [("one.run.json".to_owned(), 1), ("two.run.json".to_owned(), 0)]);
}

#[test]
fn the_logs_of_a_model_are_not_taken_for_those_of_another_that_has_none() {
    let folder = tempfile::tempdir().unwrap();
    let data = dataset([row("a__a-1", &["a"], &[])]);
    write(folder.path(), "run/one/a__a-1/test_output.txt", marked("PASSED a"));
    let logs = Logs::find(folder.path(), &data).unwrap();
    let of = |model: &str| Prediction { model: model.to_owned(), ..prediction("a__a-1", text("x\n")) };
    let classes = |list: Vec<Prediction>| -> Vec<EvaluationClass> {
        let groups = Predictions::new(list).by_model();
        let graded =
            groups.iter().map(|group| grade_logs(&data, group, &logs, Rules::V5, |_, _| {}).unwrap());
        graded.map(|report| report.cases[0].class).collect()
    };
    assert_eq!(
        classes(vec![of("one"), of("two")]),
        [EvaluationClass::Resolved, EvaluationClass::Infrastructure]
    );
    // Alone, it may only be called otherwise than its folder.
    assert_eq!(classes(vec![of("two")]), [EvaluationClass::Resolved]);
}

#[test]
fn an_empty_patch_beside_a_log_of_tests_is_not_the_patch() {
    let folder = tempfile::tempdir().unwrap();
    let data = dataset([row("a__a-1", &["a"], &[]), row("b__b-2", &["a"], &[])]);
    write(folder.path(), "m/a__a-1/test_output.txt", marked("PASSED a"));
    write(folder.path(), "m/a__a-1/patch.diff", "\n");
    write(folder.path(), "m/b__b-2/run_instance.log", "");
    write(folder.path(), "m/b__b-2/patch.diff", "");
    let logs = Logs::find(folder.path(), &data).unwrap();
    let found = logs.predictions();
    assert_eq!(found.get("a__a-1").unwrap().patch, PredictedPatch::Unknown);
    assert_eq!(found.get("b__b-2").unwrap().patch, text(""));
    let report = grade_logs(&data, &found, &logs, Rules::V5, |_, _| {}).unwrap();
    assert_eq!((report.count(EvaluationClass::Resolved), report.count(EvaluationClass::Empty)), (1, 1));
}

/// The official program writes no report where it stops before.
#[test]
fn what_was_stopped_is_an_error_in_the_report_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let ids = ["a__slow-1", "b__over-2", "c__stale-3", "d__said-4"];
    let data = dataset(ids.map(|id| row(id, &["a"], &[])));
    let limit = "\n\nTimeout error: 1800 seconds exceeded.";
    let case = |id: &str, file: &str, text: &str| write(folder.path(), &format!("run/m/{id}/{file}"), text);
    case(ids[0], "test_output.txt", &format!("{START}PASSED a{limit}"));
    // Whatever stands before: it was the reset after the tests that took too long.
    case(ids[1], "test_output.txt", &format!("{}{limit}\n", marked("PASSED a")));
    case(ids[2], "test_output.txt", &marked("PASSED a"));
    case(ids[2], "run_instance.log", "INFO - >>>>> Patch Apply Failed:\nerror\n");
    // Only at the end it is the program's word.
    case(ids[3], "test_output.txt", &marked(&format!("PASSED a{limit}")));
    let logs = Logs::find(folder.path(), &data).unwrap();
    for rules in [Rules::V4, Rules::V5] {
        let report = grade_logs(&data, &logs.predictions(), &logs, rules, |_, _| {}).unwrap();
        let classes: Vec<EvaluationClass> = report.cases.iter().map(|case| case.class).collect();
        assert_eq!(
            classes,
            [
                EvaluationClass::TimedOut,
                EvaluationClass::TimedOut,
                EvaluationClass::PatchFailed,
                EvaluationClass::Resolved
            ]
        );
        let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!(json["error_ids"], serde_json::json!(ids[..3]));
        assert_eq!(json["completed_ids"], serde_json::json!(ids[3..]));
        let out = tempfile::tempdir().unwrap();
        report.write(out.path()).unwrap();
        let cases = out.path().join("logs/run_evaluation/run/m");
        assert!(ids[..3].iter().all(|id| !cases.join(id).exists()));
        assert!(cases.join(ids[3]).join("report.json").is_file());
        let noted = |case: usize, text: &str| report.cases[case].notes.iter().any(|note| note.contains(text));
        assert!(noted(0, "too long") && noted(2, "could not be applied"));
    }
}

#[test]
fn a_case_that_no_parser_reads_is_left_out_alone() {
    let mut unknown = row("a__a-1", &["a"], &[]);
    unknown.repo = "x/y".to_owned();
    let data = dataset([unknown, row("b__b-2", &["a"], &[])]);
    let report =
        grade_logs(&data, &Predictions::gold(&data), &Logs::default(), Rules::V5, |_, _| {}).unwrap();
    let ids: Vec<&str> = report.cases.iter().map(|case| case.instance_id.as_str()).collect();
    assert_eq!(ids, ["b__b-2"]);
    let [warning] = report.warnings.as_slice() else { panic!("{:?}", report.warnings) };
    assert!(warning.contains("a__a-1") && warning.contains("log_parser"), "{warning}");
}

#[test]
fn what_cannot_be_graded_is_an_error_with_the_cure() {
    let mut unknown = row("a__a-1", &["a"], &[]);
    unknown.repo = "x/y".to_owned();
    let data = dataset([unknown]);
    let error = grade_logs(&data, &Predictions::gold(&data), &Logs::default(), Rules::V5, |_, _| {})
        .unwrap_err()
        .to_string();
    assert!(error.contains("a__a-1") && error.contains("log_parser"), "{error}");
    let error = Logs::find(Path::new("/nowhere/at/all"), &data).unwrap_err().to_string();
    assert!(error.contains("/nowhere/at/all"), "{error}");
}

#[test]
fn a_verdict_is_found_again_by_what_was_evaluated() {
    let folder = tempfile::tempdir().unwrap();
    let cache = VerdictCache::new(&folder.path().join("verdicts"));
    let row = row("a__a-1", &["a"], &["b"]);
    let question = VerdictInputs {
        patch: "patch",
        image: "image",
        script: "script",
        network: true,
        row: &row,
        parser: parser(&row, Rules::V5).unwrap(),
        rules: Rules::V5,
    };
    let verdict = |log: &str| grade(&row, parser(&row, Rules::V5).unwrap(), log, Rules::V5);
    let first = VerdictKey::of(&question);
    assert_eq!(cache.get(&first), None);
    let good = verdict(&marked("PASSED a\nFAILED b"));
    cache.put(&first, &good).unwrap();
    assert_eq!(cache.get(&first), Some(good));
    // Anything else that was evaluated has no verdict yet.
    let mut swapped = row.clone();
    std::mem::swap(&mut swapped.fail_to_pass, &mut swapped.pass_to_pass);
    let namesake = Row { instance_id: "a__a-2".to_owned(), ..row.clone() };
    let fail_only = Row { eval_type: Some(EvalType::FailOnly), ..row.clone() };
    for other in [
        VerdictInputs { patch: "patch2", ..question },
        VerdictInputs { image: "image2", ..question },
        VerdictInputs { script: "script2", ..question },
        VerdictInputs { network: false, ..question },
        VerdictInputs { rules: Rules::V4, ..question },
        VerdictInputs { parser: Parser::named("parse_log_django").unwrap(), ..question },
        VerdictInputs { patch: "patchi", image: "mage", ..question },
        VerdictInputs { row: &swapped, ..question },
        VerdictInputs { row: &namesake, ..question },
        VerdictInputs { row: &fail_only, ..question },
    ] {
        assert_eq!(cache.get(&VerdictKey::of(&other)), None, "{other:?}");
    }
    // A later verdict takes the place of the earlier one; what says nothing of tests is not kept.
    let better = verdict(&marked("PASSED a\nPASSED b"));
    cache.put(&first, &better).unwrap();
    cache.put(&first, &verdict("Killed\n")).unwrap();
    assert_eq!(cache.get(&first), Some(better));
}

#[test]
fn a_damaged_verdict_counts_as_none() {
    let folder = tempfile::tempdir().unwrap();
    let cache = VerdictCache::new(folder.path());
    let row = row("a__a-1", &["a"], &[]);
    let key = VerdictKey::of(&VerdictInputs {
        patch: "p",
        image: "i",
        script: "s",
        network: true,
        row: &row,
        parser: parser(&row, Rules::V5).unwrap(),
        rules: Rules::V5,
    });
    cache.put(&key, &grade(&row, parser(&row, Rules::V5).unwrap(), &marked("PASSED a"), Rules::V5)).unwrap();
    let kept = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let file = fs::read_dir(kept).unwrap().next().unwrap().unwrap().path();
    fs::write(file, "{").unwrap();
    assert_eq!(cache.get(&key), None);
}
