//! What a session is to whoever runs it, whatever its mode.

use async_trait::async_trait;
use patchwright_edits::Edit;
use patchwright_protocol::SessionResult;
use patchwright_trajectory::TrajectoryWriteError;

use crate::stop::Stop;

/// One attempt at one bug, in any mode.
#[async_trait]
pub trait Session: Send {
    /// Goes on until something ends it, and says what.
    async fn run(&mut self) -> Stop;

    /// Ends it: records how, with what the user can do, and gives the result, as it was recorded, and the edits of its patch. Whatever stopped the attempt, a
    /// plausible patch that was found is the result.
    ///
    /// # Errors
    /// The trajectory cannot be written.
    fn end(
        self: Box<Self>,
        stop: &Stop,
        hint: Option<String>,
    ) -> Result<(SessionResult, Vec<Edit>), TrajectoryWriteError>;
}
