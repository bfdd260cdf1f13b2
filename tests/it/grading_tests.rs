//! `bench grade` of tests for issues from logs of others, and what is told of datasets and predictions before anything runs.

use std::path::Path;

use serde_json::{Value, json};

use crate::kit::{Run, folder, lines_with, program, run, without_place, write};

const CASE: &str = "pydata__xarray-1";
const PRE: &str = "run_instance_swt_logs/r/pred_pre__m/pydata__xarray-1/test_output.txt";
const POST: &str = "run_instance_swt_logs/r/pred_post__m/pydata__xarray-1/test_output.txt";
const BEFORE: &str = "logs/run_evaluation/r/gold_before/pydata__xarray-1/test_coverage_combine.txt";
const AFTER: &str = "logs/run_evaluation/r/gold/pydata__xarray-1/test_coverage_combine.txt";

fn diff(path: &str, line: &str) -> String {
    format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-old\n+{line}\n")
}

fn row(id: &str) -> Value {
    json!({
        "repo": "pydata/xarray", "instance_id": id, "base_commit": "0".repeat(40), "patch": diff("m.py", "new"),
        "test_patch": diff("tests/test_m.py", "new"), "problem_statement": "It fails.", "version": "2022.06",
    })
}

fn prediction(id: &str, patch: &str) -> Value {
    json!({"instance_id": id, "model_name_or_path": "m", "model_patch": patch})
}

/// What a script prints of patches of these files that it gives to git.
fn given(paths: &[&str]) -> String {
    let one =
        |path: &&str| format!("+ git apply -v -\nChecking patch {path}...\nApplied patch {path} cleanly.\n");
    paths.iter().map(one).collect()
}

/// A folder with a dataset of one case, a prediction for it and its logs in both layouts, with which it is resolved.
fn graded_logs() -> tempfile::TempDir {
    let predicted = diff("tests/test_m.py", "mine");
    let end = format!("+ git checkout {}\n", "0".repeat(40));
    let log =
        |paths: &[&str], line: &str| format!("{}+ run\n{line} tests/test_m.py::test_a\n{end}", given(paths));
    let covered = |shown: &str, line: &str| {
        format!(
            "+ git diff {}\n{shown}{}+ run\n{line} tests/test_m.py::test_a\n+ coverage report -m\nm.py 4 0 0 0 100%\nTOTAL 4 0 0 0 100%\n",
            "0".repeat(40),
            given(&["tests/test_m.py"])
        )
    };
    folder(&[
        ("rows.jsonl", &row(CASE).to_string()),
        ("predictions.jsonl", &prediction(CASE, &predicted).to_string()),
        ("run_instance_swt_logs/r/pred_pre__m/pydata__xarray-1/model_patch.diff", &predicted),
        (PRE, &log(&["tests/test_m.py"], "FAILED")),
        (POST, &log(&["m.py", "tests/test_m.py"], "PASSED")),
        (BEFORE, &covered("", "FAILED")),
        (AFTER, &covered(&diff("m.py", "new"), "PASSED")),
    ])
}

/// `bench grade` in a folder from its logs.
fn grade(work: &Path, kind: &str, more: &[&str]) -> Run {
    let mut command = program();
    command.args(["bench", "grade", "--suite", &format!("{kind}:rows.jsonl"), "--logs", "."]);
    command.args(["--predictions", "predictions.jsonl", "--out", "out"]).args(more).current_dir(work);
    command.output().unwrap().into()
}

fn swap(work: &Path, one: &str, other: &str) {
    let between = work.join("between");
    std::fs::rename(work.join(one), &between).unwrap();
    std::fs::rename(work.join(other), work.join(one)).unwrap();
    std::fs::rename(between, work.join(other)).unwrap();
}

#[test]
fn logs_before_and_after_that_are_exchanged_are_told_and_not_graded() {
    let work = graded_logs();
    let mut told = String::new();
    for (kind, one, other) in [("swt-bench", PRE, POST), ("tdd-bench", BEFORE, AFTER)] {
        let right = grade(work.path(), kind, &["--json"]);
        assert_eq!((right.code, &right.json()["resolved_instances"]), (0, &json!(1)), "{right:?}");
        assert!(!right.stderr.contains("exchanged"), "{right:?}");
        swap(work.path(), one, other);
        let swapped = grade(work.path(), kind, &["--json"]);
        assert_eq!(swapped.json()["error_instances"], 1, "{swapped:?}");
        told += &swapped.stderr;
    }
    insta::assert_snapshot!("exchanged_logs", without_place(&told, work.path()));
}

