//! The values that options take.

use std::time::Duration;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use patchwright_protocol::Mode;
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};

/// Reads the word of a [`Mode`].
pub(super) fn mode() -> impl TypedValueParser<Value = Mode> {
    let value = |(mode, help): (Mode, &'static str)| PossibleValue::new(mode.word()).help(help);
    let loops = (Mode::Agent, "The hypothesis-driven loop");
    let pipeline = (Mode::Agentless, "The fixed pipeline: locate, repair, reproduce, select");
    PossibleValuesParser::new([loops, pipeline].map(value)).map(|word| match word.as_str() {
        "agentless" => Mode::Agentless,
        _ => Mode::Agent,
    })
}

/// Where builds and tests run.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxChoice {
    /// The best that works on this machine; never `host`.
    Auto,
    /// A container.
    Docker,
    /// Kernel namespaces and Landlock.
    Namespaces,
    /// Landlock alone, as where the kernel makes no namespaces.
    Landlock,
    /// No isolation, limits only.
    Host,
}

/// Of which fixes variants are asked.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum VariantsOfChoice {
    /// Of those that failed by little, and tried up to the first plausible one.
    NearMisses,
    /// Of every one, and all tried.
    All,
}

/// How the model calls tools.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum ProtocolChoice {
    /// A JSON object in the text of the reply.
    Json,
    /// The service's own tool calls.
    Native,
}

/// Order of the prompt's sections.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum LayoutChoice {
    /// Static sections first, so that a service can cache the prefix.
    Cache,
    /// The order of the paper's Table I.
    Paper,
}

/// What of earlier cycles prompts tell.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryChoice {
    /// All that was gathered and tried.
    All,
    /// The last command and its result, as in the paper's ablation.
    SingleCycle,
}

/// How far a name may be off.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum NameMatchingChoice {
    /// The threshold chosen on our tests.
    Default,
    /// Normalised distance below 0.1, as in the paper.
    Paper,
}

/// Reads a number that is one: a limit that is not a number would be no limit.
pub(super) fn finite<T: std::str::FromStr + Copy + Into<f64>>(text: &str) -> Result<T, String> {
    let number = text.trim().parse::<T>().ok().filter(|number| (*number).into().is_finite());
    number.ok_or_else(|| format!("`{text}` is not a number"))
}

/// The same in a settings file.
pub(super) fn finite_setting<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Copy + Into<f64>,
{
    let number = Option::<T>::deserialize(deserializer)?;
    match number {
        Some(wrong) if !wrong.into().is_finite() => Err(D::Error::custom("this is not a number")),
        number => Ok(number),
    }
}

/// A length of time as a user writes it: `45`, `45s`, `10m`, `2h`.
#[derive(Clone, Copy, Debug, Eq, PartialEq, PartialOrd)]
pub struct HumanDuration(pub Duration);

impl std::str::FromStr for HumanDuration {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let (number, unit) = match text.find(|c: char| !c.is_ascii_digit()) {
            Some(at) => text.split_at(at),
            None => (text, "s"),
        };
        let seconds = match unit {
            "s" => 1,
            "m" | "min" => 60,
            "h" => 3600,
            _ => return Err(format!("`{text}` is not a time; write `45s`, `10m` or `2h`")),
        };
        number
            .parse::<u64>()
            .ok()
            .and_then(|n| n.checked_mul(seconds))
            .filter(|seconds| *seconds > 0)
            .map(|seconds| Self(Duration::from_secs(seconds)))
            .ok_or_else(|| format!("`{text}` is not a time above zero; write `45s`, `10m` or `2h`"))
    }
}

impl std::fmt::Display for HumanDuration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}s", self.0.as_secs())
    }
}

impl Serialize for HumanDuration {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for HumanDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_as_people_write_them() {
        let check = |text: &str, seconds: Option<u64>| {
            assert_eq!(text.parse::<HumanDuration>().ok().map(|span| span.0.as_secs()), seconds, "{text}");
        };
        check("45", Some(45));
        check("45s", Some(45));
        check("10m", Some(600));
        check("2h", Some(7200));
        check("0", None);
        check("", None);
        check("ten", None);
        check("5 days", None);
        check("99999999999999999999h", None);
    }
}
