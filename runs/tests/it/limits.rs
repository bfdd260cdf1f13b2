#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use patchwright_protocol::Status;
use patchwright_runs::{EndReason, RunError, SpendingCap};

use crate::runs::{by_name, quick, run};
use crate::scripted::{Act, Cases, Scripted, create, runner};

#[tokio::test(flavor = "multi_thread")]
async fn there_are_never_more_sessions_than_the_limit() {
    let check = async |workers: usize, sessions: usize| {
        let root = tempfile::tempdir().unwrap();
        let cases = Cases::many(40);
        let folder = create(root.path(), &cases);
        let repairer = Scripted::new(by_name);
        let mut options = quick(workers);
        options.concurrency.sessions = sessions;
        let summary = runner(cases, repairer.clone(), options).run(folder).await.unwrap();
        assert_eq!(summary.unanswered, 0);
        repairer.most.load(Ordering::SeqCst)
    };
    assert_eq!(check(8, 1).await, 1);
    assert!((2..=3).contains(&check(8, 3).await));
    assert!((2..=4).contains(&check(4, 100).await));
}

#[tokio::test]
async fn a_run_ends_when_its_budget_holds_no_further_session() {
    let root = tempfile::tempdir().unwrap();
    let mut options = quick(4);
    // A session costs 0.03 and may cost 0.05: after five, 0.05 are left; after six, too little.
    options.budget = SpendingCap { usd: Some(0.20), ..SpendingCap::default() };
    options.session = SpendingCap { usd: Some(0.05), ..SpendingCap::default() };
    let ids: Vec<String> = (0..20).map(|number| format!("no_fix-{number}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let summary = run(root.path(), &ids, options).await;
    assert_eq!((summary.reason, summary.unanswered), (EndReason::Budget, 14));
    assert_eq!(summary.text, "the run may cost 0.20 dollars; 0.18 are spent, and a session may cost 0.05");
    let mut options = quick(1);
    options.budget = SpendingCap { tokens: Some(5), ..SpendingCap::default() };
    let cases = Cases::many(1);
    let folder = create(&root.path().join("b"), &cases);
    let error = runner(cases, Scripted::new(by_name), options).run(folder).await.unwrap_err();
    assert!(matches!(error, RunError::Budget(_)), "{error}");
}

#[tokio::test]
async fn a_run_waits_while_the_disk_is_too_full_and_goes_on_when_there_is_room() {
    let root = tempfile::tempdir().unwrap();
    let looks = Arc::new(AtomicU64::new(0));
    let mut options = quick(1);
    options.disk.reserve = 5_000_000_000;
    options.disk.probe = {
        let looks = Arc::clone(&looks);
        // The third to fifth look find too little.
        Arc::new(move |_| {
            let look = looks.fetch_add(1, Ordering::SeqCst);
            Ok(if (2..5).contains(&look) { 1_000_000_000 } else { 9_000_000_000 })
        })
    };
    let summary = run(root.path(), &["no_fix-1", "no_fix-2", "no_fix-3"], options).await;
    assert_eq!((summary.reason, summary.unanswered), (EndReason::Complete, 0));
    let [short, room] = &summary.run.ledger.notices[..] else {
        unreachable!("two notices: {:?}", summary.run.ledger.notices);
    };
    assert!(
        short.starts_with("no new cases until there is room: ")
            && short.ends_with("has 1.0 GB free, less than the 5.0 GB that stay free")
    );
    assert_eq!(room, "there is room on the disk again; the run goes on");
}

#[tokio::test]
async fn a_run_that_needs_more_room_than_there_is_does_not_begin() {
    let root = tempfile::tempdir().unwrap();
    let cases = Cases::many(1);
    let folder = create(root.path(), &cases);
    let mut options = quick(1);
    options.disk.needed = u64::MAX;
    let error = runner(cases, Scripted::new(by_name), options).run(folder).await.unwrap_err().to_string();
    insta::assert_snapshot!(error.split_once(" free, ").unwrap().1);
}

#[tokio::test]
async fn when_most_attempts_fail_by_infrastructure_the_run_pauses_and_tells() {
    let root = tempfile::tempdir().unwrap();
    let cases = Cases::many(6);
    let folder = create(root.path(), &cases);
    // The engine comes back after four attempts.
    let tries = AtomicU64::new(0);
    let repairer = Scripted::new(move |_: &str, _| {
        let broken = tries.fetch_add(1, Ordering::SeqCst) < 4;
        Act::End(if broken { Status::Environment } else { Status::Plausible })
    });
    let summary = runner(cases, repairer, quick(1)).run(folder).await.unwrap();
    // Two cases may have had both their attempts by then.
    assert!(summary.reason == EndReason::Complete && summary.unanswered <= 2, "{summary:?}");
    assert_eq!(
        summary.run.ledger.notices,
        [
            "most of the last attempts failed by what is outside of them (scripted environment); no new cases for 0.002 s"
        ]
    );
}

#[tokio::test]
async fn faults_of_cases_are_tried_once_and_neither_open_nor_shut_the_breaker() {
    let root = tempfile::tempdir().unwrap();
    let ids = [
        "bad-data",
        "panic-1",
        "panic-2",
        "panic-3",
        "panic-4",
        "panic-5",
        "infrastructure-1",
        "infrastructure-2",
    ];
    let summary = run(root.path(), &ids, quick(1)).await;
    let tries = ids.map(|id| summary.run.ledger.attempts(id).len());
    assert_eq!(tries, [1, 1, 1, 1, 1, 1, 2, 2]);
    // Among ten attempts, four are few; of those that say something about the infrastructure, they are all.
    let [pause] = &summary.run.ledger.notices[..] else {
        unreachable!("one notice: {:?}", summary.run.ledger.notices);
    };
    assert!(pause.starts_with("most of the last attempts failed by what is outside of them"), "{pause}");
    let only = tempfile::tempdir().unwrap();
    let summary = run(only.path(), &ids[..6], quick(1)).await;
    assert_eq!(summary.run.ledger.notices, [""; 0]);
}

#[tokio::test]
async fn who_waits_for_a_session_ends_as_soon_as_the_run_is_cancelled() {
    let root = tempfile::tempdir().unwrap();
    let cases = Cases::named(["deaf-1", "deaf-2"]);
    let folder = create(root.path(), &cases);
    let mut options = quick(2);
    options.concurrency.sessions = 1;
    // The one that has the session goes on for as long as the test runs.
    options.pauses.grace = Duration::from_hours(1);
    let (live, cancel) = (options.live.clone(), options.cancel.clone());
    let running = tokio::spawn(runner(cases, Scripted::new(by_name), options).run(folder));
    let begun = || {
        let running = live.board().running;
        running.len() == 2 && running.iter().any(|running| running.stage.cycle == 3)
    };
    while !begun() {
        tokio::task::yield_now().await;
    }
    cancel.cancel();
    let ended = async {
        while live.board().running.len() > 1 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), ended).await.unwrap();
    assert_eq!(live.board().statuses, [(Status::Cancelled, 1)].into());
    running.abort();
}
