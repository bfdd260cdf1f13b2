//! What can be wrong with a file of states. The user who wrote the file must act, so every message names the
//! file, the place in it and a cure.

use std::fmt::Write as _;

/// What is wrong with a file of states.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StatesError {
    /// The text is not TOML.
    #[error("{origin}: this is not valid TOML: {message}")]
    Syntax {
        /// The file.
        origin: String,
        /// The parser's message with line and column.
        message: String,
    },
    /// A field that has no meaning here.
    #[error("{origin}: {place}: unknown field `{field}`{}; the fields here are {}", did_you_mean(nearest.as_deref()), listed(known))]
    UnknownField {
        /// The file.
        origin: String,
        /// Where in the file: the top level or a state.
        place: String,
        /// The field as written.
        field: String,
        /// The existing field that is spelled most alike.
        nearest: Option<String>,
        /// The fields that exist at this place.
        known: Vec<String>,
    },
    /// A field that must be given is not.
    #[error("{origin}: {place}: the field `{field}` is missing; add {example}")]
    MissingField {
        /// The file.
        origin: String,
        /// Where in the file.
        place: String,
        /// The field that is missing.
        field: String,
        /// What to add, for example.
        example: String,
    },
    /// A field holds a value of another type, or an empty one.
    #[error("{origin}: {place}: `{field}` must be {expected}, but it is {found}")]
    WrongValue {
        /// The file.
        origin: String,
        /// Where in the file.
        place: String,
        /// The field.
        field: String,
        /// What belongs there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// Two states have the same name.
    #[error("{origin}: state `{state}` is defined twice; rename one of the two or merge them")]
    DuplicateState {
        /// The file.
        origin: String,
        /// The name that occurs twice.
        state: String,
    },
    /// A state lists the same tool twice.
    #[error("{origin}: state `{state}`: `tools` lists `{tool}` twice; remove one of the two")]
    DuplicateTool {
        /// The file.
        origin: String,
        /// The state.
        state: String,
        /// The tool that occurs twice.
        tool: String,
    },
    /// A tool that the program does not have.
    #[error("{origin}: {place}: there is no tool `{tool}`{}; the tools are {}", did_you_mean(nearest.as_deref()), listed(known))]
    UnknownTool {
        /// The file.
        origin: String,
        /// Where in the file.
        place: String,
        /// The tool as written.
        tool: String,
        /// The existing tool that is spelled most alike.
        nearest: Option<String>,
        /// The tools that exist.
        known: Vec<String>,
    },
    /// `start` or a transition names a state that is not defined.
    #[error("{origin}: {place}: there is no state `{state}`{}; the states are {}", did_you_mean(nearest.as_deref()), listed(known))]
    UnknownState {
        /// The file.
        origin: String,
        /// Where in the file.
        place: String,
        /// The state as written.
        state: String,
        /// The existing state that is spelled most alike.
        nearest: Option<String>,
        /// The states that exist.
        known: Vec<String>,
    },
    /// A terminal state allows tools that could never be called.
    #[error(
        "{origin}: state `{state}` is terminal but lists tools, and the session ends on entering it; remove `tools` or \
         `terminal`"
    )]
    TerminalWithTools {
        /// The file.
        origin: String,
        /// The state.
        state: String,
    },
    /// The session would end before it began.
    #[error(
        "{origin}: `start` names the terminal state `{state}`; let it name a state in which tools can be called"
    )]
    StartIsTerminal {
        /// The file.
        origin: String,
        /// The state.
        state: String,
    },
    /// No state ends the session.
    #[error(
        "{origin}: no state is terminal, so a session could never end; add one with `terminal = true` and a transition \
         that leads to it"
    )]
    NoTerminalState {
        /// The file.
        origin: String,
    },
    /// A transition hangs on a tool that no state allows.
    #[error(
        "{origin}: [transitions]: `{tool}` leads to `{target}`, but no state allows `{tool}`; add it to the `tools` of \
         the state that it shall leave, or remove the transition"
    )]
    TransitionNeverTaken {
        /// The file.
        origin: String,
        /// The tool.
        tool: String,
        /// Where it would lead.
        target: String,
    },
    /// No sequence of calls leads from the start to a state.
    #[error(
        "{origin}: state `{state}` cannot be reached from `{start}`; add a transition that leads to it on a tool of a \
         reachable state, or remove the state"
    )]
    Unreachable {
        /// The file.
        origin: String,
        /// The state.
        state: String,
        /// Where sessions start.
        start: String,
    },
    /// No tool of a state leads anywhere else.
    #[error(
        "{origin}: state `{state}` cannot be left: none of its tools leads to another state; add one of {} to its \
         `tools`, or mark it `terminal = true`",
        listed(leaving)
    )]
    CannotBeLeft {
        /// The file.
        origin: String,
        /// The state.
        state: String,
        /// The tools that would lead out of it.
        leaving: Vec<String>,
    },
    /// A state can be left, but only in circles.
    #[error(
        "{origin}: from state `{state}` no terminal state can be reached; add to its `tools`, or to those of a state \
         that follows it, a tool whose transition leads towards the end"
    )]
    NeverEnds {
        /// The file.
        origin: String,
        /// The state.
        state: String,
    },
}

/// The middle of a message: the name that was probably meant.
fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(", did you mean `{name}`?")).unwrap_or_default()
}

/// Names for a sentence: `a`, `b`.
fn listed(names: &[String]) -> String {
    let mut text = String::new();
    for (position, name) in names.iter().enumerate() {
        let separator = if position == 0 { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{separator}`{name}`");
    }
    if text.is_empty() { "(none)".to_owned() } else { text }
}
