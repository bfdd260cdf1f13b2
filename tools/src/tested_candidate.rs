//! A candidate with its verdict, as the tools keep it.

use std::ops::Deref;

use patchwright_edits::Edit;
use patchwright_protocol::{
    Candidate, Confirmation, ReproductionOutcome, TestId, Unconfirmable, ValidationResult, Verdict,
};
use patchwright_validation::{Baseline, ReproductionRun, ReproductionTest, Validation};

use crate::settings::ToolSettings;

/// A candidate with what the tools need of it beside its record.
#[derive(Debug, Clone, PartialEq)]
pub struct TestedCandidate {
    /// What was suggested, and its verdict.
    pub candidate: Candidate,
    /// The edits as they were asked for.
    pub edits: Vec<Edit>,
    /// The signs that it tampers with the tests, each a sentence without its full stop; searched for where it passes.
    pub tampering: Vec<String>,
    /// The test report as a model sees it; empty where it was not tested.
    pub report: String,
}

impl Deref for TestedCandidate {
    type Target = Candidate;

    fn deref(&self) -> &Candidate {
        &self.candidate
    }
}

impl TestedCandidate {
    /// Keeps what validation found.
    pub(crate) fn conclude(&mut self, validation: &Validation, baseline: &Baseline, settings: &ToolSettings) {
        let Validation { report, still_failing, newly_failing, .. } = validation;
        let decides = |test: &TestId| still_failing.contains(test) || newly_failing.contains(test);
        self.report = if still_failing.is_empty() && newly_failing.is_empty() {
            report.render(settings.report_bytes)
        } else {
            report.render_those(decides, settings.report_bytes)
        };
        self.tampering = validation.tampering.iter().map(ToString::to_string).collect();
        self.candidate.validation = Some(validation.result(baseline));
    }

    /// Takes in what a new reproduction test says of it: if it passes, a candidate that no test spoke for before is plausible, unless there
    /// is a `doubt` that it says anything.
    pub(crate) fn take_in(
        &mut self,
        test: &ReproductionTest,
        run: &ReproductionRun,
        doubt: Option<String>,
        settings: &ToolSettings,
    ) {
        let passes = run.passes(&test.failing);
        let Some(found) = &mut self.candidate.validation else { return };
        if doubt.is_some() {
            found.message = doubt;
            return;
        }
        found.reproductions.push(ReproductionOutcome { test: test.id, passes });
        found.seconds = run.report.seconds;
        if passes {
            found.verdict = Verdict::Plausible;
            // Only our runner has run the new test.
            found.confirmation.get_or_insert(Confirmation::No { because: Unconfirmable::WrittenTests });
        } else {
            found.verdict = Verdict::Failing;
            found.confirmation = None;
            found.still_failing.extend(run.still_failing(&test.failing));
            self.report = run.report.render(settings.report_bytes);
        }
    }

    /// Is true if a test that was written to reproduce the bug passes, and all that speaks against it are tests that passed before: they may
    /// ask for what the issue calls wrong.
    pub(crate) fn contradicts_old_tests(&self) -> bool {
        let Some(found) = &self.validation else { return false };
        found.verdict == Verdict::Failing
            && found.still_failing.is_empty()
            && found.others_ran()
            && !found.reproductions.is_empty()
            && !self.overruled().is_empty()
    }

    /// Is true if what should show the bug says nothing of it after all.
    pub(crate) fn lacks_test(&self) -> bool {
        self.validation.as_ref().is_some_and(ValidationResult::lacks_test)
    }

    /// The tests that passed before and fail now, where each of them is one.
    pub(crate) fn overruled(&self) -> &[TestId] {
        let is_named = |test: &TestId| test.stand_in().is_none();
        if self.newly_failing().iter().all(is_named) { self.newly_failing() } else { &[] }
    }
}
