//! What a service can do: the report of `patchwright doctor --model`.

use patchwright_protocol::Usage;
use serde::Serialize;

/// How good a finding is.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// As sessions need it.
    Ok,
    /// Sessions work, with a limit that the finding names.
    Warning,
    /// It does not work.
    Failure,
}

impl Mark {
    fn sign(self) -> &'static str {
        match self {
            Self::Ok => "✓",
            Self::Warning => "!",
            Self::Failure => "✗",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// What was looked at: `service`, `context`, `tool calls`, `JSON`, `reasoning`, `streaming` or `price`.
    pub name: &'static str,
    /// How good it is.
    pub mark: Mark,
    /// What was found, in a sentence.
    pub detail: String,
    /// What to do about it; null where nothing is wrong, or nothing is known to help.
    pub cure: Option<String>,
}

impl Check {
    /// A finding as sessions need it.
    pub fn ok(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, mark: Mark::Ok, detail: detail.into(), cure: None }
    }

    /// A finding that limits sessions.
    pub fn warning(name: &'static str, detail: impl Into<String>) -> Self {
        Self { mark: Mark::Warning, ..Self::ok(name, detail) }
    }

    /// A finding of what does not work.
    pub fn failure(name: &'static str, detail: impl Into<String>) -> Self {
        Self { mark: Mark::Failure, ..Self::ok(name, detail) }
    }

    /// The same with what to do about it.
    pub fn cure(self, cure: impl Into<String>) -> Self {
        Self { cure: Some(cure.into()), ..self }
    }
}

/// What is known of the context. All counts are in tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ContextReport {
    /// The context of the model, prompt and answer together; null where nothing tells.
    pub window: Option<u64>,
    /// What tells it: `table` (the one that comes with the program), `error` (the service's message) or `count` (what was left of a prompt that
    /// was cut).
    pub window_from: Option<&'static str>,
    /// The least that the long prompt has: its words.
    pub sent_at_least: u64,
    /// What the service counted of it; null where it does not count, or did not answer.
    pub counted: Option<u64>,
    /// Whether the answer named the word at the beginning of the long prompt; null where there is no answer.
    pub knows_beginning: Option<bool>,
    /// Whether the same word was named in the answer to a short prompt.
    pub knows_short_prompt: bool,
    /// Whether the service cuts prompts in silence; null where that cannot be told.
    pub cuts_in_silence: Option<bool>,
}

/// How fast and in which form answers come.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StreamingReport {
    /// Whether an answer came in pieces.
    pub in_pieces: bool,
    /// Seconds from the short question to the first piece of its answer; null where answers come whole.
    pub first_piece_seconds: Option<f64>,
    /// Tokens of answers a second, from the first piece on; null where nothing was counted.
    pub tokens_per_second: Option<f64>,
    /// Tokens of the long prompt a second, until the first piece of its answer; null where nothing was counted.
    pub prompt_tokens_per_second: Option<f64>,
}

/// What a service can do. `--json` prints it as one object with these fields.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ServiceReport {
    /// The model, as `provider/name`.
    pub model: String,
    /// The address that was given; null for that of the provider.
    pub base_url: Option<String>,
    /// Whether a repair session can be driven by it. If not, the exit code is 4.
    pub usable: bool,
    /// The value of `--protocol` that fits; null where neither works.
    pub protocol: Option<&'static str>,
    /// The wire format: `chat completions`, `Responses` or `messages`; null where there was no answer.
    pub wire_format: Option<&'static str>,
    /// The model that answered, as it names itself; null where there was no answer.
    pub answered_by: Option<String>,
    /// The context.
    pub context: ContextReport,
    /// Whether it makes native tool calls with readable arguments; null where that was not asked.
    pub tool_calls: Option<bool>,
    /// Whether it answers with the JSON object that was asked for; null where that was not asked.
    pub json: Option<bool>,
    /// Whether reasoning was sent with an answer, or counted.
    pub reasons: bool,
    /// Whether it accepts an effort; null where none was sent.
    pub takes_effort: Option<bool>,
    /// How answers come.
    pub streaming: StreamingReport,
    /// Whether the price of its tokens is known.
    pub price_known: bool,
    /// What asking all this cost, in US dollars; null where the price is unknown.
    pub cost_usd: Option<f64>,
    /// The tokens of all questions and answers, as the service counted them.
    pub tokens: Usage,
    /// The time that all questions took, in seconds.
    pub seconds: f64,
    /// All findings, in the order in which they are printed.
    pub checks: Vec<Check>,
}

impl ServiceReport {
    /// The report before anything was asked.
    pub fn new(model: String, base_url: Option<String>) -> Self {
        Self {
            model,
            base_url,
            usable: false,
            protocol: None,
            wire_format: None,
            answered_by: None,
            context: ContextReport::default(),
            tool_calls: None,
            json: None,
            reasons: false,
            takes_effort: None,
            streaming: StreamingReport::default(),
            price_known: false,
            cost_usd: None,
            tokens: Usage::default(),
            seconds: 0.0,
            checks: Vec::new(),
        }
    }

    /// The finding that stands in the way of sessions; `None` where they can be driven.
    pub fn obstacle(&self) -> Option<&Check> {
        let failed = || self.checks.iter().find(|check| check.mark == Mark::Failure);
        failed().filter(|_| !self.usable)
    }

    /// The report for people, a line for each finding and for each cure.
    pub fn text(&self) -> String {
        let place = self.base_url.as_deref().map(|url| format!(" at {url}")).unwrap_or_default();
        let mut text = format!("{}{place}\n", self.model);
        for Check { name, mark, detail, cure } in &self.checks {
            text.push_str(&format!("  {} {name:<11} {detail}\n", mark.sign()));
            if let Some(cure) = cure {
                text.push_str(&format!("    {:<11} {cure}\n", ""));
            }
        }
        let verdict = match self.protocol.filter(|_| self.usable) {
            Some(protocol) => format!("a repair session can be driven by it, with `--protocol {protocol}`"),
            None => "a repair session cannot be driven by it".to_owned(),
        };
        text.push_str(&format!("{verdict}\n"));
        text
    }
}
