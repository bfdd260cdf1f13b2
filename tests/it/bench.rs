//! Batch runs from the outside: what is in the folder, what is refused, what a kill leaves.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::kit::{FIX, Run, changed, folder, pause, program, project, run, without_place, write};

/// A manifest with two bugs of [`project`], one with its fix known, and a project without a bug.
pub fn suite() -> tempfile::TempDir {
    let suite = folder(&[]);
    for name in ["first", "second", "sound"] {
        copy(project().path(), &suite.path().join(name));
    }
    let sound = suite.path().join("sound/bank/account.py");
    let text = std::fs::read_to_string(&sound).unwrap();
    std::fs::write(&sound, text.replace(">=", ">")).unwrap();
    let golden = "--- a/bank/account.py\n+++ b/bank/account.py\n@@ -6,1 +6,1 @@\n-        if amount >= self.balance:\n+        if amount > self.balance:\n";
    write(&suite.path().join("golden.patch"), golden.as_bytes());
    let manifest = "[[bug]]\nid = \"first\"\nlanguage = \"python\"\ndir = \"first\"\ngolden = \"golden.patch\"\n\n\
                    [[bug]]\nid = \"second\"\nlanguage = \"python\"\ndir = \"second\"\ngolden = \"golden.patch\"\n\n\
                    [[bug]]\nid = \"sound\"\nlanguage = \"python\"\ndir = \"sound\"\n";
    write(&suite.path().join("bugs.toml"), manifest.as_bytes());
    suite
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in from.read_dir().unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// The words of a run of the suite into a folder.
pub fn words(suite: &Path, out: &Path, more: &[&str]) -> Vec<String> {
    let manifest = format!("manifest:{}", suite.join("bugs.toml").display());
    let out = out.to_str().unwrap();
    let words = ["bench", "run", "--suite", &manifest, "--out", out, "--json"];
    words.iter().chain(more).map(|word| (*word).to_owned()).collect()
}

fn events(run: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("events.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event"] == kind).collect()
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_suite_is_repaired_and_each_patch_compared_with_the_developers_fix() {
    let (suite, out) = (suite(), folder(&[]));
    let out = out.path().join("run");
    let first: Run = program().args(words(suite.path(), &out, &["--workers", "2"])).output().unwrap().into();
    assert_eq!(first.code, 0, "{first:?}");
    let counts = json!({"plausible": 2, "no_fix": 1});
    assert_eq!((&first.json()["statuses"], &first.json()["unanswered"]), (&counts, &json!(0)));
    let events = events(&out);
    let grades = of_kind(&events, "graded");
    assert_eq!(grades.len(), 2);
    assert!(grades.iter().all(|grade| grade["grade"]["correct"] == true), "{grades:?}");
    for file in ["trajectory.jsonl", "result.json", "patch.diff"] {
        assert!(out.join("cases/first/attempt-1").join(file).is_file(), "{file}");
    }
    let result = std::fs::read(out.join("cases/first/attempt-1/result.json")).unwrap();
    let seconds = serde_json::from_slice::<Value>(&result).unwrap()["seconds"].take();
    // The fix patterns plan, and no model is asked.
    assert!(seconds["planning"].as_f64().unwrap() > 0.0 && seconds["model"] == 0.0, "{seconds}");
    let predictions = std::fs::read_to_string(out.join("predictions.jsonl")).unwrap();
    assert_eq!(predictions.lines().count(), 3);
    for line in predictions.lines() {
        let predicted: Value = serde_json::from_str(line).unwrap();
        let is_repaired = predicted["instance_id"] != "sound";
        let diff = changed(predicted["model_patch"].as_str().unwrap_or_default());
        assert_eq!(diff, if is_repaired { FIX.to_vec() } else { vec![] }, "{predicted}");
    }
    assert!(!suite.path().join("first/.patchwright").exists(), "the project itself is not written to");

    let again: Run = program().args(words(suite.path(), &out, &[])).output().unwrap().into();
    assert_eq!(again.code, 2, "{again:?}");
    insta::assert_snapshot!("holds_a_run", without_place(&again.stderr, &out));
    let out = out.to_str().unwrap();
    let other = run(&["bench", "resume", out, "--cycles", "7"]);
    assert_eq!(other.code, 2, "{other:?}");
    insta::assert_snapshot!("another_setting", without_place(&other.stderr, Path::new(out)));
    let done = run(&["bench", "resume", out, "--json"]);
    assert_eq!((done.code, &done.json()["statuses"]), (0, &counts), "{done:?}");
    assert!(!Path::new(out).join("cases/first/attempt-2").exists(), "nothing is done twice");
    let redone = run(&["bench", "resume", out, "--retry", "no-fix", "--json"]);
    assert_eq!(redone.code, 0, "{redone:?}");
    assert!(Path::new(out).join("cases/sound/attempt-2").exists());
    assert!(Path::new(out).join("cases/sound/attempt-1/trajectory.jsonl").exists(), "nothing is deleted");
    told(Path::new(out));
}

/// What is told of a run in which two of three cases were repaired as their developers did.
fn told(run: &Path) {
    let (folder, page) = (run.to_str().unwrap(), run.join("report.html"));
    let bench = |words: &[&str]| {
        let done = crate::kit::run(&[&["bench"], words].concat());
        assert_eq!(done.code, 0, "{done:?}");
        done
    };
    let json = bench(&["report", folder, "--json"]).json();
    assert_eq!((&json["total"]["plausible"], &json["total"]["correct"]), (&json!(2), &json!(2)), "{json}");
    assert!(run.join("report.json").is_file());
    let text = bench(&["report", folder]).stdout;
    let markdown = bench(&["report", folder, "--markdown"]).stdout;
    assert!(text.contains("Cases") && markdown.contains("| first"), "{text}\n{markdown}");
    bench(&["report", folder, "--html", page.to_str().unwrap()]);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("amount &gt; self.balance") && !page.contains("http://"), "{page}");
    let counted = page.split(['<', '>']).find(|text| text.contains("test that failed")).unwrap();
    insta::assert_snapshot!("tests_that_ran", counted);
    let same = bench(&["compare", folder, folder]).stdout;
    assert!(same.contains("both") && same.lines().any(|line| line.contains("1.0000")), "{same}");
    let judged =
        bench(&["review", folder, "--case", "second", "--wrong", "--by", "somebody", "--note", "it loses"]);
    insta::assert_snapshot!("judged", without_place(&judged.stderr, run));
    assert_eq!(bench(&["report", folder, "--json"]).json()["total"]["correct"], 1);
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_killed_run_goes_on_where_it_was() {
    let (suite, out) = (suite(), folder(&[]));
    let out = out.path().join("run");
    let mut child = program()
        .args(words(suite.path(), &out, &["--case", "second,first"]))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let trajectory = out.join("cases/second/attempt-1/trajectory.jsonl");
    let begun = Instant::now();
    while !trajectory.exists() && begun.elapsed() < Duration::from_mins(1) {
        pause();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(trajectory.exists());
    let done = run(&["bench", "resume", out.to_str().unwrap(), "--json"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(done.json()["statuses"], json!({"plausible": 2}));
    let events = events(&out);
    let attempts: Vec<(&str, u64)> = of_kind(&events, "attempt_ended")
        .iter()
        .map(|event| (event["case"].as_str().unwrap(), event["attempt"].as_u64().unwrap()))
        .collect();
    assert_eq!(attempts, [("second", 1), ("second", 2), ("first", 1)]);
    assert!(!out.join("work").read_dir().is_ok_and(|mut left| left.next().is_some()), "no scratch is left");
}

#[test]
fn golden_patches_are_accepted_by_their_own_suite() {
    let (suite, out) = (suite(), folder(&[]));
    let out = out.path().join("gold");
    let manifest = format!("manifest:{}", suite.path().join("bugs.toml").display());
    let words = ["bench", "gold", "--suite", &manifest, "--out", out.to_str().unwrap(), "--json"];
    let missing = run(&words);
    assert_eq!(missing.code, 2, "{missing:?}");
    insta::assert_snapshot!("no_developers_fix", missing.stderr);
    let words = [
        "bench",
        "gold",
        "--suite",
        &manifest,
        "--out",
        out.to_str().unwrap(),
        "--json",
        "--filter",
        "first|second",
    ];
    let gold = run(&words);
    assert_eq!(gold.code, 0, "{gold:?}");
    assert_eq!(gold.json()["statuses"], json!({"plausible": 2}));
}

#[test]
fn what_cannot_be_run_is_told_before_anything_is_written() {
    let (suite, out) = (suite(), folder(&[]));
    let out = out.path().join("run");
    let check = |more: &[&str], expect: &[&str]| {
        let run: Run = program().args(words(suite.path(), &out, more)).output().unwrap().into();
        assert_eq!(run.code, 2, "{run:?}");
        assert!(expect.iter().all(|part| run.stderr.contains(part)), "{expect:?}: {run:?}");
        assert!(!out.join("run.toml").exists());
    };
    check(&["--issue", "x.md"], &["--issue belongs to a case", "manifest"]);
    check(&["--filter", "furst"], &["--filter furst", "near are", "`first`"]);
    check(&["--localization", "perfect:x.patch"], &["perfect:FILE", "--localization perfect"]);
    check(&["--states", "/nowhere.toml"], &["--states /nowhere.toml"]);
    check(&["--slice", "one:two"], &["--slice one:two", "0:50"]);
    check(&["--case", "third"], &["no case `third`"]);
    check(&["--run-usd", "1"], &["--max-usd"]);
    check(&["--workers", "0"], &["--workers", "above zero"]);
    check(&["--model", "human"], &["--model human"]);
    check(&["--mode", "agentless"], &["--mode agentless", "--model openai/NAME"]);
    check(&["--without", "hammer"], &["--without hammer", "search-tools"]);
    let bad = format!("manifest:{}", suite.path().join("nothing.toml").display());
    let missing = run(&["bench", "run", "--suite", &bad, "--out", out.to_str().unwrap()]);
    assert!(missing.code == 2 && missing.stderr.contains("nothing.toml"), "{missing:?}");
    let kind = run(&["bench", "run", "--suite", "bugs.toml", "--out", out.to_str().unwrap()]);
    assert!(kind.code == 2 && kind.stderr.contains("manifest:FILE"), "{kind:?}");
}

/// Logs of version 1 that are read by newer rules: one hint, and with it they are graded.
#[test]
fn swe_bench_logs_of_version_1_are_recognised() {
    let row = |id: &str| {
        json!({
            "repo": "django/django", "instance_id": id, "base_commit": "0".repeat(40), "patch": "", "test_patch": "",
            "problem_statement": "It fails.", "hints_text": "", "created_at": "2024-01-01T00:00:00Z", "version": "4.0",
            "environment_setup_commit": "0".repeat(40), "FAIL_TO_PASS": "[\"test_new (a.tests.A)\"]", "PASS_TO_PASS": "[]",
        })
    };
    let ids: Vec<String> = (1..=30).map(|number| format!("django__django-{number}")).collect();
    let rows: Vec<Value> = ids.iter().map(|id| row(id)).collect();
    let log = ">>>>> Applied Patch (test)\n>>>>> Applied Patch (pred)\ntest_new (a.tests.A) ... ok\n>>>>> All Tests Passed\n";
    let data = folder(&[("rows.json", &Value::from(rows).to_string())]);
    std::fs::create_dir(data.path().join("logs")).unwrap();
    for id in &ids {
        std::fs::write(data.path().join("logs").join(format!("{id}.m.eval.log")), log).unwrap();
    }
    let path = |name: &str| data.path().join(name).to_str().unwrap().to_owned();
    let (suite, logs, out) = (format!("swe-bench:{}", path("rows.json")), path("logs"), path("out"));
    let words = ["bench", "grade", "--suite", &suite, "--logs", &logs, "--out", &out];
    let newest = run(&words);
    let about: Vec<&str> = newest.stderr.lines().filter(|line| line.contains("--rules v1")).collect();
    assert_eq!(about.len(), 1, "{newest:?}");
    insta::assert_snapshot!("logs_of_version_1", without_place(&newest.stderr, data.path()));
    assert_eq!(
        newest.stderr.lines().filter(|line| line.contains("django__django-2:")).count(),
        0,
        "{newest:?}"
    );
    let old = run(&[&words[..], &["--rules", "v1", "--json"]].concat());
    assert_eq!(old.json()["resolved_instances"], 30, "{old:?}");
    assert!(!old.stderr.contains("--rules v1"), "{old:?}");
}

#[test]
fn swe_bench_logs_are_graded_into_the_official_layout() {
    let row = json!([{
        "repo": "pallets/flask", "instance_id": "pallets__flask-1", "base_commit": "0".repeat(40), "patch": "",
        "test_patch": "diff --git a/tests/test_a.py b/tests/test_a.py\n--- a/tests/test_a.py\n+++ b/tests/test_a.py\n", "problem_statement": "It fails.",
        "hints_text": "", "created_at": "2024-01-01T00:00:00Z", "version": "2.0", "environment_setup_commit": "0".repeat(40),
        "FAIL_TO_PASS": "[\"tests/test_a.py::test_new\"]", "PASS_TO_PASS": "[\"tests/test_a.py::test_old\"]",
    }]);
    let log = "+ : '>>>>> Start Test Output'\nPASSED tests/test_a.py::test_new\nPASSED tests/test_a.py::test_old\n+ : '>>>>> End Test Output'\n";
    let prediction = json!([{"instance_id": "pallets__flask-1", "model_name_or_path": "m/x", "model_patch": "diff --git a/x b/x\n"}]);
    let data = folder(&[
        ("rows.json", &row.to_string()),
        ("predictions.json", &prediction.to_string()),
        ("logs/run_evaluation/r1/m__x/pallets__flask-1/test_output.txt", log),
    ]);
    let path = |name: &str| data.path().join(name).to_str().unwrap().to_owned();
    let suite = format!("swe-bench:{}", path("rows.json"));
    let (logs, predictions, out) = (path("logs"), path("predictions.json"), path("out"));
    let words =
        ["bench", "grade", "--suite", &suite, "--logs", &logs, "--predictions", &predictions, "--out", &out];
    let graded = run(&[&words[..], &["--json"]].concat());
    assert_eq!(graded.code, 0, "{graded:?}");
    assert_eq!(graded.json()["resolved_ids"], json!(["pallets__flask-1"]));
    let report = data.path().join("out/logs/run_evaluation/r1/m__x/pallets__flask-1/report.json");
    let report: Value = serde_json::from_str(&std::fs::read_to_string(report).unwrap()).unwrap();
    assert_eq!(report["pallets__flask-1"]["resolved"], true);
    assert!(data.path().join("out/m__x.r1.json").is_file());
    let text = run(&words);
    assert!(text.stdout.contains("resolved"), "{text:?}");
}

#[test]
fn tests_for_issues_are_graded_from_logs() {
    let diff = |path: &str, line: &str| {
        format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-old\n+{line}\n")
    };
    let row = json!({
        "repo": "pydata/xarray", "instance_id": "pydata__xarray-1", "base_commit": "0".repeat(40), "patch": diff("m.py", "new"),
        "test_patch": diff("tests/test_m.py", "new"), "problem_statement": "It fails.", "version": "2022.06",
    });
    let predicted = diff("tests/test_m.py", "mine");
    let prediction =
        json!({"instance_id": "pydata__xarray-1", "model_name_or_path": "m", "model_patch": predicted});
    let log = |line: &str| {
        format!("Applied patch tests/test_m.py cleanly.\n{line} tests/test_m.py::test_a\n+ git checkout 0\n")
    };
    let covered = |line: &str| format!("{}+ coverage report -m\nm.py 4 0 0 0 100%\n", log(line));
    let data = folder(&[
        ("rows.jsonl", &row.to_string()),
        ("predictions.jsonl", &prediction.to_string()),
        ("run_instance_swt_logs/r/pred_pre__m/pydata__xarray-1/test_output.txt", &log("FAILED")),
        ("run_instance_swt_logs/r/pred_pre__m/pydata__xarray-1/model_patch.diff", &predicted),
        ("run_instance_swt_logs/r/pred_post__m/pydata__xarray-1/test_output.txt", &log("PASSED")),
        ("logs/run_evaluation/r/gold_before/pydata__xarray-1/test_coverage_combine.txt", &covered("FAILED")),
        ("logs/run_evaluation/r/gold/pydata__xarray-1/test_coverage_combine.txt", &covered("PASSED")),
    ]);
    let path = |name: &str| data.path().join(name).to_str().unwrap().to_owned();
    let (logs, predictions, out) = (path(""), path("predictions.jsonl"), path("out"));
    for (kind, report) in [("swt-bench", "evaluation_results/m.r.json"), ("tdd-bench", "m.r.json")] {
        let suite = format!("{kind}:{}", path("rows.jsonl"));
        let words = [
            "bench",
            "grade",
            "--suite",
            &suite,
            "--logs",
            &logs,
            "--predictions",
            &predictions,
            "--out",
            &out,
        ];
        let graded = run(&[&words[..], &["--json"]].concat());
        assert_eq!(graded.json()["resolved_ids"], json!(["pydata__xarray-1"]), "{graded:?}");
        assert!(data.path().join("out").join(report).is_file(), "{graded:?}");
        let table = run(&[&words[..], &["--markdown"]].concat());
        assert!(table.stdout.starts_with("| Method |"), "{table:?}");
        let foreign = run(&["bench", "grade", "--suite", &format!("{kind}:{predictions}"), "--logs", &logs]);
        assert!(foreign.code == 2 && foreign.stderr.contains("--predictions"), "{foreign:?}");
    }
}
