//! Bad input: each has a clear message and the right exit code, and leaves nothing half-written.

use std::path::Path;

use crate::scripted::Step;
use serde_json::json;

use crate::kit::{
    Model, call, events, fix, folder, goal, good_fix, hypothesis, named, program, project, run, write,
};

/// Runs `repair` with a recording that is never reached, and checks the exit code, the words of the message,
/// and that no session was left behind.
fn refused(project: &Path, words: &[&str], code: i32, parts: &[&str]) {
    let mut all = vec!["repair", project.to_str().unwrap()];
    all.extend(words);
    let run = run(&all);
    assert_eq!(run.code, code, "{run:?}");
    assert_eq!(run.stdout, "", "{run:?}");
    for part in parts {
        assert!(run.stderr.contains(part), "{part:?} is missing in {run:?}");
    }
    assert!(!project.join(".patchwright").exists(), "nothing half-written stays");
}

const KEYLESS: [&str; 4] = ["--model", "compatible/none", "--base-url", "http://127.0.0.1:9/v1"];

#[test]
fn wrong_usage_is_exit_code_2() {
    let project = project();
    let path = project.path();
    refused(&path.join("nowhere"), &KEYLESS, 2, &["nowhere", "hint:"]);
    refused(&path.join("bank/account.py"), &KEYLESS, 2, &["not a folder"]);
    refused(path, &["--localization", "none"], 2, &["--localization none", "--line"]);
    refused(path, &["--max-usd", "NaN"], 2, &["--max-usd", "`NaN` is not a number"]);
    refused(path, &["--temperature", "inf"], 2, &["--temperature", "is not a number"]);
    let file = path.join("bank/account.py");
    refused(path, &["--out", file.to_str().unwrap()], 2, &["--out", "not a folder"]);
    refused(path, &["--model", "gpt"], 2, &["gpt", "openai/NAME"]);
    refused(path, &["--model", "replay:/nowhere.jsonl"], 2, &["/nowhere.jsonl"]);
    refused(path, &["--model", "human", "--cycles", "0"], 2, &["--cycles"]);
    refused(path, &["--model", "human", "--states", "/nowhere.toml"], 2, &["--states", "/nowhere.toml"]);
    refused(
        path,
        &["--model", "human", "--issue", "/nowhere.md"],
        2,
        &["--issue", "/nowhere.md", "hint: give --issue a file"],
    );
    refused(path, &["--model", "human", "--line", "account.py"], 2, &["path#line"]);
    refused(path, &["--model", "human", "--results", "tap"], 2, &["--results", "junit-xml:GLOB"]);
    refused(path, &["--model", "human", "--time-limit", "soon"], 2, &["time-limit"]);
}

#[test]
fn a_replay_that_takes_the_wrong_folder_for_its_project_names_the_option() {
    let recording = crate::kit::root().join("samples/python/almanac/trajectory.jsonl");
    let apart = folder(&[]);
    let file = apart.path().join("trajectory.jsonl");
    std::fs::copy(recording, &file).unwrap();
    let run = run(&["replay", "check", file.to_str().unwrap()]);
    assert!(run.code != 0 && run.stderr.contains("--dir"), "{run:?}");
}

#[test]
fn a_settings_file_may_not_turn_against_its_user() {
    let project = project();
    write(&project.path().join("patchwright.toml"), b"base-url = \"http://elsewhere\"\n");
    refused(project.path(), &KEYLESS, 2, &["patchwright.toml", "base-url"]);
    write(&project.path().join("patchwright.toml"), b"cycels = 3\n");
    refused(project.path(), &KEYLESS, 2, &["patchwright.toml", "cycels"]);
}

#[test]
fn a_glob_of_a_settings_file_has_a_bound_that_its_error_names() {
    let project = project();
    for (key, depth) in [("hidden", 160), ("tests", 160), ("hidden", 200_000), ("results", 200_000)] {
        let nested = format!("{}a{}", "{".repeat(depth), "}".repeat(depth));
        let value =
            if key == "results" { format!("\"junit-xml:{nested}\"") } else { format!("[\"{nested}\"]") };
        write(&project.path().join("patchwright.toml"), format!("{key} = {value}\n").as_bytes());
        let bound = if depth < 2000 { "nested more than 16 deep" } else { "longer than 4096 bytes" };
        refused(project.path(), &KEYLESS, 2, &[key, "is not valid: ", bound]);
    }
}

