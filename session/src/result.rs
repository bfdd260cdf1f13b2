//! The result of a session as one JSON object, for files and for other programs.

use std::path::Path;

use patchwright_protocol::{Mode, SessionResult};
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
    /// Agent or agentless.
    pub mode: Mode,
    /// The trajectory's path.
    pub trajectory: String,
}

impl ResultFile {
    /// The result of a session of this mode, recorded in a trajectory.
    pub fn new(result: SessionResult, mode: Mode, trajectory: &Path) -> Self {
        let trajectory = trajectory.display().to_string();
        Self { format: RESULT_FORMAT, result, mode, trajectory }
    }
}
