#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::time::Duration;

use patchwright_protocol::Status;
use patchwright_runs::{
    EndReason, FixCoverage, RunError, RunFile, RunFolder, RunOptions, RunRecord, Summary, escape,
};

use crate::scripted::{Act, Cases, PATCH, Scripted, create, runner};

pub fn quick(workers: usize) -> RunOptions {
    let mut options = RunOptions::of_workers(workers);
    options.pauses.retry = Duration::from_millis(1);
    options.pauses.breaker = Duration::from_millis(2);
    options.pauses.watch = Duration::from_millis(1);
    options.pauses.grace = Duration::from_millis(50);
    options
}

pub fn status(run: &RunRecord, case: &str) -> Option<Status> {
    run.ledger.status(case)
}

/// Each id says what its session does.
pub fn by_name(case: &str, _attempt: u32) -> Act {
    match case.split('-').next().unwrap_or_default() {
        "plausible" => Act::End(Status::Plausible),
        "budget" => Act::End(Status::Budget),
        "stuck" => Act::End(Status::Stuck),
        "model" => Act::End(Status::Model),
        "infrastructure" => Act::End(Status::Environment),
        "panic" => Act::Panic,
        "wait" => Act::Wait,
        "deaf" => Act::Deaf,
        _ => Act::End(Status::NoFix),
    }
}

