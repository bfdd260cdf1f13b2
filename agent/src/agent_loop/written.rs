//! The end of a session that was to write a test.

use patchwright_edits::Edit;
use patchwright_protocol::{SessionResult, TestMethod};
use patchwright_session::{EXECUTES_NOTHING, Stop, TestSolution};
use patchwright_trajectory::TrajectoryWriteError;
use patchwright_validation::ReproductionTest;

use super::{AgentLoop, FINISH};

impl AgentLoop<'_> {
    /// Ends the session with the tests that stand.
    pub(super) fn end_with_test(
        self: Box<Self>,
        stop: &Stop,
        hint: Option<String>,
    ) -> Result<(SessionResult, Vec<Edit>), TrajectoryWriteError> {
        let standing: Vec<ReproductionTest> = self.reproductions.standing().cloned().collect();
        let memory = self.context.journal.memory();
        let mut outcome = TestSolution::from_standing(&standing, &memory.reproductions, TestMethod::Agent);
        let is_finished = memory.calls.last().is_some_and(|call| call.tool == FINISH);
        if let Some(outcome) = &mut outcome {
            let said = memory.last_data["reason"].as_str().filter(|_| is_finished);
            outcome.why = match said {
                Some(reason) => reason.to_owned(),
                None => "nobody has said that this is the issue's reason".to_owned(),
            };
            outcome.written.coverage = serde_json::from_value(memory.last_data["coverage"].clone()).ok();
            if outcome.executes_nothing() {
                outcome.is_doubted = true;
                outcome.why = format!("{EXECUTES_NOTHING}; {}", outcome.why);
            }
        }
        let edits = outcome.as_ref().map(TestSolution::edits).unwrap_or_default();
        let result = self.context.test_result(stop, hint, outcome.as_ref());
        Ok((self.context.journal.end(result)?, edits))
    }
}
