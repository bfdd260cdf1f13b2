//! What changes are measured by: all tests or, where these take too long, those nearest to the changes.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use patchwright_edits::Edit;
use patchwright_initial_context::{NearTestFiles, near_test_files, predicted_test_files, test_files};
use patchwright_protocol::{Failure, TestId};
use patchwright_validation::{Baseline, TestHarness};

use crate::baseline::{MeasuredBaseline, PendingBaseline};
use crate::context::SessionContext;
use crate::stop::Stop;

/// What the nearest tests may take before any change; where they take longer, those count that ended.
const ENOUGH: Duration = Duration::from_secs(10);

/// The same for the others, where those of the nearest file had ended by then.
const ENOUGH_BESIDE: Duration = Duration::from_secs(5);

/// What the nearest test file may take alone, where none ended before.
const ENOUGH_FOR_ONE: Duration = Duration::from_secs(30);

/// What a run may take with all that comes before its first test, which on a machine with much else to do is more than its tests.
const LONGEST: Duration = Duration::from_mins(2);

/// The share of the time for the tests of a change that those may take which are not its nearest.
const OTHERS: f64 = 0.5;

/// Others are only worth a run where there is so much time left for them, in seconds.
const LEAST_SECONDS: f64 = 2.0;

/// How long a session waits for all tests before any change, where an issue tells of the bug: then those nearest to a change may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WholeSuite {
    /// Until they are through.
    Wait,
    /// Until then. The tests of a candidate may take as long as these were waited for.
    Until {
        /// When waiting ends.
        deadline: Instant,
        /// How long it lasts.
        patience: Duration,
    },
    /// Not at all: a recording ran these, each from some cycle on.
    Recorded(BTreeMap<u32, Vec<TestId>>),
}

/// Who measures changes while nobody waits for all tests.
#[derive(Clone, Copy)]
pub struct TestsOfChanges<'a> {
    /// Where tests are run.
    pub harness: &'a TestHarness,
    /// All tests before any change.
    pub pending: &'a PendingBaseline,
    /// What the issue says.
    pub issue: &'a str,
    /// The test file that a test of the bug is added to.
    pub test_file: Option<&'a str>,
    /// How long all tests are waited for, which the tests of a change may take.
    pub patience: Duration,
}

impl TestsOfChanges<'_> {
    /// What is known of the tests once they are not waited for any longer, for some changes; recorded.
    ///
    /// # Errors
    /// The tests cannot be run, or the trajectory not be written.
    pub async fn first(
        &self,
        context: &mut SessionContext,
        changes: Vec<Vec<Edit>>,
    ) -> Result<Baseline, Stop> {
        let Self { harness, pending, patience, .. } = *self;
        let began = Instant::now();
        let can_be_cut = harness.tells_when_cut();
        if pending.known().is_none() && can_be_cut {
            harness.cut_baseline();
            tokio::select! {
                ended = pending.wait() => drop(ended?),
                () = pending.abandoned() => {}
            }
        }
        let ended = pending.known().map(|measured| &measured.baseline);
        let most = patience.as_secs_f64() * harness.lanes() as f64;
        if ended
            .is_some_and(|all| all.nearest.is_empty() && (!all.failing.is_empty() || all.seconds() <= most))
        {
            return Ok(context.join(pending).await?.clone());
        }
        if let Some(near) = self.further(Baseline::unknown(), changes).await? {
            // The processor is free for what is waited for.
            pending.abandon();
            return record_part(context, near, began);
        }
        if can_be_cut && ended.is_none() {
            let baseline = harness.without_tests().await?;
            let why =
            "none of the project's tests are run: none ended in the time that they have (--baseline-time)"
                .to_owned();
            let seconds = began.elapsed().as_secs_f64();
            let measured = MeasuredBaseline { baseline, is_tested: false, seconds, warnings: vec![why] };
            measured.record(&mut context.journal)?;
            return Ok(measured.baseline);
        }
        Ok(context.join(pending).await?.clone())
    }

    /// The tests nearest to some changes and, as far as there is time for them, others that have ended, with those that are `known`. `None` where
    /// the nearest is among these, or there is none.
    ///
    /// # Errors
    /// The tests cannot be run.
    pub async fn further(&self, known: &Baseline, changes: Vec<Vec<Edit>>) -> Result<Option<Baseline>, Stop> {
        let Self { harness, pending, issue, test_file, patience } = *self;
        let NearTestFiles { tests, mut near, outward } = near_test_files(harness, changes, issue).await?;
        // Who writes a test knows where the others stand that tell of the same.
        if let Some(file) = test_file.filter(|file| harness.project().has_file(file)) {
            near.retain(|path| path != file);
            near.insert(0, file.to_owned());
        }
        let (near, outward) = (harness.tests_of_files(&near), harness.tests_of_files(&outward));
        let first = harness.tests_of_names(tests);
        // Of a file single tests may be known, for the time that it takes.
        let is_known =
            |file: &TestId| known.nearest.iter().any(|test| test.as_str().starts_with(file.as_str()));
        if near.first().is_some_and(is_known) {
            return Ok(None);
        }
        let all = pending.known().map(|measured| &measured.baseline);
        let ended = match (all, pending.near().await) {
            (Some(all), Some(near)) => Some(all.with(near)),
            (one, other) => one.or(other).cloned(),
        };
        let ended_files = ended.as_ref().map(Baseline::files).unwrap_or_default();
        let has_ended = |file: &TestId| ended_files.iter().any(|(ended, _)| ended == file);
        let missing: Vec<TestId> =
            near.iter().filter(|file| !is_known(file) && !has_ended(file)).cloned().collect();
        let enough = if near.first().is_some_and(has_ended) { ENOUGH_BESIDE } else { ENOUGH };
        let mut more = harness.baseline_of(&missing, &first, (enough, LONGEST)).await?;
        if more.is_none() && near.iter().all(|file| !has_ended(file)) {
            // Others say nothing of the change.
            more = harness
                .baseline_of(near.get(..1).unwrap_or_default(), &first, (ENOUGH_FOR_ONE, LONGEST))
                .await?;
        }
        let lanes = harness.lanes() as f64;
        let mut left = patience.as_secs_f64() * lanes * OTHERS - known.seconds();
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
        // No further test files are run if some that import the changed code have ended already.
        let others =
            if left < LEAST_SECONDS || !affordable.is_empty() || known.nearest.is_empty() && more.is_none() {
                None
            } else {
                // What is known to take too long would only keep the others from their turn.
                let fitting = harness.times().fitting(&unknown, left);
                harness.baseline_of(&fitting, &[], (Duration::from_secs_f64(left / lanes), LONGEST)).await?
            };
        let all_tests = ended.as_ref().and_then(|ended| ended.all_tests);
        let all_tests = all_tests.or_else(|| harness.times().whole()?.tests);
        let parts = [
            (!known.nearest.is_empty()).then(|| known.clone()),
            more,
            ended.as_ref().filter(|_| !affordable.is_empty()).map(|ended| ended.of_files(affordable)),
            others,
        ];
        let together = parts.into_iter().flatten().reduce(|all, more| all.with(&more));
        Ok(together.map(|tests| Baseline { all_tests: tests.all_tests.or(all_tests), ..tests }))
    }
}

