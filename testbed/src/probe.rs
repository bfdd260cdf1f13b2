//! Running one command of ours in a lane, with or without a change.

use std::time::Duration;

use patchwright_edits::Applied;
use patchwright_protocol::TestId;
use patchwright_sandbox::Exit;

use crate::bed::TestBed;
use crate::error::TestBedError;
use crate::execution::Selection;
use crate::report::TestReport;

/// The output of a probing command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeOutput {
    /// Its output, to the one stream and then to the other.
    pub text: String,
    /// Is true if it was ended because its time was over.
    pub timed_out: bool,
}

impl TestBed {
    /// Runs a command in the root of a copy of the project in which `applied` is written, with the project's environment and
    /// without building anything first. What it writes there is gone afterwards.
    ///
    /// # Errors
    /// The sandbox or the disk; [`TestBedError::Write`] when the change does not fit the files.
    pub async fn probe(
        &self,
        line: &str,
        applied: &Applied,
        limit: Duration,
    ) -> Result<ProbeOutput, TestBedError> {
        let lease = self.lanes.take().await?;
        applied.write_in(&lease.lane().project()?)?;
        let execution = self.execution(limit);
        let outcome = execution.command(lease.lane(), line, &[]).await?;
        let text = format!("{}\n{}", outcome.stdout.text(), outcome.stderr.text());
        let text = execution.normalizer(lease.lane(), Some(applied)).log(&text);
        lease.give_back();
        Ok(ProbeOutput { text, timed_out: outcome.exit == Exit::TimedOut })
    }

    /// Runs some tests with a change, each command within `limit`.
    ///
    /// # Errors
    /// As [`TestBed::run_tests`].
    pub async fn run_tests_within(
        &self,
        tests: &[TestId],
        applied: &Applied,
        limit: Duration,
    ) -> Result<TestReport, TestBedError> {
        self.run(Selection::Only(tests), Some(applied), limit).await
    }
}
