//! A prompt as it is sent.

use patchwright_protocol::Message;

use crate::budget::{TOKENS_PER_MESSAGE, bytes_of_tokens, tokens_of_bytes};

/// A prompt that is ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The messages. Several user messages may follow one another.
    pub messages: Vec<Message>,
    /// An estimate of its tokens, including tool schemas that travel beside it.
    pub tokens: usize,
}

impl Prompt {
    /// Puts messages together; `beside` are bytes that travel with them.
    pub(crate) fn new(messages: Vec<Message>, beside: usize) -> Self {
        let bytes = messages.iter().map(|message| message_bytes(&message.text)).sum::<usize>() + beside;
        Self { messages, tokens: tokens_of_bytes(bytes) }
    }
}

/// The room that a message takes, with the provider's frame around it, in bytes.
pub(crate) fn message_bytes(text: &str) -> usize {
    text.len() + bytes_of_tokens(TOKENS_PER_MESSAGE)
}

/// Sections one after the other, empty ones left out.
pub(crate) fn joined(sections: Vec<String>) -> String {
    let full: Vec<String> = sections.into_iter().filter(|section| !section.is_empty()).collect();
    full.join("\n\n")
}
