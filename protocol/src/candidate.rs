//! Candidates: where they come from, and what validation says of them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::confirmation::Confirmation;
use crate::reproduction::ReproductionOutcome;
use crate::test::TestId;
use crate::tests_run::TestsRun;

/// The word behind a verdict for which only some of the project's tests were run.
pub(crate) const PARTIAL: &str = "partial";

/// What became of a candidate.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The failing tests, or those that were written to reproduce the bug, pass and no test that passed before fails, confirmed in a
    /// clean copy.
    Plausible,
    /// No test that passed before fails, and none shows the bug: whether it is repaired is not known. Or the bug is shown and repaired, and
    /// tests fail that passed before and were said to be outdated: whether they are is for a person to say.
    Unverified,
    /// Some test fails that should not.
    Failing,
    /// The build fails, or a changed file cannot be parsed or imported for its syntax.
    DoesNotCompile,
    /// The edits do not fit the files.
    DoesNotApply,
    /// The edits change nothing.
    NoChange,
    /// The same change was validated before.
    Duplicate,
    /// The tests did not end within their limit.
    TimedOut,
}

impl Verdict {
    /// Whether every test that was run and should pass does pass.
    pub fn passes(self) -> bool {
        matches!(self, Self::Plausible | Self::Unverified)
    }

    /// Is true if tests were run to their end to reach it.
    pub fn is_tested(self) -> bool {
        self.passes() || self == Self::Failing
    }

    /// The verdict as prompts and terminals say it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Plausible => "plausible",
            Self::Unverified => "unverified",
            Self::Failing => "failing",
            Self::DoesNotCompile => "does not compile",
            Self::DoesNotApply => "does not apply",
            Self::NoChange => "no change",
            Self::Duplicate => "duplicate",
            Self::TimedOut => "timed out",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.words())
    }
}

/// Where a candidate comes from.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A call of `write_fix`.
    WriteFix,
    /// Sampled around another candidate.
    Variant,
    /// Drawn by the fixed pipeline.
    Repair,
}

impl Origin {
    /// Its word, as in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::WriteFix => "write_fix",
            Self::Variant => "variant",
            Self::Repair => "repair",
        }
    }
}

/// A candidate before validation, as a trajectory holds it.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct CandidateRecord {
    /// The candidate's number, from 1.
    pub id: u32,
    /// Where it comes from.
    pub origin: Origin,
    /// The candidate that it is a variant of.
    pub variant_of: Option<u32>,
    /// The edits as they were asked for.
    pub edits: Value,
    /// The unified diff that resulted; none where the edits could not be applied.
    pub diff: Option<String>,
    /// The fingerprint of the changed code without comments and formatting.
    pub fingerprint: Option<String>,
    /// The remark of its maker, where that is the fix patterns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<Remark>,
}

/// A candidate and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What was suggested.
    pub record: CandidateRecord,
    /// The result of validation; none before it.
    pub validation: Option<ValidationResult>,
}

impl Candidate {
    /// A candidate before validation.
    pub fn new(record: CandidateRecord) -> Self {
        Self { record, validation: None }
    }

    /// Its number, from 1.
    pub fn id(&self) -> u32 {
        self.record.id
    }

    /// Its unified diff; empty where the edits could not be applied.
    pub fn diff(&self) -> &str {
        self.record.diff.as_deref().unwrap_or_default()
    }

    /// The verdict; none before validation.
    pub fn verdict(&self) -> Option<Verdict> {
        self.validation.as_ref().map(|found| found.verdict)
    }

    /// Whether every test that was run and should pass does pass.
    pub fn passes(&self) -> bool {
        self.verdict().is_some_and(Verdict::passes)
    }

    /// Tests that show the bug and still fail.
    pub fn still_failing(&self) -> &[TestId] {
        self.validation.as_ref().map_or(&[], |found| &found.still_failing)
    }

    /// Tests that passed before and fail now.
    pub fn newly_failing(&self) -> &[TestId] {
        self.validation.as_ref().map_or(&[], |found| &found.newly_failing)
    }

    /// What the tests that were written to reproduce the bug say of it.
    pub fn reproductions(&self) -> &[ReproductionOutcome] {
        self.validation.as_ref().map_or(&[], |found| &found.reproductions)
    }

    /// The number of tests that fail with it: those that show the bug and those that it broke.
    pub fn failing(&self) -> usize {
        self.validation.as_ref().map_or(0, ValidationResult::failing)
    }
}

/// What validation found out about a candidate.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct ValidationResult {
    /// The verdict.
    pub verdict: Verdict,
    /// Tests that show the bug and still fail.
    pub still_failing: Vec<TestId>,
    /// Tests that passed before and fail now.
    pub newly_failing: Vec<TestId>,
    /// Tests that passed before, fail now, and were said to ask for what the issue calls wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outdated: Vec<TestId>,
    /// The project's tests that ran, as the run that decided counts them; none where no run came to its end.
    #[serde(default, alias = "others_ran", skip_serializing_if = "Option::is_none")]
    pub tests_run: Option<TestsRun>,
    /// The earlier candidate that this one repeats.
    pub duplicate_of: Option<u32>,
    /// Why the candidate was not tested, where it was not, or why what was run does not say what it seems to say.
    pub message: Option<String>,
    /// What the tests that were written to reproduce the bug say of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reproductions: Vec<ReproductionOutcome>,
    /// Whether the project's own test tool confirmed a plausible candidate; none where that was not asked, as in old recordings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
    /// Seconds that validation took.
    pub seconds: f64,
}

