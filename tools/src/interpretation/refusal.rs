//! Reasons for which a reply is not a call, in words that a model can act on.

use patchwright_replies::{dotted, end_of};
use patchwright_syntax::shorten;
use thiserror::Error;

/// Letters of a message to a model; there is a message for each fault, and a reply may have thousands.
const LONGEST_MESSAGE: usize = 4_000;

/// The reason for which a reply is not one call of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The reply is empty.
    #[error("The reply was empty. Ask for exactly one command.")]
    Empty,
    /// There is text but no call in it.
    #[error("The reply held no command. Answer with one command in the given format.")]
    NoCall,
    /// There are different calls.
    #[error("The reply held several commands ({}). Ask for exactly one; the others can follow in later cycles.", listed(.tools))]
    SeveralCalls {
        /// The names that were written, in their order.
        tools: Vec<String>,
    },
    /// A part that matters was cut off.
    #[error("The reply was cut off{}{}. Nothing was run. Write it again, shorter.", within(.path), behind(.after))]
    Cut {
        /// Where, as a path of the arguments; empty for the reply as a whole.
        path: String,
        /// The end of what is there.
        after: String,
    },
    /// A string can be read in two ways.
    #[error("A text{} can be read in two ways, because quotes inside it are not escaped. Write `\\\"` for a quote inside a text.", within(.path))]
    TwoReadings {
        /// Where, as a path of the arguments.
        path: String,
    },
    /// A parameter in tags has no closing tag of its own.
    #[error(
        "In the call of {tool}, the tag that closes `{parameter}` is missing, so where its value ends is not clear. Nothing was run. Write the call again with a closing tag behind each parameter."
    )]
    NotClosed {
        /// The tool.
        tool: String,
        /// The parameter.
        parameter: String,
    },
    /// A parameter in tags stands twice, with different values.
    #[error(
        "In the call of {tool}, `{parameter}` stands twice with different values. Nothing was run. Write each parameter once."
    )]
    RepeatedParameter {
        /// The tool.
        tool: String,
        /// The parameter.
        parameter: String,
    },
    /// Something inside the arguments is not JSON at all.
    #[error("Something{}{} is not JSON. Write the command again as valid JSON.", within(.path), behind(.after))]
    Unreadable {
        /// Where, as a path of the arguments.
        path: String,
        /// The text before it.
        after: String,
    },
    /// No tool has this name or one near it.
    #[error("There is no command `{asked}`.{}", suggestion(.nearest))]
    UnknownTool {
        /// The name as it was written.
        asked: String,
        /// The nearest names, the nearest first; may be empty.
        nearest: Vec<String>,
    },
    /// Several tools are equally near.
    #[error("There is no command `{asked}`; it could stand for {}. Use the exact name.", listed(.readings))]
    AmbiguousTool {
        /// The name as it was written.
        asked: String,
        /// The names that it could stand for.
        readings: Vec<String>,
    },
    /// An argument name is equally near to several, or several names stand for one argument.
    #[error("In the call of {tool}, `{asked}` could stand for {}. Use the exact names of the arguments.", listed(.readings))]
    AmbiguousArgument {
        /// The tool.
        tool: String,
        /// The name as it was written.
        asked: String,
        /// The names that it could stand for.
        readings: Vec<String>,
    },
    /// The arguments are not what the tool takes.
    #[error("The arguments of {tool} are not right: {}. It takes {expected}.", all_of(.problems))]
    BadArguments {
        /// The tool.
        tool: String,
        /// All that is wrong.
        problems: Vec<Problem>,
        /// The arguments of the tool in short.
        expected: String,
    },
}

/// Something that is wrong with an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The path of the argument; empty for the arguments as a whole.
    pub path: String,
    /// The fault.
    pub message: String,
}

impl Refusal {
    /// The message for the model, with the commands that it may call now where that helps.
    ///
    /// What it quotes of the reply may be of any length: the message is not.
    pub fn message(&self, allowed: &[String]) -> String {
        let told = shorten(&self.to_string(), LONGEST_MESSAGE);
        match self {
            Self::Empty | Self::NoCall | Self::UnknownTool { .. } | Self::AmbiguousTool { .. } => {
                format!("{told} These commands can be called now: {}.", allowed.join(", "))
            }
            Self::SeveralCalls { .. }
            | Self::Cut { .. }
            | Self::TwoReadings { .. }
            | Self::NotClosed { .. }
            | Self::RepeatedParameter { .. }
            | Self::Unreadable { .. }
            | Self::AmbiguousArgument { .. }
            | Self::BadArguments { .. } => told,
        }
    }

    /// The reply was cut off at `pointer`, behind `before`.
    pub(super) fn cut(pointer: &str, before: &str) -> Self {
        Self::Cut { path: dotted(pointer), after: end_of(before) }
    }

    /// The reply was cut off at its end.
    pub(super) fn cut_at_the_end(text: &str) -> Self {
        Self::cut("", text)
    }
}

fn within(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(" in `{path}`") }
}

fn behind(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" after `{text}`") }
}

fn listed(names: &[String]) -> String {
    let mut names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.dedup();
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}

fn suggestion(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!(" Similar names: {}.", listed(nearest)) }
}

fn all_of(problems: &[Problem]) -> String {
    let problems: Vec<String> = problems
        .iter()
        .map(|problem| match problem.path.as_str() {
            "" => problem.message.clone(),
            path => format!("`{path}`: {}", problem.message),
        })
        .collect();
    problems.join("; ")
}
