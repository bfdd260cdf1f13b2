//! What a project may do to its user beside its tests: by its settings file, by links in folders that are written to, by what is shown
//! on a terminal, and by files that other tools obey.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::kit::{
    Model, Run, call, folder, good_fix, hypothesis, program, project, prompt_text, run, snapshot,
    without_place, write,
};

const PRIVATE: &str = "a word that nobody else knows";

/// A file of the user that no project may learn of.
fn private() -> tempfile::TempDir {
    folder(&[("issue.md", PRIVATE), ("task.md", PRIVATE)])
}

/// A session on [`project`] with this settings file and this link, and the prompts that it sent.
fn with_settings(settings: &str, link: Option<(&Path, &str)>) -> (Run, Vec<String>) {
    let project = project();
    write(&project.path().join("patchwright.toml"), settings.as_bytes());
    if let Some((target, name)) = link {
        let link = project.path().join(name);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(target, link).unwrap();
    }
    let model = Model::saying(&[hypothesis(), good_fix()]);
    let run = model.repair(project.path(), &["--cycles", "2"]);
    (run, model.requests().iter().map(prompt_text).collect())
}

#[test]
fn a_projects_settings_read_no_file_of_the_host() {
    let private = private();
    let issue = private.path().join("issue.md");
    for (settings, link) in [
        ("issue = \"bug\"", (issue.as_path(), "bug/issue.md")),
        ("issue = \"bug.md\"", (issue.as_path(), "bug.md")),
        ("issue = \"notes/issue.md\"", (private.path(), "notes")),
        ("issue = \"notes\"", (private.path(), "notes")),
        ("prompts = \"pr\"", (private.path(), "pr")),
        ("localization = \"perfect:known\"", (issue.as_path(), "known")),
        ("states = \"states.toml\"", (issue.as_path(), "states.toml")),
    ] {
        let (run, prompts) = with_settings(settings, Some(link));
        assert_eq!((run.code, prompts.len()), (2, 0), "{settings}: {run:?}");
        assert!(run.stderr.contains("patchwright.toml") && run.stderr.contains("hint: "), "{run:?}");
        assert!(!run.stderr.contains(PRIVATE), "{run:?}");
    }
}

#[test]
fn a_projects_issue_is_read_and_its_limits_only_tighten() {
    let project = project();
    write(&project.path().join("bug/issue.md"), b"withdrawing all of the balance is refused");
    let settings = "issue = \"bug\"\ncycles = 1\ntime-limit = \"3h\"\nlanes = 1\ntimeout = \"5h\"\n";
    write(&project.path().join("patchwright.toml"), settings.as_bytes());
    let model = Model::saying(&[hypothesis(), good_fix()]);
    let run = model.repair(project.path(), &[]);
    assert_eq!(run.json()["cycles"], 1, "{run:?}");
    assert!(model.last_prompt().contains("withdrawing all of the balance is refused"));
    assert!(run.stderr.contains("timeout = 18000s") && run.stderr.contains("600s stays"), "{run:?}");

    let model = Model::saying(&[hypothesis(), good_fix()]);
    let run = model.repair(project.path(), &["--cycles", "2", "--timeout", "20m"]);
    assert_eq!(run.json()["cycles"], 2, "the command line wins: {run:?}");
    assert!(!run.stderr.contains("stays"), "{run:?}");
}

#[test]
fn a_projects_test_command_shows_no_place_of_the_host() {
    let home = folder(&[(".m2-private/settings", PRIVATE)]);
    let shown = home.path().join(".m2-private");
    let project = folder(&[
        ("heat.py", "def warm(n):\n    return n - 1\n"),
        (
            "test_heat.py",
            &format!(
                "import unittest\n\nfrom heat import warm\n\n\nclass Heat(unittest.TestCase):\n    def test_one(self):\n        \
                 text = open({:?}).read()\n        self.fail('READ ' + text)\n",
                shown.join("settings").to_str().unwrap()
            ),
        ),
    ]);
    let command = format!("true -Dmaven.repo.local={} && python3 -m unittest -v", shown.display());
    let settings = format!("test = {command:?}\nresults = \"unittest\"\n");
    write(&project.path().join("patchwright.toml"), settings.as_bytes());
    let recorded = |words: &[&str]| {
        let out = tempfile::tempdir().unwrap();
        let mut program = program();
        program.args(["repair", project.path().to_str().unwrap(), "--cycles", "1", "--out"]).arg(out.path());
        let run: Run = program.args(words).env("HOME", home.path()).output().unwrap().into();
        let recorded = std::fs::read_to_string(out.path().join("trajectory.jsonl")).unwrap();
        assert!(recorded.contains("test_one"), "{run:?}");
        recorded
    };
    let read = format!("READ {PRIVATE}");
    assert!(!recorded(&[]).contains(&read));
    assert!(recorded(&["--test", &command]).contains(&read), "the user may show what they like");
}