impl ValidationResult {
    /// The result of a candidate that was not tested, and why.
    pub fn untested(verdict: Verdict, message: Option<String>) -> Self {
        Self {
            verdict,
            still_failing: Vec::new(),
            newly_failing: Vec::new(),
            outdated: Vec::new(),
            tests_run: None,
            duplicate_of: None,
            message,
            reproductions: Vec::new(),
            confirmation: None,
            seconds: 0.0,
        }
    }

    /// Whether the tests that passed before ran: they do not while a test that shows the bug still fails.
    pub fn others_ran(&self) -> bool {
        self.tests_run.as_ref().is_some_and(TestsRun::others_ran)
    }

    /// The tests that were written to reproduce the bug and pass.
    pub fn reproductions_passed(&self) -> usize {
        self.reproductions.iter().filter(|outcome| outcome.passes).count()
    }

    /// The verdict in a word, or two: `plausible, partial` where only some of the project's tests were run.
    pub fn verdict_told(&self) -> String {
        let is_partial = self.tests_run.as_ref().is_some_and(TestsRun::is_partial);
        let is_partial = is_partial && self.verdict == Verdict::Plausible;
        if is_partial { format!("{}, {PARTIAL}", self.verdict) } else { self.verdict.to_string() }
    }

    /// What the candidate passes, as a clause with counts; none where no run came to its end.
    pub fn passes_told(&self) -> Option<String> {
        Some(self.tests_run.as_ref()?.told(self.reproductions_passed()))
    }

    /// The number of tests that fail: those that show the bug and those that the candidate broke.
    pub fn failing(&self) -> usize {
        self.still_failing.len() + self.newly_failing.len()
    }
}

/// The remark of the fix patterns on a candidate of theirs.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Remark {
    /// The name of the pattern; of two edits together, both names.
    pub pattern: String,
    /// What it does, half a sentence: "`<` becomes `<=`".
    pub what: String,
    /// Where, as `path:line`.
    pub place: String,
    /// Why it may fit the tests and nothing else, where its kind often does: `deletion`, `constant_condition` or
    /// `constant_return`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overfit: Option<String>,
}

/// A candidate that may be the answer of a session that has ended: a plausible one or, where there is none, an unverified one.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct RankedPatch {
    /// The candidate's number.
    pub candidate: u32,
    /// Its unified diff.
    pub patch: String,
    /// The remark of its maker, where that is the fix patterns.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub remark: Option<Remark>,
    /// The signs that it tampers with what its tests are judged by, each as `path:line what`: such a patch needs a person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tampering: Vec<String>,
    /// Whether the project's own test tool confirmed it; none where that was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
    /// The project's tests that ran with it; none in recordings of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests_run: Option<TestsRun>,
}

impl RankedPatch {
    /// A candidate as the answer of a session, with the signs that it tampers with what its tests are judged by.
    pub fn new(candidate: &Candidate, tampering: Vec<String>) -> Self {
        let found = candidate.validation.as_ref();
        Self {
            candidate: candidate.id(),
            patch: candidate.diff().to_owned(),
            remark: candidate.record.remark.clone(),
            tampering,
            confirmation: found.and_then(|found| found.confirmation),
            tests_run: found.and_then(|found| found.tests_run.clone()),
        }
    }
}

/// The best candidate of a session without a plausible one: it repairs some of the failing tests, or all of them and breaks others.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct PartialFix {
    /// The candidate's number.
    pub candidate: u32,
    /// Its unified diff.
    pub patch: String,
    /// The tests that show the bug and pass with it.
    pub repaired: Vec<TestId>,
    /// Those that do not.
    pub still_failing: Vec<TestId>,
    /// Tests that passed before and fail with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<TestId>,
    /// The project's tests that ran with it.
    #[serde(default, alias = "others_ran", skip_serializing_if = "Option::is_none")]
    pub tests_run: Option<TestsRun>,
}

impl PartialFix {
    /// The best of some candidates that are failing: one that breaks no test comes first. `None` if none repairs any of the tests that were
    /// `failing` before.
    pub fn best<'c>(failing: &[TestId], candidates: impl Iterator<Item = &'c Candidate>) -> Option<Self> {
        let repaired = |candidate: &Candidate| -> Vec<TestId> {
            failing.iter().filter(|test| !candidate.still_failing().contains(test)).cloned().collect()
        };
        let is_partial = |candidate: &&Candidate| {
            candidate.verdict() == Some(Verdict::Failing) && !repaired(candidate).is_empty()
        };
        let best = candidates.filter(is_partial).min_by_key(|candidate| {
            let (still, newly) = (candidate.still_failing().len(), candidate.newly_failing().len());
            (newly > 0, still, newly, candidate.id())
        })?;
        Some(Self {
            candidate: best.id(),
            patch: best.diff().to_owned(),
            repaired: repaired(best),
            still_failing: best.still_failing().to_vec(),
            broken: best.newly_failing().to_vec(),
            tests_run: best.validation.as_ref().and_then(|found| found.tests_run.clone()),
        })
    }

    /// Whether the tests that passed before were run with it.
    pub fn others_ran(&self) -> bool {
        self.tests_run.as_ref().is_some_and(TestsRun::others_ran)
    }

    /// The options that take the tests which it repairs for those that show the bug.
    pub fn options(&self) -> String {
        let quoted = |test: &TestId| format!("--failing '{}'", test.as_str().replace('\'', "'\\''"));
        self.repaired.iter().map(quoted).collect::<Vec<_>>().join(" ")
    }
}

/// Candidates of a session.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct CandidateCounts {
    /// Candidates that were suggested, duplicates not counted.
    pub tried: u64,
    /// Candidates that repeated an earlier one.
    pub duplicates: u64,
    /// Plausible candidates.
    pub plausible: u64,
    /// Candidates that break nothing, and that no test has shown to repair the bug.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unverified: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands on references")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
