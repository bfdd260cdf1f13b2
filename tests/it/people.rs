//! People in the loop: the interactive session, and a person as the driver.

use serde_json::json;

use crate::kit::{
    ACCOUNT, FIX, Model, REPAIRED, call, changed, events, goal, good_fix, hypothesis, named, program,
    project, run_with_input,
};

fn interactive(model: &Model, project: &std::path::Path, input: &str) -> crate::kit::Run {
    let words = model.words(project, &["--interactive"]);
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    run_with_input(&words, input)
}

#[test]
fn each_command_is_shown_and_the_patch_is_offered() {
    let project = project();
    let model = Model::saying(&[hypothesis(), good_fix(), goal()]);
    let run = interactive(&model, project.path(), "r\nr\nrun\nyes\n");
    assert_eq!(run.code, 0, "{run:?}");
    for part in ["next: express_hypothesis(", "next: write_fix(", "write the patch into the project?"] {
        assert!(run.stderr.contains(part), "{part:?} is missing in {run:?}");
    }
    // Whoever allows a fix has read it.
    let (before, after) = run.stderr.split_once("next: write_fix(").unwrap();
    let (change, _) = after.split_once("[r]un").unwrap();
    assert_eq!((changed(before), changed(change)), (vec![], FIX.to_vec()), "{run:?}");
    let text = std::fs::read_to_string(project.path().join("bank/account.py")).unwrap();
    assert_eq!(text, *REPAIRED);
}

#[test]
fn hints_refusals_and_edits_reach_the_model_and_the_trajectory() {
    let project = project();
    let read = call("read_range", json!({"file_path": "bank/account.py", "start_line": 1, "end_line": 3}));
    let model = Model::saying(&[read.clone(), read.clone(), read, hypothesis(), good_fix(), goal()]);
    let edited = "{\"file_path\": \"bank/account.py\", \"start_line\": 5, \"end_line\": 9}";
    let input = format!("h\nlook at withdraw\nf\nnot that\ne\n{edited}\n\na\nno\n");
    let run = interactive(&model, project.path(), &input);
    assert_eq!(run.code, 0, "{run:?}");
    let requests = model.requests();
    assert!(crate::kit::prompt_text(&requests[1]).contains("look at withdraw"));
    assert!(crate::kit::prompt_text(&requests[2]).contains("not that"));
    assert!(crate::kit::prompt_text(&requests[3]).contains("def withdraw"), "the edited call ran");
    let events = events(project.path());
    let kinds: Vec<_> = named(&events, "intervention").iter().map(|event| event["kind"].clone()).collect();
    assert_eq!(kinds, ["hint", "refuse", "edit", "run_alone"]);
    let text = std::fs::read_to_string(project.path().join("bank/account.py")).unwrap();
    assert_eq!(text, ACCOUNT, "the patch was declined");
}

#[test]
fn quitting_ends_the_session_in_order() {
    let project = project();
    let model = Model::saying(&[hypothesis()]);
    let run = interactive(&model, project.path(), "q\n");
    assert_eq!(run.code, 130, "{run:?}");
    assert_eq!(run.json()["status"], "cancelled");
    assert_eq!(named(&events(project.path()), "session_ended").len(), 1);
}

#[test]
fn a_person_sees_the_prompt_and_answers_in_the_same_json() {
    let project = project();
    let input = format!("{}\n{}\n{}\n", hypothesis(), good_fix(), goal());
    let run = run_with_input(&["repair", project.path().to_str().unwrap(), "--model", "human"], &input);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(changed(&run.stdout), FIX, "{run:?}");
    assert!(run.stderr.contains("test_withdraws_all"), "{run:?}");
}

#[test]
fn a_recorded_session_with_a_person_in_it_replays() {
    let project = project();
    let model = Model::saying(&[hypothesis(), hypothesis(), good_fix(), goal()]);
    let run = interactive(&model, project.path(), "f\nthink again\na\nno\n");
    assert_eq!(run.code, 0, "{run:?}");
    let trajectory = run.json()["trajectory"].as_str().unwrap().to_owned();
    let check = program().args(["replay", "check", &trajectory]).output().unwrap();
    assert!(check.status.success(), "{check:?}");
}
