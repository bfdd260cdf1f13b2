//! `patchwright apply`: edits in every format on a folder, all or none.

use std::path::Path;

use serde_json::{Value, json};

use crate::kit::{Run, changed, folder, run, run_with_input, snapshot, write};

const CALC: &str = "def add(a, b):\n    return a - b\n\n\ndef half(x):\n    return x / 3\n";
const FIXED: &str = "def add(a, b):\n    return a + b\n\n\ndef half(x):\n    return x / 3\n";

fn project() -> tempfile::TempDir {
    folder(&[
        ("calc.py", CALC),
        ("lib/Pair.java", "class Pair {\n    int left;\n}\n"),
        ("notes.txt", "one\ntwo\n"),
    ])
}

/// Applies edits from standard input.
fn apply(dir: &Path, edits: &str, words: &[&str]) -> Run {
    let mut all = vec!["apply", "-", dir.to_str().unwrap()];
    all.extend(words);
    run_with_input(&all, edits)
}

fn outcome(dir: &Path, edits: &str, words: &[&str]) -> (i32, Value) {
    let mut all = vec!["--json"];
    all.extend(words);
    let run = apply(dir, edits, &all);
    (run.code, run.json())
}

/// The same fix in each format.
fn formats() -> Vec<(&'static str, String)> {
    vec![
        ("json", r#"[{"file_path": "calc.py", "modifications": [{"line_number": 2, "modified_line": "    return a + b"}]}]"#.to_owned()),
        ("json", "Here it is:\n```json\n{'fixes': [{'file_name': 'calc.py', 'deletions': ['2'], 'insertions': [{'line_numbe': 2, 'new_lines': '    return a + b'}],}]}\n```\n".to_owned()),
        ("search-replace", "### calc.py\n```python\n<<<<<<< SEARCH\n    return a - b\n=======\n    return a + b\n>>>>>>> REPLACE\n```\n".to_owned()),
        ("diff", "--- a/calc.py\n+++ b/calc.py\n@@ -1,3 +1,3 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n \n".to_owned()),
        ("function", "calc.py\n```python\ndef add(a, b):\n    return a + b\n```\n".to_owned()),
        ("swt", "```custom-diff\ndiff\ncalc.py\nrewrite\n1\ndef add(a, b):\n    return a + b\nend diff\n```\n".to_owned()),
        ("string-replace", r#"{"command": "str_replace", "path": "calc.py", "old_str": "a - b", "new_str": "a + b"}"#.to_owned()),
    ]
}

#[test]
fn every_format_makes_the_same_change() {
    for (format, edits) in formats() {
        for words in [&[][..], &["--format", format]] {
            let project = project();
            let (code, outcome) = outcome(project.path(), &edits, words);
            assert_eq!(code, 0, "{format}: {outcome}");
            assert_eq!(outcome["status"], "applied", "{format}: {outcome}");
            assert_eq!(outcome["format"], *format, "{outcome}");
            assert_eq!(outcome["edits"][0]["file"], "calc.py");
            assert_eq!(outcome["edits"][0]["status"], "exact", "{outcome}");
            let diff = changed(outcome["diff"].as_str().unwrap());
            assert_eq!(diff, ["-    return a - b", "+    return a + b"], "{outcome}");
            assert_eq!(std::fs::read_to_string(project.path().join("calc.py")).unwrap(), FIXED, "{format}");
        }
    }
}

#[test]
fn the_diff_is_printed_and_a_dry_run_changes_nothing() {
    let project = project();
    let before = snapshot(project.path());
    let edits = folder(&[("edits.txt", &formats()[2].1)]);
    let file = edits.path().join("edits.txt");
    let words = ["apply", file.to_str().unwrap(), project.path().to_str().unwrap(), "--dry-run"];
    let dry = run(&words);
    assert_eq!((dry.code, snapshot(project.path())), (0, before), "{dry:?}");
    assert!(dry.stdout.starts_with("diff --git a/calc.py b/calc.py\n"), "{dry:?}");
    assert!(dry.stderr.contains("calc.py: exact"), "{dry:?}");
    let done = run(&words[..3]);
    assert_eq!((done.code, &done.stdout), (0, &dry.stdout));
    let again = run(&words[..3]);
    assert_eq!((again.code, again.stdout.as_str()), (1, ""), "{again:?}");
    assert!(again.stderr.contains("already"), "{again:?}");
}

#[test]
fn all_or_none() {
    let project = project();
    let before = snapshot(project.path());
    let edits = json!([
        { "file_path": "calc.py", "replacements": [{ "search": "a - b", "replace": "a + b" }] },
        { "file_path": "notes.txt", "replacements": [{ "search": "three", "replace": "3" }] },
        { "file_path": "new.txt", "content": "new\n" },
    ]);
    let (code, outcome) = outcome(project.path(), &edits.to_string(), &[]);
    assert_eq!(
        (code, &outcome["status"], &outcome["diff"]),
        (1, &json!("refused"), &Value::Null),
        "{outcome}"
    );
    let statuses: Vec<&str> =
        outcome["edits"].as_array().unwrap().iter().map(|edit| edit["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["exact", "not_found", "exact"], "{outcome}");
    insta::assert_snapshot!("all_or_none", outcome["error"].as_str().unwrap());
    assert_eq!(snapshot(project.path()), before);
}

#[test]
fn what_is_refused_says_why() {
    let replaced =
        |old: &str, new: &str| format!("calc.py\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n");
    for (edits, status) in [
        (replaced("    return a * b", "    return a + b"), "not_found"),
        (replaced("    return a - b", "    return a - b"), "no_change"),
        (replaced("    return a - b", "    return (a - b"), "syntax_error"),
        (replaced("", "x = 1"), "ambiguous"),
        (r#"{"path": "calc.py", "old_str": "return", "new_str": "yield"}"#.to_owned(), "ambiguous"),
        (r#"{"path": "../calc.py", "old_str": "return", "new_str": "yield"}"#.to_owned(), "not_allowed"),
        (r#"{"path": "/etc/passwd", "old_str": "root", "new_str": "toor"}"#.to_owned(), "not_allowed"),
        (r#"{"path": ".git/config", "content": "x"}"#.to_owned(), "not_allowed"),
        (r#"{"path": "none.py", "old_str": "return", "new_str": "yield"}"#.to_owned(), "not_found"),
    ] {
        let project = project();
        let before = snapshot(project.path());
        let (code, outcome) = outcome(project.path(), &edits, &[]);
        assert_eq!((code, &outcome["status"]), (1, &json!("refused")), "{edits}: {outcome}");
        assert_eq!(outcome["edits"][0]["status"], status, "{edits}: {outcome}");
        assert!(outcome["edits"][0]["note"].is_string() || status == "no_change", "{outcome}");
        assert_eq!(snapshot(project.path()), before, "{edits}");
    }
}

#[test]
fn edits_that_were_cut_off_are_not_applied() {
    for edits in [
        r#"[{"file_path": "calc.py", "modifications": [{"line_number": 2, "modified_line": "    return a +"#,
        "calc.py\n<<<<<<< SEARCH\n    return a - b\n=======\n    return a +",
        "diff\ncalc.py\nrewrite\n1\ndef add(a, b):\n    return",
        "--- a/calc.py\n+++ b/calc.py\n@@ -1,3 +1,3 @@\n def add(a, b):\n-    return a - b\n",
    ] {
        let project = project();
        let (code, outcome) = outcome(project.path(), edits, &[]);
        assert_eq!((code, &outcome["status"]), (1, &json!("refused")), "{edits}: {outcome}");
        assert!(!outcome["error"].as_str().unwrap().is_empty(), "{outcome}");
        assert_eq!(std::fs::read_to_string(project.path().join("calc.py")).unwrap(), CALC);
    }
}

#[test]
fn of_many_changes_the_first_are_told_and_those_that_do_not_fit() {
    let numbers: Vec<String> = (0..300).map(|number| format!("a{number} = 1\n")).collect();
    let project = folder(&[("numbers.py", &numbers.concat())]);
    let change =
        |number: usize| json!({ "search": format!("a{number} = 1"), "replace": format!("a{number} = 2") });
    let edits = |last: usize| {
        let changes: Vec<Value> = (0..last).map(change).collect();
        json!([{ "file_path": "numbers.py", "replacements": changes }]).to_string()
    };
    let lines = |run: &Run| -> (usize, String) {
        let (each, others): (Vec<&str>, Vec<&str>) =
            run.stderr.lines().partition(|line| line.starts_with("numbers.py: "));
        (each.len(), others.join("\n"))
    };
    let refused = apply(project.path(), &edits(350), &[]);
    let (told, others) = lines(&refused);
    assert_eq!((refused.code, told), (1, 20), "{refused:?}");
    assert!(refused.stderr.starts_with("numbers.py: not found"), "{refused:?}");
    let applied = apply(project.path(), &edits(300), &[]);
    let (told, none_of_them) = lines(&applied);
    assert_eq!((applied.code, told), (0, 20), "{applied:?}");
    insta::assert_snapshot!("many_changes", [others, none_of_them].join("\n---\n"));
    let again = apply(project.path(), &edits(300), &[]);
    assert!(again.code == 1 && again.stderr.len() < 5_000, "{again:?}");
}

#[test]
fn bytes_that_no_edit_touches_stay() {
    let project = folder(&[]);
    let before = b"\xef\xbb\xbfdef add(a, b):\r\n\treturn a - b  \r\n# caf\xc3\xa9\n\nx = 1";
    write(&project.path().join("a.py"), before);
    write(&project.path().join("b.py"), b"# caf\xe9\nx = 1\n");
    let edits = "a.py\n<<<<<<< SEARCH\n\treturn a - b\n=======\n\treturn a + b\n>>>>>>> REPLACE\n\
                 b.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 'ü'\n>>>>>>> REPLACE\n";
    let (code, outcome) = outcome(project.path(), edits, &[]);
    assert_eq!(code, 0, "{outcome}");
    let bytes = |name: &str| std::fs::read(project.path().join(name)).unwrap();
    assert_eq!(bytes("a.py"), b"\xef\xbb\xbfdef add(a, b):\r\n\treturn a + b\r\n# caf\xc3\xa9\n\nx = 1");
    assert_eq!(bytes("b.py"), b"# caf\xe9\nx = '\xfc'\n");
    assert_eq!(outcome["edits"][0]["status"], "whitespace");
    let strange = "b.py\n<<<<<<< SEARCH\nx = 'ü'\n=======\nx = '€'\n>>>>>>> REPLACE\n";
    assert_eq!(apply(project.path(), strange, &[]).code, 1);
}

#[test]
fn tests_and_build_files_of_a_bug_are_protected() {
    let edits = "tests/test_calc.py\n<<<<<<< SEARCH\nassert True\n=======\nassert 1\n>>>>>>> REPLACE\n";
    let project =
        folder(&[("calc.py", CALC), ("tests/test_calc.py", "assert True\n"), ("setup.py", "x = 1\n")]);
    let (_, open) = outcome(project.path(), edits, &["--dry-run"]);
    assert_eq!(open["status"], "applied", "{open}");
    write(&project.path().join("patchwright.toml"), b"");
    let (code, closed) = outcome(project.path(), edits, &[]);
    assert_eq!((code, &closed["edits"][0]["status"]), (1, &json!("not_allowed")), "{closed}");
    let new = json!({ "file_path": "conftest.py", "content": "x = 1\n" }).to_string();
    assert_eq!(outcome(project.path(), &new, &[]).1["edits"][0]["status"], "not_allowed");
    assert_eq!(outcome(project.path(), edits, &["--protect", "never"]).0, 0);
}

#[test]
fn wrong_usage_is_said_with_its_cure() {
    let project = project();
    let dir = project.path().to_str().unwrap();
    let gone = run(&["apply", "/nonexistent/edits", dir]);
    assert_eq!(gone.code, 2, "{gone:?}");
    assert!(gone.stderr.contains("/nonexistent/edits"), "{gone:?}");
    assert_eq!(run_with_input(&["apply", "-", "/nonexistent"], "x").code, 2);
    assert_eq!(apply(project.path(), "x", &["--format", "runes"]).code, 2);
    let prose = apply(project.path(), "I would change the sign.", &[]);
    assert_eq!(prose.code, 1, "{prose:?}");
    assert!(prose.stderr.contains("no edits"), "{prose:?}");
}

#[test]
fn a_file_that_tools_obey_by_themselves_is_told() {
    let project = folder(&[("calc.py", CALC), (".vscode/tasks.json", "{}\n"), (".npmrc", "a=b\n")]);
    let edits = json!([
        { "file_path": ".envrc", "content": "true\n" },
        { "file_path": ".github/workflows/new.yml", "content": "on: push\n" },
        { "file_path": ".vscode/tasks.json", "modifications": [{ "line_number": 1, "modified_line": "[]" }] },
        { "file_path": "calc.py", "modifications": [{ "line_number": 2, "modified_line": "    return a + b" }] },
    ])
    .to_string();
    for words in [&["--dry-run"][..], &["--dry-run", "--json"], &[]] {
        let run = apply(project.path(), &edits, words);
        assert_eq!(run.code, 0, "{run:?}");
        let told: Vec<&str> = run.stderr.lines().filter(|line| line.contains("warning: ")).collect();
        let expect = [
            ("a shell", ".envrc"),
            ("service", ".github/workflows/new.yml"),
            ("an editor", ".vscode/tasks.json"),
        ];
        assert_eq!(told.len(), expect.len(), "{run:?}");
        for (line, (who, file)) in told.iter().zip(expect) {
            assert!(line.contains(who) && line.contains(&format!("obeys `{file}` without")), "{line}");
        }
    }
    assert!(project.path().join(".envrc").is_file());
    let plain = folder(&[("calc.py", CALC)]);
    assert!(!apply(plain.path(), &formats()[2].1, &[]).stderr.contains("warning"));
}
