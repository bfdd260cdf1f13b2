//! Running one command of ours, or a piece of code, in a lane, with or without a change.

use std::time::Duration;

use patchwright_edits::Applied;
use patchwright_lanes::{Lane, LaneError};
use patchwright_protocol::TestId;
use patchwright_sandbox::{Captured, CommandOutcome, Exit};
use patchwright_syntax::pattern::{Pattern, pattern};
use patchwright_test_results::{OutputNormalizer, TestReport};

use crate::error::TestHarnessError;
use crate::execution::settle;
use crate::execution::{Execution, Selection, ending};
use crate::harness::TestHarness;

/// Both streams as one, in the order in which they are written.
const AS_ONE: &str = "exec 2>&1\n";

/// Characters that stand for nothing on a screen, and bytes that are no text.
static UNREADABLE: Pattern = pattern!(r"[\x00-\x08\x0b-\x1f\x7f\x{80}-\x{9f}\x{fffd}]+");

/// The circumstances in which a command runs.
#[derive(Clone, Copy, Debug)]
pub struct Probe<'a> {
    /// The change that is in the project; `None` for the original code.
    pub applied: Option<&'a Applied>,
    /// The time that the command has.
    pub limit: Duration,
    /// The bytes of its output that are kept, one half from its head, one from its tail.
    pub output_bytes: usize,
}

/// The end of a probing command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeOutput {
    /// Its output on both streams, in the order in which it was written as far as programs do not hold it back, without what differs
    /// from run to run.
    pub text: String,
    /// Is true if it was ended because its time was over.
    pub timed_out: bool,
    /// Its exit status; `None` where something ended it.
    pub status: Option<i32>,
    /// Its end in words: `status 1`, `signal 9`, `its memory limit`.
    pub ending: String,
}

/// A file that a command reads, in the folder `out` of the lane.
pub(crate) type ProbeFile<'a> = (&'a str, &'a [u8]);

impl TestHarness {
    /// Runs a command in the root of a copy of the project, with the project's environment and without building anything
    /// first. What it writes there is gone afterwards.
    ///
    /// # Errors
    /// The sandbox or the disk; [`TestHarnessError::Write`] when the change does not fit the files.
    pub async fn probe(&self, line: &str, probe: &Probe<'_>) -> Result<ProbeOutput, TestHarnessError> {
        let execution = self.execution(probe.limit);
        let lease = self.lanes.take().await?;
        let output = execution.probe(lease.lane(), line, &[], probe).await;
        settle(lease, &output);
        spoilt(output)
    }

    /// Runs some tests with a change, each command within `limit`.
    ///
    /// # Errors
    /// As [`TestHarness::run_tests`].
    pub async fn run_tests_within(
        &self,
        tests: &[TestId],
        applied: &Applied,
        limit: Duration,
    ) -> Result<TestReport, TestHarnessError> {
        self.run(Selection::Only(tests), Some(applied), limit).await
    }
}

impl Execution<'_> {
    /// Writes a change and some files into a lane, and runs a command there.
    pub(crate) async fn probe(
        &self,
        lane: &Lane,
        line: &str,
        files: &[ProbeFile<'_>],
        probe: &Probe<'_>,
    ) -> Result<ProbeOutput, TestHarnessError> {
        if let Some(applied) = probe.applied {
            lane.change(applied).await?;
        }
        self.probe_written(lane, line, files, probe).await
    }

    /// The same where the change stands in the lane already.
    pub(crate) async fn probe_written(
        &self,
        lane: &Lane,
        line: &str,
        files: &[ProbeFile<'_>],
        probe: &Probe<'_>,
    ) -> Result<ProbeOutput, TestHarnessError> {
        let out = lane.out()?;
        for (name, bytes) in files {
            out.write(name, bytes).map_err(LaneError::from)?;
        }
        let mut command = self.command_of(lane, line, &[]);
        command.line.insert_str(0, AS_ONE);
        command.limits.output_bytes = probe.output_bytes;
        let outcome = self.sandbox.run(lane.place(), &command).await?;
        Ok(output_of(&outcome, &self.normalizer(lane, probe.applied)))
    }
}

/// What a command left.
fn output_of(outcome: &CommandOutcome, normalizer: &OutputNormalizer) -> ProbeOutput {
    let clean = |stream: &Captured| readable(&normalizer.text(&kept(stream)));
    ProbeOutput {
        // On the second stream is only what a sandbox says before the command takes both for one.
        text: clean(&outcome.stdout) + &clean(&outcome.stderr),
        timed_out: outcome.exit == Exit::TimedOut,
        status: match outcome.exit {
            Exit::Code(code) => Some(code),
            Exit::Signal(_) | Exit::TimedOut => None,
        },
        ending: ending(outcome),
    }
}

/// What is kept of a stream. How much is missing is not said: an endless command says more on a faster machine.
fn kept(stream: &Captured) -> String {
    let [head, tail] = [&stream.head, &stream.tail].map(|bytes| String::from_utf8_lossy(bytes));
    if stream.omitted > 0 { format!("{head}\n[… output left out …]\n{tail}") } else { head.into_owned() }
}

/// The text with one mark for each run of what nobody can read, as in the output of a compressed file.
fn readable(text: &str) -> String {
    let lines = text.replace('\r', "\n");
    UNREADABLE.replace_all(&lines, "\u{fffd}").into_owned()
}

/// The output of a command after which its lane can no longer be looked at, which is its own doing.
pub(crate) fn spoilt(output: Result<ProbeOutput, TestHarnessError>) -> Result<ProbeOutput, TestHarnessError> {
    match output {
        Err(error) if error.is_of_the_lane() => Ok(ProbeOutput {
            text: String::new(),
            timed_out: false,
            status: None,
            ending: "its own folders made unusable".to_owned(),
        }),
        output => output,
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_one_mark() {
        let check = |text: &str, expect: &str| assert_eq!(readable(text), expect);
        check("a\tb\nc", "a\tb\nc");
        check("1%\r2%\r3%", "1%\n2%\n3%");
        check("\0\u{1}\u{fffd}\u{fffd}PNG\u{7}\u{7f}", "\u{fffd}PNG\u{fffd}");
    }

    #[test]
    fn how_much_is_left_out_is_not_said() {
        let stream = |omitted| Captured { head: b"first".to_vec(), tail: b"last".to_vec(), omitted };
        assert_eq!(kept(&stream(7)), kept(&stream(70)));
        assert_eq!(kept(&stream(7)), "first\n[… output left out …]\nlast");
        assert_eq!(kept(&Captured { tail: Vec::new(), ..stream(0) }), "first");
    }
}
