//! The closed set of events of a run, one JSON line each in `events.jsonl`.

use std::collections::BTreeMap;

use patchwright_protocol::SessionResult;
use serde::{Deserialize, Serialize};

use super::memory::PeakMemory;

/// The name of the format, in the first record of every log and in `run.toml`.
pub const FORMAT: &str = "patchwright-run";
/// The version of the format that this program writes, and the newest one that it reads.
pub const VERSION: u32 = 1;

/// One line of `events.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRecord {
    /// Position in the file, counted from 0 without gaps.
    pub seq: u64,
    /// When it was written: RFC 3339, UTC, with milliseconds.
    pub time: String,
    /// The event.
    #[serde(flatten)]
    pub event: RunEvent,
}

/// An event of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunEvent {
    /// The first event of every log.
    RunStarted {
        /// Always [`FORMAT`].
        format: String,
        /// The format version.
        version: u32,
        /// The run's name.
        run: String,
        /// The number of cases to be done.
        cases: u64,
        /// The program and what it works with, with versions.
        versions: BTreeMap<String, String>,
    },
    /// The run goes on in another process.
    RunResumed {
        /// The number of cases to be done, those that are redone included.
        cases: u64,
        /// The program and what it works with, with versions.
        versions: BTreeMap<String, String>,
    },
    /// An attempt begins; its folder is made after this.
    AttemptStarted {
        /// The case's id.
        case: String,
        /// The attempt's number, from 1.
        attempt: u32,
    },
    /// An attempt came to its end.
    AttemptEnded {
        /// The case's id.
        case: String,
        /// The attempt's number.
        attempt: u32,
        /// Its outcome.
        outcome: Box<SessionResult>,
        /// Wall-clock seconds from its start, preparing and cleaning up included; none where the program was killed.
        seconds: Option<f64>,
        /// The comparison of its patch with the developer's fix by place; none without either of them, or where the program
        /// was killed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        located: Option<FixCoverage>,
    },
    /// A patch was judged.
    Graded {
        /// The case's id.
        case: String,
        /// The attempt's number.
        attempt: u32,
        /// The judgement.
        grade: Grade,
    },
    /// Something worth telling.
    Notice {
        /// The case's id, where it is about one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        case: Option<String>,
        /// The text.
        text: String,
    },
    /// The run, or its part in this process, came to its end.
    RunEnded {
        /// The reason.
        reason: EndReason,
        /// The reason in a sentence.
        text: String,
        /// Cases without an answer.
        unanswered: u64,
        /// The most memory that this process and its commands took. Runs of older programs do not tell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        memory: Option<PeakMemory>,
    },
}

/// The parts of what the developer's fix touches of which a patch touches all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixCoverage {
    /// All its files.
    pub files: bool,
    /// All its functions (or classes, where it changes no function).
    pub functions: bool,
    /// All its lines.
    pub lines: bool,
}

/// The reason why a run ended; the later ones leave more to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// Every case was tried.
    Complete,
    /// The budget of the run does not hold another session.
    Budget,
    /// The user ended it.
    Cancelled,
}

/// The judgement of a patch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Grade {
    /// Is true if the benchmark's own tests accept it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<bool>,
    /// Is true if it is correct: equal to the developer's fix, or judged so by a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correct: Option<bool>,
    /// The place, from 1, of the first plausible patch that equals the developer's fix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix_at: Option<u32>,
    /// Where the patch adds tests: what the benchmark measures of them. `resolved` is S then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestGrade>,
    /// The judge: `normal form`, `swe-bench`, a person's name.
    pub by: String,
    /// The reason, or a remark; may be empty.
    pub note: String,
}

impl Grade {
    /// The verdict on tests, where it is one.
    pub fn graded_tests(&self) -> Option<GradedTests> {
        Some(GradedTests { resolved: self.resolved.unwrap_or_default(), measures: self.tests? })
    }
}

/// The verdict of a benchmark on a patch that adds tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GradedTests {
    /// S, or for TDD-Bench that the score is above zero.
    pub resolved: bool,
    /// What the benchmark measures.
    #[serde(flatten)]
    pub measures: TestGrade,
}

/// The measures of a patch that adds tests, by a benchmark of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestGrade {
    /// W: the tests that were there still run; none where the benchmark does not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub well_formed: Option<bool>,
    /// F→×: a test fails before the fix, whatever it does after.
    pub fails_before: bool,
    /// F→P: a test fails before the fix and passes after.
    pub fail_to_pass: bool,
    /// P→P: a test passes both times; none where the benchmark does not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_to_pass: Option<bool>,
    /// ΔC, from 0 to 1: the share of the developers' fix that the tests execute and others do not; for TDD-Bench the share that they
    /// execute. None where no line of the fix can be executed, or nothing was traced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<f64>,
    /// The score of TDD-Bench, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

impl RunEvent {
    /// A notice about the run as a whole.
    pub fn notice(text: impl Into<String>) -> Self {
        Self::Notice { case: None, text: text.into() }
    }
}
