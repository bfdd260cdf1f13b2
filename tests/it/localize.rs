//! `patchwright localize`, and localisation in sessions.

use serde_json::json;

use crate::kit::{Model, Run, call, events, folder, lines_with, named, project, run, snapshot, write};

/// The fix of [`project`] as a patch, and another that only adds.
const GOLDEN: &str = "--- a/bank/account.py\n+++ b/bank/account.py\n@@ -6,1 +6,1 @@\n-        if amount >= self.balance:\n+        if amount > self.balance:\n";
const ADDING: &str = "--- a/bank/account.py\n+++ b/bank/account.py\n@@ -7,0 +8,1 @@\n+        amount += 1\n";

fn localize(words: &[&str]) -> Run {
    let words: Vec<&str> = ["localize"].iter().chain(words).copied().collect();
    run(&words)
}

#[test]
fn people_get_a_table_and_progress_on_stderr() {
    let project = project();
    let before = snapshot(project.path());
    let found = localize(&[project.path().to_str().unwrap(), "--top", "2"]);
    assert_eq!(found.code, 0, "{found:?}");
    // Where the test fails, then the line that leads there.
    insta::assert_snapshot!("table", found.stdout);
    for part in ["1 failing, 2 passing", "found by coverage by"] {
        assert!(found.stderr.contains(part), "{part} is missing in\n{}", found.stderr);
    }
    assert_eq!(snapshot(project.path()), before);
}

#[test]
fn the_truth_is_looked_for() {
    let project = project();
    let files =
        folder(&[("golden.patch", GOLDEN), ("adding.patch", ADDING), ("list", "bank/account.py#6\n")]);
    let dir = project.path().to_str().unwrap();
    let check = |file: &str, formula: &str, line: u32, rank: u64| {
        let truth = files.path().join(file);
        let words = [dir, "--truth", truth.to_str().unwrap(), "--formula", formula, "--json"];
        let found = localize(&words);
        assert_eq!(found.code, 0, "{found:?}");
        let object = found.json();
        assert_eq!(object["formula"], formula.to_lowercase());
        assert_eq!(object["truth"]["rank"], rank, "{object}");
        assert_eq!(object["truth"]["top_1"], rank == 1);
        assert_eq!(object["truth"]["top_5"], true);
        let executable = object["executable_lines"].as_f64().unwrap();
        let exam = object["truth"]["average_rank"].as_f64().unwrap() / executable;
        assert!((object["truth"]["exam"].as_f64().unwrap() - exam).abs() < 1e-9, "{object}");
        assert_eq!(object["lines"][rank as usize - 1]["line"], line);
        assert_eq!(object["basis"]["kind"], "coverage");
    };
    check("golden.patch", "ochiai", 6, 2);
    check("list", "Tarantula", 6, 2);
    // What is missing behind line 7 is found by the statements around it.
    check("adding.patch", "dstar", 7, 1);
    let table = localize(&[dir, "--truth", files.path().join("golden.patch").to_str().unwrap()]);
    // The number of lines that can be executed differs between versions of Python.
    let truth = lines_with(&table.stdout, "EXAM");
    let (rank, rest) = truth.split_once("EXAM 0.").unwrap();
    insta::assert_snapshot!("truth", format!("{rank}EXAM 0.NNNN{}", &rest[4..]));
}

#[test]
fn what_cannot_be_done_is_said_with_a_hint() {
    let project = project();
    let dir = project.path().to_str().unwrap();
    let files =
        folder(&[("other.patch", &GOLDEN.replace("bank/account.py", "zoo/unheard_of.py")), ("empty", "\n")]);
    let other = files.path().join("other.patch").to_str().unwrap().to_owned();
    let empty = files.path().join("empty").to_str().unwrap().to_owned();
    let check = |words: &[&str], code: i32, part: &str| {
        let words: Vec<&str> = [dir].iter().chain(words).copied().collect();
        let found = localize(&words);
        assert_eq!(found.code, code, "{words:?}: {found:?}");
        assert!(found.stderr.contains(part), "{words:?}: {found:?}");
    };
    check(&["--formula", "best"], 2, "ochiai, dstar, tarantula or barinel");
    check(&["--truth", "/nowhere/golden.patch"], 2, "a unified diff, or a list");
    check(&["--truth", &empty], 2, "names no line");
    check(&["--truth", &other], 2, "relative to the root of the project");
    check(&["--model", "human"], 2, "unexpected argument '--model'");
    check(&["--failing", "test_nothing"], 3, "there is no test `test_nothing`");
    write(
        &project.path().join("bank/account.py"),
        std::fs::read_to_string(project.path().join("bank/account.py"))
            .unwrap()
            .replace(">=", ">")
            .as_bytes(),
    );
    check(&[], 1, "nothing to locate");
}

#[test]
fn a_session_asks_the_tests_unless_it_is_told_otherwise() {
    let project = project();
    let ask = || call("run_fault_localization", json!({}));
    let model = Model::saying(&[ask()]);
    model.repair(project.path(), &["--cycles", "1"]);
    let recorded = events(project.path());
    let observation = named(&recorded, "observation")[0];
    let text = observation["text"].as_str().unwrap();
    assert!(text.starts_with("Suspicious lines, by which tests execute them"), "{text}");
    assert!(text.contains("2. bank/account.py:6 (0."), "{text}");
    assert!(text.contains("- Account.withdraw in bank/account.py:5-9"), "{text}");
    assert!(text.contains("\n8:         self.balance -= amount\n"), "{text}");
    let lines = &observation["data"]["lines"];
    assert_eq!(lines[0]["path"], "bank/account.py");
    assert_eq!((&lines[1]["line"], &lines[1]["omission"]), (&json!(6), &json!(false)));
    assert!(lines[0]["suspiciousness"].as_f64().unwrap() > lines[1]["suspiciousness"].as_f64().unwrap());
    assert_eq!(named(&recorded, "session_started")[0]["bug"]["spectrum"], true);

    let observed = |words: &[&str]| {
        let project = self::project();
        let model = Model::saying(&[ask()]);
        let words: Vec<&str> = ["--cycles", "1"].iter().chain(words).copied().collect();
        model.repair(project.path(), &words);
        let recorded = events(project.path());
        let observation = named(&recorded, "observation")[0];
        (observation["text"].as_str().unwrap().to_owned(), observation.clone())
    };
    let (text, refused) = observed(&["--localization", "none"]);
    assert!(text.starts_with("No fault localisation was given for this bug."), "{text}");
    assert_eq!(refused["outcome"], json!({ "kind": "refused" }));
    let files = folder(&[("golden.patch", GOLDEN)]);
    let perfect = format!("perfect:{}", files.path().join("golden.patch").display());
    let (text, found) = observed(&["--localization", &perfect]);
    assert!(text.contains("6:         if amount >= self.balance:"), "{text}");
    let line = json!({"path": "bank/account.py", "line": 6, "suspiciousness": 1.0, "omission": false});
    assert_eq!(found["data"]["lines"], json!([line]));
}

#[test]
fn the_ranking_shown_to_a_model_has_the_same_bytes_each_time() {
    let text = || {
        let project = project();
        let model = Model::saying(&[call("run_fault_localization", json!({}))]);
        model.repair(project.path(), &["--cycles", "1"]);
        named(&events(project.path()), "observation")[0]["text"].clone()
    };
    assert_eq!(text(), text());
}
