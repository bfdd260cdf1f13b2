//! Runs that write tests: from a dataset over each session to the tables, and what tests say of fixes.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::containers::called;
use crate::kit::{
    Model, Run, folder, lines_with, pause, program, project, prompt_text, run, there, without_numbers, write,
};
use crate::swe_bench::{TEST_PATCH, fixture, patch};

const CASE: &str = "pallets__flask-1";

/// The program with these words, and clones and caches in a folder.
fn program_in(work: &Path, words: &[&str]) -> Command {
    let mut command = program();
    command.args(words).current_dir(work);
    command
        .env("PATCHWRIGHT_SWEBENCH_REPOS", work.join("clones"))
        .env("PATCHWRIGHT_CACHE", work.join("cache"));
    command
}

fn runs(work: &Path, words: &[&str], more: &[String]) -> Run {
    program_in(work, words).args(more).output().unwrap().into()
}

/// A dataset of one case, in a clone; its version has no commands, so that they are detected.
fn clone() -> tempfile::TempDir {
    let work = folder(&[]);
    let clone = work.path().join("clones/pallets__flask");
    for (path, text) in crate::kit::snapshot(project().path()) {
        let text = String::from_utf8(text).unwrap();
        let all =
            "    def test_withdraws_all(self):\n        self.assertEqual(self.account.withdraw(100), 0)\n\n";
        write(&clone.join(path), text.replace(all, "").as_bytes());
    }
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.arg("-C")
            .arg(&clone)
            .args(["-c", "user.name=dev", "-c", "user.email=dev@example.com"])
            .args(words);
        called(git)
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "base"]);
    let row = json!({
        "repo": "pallets/flask", "instance_id": CASE, "base_commit": git(&["rev-parse", "HEAD"]), "patch": patch(">"),
        "test_patch": TEST_PATCH, "version": "0.0",
        "problem_statement": "Withdrawing all fails:\n```python\nAccount(100).withdraw(100)\n```\nraises `ValueError: not enough`.",
    });
    write(&work.path().join("rows.jsonl"), format!("{row}\n").as_bytes());
    work
}

/// An answer with a test of this body.
fn answer(body: &str) -> String {
    format!(
        "```python\n### tests/test_withdraw_all.py\nimport unittest\n\nfrom bank.account import Account\n\n\n\
         class WithdrawAllTest(unittest.TestCase):\n    def test_all(self):\n        {body}\n```\n"
    )
}

const RIGHT: &str = "self.assertEqual(Account(100).withdraw(100), 0)";

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Logs of the runs of a prediction, in the official layout.
fn logs(work: &Path, run: &str, after: &str) {
    let first = read(&work.join(run).join("predictions.jsonl"));
    let prediction: Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    let model = prediction["model_name_or_path"].as_str().unwrap();
    for (kind, line) in [("pred_pre", "FAILED"), ("pred_post", after)] {
        let folder = work.join(format!("logs/{run}/{kind}__{model}/{CASE}"));
        let log = format!(
            "Applied patch t.py cleanly.\n{line} tests/test_withdraw_all.py::test_all\n+ git checkout 0\n"
        );
        write(&folder.join("test_output.txt"), log.as_bytes());
        write(&folder.join("model_patch.diff"), prediction["model_patch"].as_str().unwrap().as_bytes());
    }
}