#[test]
fn links_in_the_output_folder_are_replaced_and_never_followed() {
    let kept = folder(&[("result", "mine"), ("patch", "mine"), ("list", "mine\n")]);
    let project = project();
    let out = tempfile::tempdir().unwrap();
    symlink(kept.path().join("result"), out.path().join("result.json")).unwrap();
    symlink(kept.path().join("patch"), out.path().join("patch.diff")).unwrap();
    let model = Model::saying(&[hypothesis(), good_fix()]);
    let run = model.repair(project.path(), &["--cycles", "2", "--out", out.path().to_str().unwrap()]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(
        snapshot(kept.path()),
        snapshot(folder(&[("result", "mine"), ("patch", "mine"), ("list", "mine\n")]).path())
    );
    assert!(std::fs::read_to_string(out.path().join("result.json")).unwrap().contains("plausible"));
    assert!(
        std::fs::read_to_string(out.path().join("patch.diff")).unwrap().contains("+++ b/bank/account.py")
    );

    for name in [".patchwright-files", "trajectory.jsonl"] {
        let out = tempfile::tempdir().unwrap();
        symlink(kept.path().join("list"), out.path().join(name)).unwrap();
        let run = crate::kit::run(&[
            "repair",
            project.path().to_str().unwrap(),
            "--out",
            out.path().to_str().unwrap(),
        ]);
        assert!(run.code == 2 || run.code == 3, "{name}: {run:?}");
        assert_eq!(std::fs::read_to_string(kept.path().join("list")).unwrap(), "mine\n", "{name}");
    }
}

/// What the program writes when its output is a terminal.
fn on_a_terminal(words: &[&str]) -> String {
    let play = "import pty, sys\npty.spawn(sys.argv[1:])";
    let program = program();
    let mut terminal = Command::new("python3");
    terminal.args(["-c", play]).arg(program.get_program()).args(words);
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => terminal.env(name, value),
            None => terminal.env_remove(name),
        };
    }
    String::from_utf8(terminal.output().unwrap().stdout).unwrap()
}

#[test]
fn nothing_that_a_terminal_obeys_reaches_it() {
    let hostile = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}";
    let project = folder(&[("a.py", "x = 1\n")]);
    let edits = project.path().join("edits.txt");
    let block = format!("a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2  # {hostile}\n>>>>>>> REPLACE\n");
    write(&edits, block.as_bytes());
    let reply = project.path().join("reply.txt");
    write(&reply, format!("{{\"a\": \"{}\", 'b': 1}} {hostile}", "\u{202e}\u{9b}31m").as_bytes());
    let [dir, edits, reply] = [project.path(), &edits, &reply].map(|path| path.to_str().unwrap());
    for words in [
        ["apply", "--dry-run", edits, dir].as_slice(),
        &["apply", "--dry-run", "--json", edits, dir],
        &["reply", reply],
        &["reply", "--json", reply],
        &["-vv", "apply", "--dry-run", edits, dir],
    ] {
        let shown = on_a_terminal(words);
        assert!(!shown.trim().is_empty(), "{words:?}");
        for letter in ['\u{7}', '\u{202e}', '\u{9b}'] {
            assert!(!shown.contains(letter), "{words:?}: {shown:?}");
        }
        assert!(!shown.contains("\u{1b}]") && !shown.contains("\u{1b}[2J"), "{words:?}: {shown:?}");
    }
    // Data that goes elsewhere stays as it is.
    assert!(run(&["apply", "--dry-run", edits, dir]).stdout.contains(hostile));
}

