//! The replies with native calls, and what came of each call.

use std::ops::Range;

use patchwright_prompts::{CallResult, NativeCall, NativeTurn};
use patchwright_protocol::{ChatReply, ToolCall, cut_text};

/// Bytes of a result that stand where its native call stands, where nothing of it is gathered; the whole is in the next prompt's last section.
const TOLD_BYTES: usize = 600;

/// What stands where a native call stands that was refused.
const REFUSED: &str = "Refused, for the reason that the next prompt gave under the head \"Please note\".";

/// Bytes of a native call's arguments that are told beside it.
const ARGUMENTS_BYTES: usize = 200;

/// The replies of a session that held native calls, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NativeTurns(Vec<NativeTurn>);

impl NativeTurns {
    /// All of them, as prompts show them.
    pub fn all(&self) -> &[NativeTurn] {
        &self.0
    }

    /// Takes in the reply of a cycle, whose calls have not run yet.
    pub(crate) fn add(&mut self, cycle: u32, reply: &ChatReply) {
        let calls = reply.tool_calls.as_slice();
        let call = |(index, call): (usize, &ToolCall)| {
            let is_same = |other: &ToolCall| other.name == call.name && other.arguments == call.arguments;
            let repeat = || CallResult::Told("The same call stands before this one.".to_owned());
            let result = if calls[..index].iter().any(is_same) { repeat() } else { CallResult::NotRun };
            let arguments = cut_text(&call.arguments, ARGUMENTS_BYTES);
            NativeCall { command: format!("{}({arguments})", call.name), result }
        };
        let calls = calls.iter().enumerate().map(call).collect();
        self.0.push(NativeTurn { cycle, text: reply.text.clone(), calls });
    }

    /// Notes that the next call of a cycle's reply has run: the places of what it found, or else its result in words.
    pub(crate) fn answer(&mut self, cycle: u32, found: Range<usize>, text: &str) {
        let told = || CallResult::Told(cut_text(text, TOLD_BYTES));
        self.set(cycle, || if found.is_empty() { told() } else { CallResult::Found(found) });
    }

    /// Notes that the next call of a cycle's reply was refused.
    pub(crate) fn refuse(&mut self, cycle: u32) {
        self.set(cycle, || CallResult::Told(REFUSED.to_owned()));
    }

    fn set(&mut self, cycle: u32, result: impl FnOnce() -> CallResult) {
        let turn = self.0.last_mut().filter(|turn| turn.cycle == cycle);
        let call = turn.and_then(|turn| turn.calls.iter_mut().find(|call| call.result == CallResult::NotRun));
        if let Some(call) = call {
            call.result = result();
        }
    }

    /// Whether the reply of a cycle held several calls, each of which is a command of its own.
    pub(crate) fn has_several(&self, cycle: u32) -> bool {
        self.0.last().is_some_and(|turn| turn.cycle == cycle && turn.calls.len() > 1)
    }
}
