//! Sessions with a scripted model: what the loop does with what a model says.

use std::process::Command;

use crate::scripted::Step;
use serde_json::json;

use crate::kit::{
    FIX, Model, REPAIRED, call, changed, events, fix, goal, good_fix, hypothesis, lines_with, named, project,
    prompt_text, snapshot, write,
};

#[test]
fn a_fix_of_some_failing_tests_is_told_with_the_way_to_take_it() {
    let project = project();
    let other = "import unittest\n\n\nclass OtherTest(unittest.TestCase):\n    def test_weather(self):\n        self.assertEqual('rain', 'sun')\n";
    write(&project.path().join("tests/test_other.py"), other.as_bytes());
    let model = Model::saying(&[hypothesis(), good_fix()]);
    let run = model.repair(project.path(), &["--cycles", "2"]);
    assert_eq!(run.code, 1, "{run:?}");
    let result = run.json();
    let repaired = "tests.test_account.AccountTest.test_withdraws_all";
    assert_eq!(result["partial"]["candidate"], 1, "{result}");
    assert_eq!(result["partial"]["repaired"], json!([repaired]));
    assert_eq!(result["partial"]["still_failing"], json!(["tests.test_other.OtherTest.test_weather"]));
    assert!(result["hint"].as_str().unwrap().starts_with(&format!("--failing '{repaired}'")), "{result}");
    insta::assert_snapshot!("partial_fix", lines_with(&run.stderr, "repairs"));

    let model = Model::saying(&[hypothesis(), good_fix(), goal()]);
    let run = model.repair(project.path(), &["--failing", repaired]);
    assert_eq!((run.code, &run.json()["partial"]), (0, &json!(null)), "{run:?}");
}

