//! What validation finds out about a candidate.

mod counts;

use std::borrow::Cow;
use std::collections::BTreeSet;

use patchwright_edits::TamperingSign;
use patchwright_protocol::{Confirmation, ReproductionOutcome, StandIn, TestId, Verdict};
use patchwright_test_results::{Build, TestReport};

use crate::baseline::Baseline;
use crate::compare::{TestState, failing_newly, newly_failing, replaced, state_of, still_failing};

/// The extent of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// It was of the tests that show the bug.
    Failing,
    /// It was of some tests, or ended before all had their turn.
    Part,
    /// It was of all tests.
    All,
}

/// The result of validating a candidate.
#[derive(Clone, Debug)]
pub struct Validation {
    /// The finding.
    pub verdict: Verdict,
    /// Of the tests that show the bug those that do not pass.
    pub still_failing: Vec<TestId>,
    /// Tests that should pass and do not: failing now and not before, or passing before and missing now.
    pub newly_failing: Vec<TestId>,
    /// Tests that passed before, fail now, and were said to be outdated.
    pub outdated: Vec<TestId>,
    /// Tests that failed once and passed when run again. They count for nothing.
    pub flaky: Vec<TestId>,
    /// What the tests that were written to reproduce the bug say.
    pub reproductions: Vec<ReproductionOutcome>,
    /// The files, modules or classes, and single tests, whose tests alone say something, where a run reached its limit; empty where all do.
    pub measured: Vec<TestId>,
    /// Why what was run does not say what it seems to say.
    pub message: Option<String>,
    /// The signs that a change which passes tampers with what judges it. Others are not searched for any.
    pub tampering: Vec<TamperingSign>,
    /// Whether the project's own test tool confirmed a plausible candidate, where that was asked.
    pub confirmation: Option<Confirmation>,
    /// The run that decided.
    pub report: TestReport,
    /// Is true if the verdict is that of an equal candidate, and nothing was run.
    pub shared: bool,
    /// Wall-clock seconds that it took.
    pub seconds: f64,
    /// A name for what was compiled, where a worker told it.
    pub compiled: Option<String>,
}

/// The validation by a run alone. The tests `left_out` had no part in it.
pub fn evaluate_report(
    baseline: &Baseline,
    report: TestReport,
    extent: Extent,
    left_out: &BTreeSet<TestId>,
) -> Validation {
    let still = still_failing(baseline, &report);
    if let Some(verdict) = stopped(&report) {
        return Validation::new(verdict, report, &still);
    }
    let mut newly = match extent {
        Extent::Failing => Vec::new(),
        Extent::Part => failing_newly(baseline, &report),
        Extent::All => newly_failing(baseline, &report),
    };
    newly.retain(|test| !left_out.contains(test));
    let mut report = report;
    newly.extend(report.accuse(&baseline.report.bent));
    let mut found = Validation { newly_failing: newly, ..Validation::new(Verdict::Failing, report, &still) };
    found.decide(extent);
    found
}

