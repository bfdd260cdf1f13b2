//! The cases that a resumed run tries again.

use std::str::FromStr;

use patchwright_protocol::{Goal, Status};
use thiserror::Error;

/// Is true if a resumed run tries a case again without being told to. What the provider said is not tried again unasked: a wrong key
/// or an empty account would only be billed and refused once more.
pub fn is_redone(status: Status) -> bool {
    match status {
        Status::Environment | Status::Cancelled | Status::Defect | Status::Unusable => true,
        Status::Plausible
        | Status::Reproduced
        | Status::Unverified
        | Status::NoFix
        | Status::Budget
        | Status::Stuck
        | Status::Model => false,
    }
}

/// The status of a case that is solved, where sessions look for this.
pub(crate) fn success(goal: Goal) -> Status {
    match goal {
        Goal::Fix => Status::Plausible,
        Goal::Test => Status::Reproduced,
    }
}

/// Whether an attempt was interrupted from outside: it can be resumed.
pub(super) fn is_interruption(status: Status) -> bool {
    match status {
        Status::Environment | Status::Cancelled | Status::Model => true,
        // A defect would come again with the same answers.
        Status::Defect
        | Status::Unusable
        | Status::Plausible
        | Status::Reproduced
        | Status::Unverified
        | Status::NoFix
        | Status::Budget
        | Status::Stuck => false,
    }
}

/// The cases that a resumed run tries again besides those that it always does: `--retry` and `--redo`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redo {
    /// These, too.
    pub statuses: Vec<Status>,
    /// Everything.
    pub all: bool,
}

impl Redo {
    /// Is true if a case whose standing outcome has this status is tried again.
    pub fn wants(&self, status: Status) -> bool {
        self.all || is_redone(status) || self.statuses.contains(&status)
    }
}

/// A word that is neither a status nor a class.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{word}` is neither a status (plausible, reproduced, unverified, no_fix, budget, stuck, model, environment, cancelled, defect, \
     unusable) \
     nor a class (fixed, unfixed, external, interrupted, internal)"
)]
pub struct UnknownStatus {
    /// The word.
    pub word: String,
}

/// Some statuses under one word: a status itself or all of a class. What `--retry` takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusSelection(pub Vec<Status>);

impl FromStr for StatusSelection {
    type Err = UnknownStatus;

    fn from_str(word: &str) -> Result<Self, UnknownStatus> {
        let word = word.trim().replace('-', "_");
        // As runs of earlier versions say it.
        let word = if word == "infrastructure" { Status::Environment.word().to_owned() } else { word };
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
            let found = word.parse::<StatusSelection>().map(|found| found.0).unwrap_or_default();
            assert_eq!(found, expect, "{word}");
        };
        check("model", &[Status::Model]);
        check("no-fix", &[Status::NoFix]);
        check("unverified", &[Status::Unverified]);
        check("unfixed", &[Status::Unverified, Status::NoFix, Status::Budget, Status::Stuck]);
        check("external", &[Status::Model, Status::Environment]);
        check("infrastructure", &[Status::Environment]);
        check("everything", &[]);
        let error = "infra".parse::<StatusSelection>().unwrap_err().to_string();
        assert!(error.starts_with("`infra` is neither a status (plausible,"), "{error}");
    }

    #[test]
    fn a_resumed_run_redoes_what_says_nothing_about_the_case_but_asks_no_provider_twice() {
        let none = Redo::default();
        let redone: Vec<Status> = Status::ALL.into_iter().filter(|status| none.wants(*status)).collect();
        assert_eq!(redone, [Status::Environment, Status::Cancelled, Status::Defect, Status::Unusable]);
        let model = Redo { statuses: vec![Status::Model], all: false };
        assert!(model.wants(Status::Model) && !model.wants(Status::NoFix));
        assert!(Status::ALL.into_iter().all(|status| Redo { all: true, ..Redo::default() }.wants(status)));
    }
}
