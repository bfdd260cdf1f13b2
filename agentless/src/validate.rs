//! Trying the drawn changes: reduced to those that differ, then judged by the project's own tests in all lanes.

use std::collections::BTreeMap;

use futures_util::stream;
use patchwright_edits::{Applied, Edit, TamperingSign};
use patchwright_protocol::{
    CandidateRecord, Confirmation, Failure, Origin, ReproductionOutcome, Unconfirmable, ValidationResult,
    Verdict,
};
use patchwright_session::{Journal, Stop};
use patchwright_trajectory::Event;
use patchwright_validation::{Baseline, Progress, Scheduler, TestHarness, Validation, ValidationDepth};

use crate::context::PipelineContext;
use crate::repair::Sample;
use crate::select::CandidateScore;

/// The edits of a sample, worked out.
pub(crate) struct Change {
    pub(crate) edits: Vec<Edit>,
    pub(crate) applied: Applied,
    /// The fingerprint of `applied`.
    fingerprint: String,
}

/// A change that differs from all others, and what became of it.
pub(crate) struct SampledCandidate {
    pub(crate) change: Change,
    pub(crate) score: CandidateScore,
    /// Is true if it was judged by all tests that there are.
    pub(crate) fully_tested: bool,
    /// What the tests that reproduce the bug say of it.
    pub(crate) reproductions: Vec<ReproductionOutcome>,
    /// What the project's own tests said of it.
    validation: Option<Validation>,
}

/// A change that does what another one does.
pub(crate) struct Repeated {
    change: Change,
    /// The first sample of that candidate.
    of: usize,
}

/// Groups samples by what they do, the first of each first. Gives the candidates, numbered in that order, and the other samples that can be
/// applied.
pub(crate) async fn distinct(
    context: &PipelineContext<'_>,
    samples: &[Sample],
) -> Result<(Vec<SampledCandidate>, Vec<Repeated>), Failure> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let (mut candidates, mut repeated): (Vec<SampledCandidate>, Vec<Repeated>) = (Vec::new(), Vec::new());
    for (first, sample) in samples.iter().enumerate().filter(|(_, sample)| !sample.edits.is_empty()) {
        let Ok(applied) = context.apply(&sample.edits).await? else { continue };
        let fingerprint = applied.fingerprint();
        let change = Change { edits: sample.edits.clone(), applied, fingerprint };
        let next = candidates.len();
        let place = *places.entry(change.fingerprint.clone()).or_insert(next);
        if place < next {
            let score = &mut candidates[place].score;
            score.votes += 1;
            score.greedy |= sample.greedy;
            repeated.push(Repeated { change, of: score.first });
            continue;
        }
        let score = CandidateScore {
            candidate: number(next),
            verdict: Verdict::DoesNotApply,
            still_failing: 0,
            regressions: None,
            resolved: None,
            votes: 1,
            greedy: sample.greedy,
            first,
        };
        let reproductions = Vec::new();
        candidates.push(SampledCandidate {
            change,
            score,
            fully_tested: false,
            reproductions,
            validation: None,
        });
    }
    Ok((candidates, repeated))
}

/// The number of the candidate at a place.
fn number(place: usize) -> u32 {
    u32::try_from(place + 1).unwrap_or(u32::MAX)
}

/// Puts candidates that nobody has judged into the order in which they would be the answer if all of them were plausible.
pub(crate) fn best_first(candidates: &mut [SampledCandidate]) {
    candidates.sort_by_cached_key(|candidate| candidate.score.rank());
    for (place, candidate) in candidates.iter_mut().enumerate() {
        candidate.score.candidate = number(place);
    }
}

