//! Why a session's loop ends.

use patchwright_trajectory::{Status, WriteError};

use crate::budget::Exhausted;
use crate::driver::DriverError;

/// What ends the loop, other than a cycle that went through.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    /// The state machine reached a final state.
    #[error("the goal is accomplished")]
    Done,
    /// A limit was reached.
    #[error("the budget is used up: {0}")]
    Budget(#[from] Exhausted),
    /// The driver asks for nothing that can run.
    #[error("no usable command in {0} replies in a row; the last refusal: {1}")]
    Stuck(usize, String),
    /// There is no answer.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// A person ended the session.
    #[error("ended by the user")]
    Cancelled,
    /// Sandbox, tool chain or file system stand in the way.
    #[error("{0}")]
    Environment(String),
    /// The trajectory cannot be written.
    #[error(transparent)]
    Trajectory(#[from] WriteError),
    /// Our own mistake.
    #[error("a defect of Patchwright: {0}")]
    Defect(String),
}

impl Stop {
    /// The status of a session that ends so, where it has no plausible patch.
    pub fn status(&self) -> Status {
        match self {
            Self::Done | Self::Driver(DriverError::UsedUp(_)) => Status::NoFix,
            Self::Budget(_) => Status::Budget,
            Self::Stuck(..) | Self::Driver(DriverError::RecordingEnded { .. }) => Status::Stuck,
            Self::Driver(DriverError::Model(_)) => Status::Model,
            Self::Driver(DriverError::Left) | Self::Cancelled => Status::Cancelled,
            Self::Environment(_)
            | Self::Trajectory(_)
            | Self::Defect(_)
            | Self::Driver(DriverError::Defect(_)) => Status::Environment,
        }
    }
}