#[test]
fn methods_run_over_a_dataset_and_their_verdicts_become_the_papers_tables() {
    // Tests of this repository are run and told of by pytest.
    if !there("methods_run_over_a_dataset_and_their_verdicts", "python3 -c 'import pytest'") {
        return;
    }
    let work = clone();
    let suite = ["bench", "run", "--suite", "swt-bench:rows.jsonl"];
    for (name, method, text, status) in
        [("one", "direct", answer(RIGHT), "reproduced"), ("two", "agent", String::new(), "budget")]
    {
        let model = Model::saying(&vec![text; 4]);
        let words = [&suite[..], &["--method", method, "--cycles", "4", "--out", name, "--json"]].concat();
        let done = runs(work.path(), &words, &model.of_runs());
        assert_eq!(done.json()["statuses"], json!({status: 1}), "{done:?}");
        assert!(read(&work.path().join(name).join("run.toml")).contains(&format!("method = \"{method}\"")));
        for asked in model.requests() {
            let asked = prompt_text(&asked);
            assert!(asked.contains("Withdrawing all fails"), "{asked}");
            assert!(!asked.contains("test_withdraws_all") && !asked.contains("amount > self"), "{asked}");
        }
    }
    let one = work.path().join("one");
    let predicted: Value = serde_json::from_str(&read(&one.join("predictions.jsonl"))).unwrap();
    let patch = predicted["model_patch"].as_str().unwrap();
    assert!(patch.contains("+++ b/tests/test_withdraw_all.py") && patch.matches("diff --git").count() == 1);
    let of_tdd: Value = serde_json::from_str(&read(&one.join("predictions_tdd.json"))).unwrap();
    assert_eq!(of_tdd, json!([{"instance_id": CASE, "model_patch": patch}]));
    let report = runs(work.path(), &["bench", "report", "one"], &[]);
    let titles: Vec<&str> = report.stdout.split("\n\n").map(|part| part.lines().next().unwrap()).collect();
    insta::assert_snapshot!("report_before_grading", titles.join("\n"));
    let other = runs(work.path(), &["bench", "resume", "one", "--method", "libro"], &[]);
    assert!(
        other.code == 2 && other.stderr.contains("settings.method: was \"direct\", is \"libro\""),
        "{other:?}"
    );

    logs(work.path(), "one", "PASSED");
    let grade = ["bench", "grade", "--suite", "swt-bench:rows.jsonl", "--logs", "logs", "--predictions"];
    let graded = runs(work.path(), &[&grade[..], &["one"]].concat(), &[]);
    assert_eq!(graded.code, 0, "{graded:?}");
    let again = runs(work.path(), &[&grade[..], &["one"]].concat(), &[]);
    assert_eq!(again.code, 0, "{again:?}");
    let events = read(&one.join("events.jsonl"));
    assert_eq!(events.matches("\"graded\"").count(), 1, "what is known is not written again: {events}");
    let report = runs(work.path(), &["bench", "report", "one", "--json"], &[]).json();
    let tests = &report["tests"];
    assert_eq!((&tests["method"], &tests["total"]["reproduced"]), (&json!("direct"), &json!(1)));
    let swt = &tests["total"]["measures"]["SWT-Bench"];
    assert_eq!((&swt["resolved"], &tests["total"]["questions"]), (&json!(1), &json!(1)));
    assert_eq!(tests["by_reproduction"][0]["name"], "the issue holds a reproduction");
    assert_eq!(tests["by_length"][0]["name"], "up to 100 words");
    let compared = runs(work.path(), &["bench", "compare", "one", "two"], &[]);
    for part in ["Measures by method", "direct", "agent", "Tests by method"] {
        assert!(compared.stdout.contains(part), "{part}: {compared:?}");
    }
    let text = runs(work.path(), &["bench", "report", "one"], &[]).stdout;
    assert_eq!(measures(&text, 0), "direct SWT-Bench 1 100.0 100.0 100.0 100.0 0.0 – –", "{text}");

    // A second benchmark's verdict stands beside the first one's, and takes no place of it.
    tdd_logs(work.path(), patch);
    let grade =
        ["bench", "grade", "--suite", "tdd-bench:rows.jsonl", "--logs", "tdd", "--predictions", "one"];
    let graded = runs(work.path(), &grade, &[]);
    assert_eq!(graded.code, 0, "{graded:?}");
    let text = runs(work.path(), &["bench", "report", "one"], &[]).stdout;
    assert_eq!(measures(&text, 0), "direct SWT-Bench 1 100.0 100.0 100.0 100.0 0.0 – –", "{text}");
    assert_eq!(measures(&text, 1), "direct TDD-Bench 1 – 0.0 100.0 0.0 – 100.0 0.0", "{text}");
    let total = &runs(work.path(), &["bench", "report", "one", "--json"], &[]).json()["total"];
    assert_eq!(total["resolved"], 1, "the first by name says what is resolved: {total}");
}

