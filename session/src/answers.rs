//! What replies may have: how long they may be, and how much is reasoned before them.

use patchwright_llm::ModelLimits;
use patchwright_protocol::Effort;

/// The least that a reply is given before a budget counts as used up, in tokens.
pub(crate) const LEAST_ANSWER: u32 = 4_096;
/// The least that a reply is given in a small window.
const LEAST_IN_WINDOW: u32 = 1_024;

/// The user's settings, and what is known of the model.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct AnswerSettings {
    /// The limit that the user gave, in tokens; without it, that of the model.
    pub max_tokens: Option<u32>,
    /// The effort that the user gave, which goes before that of a state.
    pub effort: Option<Effort>,
    /// What is known of the model.
    pub model: ModelLimits,
}

impl AnswerSettings {
    /// The limit of a reply with this effort, in tokens.
    pub fn tokens(&self, effort: Option<Effort>) -> u32 {
        self.max_tokens.unwrap_or_else(|| self.model.answer(effort))
    }

    /// The limit of a reply for which `wanted` tokens are enough, where nothing is reasoned before it.
    pub fn at_least(&self, wanted: u32, effort: Option<Effort>) -> u32 {
        if self.model.reasons == Some(false) { wanted } else { wanted.max(self.tokens(effort)) }
    }

    /// Leaves most of a window that turned out to be small to the prompt.
    fn fit(&mut self, window: Option<u32>) {
        let limit = window.map_or(LEAST_ANSWER, |window| (window / 4).max(LEAST_IN_WINDOW));
        self.max_tokens = Some(self.max_tokens.unwrap_or(limit).min(limit));
    }

    /// Lowers the reply limit after a prompt of `prompt` tokens was too long beside a reply of `room` tokens. Returns the new limit, and
    /// whether the same prompt may fit beside it.
    pub fn lower(
        &mut self,
        prompt: usize,
        room: u32,
        window: Option<u32>,
        effort: Option<Effort>,
    ) -> (u32, bool) {
        self.fit(window);
        let less = room.min(self.tokens(effort));
        let fits = window.is_none_or(|window| prompt + less as usize <= window as usize);
        (less, less < room && fits)
    }

    /// The limit and the effort with which a reply is asked for again that was cut off while the model was still reasoning.
    pub(crate) fn after_cut(&self, tokens: u32, effort: Option<Effort>) -> (u32, Option<Effort>) {
        let more = tokens.saturating_mul(2).min(self.model.output.unwrap_or(u32::MAX));
        // A service that was told nothing reasons about as much as it does for `medium`.
        let less = self.model.reasons.unwrap_or(true).then(|| effort.map_or(Effort::Low, Effort::lower));
        (more.max(tokens), less.or(effort))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_that_was_cut_gets_more_room_and_less_effort() {
        let check = |effort: Option<Effort>, tokens: u32, expect: (u32, Option<Effort>)| {
            assert_eq!(AnswerSettings::default().after_cut(tokens, effort), expect);
        };
        check(None, 4_096, (8_192, Some(Effort::Low)));
        check(Some(Effort::High), 4_096, (8_192, Some(Effort::Medium)));
        check(Some(Effort::Low), 4_096, (8_192, Some(Effort::Low)));
        check(Some(Effort::None), 4_096, (8_192, Some(Effort::None)));
    }

    #[test]
    fn a_reply_gives_way_to_the_prompt_once() {
        let mut settings = AnswerSettings::default();
        assert_eq!(settings.lower(3_000, 16_384, Some(8_192), None), (2_048, true));
        assert_eq!(settings.lower(3_000, 2_048, Some(8_192), None), (2_048, false));
        assert_eq!(AnswerSettings::default().lower(7_000, 16_384, Some(8_192), None), (2_048, false));
        assert_eq!(AnswerSettings::default().lower(7_000, 16_384, None, None), (4_096, true));
    }

    #[test]
    fn what_the_user_sets_holds() {
        let settings = AnswerSettings { max_tokens: Some(100), ..AnswerSettings::default() };
        assert_eq!(settings.tokens(Some(Effort::Max)), 100);
        assert_eq!(AnswerSettings::default().tokens(None), 16_384);
    }
}
