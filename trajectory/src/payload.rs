//! What events carry.

use std::fmt;

use patchwright_protocol::Effort;
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

/// What is different when a question is asked again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum Change {
    /// Time has passed.
    Waiting {
        /// The time, in seconds.
        seconds: u64,
    },
    /// The prompt is shorter, or the reply is.
    Shortening {
        /// Estimated tokens of the prompt.
        prompt_tokens: u64,
        /// Tokens that the reply may have.
        reply_tokens: u32,
        /// The model's window in tokens, where the service named it.
        window: Option<u32>,
    },
    /// The model writes its calls as text.
    LeavingTools {
        /// HTTP status of the refusal.
        #[schemars(with = "u32")]
        status: u16,
    },
    /// The reply may be longer, and the model is to reason less.
    Extending {
        /// Tokens that the reply may have.
        reply_tokens: u32,
        /// How much the model is to reason.
        effort: Option<Effort>,
    },
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waiting { seconds } => write!(f, "asked again in {seconds} s"),
            Self::Shortening { prompt_tokens, reply_tokens, .. } => {
                write!(f, "asked again with about {prompt_tokens} tokens, and {reply_tokens} for the reply")
            }
            Self::LeavingTools { .. } => f.write_str("asked again for calls as JSON in the text"),
            Self::Extending { reply_tokens, effort } => {
                write!(f, "asked again with {reply_tokens} tokens")?;
                effort.map_or(Ok(()), |effort| write!(f, " and the effort {effort}"))
            }
        }
    }
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