/// A row of the table of measures, its cells parted by a blank.
fn measures(text: &str, row: usize) -> String {
    let mut rows = text.lines().skip_while(|line| *line != "Measures by method").skip(2);
    let row = rows.nth(row).unwrap_or_default();
    row.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Logs of TDD-Bench by which a test fails before and after the fix.
fn tdd_logs(work: &Path, patch: &str) {
    for folder in ["gold_before", "gold"] {
        let folder = work.join(format!("tdd/run/{folder}/{CASE}"));
        let log = "Applied patch t.py cleanly.\nFAILED tests/test_withdraw_all.py::WithdrawAllTest::test_all\n+ coverage report -m\nbank/account.py 4 0 100%\n";
        write(&folder.join("test_coverage_combine.txt"), log.as_bytes());
        write(&folder.join("eval.sh"), patch.as_bytes());
    }
}

#[test]
fn methods_that_make_no_sense_are_refused_before_anything_is_written() {
    let work = clone();
    write(
        &work.path().join("bugs.toml"),
        b"[[bug]]\nid = \"a\"\nlanguage = \"python\"\ndir = \"clones/pallets__flask\"\n",
    );
    let check = |words: &[&str], expect: &str| {
        let refused = runs(work.path(), &[&["bench"], words, &["--out", "run"]].concat(), &[]);
        assert!(refused.code == 2 && refused.stderr.contains(expect), "{expect}: {refused:?}");
        assert!(!work.path().join("run").exists());
    };
    let swt = "swt-bench:rows.jsonl";
    check(&["run", "--suite", swt], "none is given");
    check(&["run", "--suite", swt, "--method", "guess"], "the methods are direct");
    check(&["run", "--suite", swt, "--mode", "agentless"], "--mode is about repairs");
    check(&["run", "--suite", "defects4j:clones", "--method", "direct"], "come without any");
    check(&["run", "--suite", "manifest:bugs.toml", "--samples", "3"], "--samples is about how tests");
    check(&["gold", "--suite", swt, "--method", "direct"], "unexpected argument '--method'");
    check(
        &["gold", "--suite", swt, "--sandbox", "host"],
        "--sandbox: the cases of swt-bench are tested in their images",
    );
    check(&["gold", "--suite", "manifest:bugs.toml", "--again"], "--again is about swe-bench, swt-bench");
    let model = Model::saying(&[]);
    let words =
        ["bench", "run", "--suite", "manifest:bugs.toml", "--method", "direct", "--out", "run", "--json"];
    let unusable = runs(work.path(), &words, &model.of_runs());
    assert_eq!(unusable.json()["statuses"], json!({"unusable": 1}), "{unusable:?}");
    insta::assert_snapshot!("unusable", without_numbers(&lines_with(&unusable.stderr, "unusable")));
    let fixes =
        run(&["bench", "grade", "--suite", "swe-bench:x.jsonl", "--predictions", "a", "--fixes", "b"]);
    assert!(fixes.code == 2 && fixes.stderr.contains("--fixes"), "{fixes:?}");
}

#[test]
fn a_manifests_issue_is_enough_to_write_a_test() {
    let work = clone();
    write(&work.path().join("issue.md"), b"Withdrawing all raises `ValueError: not enough`.");
    let manifest = "[[bug]]\nid = \"all\"\nlanguage = \"python\"\ndir = \"clones/pallets__flask\"\nissue = \"issue.md\"\n";
    write(&work.path().join("bugs.toml"), manifest.as_bytes());
    let model = Model::saying(&[answer(RIGHT)]);
    let words =
        ["bench", "run", "--suite", "manifest:bugs.toml", "--method", "direct", "--out", "run", "--json"];
    let done = runs(work.path(), &words, &model.of_runs());
    assert_eq!(done.json()["statuses"], json!({"reproduced": 1}), "{done:?}");
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn golden_tests_that_show_nothing_are_told_by_name() {
    let Some(fixture) = fixture() else { return };
    let work = folder(&[]);
    let idle = TEST_PATCH.replace("withdraw(100), 0", "withdraw(90), 10");
    let elsewhere = patch(">").replace("amount >=", "amount ==");
    let broken = TEST_PATCH.replace("withdraw(30), 70", "withdraw(20), 80");
    let never = TEST_PATCH.replace("withdraw(100), 0", "withdraw(100), 1");
    for (suite, tests, code, says) in [
        ("swt-bench:rows.jsonl", TEST_PATCH, 0, ""),
        (
            "swt-bench:rows.jsonl",
            &elsewhere,
            1,
            "the field `patch` does not apply to the base commit: patch failed: bank/account.py:3;",
        ),
        (
            "swt-bench:rows.jsonl",
            &broken,
            1,
            "pred_post: the golden tests (field `test_patch`) does not apply: patch failed: tests/test_account.py:10;",
        ),
        ("swt-bench:rows.jsonl", &idle, 1, "they do not show the bug"),
        ("swt-bench:rows.jsonl", &never, 1, "none of them fails before the fix and passes after"),
        ("tdd-bench:rows.jsonl", TEST_PATCH, 0, "no coverage.py in the image"),
        ("tdd-bench:rows.jsonl", &idle, 1, "they do not show the bug"),
        (
            "tdd-bench:rows.jsonl",
            &elsewhere,
            1,
            "the golden patch (field `patch`) does not apply: patch failed",
        ),
        (
            "tdd-bench:rows.jsonl",
            &broken,
            1,
            "the golden tests (field `test_patch`) does not apply: patch failed",
        ),
        ("tdd-bench:rows.jsonl", &never, 1, "with them tests fail after the fix"),
    ] {
        let mut row = fixture.row.clone();
        let field = if tests == elsewhere { "patch" } else { "test_patch" };
        row[field] = json!(tests);
        write(&work.path().join("rows.jsonl"), format!("{row}\n").as_bytes());
        let gold = program()
            .args(["bench", "gold", "--suite", suite, "--offline", "--out", "graded"])
            .current_dir(work.path())
            .env("PATCHWRIGHT_CACHE", work.path().join("cache"))
            .output()
            .unwrap();
        let gold = Run::from(gold);
        assert_eq!(gold.code, code, "{gold:?}");
        assert!(code == 0 || gold.stderr.contains(&format!("{CASE}: its golden tests are not")), "{gold:?}");
        assert!(gold.stderr.contains(says), "{says}: {gold:?}");
    }
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn fixes_are_kept_where_tests_fail_without_them_and_pass_with_them() {
    let Some(fixture) = fixture() else { return };
    let work = folder(&[]);
    write(&work.path().join("rows.jsonl"), format!("{}\n", fixture.row).as_bytes());
    let lines = |patch: &str, model: &str| {
        format!("{}\n", json!({"instance_id": CASE, "model_name_or_path": model, "model_patch": patch}))
    };
    let tests = TEST_PATCH.replace("withdraws_all", "the_whole_balance");
    write(&work.path().join("tests.jsonl"), lines(&tests, "tests").as_bytes());
    let words = |fixes: &str| {
        let mut command = program();
        command.args(["bench", "grade", "--suite", "swt-bench:rows.jsonl", "--offline", "--json"]);
        command.args(["--predictions", "tests.jsonl", "--fixes", fixes, "--out", "graded"]);
        command.current_dir(work.path()).env("PATCHWRIGHT_CACHE", work.path().join("cache"));
        Run::from(command.output().unwrap())
    };
    for (bound, verdict, resolved) in [(">", "kept", true), ("> -1 +", "dropped", false)] {
        write(&work.path().join("fixes.jsonl"), lines(&patch(bound), "fixes").as_bytes());
        let filtered = words("fixes.jsonl");
        assert_eq!(filtered.code, 0, "{filtered:?}");
        let report = &filtered.json()[0];
        let case = &report["cases"][0];
        assert_eq!(
            (&case["verdict"], &case["resolved"]),
            (&json!(verdict), &json!(resolved)),
            "{filtered:?}"
        );
        assert_eq!(report["kept_fixes"], u8::from(resolved));
        let mut shown = program();
        let shown =
            Run::from(shown.args(["bench", "report"]).arg(work.path().join("graded")).output().unwrap());
        let row = shown.stdout.lines().last().unwrap_or_default().split_whitespace().collect::<Vec<_>>();
        let expect = if resolved {
            "tests fixes 1 1 1 1 1 100.0 100.0 100.0"
        } else {
            "tests fixes 1 0 1 0 0 0.0 – –"
        };
        assert_eq!(row.join(" "), expect, "{shown:?}");
    }
    let block = "```custom-diff\ndiff\ntests/test_whole.py\ninsert\nEOF\nfrom bank.account import Account\n\n\ndef test_whole():\n    \
                 assert Account(100).withdraw(100) == 0\nend diff\n```\n";
    write(&work.path().join("fixes.jsonl"), lines(&patch(">"), "fixes").as_bytes());
    write(&work.path().join("tests.jsonl"), lines(block, "tests").as_bytes());
    let filtered = words("fixes.jsonl");
    assert_eq!(
        filtered.json()[0]["kept_fixes"],
        1,
        "custom blocks are worked out in the image: {filtered:?}"
    );
    write(&work.path().join("tests.jsonl"), lines(&tests, "tests").as_bytes());
    let none = words("tests.jsonl");
    assert_eq!(none.code, 2, "{none:?}");
    insta::assert_snapshot!("tests_for_fixes", lines_with(&none.stderr, "error: "));
}

/// The containers of the runs of this name.
fn containers(run: &str) -> String {
    let mut docker = Command::new("docker");
    called(docker.args(["ps", "-aq", "--filter", &format!("label=patchwright.session=tests-{run}")]))
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn containers_of_runs_that_end_early_are_removed() {
    let Some(fixture) = fixture() else { return };
    let work = folder(&[]);
    write(&work.path().join("rows.jsonl"), format!("{}\n", fixture.row).as_bytes());
    let endless = TEST_PATCH
        .replace("withdraws_all", "sleeps")
        .replace("self.assertEqual", "__import__('time').sleep(600); self.assertEqual");
    let prediction = json!({"instance_id": CASE, "model_name_or_path": "tests", "model_patch": endless});
    write(&work.path().join("tests.jsonl"), format!("{prediction}\n").as_bytes());
    let run = format!("early-{}", std::process::id());
    let start = |predictions: &str| {
        let mut command = program();
        command.args(["bench", "grade", "--suite", "swt-bench:rows.jsonl", "--offline", "--run-id", &run]);
        command.args(["--predictions", predictions, "--out", "graded"]).current_dir(work.path());
        command.env("PATCHWRIGHT_CACHE", work.path().join("cache"));
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let ended_by = |name: &str| -> Run {
        let mut child = start("tests.jsonl");
        while containers(&run).is_empty() {
            assert!(
                child.try_wait().unwrap().is_none(),
                "it ended by itself: {:?}",
                child.wait_with_output()
            );
            pause();
        }
        let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        child.wait_with_output().unwrap().into()
    };
    let interrupted = ended_by("INT");
    assert_eq!(interrupted.code, 130, "{interrupted:?}");
    insta::assert_snapshot!("interrupted", without_numbers(&lines_with(&interrupted.stderr, "nothing")));
    assert_eq!(containers(&run), "", "nothing is left of it");
    ended_by("KILL");
    let next = start("gold").wait_with_output().unwrap();
    assert!(next.status.success(), "{next:?}");
    assert_eq!(containers(&run), "", "the next start removes what a kill leaves");
}

/// The only folder in a folder.
fn the_only(folder: &Path) -> std::path::PathBuf {
    let mut inside = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let only = inside.next().unwrap();
    assert_eq!(inside.next(), None);
    only
}

/// `bench grade` of one prediction in the fixture's image.
fn graded(work: &Path, suite: &str, patch: &str, words: &[&str]) -> Run {
    let line = json!({"instance_id": CASE, "model_name_or_path": "mine", "model_patch": patch});
    write(&work.join("mine.jsonl"), format!("{line}\n").as_bytes());
    let mut command = program();
    command.args(["bench", "grade", "--suite", &format!("{suite}:rows.jsonl"), "--offline", "--json"]);
    command.args(["--predictions", "mine.jsonl", "--out", "graded"]).args(words);
    command.current_dir(work).env("PATCHWRIGHT_CACHE", work.join("cache"));
    command.output().unwrap().into()
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn predictions_are_run_and_judged_as_each_benchmark_does() {
    let Some(fixture) = fixture() else { return };
    let work = folder(&[]);
    write(&work.path().join("rows.jsonl"), format!("{}\n", fixture.row).as_bytes());
    let tests = TEST_PATCH.replace("withdraws_all", "the_whole_balance");
    let production = patch(">");
    let script = "diff --git a/show.py b/show.py\nnew file mode 100644\n--- /dev/null\n+++ b/show.py\n@@ -0,0 +1,2 @@\n\
                  +from bank.account import Account\n+Account(100).withdraw(100)\n";
    let check = |suite: &str, patch: &str, words: &[&str], resolved: usize, says: &str| {
        let run = graded(work.path(), suite, patch, words);
        assert_eq!(run.code, 0, "{run:?}");
        assert_eq!(run.json()["resolved_instances"], resolved, "{run:?}");
        assert!(run.stderr.contains(says), "{says}: {run:?}");
    };
    check("tdd-bench", &tests, &[], 1, "2 runs");
    // With its own fix a prediction does not fail before; without it, it does.
    let mixed = format!("{production}{tests}");
    check("tdd-bench", &mixed, &[], 0, "");
    check("tdd-bench", &mixed, &["--tests-only"], 1, "files that are no tests are left out: bank/account.py");
    check("swt-bench", &mixed, &["--tests-only"], 1, "its logs are of its test files alone");
    check("swt-bench", script, &["--script"], 1, "6 runs");
    let weaker = tests.replace(
        "     def test_withdraws_a_part(self):\n         self",
        "-    def test_withdraws_a_part(self):\n-        self",
    );
    assert_ne!(weaker, tests);
    let weaker = weaker.replace("+10,9", "+10,7");
    check("swt-bench", &weaker, &[], 1, "changes or removes lines of tests that are there");
    // An empty prediction is graded as officially, and not run.
    for suite in ["swt-bench", "tdd-bench"] {
        check(suite, "", &[], 0, "the prediction is empty");
    }
    check(
        "swt-bench",
        &format!("Here it is:\n\n{tests}"),
        &[],
        1,
        "prose stands around the diff in the field `model_patch`, such as `Here it is:`",
    );
    // Runs that predictions share are made once for an image and a setting of the network.
    check("swt-bench", &tests, &[], 1, ": 2 runs");
    check("swt-bench", &tests, &["--again"], 1, ": 6 runs");
    let inputs = read(
        &the_only(&work.path().join("graded/run_instance_swt_logs/gold_pre").join(CASE))
            .join("run_inputs.json"),
    );
    assert!(inputs.contains("\"network\":false") && inputs.contains("sha256:"), "{inputs}");
    // The logs of one run are graded again as they are, and are not those of another prediction.
    let logs = |patch: &str, says: &str| {
        let line = json!({"instance_id": CASE, "model_name_or_path": "mine", "model_patch": patch});
        write(&work.path().join("mine.jsonl"), format!("{line}\n").as_bytes());
        let words = [
            "bench",
            "grade",
            "--suite",
            "tdd-bench:rows.jsonl",
            "--logs",
            "graded",
            "--predictions",
            "mine.jsonl",
        ];
        let run = runs(work.path(), &[&words[..], &["--json", "--out", "again"]].concat(), &[]);
        assert!(run.stderr.contains(says), "{says}: {run:?}");
        run
    };
    assert_eq!(logs(&mixed, "").json()["resolved_instances"], 1);
    assert_eq!(logs(script, "its logs are of another prediction").json()["error_instances"], 1);
    for (suite, patch, words, says) in [
        ("swt-bench", tests.as_str(), &["--script"][..], "adds no file in Python"),
        ("swt-bench", script, &["--script", "--script-name", "other.py"], "adds no file other.py"),
        ("swt-bench", "It always fails.", &[], "holds no diff in git's form"),
        ("tdd-bench", "It always fails.", &[], "holds no diff in git's form"),
    ] {
        let run = graded(work.path(), suite, patch, words);
        assert!(run.code == 3 && run.stderr.contains(says), "{says}: {run:?}");
    }
    for (suite, words, says) in [
        ("tdd-bench", &["--strict"][..], "--strict: TDD-Bench knows no such option"),
        ("tdd-bench", &["--script"], "--script: TDD-Bench knows no such option"),
        ("swt-bench", &["--script", "--tests-only"], "cannot be used with"),
    ] {
        let run = graded(work.path(), suite, &tests, words);
        assert!(run.code == 2 && run.stderr.contains(says), "{says}: {run:?}");
    }
}
