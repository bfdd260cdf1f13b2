//! What a session of the loop is given.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use patchwright_fault_localization::Localization;
use patchwright_protocol::TestId;
use patchwright_replies::NameMatching;
use patchwright_session::SessionSetup;
use patchwright_state_machine::StateMachine;

/// How long a session waits for all tests before any change, where an issue tells of the bug: then those nearest to a change may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WholeSuite {
    /// Until they are through.
    Wait,
    /// Until then. The tests of a candidate may take as long as these were waited for.
    Until {
        /// When waiting ends.
        deadline: Instant,
        /// How long it lasts.
        patience: Duration,
    },
    /// Not at all: a recording ran these, each from some cycle on.
    Recorded(BTreeMap<u32, Vec<TestId>>),
}

/// What a session of the loop is given.
pub struct LoopSetup<'a> {
    /// What every mode is given.
    pub session: SessionSetup<'a>,
    /// Suspicious lines that the user gave; may be empty.
    pub localization: &'a Localization,
    /// The project as it was given, whose git repository tells of its history.
    pub origin: &'a Path,
    /// Which tools may be called when.
    pub machine: &'a StateMachine,
    /// How tools work.
    pub tools: patchwright_tools::ToolSettings,
    /// How far a name in a reply may be off.
    pub matching: NameMatching,
    /// How long all tests are waited for.
    pub whole_suite: WholeSuite,
    /// Whether only the issue describes the bug, and no test is known to show it.
    pub issue_only: bool,
}
