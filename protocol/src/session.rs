//! Results of sessions.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::candidate::{CandidateCounts, PARTIAL, PartialFix, RankedPatch};
use crate::reproduction::ReproducedBug;
use crate::status::Status;
use crate::test::TestId;
use crate::tests_run::TestsRun;
use crate::usage::Usage;
use crate::writing::WrittenTest;

/// The name of the driver that asks no model: the fix patterns.
pub const BY_PATTERNS: &str = "patterns";

/// How a session works.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A loop in which a driver decides the next call.
    #[default]
    Agent,
    /// A fixed pipeline.
    Agentless,
}

impl Mode {
    /// The mode's word, as on the command line and in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Agentless => "agentless",
        }
    }
}

/// What a session came to: its last event.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct SessionResult {
    /// How it ended.
    pub status: Status,
    /// Why, a sentence.
    pub reason: String,
    /// What the user can do about it, where there is something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Who decided: a model's name, `patterns`.
    #[serde(default)]
    pub model: String,
    /// The hypothesis behind the patch; where there is none, that which stood at the end.
    pub hypothesis: Option<String>,
    /// The candidate that is the session's answer.
    pub candidate: Option<u32>,
    /// Its unified diff; there is one exactly when the status is `plausible`, `unverified` or `reproduced`.
    pub patch: Option<String>,
    /// All plausible candidates or, where there is none, all unverified ones: the answer first, then in the order in which a person
    /// should look at them.
    #[serde(default)]
    pub patches: Vec<RankedPatch>,
    /// Where there is no plausible candidate, the one that repairs the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<Box<PartialFix>>,
    /// The tests that were written to reproduce the bug and stand, with what they say of the candidates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reproductions: Vec<ReproducedBug>,
    /// Tests that passed before, fail with the patch, and were said to ask for what the issue calls wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outdated: Vec<TestId>,
    /// Where the session was to write a test and the patch is one: what speaks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Box<WrittenTest>>,
    /// Cycles used.
    pub cycles: u32,
    /// Candidates.
    pub candidates: CandidateCounts,
    /// Tests that show the bug.
    pub tests: TestCounts,
    /// Tokens of all replies together.
    pub tokens: Usage,
    /// Cost in US dollars; none where a price is unknown, which is not 0.
    pub cost_usd: Option<f64>,
    /// Where the time went.
    pub seconds: Seconds,
}

impl SessionResult {
    /// The result of a session that ended before its first cycle, free of charge.
    pub fn early(status: Status, reason: impl Into<String>) -> Self {
        Self {
            status,
            reason: reason.into(),
            hint: None,
            model: String::new(),
            hypothesis: None,
            candidate: None,
            patch: None,
            patches: Vec::new(),
            partial: None,
            reproductions: Vec::new(),
            outdated: Vec::new(),
            written: None,
            cycles: 0,
            candidates: CandidateCounts::default(),
            tests: TestCounts::default(),
            tokens: Usage::default(),
            cost_usd: Some(0.0),
            seconds: Seconds::default(),
        }
    }

    /// The same, where the data of the case is at fault: it would end so every time.
    #[must_use]
    pub fn unusable(self) -> Self {
        let reason = format!("the case cannot be used: {}", self.reason);
        Self { status: Status::Unusable, reason, ..self }
    }

    /// What one of the patches passes, as a clause with counts; none in recordings of earlier versions.
    pub fn passes_told(&self, patch: &RankedPatch) -> Option<String> {
        let passed =
            self.reproductions.iter().filter(|test| test.passed_by.contains(&patch.candidate)).count();
        Some(patch.tests_run.as_ref()?.told(passed))
    }

    /// Is true if a plausible answer was tried with some of the project's tests alone, because all take too long.
    pub fn is_partly_tested(&self) -> bool {
        let tests_run = self.patches.first().and_then(|answer| answer.tests_run.as_ref());
        self.status == Status::Plausible && tests_run.is_some_and(TestsRun::is_partial)
    }

    /// How it ended, in a word or two: `plausible, partial` where that is so.
    pub fn status_told(&self) -> String {
        if self.is_partly_tested() { format!("{}, {PARTIAL}", self.status) } else { self.status.to_string() }
    }

    /// The signs that the answer tampers with what its tests are judged by.
    pub fn tampering(&self) -> &[String] {
        self.patches.first().map_or(&[], |answer| &answer.tampering)
    }
}

/// Failing tests before and after.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct TestCounts {
    /// Tests that failed before any change and show the bug.
    pub failing_before: u64,
    /// Tests that fail with the session's answer, or with its best candidate where it has none.
    pub failing_after: u64,
}

/// Where the time of a session went, in seconds.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Seconds {
    /// From start to end.
    pub total: f64,
    /// Waiting for the model.
    pub model: f64,
    /// Thinking of what the fix patterns may try, as far as anybody waited for it.
    #[serde(default)]
    pub planning: f64,
    /// Building and testing, all lanes together.
    pub tests: f64,
    /// Other tools.
    pub tools: f64,
}

impl Seconds {
    /// What went into none of these: mostly finding out how the project is tested, and copying it.
    pub fn rest(&self) -> f64 {
        (self.total - self.model - self.planning - self.tests - self.tools).max(0.0)
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { total, model, planning, tests, tools } = self;
        write!(
            formatter,
            "{total:.1} s: model {model:.1} s, planning {planning:.1} s, tests {tests:.1} s, tools {tools:.1} s, getting ready {:.1} s",
            self.rest()
        )
    }
}
