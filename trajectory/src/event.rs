//! The closed set of events.

use std::collections::BTreeSet;

use patchwright_protocol::{
    CandidateRecord, ChatReply, Effort, FailingTest, Mode, ReproductionRecord, SessionResult, TestId,
    ToolOutcome, ValidationResult,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::delta::PromptDelta;
use crate::payload::{Change, InterventionKind, Level, Purpose, RefusalReason};

/// The name of the format, in the first record of every trajectory.
pub const FORMAT: &str = "patchwright-trajectory";
/// The version of the format that this program writes, and the newest one that it reads.
pub const VERSION: u32 = 1;

/// One line of a trajectory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// Position in the file, counted from 0 without gaps.
    pub seq: u64,
    /// Milliseconds since the trajectory was opened.
    pub ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What can happen in a session. The set is closed: a reader knows every event of its format version.
///
/// `cycle` counts from 1; events before the first cycle (hints typed before the first prompt) carry 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The first event of every trajectory; made by [`Event::session_started`].
    SessionStarted {
        /// Always [`FORMAT`].
        format: String,
        /// The format version, [`VERSION`] when written by this program.
        version: u32,
        /// The session's name, unique among the sessions of a project.
        session: String,
        /// When the session began (RFC 3339, UTC).
        time: String,
        /// The bug as the session was given it: project, given failing tests, issue text, localisation.
        bug: Value,
        /// Every setting that shapes prompts and decisions, without secrets.
        settings: Value,
        /// Agent or agentless.
        mode: Mode,
        /// Who decides: a model's name (`openai/gpt-4.1`), `patterns`, `human`, `replay:FILE`.
        driver: String,
    },
    /// What was found out about the project, and where its commands run.
    Detected {
        /// Language, adapter, build and test commands and the rest of the project's description.
        spec: Value,
        /// Why the description is as it is, a sentence each (`pyproject.toml names pytest`).
        reasons: Vec<String>,
        /// What isolates untrusted commands, one line.
        sandbox: String,
        /// What is missing or was tried without success.
        notes: Vec<String>,
    },
    /// The tests that were named as those that show the bug, run without the others: what the first prompt tells of them while the
    /// others are still under way.
    NamedTests {
        /// The tests that show the bug.
        failing: Vec<FailingTest>,
        /// The cleaned report, as the model sees it.
        report: String,
        /// Seconds that building and testing took.
        seconds: f64,
    },
    /// The tests before any change.
    Baseline {
        /// Tests that ran.
        total: u64,
        /// Tests that passed.
        passed: u64,
        /// The tests that show the bug.
        failing: Vec<FailingTest>,
        /// Tests that fail before and after and are ignored.
        known_failing: Vec<TestId>,
        /// Tests whose outcome changed between two runs of the same code.
        flaky: Vec<TestId>,
        /// The files, modules or classes whose tests alone are known and run, where all would take too long.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        nearest: Vec<TestId>,
        /// The number of all tests, where only some are known and their tool tells it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        all_tests: Option<u64>,
        /// The cleaned report, as the model sees it.
        report: String,
        /// Seconds that building and testing took.
        seconds: f64,
        /// Seconds of one run of all tests, by which a session decides how much of them each candidate is worth: a replay decides by
        /// these, however long its own tests take.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        suite_seconds: Option<f64>,
        /// The tests whose coverage is recorded before anything is tried, where that of all would take too long. They were chosen by the time
        /// that they took: a replay takes the same ones.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Vec<TestId>>")]
        traced: Option<BTreeSet<TestId>>,
    },
    /// A prompt was sent. Written by [`Writer::prompt`](crate::Writer::prompt).
    Prompt {
        /// The cycle.
        cycle: u32,
        /// What the prompt asks for.
        purpose: Purpose,
        /// The prompt, as a difference to the previous one of the same purpose.
        prompt: PromptDelta,
        /// Estimated tokens of the whole prompt.
        tokens: u64,
    },
    /// A driver answered.
    Reply {
        /// The cycle.
        cycle: u32,
        /// What the prompt had asked for.
        purpose: Purpose,
        /// The reply as it came.
        #[serde(flatten)]
        reply: ChatReply,
        /// What the reply cost in US dollars; none where the price is unknown (which is not 0).
        cost_usd: Option<f64>,
        /// Seconds from request to reply, retries included.
        seconds: f64,
        /// How much the model was asked to reason; none where that was left to the service.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effort: Option<Effort>,
    },
    /// A reply was read as a call.
    Call {
        /// The cycle.
        cycle: u32,
        /// The tool's name.
        tool: String,
        /// The arguments after interpretation.
        arguments: Value,
        /// What the reply said besides the call.
        thoughts: Option<String>,
        /// What had to be repaired to read the call, a sentence each.
        repairs: Vec<String>,
    },
    /// No tool ran, and the next prompt says why.
    Refusal {
        /// The cycle.
        cycle: u32,
        /// The kind of refusal.
        reason: RefusalReason,
        /// The tool that was asked for, as far as it could be read.
        tool: Option<String>,
        /// What the model is told.
        message: String,
    },
    /// A tool ran.
    Observation {
        /// The cycle.
        cycle: u32,
        /// The tool's name.
        tool: String,
        /// The result as the model sees it.
        text: String,
        /// The typed result.
        data: Value,
        /// What the call came to.
        #[serde(default, skip_serializing_if = "ToolOutcome::is_done")]
        outcome: ToolOutcome,
        /// Whether the tool did what moves the state machine on.
        advance: bool,
        /// Seconds that the tool took.
        seconds: f64,
    },
    /// The state machine moved.
    Transition {
        /// The cycle.
        cycle: u32,
        /// The state that was left.
        from: String,
        /// The state that was entered.
        to: String,
    },
    /// A hypothesis about the bug was stated.
    Hypothesis {
        /// The cycle.
        cycle: u32,
        /// The hypothesis.
        text: String,
    },
    /// The current hypothesis was given up.
    HypothesisDiscarded {
        /// The cycle.
        cycle: u32,
        /// Why.
        reason: String,
    },
    /// A candidate whose verdict follows. Its validation may be under way or over already; there is none where its edits do not apply
    /// (then it has no diff) or repeat those of an earlier one.
    Candidate {
        /// The cycle.
        cycle: u32,
        /// The candidate.
        #[serde(flatten)]
        candidate: CandidateRecord,
    },
    /// What validation found out about a candidate.
    Verdict {
        /// The cycle.
        cycle: u32,
        /// The candidate's number.
        candidate: u32,
        /// What was found.
        #[serde(flatten)]
        result: ValidationResult,
    },
    /// A test was written to reproduce the bug, and has run on the original code.
    Reproduction {
        /// The cycle.
        cycle: u32,
        /// The test.
        #[serde(flatten)]
        test: ReproductionRecord,
    },
    /// A person stepped in.
    Intervention {
        /// The cycle.
        cycle: u32,
        /// How.
        kind: InterventionKind,
        /// The hint, the edited arguments, the reason of a refusal; may be empty.
        text: String,
    },
    /// A question was not answered and is asked again.
    AskedAgain {
        /// The cycle.
        cycle: u32,
        /// What the prompt asks for.
        purpose: Purpose,
        /// Why there is no answer.
        error: String,
        /// What is different now.
        change: Change,
    },
    /// Something worth telling that is no step of the repair.
    Notice {
        /// How much it matters.
        level: Level,
        /// What to tell.
        text: String,
    },
    /// The last event of a session that was not killed.
    SessionEnded(SessionResult),
}

