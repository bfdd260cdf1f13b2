//! Services that cut prompts in silence: they answer what fits into their context, and the model never sees the rest.

use patchwright_llm::longer_context;
use patchwright_prompts::{Prompt, estimate_tokens};
use patchwright_protocol::{Failure, Role, Usage};

/// Prompts below this estimate, in tokens, say nothing: any service has room for them.
const LEAST_SENT: u64 = 3_000;
/// No service has a smaller context, in tokens: a smaller count is not what is left of a prompt that was cut.
const LEAST_COUNT: u64 = 1_024;
/// Counts of two prompts that were cut at the same place differ by at most so many tokens.
const SAME: u64 = 64;
/// Short counts that are kept to compare with.
const KEPT: usize = 64;

/// The prompts of a session that the service counted as less than half of what was sent.
///
/// A single short count is not enough, because the estimate may be wrong. A cut is reported when two short counts do not follow the lengths of
/// their prompts ([`Self::note`]). It cannot be reported for
///
/// - services that do not count, or count 0: they give nothing to compare;
/// - prompts below [`LEAST_SENT`];
/// - cached tokens: a count with tokens from a cache is passed over. Some servers count fresh tokens alone and do not say so. They count at
///   most what is new since the prompt before, so a count that this could explain is passed over, too;
/// - recordings and persons: only counts of answers that were waited for here are looked at;
/// - tool schemas and earlier replies, which services may count or leave out: the estimate is that of the other messages alone, so what
///   the service counts beside them makes its count larger;
/// - unusual tokenizers: a short count means more than 6.6 bytes a token, where code has 3 to 5. Even with such a tokenizer the count grows
///   with the prompt: it would have to follow less than an eighth of the difference (26 bytes a token), or to fall while the prompt grows by a
///   quarter.
#[derive(Debug, Default)]
pub(crate) struct ShortCounts {
    short: Vec<Counted>,
    /// The text of the prompt before.
    before: String,
}

/// A prompt and its count, in tokens.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Counted {
    /// The estimate of what was sent.
    sent: u64,
    /// The service's count.
    counted: u64,
}

impl ShortCounts {
    /// Takes the service's count of a prompt that it answered.
    ///
    /// # Errors
    /// The service cuts prompts: this count and an earlier one do not follow the lengths of their prompts.
    pub fn note(&mut self, prompt: &Prompt, usage: Usage) -> Result<(), Failure> {
        let is_sent = |role: Role| role != Role::Assistant;
        let sent = prompt.messages.iter().filter(|message| is_sent(message.role));
        let text: Vec<&str> = sent.map(|message| message.text.as_str()).collect();
        let text = text.join("\n");
        let fresh = &text[text.floor_char_boundary(shared(&text, &self.before))..];
        let (sent, fresh) = (estimate_tokens(&text) as u64, estimate_tokens(fresh) as u64);
        self.before = text;
        let now = Counted { sent, counted: usage.input };
        let has_cached = usage.cached_input > 0 || usage.cache_write > 0;
        if has_cached || !now.is_short() || now.may_be_of(fresh) {
            return Ok(());
        }
        let cut = self.short.iter().find(|earlier| now.is_cut_like(**earlier));
        if let Some(earlier) = cut {
            return Err(failure(*earlier, now));
        }
        if self.short.len() < KEPT {
            self.short.push(now);
        }
        Ok(())
    }
}

impl Counted {
    /// Whether less than half of the prompt was counted.
    fn is_short(self) -> bool {
        self.sent >= LEAST_SENT && self.counted >= LEAST_COUNT && self.counted.saturating_mul(2) < self.sent
    }

    /// Whether this may be the count of the fresh tokens alone: the estimate is between half and twice the tokens that there are.
    fn may_be_of(self, fresh: u64) -> bool {
        let twice = self.counted.saturating_mul(2);
        twice >= fresh && twice <= fresh.saturating_mul(3)
    }

    /// Whether two short counts do not follow the lengths of their prompts.
    fn is_cut_like(self, other: Self) -> bool {
        let (shorter, longer) = if self.sent < other.sent { (self, other) } else { (other, self) };
        let grown = longer.sent - shorter.sent;
        let difference = longer.counted.abs_diff(shorter.counted);
        // The text is cut at the same place, within a message: as llama.cpp's context shift and Ollama's runner do it.
        let is_pinned = difference <= SAME && grown >= SAME && difference.saturating_mul(8) <= grown;
        // Whole messages are left out, oldest first, until the rest fits: as Ollama does it before.
        let falls = longer.counted <= shorter.counted && grown >= shorter.sent / 4 + 512;
        is_pinned || falls
    }
}

/// The bytes that two texts share at their beginnings.
fn shared(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
}

fn failure(earlier: Counted, now: Counted) -> Failure {
    Failure::provider(format!(
        "the service cuts prompts in silence: it counted {} of about {} tokens, and {} of about {}; the model did not see the rest",
        earlier.counted, earlier.sent, now.counted, now.sent
    ))
    .hint(format!(
        "give the server a longer context, then check it with `patchwright doctor --model`. {}",
        longer_context(None)
    ))
}

#[cfg(test)]
mod tests;
