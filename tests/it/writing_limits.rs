//! What stands in the way of `patchwright test`, and what it may not do.

use serde_json::{Value, json};

use crate::kit::{Run, call, folder, program, prompt_text};
use crate::scripted::Step;
use crate::writing_tests::{ISSUE, RIGHT, bank, block, file, reason, replays, saying, source, write};

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
    assert!(run.stderr.contains("--test"), "{run:?}");
    insta::assert_snapshot!("no_framework", reason(&run));
}

#[test]
fn a_language_without_a_method_is_refused_before_the_first_question() {
    let project = folder(&[
        ("go.mod", "module shop\n\ngo 1.21\n"),
        ("shop.go", "package shop\n\nfunc Total() int { return 1 }\n"),
        ("shop_test.go", "package shop\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) { Total() }\n"),
        ("issue.md", "The total is wrong.\n"),
    ]);
    for words in [&[][..], &["--method", "direct"], &["--test", "go test ./..."]] {
        let (model, run) = write(project.path(), Vec::new(), words);
        assert_eq!((run.code, model.requests().len()), (3, 0), "{words:?}: {run:?}");
        for part in [
            "Python, Java, JavaScript and TypeScript",
            "this project is in none of them (most of its files end in `.go`)",
        ] {
            assert!(reason(&run).contains(part), "{words:?}: {}", reason(&run));
        }
        assert!(run.stderr.contains("hint: ") && run.stderr.contains("patchwright repair"), "{}", run.stderr);
    }
}

#[test]
fn an_issue_may_be_long_and_hold_anything() {
    let project = bank();
    let noise = "<details><summary>log</summary>\u{1b}[31mred\u{1b}[0m</details>\n";
    std::fs::write(project.path().join("issue.md"), format!("{ISSUE}{}", noise.repeat(3_500))).unwrap();
    let (model, run) = write(project.path(), saying(&[file(RIGHT)]), &["--method", "direct"]);
    assert_eq!(run.code, 0, "{run:?}");
    let asked = prompt_text(&model.requests()[0]);
    assert!(asked.len() < 240_000 && asked.contains(ISSUE), "{}", asked.len());
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
    insta::assert_snapshot!("cycles_are_used", reason(&run));
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
    let mut reasons = String::new();
    for (lines, expect) in [(format!("{kept}+\n{new}"), Value::Null), (more, Value::Null), (wrong, changed)] {
        let project = bank();
        let (_, run) = write(project.path(), saying(&[diff(&lines)]), &["--method", "zero-shot"]);
        assert_eq!(run.code, 0, "{lines}: {run:?}");
        assert_eq!(run.json()["written"]["changed"], expect, "{lines}");
        reasons += &(reason(&run) + "\n");
    }
    let project = bank();
    let (_, run) =
        write(project.path(), saying(&[diff(&format!("{gone}{new}"))]), &["--method", "zero-shot"]);
    assert_eq!((run.code, run.json()["patch"].is_null()), (1, true), "{run:?}");
    insta::assert_snapshot!("changes_of_tests_that_are_there", reasons + &reason(&run));
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
    refused(&["--resume", file_of], "is of --method assert-flip, and the method is agent");
    refused(&["--method", "direct", "--resume", "/nowhere.jsonl"], "/nowhere.jsonl");
    let rest = [file(RIGHT), "That is it.\nyes".to_owned()];
    let resumed = words(&["--resume", file_of]);
    let resumed: Vec<&str> = resumed.iter().map(String::as_str).collect();
    let (model, run) = write(project.path(), saying(&rest), &resumed);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(model.requests().len(), 2, "only what comes after is asked");
    replays(project.path());
    let of_loop = out.path().join("of_loop");
    let asked = json!({"file_path": "bank/account.py", "first_line": 1, "last_line": 9});
    let asked = [call("read_range", asked)];
    let stopped = ["--cycles", "1", "--out", of_loop.to_str().unwrap()];
    let (_, run) = write(project.path(), saying(&asked), &stopped);
    assert_eq!((run.code, &run.json()["status"]), (1, &json!("budget")), "{run:?}");
    let test = call("write_test", json!({"code": source(RIGHT), "file_path": "tests/test_withdraw_all.py"}));
    let rest = [test, call("goal_accomplished", json!({"reason": "it raises, as the issue says"}))];
    let file_of_loop = of_loop.join("trajectory.jsonl");
    let (model, run) = write(project.path(), saying(&rest), &["--resume", file_of_loop.to_str().unwrap()]);
    assert_eq!((run.code, model.requests().len()), (0, 2), "{run:?}");
    replays(project.path());
    std::fs::write(project.path().join("issue.md"), "Another one.").unwrap();
    refused(&["--method", "assert-flip", "--resume", file_of], "is about another issue");
}
