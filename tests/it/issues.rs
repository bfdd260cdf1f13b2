//! Sessions with a scripted model in which an issue tells of the bug.

use serde_json::{Value, json};

use crate::kit::{
    BUGGY_LINE, FIX, Model, call, changed, events, fix, goal, good_fix, hypothesis, lines_with, named,
    project, prompt_text, snapshot, without_numbers, without_place, write,
};
use crate::sessions::order;

#[test]
fn the_first_prompt_shows_the_code_that_an_issue_names() {
    let project = project();
    write(
        &project.path().join("issue.md"),
        b"`Account.withdraw` and `os.path.join` refuse all of the balance.\nSeen in a caf\xE9.\n",
    );
    let issue = project.path().join("issue.md").to_str().unwrap().to_owned();
    let model = Model::saying(&[hypothesis()]);
    let run = model.repair(project.path(), &["--issue", &issue, "--failing", "none", "--cycles", "1"]);
    assert_eq!(run.json()["status"], "budget", "{run:?}");
    insta::assert_snapshot!("no_utf_8", without_place(&lines_with(&run.stderr, "issue.md"), project.path()));
    let text = prompt_text(&model.requests()[0]);
    let code = text.split("the code that the issue leads to").nth(1).unwrap_or_else(|| panic!("{text}"));
    assert!(code.contains("5:     def withdraw(self, amount):"), "{code}");
    let near = text.split("tests and files near the issue").nth(1).unwrap_or_else(|| panic!("{text}"));
    assert!(near.contains("AccountTest.test_withdraws_all") && near.contains("14: "), "{near}");
    insta::assert_snapshot!("goals", text.split("\n# ").find(|part| part.contains("issue")).unwrap());
}

#[test]
fn where_an_issue_tells_of_the_bug_the_first_question_does_not_wait_for_the_tests() {
    let project = project();
    write(&project.path().join("issue.md"), b"One cannot withdraw all of the balance.\n");
    let issue = project.path().join("issue.md").to_str().unwrap().to_owned();
    let read = call("read_range", json!({"file_path": "bank/account.py", "start_line": 1, "end_line": 9}));
    let model = Model::saying(&[read, hypothesis(), shows_bug(), good_fix(), goal()]);
    let run = model.repair(project.path(), &["--issue", &issue, "--failing", "none"]);
    assert_eq!(run.code, 0, "{run:?}");
    let told = order(project.path(), &["prompt", "reproduction", "baseline", "candidate"]);
    assert_eq!(
        told,
        ["prompt", "prompt", "prompt", "reproduction", "prompt", "baseline", "candidate", "prompt"]
    );
    let prompts: Vec<String> = model.requests().iter().map(prompt_text).collect();
    let tests = "2 tests pass before any change; 1 fail, which are not taken for the bug";
    assert!(!prompts[3].contains(tests) && prompts[4].contains(tests), "{}", prompts[4]);
    let session = run.json()["trajectory"].as_str().unwrap().to_owned();
    let replay = crate::kit::run(&["replay", "check", &session]);
    assert_eq!(replay.code, 0, "{replay:?}");
}

/// A test for what the issue about [`project`] says.
fn shows_bug() -> String {
    let code = "import unittest\n\nfrom bank.account import Account\n\n\nclass AllTest(unittest.TestCase):\n    def test_all(self):\n        \
                account = Account(100)\n        account.withdraw(100)\n        self.assertEqual(account.balance, 0)\n";
    call("write_test", json!({"code": code, "file_path": "tests/test_all.py"}))
}

/// [`project`] whose tests all pass, with an issue.
fn told_by_issue() -> (tempfile::TempDir, String) {
    let project = project();
    let tests = "import unittest\n\nfrom bank.account import Account\n\n\nclass SomeTest(unittest.TestCase):\n    def test_some(self):\n        \
                 account = Account(100)\n        account.withdraw(40)\n        self.assertEqual(account.balance, 60)\n";
    write(&project.path().join("tests/test_account.py"), tests.as_bytes());
    write(&project.path().join("issue.md"), b"One cannot withdraw all of the balance.\n");
    let issue = project.path().join("issue.md").to_str().unwrap().to_owned();
    (project, issue)
}

