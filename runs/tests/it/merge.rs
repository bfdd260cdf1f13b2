#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;

use patchwright_protocol::Status;
use patchwright_runs::{Overview, PartState, Redo, RunError, RunFile, RunFolder, RunRecord, merge};

use crate::runs::{by_name, quick, run, status};
use crate::scripted::{Act, Cases, Scripted, create, runner};

async fn run_by(root: &Path, ids: &[&str], script: fn(&str, u32) -> Act) {
    let cases = Cases::named(ids.iter().copied());
    let folder = create(root, &cases);
    runner(cases, Scripted::new(script), quick(1)).run(folder).await.unwrap();
}

/// As when a machine that was taken for dead comes back.
#[tokio::test]
async fn of_two_answers_the_first_counts_and_all_attempts_are_kept() {
    let root = tempfile::tempdir().unwrap();
    let [first, second, out] = ["first", "second", "out"].map(|name| root.path().join(name));
    run_by(&first, &["both-1", "model-1"], |case, _| match case {
        "both-1" => Act::End(Status::NoFix),
        _ => Act::End(Status::Cancelled),
    })
    .await;
    run_by(&second, &["both-1", "model-1", "own-1"], |_, _| Act::End(Status::Plausible)).await;
    // The order in which they are named does not count.
    let merged = merge(&[second.clone(), first.clone()], &out, &|_, _| {}).unwrap();
    assert_eq!(merged.doubled, [("both-1".to_owned(), first.clone())]);
    let run = &merged.run;
    let statuses = ["both-1", "model-1", "own-1"].map(|case| status(run, case).unwrap());
    assert_eq!(statuses, [Status::NoFix, Status::Plausible, Status::Plausible]);
    let attempts = ["both-1", "model-1", "own-1"].map(|case| run.ledger.attempts(case).len());
    assert_eq!(attempts, [2, 2, 1]);
    for (case, tried) in
        run.file.cases.iter().flat_map(|case| run.ledger.attempts(case).iter().map(move |it| (case, it)))
    {
        assert!(
            run.places.attempt(case, tried.number).join("trajectory.jsonl").is_file(),
            "{case} {}",
            tried.number
        );
    }
    assert_eq!(
        run.ledger.spent().tokens,
        [&first, &second].map(|it| RunRecord::read(it).unwrap().ledger.spent().tokens).iter().sum::<u64>()
    );
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 3, "no scratch is left");
    assert!(merged.running.is_empty() && merged.run.ledger.ended.is_some());

    // A copy, and the whole of itself, add nothing.
    let more = root.path().join("more");
    let same = merge(&[second.clone(), out.clone(), first.clone()], &more, &|_, _| {}).unwrap();
    assert_eq!((same.run.ledger.spent(), same.doubled.len()), (run.ledger.spent(), 1));
    let attempts = ["both-1", "model-1", "own-1"].map(|case| same.run.ledger.attempts(case).len());
    assert_eq!((attempts, status(&same.run, "both-1")), ([2, 2, 1], Some(Status::NoFix)));

    // It is a run like any other.
    let ids = run.file.cases.clone();
    let redo = Redo { all: true, ..Redo::default() };
    let options = patchwright_runs::RunOptions { redo, ..quick(1) };
    let again = runner(Cases::named(ids), Scripted::new(by_name), options);
    let summary = again.run(RunFolder::open(&out).unwrap()).await.unwrap();
    assert_eq!(summary.run.ledger.attempts("both-1").len(), 3);
    let refused = merge(&[first], &out, &|_, _| {}).unwrap_err();
    assert_eq!(refused, RunError::NotEmpty(out));
}

#[tokio::test]
async fn runs_of_different_settings_are_not_put_together() {
    let root = tempfile::tempdir().unwrap();
    let [first, second, out] = ["first", "second", "out"].map(|name| root.path().join(name));
    run(&first, &["a-1"], quick(1)).await;
    let other = RunFile {
        settings: "cycles = 3".parse().unwrap(),
        ..RunFile::new("r", "manifest:cases.toml", vec!["b-1".into()])
    };
    drop(RunFolder::create(&second, &other).unwrap());
    let refused = merge(&[first, second], &out, &|_, _| {}).unwrap_err().to_string();
    assert!(refused.contains("settings.cycles: was not set, is 3"), "{refused}");
    assert!(!out.exists() && std::fs::read_dir(root.path()).unwrap().count() == 2);
}

#[tokio::test]
async fn a_run_is_overlooked_while_it_goes_on_and_when_it_is_silent() {
    let root = tempfile::tempdir().unwrap();
    let now = std::time::SystemTime::now();
    run(root.path(), &["plausible-1", "infrastructure-1", "no_fix-1"], quick(1)).await;
    let overview = Overview::read(root.path(), now).unwrap();
    let [part] = overview.parts.as_slice() else { panic!("{overview:?}") };
    assert!(matches!(part.state, PartState::Ended { .. }), "{overview:?}");
    assert_eq!((overview.progress.cases, overview.progress.done, overview.progress.solved), (3, 2, 1));
    let waiting: Vec<_> = overview.waiting.iter().map(|case| (case.case.as_str(), case.attempts)).collect();
    assert_eq!(waiting, [("infrastructure-1", 2)]);

    // Killed after its second attempt had begun.
    let log = root.path().join("events.jsonl");
    let text = std::fs::read_to_string(&log).unwrap();
    let begun = text.match_indices("attempt_started").nth(1).unwrap().0;
    let end = begun + text[begun..].find('\n').unwrap() + 1;
    std::fs::write(&log, &text[..end]).unwrap();
    let later = |seconds| now + std::time::Duration::from_secs(seconds);
    let running = Overview::read(root.path(), later(60)).unwrap();
    assert!(running.is_running());
    let whole = tempfile::tempdir().unwrap();
    let merged = merge(&[root.path().to_owned()], &whole.path().join("whole"), &|_, _| {}).unwrap();
    assert_eq!(merged.running, [root.path()], "what is under way is left out");
    assert!(merged.run.ledger.open().is_empty() && merged.run.ledger.attempts("infrastructure-1").is_empty());
    let attempts: Vec<_> =
        running.parts[0].running.iter().map(|it| (it.case.as_str(), it.stage.cycle)).collect();
    assert_eq!(attempts, [("infrastructure-1", 3)]);
    assert!(running.progress.cases_per_hour.is_some() && running.progress.seconds_left.is_some());
    let silent = Overview::read(root.path(), later(3_600)).unwrap();
    assert!(
        matches!(silent.parts[0].state, PartState::Silent { seconds } if seconds > 3_500.0),
        "{silent:?}"
    );
}