#[test]
fn a_faulty_state_machine_is_refused_with_its_place() {
    let project = project();
    let states = project.path().join("states.toml");
    write(&states, b"start = \"a\"\n[[state]]\nname = \"a\"\npurpose = \"x\"\ntools = [\"raed_range\"]\n");
    let path = states.to_str().unwrap();
    refused(
        project.path(),
        &["--model", "human", "--states", path],
        2,
        &["states.toml", "raed_range", "read_range"],
    );
}

#[test]
fn a_folder_without_tests_is_no_project() {
    let folder = folder(&[("notes.txt", "nothing here")]);
    refused(folder.path(), &KEYLESS, 3, &["--test"]);
}

#[test]
fn a_missing_key_names_the_variable() {
    let project = project();
    refused(project.path(), &["--model", "openai/gpt-4.1"], 4, &["OPENAI_API_KEY"]);
    refused(project.path(), &["--model", "anthropic/claude-sonnet-4-5"], 4, &["ANTHROPIC_API_KEY"]);
}

#[test]
fn an_unknown_price_cannot_hold_a_dollar_limit() {
    let project = project();
    let mut words = KEYLESS.to_vec();
    words.extend(["--max-usd", "1"]);
    refused(project.path(), &words, 2, &["price", "--prices"]);
}

#[test]
fn a_wrong_key_and_an_unreachable_model_are_exit_code_4() {
    let project = project();
    let model = Model::of(vec![Step::Status {
        code: 401,
        headers: Vec::new(),
        body: json!({"error": {"message": "Incorrect API key provided", "type": "invalid_request_error"}})
            .to_string(),
    }]);
    let words = model.words(project.path(), &[]);
    let output = program().env("PATCHWRIGHT_API_KEY", "sk-very-secret").args(words).output().unwrap();
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(text.contains("PATCHWRIGHT_API_KEY"), "{text}");
    assert!(!text.contains("sk-very-secret"), "{text}");
    let log = serde_json::to_string(&events(project.path())).unwrap();
    assert!(!log.contains("sk-very-secret"), "a key never reaches the trajectory");
    assert_eq!(named(&events(project.path()), "session_ended")[0]["status"], "model");
}

#[test]
fn tests_that_all_pass_are_nothing_to_repair() {
    let project = project();
    let path = project.path().join("bank/account.py");
    let text = std::fs::read_to_string(&path).unwrap().replace(">= self", "> self");
    std::fs::write(&path, text).unwrap();
    let model = Model::saying(&[]);
    let run = model.repair(project.path(), &[]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(run.json()["status"], "no_fix");
    insta::assert_snapshot!("nothing_to_repair", run.json()["reason"].as_str().unwrap());
}

#[test]
fn a_test_that_hangs_is_ended_and_the_others_go_on() {
    let project = project();
    write(
        &project.path().join("tests/test_slow.py"),
        b"import time\nimport unittest\n\n\nclass SlowTest(unittest.TestCase):\n    def test_it(self):\n        time.sleep(600)\n",
    );
    let model = Model::saying(&[]);
    let run = model.repair(project.path(), &["--timeout", "5s"]);
    assert!(run.stderr.contains("tests.test_slow.SlowTest.test_it"), "{run:?}");
    let events = events(project.path());
    let baseline = named(&events, "baseline")[0];
    let failing = baseline["failing"].as_array().unwrap().len();
    assert_eq!((&baseline["total"], &baseline["passed"], failing), (&json!(4), &json!(2), 1), "{baseline}");
}

#[test]
fn a_command_that_hangs_is_stopped_and_the_limit_is_named() {
    let project = project();
    let model = Model::saying(&[]);
    let words = ["--timeout", "5s", "--test", "sleep 600", "--results", "exit-status"];
    let run = model.repair(project.path(), &words);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stderr.contains("--timeout"), "{run:?}");
}

