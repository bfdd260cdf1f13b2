//! The candidates that a session ends with.

use patchwright_protocol::RankedPatch;
use patchwright_session::Memory;
use patchwright_tools::Candidates;

/// The candidates that may be the answer, in the order in which a person should look at them: those without a sign of tampering first. Among them
/// the chosen one; those that a pattern made, the likeliest first, and last those of them that often fit the tests and nothing else; of
/// others the latest first, which builds on what the earlier ones showed.
pub(crate) fn ranked(candidates: &Candidates, memory: &Memory) -> Vec<RankedPatch> {
    let chosen = candidates.chosen();
    let mut ranked: Vec<RankedPatch> = candidates
        .answers()
        .into_iter()
        .map(|candidate| RankedPatch {
            candidate: candidate.id,
            patch: candidate.diff.clone().unwrap_or_default(),
            remark: memory.remarks.get(&candidate.id).cloned(),
            tampering: candidate.tampering.clone(),
        })
        .collect();
    ranked.sort_by_key(|one| {
        let overfit = one.remark.as_ref().is_some_and(|remark| remark.overfit.is_some());
        let made = if one.remark.is_some() { one.candidate } else { u32::MAX };
        (!one.tampering.is_empty(), Some(one.candidate) != chosen, overfit, made)
    });
    ranked
}
