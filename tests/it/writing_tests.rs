//! `patchwright test` with a scripted model: each method from an issue to a test.

use std::path::Path;

use serde_json::json;

use crate::kit::{ACCOUNT, Model, Run, call, events, folder, lines_with, named, prompt_text, run, snapshot};
use crate::scripted::Step;

/// The issue of [`bank`].
pub const ISSUE: &str = "One cannot withdraw all of the balance: `Account(100).withdraw(100)` raises `ValueError: not enough`. \
                     It should return 0.\n";

/// A project whose tests all pass, and an issue about a bug that none of them shows.
pub fn bank() -> tempfile::TempDir {
    folder(&[
        ("bank/account.py", ACCOUNT),
        ("bank/__init__.py", ""),
        (
            "tests/test_account.py",
            "import unittest\n\nfrom bank.account import Account\n\n\nclass AccountTest(unittest.TestCase):\n    \
             def test_withdraws_a_part(self):\n        account = Account(100)\n        \
             self.assertEqual(account.withdraw(30), 70)\n",
        ),
        ("tests/__init__.py", ""),
        ("issue.md", ISSUE),
    ])
}

/// A test with this body, as the source of a file.
pub fn source(body: &str) -> String {
    format!(
        "import unittest\n\nfrom bank.account import Account\n\n\nclass WithdrawAllTest(unittest.TestCase):\n    \
         def test_all(self):\n        {}\n",
        body.replace('\n', "\n        ")
    )
}

/// The body of the right test.
pub const RIGHT: &str = "self.assertEqual(Account(100).withdraw(100), 0)";

/// An answer with a file of tests.
pub fn file(body: &str) -> String {
    format!(
        "The whole balance is refused.\n\n```python\n### tests/test_withdraw_all.py\n{}```\n",
        source(body)
    )
}

/// An answer with a block of the custom format that makes a file of tests.
pub fn block(path: &str, code: &str) -> String {
    format!("It refuses all.\n\n```custom-diff\ndiff\n{path}\ninsert\nEOF\n{code}end diff\n```\n")
}

/// Runs `test` with a model that answers these texts.
pub fn write(project: &Path, steps: Vec<Step>, words: &[&str]) -> (Model, Run) {
    let model = Model::of(steps);
    let issue = project.join("issue.md");
    let words = [&["--issue", issue.to_str().unwrap()], words].concat();
    let run = model.test(project, &words);
    (model, run)
}

/// A model's answers, one after the other.
pub fn saying(texts: &[String]) -> Vec<Step> {
    texts.iter().map(|text| Step::Answer { text: text.clone() }).collect()
}

/// The recording of a project's only session is shown, and replayed it is the same.
pub fn replays(project: &Path) {
    let sessions = project.join(".patchwright/sessions");
    let session = sessions.read_dir().unwrap().next().unwrap().unwrap().path();
    for name in ["trajectory.jsonl", "result.json"] {
        assert!(session.join(name).is_file(), "{name}");
    }
    let file = session.join("trajectory.jsonl");
    let view = run(&["replay", "view", file.to_str().unwrap(), "--full"]);
    assert!(view.code == 0 && view.stdout.contains("end "), "{view:?}");
    let replay = run(&["replay", "check", file.to_str().unwrap(), "--json"]);
    assert_eq!((replay.code, &replay.json()["same"]), (0, &json!(true)), "{replay:?}");
}

/// The stages of a project's only session.
fn stages(project: &Path) -> Vec<String> {
    let events = events(project);
    named(&events, "call").iter().map(|event| event["tool"].as_str().unwrap().to_owned()).collect()
}

/// The reason that the result gives.
pub fn reason(run: &Run) -> String {
    run.json()["reason"].as_str().unwrap().to_owned()
}

