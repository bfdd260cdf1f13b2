//! The candidates that a session ends with.

use std::cmp::Reverse;

use patchwright_protocol::{Candidate, RankedPatch};
use patchwright_tools::Candidates;

/// The candidates that may be the answer, in the order in which a person should look at them: those without a sign of tampering first. Among them
/// the chosen one; those that a pattern made, the likeliest first, and last those of them that often fit the tests and nothing else. Of
/// others those that pass the most tests that reproduce the bug; of these what was suggested most often in the same normal form, then
/// what changes the fewest lines, and last what came latest, which builds on what the earlier ones showed.
pub(crate) fn ranked(candidates: &Candidates) -> Vec<RankedPatch> {
    let chosen = candidates.chosen();
    let mut answers = candidates.answers();
    answers.sort_by_cached_key(|candidate| {
        let remark = candidate.record.remark.as_ref();
        let overfit = remark.is_some_and(|remark| remark.overfit.is_some());
        let made = if remark.is_some() { candidate.id() } else { u32::MAX };
        let passed = Reverse(reproductions_passed(candidate));
        let agreeing = Reverse(candidates.agreeing_with(candidate));
        let changed = (passed, agreeing, lines_changed(candidate), Reverse(candidate.id()));
        (!candidate.tampering.is_empty(), Some(candidate.id()) != chosen, overfit, made, changed)
    });
    answers.into_iter().map(|one| RankedPatch::new(one, one.tampering.clone())).collect()
}

fn reproductions_passed(candidate: &Candidate) -> usize {
    candidate.reproductions().iter().filter(|outcome| outcome.passes).count()
}

/// The lines that a candidate adds and removes.
fn lines_changed(candidate: &Candidate) -> usize {
    let lines = candidate.diff().lines();
    let is_change =
        |line: &&str| line.starts_with(['+', '-']) && !line.starts_with("+++ ") && !line.starts_with("--- ");
    lines.filter(is_change).count()
}