#[test]
fn logs_that_end_within_their_coverage_are_told() {
    let work = graded_logs();
    let says = "after the golden patch: the log ends within the table of coverage";
    assert!(!grade(work.path(), "tdd-bench", &[]).stderr.contains("ends within"));
    let whole = std::fs::read_to_string(work.path().join(AFTER)).unwrap();
    write(&work.path().join(AFTER), whole.split("TOTAL").next().unwrap().as_bytes());
    let cut = grade(work.path(), "tdd-bench", &[]);
    assert!(cut.stderr.contains(says), "{cut:?}");
}

#[test]
fn golden_tests_that_pass_before_and_fail_after_are_told() {
    let work = graded_logs();
    let layout = work.path().join("run_instance_swt_logs");
    // The digest of `tests/test_m.py`, the only file of the golden tests.
    let digest = golden_digest();
    for (kind, line) in [("gold_pre", "PASSED"), ("gold_post", "FAILED")] {
        let log = format!(
            "Applied patch tests/test_m.py cleanly.\n{line} tests/test_m.py::test_g\n+ git checkout 0\n"
        );
        write(&layout.join(kind).join(CASE).join(&digest).join("test_output.txt"), log.as_bytes());
    }
    let told = grade(work.path(), "swt-bench", &[]);
    insta::assert_snapshot!("golden_tests_that_fail", lines_with(&told.stderr, "gold_pre"));
}

/// The SHA-256 of `tests/test_m.py`, under which its shared logs lie.
fn golden_digest() -> String {
    let mut sum = std::process::Command::new("sh");
    sum.args(["-c", "printf tests/test_m.py | sha256sum | cut -d' ' -f1"]);
    String::from_utf8(sum.output().unwrap().stdout).unwrap().trim().to_owned()
}

#[test]
fn a_patch_that_git_refused_is_named_with_its_reason() {
    let work = graded_logs();
    let refused = "+ git apply -v -\nChecking patch m.py...\nerror: patch failed: m.py:1\nerror: m.py: patch does not apply\n";
    let tests = given(&["tests/test_m.py"]);
    let log = format!("{refused}{tests}+ run\nFAILED tests/test_m.py::test_a\n+ git checkout 0\n");
    write(&work.path().join(POST), log.as_bytes());
    let told = grade(work.path(), "swt-bench", &[]);
    let says = "pred_post: the golden patch (field `patch`) does not apply: patch failed: m.py:1; m.py: patch does not apply; \
                `patch`, `test_patch` and `base_commit` of a row belong together";
    assert!(told.stderr.contains(says), "{told:?}");
}

#[test]
fn what_is_odd_about_a_dataset_or_predictions_is_told_with_its_field() {
    let work = graded_logs();
    let (own, other) =
        (prediction(CASE, &diff("tests/test_m.py", "mine")), prediction("pydata__xarray-2", "x"));
    let mut broken = row("pydata__xarray-2");
    broken["base_commit"] = json!("zzz");
    let mut proseful = row(CASE);
    proseful["test_patch"] = json!("See the pull request.");
    write(&work.path().join("rows.jsonl"), format!("{proseful}\n{broken}\n").as_bytes());
    write(&work.path().join("predictions.jsonl"), format!("{own}\n{other}\n").as_bytes());
    let told = grade(work.path(), "swt-bench", &[]);
    write(&work.path().join("rows.jsonl"), format!("{broken}\n").as_bytes());
    let alone = grade(work.path(), "swt-bench", &[]);
    assert_eq!(alone.code, 2, "{alone:?}");
    insta::assert_snapshot!("odd_dataset", [told.stderr, alone.stderr].join("---\n"));
    // The dataset is looked at before a key is asked for.
    let words =
        ["bench", "run", "--suite", "swt-bench:rows.jsonl", "--model", "openai/gpt", "--method", "direct"];
    let begun = Run::from(program().args(words).current_dir(work.path()).output().unwrap());
    assert!(begun.code == 2 && begun.stderr.contains("field `base_commit`"), "{begun:?}");
    write(&work.path().join("rows.jsonl"), format!("{}\n", row(CASE)).as_bytes());
    let begun = Run::from(program().args(words).current_dir(work.path()).output().unwrap());
    assert!(begun.code != 0 && begun.stderr.contains("OPENAI_API_KEY"), "{begun:?}");
}

