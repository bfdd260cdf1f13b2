//! How an attempt ended: a closed set, with a class for each.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How an attempt at a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A plausible patch was found.
    Plausible,
    /// None was found, or there was nothing to repair.
    NoFix,
    /// The budget of the case ended first.
    Budget,
    /// The driver made no progress.
    Stuck,
    /// The model provider stood in the way.
    Model,
    /// Sandbox, engine, disk, network or tool chain stood in the way.
    Infrastructure,
    /// The user ended it, or the program was killed.
    Cancelled,
    /// A defect of ours, or data of the case that cannot be used.
    Defect,
}

/// What a status says about the case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Repaired, as far as tests can tell.
    Fixed,
    /// The session had its chance and found nothing.
    Unfixed,
    /// Something outside stood in the way: this says nothing about the case.
    External,
    /// Somebody ended it: this says nothing about the case.
    Interrupted,
    /// We stood in the way: this says nothing about the case.
    Internal,
}

impl Status {
    /// All of them, in the order in which reports show them.
    pub const ALL: [Self; 8] = [
        Self::Plausible,
        Self::NoFix,
        Self::Budget,
        Self::Stuck,
        Self::Model,
        Self::Infrastructure,
        Self::Cancelled,
        Self::Defect,
    ];

    /// Its class.
    pub fn class(self) -> Class {
        match self {
            Self::Plausible => Class::Fixed,
            Self::NoFix | Self::Budget | Self::Stuck => Class::Unfixed,
            Self::Model | Self::Infrastructure => Class::External,
            Self::Cancelled => Class::Interrupted,
            Self::Defect => Class::Internal,
        }
    }

    /// Whether it says something about the case: then the case has been answered.
    pub fn is_answer(self) -> bool {
        match self.class() {
            Class::Fixed | Class::Unfixed => true,
            Class::External | Class::Interrupted | Class::Internal => false,
        }
    }

    /// Whether a resumed run tries the case again without being told to. What the provider said is not tried again
    /// unasked: a wrong key or an empty account would only be billed and refused once more.
    pub fn is_redone(self) -> bool {
        match self {
            Self::Infrastructure | Self::Cancelled | Self::Defect => true,
            Self::Plausible | Self::NoFix | Self::Budget | Self::Stuck | Self::Model => false,
        }
    }

    /// Its word, as in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Plausible => "plausible",
            Self::NoFix => "no_fix",
            Self::Budget => "budget",
            Self::Stuck => "stuck",
            Self::Model => "model",
            Self::Infrastructure => "infrastructure",
            Self::Cancelled => "cancelled",
            Self::Defect => "defect",
        }
    }
}

impl Class {
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

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

impl fmt::Display for Class {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

impl From<patchwright_trajectory::Status> for Status {
    fn from(status: patchwright_trajectory::Status) -> Self {
        match status {
            patchwright_trajectory::Status::Plausible => Self::Plausible,
            patchwright_trajectory::Status::NoFix => Self::NoFix,
            patchwright_trajectory::Status::Budget => Self::Budget,
            patchwright_trajectory::Status::Stuck => Self::Stuck,
            patchwright_trajectory::Status::Environment => Self::Infrastructure,
            patchwright_trajectory::Status::Model => Self::Model,
            patchwright_trajectory::Status::Cancelled => Self::Cancelled,
        }
    }
}

/// What a resumed run does again besides what it always does: `--retry` and `--redo`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redo {
    /// These, too.
    pub statuses: Vec<Status>,
    /// Everything.
    pub all: bool,
}

impl Redo {
    /// Whether a case whose standing outcome has this status is tried again.
    pub fn wants(&self, status: Status) -> bool {
        self.all || status.is_redone() || self.statuses.contains(&status)
    }
}

/// A word that is neither a status nor a class.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{word}` is neither a status (plausible, no_fix, budget, stuck, model, infrastructure, cancelled, defect) \
     nor a class (fixed, unfixed, external, interrupted, internal)"
)]
pub struct UnknownStatus {
    /// The word.
    pub word: String,
}

/// Some statuses under one word: a status itself or all of a class. What `--retry` takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statuses(pub Vec<Status>);

impl FromStr for Statuses {
    type Err = UnknownStatus;

    fn from_str(word: &str) -> Result<Self, UnknownStatus> {
        let word = word.trim().replace('-', "_");
        let named: Vec<Status> = Status::ALL
            .into_iter()
            .filter(|status| status.word() == word || status.class().word() == word)
            .collect();
        if named.is_empty() { Err(UnknownStatus { word }) } else { Ok(Self(named)) }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn retry_takes_a_status_or_a_class() {
        let check = |word: &str, expect: &[Status]| {
            let found = word.parse::<Statuses>().map(|found| found.0).unwrap_or_default();
            assert_eq!(found, expect, "{word}");
        };
        check("model", &[Status::Model]);
        check("no-fix", &[Status::NoFix]);
        check("unfixed", &[Status::NoFix, Status::Budget, Status::Stuck]);
        check("external", &[Status::Model, Status::Infrastructure]);
        check("everything", &[]);
        let error = "infra".parse::<Statuses>().unwrap_err().to_string();
        assert!(error.starts_with("`infra` is neither a status (plausible,"), "{error}");
    }

    #[test]
    fn a_resumed_run_redoes_what_says_nothing_about_the_case_but_asks_no_provider_twice() {
        let none = Redo::default();
        let redone: Vec<Status> = Status::ALL.into_iter().filter(|status| none.wants(*status)).collect();
        assert_eq!(redone, [Status::Infrastructure, Status::Cancelled, Status::Defect]);
        let model = Redo { statuses: vec![Status::Model], all: false };
        assert!(model.wants(Status::Model) && !model.wants(Status::NoFix));
        assert!(Status::ALL.into_iter().all(|status| Redo { all: true, ..Redo::default() }.wants(status)));
    }

    #[test]
    fn words_are_what_files_hold() {
        for status in Status::ALL {
            assert_eq!(serde_json::to_value(status).unwrap(), status.word());
            assert!(Class::ALL.contains(&status.class()));
        }
        for class in Class::ALL {
            assert_eq!(serde_json::to_value(class).unwrap(), class.word());
        }
    }
}