/// Judges candidates; each verdict is recorded in their order, whatever finishes first. `baseline` is that of the context less the
/// tests that are excluded and left out. With `first_alone` nothing is tried any more after one that can be the answer.
pub(crate) async fn validate(
    journal: &mut Journal,
    cycle: u32,
    harness: &TestHarness,
    baseline: &Baseline,
    candidates: &mut [SampledCandidate],
    first_alone: bool,
) -> Result<(), Stop> {
    let places = stream::iter(0..candidates.len());
    let mut scheduler = Scheduler::new(harness, baseline, ValidationDepth::Thorough, places);
    loop {
        let change = |place: &usize| candidates.get(*place).map(|candidate| candidate.change.applied.clone());
        let Some(progress) = scheduler.next(change).await? else { return Ok(()) };
        let Progress::Finished(place, Some(validation)) = progress else { continue };
        let Some(candidate) = candidates.get_mut(place) else { continue };
        let (id, result) = (candidate.score.candidate, candidate.judge(*validation, baseline));
        journal.record(candidate.change.introduced(cycle, id)?)?;
        journal.record(Event::Verdict { cycle, candidate: id, result })?;
        if first_alone && candidate.is_answer() {
            return Ok(());
        }
    }
}

/// Records the samples that repeat candidates which were judged.
pub(crate) fn record_repeated(
    journal: &mut Journal,
    cycle: u32,
    judged: &[CandidateScore],
    repeated: &[Repeated],
) -> Result<(), Stop> {
    let known = |repeated: &Repeated| {
        judged.iter().find(|score| score.first == repeated.of).map(|score| score.candidate)
    };
    let of_judged = repeated.iter().filter_map(|repeated| Some((repeated, known(repeated)?)));
    for (index, (repeated, of)) in of_judged.enumerate() {
        let id = number(judged.len() + index);
        journal.record(repeated.change.introduced(cycle, id)?)?;
        let result = ValidationResult::untested(Verdict::Duplicate, None);
        let result = ValidationResult { duplicate_of: Some(of), ..result };
        journal.record(Event::Verdict { cycle, candidate: id, result })?;
    }
    Ok(())
}

/// Judges a candidate once more, by all tests.
pub(crate) async fn confirm(
    journal: &mut Journal,
    cycle: u32,
    harness: &TestHarness,
    baseline: &Baseline,
    candidate: &mut SampledCandidate,
) -> Result<(), Stop> {
    let validation = harness.validate(baseline, &candidate.change.applied, ValidationDepth::Thorough).await?;
    let result = candidate.judge(validation, baseline);
    journal.record(Event::Verdict { cycle, candidate: candidate.score.candidate, result })?;
    Ok(())
}

impl SampledCandidate {
    /// Is true if tests have spoken of it.
    pub(crate) fn is_judged(&self) -> bool {
        self.validation.is_some()
    }

    /// The signs that it tampers with the tests that judge it; searched for where it passes.
    pub(crate) fn tampering(&self) -> &[TamperingSign] {
        self.validation.as_ref().map_or(&[], |found| &found.tampering)
    }

    /// Is true if no candidate behind it can come before it.
    fn is_answer(&self) -> bool {
        self.score.verdict.passes() && self.fully_tested && self.tampering().is_empty()
    }

    /// Takes in what the project's own tests say; gives that as it is recorded, with what the tests that reproduce the bug say.
    fn judge(&mut self, mut validation: Validation, baseline: &Baseline) -> ValidationResult {
        if validation.verdict == Verdict::Unverified && self.score.resolved.unwrap_or(0) > 0 {
            validation.verdict = Verdict::Plausible;
            validation.confirmation = Some(Confirmation::No { because: Unconfirmable::WrittenTests });
        }
        let tested = validation.verdict.is_tested();
        let result =
            ValidationResult { reproductions: self.reproductions.clone(), ..validation.result(baseline) };
        self.score.verdict = validation.verdict;
        self.score.still_failing = validation.still_failing.len();
        self.score.regressions =
            (tested && validation.others_ran(baseline)).then_some(validation.newly_failing.len());
        self.fully_tested = baseline.runs_all();
        self.validation = Some(validation);
        result
    }
}

impl Change {
    fn introduced(&self, cycle: u32, id: u32) -> Result<Event, Stop> {
        let candidate = CandidateRecord {
            id,
            origin: Origin::Repair,
            variant_of: None,
            edits: serde_json::to_value(&self.edits).map_err(Failure::defect)?,
            diff: Some(self.applied.diff()),
            fingerprint: Some(self.fingerprint.clone()),
            remark: None,
        };
        Ok(Event::Candidate { cycle, candidate })
    }
}
