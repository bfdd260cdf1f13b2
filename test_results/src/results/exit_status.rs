//! One test: the command itself.

use patchwright_protocol::Exit;
use patchwright_protocol::TestId;

use super::{ParsedResults, RawResults, ended};
use crate::outcome::{TestOutcome, TestStatus};

/// The name of the one test that stands for a command of which only the exit status is known.
pub const TEST_COMMAND: &str = "test-command";

pub(super) fn read(raw: &RawResults<'_>) -> ParsedResults {
    let (status, message) = match raw.exit {
        Exit::Code(0) => (TestStatus::Passed, String::new()),
        Exit::Code(code) => (TestStatus::Failed, format!("the test command ended with status {code}")),
        Exit::Signal(signal) => (TestStatus::Error, format!("signal {signal} ended the test command")),
        Exit::TimedOut => {
            (TestStatus::Error, "the test command did not end within its time limit".to_owned())
        }
    };
    let trace = if status.is_failing() { said(raw) } else { String::new() };
    let outcome = TestOutcome::new(TEST_COMMAND, status).with_message(message).with_trace(trace);
    let interrupted_in = (!ended(raw.exit)).then(|| TestId::new(TEST_COMMAND));
    ParsedResults {
        outcomes: [outcome].into_iter().collect(),
        interrupted_in,
        complete: ended(raw.exit),
        ..ParsedResults::default()
    }
}

fn said(raw: &RawResults<'_>) -> String {
    [raw.stdout.trim_end(), raw.stderr.trim_end()]
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_the_test() {
        let check = |exit: Exit, status: TestStatus, message: Option<&str>, complete: bool| {
            let parsed = read(&RawResults { stdout: "out\n", stderr: "", exit, files: &[], key: None });
            let outcomes = parsed.outcomes.into_sorted();
            assert_eq!(outcomes.len(), 1);
            assert_eq!((outcomes[0].status, outcomes[0].message.as_deref()), (status, message));
            assert_eq!(outcomes[0].trace.is_some(), status.is_failing());
            assert_eq!(parsed.complete, complete);
        };
        check(Exit::Code(0), TestStatus::Passed, None, true);
        check(Exit::Code(3), TestStatus::Failed, Some("the test command ended with status 3"), true);
        check(Exit::Signal(11), TestStatus::Error, Some("signal 11 ended the test command"), false);
        check(
            Exit::TimedOut,
            TestStatus::Error,
            Some("the test command did not end within its time limit"),
            false,
        );
    }
}
