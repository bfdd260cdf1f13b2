//! Verdicts count the tests that ran: in the result, on the terminal and in what the model is told.

use serde_json::json;

use crate::kit::{ACCOUNT, Model, Run, call, folder, goal, good_fix, hypothesis, lines_with, project, write};

/// The result says this of its first patch, and the terminal and the reason say it as well.
fn check(run: &Run, told: &str, counts: &serde_json::Value) {
    assert_eq!(run.code, 0, "{run:?}");
    let result = run.json();
    assert!(result["reason"].as_str().unwrap().contains(told), "`{told}` is missing in: {result}");
    assert_eq!(&result["patches"][0]["tests_run"], counts, "{result}");
    let is_partial = !counts["nearest"].is_null();
    assert_eq!(result["partly_tested"] == true, is_partial, "{result}");
    let word = if is_partial { "plausible, partial" } else { "plausible" };
    assert!(run.stderr.contains(&format!("{word} ({told}")), "`{told}` is missing in:\n{}", run.stderr);
}

#[test]
fn all_tests_are_counted() {
    let project = project();
    let model = Model::saying(&[hypothesis(), good_fix(), goal()]);
    let run = model.repair(project.path(), &["--test", "python3 -m unittest -v"]);
    check(
        &run,
        "the one test that failed passes, and both tests that passed before pass",
        &json!({
            "showing": {"passed": 1, "failed": 0, "not_run": 0},
            "others": {"passed": 2, "failed": 0, "not_run": 0},
        }),
    );
    insta::assert_snapshot!("all_are_counted", lines_with(&model.last_prompt(), "Candidate 1: plausible"));
}

#[test]
fn a_test_that_failed_before_as_well_is_said_to_be_ignored() {
    let project = project();
    let other = "import unittest\n\n\nclass OtherTest(unittest.TestCase):\n    def test_other(self):\n        self.fail(\"always\")\n";
    write(&project.path().join("tests/test_other.py"), other.as_bytes());
    let words = ["--failing", "tests.test_account.AccountTest.test_withdraws_all"];
    let run = Model::saying(&[hypothesis(), good_fix(), goal()]).repair(project.path(), &words);
    check(
        &run,
        "the one test that failed passes, and both tests that passed before pass; 1 failing before as well and ignored",
        &json!({
            "showing": {"passed": 1, "failed": 0, "not_run": 0},
            "others": {"passed": 2, "failed": 0, "not_run": 0},
            "ignored": 1,
        }),
    );
}

#[test]
fn where_no_other_test_passed_before_nothing_is_said_to_pass() {
    let account = std::fs::read_to_string(project().path().join("bank/account.py")).unwrap();
    let test = "import unittest\n\nfrom bank.account import Account\n\n\nclass AccountTest(unittest.TestCase):\n    \
                def test_withdraws_all(self):\n        self.assertEqual(Account(100).withdraw(100), 0)\n";
    let project = folder(&[
        ("bank/account.py", account.as_str()),
        ("bank/__init__.py", ""),
        ("tests/test_account.py", test),
        ("tests/__init__.py", ""),
    ]);
    let run = Model::saying(&[hypothesis(), good_fix(), goal()]).repair(project.path(), &[]);
    check(
        &run,
        "the one test that failed passes, and no other test passed before",
        &json!({
            "showing": {"passed": 1, "failed": 0, "not_run": 0},
            "others": {"passed": 0, "failed": 0, "not_run": 0},
        }),
    );
}

