//! What a log says of each test.

use std::borrow::Cow;
use std::collections::HashMap;

/// What a test run said of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoggedStatus {
    /// `PASSED`.
    Passed,
    /// `FAILED`.
    Failed,
    /// `ERROR`.
    Error,
    /// `SKIPPED`.
    Skipped,
    /// `XFAIL`: failed, as was expected.
    Xfail,
    /// A word that only begins like a status, such as `ERROR:`; neither passed nor failed.
    Other,
}

impl LoggedStatus {
    /// The status that a whole word names.
    pub(super) fn of(word: &str) -> Self {
        match word {
            "PASSED" => Self::Passed,
            "FAILED" => Self::Failed,
            "ERROR" => Self::Error,
            "SKIPPED" => Self::Skipped,
            "XFAIL" => Self::Xfail,
            _ => Self::Other,
        }
    }

    /// Passed, or failed as was expected.
    pub fn passes(self) -> bool {
        match self {
            Self::Passed | Self::Xfail => true,
            Self::Failed | Self::Error | Self::Skipped | Self::Other => false,
        }
    }

    /// Failed or broke off.
    pub fn fails(self) -> bool {
        match self {
            Self::Failed | Self::Error => true,
            Self::Passed | Self::Xfail | Self::Skipped | Self::Other => false,
        }
    }
}

/// The statuses of the tests that a log names, in the order in which they were first named; what is said last
/// of a test counts.
#[derive(Clone, Debug, Default)]
pub(super) struct StatusMap<'log> {
    entries: Vec<(Cow<'log, str>, LoggedStatus)>,
    places: HashMap<Cow<'log, str>, usize>,
}

impl<'log> StatusMap<'log> {
    /// Writes down what is said of a test.
    pub(super) fn set(&mut self, test: impl Into<Cow<'log, str>>, status: LoggedStatus) {
        let test = test.into();
        if let Some(place) = self.places.get(&test) {
            self.entries[*place].1 = status;
        } else {
            self.places.insert(test.clone(), self.entries.len());
            self.entries.push((test, status));
        }
    }

    /// What was said last of a test.
    pub fn get(&self, test: &str) -> Option<LoggedStatus> {
        self.places.get(test).map(|place| self.entries[*place].1)
    }

    /// All tests with their statuses, in the order of their first naming.
    pub fn iter(&self) -> impl Iterator<Item = (&str, LoggedStatus)> {
        self.entries.iter().map(|(test, status)| (test.as_ref(), *status))
    }

    /// Whether the log names no test.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The same without a tie to the log.
    pub(super) fn into_owned(self) -> StatusMap<'static> {
        let mut owned = StatusMap::default();
        for (test, status) in self.entries {
            owned.set(test.into_owned(), status);
        }
        owned
    }
}
