//! Ends of the program other than success: the exit code, and the words for a failure.

use patchwright_protocol::{Actor, Failure, Status};

/// Exit codes of the program.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ExitCode {
    /// A plausible patch was found, or the command did what it says.
    Done = 0,
    /// No plausible patch within the budget, or a check that did not hold.
    NotFound = 1,
    /// Wrong usage or configuration.
    Usage = 2,
    /// The sandbox, the tool chain or the repository.
    Environment = 3,
    /// The model's provider.
    Model = 4,
    /// A defect of ours.
    Defect = 70,
    /// Ctrl-C.
    Interrupted = 130,
}

impl From<Actor> for ExitCode {
    fn from(actor: Actor) -> Self {
        match actor {
            Actor::User => Self::Usage,
            Actor::Case | Actor::Environment => Self::Environment,
            Actor::Model | Actor::Provider => Self::Model,
            Actor::Defect => Self::Defect,
            Actor::Nobody => Self::Interrupted,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        match status {
            Status::Plausible | Status::Reproduced => Self::Done,
            Status::Unverified | Status::NoFix | Status::Budget | Status::Stuck => Self::NotFound,
            Status::Environment | Status::Unusable => Self::Environment,
            Status::Model => Self::Model,
            Status::Defect => Self::Defect,
            Status::Cancelled => Self::Interrupted,
        }
    }
}

/// A failure as the terminal shows it.
pub fn told(failure: &Failure) -> String {
    match &failure.hint {
        Some(hint) => format!("error: {}\nhint: {hint}", failure.message),
        None => format!("error: {}", failure.message),
    }
}