/// A reply that makes a new file beside the fix of [`project`].
fn fix_with(path: &str) -> String {
    let fixed = json!({"file_path": "bank/account.py", "modifications": [{"line_number": 6, "modified_line": "        if amount > self.balance:"}]});
    let new = json!({"file_path": path, "content": "x = 1\n"});
    call("write_fix", json!({"edits": [fixed, new]}))
}

#[test]
fn a_fix_makes_no_file_that_tools_obey_unless_the_bug_is_about_it() {
    let paths = [
        ".envrc",
        "web/.envrc",
        ".vscode/tasks.json",
        ".husky/pre-commit",
        ".github/workflows/x.yml",
        ".gitmodules",
        "pytest.toml",
    ];
    let place = project();
    let replies = [vec![hypothesis()], paths.map(fix_with).to_vec(), vec![hypothesis()]].concat();
    let model = Model::saying(&replies);
    let run = model.repair(place.path(), &["--cycles", &replies.len().to_string()]);
    assert_eq!(run.code, 1, "{run:?}");
    let requests = model.requests();
    for (path, answered) in paths.iter().zip(&requests[2..]) {
        assert!(prompt_text(answered).contains(&format!("`{path}` may not be changed")), "{path}");
    }

    let project = project();
    write(&project.path().join("bug.md"), b"withdraw is off by one, and .envrc is missing");
    let issue = project.path().join("bug.md");
    let model = Model::saying(&[hypothesis(), fix_with(".envrc")]);
    let run = model.repair(project.path(), &["--cycles", "2", "--apply", "--issue", issue.to_str().unwrap()]);
    let result = run.json();
    assert_eq!(result["status"], "plausible", "{run:?}");
    let sign = result["patches"][0]["tampering"][0].as_str().unwrap();
    assert!(sign.starts_with(".envrc ") && run.stderr.contains(sign), "it is marked: {run:?}");
    assert!(!project.path().join(".envrc").exists(), "what is marked is not written: {run:?}");
}

/// Edits that change, create and delete so many files of a project.
fn many(files: usize) -> (tempfile::TempDir, String) {
    let project = tempfile::tempdir().unwrap();
    let mut edits = String::new();
    for number in 0..files {
        let name = format!("f{number}.txt");
        write(&project.path().join(&name), format!("old {number}\n").as_bytes());
        edits.push_str(&format!(
            "diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-old {number}\n+new {number}\n"
        ));
    }
    (project, edits)
}

#[test]
fn a_change_that_is_killed_in_the_middle_is_finished_by_the_next() {
    const FILES: usize = 1_000;
    let (project, edits) = many(FILES);
    let place = folder(&[("edits.diff", &edits)]);
    let edits = place.path().join("edits.diff");
    let words = ["apply", edits.to_str().unwrap(), project.path().to_str().unwrap()];
    let count = || {
        let files = snapshot(project.path());
        assert_eq!(
            files.len(),
            FILES,
            "nothing of ours beside them: {:?}",
            files.keys().take(3).collect::<Vec<_>>()
        );
        files.values().filter(|text| text.starts_with(b"new")).count()
    };
    let mut child = program().args(words).stdout(std::process::Stdio::null()).spawn().unwrap();
    // Until the first file is written; the rest takes longer than it takes to see that.
    let first = project.path().join("f0.txt");
    while std::fs::read(&first).unwrap().starts_with(b"old") && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let written = count();
    println!("killed after {written} of {FILES} files");
    if written < FILES {
        let refused = run(&["repair", project.path().to_str().unwrap(), "--test", "true"]);
        assert_eq!(refused.code, 3, "{refused:?}");
        insta::assert_snapshot!("interrupted_change", without_place(&refused.stderr, project.path()));
    }
    let again = run(&words);
    assert_eq!(count(), FILES, "{again:?}");
    assert!(written == FILES || again.code == 0, "{again:?}");
    assert!(!project.path().join(".patchwright").exists());
}
