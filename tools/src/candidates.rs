//! The candidates of a session.

use patchwright_edits::Edit;
use patchwright_protocol::{Origin, TestId, ValidationResult, Verdict};
use patchwright_testbed::{Baseline, Unconfirmed, Validation};
use serde::Serialize;

use crate::context::ToolSettings;
use crate::write_fix;

/// A set of edits that was suggested, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// Its number, from 1.
    pub id: u32,
    /// Where it comes from.
    pub origin: Origin,
    /// The candidate that it is a variant of.
    pub variant_of: Option<u32>,
    /// The edits as they were asked for.
    pub edits: Vec<Edit>,
    /// The unified diff; none where the edits could not be applied.
    pub diff: Option<String>,
    /// The fingerprint of the changed code without comments and formatting.
    pub fingerprint: Option<String>,
    /// The signs that it tampers with the tests, each a sentence without its full stop.
    pub tampering: Vec<String>,
    /// The result of validation; none before it.
    #[serde(flatten)]
    pub validation: Option<ValidationResult>,
    /// The test report as a model sees it; empty where it was not tested.
    pub report: String,
}

impl Candidate {
    /// Keeps what validation found.
    pub(crate) fn conclude(&mut self, validation: &Validation, baseline: &Baseline, settings: &ToolSettings) {
        self.report = validation.report.render(settings.report_bytes);
        self.validation = Some(validation.result(baseline));
    }

    /// The verdict; none before validation.
    pub fn verdict(&self) -> Option<Verdict> {
        self.validation.as_ref().map(|found| found.verdict)
    }

    /// Tests that show the bug and still fail.
    pub fn still_failing(&self) -> &[TestId] {
        self.validation.as_ref().map_or(&[], |found| &found.still_failing)
    }

    /// Tests that passed before and fail now.
    pub fn newly_failing(&self) -> &[TestId] {
        self.validation.as_ref().map_or(&[], |found| &found.newly_failing)
    }

    /// The number of tests that fail with it: those that show the bug and those that it broke.
    pub fn failing(&self) -> usize {
        self.validation.as_ref().map_or(0, ValidationResult::failing)
    }

    /// The verdict in a few words: `failing (1 test that shows the bug still fails, the other tests were not run)`.
    pub fn verdict_text(&self) -> String {
        let Some(found) = &self.validation else { return "not validated".to_owned() };
        match found.verdict {
            Verdict::Plausible => "plausible (all tests pass)".to_owned(),
            Verdict::Failing => {
                let still = match found.still_failing.len() {
                    1 => "1 test that shows the bug still fails".to_owned(),
                    count => format!("{count} tests that show the bug still fail"),
                };
                let others = match found.newly_failing.len() {
                    0 if !found.others_ran => "the other tests were not run".to_owned(),
                    1 => "1 other test newly fails".to_owned(),
                    count => format!("{count} other tests newly fail"),
                };
                format!("failing ({still}, {others})")
            }
            Verdict::Duplicate => match found.duplicate_of {
                Some(earlier) => format!("duplicate of candidate {earlier}"),
                None => "duplicate".to_owned(),
            },
            Verdict::DoesNotCompile | Verdict::DoesNotApply | Verdict::NoChange | Verdict::TimedOut => {
                found.verdict.to_string()
            }
        }
    }
}

/// All candidates of a session, in the order in which they were suggested.
#[derive(Debug, Default)]
pub struct Candidates {
    list: Vec<Candidate>,
    chosen: Option<u32>,
    unconfirmed: Option<(u32, Unconfirmed)>,
}

impl Candidates {
    /// All candidates.
    pub fn all(&self) -> &[Candidate] {
        &self.list
    }

    /// The candidate of this number.
    pub fn get(&self, id: u32) -> Option<&Candidate> {
        self.list.iter().find(|candidate| candidate.id == id)
    }

