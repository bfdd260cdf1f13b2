//! `patchwright test` with a scripted model: each method from an issue to a test, and what stands in its way.

use std::path::Path;

use serde_json::{Value, json};

use crate::kit::{ACCOUNT, Model, Run, call, events, folder, named, program, prompt_text, run, snapshot};
use crate::scripted::Step;

const ISSUE: &str = "One cannot withdraw all of the balance: `Account(100).withdraw(100)` raises `ValueError: not enough`. \
                     It should return 0.\n";

/// A project whose tests all pass, and an issue about a bug that none of them shows.
fn bank() -> tempfile::TempDir {
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
fn source(body: &str) -> String {
    format!(
        "import unittest\n\nfrom bank.account import Account\n\n\nclass WithdrawAllTest(unittest.TestCase):\n    \
         def test_all(self):\n        {}\n",
        body.replace('\n', "\n        ")
    )
}

/// The body of the right test.
const RIGHT: &str = "self.assertEqual(Account(100).withdraw(100), 0)";

/// An answer with a file of tests.
fn file(body: &str) -> String {
    format!(
        "The whole balance is refused.\n\n```python\n### tests/test_withdraw_all.py\n{}```\n",
        source(body)
    )
}

/// An answer with a block of the custom format that makes a file of tests.
fn block(path: &str, code: &str) -> String {
    format!("It refuses all.\n\n```custom-diff\ndiff\n{path}\ninsert\nEOF\n{code}end diff\n```\n")
}

/// Runs `test` with a model that answers these texts.
fn write(project: &Path, steps: Vec<Step>, words: &[&str]) -> (Model, Run) {
    let model = Model::of(steps);
    let issue = project.join("issue.md");
    let words = [&["--issue", issue.to_str().unwrap()], words].concat();
    let run = model.test(project, &words);
    (model, run)
}

fn saying(texts: &[String]) -> Vec<Step> {
    texts.iter().map(|text| Step::Answer { text: text.clone() }).collect()
}

/// The recording of a project's only session is shown, and replayed it is the same.
fn replays(project: &Path) {
    let sessions = project.join(".patchwright/sessions");
    let session = sessions.read_dir().unwrap().next().unwrap().unwrap().path();
    for name in ["trajectory.jsonl", "result.json"] {
        assert!(session.join(name).is_file(), "{name}");
    }
    let file = session.join("trajectory.jsonl");
    let view = run(&["replay", "view", file.to_str().unwrap(), "--full"]);
    assert!(view.code == 0 && view.stdout.contains("end "), "{view:?}");
    let replay = run(&["replay", "check", file.to_str().unwrap()]);
    assert!(replay.code == 0 && replay.stdout.contains("the same as the recording"), "{replay:?}");
}

fn has_junit() -> bool {
    let found = std::process::Command::new("sh")
        .args(["-c", "javac -version && test -e /usr/share/java/junit4.jar"])
        .output();
    found.is_ok_and(|found| found.status.success())
}

fn reason(run: &Run) -> String {
    run.json()["reason"].as_str().unwrap().to_owned()
}

#[test]
fn one_question_gives_a_test_that_fails_for_the_issues_reason() {
    let project = bank();
    let before = snapshot(project.path());
    let (model, run) = write(project.path(), saying(&[file(RIGHT)]), &["--method", "direct"]);
    assert_eq!(run.code, 0, "{run:?}");
    let result = run.json();
    assert_eq!((&result["status"], &result["mode"]), (&json!("reproduced"), &json!("agentless")));
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
    assert!(result["reason"].as_str().unwrap().contains("it fails alike when it is run again"), "{result}");
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
    assert!(
        run.stderr.contains("the test is in the project now: tests/test_withdraw_all.py"),
        "{}",
        run.stderr
    );
}

#[test]
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
    assert_eq!((run.code, &run.json()["status"]), (1, &json!("unverified")), "{run:?}");
    assert!(reason(&run).contains("executes none of the project's code"), "{}", reason(&run));
    assert!(run.stderr.contains("not written into the project"), "{}", run.stderr);
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
    assert!(reason(&run).contains("changes of bank/account.py were left out"), "{}", reason(&run));
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
    assert!(reason(&run).contains("2 of 4 tests that fail do so alike"), "{}", reason(&run));
    let requests = model.requests();
    assert_eq!((&requests[0]["n"], &requests[0]["temperature"]), (&json!(5), &json!(0.7)));
    assert_eq!(requests[0]["seed"], 7);
    let asked = prompt_text(&requests[2]);
    assert!(
        asked.contains("ValueError: not enough") && asked.contains("Does it fail for the reason"),
        "{asked}"
    );
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
    assert!(
        reason(&run).contains("the model does not take that for the issue's failure"),
        "{}",
        reason(&run)
    );
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
    assert!(again.contains("has to pass there") && again.contains("ValueError: not enough"), "{again}");
    let turned = prompt_text(&requests[3]);
    assert!(
        turned.contains("Turn its assertion over") && turned.contains("assertRaises(ValueError)"),
        "{turned}"
    );
    let events = events(project.path());
    let stages: Vec<&str> =
        named(&events, "call").iter().map(|event| event["tool"].as_str().unwrap()).collect();
    assert_eq!(
        stages,
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
    assert!(plan.contains("not as the issue says: Half of it may be taken already."), "{plan}");
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
    assert_eq!((&result["status"], &result["mode"]), (&json!("reproduced"), &json!("agent")));
    assert_eq!(result["written"]["method"], "agent");
    assert_eq!(result["written"]["coverage"]["suspicious_executed"], 3);
    assert!(reason(&run).contains("withdrawing all raises, as the issue says"), "{}", reason(&run));
    let first = prompt_text(&model.requests()[0]);
    assert!(first.contains("write_test") && !first.contains("write_fix"), "no fix is tried: {first}");
    assert!(first.contains("Current state: study_issue"), "{first}");
    let events = events(project.path());
    let refusals: Vec<&str> =
        named(&events, "refusal").iter().map(|event| event["reason"].as_str().unwrap()).collect();
    assert_eq!(refusals, ["unknown_tool", "forbidden"]);
    let texts: Vec<&str> =
        named(&events, "observation").iter().map(|event| event["text"].as_str().unwrap()).collect();
    assert!(texts[0].contains("a script is no part of the project"), "{texts:?}");
    assert!(texts[1].contains("passes on the original code"), "{texts:?}");
    assert!(texts[2].contains("fails on the original code") && !texts[2].contains("andidate"), "{texts:?}");
    replays(project.path());
}

#[test]
fn what_cannot_be_done_is_said_before_anything_is_asked() {
    let project = bank();
    let check = |words: &[&str], code: i32, parts: &[&str]| {
        let words = [&["test", project.path().to_str().unwrap()], words].concat();
        let run: Run = program().args(words).output().unwrap().into();
        assert_eq!(run.code, code, "{run:?}");
        for part in parts {
            assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
        }
        assert!(!project.path().join(".patchwright").exists());
    };
    let issue = project.path().join("issue.md").to_str().unwrap().to_owned();
    let empty = project.path().join("empty.md");
    std::fs::write(&empty, " \n").unwrap();
    let model = ["--model", "compatible/x", "--base-url", "http://127.0.0.1:9/v1"];
    let with = |words: &[&'static str]| -> Vec<String> {
        [&["--issue", issue.as_str()], &model[..], words]
            .concat()
            .iter()
            .map(|word| (*word).to_owned())
            .collect()
    };
    let checked = |words: &[&'static str], parts: &[&str]| {
        let words = with(words);
        check(&words.iter().map(String::as_str).collect::<Vec<_>>(), 2, parts);
    };
    check(&model, 2, &["none is given", "--issue"]);
    check(&["--issue", &issue], 2, &["a test is written by a model", "--model"]);
    check(&["--issue", &issue, "--model", "patterns"], 2, &["the fix patterns write no tests"]);
    check(&["--issue", &issue, "--model", "human", "--method", "libro"], 2, &["--method libro asks a model"]);
    check(
        &[&model[..], &["--issue", empty.to_str().unwrap()]].concat(),
        2,
        &["empty.md", "the text is empty"],
    );
    check(&[&model[..], &["--issue", "/nonexistent/issue.md"]].concat(), 2, &["/nonexistent/issue.md"]);
    checked(&["--mode", "agentless"], &["--mode is about repairs"]);
    checked(&["--failing", "a"], &["--failing is about repairs"]);
    checked(&["--method", "libra"], &["there is no method `libra`", "assert-flip"]);
    checked(&["--method", "libro", "--samples", "0"], &["--samples must be a number from 1"]);
    checked(&["--method", "direct", "--samples", "3"], &["--samples is about --method libro"]);
    checked(&["--method", "direct", "--without", "history"], &["--without is about the loop"]);
    check(
        &["--issue", &issue, "--model", "anthropic/x", "--method", "libro", "--seed", "1"],
        2,
        &["--seed: Anthropic's service takes no seed"],
    );
}

#[test]
fn a_project_in_which_no_test_can_run_is_refused() {
    let project = folder(&[("shop.js", "function total() {}\n"), ("issue.md", "The total is wrong.\n")]);
    let (model, run) = write(project.path(), Vec::new(), &["--method", "direct"]);
    assert_eq!((run.code, model.requests().len()), (3, 0), "{run:?}");
    let languages = "writes tests in Python, Java, JavaScript and TypeScript";
    assert!(reason(&run).contains(languages), "{}", reason(&run));
    let bare = folder(&[("shop.py", "def total():\n    return 1\n"), ("issue.md", "The total is wrong.\n")]);
    let (_, run) = write(bare.path(), Vec::new(), &["--method", "libro"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(reason(&run).contains("no test framework") && run.stderr.contains("--test"), "{run:?}");
}

#[test]
fn an_issue_may_be_long_and_hold_anything() {
    let project = bank();
    let noise = "<details><summary>log</summary>\u{1b}[31mred\u{1b}[0m</details>\n";
    std::fs::write(project.path().join("issue.md"), format!("{ISSUE}{}", noise.repeat(3_500))).unwrap();
    let (model, run) = write(project.path(), saying(&[file(RIGHT)]), &["--method", "direct"]);
    assert_eq!(run.code, 0, "{run:?}");
    let asked = prompt_text(&model.requests()[0]);
    assert!(asked.len() < 240_000 && asked.contains("cannot withdraw all"), "{}", asked.len());
    assert!(!asked.contains("[31m"), "colours of a terminal are no text");
}

#[test]
fn the_budget_ends_a_method_with_what_it_has() {
    let project = bank();
    let samples: Vec<String> = [RIGHT, "self.assertEqual(Account(100).withdraw(30), 60)"]
        .iter()
        .map(|body| block("tests/test_withdraw_all.py", &source(body)))
        .collect();
    let words = ["--method", "libro", "--samples", "2", "--cycles", "2"];
    let (_, run) = write(project.path(), vec![Step::Answers { texts: samples }], &words);
    assert_eq!((run.code, &run.json()["status"]), (1, &json!("unverified")), "{run:?}");
    assert!(reason(&run).contains("all 2 cycles are used"), "{}", reason(&run));
}

/// A project in Java whose only test passes, and an issue about a bug that it does not show.
fn java_bank() -> tempfile::TempDir {
    let account = "package bank;\n\npublic class Account {\n    private int balance;\n\n    public Account(int balance) {\n        \
                   this.balance = balance;\n    }\n\n    public int withdraw(int amount) {\n        if (amount >= balance) {\n            \
                   throw new IllegalStateException(\"not enough\");\n        }\n        balance -= amount;\n        return balance;\n    }\n}\n";
    folder(&[
        ("src/main/java/bank/Account.java", account),
        ("src/test/java/bank/AccountTest.java", JAVA_TESTS),
        (
            "issue.md",
            "`withdraw` refuses to give all: `new Account(100).withdraw(100)` ends with an IllegalStateException.\n",
        ),
    ])
}

const JAVA_TESTS: &str = "package bank;\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\npublic class AccountTest {\n    \
                          @Test\n    public void withdrawsAPart() {\n        assertEquals(70, new Account(100).withdraw(30));\n    }\n}\n";
const JAVA_PATH: &str = "src/test/java/bank/WithdrawAllTest.java";
const JAVA_RIGHT: &str = "assertEquals(0, new Account(100).withdraw(100));";

/// A class of tests whose only one has this body.
fn java_class(body: &str) -> String {
    let class =
        JAVA_TESTS.replace("AccountTest", "WithdrawAllTest").replace("withdrawsAPart", "withdrawsAll");
    class.replace("assertEquals(70, new Account(100).withdraw(30));", &body.replace('\n', "\n        "))
}

fn java_file(body: &str) -> String {
    format!("```java\n### {JAVA_PATH}\n{}```\n", java_class(body))
}

#[test]
fn a_test_class_in_java_goes_where_its_package_is() {
    if !has_junit() {
        println!("skipped: there is no JDK with JUnit 4");
        return;
    }
    let project = java_bank();
    let class = java_class(JAVA_RIGHT);
    let answers: [(&str, String); 3] = [
        ("direct", java_file(JAVA_RIGHT)),
        (
            "zero-shot",
            format!(
                "```diff\n--- /dev/null\n+++ b/{JAVA_PATH}\n@@ -0,0 +1,{} @@\n{}```\n",
                class.lines().count(),
                class.lines().map(|line| format!("+{line}\n")).collect::<Vec<_>>().concat()
            ),
        ),
        ("zero-shot-plus", block(JAVA_PATH, &class)),
    ];
    for (method, answer) in answers {
        let (model, run) = write(project.path(), saying(&[answer]), &["--method", method]);
        assert_eq!(run.code, 0, "{method}: {run:?}");
        let written: &Value = &run.json()["written"];
        assert_eq!(written["tests"], json!(["bank.WithdrawAllTest::withdrawsAll"]), "{method}");
        assert!(written["failure"].as_str().unwrap().contains("IllegalStateException"), "{written}");
        let asked = prompt_text(&model.requests()[0]);
        assert!(asked.contains("src/test/java/bank/IssueTest.java") || method != "direct", "{asked}");
        assert!(asked.contains("public class AccountTest"), "{asked}");
    }
}

#[test]
fn a_test_in_java_may_stand_in_a_class_that_is_there() {
    if !has_junit() {
        println!("skipped: there is no JDK with JUnit 4");
        return;
    }
    let project = java_bank();
    let file = "src/test/java/bank/AccountTest.java";
    let method = format!("@Test\npublic void withdrawsAll() {{\n    {JAVA_RIGHT}\n}}\n");
    let whole = JAVA_TESTS.strip_suffix("}\n").unwrap();
    let whole = format!("{whole}\n    {}}}\n", method.trim_end().replace('\n', "\n    ") + "\n");
    let more = whole
        .replace(
            "import org.junit.Test;",
            "import static org.junit.Assert.assertTrue;\nimport org.junit.Test;",
        )
        .replace(JAVA_RIGHT, "assertTrue(new Account(100).withdraw(100) == 0);");
    let class = whole.split_once("public class").map(|(_, class)| format!("public class{class}")).unwrap();
    let rewrite = |code: &str| block(file, code).replace("insert\nEOF", "rewrite\n7");
    for answer in [block(file, &method), rewrite(&class), rewrite(&whole), rewrite(&more)] {
        let (_, run) =
            write(project.path(), saying(std::slice::from_ref(&answer)), &["--method", "zero-shot-plus"]);
        assert_eq!(run.code, 0, "{answer}: {run:?}");
        let result = run.json();
        assert_eq!(result["written"]["tests"], json!(["bank.AccountTest::withdrawsAll"]), "{answer}");
        assert!(result["written"]["changed"].is_null(), "{result}");
    }
}

#[test]
fn samples_in_java_are_grouped_by_how_they_fail() {
    if !has_junit() {
        println!("skipped: there is no JDK with JUnit 4");
        return;
    }
    let project = java_bank();
    let samples = [
        "assertEquals(60, new Account(100).withdraw(30));",
        "Account account = new Account(100);\nassertEquals(0, account.withdraw(100));",
        JAVA_RIGHT,
        "assertEquals(0, new Vault(100).withdraw(100));",
    ];
    let samples: Vec<String> = samples.iter().map(|body| block(JAVA_PATH, &java_class(body))).collect();
    let steps = vec![
        Step::Answers { texts: samples },
        Step::Answer { text: "It withdraws all.\n\nyes".to_owned() },
        Step::Answer { text: "Taking a part is right as it is.\n\nno".to_owned() },
    ];
    let (model, run) = write(project.path(), steps, &["--method", "libro", "--samples", "4"]);
    assert_eq!(run.code, 0, "{run:?}");
    let result = run.json();
    let patch = result["patch"].as_str().unwrap();
    assert!(patch.contains(JAVA_RIGHT) && !patch.contains("account ="), "the shortest of its group: {patch}");
    assert!(reason(&run).contains("2 of 3 tests that fail do so alike"), "{}", reason(&run));
    assert!(prompt_text(&model.requests()[1]).contains("IllegalStateException: not enough"));
    replays(project.path());
}

#[test]
fn a_passing_test_in_java_is_turned_over() {
    if !has_junit() {
        println!("skipped: there is no JDK with JUnit 4");
        return;
    }
    let project = java_bank();
    let passing = "try {\n    new Account(100).withdraw(100);\n    org.junit.Assert.fail();\n} catch (IllegalStateException expected) {\n    \
                   assertEquals(\"not enough\", expected.getMessage());\n}";
    let answers = [
        "1. `new Account(100).withdraw(100)`\n2. throws\n3. returns 0".to_owned(),
        java_file("assertEquals(0, new Bank(100).withdraw(100));"),
        java_file(passing),
        java_file(JAVA_RIGHT),
        "It withdraws all and gets the exception of the issue.\nyes".to_owned(),
    ];
    let (model, run) = write(project.path(), saying(&answers), &["--method", "assert-flip"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.json()["written"]["tests"], json!(["bank.WithdrawAllTest::withdrawsAll"]));
    let again = prompt_text(&model.requests()[2]);
    assert!(again.contains("Bank"), "what the compiler says is told: {again}");
    replays(project.path());
}

/// Answers with a change of the test that is there: what it checks, or more than it checked.
#[test]
fn what_a_test_changes_of_those_that_are_there_is_told_and_none_is_taken_away() {
    let diff = |lines: &str| {
        format!(
            "```diff\n--- a/tests/test_account.py\n+++ b/tests/test_account.py\n@@ -7,4 +7,6 @@\n class AccountTest(unittest.TestCase):\n{lines}```\n"
        )
    };
    let old = [
        "    def test_withdraws_a_part(self):",
        "        account = Account(100)",
        "        self.assertEqual(account.withdraw(30), 70)",
    ];
    let kept: String = old.iter().flat_map(|line| [" ", line, "\n"]).collect();
    let gone: String = old.iter().flat_map(|line| ["-", line, "\n"]).collect();
    let new =
        "+    def test_withdraws_all(self):\n+        self.assertEqual(Account(100).withdraw(100), 0)\n";
    let wrong = format!(
        " {}\n {}\n-{}\n+        self.assertEqual(account.withdraw(100), 0)\n",
        old[0], old[1], old[2]
    );
    let more = format!("{kept}+        self.assertEqual(Account(100).withdraw(100), 0)\n");
    let changed = json!(["tests/test_account.py: AccountTest.test_withdraws_a_part"]);
    for (lines, expect) in [(format!("{kept}+\n{new}"), Value::Null), (more, Value::Null), (wrong, changed)] {
        let project = bank();
        let (_, run) = write(project.path(), saying(&[diff(&lines)]), &["--method", "zero-shot"]);
        assert_eq!(run.code, 0, "{lines}: {run:?}");
        assert_eq!(run.json()["written"]["changed"], expect, "{lines}");
        assert_eq!(
            reason(&run).contains("it changes what the project's tests check"),
            !expect.is_null(),
            "{}",
            reason(&run)
        );
    }
    let project = bank();
    let (_, run) =
        write(project.path(), saying(&[diff(&format!("{gone}{new}"))]), &["--method", "zero-shot"]);
    assert_eq!((run.code, run.json()["patch"].is_null()), (1, true), "{run:?}");
    assert!(reason(&run).contains("takes a test away that is there"), "{}", reason(&run));
}

#[test]
fn a_session_that_was_interrupted_is_taken_up_without_asking_again() {
    let project = bank();
    let out = folder(&[]);
    let words = |more: &[&str]| -> Vec<String> {
        [&["--method", "assert-flip"], more].concat().iter().map(|word| (*word).to_owned()).collect()
    };
    let passing = file("with self.assertRaises(ValueError):\n    Account(100).withdraw(100)");
    let first = out.path().join("first");
    let begun = words(&["--cycles", "3", "--out", first.to_str().unwrap()]);
    let begun: Vec<&str> = begun.iter().map(String::as_str).collect();
    let (_, run) = write(project.path(), saying(&["a plan".to_owned(), passing]), &begun);
    assert_eq!((run.code, &run.json()["status"]), (1, &json!("budget")), "{run:?}");
    let file_of = first.join("trajectory.jsonl");
    let file_of = file_of.to_str().unwrap();
    let refused = |words: &[&str], says: &str| {
        let (model, run) = write(project.path(), Vec::new(), words);
        assert!((run.code, model.requests().len()) == (2, 0) && run.stderr.contains(says), "{says}: {run:?}");
    };
    refused(
        &["--method", "direct", "--resume", file_of],
        "is of --method assert-flip, and the method is direct",
    );
    refused(&["--resume", file_of], "--method agent is the loop");
    refused(&["--method", "direct", "--resume", "/nowhere.jsonl"], "/nowhere.jsonl");
    let rest = [file(RIGHT), "That is it.\nyes".to_owned()];
    let resumed = words(&["--resume", file_of]);
    let resumed: Vec<&str> = resumed.iter().map(String::as_str).collect();
    let (model, run) = write(project.path(), saying(&rest), &resumed);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(model.requests().len(), 2, "only what comes after is asked");
    assert!(
        run.stderr.contains("2 answers of the recorded session are not asked for again"),
        "{}",
        run.stderr
    );
    replays(project.path());
    std::fs::write(project.path().join("issue.md"), "Another one.").unwrap();
    refused(&["--method", "assert-flip", "--resume", file_of], "is about another issue");
}
