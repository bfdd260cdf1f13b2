//! What a project or a service can make long: how far it is followed, and that whoever waits for it can stop it.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::kit::{Model, call, events, folder, named, pause, program, project, run, write};
use crate::scripted::Step;

/// How long a program may take to hear of a signal on a machine that is busy with other things.
const WATCHDOG: Duration = Duration::from_mins(2);

/// A project whose code takes many times as long to be read as [`WATCHDOG`] waits.
fn endless_project() -> tempfile::TempDir {
    let project = project();
    let first = project.path().join("generated/part0.py");
    write(&first, format!("total = 0{}\n", " + term(1, 2)".repeat(100_000)).as_bytes());
    for part in 1..120 {
        // One file under many names: it is the reading that takes long.
        let name = format!("part{part}.py");
        std::fs::hard_link(&first, first.with_file_name(name)).unwrap();
    }
    project
}

/// A session whose only call looks through the whole project, once its tests have run.
fn searching(model: &Model, project: &Path, lanes: &Path, words: &[&str]) -> Child {
    let child = program()
        .args(model.words(project, words))
        .env("PATCHWRIGHT_LANES", lanes)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    // From then on it reads code: for the first prompt, or for the search.
    while !is_written(project, "baseline") {
        assert!(began.elapsed() < WATCHDOG, "the tests before any change never ended");
        pause();
    }
    child
}

/// Whether the only session of a project has written such an event.
fn is_written(project: &Path, event: &str) -> bool {
    let sessions = std::fs::read_dir(project.join(".patchwright/sessions"));
    let session = sessions.ok().and_then(|mut sessions| sessions.next()?.ok());
    let text =
        session.and_then(|session| std::fs::read_to_string(session.path().join("trajectory.jsonl")).ok());
    text.is_some_and(|text| text.contains(&format!("\"event\":\"{event}\"")))
}

/// The output of a program that ends by itself.
fn ended(mut child: Child) -> Output {
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > WATCHDOG {
            child.kill().unwrap();
            panic!("it went on: {:?}", child.wait_with_output().unwrap());
        }
        pause();
    }
    child.wait_with_output().unwrap()
}

fn search() -> Model {
    let search = call("search_code_base", json!({"key_words": ["term"]}));
    Model::of(vec![Step::Answer { text: search }, Step::Stall])
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_signal_ends_a_session_that_reads_a_huge_project() {
    // A scheduler tells a program by several ways at once.
    for (signal, times) in [("INT", 1), ("TERM", 2)] {
        let (project, lanes, model) = (endless_project(), folder(&[]), search());
        let child = searching(&model, project.path(), lanes.path(), &[]);
        let line = format!("for i in $(seq {times}); do kill -{signal} {}; done", child.id());
        assert!(std::process::Command::new("sh").args(["-c", &line]).status().unwrap().success());
        let output = ended(child);
        assert_eq!(output.status.code(), Some(130), "{signal}: {output:?}");
        let events = events(project.path());
        assert!(named(&events, "observation").is_empty(), "{signal}: the search was not over");
        assert_eq!(named(&events, "session_ended")[0]["status"], "cancelled", "{signal}");
        assert_eq!(lanes.path().read_dir().unwrap().count(), 0, "{signal}: no lane is left");
    }
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn the_time_limit_ends_a_session_that_reads_a_huge_project() {
    let (project, lanes, model) = (endless_project(), folder(&[]), search());
    let output = ended(searching(&model, project.path(), lanes.path(), &["--time-limit", "20s"]));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let events = events(project.path());
    assert!(named(&events, "observation").is_empty(), "the search was not over");
    assert_eq!(named(&events, "session_ended")[0]["status"], "budget");
    assert_eq!(lanes.path().read_dir().unwrap().count(), 0, "no lane is left");
}

#[test]
fn a_reply_is_taken_up_to_a_length_whatever_it_is_made_of() {
    let one = call("read_range", json!({"file_path": "bank/account.py", "start_line": 1, "end_line": 2}));
    for times in [1, 10] {
        let calls = format!("{one}\n").repeat(10_000 * times);
        let name = call(&"n".repeat(500_000 * times), json!({}));
        let terms = call(
            "find_similar_api_calls",
            json!({"code_snippet": format!("x = 1{}", " + f(1)".repeat(100_000 * times))}),
        );
        let (project, model) = (project(), Model::saying(&[calls, name, terms]));
        let run = model.repair(project.path(), &["--cycles", "3"]);
        assert_eq!(run.json()["cycles"], 3, "{times}: {}", run.stderr);
        let events = events(project.path());
        assert_eq!(named(&events, "reply").len(), 3, "{times}");
        assert!(named(&events, "reply").iter().all(|reply| reply["text"].as_str().unwrap().len() <= 1 << 20));
        for request in model.requests() {
            assert!(request.to_string().len() < 200_000, "{times}: the next prompt does not repeat it");
        }
    }
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_long_trajectory_is_viewed_and_one_that_is_too_long_is_refused_to_be_replayed() {
    let place = folder(&[]);
    let file = place.path().join("trajectory.jsonl");
    let mut text = String::from(
        r#"{"seq":0,"ms":0,"event":"session_started","format":"patchwright-trajectory","version":1,"session":"s","time":"","bug":null,"settings":null,"mode":"agent","driver":"none"}"#,
    );
    let letters = "x".repeat(14 << 20);
    let spaces = " ".repeat(letters.len());
    for seq in 1..=20 {
        // One text is shown at its length. The others are long in what takes no time to show.
        let (told, more) = if seq == 1 { (letters.as_str(), "") } else { ("short", spaces.as_str()) };
        text.push_str(&format!(
            "\n{{\"seq\":{seq},\"ms\":1,\"event\":\"notice\",\"level\":\"info\",\"text\":\"{told}\"{more}}}"
        ));
    }
    write(&file, format!("{text}\n").as_bytes());
    let name = file.to_str().unwrap();
    let viewed = run(&["replay", "view", name]);
    assert_eq!(viewed.code, 0, "{}", viewed.stderr);
    assert!(viewed.stdout.len() > letters.len());
    assert_eq!(viewed.stdout.matches("short").count(), 19);
    let checked = run(&["replay", "check", name]);
    assert_eq!(checked.code, 2, "{checked:?}");
    assert!(checked.stderr.contains(" 268435456 "), "{checked:?}");
}

#[test]
fn a_file_that_the_user_names_has_a_bound_and_the_error_names_both() {
    let project = project();
    let project = project.path().to_str().unwrap();
    for times in [1, 10] {
        let long = folder(&[
            ("keys", ""),
            ("prices.toml", ""),
            ("pr/task.md", ""),
            ("states.toml", ""),
            ("issue.md", ""),
        ]);
        for entry in ["keys", "prices.toml", "pr/task.md", "issue.md"] {
            write(&long.path().join(entry), &vec![b'#'; times * (1 << 20) + 1]);
        }
        let place = |name: &str| long.path().join(name).to_str().unwrap().to_owned();
        std::fs::set_permissions(place("keys"), std::fs::Permissions::from_mode(0o600)).unwrap();
        for (option, name, file) in [
            ("--key-file", "keys", "keys"),
            ("--prices", "prices.toml", "prices.toml"),
            ("--prompts", "pr", "task.md"),
            ("--issue", "issue.md", "issue.md"),
        ] {
            let refused = run(&["repair", project, "--model", "openai/m", option, &place(name)]);
            assert!([2, 4].contains(&refused.code), "{option}: {refused:?}");
            assert!(refused.stderr.contains(file) && refused.stderr.contains(" 1048576 "), "{refused:?}");
        }
    }
}