    /// The plausible candidate that is the answer: the one that was chosen, or the latest.
    pub fn plausible(&self) -> Option<&Candidate> {
        self.all_plausible().next()
    }

    /// All plausible candidates: the one that was chosen, then the others, the latest first.
    pub fn all_plausible(&self) -> impl Iterator<Item = &Candidate> {
        let chosen = self.chosen.and_then(|id| self.get(id));
        let others = self.list.iter().rev().filter(move |candidate| {
            candidate.verdict() == Some(Verdict::Plausible) && Some(candidate.id) != self.chosen
        });
        chosen.into_iter().chain(others)
    }

    /// The number of the plausible candidate that was made the answer.
    pub fn chosen(&self) -> Option<u32> {
        self.chosen
    }

    /// Makes a plausible candidate the answer; gives whether it is one.
    pub fn choose(&mut self, id: u32) -> bool {
        let plausible = self.get(id).is_some_and(|one| one.verdict() == Some(Verdict::Plausible));
        if plausible {
            self.chosen = Some(id);
        }
        plausible
    }

    /// The best candidate that was tested: a plausible one, or the first that leaves the fewest of the tests that show the
    /// bug failing and breaks the fewest others.
    pub fn best(&self) -> Option<&Candidate> {
        best(self.list.iter())
    }

    /// The candidates that fail by tests that show the bug alone, as [`patchwright_protocol::PartialFix::best`] takes them.
    pub fn partial(&self) -> impl Iterator<Item = (u32, &str, &[TestId])> {
        let failing = self.list.iter().filter(|candidate| {
            candidate.verdict() == Some(Verdict::Failing) && candidate.newly_failing().is_empty()
        });
        failing.filter_map(|candidate| {
            Some((candidate.id, candidate.diff.as_deref()?, candidate.still_failing()))
        })
    }

    /// The earlier candidate with this fingerprint that has been judged.
    pub fn judged_with(&self, fingerprint: &str) -> Option<&Candidate> {
        self.list.iter().find(|candidate| {
            candidate.fingerprint.as_deref() == Some(fingerprint)
                && candidate.verdict().is_some_and(|verdict| verdict != Verdict::Duplicate)
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
    ) -> Option<(&Candidate, Option<String>)> {
        let candidate = self.list.iter_mut().find(|candidate| candidate.id == id)?;
        candidate.conclude(validation, baseline, settings);
        let refuted = candidate.verdict() != Some(Verdict::Plausible);
        let text = refuted.then(|| write_fix::refuted_text(candidate, settings));
        Some((candidate, text))
    }

    /// Adds a candidate that is yet to be judged and gives its place.
    pub(crate) fn add(&mut self, variant_of: Option<u32>, edits: Vec<Edit>) -> usize {
        let id = u32::try_from(self.list.len() + 1).unwrap_or(u32::MAX);
        self.list.push(Candidate {
            id,
            origin: if variant_of.is_some() { Origin::Variant } else { Origin::WriteFix },
            variant_of,
            edits,
            diff: None,
            fingerprint: None,
            tampering: Vec::new(),
            validation: None,
            report: String::new(),
        });
        self.list.len() - 1
    }

    pub(crate) fn at(&mut self, place: usize) -> &mut Candidate {
        &mut self.list[place]
    }
}

/// The best of some candidates: plausible before failing, then the fewest failing tests, then the earliest. Those that
/// show the bug count first: while one of them fails, the others may not have been run.
pub(crate) fn best<'a>(candidates: impl Iterator<Item = &'a Candidate>) -> Option<&'a Candidate> {
    candidates
        .filter(|candidate| matches!(candidate.verdict(), Some(Verdict::Plausible | Verdict::Failing)))
        .min_by_key(|candidate| {
            let plausible = candidate.verdict() == Some(Verdict::Plausible);
            (!plausible, candidate.still_failing().len(), candidate.newly_failing().len(), candidate.id)
        })
}
