//! The parameters of a request that not every model and service takes.

use std::ops::BitOr;

use super::Rejection;

/// A parameter, or a set of them, that a model turned out not to take; kept for the rest of the session.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Parameters(u16);

impl Parameters {
    /// `max_tokens` by this name; `max_completion_tokens` takes its place.
    pub const MAX_TOKENS: Self = Self(1);
    /// The temperature.
    pub const TEMPERATURE: Self = Self(1 << 1);
    /// Several answers to one request.
    pub const SEVERAL: Self = Self(1 << 2);
    /// The seed.
    pub const SEED: Self = Self(1 << 3);
    /// An answer in pieces.
    pub const STREAM: Self = Self(1 << 4);
    /// The count of tokens at the end of such an answer.
    pub const STREAM_USAGE: Self = Self(1 << 5);
    /// How much is reasoned.
    pub const EFFORT: Self = Self(1 << 6);
    /// Reasoning that decides itself how long it is (Anthropic's `adaptive`), or one of a given length.
    pub const THINKING: Self = Self(1 << 7);
    /// A summary of the reasoning.
    pub const SUMMARY: Self = Self(1 << 8);
    /// The reasoning in a form that can be sent back.
    pub const ENCRYPTED_REASONING: Self = Self(1 << 9);
    /// The reasoning of earlier answers.
    pub const EARLIER_REASONING: Self = Self(1 << 10);
    /// The key under which a prompt is cached.
    pub const CACHE_KEY: Self = Self(1 << 11);
    /// The marks up to which a prompt is cached.
    pub const CACHE_MARKS: Self = Self(1 << 12);
    /// Whether the service keeps the answer.
    pub const STORE: Self = Self(1 << 13);
    /// How long an answer may be, where it has one name only.
    pub const ANSWER_LIMIT: Self = Self(1 << 14);

    /// What the program adds for its own part and can do without; the user asked for none of it.
    const OPTIONAL: Self = Self(
        Self::STREAM_USAGE.0
            | Self::SUMMARY.0
            | Self::ENCRYPTED_REASONING.0
            | Self::EARLIER_REASONING.0
            | Self::CACHE_KEY.0
            | Self::CACHE_MARKS.0,
    );

    /// What is said when a request is sent again without one.
    const CHANGES: [(Self, &'static str); 15] = [
        (Self::MAX_TOKENS, "the model wants max_completion_tokens in place of max_tokens"),
        (Self::TEMPERATURE, "the model does not take a temperature; asking without"),
        (Self::SEVERAL, "the service gives one answer at a time; asking for each"),
        (Self::SEED, "the model does not take a seed; asking without"),
        (Self::STREAM_USAGE, "the service does not count tokens of a stream; asking without"),
        (Self::STREAM, "the service does not send this answer in pieces; waiting for the whole"),
        (Self::SUMMARY, "the service gives no summary of the reasoning; asking without"),
        (Self::ENCRYPTED_REASONING, "the model's reasoning cannot be kept; asking without"),
        (Self::EARLIER_REASONING, "the service does not take reasoning back; asking without"),
        (Self::THINKING, "the model does not reason in the way asked for; asking without"),
        (Self::EFFORT, "the model does not take this effort; asking without"),
        (Self::CACHE_KEY, "the service takes no key for its cache; asking without"),
        (Self::CACHE_MARKS, "the service takes no marks for its cache; asking without"),
        (Self::STORE, "the service does not take whether it keeps answers; asking without"),
        (Self::ANSWER_LIMIT, "the service takes no limit of an answer's length; asking without"),
    ];

    /// The names by which services speak of each; the more special ones first, because they hold the others.
    const NAMES: [(Self, &'static [&'static str]); 14] = [
        (Self::STREAM_USAGE, &["stream_options", "include_usage"]),
        (Self::STREAM, &["stream"]),
        (Self::TEMPERATURE, &["temperature"]),
        (Self::SEED, &["seed"]),
        (Self::SUMMARY, &["reasoning.summary", "reasoning summar", "summary"]),
        (Self::ENCRYPTED_REASONING, &["encrypted_content", "encrypted content", "include"]),
        (Self::EARLIER_REASONING, &["reasoning_content", "reasoning_details", "messages.reasoning"]),
        (Self::CACHE_KEY, &["prompt_cache_key"]),
        (Self::CACHE_MARKS, &["cache_control"]),
        (Self::STORE, &["'store'", "\"store\"", "`store`", "parameter: store", "store:"]),
        (Self::ANSWER_LIMIT, &["max_output_tokens"]),
        (Self::THINKING, &["thinking", "adaptive", "budget_tokens"]),
        (Self::EFFORT, &["output_config", "reasoning_effort", "reasoning.effort", "effort", "reasoning"]),
        (Self::SEVERAL, &["'n'", "\"n\"", "`n`"]),
    ];

