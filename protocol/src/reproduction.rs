//! Tests that were written to reproduce an issue.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::test::TestId;

/// What a reproduction test does on the original code.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReproductionVerdict {
    /// It fails for what may be the reason: it shows the bug.
    Fails,
    /// It passes: it misses the bug.
    Passes,
    /// It says nothing: it cannot be imported or compiled, it is not found, or it does not end.
    DoesNotRun,
}

impl ReproductionVerdict {
    /// The verdict as prompts and terminals say it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Fails => "fails",
            Self::Passes => "passes",
            Self::DoesNotRun => "does not run",
        }
    }
}

impl fmt::Display for ReproductionVerdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.words())
    }
}

/// A reproduction test of a session, and what it does on the original code.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct ReproductionRecord {
    /// Its number, from 1.
    pub id: u32,
    /// The file that it stands in; of a script the name that it is given.
    pub path: String,
    /// The unified diff that adds it to the project; of a script its text, which is no part of the project.
    pub text: String,
    /// What it does on the original code.
    pub verdict: ReproductionVerdict,
    /// The names of those of its tests that fail there.
    pub tests: Vec<TestId>,
    /// How the first of them fails, in short; why it does not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The earlier test that it takes the place of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<u32>,
}

impl ReproductionRecord {
    /// Those of some tests that show the bug and that no other of them has taken the place of.
    pub fn standing(all: &[Self]) -> impl Iterator<Item = &Self> {
        let is_replaced = |id: u32| all.iter().any(|later| later.replaces == Some(id));
        all.iter().filter(move |test| test.verdict == ReproductionVerdict::Fails && !is_replaced(test.id))
    }
}

/// What a reproduction test says of a candidate.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct ReproductionOutcome {
    /// The test's number.
    pub test: u32,
    /// Is true if it passes with the candidate.
    pub passes: bool,
}

/// A reproduction test that stands at the end of a session.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct ReproducedBug {
    /// The test.
    #[serde(flatten)]
    pub test: ReproductionRecord,
    /// The numbers of the candidates that it passes with, of those that it was run with.
    pub passed_by: Vec<u32>,
    /// The numbers of the others.
    pub failed_by: Vec<u32>,
}
