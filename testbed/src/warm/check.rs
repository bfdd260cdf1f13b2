//! Comparing a worker with the baseline before its first verdict.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use patchwright_code::Applied;

use super::Ready;
use super::judge::{Request, Scope};
use super::pace::Pace;
use crate::baseline::{Baseline, Expected};
use crate::bed::TestBed;
use crate::error::TestBedError;
use crate::measures::Haste;
use crate::outcome::{Status, TestId, TestOutcome};
use crate::report::TestReport;

/// The check may take this many times what the baseline took, and something to start with.
const TIMES: f64 = 2.0;
const START: f64 = 10.0;

/// What the comparison has shown.
pub(super) struct Checked {
    expected: Expected,
    pub(super) known: Arc<Known>,
}

/// What candidates are measured by in a worker.
pub(super) struct Known {
    /// The baseline; where the project's own command does not name the tests that pass, with their names.
    pub(super) baseline: Baseline,
    /// Tests that come out otherwise in a worker, or were not reached. They are never run there.
    pub(super) left_out: BTreeSet<TestId>,
}

impl Checked {
    pub(super) fn is_of(&self, baseline: &Baseline) -> bool {
        self.expected.knows_outcomes_of(baseline)
    }
}

impl TestBed {
    /// Runs the unchanged code in a worker, as candidates will be. Otherwise why no worker is to be used.
    pub(super) async fn check(
        &self,
        ready: &mut Ready,
        baseline: &Baseline,
    ) -> Result<Result<Checked, String>, TestBedError> {
        let limit = Duration::from_secs_f64(baseline.report.seconds.max(0.0) * TIMES + START);
        let pace = Pace::of_check(limit);
        let unchanged = Applied { files: Vec::new(), notes: Vec::new(), comment_only: false };
        let mut request = Request::new(self, ready, &unchanged, &pace, Haste::Thorough);
        // What does not end there would not end here.
        let hanging = baseline.hanging();
        let ending: Vec<TestId> =
            baseline.failing.iter().filter(|test| !hanging.contains(test)).cloned().collect();
        if !ending.is_empty() {
            match request.run(Scope::Only(&ending)).await {
                Ok(Some(report)) if report.complete => {}
                Ok(_) => {
                    return Ok(Err(
                        "the tests that show the bug do not run to their end in a worker".to_owned()
                    ));
                }
                Err(gone) => return Ok(Err(gone.to_string())),
            }
        }
        let report = match request.run(Scope::AllBut(&baseline.failing)).await {
            Ok(Some(report)) => report,
            Ok(None) => return Ok(Err("the tests do not run to their end in a worker".to_owned())),
            Err(gone) => return Ok(Err(gone.to_string())),
        };
        let known = named(baseline, &report).and_then(|baseline| {
            let left_out = compare(&baseline, &report, &hanging)?;
            Ok(Arc::new(Known { baseline, left_out }))
        });
        Ok(known.map(|known| Checked { expected: Expected::of(baseline), known }))
    }
}

/// The baseline with the names of the tests that pass, where only their number was told: it has to be the same.
fn named(baseline: &Baseline, report: &TestReport) -> Result<Baseline, String> {
    let before = baseline.report.unlisted_passed;
    if before == 0 {
        return Ok(baseline.clone());
    }
    let known = |test: &TestId| baseline.report.outcome(test).is_some();
    let passing =
        report.outcomes.iter().filter(|outcome| outcome.status == Status::Passed && !known(&outcome.id));
    let passing: Vec<TestOutcome> = passing.cloned().collect();
    if passing.len() != before {
        return Err(format!(
            "{} tests pass in a worker that the command does not name, and {before} there",
            passing.len()
        ));
    }
    let mut named = baseline.clone();
    named.passing.extend(passing.iter().map(|outcome| outcome.id.clone()));
    named.report.outcomes.extend(passing);
    named.report.outcomes.sort_by(|one, other| one.id.cmp(&other.id));
    named.report.unlisted_passed = 0;
    Ok(named)
}

/// The tests with another status than in the baseline. Those that show the bug must have the same, but for those that hang,
/// which were not run.
fn compare(baseline: &Baseline, report: &TestReport, hanging: &[TestId]) -> Result<BTreeSet<TestId>, String> {
    let mut differing = BTreeSet::new();
    for before in &baseline.report.outcomes {
        let now = report.outcome(&before.id).map(|outcome| outcome.status);
        if now != Some(before.status) && !hanging.contains(&before.id) {
            differing.insert(before.id.clone());
        }
    }
    let known = |test: &TestId| baseline.report.outcome(test).is_some();
    differing.extend(report.failing().into_iter().filter(|test| !known(test)));
    if let Some(test) = baseline.failing.iter().find(|test| differing.contains(*test)) {
        return Err(format!("`{test}` comes out otherwise in a worker, without any change"));
    }
    // Then it is not single tests that are special.
    if differing.len() * 2 > baseline.report.outcomes.len() {
        return Err(format!("{} of the tests come out otherwise in a worker", differing.len()));
    }
    Ok(differing)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn report(outcomes: &[(&str, Status)]) -> TestReport {
        let outcomes = outcomes.iter().map(|(id, status)| TestOutcome::new(*id, *status)).collect();
        TestReport { outcomes, complete: true, ..TestReport::empty(String::new()) }
    }

    #[test]
    fn what_differs_is_left_out() {
        let before = report(&[("bug", Status::Failed), ("one", Status::Passed), ("two", Status::Passed)]);
        let baseline = Baseline {
            passing: before.passing(),
            report: before,
            failing: vec![TestId::new("bug")],
            known_failing: Vec::new(),
            flaky: Vec::new(),
            left_out: Vec::new(),
            order_matters: false,
            notes: Vec::new(),
            limit: Duration::from_secs(1),
        };
        let check = |now: &[(&str, Status)], expect: Result<&[&str], &str>| {
            let found = compare(&baseline, &report(now), &[]);
            let expect = expect.map(|names| names.iter().map(|name| TestId::new(*name)).collect());
            match (found, expect) {
                (Ok(found), expect) => assert_eq!(Ok(found), expect, "{now:?}"),
                (Err(found), Err(part)) => assert!(found.contains(part), "{found}"),
                (Err(found), Ok(_)) => panic!("{found}"),
            }
        };
        let (p, f, e) = (Status::Passed, Status::Failed, Status::Error);
        check(&[("bug", f), ("one", p), ("two", p)], Ok(&[]));
        check(&[("bug", f), ("one", p), ("two", e)], Ok(&["two"]));
        check(&[("bug", f), ("one", p)], Ok(&["two"]));
        check(&[("bug", p), ("one", p), ("two", p)], Err("`bug` comes out otherwise"));
        check(&[("bug", f), ("one", f), ("two", f)], Err("2 of the tests"));
    }
}