    /// Whether all of `other` are among these.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// These, less `other`.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Those that are in both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// As a number, for a cell that threads share.
    pub fn bits(self) -> u16 {
        self.0
    }

    /// The set of a number.
    pub fn of_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// Those among the parameters `sent` that a refusal with status 400 or 422 speaks of as not taken. A refusal that says nothing of the
    /// kind may be about what the program added for its own part: whether it was that, the request without it shows.
    pub fn refused(rejection: &Rejection, sent: Self) -> Self {
        if sent.contains(Self::MAX_TOKENS) && rejection.wants_completion_tokens() {
            return Self::MAX_TOKENS;
        }
        if sent.contains(Self::EARLIER_REASONING) && rejection.does_not_know_reasoning() {
            return Self::EARLIER_REASONING;
        }
        if rejection.speaks_of_what_is_not_taken() {
            let named = Self::NAMES
                .iter()
                .find(|(parameter, names)| sent.contains(*parameter) && rejection.is_about(names));
            if let Some((parameter, _)) = named {
                return *parameter;
            }
        }
        if sent.contains(Self::SEVERAL) {
            return Self::SEVERAL;
        }
        sent.and(Self::OPTIONAL)
    }

    /// What is told of a request that is sent again without these.
    pub fn change(self) -> Option<&'static str> {
        let of = |(parameter, told): &(Self, &'static str)| self.contains(*parameter).then_some(*told);
        let mut told = Self::CHANGES.iter().filter_map(of);
        let first = told.next()?;
        Some(if told.next().is_some() {
            "the service refuses the request; asking without what it can do without"
        } else {
            first
        })
    }
}

impl BitOr for Parameters {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    const ALL: Parameters = Parameters((1 << 15) - 1);

    #[test]
    fn what_a_refusal_is_about_is_found_among_what_was_sent() {
        let check = |message: &str, parameter: &str, sent: Parameters, expect: Parameters| {
            let body = json!({ "error": { "message": message, "param": parameter } }).to_string();
            let found = Parameters::refused(&Rejection::of_body(body.as_bytes()), sent);
            assert_eq!(found, expect, "{message}");
        };
        check(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            "max_tokens",
            ALL,
            Parameters::MAX_TOKENS,
        );
        check(
            "Unsupported value: 'temperature' does not support 0.2",
            "temperature",
            ALL,
            Parameters::TEMPERATURE,
        );
        check(
            "Your organization must be verified to stream this model.",
            "stream",
            ALL.without(Parameters::STREAM_USAGE),
            Parameters::STREAM,
        );
        check("Unrecognized request argument supplied: stream_options", "", ALL, Parameters::STREAM_USAGE);
        check(
            "Your organization must be verified to generate reasoning summaries.",
            "reasoning.summary",
            ALL,
            Parameters::SUMMARY,
        );
        check(
            "Encrypted content is not supported with this model.",
            "include",
            ALL,
            Parameters::ENCRYPTED_REASONING,
        );
        check(
            "property 'messages.2.reasoning_content' is unsupported",
            "",
            ALL,
            Parameters::EARLIER_REASONING,
        );
        check("adaptive thinking is not supported on this model", "", ALL, Parameters::THINKING);
        check(
            "Unsupported value: 'xhigh' is not supported with this model",
            "reasoning.effort",
            ALL,
            Parameters::EFFORT,
        );
        check("seed: Extra inputs are not permitted", "", ALL, Parameters::SEED);
        check("The encrypted content gAAA could not be verified.", "", ALL, Parameters::EARLIER_REASONING);
        check(
            "messages.1.content.0: Invalid `signature` in `thinking` block",
            "",
            ALL,
            Parameters::EARLIER_REASONING,
        );
        check("cache_control: Extra inputs are not permitted", "", ALL, Parameters::CACHE_MARKS);
        check("Unsupported parameter: store", "", ALL, Parameters::STORE);
        check("Unsupported parameter: max_output_tokens", "", ALL, Parameters::ANSWER_LIMIT);
        // What was not sent cannot be it.
        check("seed: Extra inputs are not permitted", "", Parameters::CACHE_KEY, Parameters::CACHE_KEY);
        check("no", "", Parameters::TEMPERATURE | Parameters::SEVERAL, Parameters::SEVERAL);
        check("no", "", Parameters::TEMPERATURE | Parameters::STREAM, Parameters::default());
        check("no", "", Parameters::STREAM | Parameters::SUMMARY, Parameters::SUMMARY);
    }

    #[test]
    fn a_change_is_told() {
        assert_eq!(Parameters::default().change(), None);
        assert!(Parameters::SEED.change().unwrap().contains("seed"));
        insta::assert_snapshot!((Parameters::SUMMARY | Parameters::CACHE_KEY).change().unwrap());
    }
}