/// The state of the tests nearest to what an issue speaks of, before anything is changed: a fix will most probably need it. They run beside
/// all others, where there is a lane for them; where all are known to take longer than the `patience` for them, those that take least run
/// behind them. `None` where there is no lane, and where nothing is known of them.
pub async fn nearest_to_issue(
    harness: &TestHarness,
    issue: &str,
    patience: Duration,
) -> Result<Option<Baseline>, Failure> {
    let goes_first = harness.outlasts(patience);
    if !harness.tells_when_cut() || harness.lanes() < 2 && !goes_first {
        return Ok(None);
    }
    let files = predicted_test_files(harness, issue).await?;
    let (mut tests, first) = (harness.tests_of_files(&files.near), harness.tests_of_names(files.tests));
    if goes_first {
        let quickest = harness.times().quickest(harness.tests_of_files(&test_files(harness).await?));
        let behind = quickest.iter().filter(|file| !tests.contains(file));
        tests.extend(harness.times().fitting(behind, patience.as_secs_f64() * harness.lanes() as f64));
    }
    let enough = if goes_first { ENOUGH.max(patience) } else { ENOUGH };
    Ok(harness.baseline_of(&tests, &first, (enough, LONGEST)).await?)
}

/// The state of some tests before any change, as a recording ran them; `None` where none of them ended.
///
/// # Errors
/// The tests cannot be run, or the trajectory not be written.
pub async fn run_recorded(
    context: &mut SessionContext,
    harness: &TestHarness,
    tests: &[TestId],
) -> Result<Option<Baseline>, Stop> {
    let began = Instant::now();
    let found = harness.baseline_of(tests, &[], (Duration::MAX, Duration::MAX)).await?;
    found.map(|found| record_part(context, found, began)).transpose()
}

/// Writes down what is known of some tests, and gives it.
///
/// # Errors
/// The trajectory cannot be written.
pub fn record_part(
    context: &mut SessionContext,
    baseline: Baseline,
    began: Instant,
) -> Result<Baseline, Stop> {
    let seconds = began.elapsed().as_secs_f64();
    let measured = MeasuredBaseline { baseline, is_tested: true, seconds, warnings: Vec::new() };
    measured.record(&mut context.journal)?;
    Ok(measured.baseline)
}
