//! What candidates are measured by: all tests or, where these take too long, those nearest to the change.

use std::time::{Duration, Instant};

use patchwright_edits::Edit;
use patchwright_initial_context::{NearTestFiles, near_test_files};
use patchwright_protocol::{Failure, TestId};
use patchwright_session::{MeasuredBaseline, SessionContext, Stop};
use patchwright_validation::{Baseline, TestHarness};
use serde::Deserialize;
use serde_json::Value;

use crate::loop_setup::{LoopSetup, WholeSuite};

/// What the nearest tests may take before any change; where they take longer, those count that ended.
const ENOUGH: Duration = Duration::from_secs(10);

/// What the nearest test file may take alone, where none ended before.
const ENOUGH_FOR_ONE: Duration = Duration::from_secs(30);

/// What a run may take with all that comes before its first test, which on a machine with much else to do is more than its tests.
const LONGEST: Duration = Duration::from_mins(2);

/// Others are only worth a run where there is so much time left for them, in seconds.
const LEAST_SECONDS: f64 = 2.0;

/// The tests before any change for a call, where they are not `known` or do not suffice for its edits: of all tests as long as these are
/// waited for, else of those that had ended by then and of those nearest to what the call changes. Where they are not `needed`, but would
/// be good to know, they are only waited for.
pub(crate) async fn known_tests(
    context: &mut SessionContext,
    setup: &LoopSetup<'_>,
    known: Option<&Baseline>,
    arguments: &Value,
    needed: bool,
) -> Result<Option<Baseline>, Stop> {
    match &setup.whole_suite {
        WholeSuite::Wait if known.is_some() => Ok(None),
        WholeSuite::Wait => Ok(Some(context.join(setup.session.baseline).await?.clone())),
        WholeSuite::Recorded(by_cycle) => {
            let tests = by_cycle
                .get(&context.cycle)
                .filter(|tests| known.is_none_or(|known| known.nearest != **tests));
            let Some(tests) = tests else { return Ok(None) };
            let began = Instant::now();
            let Some(baseline) =
                setup.session.harness.baseline_of(tests, &[], (Duration::MAX, Duration::MAX)).await?
            else {
                return Ok(None);
            };
            record(context, baseline, began).map(Some)
        }
        WholeSuite::Until { deadline, patience } => {
            let edits = arguments.get("edits").and_then(|edits| Vec::<Edit>::deserialize(edits).ok());
            let Some(known) = known else {
                let ended =
                    tokio::time::timeout_at((*deadline).into(), setup.session.baseline.wait()).await.is_ok();
                return if ended || needed {
                    first(context, setup, *patience, edits.unwrap_or_default()).await.map(Some)
                } else {
                    Ok(None)
                };
            };
            let Some(edits) = edits.filter(|_| !known.nearest.is_empty()) else { return Ok(None) };
            let began = Instant::now();
            match nearest(setup, *patience, known, edits).await? {
                Some(baseline) => record(context, baseline, began).map(Some),
                None => Ok(None),
            }
        }
    }
}

/// What is known of the tests once they are not waited for any longer, for some edits.
async fn first(
    context: &mut SessionContext,
    setup: &LoopSetup<'_>,
    patience: Duration,
    edits: Vec<Edit>,
) -> Result<Baseline, Stop> {
    let began = Instant::now();
    let can_be_cut = setup.session.harness.tells_when_cut();
    if setup.session.baseline.known().is_none() && can_be_cut {
        setup.session.harness.cut_baseline();
        tokio::select! {
            ended = setup.session.baseline.wait() => drop(ended?),
            () = setup.session.baseline.abandoned() => {}
        }
    }
    let ended = setup.session.baseline.known().map(|measured| &measured.baseline);
    let most = patience.as_secs_f64() * setup.session.harness.lanes() as f64;
    if ended.is_some_and(|all| all.nearest.is_empty() && (!all.failing.is_empty() || all.seconds() <= most)) {
        return Ok(context.join(setup.session.baseline).await?.clone());
    }
    if let Some(near) = nearest(setup, patience, Baseline::unknown(), edits).await? {
        // The processor is free for what is waited for.
        setup.session.baseline.abandon();
        return record(context, near, began);
    }
    if can_be_cut && ended.is_none() {
        let baseline = setup.session.harness.without_tests().await?;
        let why =
            "none of the project's tests are run: none ended in the time that they have (--baseline-time)"
                .to_owned();
        let seconds = began.elapsed().as_secs_f64();
        let measured = MeasuredBaseline { baseline, is_tested: false, seconds, warnings: vec![why] };
        measured.record(&mut context.journal)?;
        return Ok(measured.baseline);
    }
    Ok(context.join(setup.session.baseline).await?.clone())
}

