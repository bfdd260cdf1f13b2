//! The report of a run of the tests.

use std::collections::{BTreeMap, BTreeSet};

use patchwright_protocol::{StandIn, TestId};
use serde::{Deserialize, Serialize};

use crate::results::Elsewhere;

use crate::outcome::{Ending, Outcomes, TestOutcome, TestStatus};

/// An error of a compiler, or of an interpreter that cannot read a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CompilerError {
    /// The file, relative to the project's root where it is part of the project.
    pub file: String,
    /// The 1-based line.
    pub line: u32,
    /// The 1-based column, where the compiler marks one.
    pub column: Option<u32>,
    /// The message; several lines where the compiler explains.
    pub message: String,
    /// The line of source.
    pub source_line: Option<String>,
}

/// The result of the build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Build {
    /// There is nothing to build.
    NotNeeded,
    /// It succeeded.
    Ok,
    /// It failed; no test was run.
    Failed {
        /// The errors that could be read, in the order in which they were reported.
        errors: Vec<CompilerError>,
        /// The output of the build, cleaned.
        log: String,
    },
}

/// The report of a run of the tests. All text in it is cleaned: no path of this machine, no duration, no address.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestReport {
    /// The result of the build.
    pub build: Build,
    /// The outcome of each test, sorted by name.
    pub outcomes: Vec<TestOutcome>,
    /// The number of further tests that passed and whose names the output does not tell.
    pub unlisted_passed: usize,
    /// Is true if the run was ended at its time limit.
    pub timed_out: bool,
    /// The test that was running when the run was ended or broke off, where the output tells.
    pub interrupted_in: Option<TestId>,
    /// The test that ended last, where it is known that others were to come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_last: Option<TestId>,
    /// The number of tests that the run was to have, where the tool tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collected: Option<u64>,
    /// How many of them are in each file, where it tells that.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub collected_in: BTreeMap<TestId, u64>,
    /// The module of the project that would not have been that of the project, where nothing was tested for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<Box<Elsewhere>>,
    /// Is true if the run went through to its end, so that a test without outcome is one that does not exist any more.
    pub complete: bool,
    /// The ending of the last command, in words: `status 1`, `signal 9`, `its time limit`.
    pub ending: String,
    /// The output of the commands, cleaned.
    pub log: String,
    /// Wall-clock seconds of the commands.
    pub seconds: f64,
    /// Wall-clock seconds of each test, where the tool tells them.
    pub test_seconds: BTreeMap<TestId, f64>,
    /// The parts of the test tools that were no longer as they were before the project was loaded, where the runner is ours.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub bent: BTreeSet<String>,
    /// Why files with results were not read: one sentence each.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unread: BTreeSet<String>,
}

impl TestReport {
    /// The report of a run that did not take place.
    pub fn empty(log: String) -> Self {
        Self {
            build: Build::NotNeeded,
            outcomes: Vec::new(),
            unlisted_passed: 0,
            timed_out: false,
            interrupted_in: None,
            ended_last: None,
            collected: None,
            collected_in: BTreeMap::new(),
            elsewhere: None,
            complete: false,
            ending: "no command".to_owned(),
            log,
            seconds: 0.0,
            test_seconds: BTreeMap::new(),
            bent: BTreeSet::new(),
            unread: BTreeSet::new(),
        }
    }

    /// Takes what was bent for a failing test, but for what was so `before` any change; its name.
    pub fn accuse(&mut self, before: &BTreeSet<String>) -> Option<TestId> {
        let bent: Vec<&str> = self.bent.difference(before).map(String::as_str).collect();
        if bent.is_empty() {
            return None;
        }
        let message = format!("the change bends what tests are judged by: {}", bent.join(", "));
        self.add(vec![TestOutcome::new(StandIn::TestTools, TestStatus::Error).with_message(message)]);
        Some(StandIn::TestTools.into())
    }

    /// How a test ended; [`Ending::Completed`] where it has no outcome.
    pub fn ending_of(&self, test: &TestId) -> Ending {
        self.outcome(test).map_or(Ending::Completed, |outcome| outcome.ending)
    }

    /// Adds outcomes.
    pub fn add(&mut self, more: Vec<TestOutcome>) {
        let all: Outcomes = std::mem::take(&mut self.outcomes).into_iter().chain(more).collect();
        self.outcomes = all.into_sorted();
    }

    /// The failing tests, sorted.
    pub fn failing(&self) -> Vec<TestId> {
        let failing = self.outcomes.iter().filter(|outcome| outcome.status.is_failing());
        failing.map(|outcome| outcome.id.clone()).collect()
    }

    /// The tests that passed, sorted.
    pub fn passing(&self) -> Vec<TestId> {
        self.with_status(TestStatus::Passed).map(|outcome| outcome.id.clone()).collect()
    }

    /// The number of tests that passed, those included whose names are not known.
    pub fn passed(&self) -> usize {
        self.with_status(TestStatus::Passed).count() + self.unlisted_passed
    }

    /// The number of tests that were skipped.
    pub fn skipped(&self) -> usize {
        self.with_status(TestStatus::Skipped).count()
    }

    /// The outcome of a test.
    pub fn outcome(&self, id: &TestId) -> Option<&TestOutcome> {
        self.outcomes.binary_search_by(|outcome| outcome.id.cmp(id)).ok().map(|index| &self.outcomes[index])
    }

    /// Is true if the build failed.
    pub fn build_failed(&self) -> bool {
        matches!(self.build, Build::Failed { .. })
    }

    fn with_status(&self, status: TestStatus) -> impl Iterator<Item = &TestOutcome> {
        self.outcomes.iter().filter(move |outcome| outcome.status == status)
    }
}
