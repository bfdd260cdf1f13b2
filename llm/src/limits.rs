//! What models can: their windows, the limits of their answers, and the parameters that they take.

use std::sync::LazyLock;

use patchwright_protocol::Effort;
use serde::Deserialize;

use crate::name::{ModelName, Provider, is_version};

const EMBEDDED: &str = include_str!("../models.toml");

/// The answer's limit for a model that does not reason, in tokens: a command with an edit takes a few hundred.
const PLAIN_ANSWER: u32 = 4_096;
/// The limit for one that may: what is reasoned counts as well.
const REASONED_ANSWER: u32 = 16_384;
/// The limit for one that is asked to reason much.
const MUCH_REASONED_ANSWER: u32 = 32_768;

/// What is known of a model before it is asked.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
pub struct ModelLimits {
    /// Tokens of prompt and answer together; `None` = not known.
    pub context: Option<u32>,
    /// Tokens of an answer, reasoning included; `None` = not known.
    pub output: Option<u32>,
    /// Whether the model reasons before it answers; `None` = not known.
    pub reasons: Option<bool>,
    /// How Anthropic's models are asked to reason.
    #[serde(default)]
    pub(crate) thinking: Thinking,
    /// Whether an effort can be asked for.
    effort: Option<bool>,
    /// Whether a temperature can be asked for.
    temperature: Option<bool>,
    /// The service is OpenAI's own.
    #[serde(skip)]
    pub(crate) is_of_openai: bool,
}

/// How one of Anthropic's models is asked to reason.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Thinking {
    /// Not at all.
    #[default]
    None,
    /// By a number of tokens.
    Budget,
    /// By an effort alone: it decides for itself.
    Adaptive,
}

/// The rows of the embedded table. A test reads it, so it cannot fail here.
static ROWS: LazyLock<Vec<Row>> =
    LazyLock::new(|| toml::from_str::<Table>(EMBEDDED).map(|table| table.model).unwrap_or_default());

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(rename = "date")]
    _date: String,
    #[serde(rename = "source")]
    _source: Vec<String>,
    model: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    name: String,
    #[serde(flatten)]
    limits: ModelLimits,
}

impl ModelLimits {
    /// What the table that comes with the program says of a model; what it does not say is not known.
    pub fn of(model: &ModelName) -> Self {
        let full = model.to_string();
        let fits = |row: &Row| match row.name.strip_suffix('*') {
            Some(beginning) => full.starts_with(beginning),
            None => full.strip_prefix(row.name.as_str()).is_some_and(is_version),
        };
        let row = ROWS.iter().filter(|row| fits(row)).max_by_key(|row| row.name.len());
        let limits = row.map(|row| row.limits).unwrap_or_default();
        Self { is_of_openai: model.provider == Provider::OpenAi, ..limits }
    }

    /// The limit of an answer where the user names none, in tokens: enough for what is reasoned before it.
    pub fn answer(&self, effort: Option<Effort>) -> u32 {
        let wanted = match (self.reasons, effort) {
            (Some(false), _) | (_, Some(Effort::None)) => PLAIN_ANSWER,
            (_, Some(Effort::High | Effort::XHigh | Effort::Max)) => MUCH_REASONED_ANSWER,
            (Some(true) | None, _) => REASONED_ANSWER,
        };
        wanted.min(self.output.unwrap_or(u32::MAX))
    }

    /// Whether the table knows the model: all that it knows take tools.
    pub fn is_known(&self) -> bool {
        self.reasons.is_some()
    }

    /// Whether an effort may be asked for, as far as the table says: a model that is not in it may refuse one.
    pub fn takes_effort(&self) -> bool {
        self.reasons != Some(false) && self.effort != Some(false)
    }

