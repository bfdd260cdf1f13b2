//! Tests as the product of a session: by which method they are written, and what speaks for them.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::test::TestId;

/// What a session is for.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// A fix.
    #[default]
    Fix,
    /// A test that shows the bug, and no fix.
    Test,
}

/// How a test that shows a bug is written.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestMethod {
    /// One question, one test.
    Direct,
    /// One question that shows the nearest files; the answer is a unified diff (SWT-Bench, arXiv 2406.12952).
    ZeroShot,
    /// The same, and the answer is in blocks that name whole functions.
    ZeroShotPlus,
    /// Several such answers, run and grouped by how they fail.
    Libro,
    /// A test that passes, whose assertion is then turned over.
    AssertFlip,
    /// The loop, in which a model chooses each step.
    #[default]
    Agent,
}

impl TestMethod {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Direct, Self::ZeroShot, Self::ZeroShotPlus, Self::Libro, Self::AssertFlip, Self::Agent];

    /// The method's word, as on the command line and in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::ZeroShot => "zero-shot",
            Self::ZeroShotPlus => "zero-shot-plus",
            Self::Libro => "libro",
            Self::AssertFlip => "assert-flip",
            Self::Agent => "agent",
        }
    }
}

impl fmt::Display for TestMethod {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

impl FromStr for TestMethod {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|method| method.word() == word).ok_or_else(|| {
            let known = Self::ALL.map(Self::word).join(", ");
            format!("there is no method `{word}`; the methods are {known}")
        })
    }
}

/// The test that a session has written, and what speaks for it.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct WrittenTest {
    /// How it was written.
    pub method: TestMethod,
    /// The files that its patch touches.
    pub files: Vec<String>,
    /// The names of those of its tests that fail on the original code.
    pub tests: Vec<TestId>,
    /// How the first of them fails, in short.
    pub failure: String,
    /// What the model said when it was asked whether this failure is the issue's; none where it was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matches_issue: Option<bool>,
    /// The production code that it executes; none where that is not measured here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<TestCoverage>,
    /// Files that the model changed besides and that are no tests: their changes are not in the patch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Tests that were there, and functions beside them, of which its patch changes lines, as `path: Class.function`: what they checked may not be
    /// checked any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
}

/// The production code that a test executes.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct TestCoverage {
    /// Lines of production code that it executes.
    pub executed: u64,
    /// Lines with statements in the code that the issue names, or that was given with `--line`.
    pub suspicious: u64,
    /// Of those the ones that it executes.
    pub suspicious_executed: u64,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_files_hold() {
        for method in TestMethod::ALL {
            assert_eq!(serde_json::to_value(method).unwrap(), method.word());
            assert_eq!(method.word().parse::<TestMethod>().unwrap(), method);
        }
        assert!("libra".parse::<TestMethod>().unwrap_err().contains("libro, assert-flip"));
    }
}
