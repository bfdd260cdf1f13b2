//! The run of all tests, and what is kept of it where it does not come to its end.

use std::collections::BTreeSet;
use std::time::Instant;

use patchwright_detection::adapters;
use patchwright_protocol::TestId;
use patchwright_test_results::{Ending, TestOutcome, TestReport, TestStatus, is_one_of, meant};

use super::broken;
use super::parts::ended_in_time;
use crate::baseline::file_of;
use crate::error::TestHarnessError;
use crate::execution::Selection;
use crate::harness::TestHarness;

/// Tests that may hang, one run each, before the whole is given up.
const HANGING: usize = 3;

impl TestHarness {
    /// Runs all tests. A test is left out in the next attempt if it is one of those given and hangs, or if it ends the whole
    /// run: then the others have their turn.
    pub(super) async fn whole_run(
        &self,
        given: &[String],
        until: Option<Instant>,
        notes: &mut Vec<String>,
    ) -> Result<TestReport, TestHarnessError> {
        let limit = self.spec().timeout;
        let can_skip = adapters::of(self.spec().kind).can_skip();
        let mut gone: Vec<TestOutcome> = Vec::new();
        loop {
            let skipped: Vec<TestId> = gone.iter().map(|outcome| outcome.id.clone()).collect();
            let all = match &self.recorded {
                Some(recorded) if !recorded.ended.is_empty() => Selection::Only(&recorded.ended),
                Some(_) | None => Selection::AllBut(&skipped),
            };
            let mut report = self.run_until(all, until).await?;
            if self.is_cut(&report) {
                return Ok(report);
            }
            let is_broken = broken::is_broken(self.spec(), &report, given);
            if report.build_failed() || !(report.timed_out || is_broken) {
                report.add(gone);
                return Ok(report);
            }
            // At its limit a run may be among tests that only are many; what ends a run is the test in which it ends.
            let may_go = |test: &TestId| {
                can_skip
                    && gone.len() < HANGING
                    && !skipped.contains(test)
                    && (is_broken || is_one_of(test, given))
            };
            match report.interrupted_in.clone() {
                Some(test) if may_go(&test) => {
                    let (ending, note, message) = if is_broken && !broken::is_overdue(&report) {
                        let with = &report.ending;
                        let message = format!("the whole run ends with {with} in this test");
                        (Ending::BrokeRun, format!("ends the whole run with {with}"), message)
                    } else {
                        let limit =
                            if is_broken { "its limit".to_owned() } else { format!("{} s", limit.as_secs()) };
                        let message = format!("the test did not end within {limit}");
                        (Ending::Hung, "does not end".to_owned(), message)
                    };
                    notes.push(format!("`{test}` {note}; the others were run without it"));
                    let outcome = TestOutcome::new(test.as_str(), TestStatus::Error).with_ending(ending);
                    gone.push(outcome.with_message(message));
                }
                _ if is_broken => return Err(broken::error(report)),
                // Those that had ended count.
                _ if self.tells_when_cut() && has_ended(&report) => return Ok(report),
                running => {
                    return Err(TestHarnessError::TimedOut { limit, running, report: Box::new(report) });
                }
            }
        }
    }

    /// Of a run that reached its limit, keeps the files whose tests had all ended, with the tests that were given, and names them; none of a run
    /// that came to its end.
    pub(super) async fn keep_ended(
        &self,
        report: &mut TestReport,
        given: &[String],
        until: Option<Instant>,
        notes: &mut Vec<String>,
    ) -> Result<Vec<TestId>, TestHarnessError> {
        if !report.timed_out {
            return Ok(Vec::new());
        }
        let mut kept = ended_in_time(&files_of(report), report);
        let ended = report.outcomes.len();
        let all = report.collected.map(|all| format!(" of {all}")).unwrap_or_default();
        notes.push(format!(
            "the tests do not all end within {} s: the {ended}{all} tests of {} files that had ended by then count, and no others are run \
             (--timeout TIME gives them more)",
            self.spec().timeout.as_secs(),
            kept.len()
        ));
        let known: Vec<TestId> = report.outcomes.iter().map(|outcome| outcome.id.clone()).collect();
        let given = given.iter().filter(|name| meant(name, &known).is_empty());
        let given: Vec<TestId> = given.map(TestId::new).collect();
        if !given.is_empty() {
            let alone = self.run_until(Selection::Only(&given), until).await?;
            report.add(alone.outcomes);
            kept.extend(given);
        }
        Ok(kept)
    }
}

/// Is true if a test of a run had come to its end.
fn has_ended(report: &TestReport) -> bool {
    report.outcomes.iter().any(|outcome| outcome.ending == Ending::Completed)
}

/// The files, modules or classes of the tests in a report.
pub(crate) fn files_of(report: &TestReport) -> Vec<TestId> {
    let files: BTreeSet<TestId> = report.outcomes.iter().map(|outcome| file_of(&outcome.id)).collect();
    files.into_iter().collect()
}
