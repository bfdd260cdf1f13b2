//! Snippets, commands and the history of lines in a session: what the model sees of them.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::kit::{
    Model, call, events, goal, good_fix, hypothesis, named, project, prompt_text, snapshot, write,
};

/// A call that runs a shell command.
fn command(line: &str) -> String {
    call("run_code", json!({ "command": line }))
}

fn git(folder: &Path, words: &[&str]) {
    let mut git = Command::new("git");
    for role in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{role}_NAME"), "Ann").env(format!("GIT_{role}_EMAIL"), "ann@example.org");
        git.env(format!("GIT_{role}_DATE"), "2024-03-01T12:00:00Z");
    }
    let done = git.args(words).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{words:?}: {done:?}");
}

/// The observations of a session, as they were shown in the prompts that followed.
fn shown(model: &Model, events: &[Value], tool: &str) -> Vec<String> {
    let prompts: Vec<String> = model.requests().iter().map(prompt_text).collect();
    let observations = named(events, "observation").into_iter().filter(|event| event["tool"] == tool);
    observations
        .map(|event| {
            let text = event["text"].as_str().unwrap().to_owned();
            let next = &prompts[event["cycle"].as_u64().unwrap() as usize];
            let last = text.trim_end().lines().last().unwrap();
            assert!(next.contains(last), "{last} is not in the next prompt:\n{next}");
            text
        })
        .collect()
}

#[test]
fn a_model_sees_what_its_snippets_print_and_they_leave_nothing() {
    let project = project();
    write(&project.path().join("issue.md"), b"nothing");
    let before = snapshot(project.path());
    let snippet = "from bank.account import Account\ntry:\n    print('left:', Account(100).withdraw(100))\nexcept ValueError as error:\n    print('refused:', error)\n";
    let model = Model::saying(&[
        hypothesis(),
        call("run_code", json!({ "code": snippet })),
        command("echo new > new.txt; rm -rf bank issue.md; ls"),
        command("cat issue.md; ls; cat new.txt"),
        good_fix(),
        call("run_code", json!({ "code": snippet, "candidate": 1 })),
        goal(),
    ]);
    let run = model.repair(project.path(), &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let events = events(project.path());
    let seen = shown(&model, &events, "run_code");
    let on = |code: &str, status: i32, output: &str| {
        format!("{code} ended with status {status}; its output:\n{output}\n")
    };
    assert_eq!(seen[0], on("The snippet on the original code", 0, "refused: not enough"));
    assert_eq!(seen[1], on("The command on the original code", 0, "new.txt\ntests"));
    assert!(
        seen[2].contains("nothingbank\nissue.md\ntests\n") && seen[2].contains("status 1"),
        "{}",
        seen[2]
    );
    assert_eq!(seen[3], on("The snippet with candidate 1 applied", 0, "left: 0"));
    assert_eq!(snapshot(project.path()), before, "the project is not touched");
    let trajectory = run.json()["trajectory"].as_str().unwrap().to_owned();
    let replay = crate::kit::run(&["replay", "check", &trajectory]);
    assert_eq!(replay.code, 0, "{replay:?}");
}

#[test]
fn a_model_sees_who_changed_the_lines_and_nothing_that_came_later() {
    let project = project();
    let account = project.path().join("bank/account.py");
    let now = std::fs::read_to_string(&account).unwrap();
    git(project.path(), &["init", "-q", "-b", "main"]);
    std::fs::write(&account, now.replace("amount >= self", "amount > self")).unwrap();
    git(project.path(), &["add", "."]);
    git(project.path(), &["commit", "-q", "-m", "Accounts"]);
    std::fs::write(&account, &now).unwrap();
    git(project.path(), &["commit", "-q", "-a", "-m", "Keep a little in every account"]);
    git(project.path(), &["checkout", "-q", "-b", "later"]);
    std::fs::write(&account, now.replace("amount >= self", "amount > self")).unwrap();
    git(project.path(), &["commit", "-q", "-a", "-m", "Repair withdraw"]);
    git(project.path(), &["checkout", "-q", "main"]);
    let lines = json!({ "file_path": "bank/account.py", "start_line": 5, "end_line": 6 });
    let model = Model::saying(&[hypothesis(), call("history", lines), good_fix(), goal()]);
    let run = model.repair(project.path(), &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let seen = shown(&model, &events(project.path()), "history").remove(0);
    for part in [
        ", 2024-03-01, Ann: Keep a little in every account\n6:         if amount >= self.balance:\n",
        "\n-        if amount > self.balance:\n+        if amount >= self.balance:\n",
        ", 2024-03-01, Ann: Accounts\n5:     def withdraw(self, amount):\nThe commit added the file.\n",
    ] {
        assert!(seen.contains(part), "{part} is missing in\n{seen}");
    }
    assert!(!seen.contains("Repair") && !seen.contains("example.org"), "{seen}");
    // The code that the failure leads to comes with its history.
    let first = prompt_text(&model.requests()[0]);
    assert!(!first.contains("Repair withdraw"), "{first}");
    let parts: Vec<&str> = first.split("\n\n").collect();
    let place = parts.iter().position(|part| part.contains("Keep a little in every account")).unwrap();
    insta::assert_snapshot!("history", parts[place - 1..=place].join("\n\n"));
    let trajectory = run.json()["trajectory"].as_str().unwrap().to_owned();
    let replay = crate::kit::run(&["replay", "check", &trajectory]);
    assert_eq!(replay.code, 0, "{replay:?}");
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn snippets_in_java_are_compiled_with_the_classes_of_the_project() {
    if Command::new("javac").arg("-version").output().is_err() {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "there is no JDK");
        println!("skipped: there is no JDK");
        return;
    }
    let sample = crate::kit::root().join("samples/java");
    let sample =
        sample.read_dir().unwrap().flatten().map(|entry| entry.path()).find(|path| path.is_dir()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in snapshot(&sample) {
        write(&folder.path().join(path), &bytes);
    }
    let snippet = "class Main { public static void main(String[] args) throws Exception {\n  System.out.println(Class.forName(args.length == 0 ? \"org.junit.Test\" : \"\").getSimpleName()); } }";
    let model = Model::saying(&[
        hypothesis(),
        call("run_code", json!({ "code": snippet })),
        call(
            "run_code",
            json!({ "code": "class Main { public static void main(String[] args) { int x = \"\"; } }" }),
        ),
        call("run_code", json!({ "code": "System.out.println(1);" })),
    ]);
    model.repair(folder.path(), &["--cycles", "4"]);
    let events = events(folder.path());
    let texts: Vec<&str> =
        named(&events, "observation").iter().map(|event| event["text"].as_str().unwrap()).collect();
    assert_eq!(texts[1], "The snippet on the original code ended with status 0; its output:\nTest\n");
    // What follows is of the compiler.
    let (error, _) = texts[2].split_once("error: incompatible types").unwrap();
    insta::assert_snapshot!("snippets_in_java", [error, texts[3]].join("\n"));
}
