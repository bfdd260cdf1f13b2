//! Which candidate is the answer. Pure: what each candidate got goes in, the order and its reason come out.
//!
//! Agentless (arXiv 2407.01489, section 3.3) keeps those with the fewest regression failures, of them those that the
//! reproduction test calls resolved, and of them the one that most samples agree on. Where the paper's program takes a
//! run without a report for one without failures, here what is not known is the worst.

use std::cmp::Reverse;

use patchwright_protocol::Verdict;
use serde::{Deserialize, Serialize};

/// What a candidate got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateScore {
    /// The candidate's number.
    pub candidate: u32,
    /// The verdict of the project's own tests.
    pub verdict: Verdict,
    /// Tests that show the bug and still fail.
    pub still_failing: usize,
    /// Tests that passed before and fail now; `None` where they were not all run.
    pub regressions: Option<usize>,
    /// Reproduction tests that call the issue resolved; `None` where none was run.
    pub resolved: Option<usize>,
    /// Samples that are this candidate in normal form.
    pub votes: usize,
    /// Is true if a sample greedy is among them.
    pub greedy: bool,
    /// The place of its first sample.
    pub first: usize,
}

impl CandidateScore {
    /// What of it is known without any reproduction test; less is better.
    fn tested(&self) -> (bool, usize, bool, usize) {
        let unknown = !self.verdict.is_tested();
        let regressions = self.regressions.unwrap_or(usize::MAX);
        (unknown, self.still_failing, !self.verdict.passes(), regressions)
    }

    /// The whole order; less is better.
    pub(crate) fn rank(&self) -> impl Ord + use<> {
        let resolved = Reverse(self.resolved.unwrap_or(0));
        (self.tested(), resolved, Reverse(self.votes), !self.greedy, self.first)
    }
}

/// The candidates that the project's own tests like best: only these are worth reproduction tests. As places in
/// `scores`; none where no candidate could be tested.
pub fn best_tested(scores: &[CandidateScore]) -> Vec<usize> {
    let testable = |score: &&CandidateScore| !score.tested().0;
    let Some(best) = scores.iter().filter(testable).map(CandidateScore::tested).min() else {
        return Vec::new();
    };
    (0..scores.len()).filter(|place| scores[*place].tested() == best).collect()
}

/// The candidates, the answer first.
pub fn ranked(scores: &[CandidateScore]) -> Vec<CandidateScore> {
    let mut ranked = scores.to_vec();
    ranked.sort_by_cached_key(CandidateScore::rank);
    ranked
}

/// Why the first of the ranked candidates is the answer: its votes and reproduction tests, and how it differs from the second candidate.
/// `untried` others rank behind it, whatever their tests would show.
pub fn why(ranked: &[CandidateScore], tests: usize, untried: usize) -> Option<String> {
    let first = ranked.first()?;
    let resolved = first.resolved.filter(|_| tests > 0);
    let reproduction =
        resolved.map(|resolved| format!("{resolved} of {tests} reproduction tests call the issue resolved"));
    let beyond = match ranked.get(1) {
        _ if untried > 0 => format!(
            "it is the first that passes the project's own tests; what comes behind it ({untried}) was not tried, since no more \
             reproduction tests or samples speak for it"
        ),
        None => "it is the only candidate".to_owned(),
        Some(second) if second.tested() != first.tested() => {
            "it alone does best in the project's own tests".to_owned()
        }
        Some(second) if second.resolved != first.resolved => {
            "of those that do best in the project's own tests it resolves the most reproduction tests"
                .to_owned()
        }
        Some(second) if second.votes != first.votes => {
            format!("of the equally good it was drawn most often (the next {})", times(second.votes))
        }
        Some(second) if second.greedy != first.greedy => {
            "of the equally good it is the one drawn without chance".to_owned()
        }
        Some(_) => "of the equally good it was drawn first".to_owned(),
    };
    let clauses: Vec<String> =
        [format!("drawn {}", times(first.votes))].into_iter().chain(reproduction).chain([beyond]).collect();
    Some(clauses.join("; "))
}

fn times(votes: usize) -> String {
    if votes == 1 { "once".to_owned() } else { format!("{votes} times") }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn score(candidate: u32, verdict: Verdict) -> CandidateScore {
        let regressions = (verdict == Verdict::Plausible).then_some(0);
        let first = candidate as usize;
        CandidateScore {
            candidate,
            verdict,
            still_failing: 0,
            regressions,
            resolved: None,
            votes: 1,
            greedy: false,
            first,
        }
    }

    fn order(scores: &[CandidateScore]) -> Vec<u32> {
        ranked(scores).iter().map(|score| score.candidate).collect()
    }

    #[test]
    fn what_is_not_known_is_the_worst() {
        let failing = |candidate, count| CandidateScore {
            regressions: Some(count),
            ..score(candidate, Verdict::Failing)
        };
        let scores = [
            score(1, Verdict::TimedOut),
            score(2, Verdict::DoesNotCompile),
            failing(3, 7),
            CandidateScore { regressions: None, ..score(4, Verdict::Failing) },
            failing(5, 2),
            CandidateScore { votes: 30, ..score(6, Verdict::DoesNotApply) },
        ];
        assert_eq!(order(&scores)[..3], [5, 3, 4]);
        assert_eq!(best_tested(&scores), [4]);
        assert!(best_tested(&scores[..2]).is_empty());
    }

    #[test]
    fn tests_count_before_votes_and_votes_before_places() {
        let plausible = |candidate| score(candidate, Verdict::Plausible);
        let scores = [
            CandidateScore { votes: 9, resolved: Some(1), ..plausible(1) },
            CandidateScore { votes: 2, resolved: Some(3), ..plausible(2) },
            CandidateScore { votes: 4, resolved: Some(3), ..plausible(3) },
            CandidateScore { votes: 4, resolved: Some(3), greedy: true, ..plausible(4) },
            CandidateScore { still_failing: 1, votes: 20, ..score(5, Verdict::Failing) },
        ];
        assert_eq!(order(&scores), [4, 3, 2, 1, 5]);
        assert_eq!(best_tested(&scores), [0, 1, 2, 3]);
        let why = why(&ranked(&scores), 3, 0).unwrap();
        assert_eq!(
            why,
            "drawn 4 times; 3 of 3 reproduction tests call the issue resolved; of the equally good it is the one drawn without \
             chance"
        );
    }

    #[test]
    fn the_reason_names_what_decided() {
        let plausible = |candidate, votes| CandidateScore { votes, ..score(candidate, Verdict::Plausible) };
        let of = |scores: &[CandidateScore], untried: usize| why(&ranked(scores), 0, untried).unwrap();
        let reasons = [
            of(&[plausible(1, 1)], 0),
            of(&[plausible(1, 1), score(2, Verdict::TimedOut)], 0),
            of(&[plausible(1, 3), plausible(2, 2)], 0),
            of(&[plausible(1, 2), plausible(2, 2)], 0),
            of(&[plausible(1, 3)], 2),
        ];
        insta::assert_snapshot!(reasons.join("\n"));
        assert_eq!(why(&[], 0, 0), None);
    }
}
