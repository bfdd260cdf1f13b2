//! The samples: what the README promises of them, and replays that are compared.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::kit::{program, root, run, snapshot, there};

/// All samples, as `language/name`, with the program that their tests need.
const SAMPLES: [(&str, &str); 4] = [
    ("python/almanac", "python3 --version"),
    ("python/billfold", "python3 -c 'import pytest'"),
    ("java/tramline", "javac -version && test -e /usr/share/java/junit4.jar"),
    ("java/leasehold", "javac -version && test -e /usr/share/java/junit4.jar"),
];

/// The recordings of each sample: of the loop, and of the fixed pipeline.
const RECORDINGS: [&str; 2] = ["trajectory.jsonl", "agentless.jsonl"];

/// The samples whose tool chain is here.
fn samples() -> Vec<PathBuf> {
    let here = SAMPLES.iter().filter(|(name, needs)| there(name, needs));
    here.map(|(name, _)| root().join("samples").join(name)).collect()
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn the_readmes_commands_find_the_fix_and_leave_the_sample_alone() {
    // The first one is that of the fix patterns; the other repeats a recording, as is tried with all of them below.
    for sample in
        std::iter::once(root().join("samples/small/python-larder")).chain(samples().into_iter().take(1))
    {
        let out = tempfile::tempdir().unwrap();
        let before = snapshot(&sample);
        let recording = sample.join(RECORDINGS[0]);
        let model = if recording.exists() {
            format!("replay:{}", recording.display())
        } else {
            "patterns".to_owned()
        };
        let words =
            ["repair", sample.to_str().unwrap(), "--model", &model, "--out", out.path().to_str().unwrap()];
        let run = run(&words);
        assert_eq!(run.code, 0, "{run:?}");
        assert_eq!(snapshot(&sample), before);
        assert_eq!(run.stdout, std::fs::read_to_string(out.path().join("patch.diff")).unwrap());
        assert_applies(&sample, &run.stdout);
    }
}

/// `git apply` takes the patch.
fn assert_applies(sample: &Path, patch: &str) {
    let copy = tempfile::tempdir().unwrap();
    for (path, bytes) in snapshot(sample) {
        crate::kit::write(&copy.path().join(path), &bytes);
    }
    crate::kit::write(&copy.path().join("the.patch"), patch.as_bytes());
    let output = Command::new("git").args(["apply", "the.patch"]).current_dir(copy.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}\n{patch}");
}

/// Replays of the samples in a language are the same as their recordings.
fn replays_are_the_same(language: &str) {
    let samples = samples();
    let replayed =
        samples.iter().filter(|sample| sample.parent().is_some_and(|folder| folder.ends_with(language)));
    for sample in replayed {
        for recording in RECORDINGS {
            let run = run(&["replay", "check", sample.join(recording).to_str().unwrap()]);
            assert_eq!(run.code, 0, "{run:?}");
            assert!(run.stdout.contains("the same as the recording"), "{run:?}");
        }
    }
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn replays_in_python_are_the_same_as_their_recordings() {
    replays_are_the_same("python");
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn replays_in_java_are_the_same_as_their_recordings() {
    replays_are_the_same("java");
}

#[test]
fn a_project_that_changed_makes_the_replay_differ_and_the_place_is_named() {
    let sample = &samples()[0];
    let copy = tempfile::tempdir().unwrap();
    for (path, bytes) in snapshot(sample) {
        let text = String::from_utf8_lossy(&bytes).replace("def test_", "def test_changed_");
        let bytes = if path.starts_with("tests") { text.into_bytes() } else { bytes };
        crate::kit::write(&copy.path().join(path), &bytes);
    }
    let file = copy.path().join("trajectory.jsonl");
    let run = run(&["replay", "check", file.to_str().unwrap(), "--json"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(run.json()["same"], false);
    assert_eq!(run.json()["divergence"]["what"], "baseline");
}

/// A candidate that fails is tried further where all tests are quick: whether they are is what the recording says, on any machine.
#[test]
fn a_replay_decides_by_the_time_that_tests_took_when_it_was_recorded() {
    let sample = &samples()[0];
    let text = std::fs::read_to_string(sample.join("trajectory.jsonl")).unwrap();
    let (start, rest) = text.split_once("\"suite_seconds\":").unwrap();
    let (_, end) = rest.split_once('}').unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trajectory.jsonl");
    std::fs::write(&file, format!("{start}\"suite_seconds\":60.0}}{end}")).unwrap();
    let words = ["replay", "check", file.to_str().unwrap(), "--dir", sample.to_str().unwrap(), "--json"];
    let run = run(&words);
    assert_eq!(run.code, 1, "{run:?}");
    let now = run.json()["divergence"]["now"].as_str().unwrap().to_owned();
    assert!(now.contains("Candidate 1: passes so far."), "{now}");
}

#[test]
fn recordings_hold_what_a_newcomer_should_see() {
    let mut seen = std::collections::BTreeSet::new();
    for (name, _) in SAMPLES {
        let file = root().join("samples").join(name).join("trajectory.jsonl");
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(!text.contains("/root/") && !text.contains("/tmp/"), "{name} holds a path of a machine");
        for line in text.lines() {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            let repaired = event["repairs"].as_array().is_some_and(|repairs| !repairs.is_empty());
            seen.extend(repaired.then_some("a reply that was repaired"));
            seen.extend((event["verdict"] == "failing").then_some("a fix that failed"));
            seen.extend((event["event"] == "hypothesis_discarded").then_some("a hypothesis discarded"));
            seen.extend((event["reason"] == "forbidden").then_some("a call forbidden in its state"));
            seen.extend((event["status"] == "plausible").then_some("a plausible patch"));
        }
    }
    assert_eq!(seen.len(), 5, "only {seen:?}");
}

/// The talk of a session as it is shown again: that of the loop, and that of the fixed pipeline.
#[test]
fn a_recording_is_shown_as_it_was_told() {
    for recording in RECORDINGS {
        let shown = run(&[
            "replay",
            "view",
            root().join("samples/python/billfold").join(recording).to_str().unwrap(),
        ]);
        assert_eq!(shown.code, 0, "{shown:?}");
        let name = format!("view_{}", recording.trim_end_matches(".jsonl"));
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, shown.stdout);
        });
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let out = tempfile::tempdir().unwrap();
    let pages = out.path().join("man/man1");
    let run = run(&["man", "--out", pages.to_str().unwrap()]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{run:?}");
    let page = |name: &str| std::fs::read_to_string(pages.join(name)).unwrap();
    assert!(page("patchwright.1").contains("patchwright\\-repair(1)"), "{}", page("patchwright.1"));
    assert!(page("patchwright-repair.1").contains("\\-\\-localization"));
    assert!(page("patchwright-bench-run.1").contains(".TH"));
    assert!(!pages.join("patchwright-help.1").exists());
}

#[test]
fn the_catalogue_commands_print_data() {
    let states = run(&["states", "--mermaid"]);
    assert!(states.code == 0 && states.stdout.starts_with("stateDiagram-v2"), "{states:?}");
    assert!(run(&["states", "--dot"]).stdout.starts_with("digraph"));
    let tools = run(&["tools", "--schema"]);
    let schemas: serde_json::Value = serde_json::from_str(&tools.stdout).unwrap();
    assert_eq!(schemas.as_array().unwrap().len(), 17);
    let completions = run(&["completions", "bash"]);
    assert!(
        completions.stdout.contains("--localization"),
        "options are completed from the same declarations"
    );
    let doctor = program().args(["doctor", "--json"]).output().unwrap();
    let findings: serde_json::Value = serde_json::from_slice(&doctor.stdout).unwrap();
    assert!(findings["findings"].as_array().unwrap().len() > 6);
}