#[test]
fn a_project_without_tests_is_said_to_have_run_none() {
    let account = std::fs::read_to_string(project().path().join("bank/account.py")).unwrap();
    let project = folder(&[("bank/account.py", account.as_str()), ("bank/__init__.py", "")]);
    write(&project.path().join("issue.md"), b"One cannot withdraw all of the balance.\n");
    let issue = project.path().join("issue.md").to_str().unwrap().to_owned();
    let code = "from bank.account import Account\n\nassert Account(100).withdraw(100) == 0\n";
    let test = call("write_test", json!({"code": code}));
    let run =
        Model::saying(&[hypothesis(), test, good_fix(), goal()]).repair(project.path(), &["--issue", &issue]);
    check(
        &run,
        "the test that reproduces the bug passes, and none of the project's own tests ran",
        &json!({
            "showing": {"passed": 0, "failed": 0, "not_run": 0},
            "others": {"passed": 0, "failed": 0, "not_run": 0},
        }),
    );
}

/// The project, without the file of its test that fails; what else there is, and an issue instead.
fn told_by_an_issue(tests: &[(&str, &str)]) -> tempfile::TempDir {
    let with = "import unittest\n\nfrom bank.account import Account\n\n\nclass AccountTest(unittest.TestCase):\n    \
                def test_withdraws_a_part(self):\n        self.assertEqual(Account(100).withdraw(30), 70)\n";
    let files = [
        ("bank/account.py", ACCOUNT),
        ("bank/__init__.py", ""),
        ("tests/__init__.py", ""),
        ("tests/test_account.py", with),
        ("issue.md", "One cannot withdraw all of the balance of an account.\n"),
    ];
    folder(&[&files, tests].concat())
}

/// A reply with a test that reproduces the issue.
fn reproduction() -> String {
    let code = "from bank.account import Account\n\nassert Account(100).withdraw(100) == 0\n";
    call("write_test", json!({"code": code}))
}

#[test]
fn where_the_nearest_tests_stand_for_all_they_are_named() {
    let endless = "import time\nimport unittest\n\n\nclass ZebraTest(unittest.TestCase):\n    def test_endless(self):\n        time.sleep(3600)\n";
    let project = told_by_an_issue(&[("tests/test_zebra.py", endless)]);
    let issue = project.path().join("issue.md").to_str().unwrap().to_owned();
    let words = ["--issue", &issue, "--baseline-time", "1s"];
    let run =
        Model::saying(&[hypothesis(), reproduction(), good_fix(), goal()]).repair(project.path(), &words);
    check(
        &run,
        "the test that reproduces the bug passes, and 1 of 2 tests ran, in tests.test_account; 0 broken",
        &json!({
            "showing": {"passed": 0, "failed": 0, "not_run": 0},
            "others": {"passed": 1, "failed": 0, "not_run": 0},
            "nearest": ["tests.test_account"],
            "all_tests": 2,
        }),
    );
    // The project's own tool does not run the others either.
    let confirmation = json!({"by_own_tool": "no", "because": "written_tests"});
    assert_eq!(run.json()["patches"][0]["confirmation"], confirmation);
}

#[test]
fn a_test_that_is_not_sure_of_itself_counts_as_flaky() {
    // It fails in its second run alone: the first one with the fix.
    let counter = tempfile::tempdir().unwrap();
    let path = counter.path().join("runs");
    let flaky = format!(
        "import unittest\n\n\nclass FlakyTest(unittest.TestCase):\n    def test_flaky(self):\n        with open({path:?}, 'a+') as runs:\n            \
         runs.write('x')\n            runs.seek(0)\n            self.assertNotEqual(len(runs.read()), 2)\n"
    );
    let project = told_by_an_issue(&[("tests/test_flaky.py", &flaky)]);
    let issue = project.path().join("issue.md").to_str().unwrap().to_owned();
    let words = ["--issue", &issue, "--sandbox", "host"];
    let run =
        Model::saying(&[hypothesis(), reproduction(), good_fix(), goal()]).repair(project.path(), &words);
    check(
        &run,
        "the test that reproduces the bug passes, and the one test that passed before passes; 1 flaky and not counted",
        &json!({
            "showing": {"passed": 0, "failed": 0, "not_run": 0},
            "others": {"passed": 1, "failed": 0, "not_run": 0},
            "flaky": 1,
        }),
    );
}
