//! A prompt as it is sent.

use patchwright_protocol::Message;

use crate::budget::{TOKENS_PER_MESSAGE, bytes_of_tokens, cut, tokens_of_bytes};

/// Bytes that are left of a message when a prompt is shortened: with less of it there is no use in asking.
const LEAST_MESSAGE: usize = 1_000;

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

    /// The limit for asking again, in estimated tokens, after a model found this prompt too long: what its window holds beside an answer,
    /// where the window is known, else half. Estimates may be off, so that each time it becomes less.
    pub(crate) fn next_limit(&self, window: Option<u32>) -> usize {
        let fits = window.map_or(self.tokens / 2, |window| window as usize * 5 / 8);
        fits.min(self.tokens * 3 / 4)
    }

    /// The same prompt with less of its longest message, for a window in which it does not fit; `None` where too little would be left of it.
    pub fn shortened(&self, window: Option<u32>) -> Option<Self> {
        let over = bytes_of_tokens(self.tokens.saturating_sub(self.next_limit(window)));
        let (longest, message) =
            self.messages.iter().enumerate().max_by_key(|(_, message)| message.text.len())?;
        let room = message.text.len().checked_sub(over).filter(|room| *room >= LEAST_MESSAGE)?;
        let mut messages = self.messages.clone();
        messages[longest].text = cut(&message.text, room).into_owned();
        Some(Self { messages, tokens: self.tokens - tokens_of_bytes(over) })
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use patchwright_protocol::Role;

    use super::*;

    #[test]
    fn the_longest_message_gives_way_until_too_little_is_left() {
        let long = "x".repeat(33_000);
        let messages = vec![Message::new(Role::System, "rules"), Message::new(Role::User, long)];
        let prompt = Prompt::new(messages, 0);
        let check = |prompt: &Prompt, window: Option<u32>, most: usize| {
            let shorter = prompt.shortened(window).unwrap();
            let bytes: usize = shorter.messages.iter().map(|message| message_bytes(&message.text)).sum();
            assert!(tokens_of_bytes(bytes) <= most + 1 && shorter.tokens <= most + 1, "{}", shorter.tokens);
            assert_eq!(shorter.messages[0].text, "rules");
            shorter
        };
        let half = check(&prompt, None, prompt.tokens / 2);
        check(&half, None, half.tokens / 2);
        check(&prompt, Some(8_192), 5_120);
        assert_eq!(prompt.shortened(Some(100)), None);
    }
}
