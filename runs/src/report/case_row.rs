//! The numbers of one case of a run.

use std::collections::BTreeMap;

use patchwright_protocol::{Effort, Status, StatusClass};
use patchwright_suites::Case;
use serde::{Deserialize, Serialize};

use super::issue::IssueTraits;
use super::trail::{RepliesByEffort, Trail};
use crate::{FixCoverage, GradedTests, RunRecord, Shape, TouchedLines};

/// One case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseRow {
    /// The case's id.
    pub case: String,
    /// Its project; empty where the suite was not at hand.
    pub project: String,
    /// The status of the attempt that stands; none where it is unfinished.
    pub status: Option<Status>,
    /// The reason.
    pub reason: String,
    /// The signs that the patch tampers with what its tests are judged by.
    #[serde(default)]
    pub tampering: Vec<String>,
    /// The attempt that stands; 0 where none does.
    pub attempt: u32,
    /// The number of attempts.
    pub attempts: u32,
    /// Is true if the patch was judged correct.
    pub correct: Option<bool>,
    /// The place, from 1, of the first plausible patch that equals the developer's fix.
    #[serde(default)]
    pub fix_at: Option<u32>,
    /// Is true if the benchmark accepts the patch; of several that have judged tests, the first by name.
    pub resolved: Option<bool>,
    /// Where the patch adds tests that were graded: what each benchmark says of them, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tests: BTreeMap<String, GradedTests>,
    /// The issue, where a test was written for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<IssueTraits>,
    /// Questions to the model, where a test was written.
    #[serde(default)]
    pub questions: u64,
    /// The size of the developer's fix, or of the patch where the fix is not known.
    pub shape: Option<Shape>,
    /// The parts of which the patch touches all that the developer's fix touches.
    pub patched: Option<FixCoverage>,
    /// The same for the places that the fixed pipeline located.
    pub located: Option<FixCoverage>,
    /// Candidates that were tried.
    #[serde(default)]
    pub candidates: u64,
    /// Plausible patches among them.
    #[serde(default)]
    pub plausible: u64,
    /// Cycles used.
    pub cycles: u32,
    /// Tokens in and out.
    pub tokens: u64,
    /// Cost in US dollars; none where a price is unknown.
    pub usd: Option<f64>,
    /// Seconds of the session.
    pub seconds: f64,
    /// Calls of each tool.
    pub calls: BTreeMap<String, u64>,
    /// Replies by the reasoning effort that they were asked for with.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub efforts: BTreeMap<Effort, RepliesByEffort>,
    /// The hypothesis behind the patch; where there is none, that which stood at the end.
    pub hypothesis: Option<String>,
    /// The trajectory, relative to the run's folder; none where there is none.
    pub trajectory: Option<String>,
}

impl CaseRow {
    /// Is true if the case is solved as far as tests can tell: a plausible patch stands, or a test that reproduces the issue.
    pub fn is_solved(&self) -> bool {
        self.status.is_some_and(|status| status.class() == StatusClass::Fixed)
    }

    /// Is true if the case was answered, and without a test that a benchmark could judge.
    pub fn is_without_test(&self) -> bool {
        self.status
            .is_some_and(|status| status.class() == StatusClass::Unfixed && status != Status::Unverified)
    }

    /// Is true if the case was answered without a patch that tests speak for.
    pub fn is_unfixed(&self) -> bool {
        self.status.is_some_and(Status::is_answer) && !self.is_solved()
    }
}

/// The numbers of the case with an id; `case` is that of the suite, where it is at hand.
pub(super) fn row(run: &RunRecord, id: &str, case: Option<&Case>) -> CaseRow {
    let standing = run.ledger.standing(id);
    let golden = case.and_then(|case| case.truth.patch.as_deref());
    let patch = standing.and_then(|(_, outcome)| outcome.patch.as_deref());
    let unfinished = CaseRow {
        case: id.to_owned(),
        project: case.map(|case| case.project.clone()).unwrap_or_default(),
        attempts: run.ledger.attempts(id).len() as u32,
        shape: golden.or(patch).and_then(|diff| TouchedLines::by(diff).shape()),
        ..CaseRow::default()
    };
    let Some((tried, outcome)) = standing else { return unfinished };
    let path = run.places.attempt(id, tried.number).join("trajectory.jsonl");
    let trail = Trail::of(&path);
    CaseRow {
        status: Some(outcome.status),
        reason: outcome.reason.clone(),
        tampering: outcome.tampering().to_vec(),
        attempt: tried.number,
        correct: tried.grade.as_ref().and_then(|grade| grade.correct),
        resolved: match tried.tests.values().next() {
            Some(first) => Some(first.resolved),
            None => tried.grade.as_ref().and_then(|grade| grade.resolved),
        },
        tests: tried.tests.clone(),
        issue: trail.issue.filter(|_| run.file.method().is_some()),
        questions: if run.file.method().is_some() { trail.questions } else { 0 },
        patched: tried.located,
        located: golden.and_then(|golden| trail.located(&TouchedLines::by(golden))),
        fix_at: tried.grade.as_ref().and_then(|grade| grade.fix_at),
        candidates: outcome.candidates.tried,
        plausible: outcome.candidates.plausible,
        cycles: outcome.cycles,
        tokens: outcome.tokens.total(),
        usd: outcome.cost_usd,
        seconds: outcome.seconds.total,
        calls: trail.calls,
        efforts: trail.efforts,
        hypothesis: outcome.hypothesis.clone(),
        trajectory: path
            .is_file()
            .then(|| path.strip_prefix(run.places.root()).unwrap_or(&path).display().to_string()),
        ..unfinished
    }
}
