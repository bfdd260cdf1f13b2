#![allow(clippy::unwrap_used)]

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use patchwright_protocol::{Bug, Failure, Status};
use patchwright_runs::{
    EndReason, FixCoverage, Grade, GradedAttempt, Places, Redo, RunError, RunFile, RunFolder, RunOptions,
    RunRecord, Runner, SILENT, Summary, add_grades, is_owned,
};
use patchwright_suites::{Case, Suite};
use patchwright_trajectory::Redactor;

use crate::reports::add;
use crate::runs::{by_name, quick, run, status};
use crate::scripted::{Act, Cases, Scripted, runner};

async fn resume(root: &Path, ids: &[&str], script: fn(&str, u32) -> Act, redo: Redo) -> Summary {
    let options = RunOptions { redo, ..quick(2) };
    let folder = RunFolder::open(root).unwrap();
    let cases = Cases::named(ids.iter().copied());
    runner(cases, Scripted::new(script), options).run(folder).await.unwrap()
}

fn attempts(run: &RunRecord, ids: &[&str]) -> Vec<usize> {
    ids.iter().map(|id| run.ledger.attempts(id).len()).collect()
}

fn works(_case: &str, _attempt: u32) -> Act {
    Act::End(Status::Plausible)
}

#[tokio::test]
async fn resuming_redoes_what_says_nothing_of_the_case_and_keeps_every_attempt() {
    const IDS: [&str; 5] = ["plausible-1", "no_fix-1", "model-1", "infrastructure-1", "panic-1"];
    let root = tempfile::tempdir().unwrap();
    let first = run(root.path(), &IDS, quick(2)).await;
    // What infrastructure broke was tried once more within the run already.
    assert_eq!(attempts(&first.run, &IDS), [1, 1, 1, 2, 1]);

    let summary = resume(root.path(), &IDS, works, Redo::default()).await;
    assert_eq!(attempts(&summary.run, &IDS), [1, 1, 1, 3, 2]);
    assert_eq!(status(&summary.run, "infrastructure-1"), Some(Status::Plausible));
    assert_eq!(status(&summary.run, "panic-1"), Some(Status::Plausible));
    for attempt in 1..=3 {
        let folder = root.path().join(format!("cases/infrastructure-1/attempt-{attempt}"));
        assert!(folder.join("trajectory.jsonl").is_file(), "{attempt}");
    }

    let model = Redo { statuses: vec![Status::Model], all: false };
    let summary = resume(root.path(), &IDS, works, model).await;
    assert_eq!(attempts(&summary.run, &IDS), [1, 1, 2, 3, 2]);
    let again = resume(root.path(), &IDS, by_name, Redo { all: true, ..Redo::default() }).await;
    assert_eq!(attempts(&again.run, &IDS), [2, 2, 3, 5, 3]);
    assert_eq!(status(&again.run, "panic-1"), Some(Status::Plausible), "an answer stands against a defect");

    let nothing = resume(root.path(), &IDS, works, Redo::default()).await;
    assert_eq!((nothing.reason, nothing.unanswered), (EndReason::Complete, 0));
    assert_eq!(attempts(&nothing.run, &IDS), [2, 2, 3, 5, 3]);
}