#[test]
fn a_build_that_fails_before_any_change_is_the_environment() {
    let project = project();
    let model = Model::saying(&[]);
    let run = model.repair(project.path(), &["--build", "echo broken >&2; exit 7", "--test", "true"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stderr.contains("broken") || run.stderr.contains("build"), "{run:?}");
}

#[test]
fn useless_replies_end_as_stuck_and_not_as_a_loop() {
    let project = project();
    let useless: Vec<_> = (0..40)
        .map(|number| match number % 4 {
            0 => Step::Empty,
            1 => Step::Answer { text: "I think the bug is in the withdrawal.".to_owned() },
            2 => Step::LengthStop {
                text: "{\"thoughts\": \"it is long\", \"command\": {\"name\": \"express_hy".to_owned(),
            },
            _ => Step::Answer { text: "{\"command\": {\"name\": \"make_coffee\", \"args\": {}}}".to_owned() },
        })
        .collect();
    let model = Model::of(useless);
    let run = model.repair(project.path(), &[]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(run.json()["status"], "stuck");
    let events = events(project.path());
    let reasons: std::collections::BTreeSet<_> =
        named(&events, "refusal").iter().map(|event| event["reason"].as_str().unwrap().to_owned()).collect();
    for reason in ["empty", "no_call", "cut", "unknown_tool"] {
        assert!(reasons.contains(reason), "{reason} is missing in {reasons:?}");
    }
}

#[test]
fn a_fix_that_was_cut_by_the_length_limit_is_never_applied() {
    let project = project();
    let whole = good_fix();
    let cut = whole[..whole.find("self.balance").unwrap() + 4].to_owned();
    let model = Model::of(vec![
        Step::Answer { text: hypothesis() },
        Step::LengthStop { text: cut },
        Step::Answer { text: good_fix() },
        Step::Answer { text: goal() },
    ]);
    let run = model.repair(project.path(), &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let events = events(project.path());
    assert_eq!(named(&events, "candidate").len(), 1);
    assert_eq!(named(&events, "refusal")[0]["reason"], "cut");
}

#[test]
fn no_tool_leaves_the_project() {
    let project = project();
    let secret = folder(&[("secret.txt", "the password")]);
    let outside = secret.path().join("secret.txt");
    std::os::unix::fs::symlink(&outside, project.path().join("bank/link.txt")).unwrap();
    let outside = outside.to_str().unwrap();
    let read = |path: &str| call("read_range", json!({"file_path": path, "start_line": 1, "end_line": 5}));
    let model = Model::saying(&[
        read("../../../etc/passwd"),
        read(outside),
        read("bank/link.txt"),
        hypothesis(),
        fix(outside, 1, "x"),
        fix("tests/test_account.py", 12, "        pass"),
        good_fix(),
        goal(),
    ]);
    let run = model.repair(project.path(), &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let log = serde_json::to_string(&events(project.path())).unwrap();
    assert!(!log.contains("the password") && !log.contains("root:x:"), "nothing from outside was read");
    assert_eq!(std::fs::read_to_string(outside).unwrap(), "the password");
    let events = events(project.path());
    let verdicts: Vec<_> = named(&events, "verdict").iter().map(|event| event["verdict"].clone()).collect();
    assert_eq!(verdicts, ["does_not_apply", "does_not_apply", "plausible"]);
}

#[test]
fn a_disk_that_is_full_ends_the_session_and_leaves_whole_lines() {
    let project = project();
    let model = Model::saying(&[hypothesis(), good_fix(), goal()]);
    let words = model.words(project.path(), &[]);
    // A limit on the size of files stands for the full disk: writing past it fails in the same way.
    let output = std::process::Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 24; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_patchwright"))
        .args(words)
        .env("PATCHWRIGHT_CONFIG", "/nonexistent/patchwright.toml")
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("trajectory.jsonl"), "{stderr}");
    assert!(!events(project.path()).is_empty(), "every line that is there can be read");
}

#[test]
fn paths_with_spaces_work() {
    let outer = tempfile::tempdir().unwrap();
    let inner = outer.path().join("my project (copy)");
    let project = project();
    std::fs::rename(project.path(), &inner).unwrap();
    let model = Model::saying(&[hypothesis(), good_fix(), goal()]);
    let run = model.repair(&inner, &[]);
    assert_eq!(run.code, 0, "{run:?}");
}
