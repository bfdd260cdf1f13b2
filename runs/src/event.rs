//! The closed set of events of a run, one JSON line each in `events.jsonl`.

use std::collections::BTreeMap;

use patchwright_protocol::SessionResult;
use serde::{Deserialize, Serialize};

use super::fix_coverage::FixCoverage;

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
    /// What happened.
    #[serde(flatten)]
    pub event: RunEvent,
}

/// What can happen in a run.
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
        /// How many cases are to be done.
        cases: u64,
        /// The program and what it works with, with versions.
        versions: BTreeMap<String, String>,
    },
    /// The run goes on in another process.
    RunResumed {
        /// How many cases are to be done, those that are redone included.
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
        /// What it came to.
        outcome: Box<SessionResult>,
        /// Wall-clock seconds from its start, preparing and cleaning up included; none where the program was killed.
        seconds: Option<f64>,
        /// How its patch compares with the developer's fix by place; none without either of them, or where the program
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
        /// What to tell.
        text: String,
    },
    /// The run, or its part in this process, came to its end.
    RunEnded {
        /// Why.
        reason: EndReason,
        /// The reason in a sentence.
        text: String,
        /// Cases without an answer.
        unanswered: u64,
    },
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// Every case was tried.
    Complete,
    /// The budget of the run does not hold another session.
    Budget,
    /// The user ended it.
    Cancelled,
}

impl EndReason {
    /// Its word, as in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Budget => "budget",
            Self::Cancelled => "cancelled",
        }
    }
}

/// How a patch was judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Grade {
    /// Whether the benchmark's own tests accept it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<bool>,
    /// Whether it is correct: equal to the developer's fix, or judged so by a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correct: Option<bool>,
    /// Who judged: `normal form`, `swe-bench`, a person's name.
    pub by: String,
    /// Why, or what else there is to say; may be empty.
    pub note: String,
}

impl RunEvent {
    /// A notice about the run as a whole.
    pub fn notice(text: impl Into<String>) -> Self {
        Self::Notice { case: None, text: text.into() }
    }

    /// The event's name, as in the field `event`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RunStarted { .. } => "run_started",
            Self::RunResumed { .. } => "run_resumed",
            Self::AttemptStarted { .. } => "attempt_started",
            Self::AttemptEnded { .. } => "attempt_ended",
            Self::Graded { .. } => "graded",
            Self::Notice { .. } => "notice",
            Self::RunEnded { .. } => "run_ended",
        }
    }
}