/// A run that was killed: its log is cut after the event that `last` finds.
fn killed_after(root: &Path, last: impl Fn(&str) -> bool, torn: &str) {
    let path = root.join("events.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let end = lines.iter().position(|line| last(line)).unwrap();
    let mut file = std::fs::File::create(&path).unwrap();
    writeln!(file, "{}", lines[..=end].join("\n")).unwrap();
    write!(file, "{torn}").unwrap();
}

#[tokio::test]
async fn a_session_that_came_to_its_end_before_the_kill_counts_and_is_not_done_again() {
    let root = tempfile::tempdir().unwrap();
    run(root.path(), &["plausible-1"], quick(1)).await;
    killed_after(root.path(), |line| line.contains("attempt_started"), "{\"seq\":2,\"time");
    let summary = resume(root.path(), &["plausible-1"], by_name, Redo::default()).await;
    assert_eq!(attempts(&summary.run, &["plausible-1"]), [1]);
    let (tried, outcome) = summary.run.ledger.standing("plausible-1").unwrap();
    assert_eq!((outcome.status, outcome.patch.is_some(), tried.seconds), (Status::Plausible, true, None));
    let grade = tried.grade.as_ref().unwrap();
    assert_eq!((grade.correct, grade.by.as_str()), (Some(true), "normal form"));
    assert_eq!(tried.located, Some(FixCoverage { files: true, functions: true, lines: true }));
    assert_eq!(std::fs::read_dir(root.path().join("work")).unwrap().count(), 0, "no scratch is left");
    let notice = "the last line of events.jsonl was torn (14 bytes): the program was killed while it wrote; it never counted";
    assert_eq!(summary.run.ledger.notices, [notice]);
}

/// A suite that cannot prepare its cases any more.
struct Gone(Cases);

#[async_trait]
impl Suite for Gone {
    fn cases(&self) -> &[Case] {
        self.0.cases()
    }

    async fn prepare(&self, _case: &Case, _folder: &Path) -> Result<Bug, Failure> {
        Err(Failure::environment("the registry is gone".to_owned()))
    }
}

#[tokio::test]
async fn a_recovered_patch_that_cannot_be_compared_is_told_and_one_that_was_not_yet_is_compared_later() {
    const ID: &str = "plausible-1";
    let root = tempfile::tempdir().unwrap();
    run(root.path(), &[ID], quick(1)).await;
    killed_after(root.path(), |line| line.contains("attempt_started"), "");
    let cancelled = quick(1);
    cancelled.cancel.cancel();
    let folder = RunFolder::open(root.path()).unwrap();
    let none = runner(Cases::named([ID]), Scripted::new(works), cancelled).run(folder).await.unwrap();
    assert_eq!((none.reason, none.run.ledger.open().len()), (EndReason::Cancelled, 1));

    let copy = tempfile::tempdir().unwrap();
    for file in ["run.toml", "events.jsonl", "cases/plausible-1/attempt-1/trajectory.jsonl"] {
        std::fs::create_dir_all(copy.path().join(file).parent().unwrap()).unwrap();
        std::fs::copy(root.path().join(file), copy.path().join(file)).unwrap();
    }
    let later = resume(root.path(), &[ID], by_name, Redo::default()).await;
    let (tried, _) = later.run.ledger.standing(ID).unwrap();
    assert_eq!((tried.number, tried.grade.as_ref().unwrap().correct), (1, Some(true)));

    let folder = RunFolder::open(copy.path()).unwrap();
    let suite = Arc::new(Gone(Cases::named([ID])));
    let gone = Runner { suite, ..runner(Cases::named([ID]), Scripted::new(works), quick(1)) };
    let summary = gone.run(folder).await.unwrap();
    let (tried, outcome) = summary.run.ledger.standing(ID).unwrap();
    assert_eq!((outcome.status, &tried.grade), (Status::Plausible, &None));
    let told =
        "its patch is not compared with the developer's fix: cannot prepare the case: the registry is gone";
    assert_eq!(summary.run.ledger.notices, [told]);
}

#[tokio::test]
async fn a_session_that_was_killed_is_done_again_and_what_it_has_cost_is_known() {
    let root = tempfile::tempdir().unwrap();
    run(root.path(), &["plausible-1"], quick(1)).await;
    killed_after(root.path(), |line| line.contains("attempt_started"), "");
    let trajectory = root.path().join("cases/plausible-1/attempt-1/trajectory.jsonl");
    let text = std::fs::read_to_string(&trajectory).unwrap();
    let lines: Vec<&str> = text.lines().take(5).collect();
    std::fs::write(&trajectory, format!("{}\n{{\"seq\":5,", lines.join("\n"))).unwrap();
    let summary = resume(root.path(), &["plausible-1"], by_name, Redo::default()).await;
    let [first, second] = summary.run.ledger.attempts("plausible-1") else {
        unreachable!("two attempts");
    };
    let outcome = first.outcome.as_ref().unwrap();
    assert_eq!(outcome.reason, "the program was killed while the session ran");
    assert_eq!((outcome.status, outcome.tokens.total(), outcome.cycles), (Status::Cancelled, 220, 2));
    assert_eq!(second.outcome.as_ref().unwrap().status, Status::Plausible);
}

#[tokio::test]
async fn a_foreign_line_in_the_log_stops_a_resume_and_is_named() {
    let root = tempfile::tempdir().unwrap();
    run(root.path(), &["no_fix-1"], quick(1)).await;
    let path = root.path().join("events.jsonl");
    let text = std::fs::read_to_string(&path).unwrap().replacen('\n', "\nhello\n", 1);
    std::fs::write(&path, text).unwrap();
    let error = RunFolder::open(root.path()).unwrap_err().to_string();
    insta::assert_snapshot!(error.trim_start_matches(root.path().to_str().unwrap()));
}

#[tokio::test]
async fn other_settings_and_a_suite_without_the_case_are_refused() {
    let root = tempfile::tempdir().unwrap();
    run(root.path(), &["no_fix-1"], quick(1)).await;
    let folder = RunFolder::open(root.path()).unwrap();
    let mut now = folder.file().clone();
    folder.file().check(&now).unwrap();
    now.limits.insert("workers".into(), 7.into());
    folder.file().check(&now).unwrap();
    now.settings.insert("model".into(), "openai/x".into());
    now.suite = "manifest:other.toml".to_owned();
    let error = folder.file().check(&now).unwrap_err().to_string();
    assert_eq!(
        error,
        "the run was started with other settings:\n  suite: was manifest:cases.toml, is manifest:other.toml\n  \
         settings.model: was not set, is \"openai/x\"\ngive the same, or begin a new run with another --out"
    );
    let other = runner(Cases::many(1), Scripted::new(by_name), quick(1)).run(folder).await;
    assert_eq!(other.unwrap_err(), RunError::MissingCase("no_fix-1".to_owned()));
}

#[tokio::test]
async fn a_grade_is_added_to_the_log_and_survives_a_resume() {
    let root = tempfile::tempdir().unwrap();
    run(root.path(), &["plausible-1"], quick(1)).await;
    let grade =
        Grade { correct: Some(true), fix_at: Some(1), by: "normal form".to_owned(), ..Grade::default() };
    add(root.path(), &[("plausible-1", grade.clone())]).await;
    let summary = resume(root.path(), &["plausible-1"], by_name, Redo::default()).await;
    let (tried, _) = summary.run.ledger.standing("plausible-1").unwrap();
    assert_eq!(tried.grade.as_ref(), Some(&grade));
    let empty = tempfile::tempdir().unwrap();
    let file = RunFile::new("r", "s", vec!["a".into()]);
    drop(RunFolder::create(empty.path(), &file).unwrap());
    let graded = GradedAttempt { case: "a".to_owned(), attempt: 1, grade };
    let error = add_grades(&Places::new(empty.path()), vec![graded], &Redactor::default()).await.unwrap_err();
    assert!(matches!(error, RunError::NoRun { .. }));
}

#[test]
fn a_folder_in_which_a_run_is_only_being_made_has_an_owner_until_that_is_silent() {
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join("lock");
    assert!(!is_owned(folder.path()) && !lock.exists());
    std::fs::write(&lock, "7 on node-9\n").unwrap();
    assert!(is_owned(folder.path()));
    let long_ago = std::time::SystemTime::now() - SILENT;
    std::fs::File::options().write(true).open(&lock).unwrap().set_modified(long_ago).unwrap();
    assert!(!is_owned(folder.path()));
}
