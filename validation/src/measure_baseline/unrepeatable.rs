//! Tests whose names differ from run to run.

use std::time::Instant;

use patchwright_protocol::TestId;
use patchwright_test_results::TestReport;

use crate::compare::{TestState, names_now, state_of};
use crate::error::TestHarnessError;
use crate::execution::Selection;
use crate::harness::TestHarness;
use crate::validation::stopped;

/// What another run of all tests shows of those that did not run by their names.
#[derive(Debug, Default)]
pub(super) struct Unrepeatable {
    /// Those whose names differ from run to run.
    pub(super) tests: Vec<TestId>,
    /// Those that pass there.
    pub(super) flaky: Vec<TestId>,
}

/// The tests that did not run although they were asked for by their names.
pub(super) fn not_run<'a>(again: &TestReport, tests: impl Iterator<Item = &'a TestId>) -> Vec<TestId> {
    let is_gone =
        |test: &&TestId| again.outcome(test).is_none() && state_of(again, test) == TestState::Missing;
    if stopped(again).is_some() { Vec::new() } else { tests.filter(is_gone).cloned().collect() }
}

impl TestHarness {
    /// Which of the tests that did `not_run` by their names have others in another run of all, by the first.
    pub(super) async fn unrepeatable(
        &self,
        first: &TestReport,
        not_run: &[TestId],
        left_out: &[TestId],
        until: Option<Instant>,
    ) -> Result<Unrepeatable, TestHarnessError> {
        if not_run.is_empty() {
            return Ok(Unrepeatable::default());
        }
        let _step = self.activity.begin("running the tests once more, for names that change");
        let again = self.run_until(Selection::AllBut(left_out), until).await?;
        if self.is_cut(&again) || stopped(&again).is_some() {
            return Ok(Unrepeatable::default());
        }
        let now = names_now(first, not_run, &again);
        let passes =
            |test: &&TestId| state_of(&again, now.get(*test).copied().unwrap_or(test)) == TestState::Passes;
        let (flaky, failing): (Vec<&TestId>, Vec<&TestId>) = not_run.iter().partition(passes);
        let has_another_name = |test: &&&TestId| again.outcome(test).is_none();
        Ok(Unrepeatable {
            tests: failing.iter().filter(has_another_name).map(|test| (*test).clone()).collect(),
            flaky: flaky.into_iter().cloned().collect(),
        })
    }
}
