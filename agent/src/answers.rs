//! The candidates that a session ends with.

use std::cmp::Reverse;

use patchwright_protocol::RankedPatch;
use patchwright_session::Memory;
use patchwright_tools::{Candidate, Candidates};

/// The candidates that may be the answer, in the order in which a person should look at them: those without a sign of tampering first. Among them
/// the chosen one; those that a pattern made, the likeliest first, and last those of them that often fit the tests and nothing else. Of
/// others those that pass the most tests that reproduce the bug; of these what was suggested most often in the same normal form, then
/// what changes the fewest lines, and last what came latest, which builds on what the earlier ones showed.
pub(crate) fn ranked(candidates: &Candidates, memory: &Memory) -> Vec<RankedPatch> {
    let chosen = candidates.chosen();
    let mut answers = candidates.answers();
    answers.sort_by_cached_key(|candidate| {
        let remark = memory.remarks.get(&candidate.id);
        let overfit = remark.is_some_and(|remark| remark.overfit.is_some());
        let made = if remark.is_some() { candidate.id } else { u32::MAX };
        let passed = Reverse(reproductions_passed(candidate));
        let agreeing = Reverse(candidates.agreeing_with(candidate));
        let changed = (passed, agreeing, lines_changed(candidate), Reverse(candidate.id));
        (!candidate.tampering.is_empty(), Some(candidate.id) != chosen, overfit, made, changed)
    });
    let patch = |candidate: &Candidate| RankedPatch {
        candidate: candidate.id,
        patch: candidate.diff.clone().unwrap_or_default(),
        remark: memory.remarks.get(&candidate.id).cloned(),
        tampering: candidate.tampering.clone(),
        confirmation: candidate.validation.as_ref().and_then(|found| found.confirmation),
        tests_run: candidate.validation.as_ref().and_then(|found| found.tests_run.clone()),
    };
    answers.into_iter().map(patch).collect()
}

fn reproductions_passed(candidate: &Candidate) -> usize {
    let outcomes = candidate.validation.iter().flat_map(|found| &found.reproductions);
    outcomes.filter(|outcome| outcome.passes).count()
}

/// The lines that a candidate adds and removes.
fn lines_changed(candidate: &Candidate) -> usize {
    let lines = candidate.diff.iter().flat_map(|diff| diff.lines());
    let is_change =
        |line: &&str| line.starts_with(['+', '-']) && !line.starts_with("+++ ") && !line.starts_with("--- ");
    lines.filter(is_change).count()
}
