//! The candidates of a session.

use std::ops::Deref;

use patchwright_edits::Edit;
use patchwright_protocol::{
    Candidate, CandidateRecord, Confirmation, Failure, Origin, ReproductionOutcome, TestId, Unconfirmable,
    ValidationResult, Verdict,
};
use patchwright_validation::{Baseline, ReproductionRun, ReproductionTest, Unconfirmed, Validation};

use crate::context::ToolSettings;
use crate::write_fix;

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
        if !self.newly_failing().iter().all(is_named) { &[] } else { self.newly_failing() }
    }
}

/// All candidates of a session, in the order in which they were suggested.
#[derive(Debug, Default)]
pub struct Candidates {
    list: Vec<TestedCandidate>,
    chosen: Option<u32>,
    unconfirmed: Option<(u32, Unconfirmed)>,
}

impl Candidates {
    /// All candidates.
    pub fn all(&self) -> &[TestedCandidate] {
        &self.list
    }

    /// The candidate of this number.
    pub fn get(&self, id: u32) -> Option<&TestedCandidate> {
        self.list.iter().find(|candidate| candidate.id() == id)
    }

    /// The plausible candidate that is the answer: the one that was chosen, or the latest.
    pub fn plausible(&self) -> Option<&TestedCandidate> {
        self.all_plausible().next()
    }

    /// The latest candidate that breaks nothing, where no test shows the bug; the chosen one, if it is such.
    pub fn unverified(&self) -> Option<&TestedCandidate> {
        self.all_with(Verdict::Unverified).next()
    }

    /// All plausible candidates: the one that was chosen, then the others, the latest first.
    pub fn all_plausible(&self) -> impl Iterator<Item = &TestedCandidate> {
        self.all_with(Verdict::Plausible)
    }

    /// The candidates that may be the answer: the plausible ones, and where there is none those that are unverified.
    pub fn answers(&self) -> Vec<&TestedCandidate> {
        let plausible: Vec<&TestedCandidate> = self.all_plausible().collect();
        if plausible.is_empty() { self.all_with(Verdict::Unverified).collect() } else { plausible }
    }

    /// All candidates with a verdict: the one that was chosen, then the others, the latest first.
    fn all_with(&self, verdict: Verdict) -> impl Iterator<Item = &TestedCandidate> {
        let fits = move |candidate: &&TestedCandidate| candidate.verdict() == Some(verdict);
        let chosen = self.chosen.and_then(|id| self.get(id)).filter(fits);
        let others = self.list.iter().rev().filter(move |one| fits(one) && Some(one.id()) != self.chosen);
        chosen.into_iter().chain(others)
    }

    /// The number of the candidate that was made the answer.
    pub fn chosen(&self) -> Option<u32> {
        self.chosen
    }

    /// Makes a candidate the answer.
    pub(crate) fn choose(&mut self, id: u32) {
        self.chosen = Some(id);
    }

    /// The places of the candidates that may be judged otherwise by a new test: those that pass so far and, where the test takes the place
    /// of another, those that this one has judged; where tests of the project `gave_way` to it, those that these have judged. Those that
    /// fail by least first, of them the latest.
    pub(crate) fn in_question(&self, replaced: Option<u32>, gave_way: bool) -> Vec<usize> {
        let judged_by = |candidate: &TestedCandidate, test: u32| {
            let outcomes = candidate.validation.iter().flat_map(|found| &found.reproductions);
            outcomes.into_iter().any(|outcome| outcome.test == test && !outcome.passes)
        };
        let is_open = |candidate: &TestedCandidate| {
            candidate.verdict().is_some_and(Verdict::passes)
                || replaced.is_some_and(|test| judged_by(candidate, test))
                || (gave_way && !candidate.still_failing().is_empty())
        };
        let mut places: Vec<usize> =
            (0..self.list.len()).rev().filter(|place| is_open(&self.list[*place])).collect();
        places.sort_by_key(|place| self.list[*place].failing());
        places
    }

    /// The best candidate that was tested: a plausible one, or the first that leaves the fewest of the tests that show the
    /// bug failing and breaks the fewest others.
    pub fn best(&self) -> Option<&TestedCandidate> {
        best(self.list.iter())
    }

