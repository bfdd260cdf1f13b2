//! Sessions that end before their end: Ctrl-C, kill, time.

use std::io::Write;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::scripted::Step;
use serde_json::Value;

use crate::kit::{Model, events, folder, hypothesis, named, pause, program, project, run, without_place};

/// Starts `repair` with a model that never answers its second question, and waits until it was asked.
fn stalled(model: &Model, project: &std::path::Path, lanes: &std::path::Path) -> Child {
    let child = program()
        .args(model.words(project, &[]))
        .env("PATCHWRIGHT_LANES", lanes)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    asked_twice(model);
    child
}

fn asked_twice(model: &Model) {
    let started = Instant::now();
    while model.requests().len() < 2 {
        assert!(started.elapsed() < Duration::from_mins(2), "the second question never came");
        pause();
    }
}

fn stalling() -> Model {
    Model::of(vec![Step::Answer { text: hypothesis() }, Step::Stall])
}

fn signal(child: &Child, name: &str) {
    let status = std::process::Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
fn ctrl_c_closes_the_trajectory_and_leaves_no_lane() {
    let (project, lanes, model) = (project(), folder(&[]), stalling());
    let child = stalled(&model, project.path(), lanes.path());
    assert_eq!(lanes.path().read_dir().unwrap().count(), 1, "there is a lane while it works");
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["status"], "cancelled");
    assert_eq!(named(&events(project.path()), "session_ended")[0]["status"], "cancelled");
    assert_eq!(lanes.path().read_dir().unwrap().count(), 0, "no lane is left");
}

/// With `-i` the first Ctrl-C stops what is running and asks.
#[test]
fn ctrl_c_pauses_where_a_person_looks_at_each_command() {
    let (project, lanes, model) = (project(), folder(&[]), stalling());
    let mut child = program()
        .args(model.words(project.path(), &["-i"]))
        .env("PATCHWRIGHT_LANES", lanes.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut typed = child.stdin.take().unwrap();
    typed.write_all(b"run\n").unwrap();
    asked_twice(&model);
    signal(&child, "INT");
    typed.write_all(b"quit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("paused: [g]o on"), "{said}");
    assert_eq!(output.status.code(), Some(130), "{said}");
    let events = events(project.path());
    assert_eq!(named(&events, "intervention").last().unwrap()["kind"], "quit");
    assert_eq!(lanes.path().read_dir().unwrap().count(), 0, "no lane is left");
}

#[test]
fn a_killed_session_leaves_a_readable_trajectory_and_its_lanes_are_swept() {
    let (project, lanes, model) = (project(), folder(&[]), stalling());
    let child = stalled(&model, project.path(), lanes.path());
    signal(&child, "KILL");
    child.wait_with_output().unwrap();
    let events = events(project.path());
    assert_eq!(named(&events, "hypothesis").len(), 1);
    assert!(named(&events, "session_ended").is_empty());
    let sessions = project.path().join(".patchwright/sessions");
    let file = sessions.read_dir().unwrap().next().unwrap().unwrap().path().join("trajectory.jsonl");
    let view = run(&["replay", "view", file.to_str().unwrap()]);
    assert_eq!(view.code, 0, "{view:?}");
    insta::assert_snapshot!("killed_session", without_place(&view.stderr, file.parent().unwrap()));
    assert_eq!(lanes.path().read_dir().unwrap().count(), 1, "a killed session cannot clean up");
    let doctor =
        program().args(["doctor", "--clean"]).env("PATCHWRIGHT_LANES", lanes.path()).output().unwrap();
    assert!(String::from_utf8_lossy(&doctor.stdout).contains("removed"), "{doctor:?}");
    assert_eq!(lanes.path().read_dir().unwrap().count(), 0);
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn the_time_limit_ends_a_session_that_waits() {
    let (project, model) = (project(), stalling());
    let started = Instant::now();
    let run = model.repair(project.path(), &["--time-limit", "10s"]);
    assert_eq!(run.code, 1, "{run:?}");
    let result = run.json();
    assert_eq!(result["status"], "budget");
    assert!(started.elapsed() < Duration::from_secs(100), "it did not wait for the model");
    // What was waited for when it ended is booked too.
    let seconds = |name: &str| result["seconds"][name].as_f64().unwrap();
    let booked: f64 = ["model", "planning", "tests", "tools"].map(seconds).iter().sum();
    // A machine with much else to do may not come to the first question.
    let was_asked = !named(&events(project.path()), "prompt").is_empty();
    assert!((seconds("model") > 0.0) == was_asked && booked <= seconds("total") + 0.1, "{result}");
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn the_time_limit_holds_for_the_tests_before_any_change() {
    let project = folder(&[
        ("shop.py", "RATE = 3\n"),
        (
            "test_shop.py",
            "import threading, unittest\n\nclass ShopTest(unittest.TestCase):\n    def test_a(self):\n        pass\n    \
             def test_b(self):\n        threading.Event().wait()\n",
        ),
    ]);
    let model = stalling();
    let run = model.repair(project.path(), &["--time-limit", "10s"]);
    assert_eq!(run.code, 1, "{run:?}");
    let result = run.json();
    assert_eq!((&result["status"], &result["cycles"]), (&"budget".into(), &0.into()));
    let reason = result["reason"].as_str().unwrap();
    // On a machine that is too busy for the run to be read, the step is told that was under way.
    let whole = ["1 test had come through", "`test_shop.ShopTest.test_b` was running"];
    let told = whole.iter().all(|words| reason.contains(words))
        || reason.contains("while running the tests before any change");
    assert!(reason.contains("the time limit of 10 s") && told, "{reason}");
    assert!(result["seconds"]["tests"].as_f64().unwrap() > 1.0, "{result}");
    assert!(result["seconds"]["total"].as_f64().unwrap() < 60.0, "{result}");
}