#[test]
fn one_question_gives_a_test_that_fails_for_the_issues_reason() {
    let project = bank();
    let before = snapshot(project.path());
    let (model, run) = write(project.path(), saying(&[file(RIGHT)]), &["--method", "direct"]);
    assert_eq!(run.code, 0, "{run:?}");
    let result = run.json();
    assert_eq!((&result["status"], &result["method"]), (&json!("reproduced"), &json!("direct")));
    let patch = result["patch"].as_str().unwrap();
    assert!(
        patch.starts_with("diff --git a/tests/test_withdraw_all.py b/tests/test_withdraw_all.py\n"),
        "{patch}"
    );
    assert_eq!(patch.matches("diff --git").count(), 1);
    let written = &result["written"];
    assert_eq!(written["method"], "direct");
    assert_eq!(written["files"], json!(["tests/test_withdraw_all.py"]));
    assert_eq!(written["failure"], "ValueError: not enough");
    assert_eq!(written["coverage"], json!({"executed": 3, "suspicious": 5, "suspicious_executed": 3}));
    insta::assert_snapshot!("one_question", reason(&run));
    assert_eq!(result["reproductions"][0]["verdict"], "fails");
    assert_eq!(snapshot(project.path()), before, "nothing is written into the project");
    let asked = prompt_text(&model.requests()[0]);
    for part in [
        "cannot withdraw all",
        "def withdraw(self, amount):",
        "test_withdraws_a_part",
        "unittest",
        "tests/test_issue.py",
    ] {
        assert!(asked.contains(part), "{part} is missing in {asked}");
    }
    assert_eq!(model.requests().len(), 1);
    replays(project.path());
}

