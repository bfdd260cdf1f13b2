//! Why a session ends.

use patchwright_llm::ModelError;
use patchwright_protocol::{Actionable, Failure, Status};
use patchwright_trajectory::TrajectoryWriteError;
use patchwright_validation::TestHarnessError;

use crate::budget::Exhausted;
use crate::driver::DriverError;

/// What ends a session, other than a cycle that went through.
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
    /// The service that answered before does so no more, and was waited for. The session can be resumed.
    #[error("the session is paused: {0}")]
    Paused(#[source] ModelError),
    /// Somebody else than the model must act.
    #[error(transparent)]
    Failure(#[from] Failure),
}

impl Stop {
    /// The status of a session that ends so, where it has no plausible patch.
    pub fn status(&self) -> Status {
        match self {
            Self::Done | Self::Driver(DriverError::UsedUp(_)) => Status::NoFix,
            Self::Budget(_) => Status::Budget,
            Self::Stuck(..) => Status::Stuck,
            Self::Driver(DriverError::RecordingEnded { status, .. }) => *status,
            Self::Driver(DriverError::Model(_) | DriverError::Lost(_)) | Self::Paused(_) => Status::Model,
            Self::Driver(DriverError::Left) => Status::Cancelled,
            Self::Driver(DriverError::Defect(_)) => Status::Defect,
            Self::Failure(failure) => failure.actor.into(),
        }
    }

    /// Is true if the session came to its own end, or to that of what it had to try.
    pub(crate) fn is_in_order(&self) -> bool {
        matches!(self, Self::Done | Self::Driver(DriverError::UsedUp(_)))
    }

    /// What the user can do about it; `several` failing tests were taken, because none was named.
    pub fn hint(&self, several: Option<usize>) -> Option<String> {
        let several = several.filter(|count| *count > 1).map(|count| {
            format!(
                "a fix has to make all {count} failing tests pass: if they show several bugs, name those of one with --failing"
            )
        });
        match self {
            Self::Driver(DriverError::Model(error)) => error.hint(),
            Self::Paused(error) => {
                let cure = error.hint().map(|hint| format!("{hint}; then ")).unwrap_or_default();
                Some(format!("{cure}go on with --resume and the trajectory of this session"))
            }
            Self::Driver(DriverError::UsedUp(_)) => several,
            Self::Budget(_) => Some(several.unwrap_or_else(|| {
                "raise the limit, or look at the trajectory to see where it went".to_owned()
            })),
            Self::Failure(failure) => failure.hint.clone(),
            Self::Done | Self::Stuck(..) | Self::Driver(_) => None,
        }
    }
}

impl From<TrajectoryWriteError> for Stop {
    fn from(error: TrajectoryWriteError) -> Self {
        Self::Failure(error.into())
    }
}

impl From<TestHarnessError> for Stop {
    fn from(error: TestHarnessError) -> Self {
        Self::Failure(error.into())
    }
}
