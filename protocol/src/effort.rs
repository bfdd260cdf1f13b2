//! How much a model is to reason before it answers.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reasoning effort that is asked for, by the words of OpenAI's `reasoning.effort`. Services that have fewer steps, or count in tokens,
/// are asked for the nearest.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// No reasoning.
    None,
    /// As little as the model can.
    Minimal,
    /// Little.
    Low,
    /// In between.
    Medium,
    /// Much.
    High,
    /// More than that, where the model has it.
    XHigh,
    /// As much as the model can.
    Max,
}

impl Effort {
    /// All of them, least first.
    pub const ALL: [Self; 7] =
        [Self::None, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::XHigh, Self::Max];

    /// Its word, as in files and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
            Self::Max => "max",
        }
    }

    /// The next lower step that still reasons; itself where there is none.
    #[must_use]
    pub fn lower(self) -> Self {
        match self {
            Self::Max | Self::XHigh => Self::High,
            Self::High => Self::Medium,
            Self::Medium | Self::Low => Self::Low,
            Self::Minimal | Self::None => self,
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

impl FromStr for Effort {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|effort| effort.word() == word).ok_or_else(|| {
            format!("`{word}` is no effort; there are {}", Self::ALL.map(Self::word).join(", "))
        })
    }
}
