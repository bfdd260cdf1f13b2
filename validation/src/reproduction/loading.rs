//! Files of tests that cannot be loaded where the tests run: a new test in one of them, or one that imports the same, would not run either.

use std::time::Duration;

use patchwright_edits::Applied;
use patchwright_protocol::TestId;
use patchwright_test_results::{Build, TestOutcome, TestReport};

use super::evidence::EXCEPTION;
use crate::error::TestHarnessError;
use crate::execution::Selection;
use crate::harness::TestHarness;

/// A file of tests that cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnloadableTests {
    /// The file.
    pub path: String,
    /// Why, in a line.
    pub why: String,
}

impl TestHarness {
    /// Runs the tests of some files on the original code, for so long at most, and tells which of the files cannot be loaded. Nothing where the
    /// time does not do.
    ///
    /// # Errors
    /// The sandbox or the disk.
    pub async fn unloadable_tests(
        &self,
        files: &[String],
        limit: Duration,
    ) -> Result<Vec<UnloadableTests>, TestHarnessError> {
        let _step = self.activity.begin("running tests that the project has");
        let mut unloadable = Vec::new();
        let named: Vec<(&String, Vec<TestId>)> =
            files.iter().map(|file| (file, self.tests_of_files(std::slice::from_ref(file)))).collect();
        let all: Vec<TestId> = named.iter().flat_map(|(_, tests)| tests.clone()).collect();
        if all.is_empty() {
            return Ok(unloadable);
        }
        let report = self.run(Selection::Only(&all), None::<&Applied>, limit).await?;
        for (path, tests) in named {
            let is_of_file =
                |outcome: &&TestOutcome| outcome.status.is_failing() && tests.contains(&outcome.id);
            let why = match report.outcomes.iter().find(is_of_file) {
                Some(outcome) => Some(last_error(outcome)),
                None => not_built(&report).or_else(|| broken_off(&report)),
            };
            unloadable.extend(why.map(|why| UnloadableTests { path: path.clone(), why }));
        }
        Ok(unloadable)
    }
}

/// Why nothing was built, where that is so.
fn not_built(report: &TestReport) -> Option<String> {
    match &report.build {
        Build::Failed { errors, .. } => {
            let first = errors.first().map(|error| error.message.lines().next().unwrap_or_default());
            Some(format!("it does not compile: {}", first.unwrap_or("the build fails")))
        }
        Build::NotNeeded | Build::Ok => None,
    }
}

/// Why a run ended before it came to any test, where its output says so: what all tests load cannot be loaded.
pub(super) fn broken_off(report: &TestReport) -> Option<String> {
    if !report.outcomes.is_empty() || report.complete || report.timed_out {
        return None;
    }
    let lines = || report.log.lines().rev();
    let marked = lines().find_map(|line| line.strip_prefix("E "));
    let named = || lines().find(|line| EXCEPTION.is_match(line.trim()));
    marked.or_else(named).map(|line| line.trim().to_owned())
}

/// The error that a file of tests ends with: of several the last, which the others led to.
pub(super) fn last_error(outcome: &TestOutcome) -> String {
    let trace = outcome.trace.as_deref().unwrap_or_default();
    let error = trace.lines().rev().find_map(|line| line.strip_prefix("E "));
    let message = || outcome.message.as_deref().and_then(|text| text.lines().next()).unwrap_or_default();
    error.map_or_else(message, str::trim).to_owned()
}
