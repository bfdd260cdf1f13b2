//! The result of a session as one JSON object, for files and for other programs.

use std::path::Path;

use patchwright_protocol::{Mode, SessionResult, TestMethod};
use serde::Serialize;

/// The mark of a result: copies of a project leave out what carries it.
pub const RESULT_FORMAT: &str = "patchwright-result";

/// What `repair --json` prints and `result.json` holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResultFile {
    /// Always [`RESULT_FORMAT`].
    pub format: &'static str,
    /// What the session came to.
    #[serde(flatten)]
    pub result: SessionResult,
    /// Is true if a plausible answer was tried with some of the project's tests alone: it is "plausible, partial".
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub partly_tested: bool,
    /// How the session worked: agent or agentless; none where it wrote a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// The method by which it wrote a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<TestMethod>,
    /// The trajectory's path.
    pub trajectory: String,
}

impl ResultFile {
    /// The result of a session of this mode, or that wrote a test by a method, recorded in a trajectory.
    pub fn new(result: SessionResult, mode: Mode, method: Option<TestMethod>, trajectory: &Path) -> Self {
        let trajectory = trajectory.display().to_string();
        let mode = method.is_none().then_some(mode);
        let partly_tested = result.is_partly_tested();
        Self { format: RESULT_FORMAT, result, partly_tested, mode, method, trajectory }
    }
}
