//! The layout of a prompt and its limits.

use crate::prompt::Prompt;
use crate::templates::Templates;

/// The order of the sections.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Layout {
    /// First the constant part, then the part that only grows, then the part that changes: the provider's prompt cache reads most
    /// of each prompt at a discount.
    #[default]
    Cache,
    /// The order of the paper's Table I: one system and one user message.
    Paper,
}

/// The protocol by which the model asks for a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Protocol {
    /// A JSON object in the text of the reply; the schemas of the tools stand in the prompt.
    #[default]
    Json,
    /// The provider's tool calling; the schemas travel beside the prompt and are only counted here.
    Native,
}

/// The part of earlier cycles that a prompt tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Recall {
    /// All that was gathered and tried.
    #[default]
    All,
    /// The last command and its result, and the hypotheses: the ablation with a memory of a single cycle (RepairAgent, arXiv
    /// 2403.17134, Table VI).
    LastCycle,
}

/// The settings of all prompts.
#[derive(Debug, Clone)]
pub struct PromptSettings {
    /// The order of the sections.
    pub layout: Layout,
    /// The protocol by which the model asks for a call.
    pub protocol: Protocol,
    /// The part of earlier cycles that is told.
    pub recall: Recall,
    /// The limit of a whole prompt, in estimated tokens. No prompt is ever larger.
    pub prompt_tokens: usize,
    /// The part of it for the gathered information, in estimated tokens.
    pub gathered_tokens: usize,
    /// Is true where the window is small: the tools of other states and the fix patterns are left out.
    pub is_compact: bool,
    /// The limit of a prompt for a method body, in estimated tokens.
    pub method_body_tokens: usize,
    /// The texts.
    pub templates: Templates,
}

/// Below this, in estimated tokens, instructions would take most of a prompt.
const COMPACT_BELOW: usize = 12_000;

impl PromptSettings {
    /// The settings for asking again with less, after a model found `sent` too long.
    #[must_use]
    pub fn shorter(&self, sent: &Prompt, window: Option<u32>) -> Self {
        let limit = sent.next_limit(window);
        Self {
            prompt_tokens: limit,
            gathered_tokens: self.gathered_tokens.min(limit / 2),
            is_compact: limit < COMPACT_BELOW,
            ..self.clone()
        }
    }
}

impl Default for PromptSettings {
    /// 60,000 tokens, 30,000 of them for what was gathered; 12,000 for a method body, as in the paper.
    fn default() -> Self {
        Self {
            layout: Layout::default(),
            protocol: Protocol::default(),
            recall: Recall::default(),
            prompt_tokens: 60_000,
            gathered_tokens: 30_000,
            is_compact: false,
            method_body_tokens: 12_000,
            templates: Templates::embedded(),
        }
    }
}
