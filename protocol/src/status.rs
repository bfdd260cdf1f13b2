//! The ends of sessions: a closed set, with a class for each.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::failure::Actor;

/// How a session, or an attempt of a run, ended.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A plausible patch was found.
    Plausible,
    /// A test was written that fails on the original code for the reason.
    Reproduced,
    /// A patch was found that breaks nothing, and no test could show that it repairs the bug; or a test that fails, but not for the
    /// issue's reason, as far as anybody can tell.
    Unverified,
    /// None was found, or there was nothing to repair.
    NoFix,
    /// The budget ended first.
    Budget,
    /// The driver made no progress.
    Stuck,
    /// The model provider stood in the way.
    Model,
    /// Sandbox, engine, disk, network, tool chain or project stood in the way.
    #[serde(alias = "infrastructure")]
    Environment,
    /// The user ended it, or the program was killed.
    Cancelled,
    /// A defect of Patchwright stood in the way.
    Defect,
    /// The data of the case cannot be used; only runs say so.
    Unusable,
}

/// The meaning of a status for the case.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StatusClass {
    /// Done, as far as tests can tell: repaired, or reproduced where that was the goal.
    Fixed,
    /// The session had its chance and found nothing that tests speak for.
    Unfixed,
    /// Something outside stood in the way: this says nothing about the case.
    External,
    /// Somebody ended it: this says nothing about the case.
    Interrupted,
    /// We, or the data, stood in the way: this says nothing about the case.
    Internal,
}

impl Status {
    /// All of them, in the order in which reports show them.
    pub const ALL: [Self; 11] = [
        Self::Plausible,
        Self::Reproduced,
        Self::Unverified,
        Self::NoFix,
        Self::Budget,
        Self::Stuck,
        Self::Model,
        Self::Environment,
        Self::Cancelled,
        Self::Defect,
        Self::Unusable,
    ];

    /// Its class.
    pub fn class(self) -> StatusClass {
        match self {
            Self::Plausible | Self::Reproduced => StatusClass::Fixed,
            Self::Unverified | Self::NoFix | Self::Budget | Self::Stuck => StatusClass::Unfixed,
            Self::Model | Self::Environment => StatusClass::External,
            Self::Cancelled => StatusClass::Interrupted,
            Self::Defect | Self::Unusable => StatusClass::Internal,
        }
    }

    /// Is true if it says something about the case: then the case has been answered.
    pub fn is_answer(self) -> bool {
        match self.class() {
            StatusClass::Fixed | StatusClass::Unfixed => true,
            StatusClass::External | StatusClass::Interrupted | StatusClass::Internal => false,
        }
    }

    /// Its word, as in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Plausible => "plausible",
            Self::Reproduced => "reproduced",
            Self::Unverified => "unverified",
            Self::NoFix => "no_fix",
            Self::Budget => "budget",
            Self::Stuck => "stuck",
            Self::Model => "model",
            Self::Environment => "environment",
            Self::Cancelled => "cancelled",
            Self::Defect => "defect",
            Self::Unusable => "unusable",
        }
    }
}

impl StatusClass {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Fixed, Self::Unfixed, Self::External, Self::Interrupted, Self::Internal];

    /// Its word, as in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Unfixed => "unfixed",
            Self::External => "external",
            Self::Interrupted => "interrupted",
            Self::Internal => "internal",
        }
    }
}

impl From<Actor> for Status {
    /// The status of a session that an error ended.
    fn from(actor: Actor) -> Self {
        match actor {
            Actor::User | Actor::Case | Actor::Environment => Self::Environment,
            Actor::Model | Actor::Provider => Self::Model,
            Actor::Defect => Self::Defect,
            Actor::Nobody => Self::Cancelled,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

impl fmt::Display for StatusClass {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_files_hold() {
        for status in Status::ALL {
            assert_eq!(serde_json::to_value(status).unwrap(), status.word());
            assert!(StatusClass::ALL.contains(&status.class()));
        }
        for class in StatusClass::ALL {
            assert_eq!(serde_json::to_value(class).unwrap(), class.word());
        }
        assert_eq!(serde_json::from_str::<Status>("\"infrastructure\"").unwrap(), Status::Environment);
    }
}
