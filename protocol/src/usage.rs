//! Tokens.

use std::ops::AddAssign;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tokens of one answer, or the sum of several, as the service counted them.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Usage {
    /// Tokens of the prompt: fresh, read from a cache, and written to it.
    pub input: u64,
    /// The part of `input` that was read from the provider's cache.
    pub cached_input: u64,
    /// The part of `input` that was written to the provider's cache; 0 where the provider does not say.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write: u64,
    /// Tokens of the reply, reasoning included.
    pub output: u64,
    /// The part of `output` that was reasoning; 0 where the provider does not say.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference over")]
fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}

impl Usage {
    /// Tokens in and out.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.cached_input = self.cached_input.saturating_add(other.cached_input);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.output = self.output.saturating_add(other.output);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}