pub async fn run(root: &Path, ids: &[&str], options: RunOptions) -> Summary {
    let cases = Cases::named(ids.iter().copied());
    let folder = create(root, &cases);
    runner(cases, Scripted::new(by_name), options).run(folder).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_end_is_recorded_and_a_panic_is_the_defect_of_one_case() {
    let root = tempfile::tempdir().unwrap();
    let ids =
        ["plausible-1", "no_fix-1", "panic-1", "no-registry", "bad-data", "model-1", "stuck-1", "budget-1"];
    let summary = run(root.path(), &ids, quick(3)).await;
    assert_eq!((summary.reason, summary.unanswered), (EndReason::Complete, 4));
    let check = |case: &str, expect: Status, reason: &str| {
        let (_, outcome) = summary.run.ledger.standing(case).unwrap();
        assert_eq!((outcome.status, outcome.reason.as_str()), (expect, reason), "{case}");
    };
    check("plausible-1", Status::Plausible, "scripted plausible");
    check("no_fix-1", Status::NoFix, "scripted no_fix");
    check("panic-1", Status::Defect, "a defect of this program: scripted");
    check("no-registry", Status::Environment, "cannot prepare the case: the registry answers 429");
    check("bad-data", Status::Unusable, "the case cannot be used: there is no commit");
    check("model-1", Status::Model, "scripted model");
    check("stuck-1", Status::Stuck, "scripted stuck");
    check("budget-1", Status::Budget, "scripted budget");
    let (_, panicked) = summary.run.ledger.standing("panic-1").unwrap();
    assert!((panicked.cost_usd.unwrap() - 0.03).abs() < 1e-9, "what it has cost is known");

    let (tried, _) = summary.run.ledger.standing("plausible-1").unwrap();
    assert_eq!(tried.located, Some(FixCoverage { files: true, functions: true, lines: true }));
    assert_eq!(RunRecord::read(root.path()).unwrap(), summary.run);
    assert_eq!(std::fs::read_dir(root.path().join("work")).unwrap().count(), 0);
    assert!(root.path().join("cases/plausible-1/attempt-1/trajectory.jsonl").is_file());
}

#[tokio::test]
async fn predictions_hold_one_line_for_each_answer_and_can_be_made_anew() {
    let root = tempfile::tempdir().unwrap();
    let summary = run(root.path(), &["no_fix-1", "model-1", "plausible-1"], quick(1)).await;
    let path = root.path().join("predictions.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expect = |id: &str, patch: &str| serde_json::json!({"instance_id": id, "model_name_or_path": "r1__scripted", "model_patch": patch});
    assert_eq!(lines, [expect("no_fix-1", ""), expect("plausible-1", PATCH)]);
    std::fs::remove_file(&path).unwrap();
    summary.run.write_predictions().unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[tokio::test]
async fn an_id_with_slashes_and_dots_stays_in_its_folder() {
    let root = tempfile::tempdir().unwrap();
    let id = "../../etc/passwd";
    let summary = run(&root.path().join("a/b"), &[id], quick(1)).await;
    assert_eq!(status(&summary.run, id), Some(Status::NoFix));
    let folder = root.path().join("a/b/cases").join(escape(id)).join("attempt-1");
    assert!(folder.join("trajectory.jsonl").is_file());
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 1, "nothing beside the run's folder");
}

#[tokio::test]
async fn a_cancelled_run_records_what_ran_and_leaves_the_rest_unfinished() {
    let root = tempfile::tempdir().unwrap();
    let cases = Cases::named(["plausible-1", "wait-1", "deaf-1", "plausible-2"]);
    let folder = create(root.path(), &cases);
    let options = quick(2);
    let (live, cancel) = (options.live.clone(), options.cancel.clone());
    let running = tokio::spawn(runner(cases, Scripted::new(by_name), options).run(folder));
    let under_way = |case: &str| {
        live.board().running.iter().any(|running| running.case == case && running.stage.cycle == 3)
    };
    while !under_way("wait-1") || !under_way("deaf-1") {
        tokio::task::yield_now().await;
    }
    cancel.cancel();
    let summary = running.await.unwrap().unwrap();
    assert_eq!((summary.reason, summary.unanswered), (EndReason::Cancelled, 3));
    assert_eq!(status(&summary.run, "plausible-1"), Some(Status::Plausible));
    assert_eq!(status(&summary.run, "wait-1"), Some(Status::Cancelled));
    let (_, deaf) = summary.run.ledger.standing("deaf-1").unwrap();
    assert_eq!((deaf.status, deaf.tokens.total()), (Status::Cancelled, 330));
    assert_eq!(summary.run.ledger.attempts("plausible-2"), []);
}

#[tokio::test]
async fn a_folder_belongs_to_one_process_and_one_run() {
    let root = tempfile::tempdir().unwrap();
    let check = |found: Result<RunFolder, RunError>, expect: &str| {
        let error = found.unwrap_err().to_string();
        // The name of this machine.
        let host = error.find(" on ").zip(error.find("; wait")).map_or(0..0, |(from, to)| from..to);
        assert!(error.replace(&error[host], "").ends_with(expect), "{error}");
    };
    let file = RunFile::new("r1", "manifest:cases.toml", vec!["a".into()]);
    check(
        RunFolder::open(root.path()),
        "holds no run: there is no run.toml in it; give the folder that `bench run` made, as its --out named it",
    );
    // Left by a process that was killed while it made the run.
    std::fs::write(root.path().join(".new-a1b2"), "format = ").unwrap();
    let held = RunFolder::create(root.path(), &file).unwrap();
    assert!(!root.path().join(".new-a1b2").exists());
    let pid = std::process::id();
    let locked =
        format!("is being run by process {pid}; wait for it, end it, or give another folder with --out");
    check(RunFolder::open(root.path()), &locked);
    check(RunFolder::create(root.path(), &file), &locked);
    drop(held);
    check(
        RunFolder::create(root.path(), &file),
        "holds a run already; resume it, or give another folder with --out",
    );
    RunFolder::open(root.path()).unwrap();
}

#[test]
fn cases_that_are_none_or_badly_named_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let check = |ids: &[&str], expect: &str| {
        let ids = ids.iter().map(|id| (*id).to_owned()).collect();
        let error = RunFolder::create(root.path(), &RunFile::new("r", "s", ids)).unwrap_err().to_string();
        assert!(error.contains(expect), "{error}");
    };
    check(&[], "the run has no case");
    check(&["a", ""], "the case id `` is empty");
    check(&["a", "b", "A"], "the case id `A` is there twice");
    check(&[&"x".repeat(201)], "is too long");
}

#[test]
fn a_run_file_that_cannot_be_understood_is_told_with_its_field() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run.toml");
    drop(RunFolder::create(root.path(), &RunFile::new("r", "s", vec!["a".into()])).unwrap());
    let good = std::fs::read_to_string(&path).unwrap();
    let check = |text: &str, expect: &str| {
        std::fs::write(&path, text).unwrap();
        let error = RunFolder::open(root.path()).unwrap_err().to_string();
        assert!(error.contains(expect) && error.contains("run.toml"), "{error}");
    };
    check(&good.replace("suite", "sweet"), "unknown field `sweet`");
    check(&good.replace("version = 1", "version = 2\nnew = 1"), "field `version`: 2 is of a newer program");
    check("cases = [", "TOML parse error");
}
