//! Tests that reproduce the bug and candidates that contradict each other, laid side by side for whoever decides.

use patchwright_protocol::{ReproductionOutcome, Verdict};

use crate::candidates::Candidates;
use crate::render;
use crate::tested_candidate::TestedCandidate;

/// A test that no candidate passes is shown again after so many that fail, and after as many more.
const DOUBTED_AFTER: usize = 3;
/// Candidates that are shown beside a test.
const SHOWN: usize = 2;
/// Bytes of a change, of what a test says of it, and of a test.
const BYTES: usize = 2_000;

/// What a new test says of the candidates that it was run with, those that it was given in their order. Where most fail, their changes are
/// shown with it.
pub(crate) fn of_test(id: u32, judged: &[u32], candidates: &Candidates) -> String {
    let judged = judged.iter().filter_map(|id| candidates.get(*id));
    let (passing, failing): (Vec<&TestedCandidate>, Vec<&TestedCandidate>) =
        judged.partition(|candidate| candidate.verdict() == Some(Verdict::Plausible));
    let numbers = |some: &[&TestedCandidate]| {
        some.iter().map(|candidate| candidate.id().to_string()).collect::<Vec<_>>().join(", ")
    };
    let verdicts = |some: &[&TestedCandidate]| {
        let told = |one: &&TestedCandidate| format!("candidate {}, now {}", one.id(), one.summary(0));
        some.iter().map(told).collect::<Vec<_>>().join("; ")
    };
    let mut text = match (numbers(&passing), numbers(&failing)) {
        (passing, failing) if passing.is_empty() && failing.is_empty() => return String::new(),
        (_, failing) if failing.is_empty() => format!(
            "Passing with it: {}. If one repairs the cause of the bug, finish with goal_accomplished.\n",
            verdicts(&passing)
        ),
        (passing, failing) if passing.is_empty() => format!(
            "No candidate passes test {id} (tried: {failing}). Either they miss the bug, or the test asks for something else than the \
             issue: look at both.\n"
        ),
        (_, failing) => {
            format!("Passing with it: {}; failing with it: {failing}.\n", verdicts(&passing))
        }
    };
    if failing.len() > passing.len() {
        for candidate in failing.into_iter().take(SHOWN) {
            text.push_str(&side(candidate));
        }
    }
    text
}

/// What is to be said of the tests that a candidate fails as all others do: the code of the test, beside the change that was just shown.
pub(crate) fn of_candidate<'t>(
    own: &TestedCandidate,
    candidates: &Candidates,
    code_of: impl Fn(u32) -> Option<&'t str>,
) -> String {
    let failed = outcomes(own).filter(|outcome| !outcome.passes);
    failed
        .filter_map(|outcome| {
            let id = outcome.test;
            let said: Vec<bool> = candidates.all().iter().filter_map(|one| passes(one, id)).collect();
            let is_doubted = !said.contains(&true) && said.len().is_multiple_of(DOUBTED_AFTER);
            let code = code_of(id).filter(|_| is_doubted)?;
            Some(format!(
                "None of {} candidates passes test {id}. Either they miss the bug, or the test asks for something else than the issue; then \
                 write it again with `replaces`: {id}. The test:\n{}\n",
                said.len(),
                render::cut_text(code, BYTES).trim_end()
            ))
        })
        .collect()
}

/// A candidate's change, and what the test says of it.
fn side(candidate: &TestedCandidate) -> String {
    let diff = candidate.record.diff.as_deref().unwrap_or_default().replace("\r\n", "\n");
    format!(
        "Candidate {}:\n{}\nWith it the test says:\n{}\n",
        candidate.id(),
        render::cut_text(&diff, BYTES).trim_end(),
        render::cut_text(&candidate.report, BYTES).trim_end()
    )
}

fn outcomes(candidate: &TestedCandidate) -> impl Iterator<Item = &ReproductionOutcome> {
    candidate.validation.iter().flat_map(|found| &found.reproductions)
}

fn passes(candidate: &TestedCandidate, test: u32) -> Option<bool> {
    outcomes(candidate).find(|outcome| outcome.test == test).map(|outcome| outcome.passes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use patchwright_edits::Edit;
    use patchwright_protocol::ValidationResult;

    use super::*;

    fn candidates(passing: &[bool]) -> Candidates {
        let mut all = Candidates::default();
        for passes in passing {
            let place = all.add(None, vec![Edit::default()]).unwrap();
            let one = all.at(place);
            let verdict = if *passes { Verdict::Plausible } else { Verdict::Failing };
            let reproductions = vec![ReproductionOutcome { test: 1, passes: *passes }];
            one.candidate.validation =
                Some(ValidationResult { reproductions, ..ValidationResult::untested(verdict, None) });
            one.candidate.record.diff = Some(format!("+change {}\n", one.id()));
            one.report = format!("assert {} == 0\n", one.id());
        }
        all
    }

    #[test]
    fn changes_stand_beside_a_test_that_contradicts_most() {
        let check = |passing: &[bool], shown: &[u32]| {
            let all = candidates(passing);
            let judged: Vec<u32> = all.all().iter().map(|one| one.id()).collect();
            let text = of_test(1, &judged, &all);
            let found: Vec<u32> = judged
                .into_iter()
                .filter(|id| text.contains(&format!("+change {id}\nWith it the test says:\nassert {id} ")))
                .collect();
            assert_eq!(found, shown, "{text}");
        };
        check(&[], &[]);
        check(&[true], &[]);
        check(&[false], &[1]);
        check(&[true, false], &[]);
        check(&[false, true, false], &[1, 3]);
        check(&[false, false, false], &[1, 2]);
    }

    #[test]
    fn a_test_that_no_candidate_passes_is_shown_now_and_then() {
        let check = |passing: &[bool], expect: bool| {
            let all = candidates(passing);
            let last = all.all().last().unwrap();
            let text = of_candidate(last, &all, |id| (id == 1).then_some("def test_it(): ..."));
            assert_eq!(text.contains("def test_it(): ..."), expect, "{passing:?}: {text}");
        };
        check(&[false, false], false);
        check(&[false, false, false], true);
        check(&[false, false, false, false], false);
        check(&[false; 6], true);
        check(&[false, true, false], false);
    }
}
