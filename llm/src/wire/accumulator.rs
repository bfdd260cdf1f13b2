//! Answers that come in pieces, put together to what a service sends when it is asked for the whole.

use serde_json::{Map, Value};

use super::{surrogates, text_of};
use crate::AnswerProgress;

/// An answer that is being put together from the events of a stream.
pub(crate) trait StreamAccumulator: Send {
    /// Takes the next event, which is no error.
    fn take(&mut self, event: Value);

    /// Whether the service has marked the answer as complete.
    fn is_whole(&self) -> bool;

    /// How much of it is there.
    fn arrived(&self) -> AnswerProgress;

    /// The answer, as far as it is there, in the form in which it comes whole.
    fn value(self: Box<Self>) -> Value;
}

/// Appends the text of `piece[key]` to that of `whole[key]`.
pub(super) fn append(whole: &mut Map<String, Value>, piece: &Value, key: &str) -> u64 {
    let Some(more) = text_of(piece, key).filter(|more| !more.is_empty()) else { return 0 };
    match whole.get_mut(key) {
        Some(Value::String(text)) => surrogates::append(text, more),
        _ => {
            whole.insert(key.to_owned(), more.into());
        }
    }
    more.len() as u64
}
