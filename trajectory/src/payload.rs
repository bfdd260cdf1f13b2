//! What events carry.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// The service gave no answer that can be read.
    Service,
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
