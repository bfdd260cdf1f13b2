//! Counting the tests that ran with a candidate.

use std::collections::BTreeSet;

use patchwright_protocol::{RunCounts, Tally, TestId, TestsRun, ValidationResult};
use patchwright_test_results::{TEST_COMMAND, TestReport, TestStatus};

use super::Validation;
use crate::baseline::Baseline;
use crate::compare::{TestState, names_now, state_of};

impl Validation {
    /// Is true if any test but those that show the bug was run: validation stops when one of them still fails.
    pub fn others_ran(&self, baseline: &Baseline) -> bool {
        let ran = |test| self.report.outcome(test).is_some();
        baseline.passing.is_empty() || baseline.passing.iter().any(ran)
    }

    /// The part of it that is recorded.
    pub fn result(&self, baseline: &Baseline) -> ValidationResult {
        let counts = || TestsRun::Counted(Box::new(self.counts(&self.measure(baseline))));
        ValidationResult {
            verdict: self.verdict,
            still_failing: self.still_failing.clone(),
            newly_failing: self.newly_failing.clone(),
            outdated: self.outdated.clone(),
            tests_run: self.verdict.is_tested().then(counts),
            duplicate_of: None,
            message: self.message.clone(),
            reproductions: self.reproductions.clone(),
            confirmation: self.confirmation,
            seconds: self.seconds,
        }
    }

    /// The tests of the run that decided, each counted once.
    fn counts(&self, baseline: &Baseline) -> RunCounts {
        let flaky: BTreeSet<&TestId> = baseline.flaky.iter().chain(&self.flaky).collect();
        let left_out: BTreeSet<&TestId> = baseline.left_out.iter().collect();
        let mut counts = RunCounts {
            showing: self.showing(baseline),
            by_command: baseline
                .passing
                .iter()
                .chain(&baseline.failing)
                .any(|test| test.as_str() == TEST_COMMAND),
            nearest: baseline.nearest.clone(),
            all_tests: baseline.all_tests,
            ignored: ran(&self.report, &baseline.known_failing),
            flaky: flaky.len() as u64,
            set_aside: ran(&self.report, &baseline.set_aside),
            left_out: left_out.len() as u64,
            ..RunCounts::default()
        };
        let decides: BTreeSet<&TestId> = self.newly_failing.iter().chain(&self.outdated).collect();
        let now = names_now(&baseline.report, &baseline.passing, &self.report);
        for test in &baseline.passing {
            if flaky.contains(test) || left_out.contains(test) {
                continue;
            }
            let name = now.get(test).copied().unwrap_or(test);
            match outcome_of(&self.report, name) {
                TestState::Fails if !decides.contains(name) => counts.excused += 1,
                state => count(&mut counts.others, state),
            }
        }
        self.count_unnamed(baseline, &mut counts);
        counts
    }

    fn showing(&self, baseline: &Baseline) -> Tally {
        let now = names_now(&baseline.report, &baseline.unrepeatable, &self.report);
        let mut tally = Tally::default();
        for test in &baseline.failing {
            let state = match state_of(&self.report, now.get(test).copied().unwrap_or(test)) {
                // Another test stands in its place.
                TestState::Passes if self.still_failing.contains(test) => TestState::Fails,
                state => state,
            };
            count(&mut tally, state);
        }
        tally
    }

    /// Counts the tests whose names neither run tells: a tool may only name those that fail. Of these, one that broke is a test that passed
    /// before without a name.
    fn count_unnamed(&self, baseline: &Baseline, counts: &mut RunCounts) {
        let unnamed = baseline.report.unlisted_passed as u64;
        if unnamed == 0 {
            return;
        }
        let broken = self.newly_failing.iter().chain(&self.outdated);
        let broken =
            broken.filter(|test| self.report.outcome(test).is_some_and(|one| one.status.is_failing()));
        let failed = (broken.count() as u64).min(unnamed);
        // Tests that show the bug and pass now have lost their names.
        let listed = |test: &&TestId| self.report.outcome(test).is_none();
        let repaired = baseline.failing.iter().filter(listed).count().min(self.report.unlisted_passed);
        let passed = (self.report.unlisted_passed - repaired) as u64;
        let passed = passed.min(unnamed - failed);
        counts.others.passed += passed;
        counts.others.failed += failed;
        counts.others.not_run += unnamed - failed - passed;
    }
}

/// The outcome of a test that passed before. Unlike with [`state_of`], no other name stands for it, so that counting many is quick.
fn outcome_of(report: &TestReport, test: &TestId) -> TestState {
    match report.outcome(test).map(|outcome| outcome.status) {
        Some(TestStatus::Passed) => TestState::Passes,
        Some(TestStatus::Failed | TestStatus::Error) => TestState::Fails,
        // A tool that only names what fails has run it.
        None if report.complete && report.unlisted_passed > 0 => TestState::Passes,
        Some(TestStatus::Skipped) | None => TestState::Missing,
    }
}

fn count(tally: &mut Tally, state: TestState) {
    *match state {
        TestState::Passes => &mut tally.passed,
        TestState::Fails => &mut tally.failed,
        TestState::Missing => &mut tally.not_run,
    } += 1;
}

/// The number of some tests that have an outcome in a report.
fn ran(report: &TestReport, tests: &[TestId]) -> u64 {
    tests.iter().filter(|test| report.outcome(test).is_some()).count() as u64
}
