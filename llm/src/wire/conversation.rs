//! The parts of a conversation as they are sent, in no format's terms.

use std::borrow::Cow;

use patchwright_protocol::{ChatReply, Message, Turn};
use serde_json::{Value, json};

use crate::ChatRequest;

/// Bytes of a call's arguments that are sent back.
const LONGEST_ARGUMENTS: usize = 64 << 10;
/// Letters of a tool's name that services take.
const LONGEST_NAME: usize = 64;

/// A part of a conversation as it is sent.
#[derive(Clone, Copy)]
pub(super) enum Entry<'a> {
    /// A message that stands for itself.
    Said(&'a Message),
    /// A reply of the model, with its calls.
    Replied(&'a ChatReply),
    /// What came of one of them.
    Called { id: &'a str, message: &'a Message },
}

/// The conversation of a request, each part with whether a cache breakpoint follows. Messages and replies that say nothing are left out, as
/// services refuse them; a breakpoint on one moves to the part before.
pub(super) fn entries(request: &ChatRequest) -> Vec<(Entry<'_>, bool)> {
    let mut entries: Vec<(Entry<'_>, bool)> = Vec::new();
    for message in &request.messages {
        let reply = |cycle: u32| request.replies.get(&cycle);
        let called = |cycle: u32, call: usize| reply(cycle)?.tool_calls.get(call)?.id.as_deref();
        let of_turn = match message.turn {
            Some(Turn::Reply { cycle }) => reply(cycle).map(|reply| Entry::Replied(reply)),
            Some(Turn::Result { cycle, call }) => called(cycle, call).map(|id| Entry::Called { id, message }),
            None => None,
        };
        let entry = of_turn.unwrap_or(Entry::Said(message));
        let says_nothing = match entry {
            Entry::Said(message) => message.text.trim().is_empty(),
            Entry::Replied(reply) => reply.text.trim().is_empty() && reply.tool_calls.is_empty(),
            Entry::Called { .. } => false,
        };
        if !says_nothing {
            entries.push((entry, message.cache_here));
        } else if let Some((_, mark)) = entries.last_mut() {
            *mark |= message.cache_here;
        }
    }
    entries
}

/// The object that the arguments of a call are; an empty one where they are none, since services refuse what is not JSON, or where they are
/// longer than any prompt has room for.
pub(super) fn whole_object(arguments: &str) -> Value {
    let fits = Some(arguments).filter(|arguments| arguments.len() <= LONGEST_ARGUMENTS);
    fits.and_then(|arguments| super::surrogates::read(arguments.as_bytes()).ok())
        .map(|mut value: Value| {
            super::surrogates::settle(&mut value);
            value
        })
        .filter(Value::is_object)
        .unwrap_or_else(|| json!({}))
}

/// The id of a call as a service takes one back: its own, or a name for it that has the form which the service demands.
pub(super) fn call_id(id: &str, is_taken: fn(&str) -> bool) -> Cow<'_, str> {
    if is_taken(id) {
        Cow::Borrowed(id)
    } else {
        Cow::Owned(format!("call_{}", &blake3::hash(id.as_bytes()).to_hex()[..32]))
    }
}

/// Whether the services take such letters in a name or an id.
pub(super) fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

/// A tool's name as services take one back, whatever the model had called.
pub(super) fn tool_name(name: &str) -> String {
    name.chars().take(LONGEST_NAME).map(|letter| if is_letter(letter) { letter } else { '_' }).collect()
}
