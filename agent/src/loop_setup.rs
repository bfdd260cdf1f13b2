//! What a session of the loop is given.

use std::path::Path;

use patchwright_fault_localization::Localization;
use patchwright_replies::NameMatching;
use patchwright_session::SessionSetup;
use patchwright_state_machine::StateMachine;

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
    /// Whether only the issue describes the bug, and no test is known to show it.
    pub issue_only: bool,
}