#[test]
fn an_issue_is_repaired_by_a_test_that_reproduces_it_and_both_are_written_into_the_project() {
    let (project, issue) = told_by_issue();
    let model = Model::saying(&[hypothesis(), shows_bug(), good_fix(), goal()]);
    let run = model.repair(project.path(), &["--issue", &issue, "--apply", "--with-tests"]);
    assert_eq!(run.code, 0, "{run:?}");
    let result = run.json();
    assert_eq!(result["status"], "plausible", "{result}");
    insta::assert_snapshot!("reproduced_and_repaired", result["reason"].as_str().unwrap());
    let test = &result["reproductions"][0];
    assert_eq!((&test["path"], &test["verdict"]), (&json!("tests/test_all.py"), &json!("fails")), "{result}");
    assert_eq!((&test["passed_by"], &test["failed_by"]), (&json!([1]), &json!([])), "{result}");
    assert_eq!(result["applied"], json!(["bank/account.py", "tests/test_all.py"]), "{result}");
    let written = std::fs::read_to_string(project.path().join("tests/test_all.py")).unwrap();
    assert!(written.ends_with("        self.assertEqual(account.balance, 0)\n"), "{written}");
    let states: Vec<String> = named(&events(project.path()), "transition")
        .iter()
        .map(|moved| moved["to"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(states, ["reproduce", "collect_information", "try_fix", "done"]);
    let prompts: Vec<String> = model.requests().iter().map(prompt_text).collect();
    insta::assert_snapshot!(
        "where_tests_are_written",
        without_numbers(&lines_with(&prompts[0], "(write_test)"))
    );
    assert!(prompts[1].contains("# Current state: reproduce"), "{}", prompts[1]);
    let shown = ["Test 1 (tests/test_all.py) fails on the original code", "ValueError: not enough"];
    assert!(shown.iter().all(|part| prompts[2].contains(part)), "{}", prompts[2]);
}

/// Hypothesis, test, fix and the end of [`told_by_issue`] in one call.
fn all_at_once(outdated: &[&str]) -> String {
    let argument = |call: &str, name: &str| {
        serde_json::from_str::<Value>(call).unwrap()["command"]["args"][name].clone()
    };
    let whole = json!({
        "hypothesis": argument(&hypothesis(), "hypothesis"),
        "edits": argument(&good_fix(), "edits"),
        "test": argument(&shows_bug(), "code"),
        "finish_because": "all of the balance may be withdrawn",
        "outdated_tests": outdated,
    });
    call("write_fix", whole)
}

#[test]
fn one_reply_brings_hypothesis_test_fix_and_the_end() {
    let (project, _) = told_by_issue();
    let model = Model::saying(&[all_at_once(&[])]);
    let run = model.repair(project.path(), &["--issue", project.path().to_str().unwrap()]);
    assert_eq!(run.code, 0, "{run:?}");
    let result = run.json();
    assert_eq!((&result["status"], &result["cycles"]), (&json!("plausible"), &json!(1)), "{result}");
    let events = events(project.path());
    let calls: Vec<&str> = named(&events, "call").iter().map(|call| call["tool"].as_str().unwrap()).collect();
    assert_eq!(calls, ["write_fix", "goal_accomplished"]);
    let session = result["trajectory"].as_str().unwrap().to_owned();
    let replay = crate::kit::run(&["replay", "check", &session]);
    assert_eq!(replay.code, 0, "{replay:?}");
}

#[test]
fn one_reply_names_the_tests_that_the_issue_outdates() {
    let (project, issue) = told_by_issue();
    write(&project.path().join("tests/test_old.py"), OLD_TEST.as_bytes());
    let model = Model::saying(&[all_at_once(&["test_keeps_a_cent"])]);
    let run = model.repair(project.path(), &["--issue", &issue]);
    let result = run.json();
    assert_eq!((&result["status"], &result["cycles"]), (&json!("unverified"), &json!(1)), "{result}");
    assert_eq!(result["outdated"], json!(["tests.test_old.OldTest.test_keeps_a_cent"]), "{result}");
}

/// A test of the project's own that asks for just what the issue of [`told_by_issue`] calls wrong.
const OLD_TEST: &str = "import unittest\n\nfrom bank.account import Account\n\n\nclass OldTest(unittest.TestCase):\n    def test_keeps_a_cent(self):\n        \
     with self.assertRaises(ValueError):\n            Account(100).withdraw(100)\n\n    def test_some(self):\n        \
     self.assertEqual(Account(100).withdraw(1), 99)\n";

#[test]
fn a_fix_that_contradicts_an_old_test_is_unverified_and_the_test_is_named() {
    let (project, issue) = told_by_issue();
    write(&project.path().join("tests/test_old.py"), OLD_TEST.as_bytes());
    let finish = |outdated: &[&str]| {
        call("goal_accomplished", json!({"reason": "all may be withdrawn", "outdated_tests": outdated}))
    };
    let breaks_more = fix("bank/account.py", BUGGY_LINE, "        if amount > self.balance or amount == 1:");
    let model = Model::saying(&[
        hypothesis(),
        shows_bug(),
        breaks_more,
        finish(&["test_keeps_a_cent"]),
        good_fix(),
        finish(&["tests/test_old.py"]),
        finish(&["tests/test_old.py::OldTest::test_keeps_a_cent"]),
    ]);
    let before = snapshot(project.path());
    let run = model.repair(project.path(), &["--issue", &issue, "--apply"]);
    assert_eq!(run.code, 1, "{run:?}");
    let result = run.json();
    assert_eq!((&result["status"], &result["candidate"]), (&json!("unverified"), &json!(2)), "{result}");
    let named = json!(["tests.test_old.OldTest.test_keeps_a_cent"]);
    assert_eq!((&result["outdated"], &result["tests"]["failing_after"]), (&named, &json!(1)), "{result}");
    insta::assert_snapshot!("contradicts_an_old_test", result["reason"].as_str().unwrap());
    assert_eq!(snapshot(project.path()), before, "a person has to say so first");
    assert_eq!(result["applied"], json!([]), "{result}");
    insta::assert_snapshot!("outdated_test", lines_with(&run.stderr, "; -i "));
    let prompts: Vec<String> = model.requests().iter().map(prompt_text).collect();
    for (prompt, part) in [
        (3, "name them in `outdated_tests`"),
        (4, "Other tests fail with candidate 1 as well: tests.test_old.OldTest.test_some"),
        (
            4,
            "every test that shows the bug passes, 2 other tests newly fail: tests.test_old.OldTest.test_keeps_a_cent",
        ),
        (6, "Other tests fail with candidate 2 as well: tests.test_old.OldTest.test_keeps_a_cent"),
    ] {
        assert!(
            prompts[prompt].contains(part),
            "`{part}` is missing in prompt {prompt}:\n{}",
            prompts[prompt]
        );
    }
    let session = result["trajectory"].as_str().unwrap().to_owned();
    let replay = crate::kit::run(&["replay", "check", &session]);
    assert_eq!(replay.code, 0, "{replay:?}");
}

#[test]
fn a_fix_that_breaks_an_old_test_is_kept_in_the_result_where_nothing_better_is_found() {
    let (project, issue) = told_by_issue();
    write(&project.path().join("tests/test_old.py"), OLD_TEST.as_bytes());
    let model = Model::saying(&[hypothesis(), shows_bug(), good_fix()]);
    let run = model.repair(project.path(), &["--issue", &issue, "--cycles", "3"]);
    let result = run.json();
    assert_eq!((run.code, &result["status"]), (1, &json!("budget")), "{result}");
    let partial = &result["partial"];
    assert_eq!(partial["repaired"], result["reproductions"][0]["tests"], "{result}");
    assert_eq!(partial["broken"], json!(["tests.test_old.OldTest.test_keeps_a_cent"]), "{result}");
    assert!(run.stderr.contains("breaks tests.test_old.OldTest.test_keeps_a_cent"), "{}", run.stderr);
    assert!(!result["hint"].as_str().unwrap().contains("--failing"), "{result}");
}

#[test]
fn the_tests_are_what_is_asked_for_where_no_issue_overrules_them() {
    let project = project();
    write(&project.path().join("tests/test_old.py"), OLD_TEST.as_bytes());
    let finish = call(
        "goal_accomplished",
        json!({"reason": "all may be withdrawn", "outdated_tests": ["test_keeps_a_cent"]}),
    );
    let model = Model::saying(&[hypothesis(), good_fix(), finish]);
    let run = model.repair(project.path(), &["--cycles", "3"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!((&run.json()["status"], &run.json()["patch"]), (&json!("budget"), &Value::Null), "{run:?}");
}

#[test]
fn a_candidate_that_no_test_speaks_for_is_unverified_everywhere() {
    let (project, issue) = told_by_issue();
    let passes = call("write_test", json!({"code": "def test_it():\n    pass\n"}));
    let gives_up = call("collect_more_information", json!({"reason": "no test can show it"}));
    let model = Model::saying(&[hypothesis(), gives_up.clone(), passes, gives_up, good_fix(), goal()]);
    let before = snapshot(project.path());
    let run = model.repair(project.path(), &["--issue", &issue, "--apply"]);
    assert_eq!(run.code, 1, "{run:?}");
    let result = run.json();
    assert_eq!(result["status"], "unverified", "{result}");
    assert_eq!(
        snapshot(project.path()),
        before,
        "nothing speaks for the patch, so that it is not written unasked"
    );
    assert_eq!(result["applied"], json!([]), "{result}");
    insta::assert_snapshot!("no_test_speaks_for_it", lines_with(&run.stderr, "; -i "));
    assert_eq!(changed(result["patch"].as_str().unwrap()), FIX, "{result}");
    assert_eq!(
        (&result["candidates"]["plausible"], &result["candidates"]["unverified"]),
        (&json!(0), &json!(1)),
        "{result}"
    );
    let events = events(project.path());
    let advanced: Vec<bool> =
        named(&events, "observation").iter().map(|seen| seen["advance"].as_bool().unwrap()).collect();
    // Nothing is given up before it was tried.
    assert_eq!(advanced, [true, false, false, true, true, true]);
    assert_eq!(named(&events, "verdict")[0]["verdict"], "unverified");
}

#[test]
fn failing_tests_that_the_issue_is_not_about_are_not_taken_for_the_bug() {
    let (project, issue) = told_by_issue();
    write(&project.path().join("issue.md"), b"`Account.withdraw` refuses all of the balance.\n");
    let other = "import unittest\n\n\nclass OtherTest(unittest.TestCase):\n    def test_clock(self):\n        self.assertEqual(1, 2)\n";
    write(&project.path().join("tests/test_other.py"), other.as_bytes());
    let model = Model::saying(&[hypothesis(), shows_bug(), good_fix(), goal()]);
    let run = model.repair(project.path(), &["--issue", &issue]);
    assert_eq!((run.code, &run.json()["status"]), (0, &json!("plausible")), "{run:?}");
    let baseline = &named(&events(project.path()), "baseline")[0].clone();
    assert_eq!(baseline["failing"], json!([]), "{baseline}");
    assert_eq!(baseline["known_failing"], json!(["tests.test_other.OtherTest.test_clock"]), "{baseline}");
}

#[test]
fn where_a_written_test_shows_the_bug_nothing_is_supposed_of_the_projects_own() {
    let project = project();
    write(&project.path().join("issue.md"), b"One cannot withdraw all of the balance.\n");
    let issue = project.path().join("issue.md").to_str().unwrap().to_owned();
    let reason = |replies: &[String]| {
        let run = Model::saying(replies).repair(project.path(), &["--issue", &issue]);
        assert_eq!((run.code, &run.json()["status"]), (0, &json!("plausible")), "{run:?}");
        run.json()["reason"].as_str().unwrap().to_owned()
    };
    let supposed = reason(&[hypothesis(), good_fix(), goal()]);
    let shown = reason(&[hypothesis(), shows_bug(), good_fix(), goal()]);
    insta::assert_snapshot!("supposed_and_shown", [supposed, shown].join("\n"));
}
