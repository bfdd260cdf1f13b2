//! Names of models: provider and model.

use std::fmt;
use std::str::FromStr;

use crate::ModelError;

/// The service of a model, which decides on wire format, key and address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Any server that speaks OpenAI's chat completions, at a base URL that the user gives.
    Compatible,
}

impl Provider {
    /// All of them, in the order in which they are told to people.
    pub const ALL: [Self; 3] = [Self::OpenAi, Self::Anthropic, Self::Compatible];

    /// How a model of each is named, for people: `openai/NAME, …, compatible/NAME (with --base-url)`.
    pub fn listed() -> String {
        let form = |provider: Self| match provider.base_url() {
            Some(_) => format!("{}/NAME", provider.as_str()),
            None => format!("{}/NAME (with --base-url)", provider.as_str()),
        };
        Self::ALL.map(form).join(", ")
    }

    /// The word in front of the slash.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Compatible => "compatible",
        }
    }

    /// The environment variable that holds its key.
    pub fn key_variable(self) -> &'static str {
        match self {
            Self::OpenAi => "OPENAI_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::Compatible => "PATCHWRIGHT_API_KEY",
        }
    }

    /// The address where the user says nothing; `None` = the user must say.
    pub fn base_url(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("https://api.openai.com/v1"),
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::Compatible => None,
        }
    }
}

/// A model's full name, `provider/model`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelName {
    /// Who serves it.
    pub provider: Provider,
    /// Its name there; may hold slashes and colons itself.
    pub model: String,
}

impl fmt::Display for ModelName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.provider.as_str(), self.model)
    }
}

impl FromStr for ModelName {
    type Err = ModelError;

    fn from_str(asked: &str) -> Result<Self, Self::Err> {
        let bad = |problem: String| ModelError::BadName { asked: asked.to_owned(), problem };
        let Some((provider, model)) = asked.split_once('/') else {
            return Err(bad("the provider is missing".to_owned()));
        };
        let Some(provider) = Provider::ALL.into_iter().find(|known| known.as_str() == provider) else {
            let known = Provider::ALL.map(Provider::as_str).join(", ");
            return Err(bad(format!("the provider is none of {known}")));
        };
        if model.is_empty() || model.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(bad("the model's name is empty or holds white space".to_owned()));
        }
        Ok(Self { provider, model: model.to_owned() })
    }
}

/// Whether `rest`, behind a family's name, is nothing, a date, or `-latest`. Anything else (`-mini`) is another model
/// with another price.
pub(crate) fn is_version(rest: &str) -> bool {
    let shape: String = rest.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    matches!(shape.as_str(), "" | "-0000-00-00" | "-00000000" | "@00000000" | "-latest")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use patchwright_protocol::Actionable;

    use super::*;

    #[test]
    fn names_are_read_and_written_back() {
        let check = |asked: &str, provider: Provider, model: &str| {
            let name: ModelName = asked.parse().unwrap();
            assert_eq!(name, ModelName { provider, model: model.to_owned() });
            assert_eq!(name.to_string(), asked);
        };
        check("openai/gpt-4.1", Provider::OpenAi, "gpt-4.1");
        check("anthropic/claude-sonnet-4-5", Provider::Anthropic, "claude-sonnet-4-5");
        check("compatible/qwen3:30b", Provider::Compatible, "qwen3:30b");
        check("compatible/meta-llama/Llama-3.3-70B", Provider::Compatible, "meta-llama/Llama-3.3-70B");
    }

    #[test]
    fn what_is_not_a_name_is_told() {
        let check = |asked: &str, expect: &str| {
            let error = asked.parse::<ModelName>().unwrap_err();
            assert!(error.to_string().contains(expect), "{asked}: {error}");
            assert!(error.hint().unwrap_or_default().contains("openai/NAME"));
        };
        check("gpt-4.1", "provider is missing");
        check("", "provider is missing");
        check("google/gemini", "none of openai, anthropic, compatible");
        check("OpenAI/gpt-4.1", "none of openai");
        check("openai/", "empty");
        check("openai/gpt 4", "white space");
    }

    #[test]
    fn only_dates_are_versions() {
        let check = |rest: &str, expect: bool| assert_eq!(is_version(rest), expect, "{rest}");
        check("", true);
        check("-2025-04-14", true);
        check("-20250929", true);
        check("@20250929", true);
        check("-latest", true);
        check("-mini", false);
        check("-5", false);
        check("-0613", false);
        check(".1", false);
        check("-2025-04-14-preview", false);
    }
}