#[test]
fn empty_predictions_count_and_prose_is_told() {
    let work = graded_logs();
    let predicted = diff("tests/test_m.py", "mine");
    for (kind, field) in [("swt-bench", "unresolved_ids"), ("tdd-bench", "empty_patch_ids")] {
        write(&work.path().join("predictions.jsonl"), prediction(CASE, " \n").to_string().as_bytes());
        let empty = grade(work.path(), kind, &["--json"]);
        assert_eq!((empty.code, &empty.json()[field]), (0, &json!([CASE])), "{empty:?}");
        let prose = format!("This shows it:\n\n{predicted}");
        write(&work.path().join("predictions.jsonl"), prediction(CASE, &prose).to_string().as_bytes());
        write(
            &work.path().join("run_instance_swt_logs/r/pred_pre__m/pydata__xarray-1/model_patch.diff"),
            prose.as_bytes(),
        );
        let told = grade(work.path(), kind, &[]);
        assert!(
            told.stderr.contains(
                "prose stands around the diff in the field `model_patch`, such as `This shows it:`"
            ),
            "{told:?}"
        );
    }
    write(&work.path().join("predictions.jsonl"), b"");
    let none = grade(work.path(), "swt-bench", &[]);
    assert_eq!(none.code, 2, "{none:?}");
    insta::assert_snapshot!("no_prediction", none.stderr);
}

#[test]
fn reports_of_grading_alone_have_their_tables_too() {
    let work = graded_logs();
    for kind in ["swt-bench", "tdd-bench"] {
        assert_eq!(grade(work.path(), kind, &[]).code, 0);
    }
    let out = work.path().join("out");
    let out = out.to_str().unwrap();
    let report = run(&["bench", "report", out]);
    assert_eq!(report.code, 0, "{report:?}");
    for part in ["SWT-Bench: what was graded", "ΔC all", "TDD-Bench: what was graded", "tddScore", "m.r"] {
        assert!(report.stdout.contains(part), "{part}: {report:?}");
    }
    assert_eq!(run(&["bench", "compare", out, out, "--markdown"]).code, 0);
    let nothing = folder(&[]);
    let nothing = nothing.path().to_str().unwrap();
    let mixed = run(&["bench", "compare", out, nothing]);
    let none = run(&["bench", "report", nothing]);
    assert_eq!((mixed.code, none.code), (2, 2), "{mixed:?} {none:?}");
    let told = without_place(&[mixed.stderr, none.stderr].concat(), work.path());
    insta::assert_snapshot!("nothing_to_report", told.replace(nothing, "NOTHING"));
}

#[test]
fn gold_has_the_options_that_it_needs_and_no_others() {
    let help = run(&["bench", "gold", "--help"]).stdout;
    for option in [
        "--offline",
        "--again",
        "--run-id",
        "--split",
        "--slice",
        "--timeout",
        "--workers",
        "--sandbox",
        "--out",
        "--json",
    ] {
        assert!(help.contains(option), "{option}: {help}");
    }
    for option in [
        "--model",
        "--cycles",
        "--method",
        "--prompt-tokens",
        "--repairs",
        "--max-usd",
        "--failing",
        "--preset",
    ] {
        assert!(!help.contains(option), "{option}: {help}");
    }
}

#[test]
fn options_about_fixes_are_refused_where_tests_are_graded() {
    let work = graded_logs();
    let mut told = String::new();
    for kind in ["swt-bench", "tdd-bench"] {
        let rules = grade(work.path(), kind, &["--rules", "v4"]);
        let suite = format!("{kind}:{}", work.path().join("rows.jsonl").display());
        let pulls = run(&["bench", "gold", "--suite", &suite, "--pulls", "2"]);
        assert_eq!((rules.code, pulls.code), (2, 2), "{rules:?} {pulls:?}");
        told += &[rules.stderr, pulls.stderr].concat();
    }
    insta::assert_snapshot!("options_about_fixes", without_place(&told, work.path()));
}
