//! Whether the project's own test tool, run alone, said of a plausible candidate what Patchwright's runner said.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer of the project's own test tool, run in a new process without anything of Patchwright's, for a plausible candidate.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "by_own_tool", rename_all = "snake_case")]
pub enum Confirmation {
    /// The tool reported that every test passes that shows the bug, and no new failure.
    Yes,
    /// The tool could not say so.
    No {
        /// The reason.
        because: Unconfirmable,
    },
}

/// The reason why the project's own test tool could not confirm a candidate.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unconfirmable {
    /// The user gave the test command: its results are believed as they are.
    UserCommand,
    /// The tool reports results only as text on a stream that tests can write to.
    TextOnly,
    /// The tool cannot be called for these tests without a runner of Patchwright's.
    NoCommand,
    /// The tool cannot leave out the tests that are not to be run: they hang, or all take too long.
    TestsLeftOut,
    /// Only tests that were written in the session show the bug; only Patchwright's runner runs them.
    WrittenTests,
    /// The tool reports other results than Patchwright's runner without any change, too.
    DiffersBefore,
}

impl Confirmation {
    /// Whether the tool confirmed the candidate.
    pub fn is_given(self) -> bool {
        self == Self::Yes
    }
}

impl Unconfirmable {
    /// The reason in words, as what follows "because".
    pub fn words(self) -> &'static str {
        match self {
            Self::UserCommand => {
                "the test command was given by the user and its results are taken as they are"
            }
            Self::TextOnly => "the tool reports results only as text, which tests can print as well",
            Self::NoCommand => "the tool cannot be called for these tests without Patchwright's runner",
            Self::TestsLeftOut => "the tool cannot leave out the tests that are not to be run",
            Self::WrittenTests => {
                "only tests written in this session show the bug, and the tool does not run them"
            }
            Self::DiffersBefore => {
                "without any change, too, the tool reports other results than Patchwright's runner"
            }
        }
    }
}

impl fmt::Display for Confirmation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Yes => formatter.write_str("confirmed by the project's own test tool"),
            Self::No { because } => {
                write!(formatter, "not confirmed by the project's own test tool, because {}", because.words())
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_as_an_answer_with_a_reason() {
        let check = |confirmation: Confirmation, expect: &str| {
            let text = serde_json::to_string(&confirmation).unwrap();
            assert_eq!(text, expect);
            assert_eq!(serde_json::from_str::<Confirmation>(&text).unwrap(), confirmation);
        };
        check(Confirmation::Yes, r#"{"by_own_tool":"yes"}"#);
        let no = Confirmation::No { because: Unconfirmable::UserCommand };
        check(no, r#"{"by_own_tool":"no","because":"user_command"}"#);
        assert!(no.to_string().starts_with("not confirmed by the project's own test tool, because the test"));
    }
}