    /// The candidates that were judged by all these reproduction tests, as [`patchwright_protocol::PartialFix::best`] takes them.
    pub fn judged_by(&self, tests: &[u32]) -> impl Iterator<Item = &Candidate> {
        let is_judged = move |candidate: &&Candidate| {
            let asked = |test: &u32| candidate.reproductions().iter().any(|outcome| outcome.test == *test);
            tests.iter().all(asked)
        };
        self.list.iter().map(|one| &one.candidate).filter(is_judged)
    }

    /// The number of candidates that are this one in normal form.
    pub fn agreeing_with(&self, candidate: &TestedCandidate) -> usize {
        self.list.iter().filter(|other| other.record.fingerprint == candidate.record.fingerprint).count()
    }

    /// The earlier candidate with this fingerprint that has been judged. One whose time was over may have it another time.
    pub fn judged_with(&self, fingerprint: &str) -> Option<&TestedCandidate> {
        self.list.iter().find(|candidate| {
            candidate.record.fingerprint.as_deref() == Some(fingerprint)
                && !matches!(candidate.verdict(), None | Some(Verdict::Duplicate | Verdict::TimedOut))
        })
    }

    /// Takes out the candidate, by its number, that passed what was run and has still to be confirmed: whoever takes it sees to that, and
    /// gives the outcome to [`Candidates::conclude`].
    pub fn take_unconfirmed(&mut self) -> Option<(u32, Unconfirmed)> {
        self.unconfirmed.take()
    }

    /// The candidate that was left to be confirmed.
    pub(crate) fn unconfirmed(&self) -> Option<&Unconfirmed> {
        self.unconfirmed.as_ref().map(|(_, unconfirmed)| unconfirmed)
    }

    /// Leaves a candidate to be confirmed.
    pub(crate) fn leave_unconfirmed(&mut self, id: u32, unconfirmed: Unconfirmed) {
        self.unconfirmed = Some((id, unconfirmed));
    }

    /// Gives a candidate its validation; gives it back, and what a model has to be told if it did not pass. `None` if there is no
    /// such candidate.
    pub fn conclude(
        &mut self,
        id: u32,
        validation: &Validation,
        baseline: &Baseline,
        settings: &ToolSettings,
    ) -> Option<(&TestedCandidate, Option<String>)> {
        let candidate = self.list.iter_mut().find(|candidate| candidate.id() == id)?;
        candidate.conclude(validation, baseline, settings);
        let refuted = !candidate.verdict().is_some_and(Verdict::passes);
        let text = refuted.then(|| write_fix::refuted_text(candidate));
        Some((candidate, text))
    }

    /// Adds a candidate that is yet to be judged and gives its place.
    pub(crate) fn add(&mut self, variant_of: Option<u32>, edits: Vec<Edit>) -> Result<usize, Failure> {
        let record = CandidateRecord {
            id: u32::try_from(self.list.len() + 1).unwrap_or(u32::MAX),
            origin: if variant_of.is_some() { Origin::Variant } else { Origin::WriteFix },
            variant_of,
            edits: serde_json::to_value(&edits).map_err(Failure::defect)?,
            diff: None,
            fingerprint: None,
            remark: None,
        };
        let candidate = Candidate::new(record);
        self.list.push(TestedCandidate { candidate, edits, tampering: Vec::new(), report: String::new() });
        Ok(self.list.len() - 1)
    }

    pub(crate) fn at(&mut self, place: usize) -> &mut TestedCandidate {
        &mut self.list[place]
    }
}

/// The best of some candidates: plausible before unverified before failing, then the fewest failing tests, then the earliest. Those that
/// show the bug count first: while one of them fails, the others may not have been run.
pub(crate) fn best<'a>(candidates: impl Iterator<Item = &'a TestedCandidate>) -> Option<&'a TestedCandidate> {
    candidates.filter(|candidate| candidate.verdict().is_some_and(Verdict::is_tested)).min_by_key(
        |candidate| {
            (
                candidate.verdict(),
                candidate.still_failing().len(),
                candidate.newly_failing().len(),
                candidate.id(),
            )
        },
    )
}