#[test]
fn a_bug_is_repaired_and_the_project_is_left_alone() {
    let project = project();
    let before = snapshot(project.path());
    let model = Model::saying(&[hypothesis(), good_fix(), goal()]);
    let run = model.repair(project.path(), &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let result = run.json();
    assert_eq!(result["status"], "plausible");
    assert_eq!(result["cycles"], 3);
    assert_eq!(result["tests"], json!({"failing_before": 1, "failing_after": 0}));
    assert_eq!(result["candidates"], json!({"tried": 1, "duplicates": 0, "plausible": 1}));
    assert_eq!(result["hypothesis"], "the bound in withdraw is off by one");
    let patch = result["patch"].as_str().unwrap();
    assert_eq!(changed(patch), FIX);
    assert_eq!(result["cost_usd"], json!(null), "the price of this model is unknown");
    assert_eq!(snapshot(project.path()), before);
    let session = std::path::Path::new(result["trajectory"].as_str().unwrap()).parent().unwrap().to_owned();
    let written = std::fs::read_to_string(session.join("patch.diff")).unwrap();
    assert_eq!(written, format!("# format: patchwright-patch\n{patch}"));
    assert!(session.join("result.json").is_file());
    let stderr = run.stderr;
    for part in
        ["unittest", "test_withdraws_all", "cycle 2", "hypothesis:", "candidate 1: plausible", "tokens"]
    {
        assert!(stderr.contains(part), "{part} is missing in\n{stderr}");
    }
}

#[test]
fn a_fix_may_come_with_its_hypothesis() {
    let project = project();
    let line = json!({"line_number": 6, "modified_line": "        if amount > self.balance:"});
    let edits = json!([{"file_path": "bank/account.py", "modifications": [line]}]);
    let with = call("write_fix", json!({"edits": edits, "hypothesis": "the bound is off by one"}));
    let model = Model::saying(&[good_fix(), with, goal()]);
    let run = model.repair(project.path(), &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let result = run.json();
    assert_eq!((&result["cycles"], &result["hypothesis"]), (&json!(3), &json!("the bound is off by one")));
    let events = events(project.path());
    let refusal = named(&events, "refusal")[0];
    assert_eq!((&refusal["cycle"], &refusal["reason"]), (&json!(1), &json!("forbidden")), "{refusal}");
    insta::assert_snapshot!("lacks_its_hypothesis", refusal["message"].as_str().unwrap());
    // The method that the failure leads to is shown from the first prompt on.
    let first = prompt_text(&model.requests()[0]);
    assert!(first.contains("6:         if amount >= self.balance:"), "{first}");
}

/// The names of those events of a project's session that are asked for.
pub fn order(project: &std::path::Path, asked: &[&str]) -> Vec<String> {
    let all = events(project);
    let names = all.iter().map(|event| event["event"].as_str().unwrap().to_owned());
    names.filter(|name| asked.contains(&name.as_str())).collect()
}

#[test]
fn tests_that_were_named_are_told_first_and_the_others_run_meanwhile() {
    let project = project();
    let model = Model::saying(&[hypothesis(), good_fix(), goal()]);
    let name = "tests.test_account.AccountTest.test_withdraws_all";
    let run = model.repair(project.path(), &["--failing", name]);
    assert_eq!(run.code, 0, "{run:?}");
    let told = order(project.path(), &["named_tests", "prompt", "baseline", "candidate"]);
    assert_eq!(told, ["named_tests", "prompt", "prompt", "baseline", "candidate", "prompt"]);
    let prompts: Vec<String> = model.requests().iter().map(prompt_text).collect();
    assert!(prompts[0].contains("ValueError: not enough"), "{}", prompts[0]);
    let others = format!("2 tests pass before any change, and these fail: {name}\n");
    assert!(!prompts[0].contains(&others) && prompts[2].contains(&others), "{}", prompts[2]);
    let session = run.json()["trajectory"].as_str().unwrap().to_owned();
    let replay = crate::kit::run(&["replay", "check", &session]);
    assert_eq!(replay.code, 0, "{replay:?}");
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_success_is_repeated_while_the_model_answers_and_no_success_before_that() {
    let project = project();
    // It passes alone, leaves a file that lets it pass among the others, and fails among them in a clean copy.
    let cheat = "        import os\n        if amount == self.balance and not os.path.exists('seen'):\n            \
                 if getattr(Account, 'used', False):\n                raise ValueError('not enough')\n            \
                 open('seen', 'w').close()\n        Account.used = True\n        if amount > self.balance:";
    // All tests take long before any change alone.
    let slow = "import time\nimport unittest\n\n\nclass SlowTest(unittest.TestCase):\n    def test_slow(self):\n        \
                if '>= self.balance' in open('bank/account.py').read():\n            time.sleep(11)\n";
    write(&project.path().join("tests/test_slow.py"), slow.as_bytes());
    // A worker would see no difference between the first run and the last.
    write(&project.path().join("run.sh"), b"python3 -m unittest -v $@\n");
    let words = ["--test", "sh run.sh", "--test-one", "sh run.sh {tests}", "--results", "unittest"];
    let model = Model::saying(&[hypothesis(), fix("bank/account.py", 6, cheat), goal(), good_fix(), goal()]);
    let run = model.repair(project.path(), &words);
    assert_eq!(run.code, 0, "{run:?}");
    let told = order(project.path(), &["candidate", "verdict", "prompt", "observation"]);
    let cycle = ["prompt", "observation"];
    let of_fix = ["prompt", "candidate", "observation", "prompt", "verdict", "observation"];
    assert_eq!(told, [&cycle[..], &of_fix, &of_fix].concat(), "{run:?}");
    let events = events(project.path());
    let verdicts: Vec<_> = named(&events, "verdict").iter().map(|event| event["verdict"].clone()).collect();
    assert_eq!(verdicts, ["failing", "plausible"]);
    let observations = named(&events, "observation");
    let told: Vec<&str> = observations.iter().map(|event| event["text"].as_str().unwrap()).collect();
    // What stands between them is of the change and of Python.
    let ends =
        told.iter().map(|text| [text.lines().next(), text.trim_end().lines().last()].map(Option::unwrap));
    insta::assert_snapshot!(
        "success_is_repeated",
        ends.map(|two| two.join("\n")).collect::<Vec<_>>().join("\n---\n")
    );
    for (text, prompt) in told.iter().zip(&model.requests()[1..]) {
        assert!(prompt_text(prompt).contains(text), "{text}");
    }
    let session = run.json()["trajectory"].as_str().unwrap().to_owned();
    let replay = crate::kit::run(&["replay", "check", &session]);
    assert_eq!(replay.code, 0, "{replay:?}");
}

#[test]
fn a_success_counts_that_is_repeated_when_nobody_can_be_asked_any_more() {
    let project = project();
    let words = ["--test", "python3 -m unittest -v", "--cycles", "2"];
    let run = Model::saying(&[hypothesis(), good_fix()]).repair(project.path(), &words);
    let result = run.json();
    assert_eq!(
        (run.code, &result["status"], &result["hint"]),
        (0, &json!("plausible"), &json!(null)),
        "{run:?}"
    );
    let reason = result["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("candidate 1: the one test that failed passes, and both tests that passed before pass; the session ended early: the budget"),
        "{reason}"
    );
}

#[test]
fn what_an_earlier_session_wrote_is_not_seen_whatever_it_is_called() {
    let project = project();
    let out = project.path().join("runs/first");
    let answers = [hypothesis(), good_fix(), goal()];
    let first = Model::saying(&answers).repair(project.path(), &["--out", out.to_str().unwrap()]);
    assert_eq!(first.code, 0, "{first:?}");
    std::fs::copy(out.join("trajectory.jsonl"), project.path().join("notes.txt")).unwrap();
    std::fs::copy(out.join("patch.diff"), project.path().join("idea")).unwrap();
    // Its mark is gone: it is known by the list of what was written there.
    std::fs::write(out.join("result.json"), first.json()["patch"].to_string()).unwrap();
    write(&project.path().join("runs/first/mine.txt"), b"kept");

    let test = "python3 -m unittest && test \"$(find runs notes.txt idea -type f)\" = runs/first/mine.txt";
    let options = ["--test", test, "--results", "exit-status"];
    let second = Model::saying(&answers).repair(project.path(), &options);
    assert_eq!(second.code, 0, "{second:?}");
}

#[test]
fn the_patch_of_a_session_is_taken_by_all_that_take_patches() {
    let project = project();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let run = Model::saying(&[hypothesis(), good_fix(), goal()]).repair(project.path(), &["--out", out]);
    assert_eq!(run.code, 0, "{run:?}");
    let patch = folder.path().join("patch.diff");
    let patch = patch.to_str().unwrap();
    let program = env!("CARGO_BIN_EXE_patchwright");
    for command in
        [&["git", "apply", patch][..], &["patch", "-p1", "-i", patch], &[program, "apply", patch, "."]]
    {
        let copy = crate::kit::project();
        let done = Command::new(command[0]).args(&command[1..]).current_dir(copy.path()).output().unwrap();
        assert!(done.status.success(), "{command:?}: {done:?}");
        let text = std::fs::read_to_string(copy.path().join("bank/account.py")).unwrap();
        assert_eq!(text, *REPAIRED, "{command:?}");
    }
}

#[test]
fn apply_writes_the_patch_into_the_project() {
    let project = project();
    let model = Model::saying(&[hypothesis(), good_fix(), goal()]);
    let run = model.repair(project.path(), &["--apply"]);
    assert_eq!(run.code, 0, "{run:?}");
    let text = std::fs::read_to_string(project.path().join("bank/account.py")).unwrap();
    assert_eq!(text, *REPAIRED);
}

#[test]
fn replies_are_repaired_and_the_repairs_are_recorded() {
    let project = project();
    let damaged = "Sure!\n```json\n{'thoughts': 'x', 'command': {'name': 'expresshypothesis', \
                   'args': {'hypothesis': 'off by one',}}}\n```\nDone.";
    let model = Model::saying(&[damaged.to_owned(), good_fix(), goal()]);
    let run = model.repair(project.path(), &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let events = events(project.path());
    let call = named(&events, "call")[0];
    assert_eq!(call["tool"], "express_hypothesis");
    assert_eq!(call["repairs"].as_array().unwrap().len(), 3, "{call}");
    let reply = named(&events, "reply")[0];
    assert_eq!(reply["text"], damaged, "the raw reply is kept");
    let prompts: Vec<String> = model.requests().iter().map(crate::kit::prompt_text).collect();
    let told = lines_with(&prompts[1], "`expresshypothesis`");
    assert!(!prompts[2].contains(&told), "a sound reply is not spoken of");
    insta::assert_snapshot!("repairs_are_told", told);
}

#[test]
fn a_fix_may_name_text_instead_of_lines_in_any_format() {
    let (old, new) = ("        if amount >= self.balance:", "        if amount > self.balance:");
    let block = format!("bank/account.py\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n");
    for edits in [
        json!([{ "file_path": "bank/account.py", "replacements": [{ "search": old, "replace": new }] }]),
        json!({ "path": "bank/account.py", "old_str": old.trim(), "new_str": new.trim() }),
        json!(block),
    ] {
        let project = project();
        let model = Model::saying(&[hypothesis(), call("write_fix", json!({ "edits": edits })), goal()]);
        let run = model.repair(project.path(), &[]);
        assert_eq!(run.code, 0, "{edits}: {run:?}");
        assert_eq!(changed(run.json()["patch"].as_str().unwrap()), FIX, "{edits}: {run:?}");
    }
}

#[test]
fn what_the_state_forbids_does_not_run_and_the_model_hears_what_is_allowed() {
    let project = project();
    let model = Model::saying(&[good_fix(), hypothesis(), good_fix(), goal()]);
    let run = model.repair(project.path(), &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let events = events(project.path());
    let refusal = named(&events, "refusal")[0];
    assert_eq!(refusal["reason"], "forbidden");
    let message = refusal["message"].as_str().unwrap();
    assert!(message.contains("understand_bug") && message.contains("express_hypothesis"), "{message}");
    let prompt = crate::kit::prompt_text(&model.requests()[1]);
    assert!(prompt.contains(message), "the next prompt says it");
}

#[test]
fn a_fix_that_fails_is_told_and_a_hypothesis_can_be_discarded() {
    let project = project();
    let model = Model::saying(&[
        hypothesis(),
        fix("bank/account.py", 8, "        self.balance = amount"),
        call("discard_hypothesis", json!({"reason": "the subtraction is right"})),
        call("express_hypothesis", json!({"hypothesis": "the comparison excludes equality"})),
        good_fix(),
        goal(),
    ]);
    let run = model.repair(project.path(), &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let events = events(project.path());
    let verdicts: Vec<_> = named(&events, "verdict").iter().map(|event| event["verdict"].clone()).collect();
    assert_eq!(verdicts, ["failing", "plausible"]);
    let states: Vec<_> = named(&events, "transition").iter().map(|event| event["to"].clone()).collect();
    assert_eq!(
        states,
        ["collect_information", "try_fix", "understand_bug", "collect_information", "try_fix", "done"]
    );
    let prompt = model.last_prompt();
    assert!(prompt.contains("the subtraction is right"), "why a hypothesis was given up is not forgotten");
}

#[test]
fn goal_accomplished_is_not_believed_without_a_plausible_candidate() {
    let project = project();
    let wrong = fix("bank/account.py", 8, "        self.balance = amount");
    let model = Model::saying(&[hypothesis(), wrong, goal(), good_fix(), goal()]);
    let run = model.repair(project.path(), &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let events = events(project.path());
    let observations = named(&events, "observation");
    let advances: Vec<_> = observations.iter().map(|event| event["advance"].clone()).collect();
    assert_eq!(advances, [true, true, false, true, true]);
}

#[test]
fn variants_are_asked_for_around_a_fix_that_failed_by_little() {
    let project = project();
    let near = fix("bank/account.py", 6, "        if amount >= self.balance + 2:");
    let variants = json!([
        [{"file_path": "bank/account.py", "modifications": [
            {"line_number": 6, "modified_line": "        if amount >= self.balance + 3:"}]}],
        [{"file_path": "bank/account.py", "modifications": [
            {"line_number": 6, "modified_line": "        if amount >= self.balance + 1:"}]}],
    ])
    .to_string();
    let model = Model::saying(&[hypothesis(), near, variants, goal()]);
    let run = model.repair(project.path(), &["--variants", "2"]);
    assert_eq!(run.code, 0, "{run:?}");
    let events = events(project.path());
    let origins: Vec<_> = named(&events, "candidate").iter().map(|event| event["origin"].clone()).collect();
    assert_eq!(origins, ["write_fix", "variant", "variant"]);
    assert_eq!(run.json()["candidates"]["plausible"], 1);
}

#[test]
fn native_tool_calls_go_through_the_same_door() {
    let project = project();
    let native = |name: &str, arguments: serde_json::Value| Step::ToolCall {
        name: name.to_owned(),
        arguments: arguments.to_string(),
    };
    let edit = json!({"edits": [{"file_path": "account.py",
        "modifications": [{"line_number": "6", "modified_line": "        if amount > self.balance:"}]}]});
    let model = Model::of(vec![
        native("write_fix", edit.clone()),
        native("express_hypothesis", json!({"hypothesis": "off by one"})),
        native("writefix", edit),
        native("goal_accomplished", json!({"reason": "passes"})),
    ]);
    let run = model.repair(project.path(), &["--protocol", "native"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.json()["cycles"], 4);
    let request = &model.requests()[0];
    assert_eq!(request["tools"].as_array().unwrap().len(), 17);
}

#[test]
fn a_budget_of_tokens_ends_the_session_before_it_is_overdrawn() {
    let project = project();
    let model = Model::saying(&[hypothesis(), good_fix(), goal()]);
    let run = model.repair(project.path(), &["--max-tokens-total", "5000"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(run.json()["status"], "budget");
    assert!(model.requests().is_empty(), "the worst case is reserved before the first question");
}

#[test]
fn crlf_and_latin_1_sources_keep_their_bytes() {
    let project = project();
    let path = project.path().join("bank/account.py");
    let text = std::fs::read_to_string(&path).unwrap().replace('\n', "\r\n");
    let mut bytes = b"# -*- coding: latin-1 -*-\r\n# caf\xe9\r\n".to_vec();
    bytes.extend_from_slice(text.as_bytes());
    std::fs::write(&path, &bytes).unwrap();
    let model = Model::saying(&[
        hypothesis(),
        fix("bank/account.py", 8, "        if amount > self.balance:"),
        goal(),
    ]);
    let run = model.repair(project.path(), &["--apply"]);
    assert_eq!(run.code, 0, "{run:?}");
    let expected = String::from_utf8_lossy(&bytes).replace(">= self", "> self").len();
    let after = std::fs::read(&path).unwrap();
    assert!(after.starts_with(b"# -*- coding: latin-1 -*-\r\n# caf\xe9\r\n"));
    assert_eq!(String::from_utf8_lossy(&after).len(), expected);
    let ends = |bytes: &[u8]| String::from_utf8_lossy(bytes).matches("\r\n").count();
    assert_eq!(ends(&after), ends(&bytes));
}

#[test]
fn a_session_without_gates_may_call_anything() {
    let project = project();
    let model = Model::saying(&[good_fix(), goal()]);
    let run = model.repair(project.path(), &["--states", "none"]);
    assert_eq!(run.code, 0, "{run:?}");
}
