//! Errors by who must act on them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The one who must act on an error.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// The model: it is told, and may try again.
    Model,
    /// The person who runs the program: a word on the command line, a settings file, a key, an account.
    User,
    /// Whoever keeps the bug: its tests, its files or its description cannot be used, and will not be by another try.
    Case,
    /// Whoever keeps the machine: sandbox, tool chain, disk, network.
    Environment,
    /// The service that answers for the model: it may be well later.
    Provider,
    /// The developers of Patchwright.
    Defect,
    /// Nobody: a person ended it on purpose.
    Nobody,
}

/// An error that knows who must act on it.
///
/// ```
/// use patchwright_protocol::{Actionable, Actor, Failure};
///
/// #[derive(Debug, thiserror::Error)]
/// #[error("the disk is full")]
/// struct DiskFull;
///
/// impl Actionable for DiskFull {
///     fn actor(&self) -> Actor {
///         Actor::Environment
///     }
///
///     fn hint(&self) -> Option<String> {
///         Some("free some space".to_owned())
///     }
/// }
///
/// let failure = Failure::from(DiskFull);
/// assert_eq!((failure.actor, failure.message.as_str()), (Actor::Environment, "the disk is full"));
/// ```
pub trait Actionable: fmt::Display {
    /// The one who must act.
    fn actor(&self) -> Actor;

    /// The remedy, where it is known: half a sentence.
    fn hint(&self) -> Option<String> {
        None
    }
}

/// An error with who must act, and the remedy.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Failure {
    /// The one who must act.
    pub actor: Actor,
    /// The error.
    pub message: String,
    /// The remedy, where it is known.
    pub hint: Option<String>,
}

impl Failure {
    fn new(actor: Actor, message: impl fmt::Display) -> Self {
        Self { actor, message: message.to_string(), hint: None }
    }

    /// Something that the person who runs the program has to change.
    pub fn user(message: impl fmt::Display) -> Self {
        Self::new(Actor::User, message)
    }

    /// A bug whose tests, files or description cannot be used.
    pub fn case(message: impl fmt::Display) -> Self {
        Self::new(Actor::Case, message)
    }

    /// A sandbox, a tool chain or a file system that stands in the way.
    pub fn environment(message: impl fmt::Display) -> Self {
        Self::new(Actor::Environment, message)
    }

    /// A service that does not answer as it should.
    pub fn provider(message: impl fmt::Display) -> Self {
        Self::new(Actor::Provider, message)
    }

    /// A defect of ours.
    pub fn defect(message: impl fmt::Display) -> Self {
        Self::new(Actor::Defect, format!("a defect of Patchwright: {message}"))
            .hint("please report it with the trajectory")
    }

    /// An end that a person wanted.
    pub fn cancelled() -> Self {
        Self::new(Actor::Nobody, "the session was stopped")
    }

    /// Adds what can be done.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl<E: Actionable> From<E> for Failure {
    fn from(error: E) -> Self {
        let failure = match error.actor() {
            Actor::Defect => Self::defect(&error),
            actor => Self::new(actor, &error),
        };
        Self { hint: error.hint().or(failure.hint), ..failure }
    }
}
