//! A bug as a session is given it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::results_format::ResultsFormat;

/// The bug as the user or a benchmark tells of it; written to the trajectory, so that a replay has it too.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct BugInput {
    /// The name of the project: its folder's, or the recorded one. Where a suite leaves it empty it is that of the case. Never
    /// the case's id: that may tell where its fix is to be read.
    pub project: String,
    /// The tests that show the bug, as far as they are known; where there are none, all that fail before any change do.
    pub failing: Vec<String>,
    /// The issue's text.
    pub issue: Option<String>,
    /// Whether the issue alone tells of the bug: what fails before any change is not it, and is ignored.
    #[serde(default, rename = "told_by_issue", skip_serializing_if = "std::ops::Not::not")]
    pub issue_only: bool,
    /// Suspicious lines, `path#line` each.
    pub lines: Vec<String>,
    /// These lines are the known place of the bug.
    pub perfect_localization: bool,
    /// Suspicious lines are found by running the tests, when somebody wants to know. Recordings made before that was possible do
    /// not say so.
    #[serde(default)]
    pub spectrum: bool,
}

/// A bug as a session is given it: a project and how to test it.
#[derive(Clone, Debug, Default)]
pub struct Bug {
    /// The project at its buggy revision, without later commits; it is copied and never changed.
    pub dir: PathBuf,
    /// The commands that build and test it; what is missing is detected.
    pub overrides: Overrides,
    /// The bug itself.
    pub input: BugInput,
    /// Tests that fail before and after and are ignored.
    pub known_failing: Vec<String>,
    /// The container image in which it is built and tested.
    pub image: Option<String>,
    /// Where the project is seen in the image's containers, where that matters: an absolute path.
    pub lane_at: Option<PathBuf>,
    /// Paths of the host beside the project that its commands have to read.
    pub readable: Vec<PathBuf>,
}

/// The settings of a user for building and testing; what is `None` is detected.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// The command that runs all tests.
    pub test: Option<TestCommand>,
    /// The command that runs some tests, with `{tests}` or `{test}`.
    pub test_one: Option<String>,
    /// The command that compiles.
    pub build: Option<String>,
    /// What is done after the command that compiles, given or detected, as a part of it.
    pub after_build: Option<String>,
    /// The format of the outcomes.
    pub results: Option<ResultsFormat>,
    /// Folders of production code.
    pub source: Option<Vec<String>>,
    /// Folders of test code.
    pub tests: Option<Vec<String>>,
    /// Variables for every command.
    pub env: Option<BTreeMap<String, String>>,
    /// Time limit of one command.
    pub timeout: Option<Duration>,
    /// Whether the commands may reach the network.
    pub network: Option<bool>,
}

impl Overrides {
    /// The line of the shell that runs all tests, where one is given.
    pub fn test_line(&self) -> Option<&str> {
        self.test.as_ref().map(TestCommand::line)
    }
}

/// The command that runs all tests of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestCommand {
    /// None of the project's tests are run.
    None,
    /// A line of the shell.
    Shell(String),
}

impl TestCommand {
    /// The line of the shell. Where no tests are run it does nothing and succeeds: with an exit status for a result, that is one test, which
    /// passes.
    pub fn line(&self) -> &str {
        match self {
            Self::None => "true",
            Self::Shell(line) => line,
        }
    }
}

impl From<&str> for TestCommand {
    fn from(line: &str) -> Self {
        Self::Shell(line.to_owned())
    }
}

impl From<String> for TestCommand {
    fn from(line: String) -> Self {
        Self::Shell(line)
    }
}