    /// Whether a temperature may be asked for.
    pub(crate) fn takes_temperature(&self) -> bool {
        self.temperature != Some(false)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn limits(name: &str) -> ModelLimits {
        ModelLimits::of(&name.parse().unwrap())
    }

    #[test]
    fn the_table_is_whole() {
        let table: Table = toml::from_str(EMBEDDED).unwrap();
        let names: BTreeSet<&str> = table.model.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names.len(), table.model.len(), "one row for each name");
        for Row { name, limits } in table.model {
            let (context, output) = (limits.context.unwrap_or(u32::MAX), limits.output.unwrap());
            assert!(name.contains('/') && output <= context && output >= PLAIN_ANSWER, "{name}");
            assert!(limits.reasons.is_some(), "{name}");
            // What a server of one's own has by such a name is not known.
            assert!(!name.starts_with("compatible/") || !name.ends_with('*'), "{name}");
            let is_of_anthropic = name.starts_with("anthropic/");
            assert_eq!(
                is_of_anthropic && limits.reasons == Some(true),
                limits.thinking != Thinking::None,
                "{name}"
            );
        }
    }

    #[test]
    fn a_model_has_the_limits_of_its_family() {
        let check = |name: &str, context: Option<u32>, output: Option<u32>, reasons: Option<bool>| {
            let found = limits(name);
            assert_eq!((found.context, found.output, found.reasons), (context, output, reasons), "{name}");
        };
        check("openai/gpt-4.1-mini-2025-04-14", Some(1_047_576), Some(32_768), Some(false));
        check("openai/gpt-4o", Some(128_000), Some(16_384), Some(false));
        check("openai/gpt-5-mini", Some(400_000), Some(128_000), Some(true));
        check("openai/gpt-5.4", Some(1_050_000), Some(128_000), Some(true));
        check("openai/gpt-5.4-mini-2026-03-17", Some(400_000), Some(128_000), Some(true));
        check("openai/gpt-5.3-chat-latest", Some(128_000), Some(16_384), Some(false));
        check("openai/gpt-6.2-sol", Some(1_050_000), Some(128_000), Some(true));
        check("openai/gpt-7-sol", None, Some(128_000), Some(true));
        check("anthropic/claude-opus-5-5", Some(1_000_000), Some(128_000), Some(true));
        check("anthropic/claude-opus-6", Some(200_000), Some(64_000), Some(true));
        check("compatible/deepseek-v4-pro", Some(1_000_000), Some(384_000), Some(true));
        check("compatible/kimi-k2.6", Some(262_144), Some(262_144), Some(true));
        check("compatible/kimi-k2.6:cloud", None, None, None);
        check("compatible/qwen3:30b", None, None, None);
        check("openai/o4-mini", Some(200_000), Some(100_000), Some(true));
        check("openai/strange", None, None, None);
        check("compatible/gpt-4.1", None, None, None);
        assert_eq!(limits("anthropic/claude-sonnet-4-5-20250929").thinking, Thinking::Budget);
        assert_eq!(limits("anthropic/claude-opus-4-8").thinking, Thinking::Adaptive);
        assert_eq!(limits("anthropic/claude-3-5-haiku-latest").thinking, Thinking::None);
        assert!(!limits("anthropic/claude-haiku-4-5").takes_effort());
        assert!(limits("anthropic/claude-opus-4-5").takes_effort());
        assert!(!limits("compatible/glm-5").takes_effort());
        assert!(limits("compatible/glm-5.2").takes_effort());
    }

    #[test]
    fn an_answer_has_room_for_what_is_reasoned() {
        let check = |name: &str, effort: Option<Effort>, expect: u32| {
            assert_eq!(limits(name).answer(effort), expect, "{name} {effort:?}");
        };
        check("openai/gpt-4.1", None, PLAIN_ANSWER);
        check("openai/gpt-4.1", Some(Effort::High), PLAIN_ANSWER);
        check("openai/gpt-5", None, REASONED_ANSWER);
        check("openai/gpt-5", Some(Effort::High), MUCH_REASONED_ANSWER);
        check("openai/gpt-5.4", Some(Effort::None), PLAIN_ANSWER);
        check("anthropic/claude-opus-4-1", Some(Effort::Max), 32_000);
        check("compatible/qwen3", None, REASONED_ANSWER);
    }
}
