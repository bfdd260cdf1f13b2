//! The candidates of a session.

use patchwright_edits::Edit;
use patchwright_protocol::{Candidate, CandidateRecord, Failure, Origin, Verdict};
use patchwright_validation::{Baseline, Unconfirmed, Validation};

use crate::candidate_text::refuted_text;
use crate::settings::ToolSettings;
use crate::tested_candidate::TestedCandidate;

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
        let text = refuted.then(|| refuted_text(candidate));
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