#[test]
fn the_test_is_written_into_the_project_when_asked_for() {
    let project = bank();
    let (_, run) = write(project.path(), saying(&[file(RIGHT)]), &["--method", "direct", "--apply"]);
    assert_eq!(run.code, 0, "{run:?}");
    let text = std::fs::read_to_string(project.path().join("tests/test_withdraw_all.py")).unwrap();
    assert_eq!(text, source(RIGHT));
    assert_eq!(run.json()["applied"], json!(["tests/test_withdraw_all.py"]), "{run:?}");
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_test_that_shows_nothing_is_no_answer() {
    let check = |answer: &str, why: &str| {
        let project = bank();
        let (_, run) =
            write(project.path(), saying(&[answer.to_owned()]), &["--method", "direct", "--timeout", "10s"]);
        assert_eq!((run.code, run.json()["patch"].is_null()), (1, true), "{run:?}");
        assert!(reason(&run).contains(why), "{why}: {}", reason(&run));
    };
    check(
        &file("with self.assertRaises(ValueError):\n    Account(100).withdraw(100)"),
        "passes on the original code",
    );
    check(&file("from bank.vault import Vault\nself.assertEqual(Vault(), 0)"), "does not run");
    check(
        &file("account = Account(100)\nself.assertEqual(account.withdraw(30), 70)"),
        "holds this test already",
    );
    check(&file("while True:\n    pass"), "does not run");
    check("```python\n### bank/account.py\ndef test_a():\n    assert 0\n```", "no file of tests");
    check("```python\n### tests/test_a.py\nprint(1)\n```", "no test that a test tool runs");
    check("I cannot write it.", "no test");
}

#[test]
fn a_test_that_always_fails_is_doubted() {
    let project = bank();
    let before = snapshot(project.path());
    let words = ["--method", "direct", "--apply"];
    let (_, run) = write(project.path(), saying(&[file("self.fail('not enough')")]), &words);
    let result = run.json();
    assert_eq!((run.code, &result["status"]), (1, &json!("unverified")), "{run:?}");
    assert_eq!(
        (&result["written"]["coverage"]["executed"], &result["applied"]),
        (&json!(0), &json!([])),
        "{result}"
    );
    insta::assert_snapshot!("always_fails", reason(&run));
    assert_eq!(snapshot(project.path()), before);
}

#[test]
fn a_diff_is_read_without_what_it_changes_in_production_code() {
    let project = bank();
    let diff = "The bound is off.\n\n```diff\n--- a/bank/account.py\n+++ b/bank/account.py\n@@ -5,3 +5,3 @@\n     def withdraw(self, amount):\n\
                -        if amount >= self.balance:\n+        if amount > self.balance:\n             raise ValueError(\"not enough\")\n\
                --- a/tests/test_account.py\n+++ b/tests/test_account.py\n@@ -8,3 +8,6 @@\n     def test_withdraws_a_part(self):\n\
                \u{20}        account = Account(100)\n         self.assertEqual(account.withdraw(30), 70)\n+\n+    def test_withdraws_all(self):\n\
                +        self.assertEqual(Account(100).withdraw(100), 0)\n```\n";
    let (model, run) = write(project.path(), saying(&[diff.to_owned()]), &["--method", "zero-shot"]);
    assert_eq!(run.code, 0, "{run:?}");
    let result = run.json();
    assert_eq!(result["written"]["left_out"], json!(["bank/account.py"]));
    insta::assert_snapshot!("left_out", reason(&run));
    assert_eq!(result["written"]["tests"], json!(["tests.test_account.AccountTest.test_withdraws_all"]));
    let patch = result["patch"].as_str().unwrap();
    assert!(
        !patch.contains("bank/account.py b/") && patch.contains("+    def test_withdraws_all(self):"),
        "{patch}"
    );
    let asked = prompt_text(&model.requests()[0]);
    assert!(asked.contains("5|    def withdraw(self, amount):") && asked.contains("unified diff"), "{asked}");
    replays(project.path());
}

#[test]
fn blocks_add_a_test_to_a_file_that_is_there() {
    let project = bank();
    let code = "class AllTest(unittest.TestCase):\n    def test_all(self):\n        self.assertEqual(Account(100).withdraw(100), 0)\n";
    let answer = block("tests/test_account.py", code);
    let (_, run) = write(project.path(), saying(&[answer]), &["--method", "zero-shot-plus"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.json()["written"]["tests"], json!(["tests.test_account.AllTest.test_all"]));
    replays(project.path());
}

#[test]
fn of_several_samples_the_shortest_is_taken_whose_failure_is_the_issues() {
    let project = bank();
    let new = |body: &str| block("tests/test_withdraw_all.py", &source(body));
    let samples = [
        new("self.assertEqual(Account(100).withdraw(30), 60)"),
        new(
            "account = Account(100)\nself.assertEqual(account.withdraw(30), 60)\nself.assertEqual(account.balance, 60)",
        ),
        new("account = Account(100)\nself.assertEqual(account.withdraw(100), 0)"),
        new(RIGHT),
        new("self.assertEqual(Account(100).withdraw(30), 70)"),
    ];
    let steps = vec![
        Step::Answers { texts: samples.to_vec() },
        Step::Answer { text: "Taking a part is right as it is.\n\nno".to_owned() },
        Step::Answer { text: "It withdraws all.\n\nyes".to_owned() },
    ];
    let (model, run) = write(project.path(), steps, &["--method", "libro", "--seed", "7"]);
    assert_eq!(run.code, 0, "{run:?}");
    let result = run.json();
    assert_eq!(result["written"]["matches_issue"], true);
    let patch = result["patch"].as_str().unwrap();
    assert!(patch.contains(RIGHT) && !patch.contains("account = "), "the shortest of its group: {patch}");
    insta::assert_snapshot!("several_samples", reason(&run));
    let requests = model.requests();
    assert_eq!((&requests[0]["n"], &requests[0]["temperature"]), (&json!(5), &json!(0.7)));
    assert_eq!(requests[0]["seed"], 7);
    let asked = prompt_text(&requests[2]);
    assert_eq!(stages(project.path()), ["retrieve", "sample", "judge", "judge", "select", "confirm"]);
    assert!(asked.contains("ValueError: not enough"), "{asked}");
    assert!(
        !asked.contains("def withdraw"),
        "what is asked of a failure rests on the issue and the test alone"
    );
    replays(project.path());
}

#[test]
fn a_failure_that_is_not_the_issues_leaves_the_test_unverified() {
    let project = bank();
    let other =
        block("tests/test_withdraw_all.py", &source("self.assertEqual(Account(100).withdraw(30), 60)"));
    let steps = vec![
        Step::Answers { texts: vec![other.clone(), other] },
        Step::Answer { text: "That is right as it is.\nno".to_owned() },
    ];
    let (_, run) = write(project.path(), steps, &["--method", "libro", "--samples", "2"]);
    assert_eq!((run.code, &run.json()["status"]), (1, &json!("unverified")), "{run:?}");
    assert_eq!(run.json()["written"]["matches_issue"], false);
    insta::assert_snapshot!("not_the_issues_failure", reason(&run));
}

#[test]
fn a_passing_test_is_turned_over() {
    let project = bank();
    let passing = "with self.assertRaises(ValueError):\n    Account(100).withdraw(100)";
    let answers = [
        "1. `Account(100).withdraw(100)`\n2. raises ValueError\n3. returns 0".to_owned(),
        file(RIGHT),
        file(passing),
        file("self.assertEqual(Bank(100).withdraw(100), 0)"),
        file(RIGHT),
        "It withdraws all and gets the error of the issue.\nyes".to_owned(),
    ];
    let (model, run) = write(project.path(), saying(&answers), &["--method", "assert-flip"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.json()["written"]["matches_issue"], true);
    let requests = model.requests();
    assert_eq!(requests.len(), 6);
    let again = prompt_text(&requests[2]);
    assert!(again.contains("ValueError: not enough"), "{again}");
    let turned = prompt_text(&requests[3]);
    assert!(turned.contains("assertRaises(ValueError)"), "{turned}");
    assert_eq!(
        stages(project.path()),
        ["retrieve", "plan", "passing", "passing", "turn_over", "turn_over", "judge", "confirm"]
    );
    replays(project.path());
}

#[test]
fn what_did_not_do_is_told_when_a_method_begins_anew() {
    let project = bank();
    let passing = file("self.assertEqual(Account(100).withdraw(50), 50)");
    let answers = [
        "a plan".to_owned(),
        passing,
        file("self.assertEqual(Account(100).withdraw(50), 40)"),
        "Half of it may be taken already.\nno".to_owned(),
        "another plan".to_owned(),
        file("with self.assertRaises(ValueError):\n    Account(100).withdraw(100)"),
        file(RIGHT),
        "That is it.\nyes".to_owned(),
    ];
    let (model, run) = write(project.path(), saying(&answers), &["--method", "assert-flip"]);
    assert_eq!(run.code, 0, "{run:?}");
    let requests = model.requests();
    let plan = prompt_text(&requests[4]);
    insta::assert_snapshot!("begins_anew", lines_with(&plan, "Half of it may be taken already."));
    let temperatures: Vec<f64> =
        requests.iter().map(|request| request["temperature"].as_f64().unwrap()).collect();
    assert_eq!(temperatures, [0.0, 0.0, 0.0, 0.0, 0.7, 0.7, 0.7, 0.0]);
}

#[test]
fn the_loop_ends_when_a_test_stands() {
    let project = bank();
    let test = |body: &str| {
        call("write_test", json!({"code": source(body), "file_path": "tests/test_withdraw_all.py"}))
    };
    let fix = call(
        "write_fix",
        json!({"edits": [{"file_path": "bank/account.py", "modifications": [{"line_number": 6, "modified_line": "        if 0:"}]}]}),
    );
    let goal = call("goal_accomplished", json!({"reason": "withdrawing all raises, as the issue says"}));
    let answers = [
        fix,
        goal.clone(),
        call(
            "write_test",
            json!({"code": "from bank.account import Account\nassert Account(1).withdraw(1) == 0\n"}),
        ),
        test("with self.assertRaises(ValueError):\n    Account(100).withdraw(100)"),
        test(RIGHT),
        goal,
    ];
    let (model, run) = write(project.path(), saying(&answers), &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let result = run.json();
    assert_eq!((&result["status"], &result["method"]), (&json!("reproduced"), &json!("agent")));
    assert_eq!(result["written"]["method"], "agent");
    assert_eq!(result["written"]["coverage"]["suspicious_executed"], 3);
    insta::assert_snapshot!("the_loop", reason(&run));
    let first = prompt_text(&model.requests()[0]);
    assert!(first.contains("write_test") && !first.contains("write_fix"), "no fix is tried: {first}");
    assert!(first.contains("Current state: study_issue"), "{first}");
    let events = events(project.path());
    let refusals: Vec<&str> =
        named(&events, "refusal").iter().map(|event| event["reason"].as_str().unwrap()).collect();
    assert_eq!(refusals, ["unknown_tool", "forbidden"]);
    let texts: Vec<&str> =
        named(&events, "observation").iter().map(|event| event["text"].as_str().unwrap()).collect();
    assert!(!texts[2].contains("andidate"), "{texts:?}");
    // What follows is of Python.
    let begins: Vec<&str> = texts.iter().map(|text| text.lines().next().unwrap()).collect();
    insta::assert_snapshot!("tests_of_the_loop", begins.join("\n"));
    replays(project.path());
}

#[test]
fn a_test_of_the_loop_that_executes_nothing_of_the_project_is_unverified() {
    let project = bank();
    let code = "import unittest\n\n\nclass NothingTest(unittest.TestCase):\n    def test_nothing(self):\n        assert 0\n";
    let empty = call("write_test", json!({"code": code, "file_path": "tests/test_nothing.py"}));
    let goal = call("goal_accomplished", json!({"reason": "it fails"}));
    let (_, run) = write(project.path(), saying(&[empty, goal]), &["--apply"]);
    assert_eq!(run.code, 1, "{run:?}");
    let result = run.json();
    assert_eq!((&result["status"], &result["applied"]), (&json!("unverified"), &json!([])), "{result}");
    assert_eq!(result["written"]["coverage"]["executed"], 0, "{result}");
    insta::assert_snapshot!("nothing_executed", reason(&run));
    assert!(!project.path().join("tests/test_nothing.py").exists());
}
