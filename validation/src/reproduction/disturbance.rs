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
    /// taken from `known`; of a file that takes so long that only some of its tests ran for it, these alone are run. Where none is known,
    /// all of the file runs with the test and without it, side by side where there are lanes. What is found in this way is confirmed by
    /// runs one after the other, since something else may have been in the way of the first.
    ///
    /// # Errors
    /// As [`TestHarness::reproduce`].
    pub async fn disturbed_by(
        &self,
        test: &ReproductionTest,
        known: Option<&Baseline>,
    ) -> Result<Vec<TestId>, TestHarnessError> {
        let Form::Project { added, selection } = &test.form else { return Ok(Vec::new()) };
        if test.makes_file() {
            return Ok(Vec::new());
        }
        let file = layout::selection(self.detected(), &test.path, "", false);
        let known = known.map(|known| passing_in(known, &file)).unwrap_or_default();
        // The original code does not have the new test: a tool may run nothing where one of the names is unknown.
        let (without, with) = match &known {
            Passing::Some(known) => (known.clone(), known.iter().chain(selection).cloned().collect()),
            Passing::All(_) | Passing::Unknown => (file.clone(), file),
        };
        let original = Applied::default();
        let before = || self.run_new(&without, &original, true);
        let after = || self.run_new(&with, added, true);
        let undisturbed = match known {
            Passing::All(known) | Passing::Some(known) => not_passing(known, &after().await?).is_empty(),
            Passing::Unknown if self.lanes() > 1 => {
                let (before, after) = tokio::try_join!(before(), after())?;
                not_passing(before.passing(), &after).is_empty()
            }
            Passing::Unknown => false,
        };
        if undisturbed {
            return Ok(Vec::new());
        }
        let before = before().await?;
        Ok(not_passing(before.passing(), &after().await?))
    }
}

/// What is known of the passing tests of a file.
#[derive(Debug, Default, PartialEq, Eq)]
enum Passing {
    /// All of them.
    All(Vec<TestId>),
    /// Those that were run one by one: the file takes long.
    Some(Vec<TestId>),
    /// None.
    #[default]
    Unknown,
}

/// The passing tests of a file, by its names.
fn passing_in(baseline: &Baseline, file: &[TestId]) -> Passing {
    let names: Vec<String> = file.iter().map(ToString::to_string).collect();
    let passing: Vec<TestId> =
        baseline.passing.iter().filter(|test| is_one_of(test, &names)).cloned().collect();
    if passing.is_empty() {
        Passing::Unknown
    } else if baseline.nearest.is_empty() || file.iter().all(|name| baseline.nearest.contains(name)) {
        Passing::All(passing)
    } else {
        Passing::Some(passing)
    }
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
        let check = |nearest: &[&str], passing: &[TestId], expect: Passing| {
            let nearest = nearest.iter().copied().map(TestId::new).collect();
            let known = Baseline { passing: passing.to_vec(), nearest, ..Baseline::unknown().clone() };
            assert_eq!(passing_in(&known, &file), expect);
        };
        let of_file = passing[..2].to_vec();
        check(&[], &passing, Passing::All(of_file.clone()));
        check(&["tests/test_a.py"], &passing, Passing::All(of_file));
        check(&["tests/test_a.py::test_one"], &passing[..1], Passing::Some(passing[..1].to_vec()));
        check(&["tests/test_ab.py"], &passing[2..], Passing::Unknown);
    }
}
