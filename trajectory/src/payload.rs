//! What events carry.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a session works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A loop in which a driver decides the next call.
    Agent,
    /// A fixed pipeline.
    Agentless,
}

/// What a prompt asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// The next command.
    Command,
    /// Variants of a candidate.
    Variants,
    /// A new body for a method.
    MethodBody,
    /// The question of a stage of the fixed pipeline; which stage, the call of its cycle says.
    Stage,
}

/// A failing test and how it fails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailingTest {
    /// The test's name.
    pub id: String,
    /// The message of the failure, where there is one.
    pub message: Option<String>,
}

/// A native tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    /// The tool's name as sent.
    pub name: String,
    /// The arguments as sent: text that should be JSON.
    pub arguments: String,
}

/// Tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Tokens of the prompt, cached ones included.
    pub input: u64,
    /// Tokens of the prompt that came from the provider's cache.
    pub cached_input: u64,
    /// Tokens of the reply.
    pub output: u64,
}

/// Why no tool ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefusalReason {
    /// The reply was empty.
    Empty,
    /// The reply holds no call.
    NoCall,
    /// The reply holds several different calls.
    SeveralCalls,
    /// A part of the reply that matters was cut off.
    Cut,
    /// A text in the reply can be read in two ways.
    TwoReadings,
    /// Something inside the arguments cannot be read.
    Unreadable,
    /// There is no tool of that name.
    UnknownTool,
    /// Several tools are equally near to the name.
    AmbiguousTool,
    /// The name of an argument is equally near to several.
    AmbiguousArgument,
    /// Arguments are missing or not of the right kind.
    BadArguments,
    /// The state does not allow the tool.
    Forbidden,
    /// The same call was made before.
    Repeated,
    /// After several refusals only another kind of step is accepted.
    Forced,
    /// A person refused the call.
    Person,
}

/// How a person stepped in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InterventionKind {
    /// A hint for the model.
    Hint,
    /// The arguments of a call were changed.
    Edit,
    /// A call was refused.
    Refuse,
    /// The session goes on without asking.
    RunAlone,
    /// The session was ended.
    Quit,
}

/// How much a notice matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Nothing needs to be done.
    Info,
    /// The user may want to act.
    Warning,
    /// Something failed and is tried again.
    Retry,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A plausible patch was found.
    Plausible,
    /// None was found, or there was nothing to repair.
    NoFix,
    /// The budget ended first.
    Budget,
    /// The driver made no progress.
    Stuck,
    /// Sandbox, tool chain or project stood in the way.
    Environment,
    /// The model provider stood in the way.
    Model,
    /// The user ended it.
    Cancelled,
}

/// Candidates of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CandidateCounts {
    /// Candidates that were suggested, duplicates not counted.
    pub tried: u64,
    /// Candidates that repeated an earlier one.
    pub duplicates: u64,
    /// Plausible candidates.
    pub plausible: u64,
}

/// What the fix patterns say of a candidate of theirs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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

/// A plausible candidate of a session that has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankedPatch {
    /// The candidate's number.
    pub candidate: u32,
    /// Its unified diff.
    pub patch: String,
    /// What its maker says of it, where that is the fix patterns.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub remark: Option<Remark>,
    /// The signs that it tampers with what its tests are judged by, each as `path:line what`: such a patch needs a person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tampering: Vec<String>,
}

/// Failing tests before and after.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestCounts {
    /// Tests that failed before any change and show the bug.
    pub failing_before: u64,
    /// Tests that fail with the session's answer, or with its best candidate where it has none.
    pub failing_after: u64,
}

/// Where the time of a session went, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
