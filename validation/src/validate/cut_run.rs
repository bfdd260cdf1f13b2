//! A candidate's run that reaches its limit: what of it counts, and whose fault it is.
//!
//! What fails in it has failed. Where nothing does, the tests that had ended speak for the candidate only if the original takes as long with
//! them now, and if the test in which the run ended comes to its end by itself: no change passes that makes a test hang, or all of them slow.

use std::collections::BTreeSet;

use patchwright_edits::Applied;
use patchwright_protocol::{TestId, Verdict};
use patchwright_test_results::{Ending, TestReport};

use crate::baseline::Baseline;
use crate::compare::{TestState, failing_newly, state_of, still_failing};
use crate::error::TestHarnessError;
use crate::execution::Selection;
use crate::harness::TestHarness;
use crate::measure_baseline::{ended_in_time, files_of};
use crate::validation::{Extent, Validation, evaluate_report, stopped};

/// The original is as slow where it takes this share of the time.
const AS_SLOW: f64 = 0.5;

impl TestHarness {
    /// The validation by a run that reached its limit, in which the tests `left_out` say nothing.
    pub(super) async fn evaluate_cut(
        &self,
        baseline: &Baseline,
        applied: &Applied,
        report: TestReport,
        left_out: &BTreeSet<TestId>,
    ) -> Result<Validation, TestHarnessError> {
        let timed_out = |report: TestReport, message: Option<String>| {
            let still = still_failing(baseline, &report);
            Ok(Validation { message, ..Validation::new(Verdict::TimedOut, report, &still) })
        };
        let can_tell = self.tells_when_cut() && !self.order_matters(baseline);
        let mut ended = report.clone();
        let running: BTreeSet<TestId> = ended
            .outcomes
            .extract_if(.., |outcome| outcome.ending == Ending::CutOff)
            .map(|outcome| outcome.id)
            .collect();
        if running.is_empty() || !can_tell {
            return timed_out(report, None);
        }
        ended.timed_out = false;
        if let Some(failing) = self.failing_by_then(baseline, applied, &ended, left_out).await? {
            return Ok(failing);
        }
        let mut ended = report.clone();
        let ran = ended_in_time(&files_of(&report), &mut ended);
        let of_bug = baseline.failing.iter().filter(|test| ended.outcome(test).is_none());
        let alone: BTreeSet<TestId> = of_bug.cloned().chain(running.iter().cloned()).collect();
        let alone: Vec<TestId> = alone.into_iter().collect();
        let by_itself = self.run(Selection::Only(&alone), Some(applied), baseline.limit).await?;
        if stopped(&by_itself).is_some() {
            let running: Vec<TestId> = running.into_iter().collect();
            let told =
                format!("does not end with the change, by itself either: {}", TestId::listed(&running));
            return timed_out(report, Some(told));
        }
        if ran.is_empty() {
            return timed_out(report, None);
        }
        // Of the time, what went into tests that do not count is none of theirs; all that no test explains is.
        let uncounted = report.test_seconds.iter().filter(|(test, _)| ended.outcome(test).is_none());
        let spent = report.seconds - uncounted.map(|(_, seconds)| seconds).sum::<f64>();
        let without = self.run(Selection::Only(&ran), None, baseline.limit).await?.seconds;
        if without < spent * AS_SLOW {
            let told = format!(
                "tests that take {without:.0} s without the change did not end within {spent:.0} s with it"
            );
            return timed_out(report, Some(told));
        }
        ended.add(by_itself.outcomes);
        let measured: Vec<TestId> = ran.into_iter().chain(alone).collect();
        let found = evaluate_report(&baseline.of_files(measured.clone()), ended, Extent::All, left_out);
        Ok(Validation { measured, ..found })
    }

    /// The validation by what had failed when a run reached its limit, and fails again; `None` where nothing did.
    async fn failing_by_then(
        &self,
        baseline: &Baseline,
        applied: &Applied,
        ended: &TestReport,
        left_out: &BTreeSet<TestId>,
    ) -> Result<Option<Validation>, TestHarnessError> {
        let fails = |test: &TestId| state_of(ended, test) == TestState::Fails;
        let still: Vec<TestId> = baseline.failing.iter().filter(|test| fails(test)).cloned().collect();
        let mut newly = failing_newly(baseline, ended);
        newly.retain(|test| !left_out.contains(test));
        if still.is_empty() && !newly.is_empty() {
            let again = self.run(Selection::Only(&newly), Some(applied), baseline.limit).await?;
            newly.retain(|test| stopped(&again).is_none() && state_of(&again, test) == TestState::Fails);
        }
        let is_refuted = !still.is_empty() || !newly.is_empty();
        let found = || Validation::new(Verdict::Failing, ended.clone(), &still);
        Ok(is_refuted.then(|| Validation { newly_failing: newly, ..found() }))
    }
}
