//! Answers that come in pieces, put together to what a service sends when it is asked for the whole.

use serde_json::{Map, Value};

use super::text_of;

/// An answer that is being put together from the events of a stream.
pub(crate) trait StreamAccumulator: Send {
    /// Takes the next event, which is no error.
    fn take(&mut self, event: Value);

    /// Is true if the answer said that it ends.
    fn is_whole(&self) -> bool;

    /// How much of it is there.
    fn arrived(&self) -> Arrived;

    /// The answer, as far as it is there, in the form in which it comes whole.
    fn value(self: Box<Self>) -> Value;
}

/// How much of an answer is there, in bytes of text.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Arrived {
    /// Of the reasoning.
    pub reasoning: u64,
    /// Of what follows it: text and calls.
    pub answer: u64,
}

/// Appends the text of `piece[key]` to that of `whole[key]`.
pub(super) fn append(whole: &mut Map<String, Value>, piece: &Value, key: &str) -> u64 {
    let Some(more) = text_of(piece, key).filter(|more| !more.is_empty()) else { return 0 };
    match whole.get_mut(key) {
        Some(Value::String(text)) => text.push_str(more),
        _ => {
            whole.insert(key.to_owned(), more.into());
        }
    }
    more.len() as u64
}