/// The tests nearest to some edits and, as far as there is time for them, others that have ended, with those that are `known`. `None` where
/// the nearest is among these, or there is none.
async fn nearest(
    setup: &LoopSetup<'_>,
    patience: Duration,
    known: &Baseline,
    edits: Vec<Edit>,
) -> Result<Option<Baseline>, Stop> {
    let issue = setup.session.task.issue.clone().unwrap_or_default();
    let harness = setup.session.harness;
    let NearTestFiles { tests, near, outward } = near_test_files(harness, edits, &issue).await?;
    let (near, outward) = (harness.tests_of_files(&near), harness.tests_of_files(&outward));
    let first = harness.tests_of_names(tests);
    // Of a file single tests may be known, for the time that it takes.
    let is_known = |file: &TestId| known.nearest.iter().any(|test| test.as_str().starts_with(file.as_str()));
    if near.first().is_some_and(is_known) {
        return Ok(None);
    }
    let all = setup.session.baseline.known().map(|measured| &measured.baseline);
    let ended = match (all, setup.session.baseline.near().await) {
        (Some(all), Some(near)) => Some(all.with(near)),
        (one, other) => one.or(other).cloned(),
    };
    let ended_files = ended.as_ref().map(Baseline::files).unwrap_or_default();
    let has_ended = |file: &TestId| ended_files.iter().any(|(ended, _)| ended == file);
    let missing: Vec<TestId> =
        near.iter().filter(|file| !is_known(file) && !has_ended(file)).cloned().collect();
    let mut more = harness.baseline_of(&missing, &first, (ENOUGH, LONGEST)).await?;
    if more.is_none() && near.iter().all(|file| !has_ended(file)) {
        // Others say nothing of the change.
        more =
            harness.baseline_of(near.get(..1).unwrap_or_default(), &first, (ENOUGH_FOR_ONE, LONGEST)).await?;
    }
    let lanes = harness.lanes() as f64;
    let mut left = patience.as_secs_f64() * lanes - known.seconds();
    left -= more.as_ref().map_or(0.0, Baseline::seconds);
    let order: Vec<&TestId> = near.iter().chain(&outward).collect();
    let place = |file: &TestId| order.iter().position(|near| file.as_str().starts_with(near.as_str()));
    // What no import leads from to the change says least of it, and may take long; where none is known, all may.
    let is_reached = |file: &TestId| outward.is_empty() || place(file).is_some();
    let mut by_nearness: Vec<&(TestId, f64)> =
        ended_files.iter().filter(|(file, _)| is_reached(file)).collect();
    by_nearness.sort_by_key(|(file, _)| place(file).unwrap_or(order.len()));
    let affordable = by_nearness.into_iter().filter(|(file, seconds)| {
        let fits = *seconds <= left || near.contains(file);
        left -= if fits { *seconds } else { 0.0 };
        fits
    });
    let affordable: Vec<TestId> = affordable.map(|(file, _)| file.clone()).collect();
    let unknown = outward.iter().filter(|file| !is_known(file) && !has_ended(file));
    let unknown: Vec<TestId> = unknown.cloned().collect();
    let others =
        if left < LEAST_SECONDS || known.nearest.is_empty() && more.is_none() && affordable.is_empty() {
            None
        } else {
            harness.baseline_of(&unknown, &[], (Duration::from_secs_f64(left / lanes), LONGEST)).await?
        };
    let all_tests = ended.as_ref().and_then(|ended| ended.all_tests);
    let parts = [
        (!known.nearest.is_empty()).then(|| known.clone()),
        more,
        ended.as_ref().filter(|_| !affordable.is_empty()).map(|ended| ended.of_files(affordable)),
        others,
    ];
    let together = parts.into_iter().flatten().reduce(|all, more| all.with(&more));
    Ok(together.map(|tests| Baseline { all_tests: tests.all_tests.or(all_tests), ..tests }))
}

/// The state of the tests nearest to what an issue speaks of, before anything is changed: a fix will most probably need it. They run beside
/// all others, where there is a lane for them. `None` where there is none, and where nothing is known of them.
pub async fn nearest_to_issue(harness: &TestHarness, issue: &str) -> Result<Option<Baseline>, Failure> {
    if harness.lanes() < 2 || !harness.tells_when_cut() {
        return Ok(None);
    }
    let files = near_test_files(harness, Vec::new(), issue).await?;
    let (tests, first) = (harness.tests_of_files(&files.near), harness.tests_of_names(files.tests));
    Ok(harness.baseline_of(&tests, &first, (ENOUGH, LONGEST)).await?)
}

/// Writes down what is known of some tests, and gives it.
fn record(context: &mut SessionContext, baseline: Baseline, began: Instant) -> Result<Baseline, Stop> {
    let seconds = began.elapsed().as_secs_f64();
    let measured = MeasuredBaseline { baseline, is_tested: true, seconds, warnings: Vec::new() };
    measured.record(&mut context.journal)?;
    Ok(measured.baseline)
}
