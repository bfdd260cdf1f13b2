//! What a reproduction test does to the other tests of its file.

use patchwright_edits::Applied;
use patchwright_protocol::TestId;
use patchwright_test_results::{TestReport, is_one_of};

use super::layout;
use crate::baseline::Baseline;
use crate::compare::{TestState, state_of};
use crate::error::TestHarnessError;
use crate::harness::TestHarness;
use crate::reproduction_test::{Form, ReproductionTest};

impl TestHarness {
    /// The tests of a file that pass on the original code, and do not once a reproduction test is added at its end. Those that pass are
    /// taken from `known` where all tests of the file ran for it, else both runs are made side by side where there are lanes. What is found
    /// in this way is confirmed by runs one after the other, since something else may have been in the way of the first.
    ///
    /// # Errors
    /// As [`TestHarness::reproduce`].
    pub async fn disturbed_by(
        &self,
        test: &ReproductionTest,
        known: Option<&Baseline>,
    ) -> Result<Vec<TestId>, TestHarnessError> {
        let Form::Project { added, .. } = &test.form else { return Ok(Vec::new()) };
        if test.makes_file() {
            return Ok(Vec::new());
        }
        let file = layout::selection(self.detected(), &test.path, "", false);
        let original = Applied::default();
        let run = |change| self.run_new(&file, change, true);
        let known = known.map(|known| passing_in(known, &file)).unwrap_or_default();
        let undisturbed = if !known.is_empty() {
            not_passing(known, &run(added).await?).is_empty()
        } else if self.lanes() > 1 {
            let (before, after) = tokio::try_join!(run(&original), run(added))?;
            not_passing(before.passing(), &after).is_empty()
        } else {
            false
        };
        if undisturbed {
            return Ok(Vec::new());
        }
        let before = run(&original).await?;
        Ok(not_passing(before.passing(), &run(added).await?))
    }
}

/// The passing tests of a file, by its names; none where only some tests of the file are known.
fn passing_in(baseline: &Baseline, file: &[TestId]) -> Vec<TestId> {
    if !baseline.nearest.is_empty() && !file.iter().all(|name| baseline.nearest.contains(name)) {
        return Vec::new();
    }
    let names: Vec<String> = file.iter().map(ToString::to_string).collect();
    baseline.passing.iter().filter(|test| is_one_of(test, &names)).cloned().collect()
}

/// Those of the tests that do not pass in a run.
fn not_passing(tests: Vec<TestId>, report: &TestReport) -> Vec<TestId> {
    tests.into_iter().filter(|test| state_of(report, test) != TestState::Passes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passing_tests_of_a_file_are_known_where_all_of_it_ran() {
        let tests =
            ["tests/test_a.py::test_one", "tests/test_a.py::C::test_two", "tests/test_ab.py::test_one"];
        let passing: Vec<TestId> = tests.into_iter().map(TestId::new).collect();
        let file = [TestId::new("tests/test_a.py")];
        let check = |nearest: &[&str], expect: &[TestId]| {
            let nearest = nearest.iter().copied().map(TestId::new).collect();
            let known = Baseline { passing: passing.clone(), nearest, ..Baseline::unknown().clone() };
            assert_eq!(passing_in(&known, &file), expect);
        };
        check(&[], &passing[..2]);
        check(&["tests/test_a.py"], &passing[..2]);
        check(&["tests/test_a.py::test_one"], &[]);
    }
}