impl Validation {
    /// What it is measured by: the baseline, or that part of it whose tests ended.
    pub(crate) fn measure<'b>(&self, baseline: &'b Baseline) -> Cow<'b, Baseline> {
        if self.measured.is_empty() {
            return Cow::Borrowed(baseline);
        }
        let all_tests = baseline.all_tests.or(Some(baseline.report.outcomes.len() as u64));
        Cow::Owned(Baseline { all_tests, ..baseline.of_files(self.measured.clone()) })
    }

    /// Is true if a test that reproduces the bug refutes it and another one does not, or if to ask the tests that passed before costs
    /// little: a reproduction test may be wrong, and what they say then tells candidates apart.
    pub(crate) fn may_be_right(&self, baseline: &Baseline) -> bool {
        let is_accepted = || self.reproductions.iter().any(|outcome| outcome.passes);
        self.verdict == Verdict::Failing
            && !baseline.passing.is_empty()
            && (is_accepted() || !baseline.is_long())
    }

    /// Is true if some of the failing tests pass and others do not, so that it matters whether all others still pass, which costs little.
    pub(crate) fn repairs_some(&self, baseline: &Baseline) -> bool {
        let some = !self.still_failing.is_empty() && self.still_failing.len() < baseline.failing.len();
        self.verdict == Verdict::Failing && some && !self.others_ran(baseline) && !baseline.is_long()
    }

    /// Takes in what the project's own tests say of a candidate that is refuted already.
    pub(crate) fn join(&mut self, others: Self) {
        if others.verdict.is_tested() {
            let of_others = others.still_failing.into_iter();
            let new: Vec<TestId> = of_others.filter(|test| !self.still_failing.contains(test)).collect();
            self.still_failing.extend(new);
            self.newly_failing = others.newly_failing;
            self.flaky = others.flaky;
            let known: BTreeSet<TestId> =
                self.report.outcomes.iter().map(|outcome| outcome.id.clone()).collect();
            let new = others.report.outcomes.into_iter().filter(|outcome| !known.contains(&outcome.id));
            self.report.outcomes.extend(new);
        }
    }

    pub(crate) fn new(verdict: Verdict, report: TestReport, still_failing: &[TestId]) -> Self {
        Self {
            verdict,
            still_failing: still_failing.to_vec(),
            newly_failing: Vec::new(),
            outdated: Vec::new(),
            flaky: Vec::new(),
            reproductions: Vec::new(),
            measured: Vec::new(),
            message: None,
            tampering: Vec::new(),
            confirmation: None,
            report,
            shared: false,
            seconds: 0.0,
            compiled: None,
        }
    }

    /// The final validation, when all tests were run in their natural order as well; for a candidate that failed, if `was_rechecked`.
    /// That is done for as many candidates as there is time for, so where it shows nothing else it adds nothing.
    pub(crate) fn confirmed(mut self, was_rechecked: bool, natural: Self) -> Self {
        if natural.verdict == Verdict::Failing && was_rechecked {
            if self.newly_failing.is_empty() {
                return self;
            }
            let fails = |test: &TestId| natural.newly_failing.contains(test);
            if natural.still_failing.is_empty() && self.newly_failing.iter().any(fails) {
                self.newly_failing.retain(fails);
                return self;
            }
        }
        let Self { flaky, compiled, .. } = self;
        let mut found = Self { compiled, ..natural };
        found.flaky.extend(flaky);
        found.flaky.sort();
        found.flaky.dedup();
        found
    }

    /// Refuses what only passes because others stand in the place of the tests that show the bug, as another run with the same change tells.
    pub(crate) fn refuse_replaced(&mut self, baseline: &Baseline, other: &TestReport) {
        if self.verdict == Verdict::Plausible {
            self.still_failing = replaced(baseline, other, &self.report);
            self.decide(Extent::All);
        }
    }

    /// Is true if the verdict stands, whatever the tests would show that were not run.
    pub fn is_decided(&self) -> bool {
        self.verdict != Verdict::Failing || !self.still_failing.is_empty() || !self.newly_failing.is_empty()
    }

    /// Tests that decide about the candidate and may not be sure of themselves.
    pub fn unconfirmed(&self) -> &[TestId] {
        let is_sure = self.newly_failing.iter().any(|test| test.stand_in() == Some(StandIn::TestTools));
        if self.still_failing.is_empty() && !is_sure { &self.newly_failing } else { &[] }
    }

    /// Takes in what became of the unconfirmed tests when they were run again.
    pub fn apply_rerun(&mut self, again: &TestReport, extent: Extent) {
        if stopped(again).is_none() {
            let newly = std::mem::take(&mut self.newly_failing);
            (self.flaky, self.newly_failing) =
                newly.into_iter().partition(|test| state_of(again, test) == TestState::Passes);
            self.decide(extent);
        }
    }

    pub(crate) fn decide(&mut self, extent: Extent) {
        let passed = extent == Extent::All && self.still_failing.is_empty() && self.newly_failing.is_empty();
        self.verdict = if passed { Verdict::Plausible } else { Verdict::Failing };
    }
}

/// The verdict of a run that says nothing about tests.
pub(crate) fn stopped(report: &TestReport) -> Option<Verdict> {
    match &report.build {
        _ if report.timed_out => Some(Verdict::TimedOut),
        Build::Failed { .. } => Some(Verdict::DoesNotCompile),
        Build::NotNeeded | Build::Ok => None,
    }
}