impl Event {
    /// Fills in what versions of the program before [`ToolOutcome`] wrote into `data` and `advance` alone.
    pub(crate) fn with_outcome(mut self) -> Self {
        if let Self::Observation { outcome: outcome @ ToolOutcome::Done, data, advance, .. } = &mut self {
            *outcome = match advance {
                false if data["refused"] == true => ToolOutcome::Refused,
                false => ToolOutcome::Inconclusive,
                true if data["partial"] == true => ToolOutcome::Partial,
                true => ToolOutcome::Done,
            };
        }
        self
    }

    /// The first event, with the format and version of this program.
    pub fn session_started(
        session: impl Into<String>,
        time: impl Into<String>,
        bug: Value,
        settings: Value,
        mode: Mode,
        driver: impl Into<String>,
    ) -> Self {
        Self::SessionStarted {
            format: FORMAT.to_owned(),
            version: VERSION,
            session: session.into(),
            time: time.into(),
            bug,
            settings,
            mode,
            driver: driver.into(),
        }
    }

    /// Something to tell that needs nothing done.
    pub fn info(text: impl Into<String>) -> Self {
        Self::Notice { level: Level::Info, text: text.into() }
    }

    /// Something that may need the user's attention.
    pub fn warning(text: impl Into<String>) -> Self {
        Self::Notice { level: Level::Warning, text: text.into() }
    }

    /// A failed attempt that is being repeated.
    pub fn retry(text: impl Into<String>) -> Self {
        Self::Notice { level: Level::Retry, text: text.into() }
    }

    /// The event's name, as in the field `event`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SessionStarted { .. } => "session_started",
            Self::Detected { .. } => "detected",
            Self::NamedTests { .. } => "named_tests",
            Self::Baseline { .. } => "baseline",
            Self::Prompt { .. } => "prompt",
            Self::Reply { .. } => "reply",
            Self::Call { .. } => "call",
            Self::Refusal { .. } => "refusal",
            Self::Observation { .. } => "observation",
            Self::Transition { .. } => "transition",
            Self::Hypothesis { .. } => "hypothesis",
            Self::HypothesisDiscarded { .. } => "hypothesis_discarded",
            Self::Candidate { .. } => "candidate",
            Self::Verdict { .. } => "verdict",
            Self::Reproduction { .. } => "reproduction",
            Self::Intervention { .. } => "intervention",
            Self::AskedAgain { .. } => "asked_again",
            Self::Notice { .. } => "notice",
            Self::SessionEnded(_) => "session_ended",
        }
    }

    /// The cycle that the event belongs to.
    pub fn cycle(&self) -> Option<u32> {
        match self {
            Self::Prompt { cycle, .. }
            | Self::Reply { cycle, .. }
            | Self::Call { cycle, .. }
            | Self::Refusal { cycle, .. }
            | Self::Observation { cycle, .. }
            | Self::Transition { cycle, .. }
            | Self::Hypothesis { cycle, .. }
            | Self::HypothesisDiscarded { cycle, .. }
            | Self::Candidate { cycle, .. }
            | Self::Verdict { cycle, .. }
            | Self::Reproduction { cycle, .. }
            | Self::Intervention { cycle, .. }
            | Self::AskedAgain { cycle, .. } => Some(*cycle),
            Self::SessionStarted { .. }
            | Self::Detected { .. }
            | Self::NamedTests { .. }
            | Self::Baseline { .. }
            | Self::Notice { .. }
            | Self::SessionEnded(_) => None,
        }
    }
}
