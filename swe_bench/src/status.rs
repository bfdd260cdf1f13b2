//! The statuses of tests as logs tell them.

use indexmap::IndexMap;

/// The status that a test run printed for a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoggedStatus {
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
    pub fn of(word: &str) -> Self {
        match word {
            "PASSED" => Self::Passed,
            "FAILED" => Self::Failed,
            "ERROR" => Self::Error,
            "SKIPPED" => Self::Skipped,
            "XFAIL" => Self::Xfail,
            _ => Self::Other,
        }
    }

    /// The word, as logs and reports have it; `OTHER` where it is none of them.
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "PASSED",
            Self::Failed => "FAILED",
            Self::Error => "ERROR",
            Self::Skipped => "SKIPPED",
            Self::Xfail => "XFAIL",
            Self::Other => "OTHER",
        }
    }

    /// Passed, or failed as was expected.
    pub fn passes(self) -> bool {
        matches!(self, Self::Passed | Self::Xfail)
    }

    /// Failed or broke off.
    pub fn fails(self) -> bool {
        matches!(self, Self::Failed | Self::Error)
    }
}

/// The statuses of the tests that a log names, in the order in which they were first named; the last status of a test counts.
pub type StatusMap = IndexMap<String, LoggedStatus>;
