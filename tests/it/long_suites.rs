//! Suites that take longer than anybody waits for them.

use std::path::Path;

use serde_json::{Value, json};

use crate::kit::{
    ACCOUNT, Model, Run, call, events, folder, goal, good_fix, hypothesis, named, program, replayed, there,
};
use crate::scripted::Step;

/// A project whose tests take twelve seconds, all but those of the account; the issue instead of a test tells of the bug.
fn slow_project() -> tempfile::TempDir {
    let test = |number| format!("    def test_{number}(self):\n        time.sleep(1)\n");
    let slow = (0..12).map(test).collect::<Vec<_>>().concat();
    let slow = format!("import time\nimport unittest\n\n\nclass ZebraTest(unittest.TestCase):\n{slow}");
    let quick = "import unittest\n\nfrom bank.account import Account\n\n\nclass AccountTest(unittest.TestCase):\n    \
                 def test_withdraws_a_part(self):\n        self.assertEqual(Account(100).withdraw(30), 70)\n";
    folder(&[
        ("bank/account.py", ACCOUNT),
        ("bank/__init__.py", ""),
        ("tests/__init__.py", ""),
        ("tests/test_account.py", quick),
        ("tests/test_zebra.py", slow.as_str()),
        ("issue.md", "One cannot withdraw all of the balance of an account.\n"),
    ])
}

/// The words of a session that waits a second for all tests.
fn words(project: &Path) -> Vec<String> {
    let issue = project.join("issue.md").to_str().unwrap().to_owned();
    ["--issue", &issue, "--baseline-time", "1s", "--lanes", "1"].map(str::to_owned).to_vec()
}

/// The tests that ran with the answer.
fn tests_run(run: &Run) -> Value {
    run.json()["patches"][0]["tests_run"].clone()
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_second_session_runs_the_tests_first_that_fit() {
    let project = slow_project();
    let cache = folder(&[]);
    let session = || -> (Run, Vec<Value>) {
        let code = "from bank.account import Account\n\nassert Account(100).withdraw(100) == 0\n";
        let test = call("write_test", json!({"code": code}));
        let model = Model::saying(&[hypothesis(), test, good_fix(), goal()]);
        let words = words(project.path());
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = program()
            .args(model.words(project.path(), &words))
            .env("PATCHWRIGHT_CACHE", cache.path())
            .output()
            .unwrap();
        let events = events(project.path());
        replayed(project.path());
        std::fs::remove_dir_all(project.path().join(".patchwright")).unwrap();
        (ran.into(), events)
    };
    let is_planned = |events: &[Value]| {
        named(events, "notice")
            .iter()
            .any(|notice| notice["text"].as_str().unwrap().contains("in an earlier session"))
    };
    let (first, recorded) = session();
    assert!(!is_planned(&recorded));
    assert_eq!(tests_run(&first)["nearest"], json!(["tests.test_account"]));
    let (second, recorded) = session();
    assert!(is_planned(&recorded), "{recorded:?}");
    let ran = tests_run(&second);
    assert_eq!((&ran["nearest"], &ran["all_tests"]), (&json!(["tests.test_account"]), &json!(13)));
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn the_pipeline_goes_on_with_the_tests_nearest_to_its_candidates() {
    let project = slow_project();
    let block = |text: &str| Step::Answer { text: format!("```\n{text}\n```\n") };
    let repair = "The bound is off by one.\n\n```\n### bank/account.py\n<<<<<<< SEARCH\n        if amount >= self.balance:\n=======\n        \
                  if amount > self.balance:\n>>>>>>> REPLACE\n```\n";
    let places = [block("bank/account.py\nfunction: Account.withdraw"), block("bank/account.py\nline: 6")];
    let outdated = block("");
    let steps = places.into_iter().chain([Step::Answer { text: repair.to_owned() }, outdated]);
    let model = Model::of(steps.collect());
    let small =
        ["--mode", "agentless", "--location-samples", "1", "--repairs", "1", "--reproduction-tests", "0"];
    let words = words(project.path());
    let words: Vec<&str> = small.into_iter().chain(words.iter().map(String::as_str)).collect();
    let run = model.repair(project.path(), &words);
    let ran = tests_run(&run);
    assert_eq!((&ran["nearest"], &ran["all_tests"]), (&json!(["tests.test_account"]), &json!(13)));
    assert_eq!(run.json()["status"], "unverified", "no test shows the bug");
    replayed(project.path());
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn of_a_suite_of_which_a_part_is_known_any_file_can_be_run() {
    let project = slow_project();
    let river = "import time\nimport unittest\n\n\nclass RiverTest(unittest.TestCase):\n    def test_flows(self):\n        \
                 time.sleep(4)\n\n    def test_rests(self):\n        self.fail('it flows')\n";
    std::fs::write(project.path().join("tests/test_zz_river.py"), river).unwrap();
    let run = call("run_tests", json!({"candidate": 1, "tests": ["tests/test_zz_river.py"]}));
    let missing = call("run_tests", json!({"tests": ["tests/test_lake.py"]}));
    let code = "from bank.account import Account\n\nassert Account(100).withdraw(100) == 0\n";
    let test = call("write_test", json!({"code": code}));
    let model = Model::saying(&[hypothesis(), test, good_fix(), run, missing, goal()]);
    let words = words(project.path());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ran = model.repair(project.path(), &words);
    let observations = events(project.path());
    let told = |part: &str| {
        let tools =
            named(&observations, "observation").into_iter().filter(|event| event["tool"] == "run_tests");
        tools.filter(|event| event["text"].as_str().unwrap().contains(part)).count()
    };
    assert_eq!(told("it flows"), 1, "{ran:?}");
    assert_eq!(told("There is no test `tests/test_lake.py`"), 1);
    assert_eq!(tests_run(&ran)["nearest"], json!(["tests.test_account"]));
}

#[test]
fn scripts_among_the_tests_are_not_run() {
    if !there("scripts_among_the_tests_are_not_run", "python3 -c 'import pytest'") {
        return;
    }
    let script = "import sys\n\nfrom bank.account import Account\n\nsys.exit(Account(100).withdraw(30))\n";
    let test = "from bank.account import Account\n\n\ndef test_withdraws_a_part():\n    assert Account(100).withdraw(30) == 70\n";
    let slow = "import time\n\n\ndef test_slow():\n    time.sleep(12)\n";
    let project = folder(&[
        ("pytest.ini", "[pytest]\n"),
        ("bank/account.py", ACCOUNT),
        ("bank/__init__.py", ""),
        ("tests/scripts/withdraw.py", script),
        ("tests/test_account.py", test),
        ("tests/test_zebra.py", slow),
        ("issue.md", "One cannot withdraw all of the balance of an account.\n"),
    ]);
    let model = Model::saying(&[hypothesis(), good_fix(), goal()]);
    let words = words(project.path());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let run = model.repair(project.path(), &words);
    // How many there are is known only if pytest had gone through them within the second.
    assert_eq!(tests_run(&run)["nearest"], json!(["tests/test_account.py"]), "{run:?}");
}
