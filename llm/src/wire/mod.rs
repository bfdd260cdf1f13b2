//! The two wire formats: how a request is written and an answer read. No network here.

mod anthropic;
pub(crate) mod embeddings;
mod openai;
mod rejections;

use patchwright_protocol::json_values;
use serde_json::Value;

use crate::{ChatReply, ChatRequest, ModelError, Provider};

pub(crate) use rejections::{Rejection, RequestContext, classify};

/// The longest piece of a service's text that goes into an error, in bytes.
const EXCERPT_BYTES: usize = 400;

/// Values of an answer that are read (texts, numbers, lists, objects): each takes up to a hundred times its bytes in memory.
const MOST_VALUES: usize = 1 << 18;

/// The format of requests and answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum WireFormat {
    /// OpenAI's chat completions: `POST …/chat/completions`.
    OpenAi,
    /// Anthropic's messages: `POST …/messages`.
    Anthropic,
}

/// Parameters that a model turned out not to accept; kept for the rest of the session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct UnsupportedParameters {
    /// `max_tokens` must be called `max_completion_tokens`.
    pub max_tokens: bool,
    /// `temperature` must be left out.
    pub temperature: bool,
    /// Several answers cannot be asked for at once.
    pub several: bool,
}

impl WireFormat {
    /// The format that a provider speaks.
    pub fn of(provider: Provider) -> Self {
        match provider {
            Provider::OpenAi | Provider::Compatible => Self::OpenAi,
            Provider::Anthropic => Self::Anthropic,
        }
    }

    /// The path behind the base URL.
    pub fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "/chat/completions",
            Self::Anthropic => "/messages",
        }
    }

    /// The header that carries the key, and what stands before the key in it.
    pub fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Self::OpenAi => ("authorization", "Bearer "),
            Self::Anthropic => ("x-api-key", ""),
        }
    }

    /// Further headers that the service demands.
    pub fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::OpenAi => &[],
            Self::Anthropic => &[("anthropic-version", "2023-06-01")],
        }
    }

    /// Is true if a request can ask for several answers.
    pub fn takes_several(self) -> bool {
        self == Self::OpenAi
    }

    /// Is true if a request can have a seed.
    pub fn takes_seeds(self) -> bool {
        self == Self::OpenAi
    }

    /// The body of a request for `count` answers; for one, where the format or the model takes no number.
    pub fn body(
        self,
        model: &str,
        request: &ChatRequest,
        count: usize,
        refuses: UnsupportedParameters,
    ) -> Value {
        let mut body = match self {
            Self::OpenAi => openai::body(model, request, refuses),
            Self::Anthropic => anthropic::body(model, request),
        };
        if let Some(value) = request.temperature.filter(|_| !refuses.temperature) {
            body["temperature"] = patchwright_protocol::decimal(value);
        }
        if let Some(seed) = request.seed.filter(|_| self.takes_seeds()) {
            body["seed"] = seed.into();
        }
        if !request.tools.is_empty() {
            let tool = match self {
                Self::OpenAi => openai::tool,
                Self::Anthropic => anthropic::tool,
            };
            body["tools"] = request.tools.iter().map(tool).collect();
        }
        if count > 1 && self.takes_several() && !refuses.several {
            body["n"] = count.into();
        }
        body
    }

    /// Reads the body of a successful answer to a request for `model`: one reply or, where several were asked for, as many
    /// as came.
    ///
    /// # Errors
    /// `Cut` where the JSON text ends too early, `BadAnswer` where it is not an answer; or what an error object inside
    /// says (some services send status 200 with an error).
    pub fn read(self, model: &str, body: &[u8]) -> Result<Vec<ChatReply>, AnswerError> {
        let value = value_of(body, MOST_VALUES)?;
        let read = match self {
            Self::OpenAi => openai::read_all(&value, model),
            Self::Anthropic => anthropic::read(&value, model).map(|reply| vec![reply]),
        };
        read.map_err(|problem| AnswerError::Model(bad_answer(&problem, body)))
    }
}

/// The JSON of a successful answer, if it holds no error and no more values than `most`.
fn value_of(body: &[u8], most: usize) -> Result<Value, AnswerError> {
    if json_values(body) > most {
        return Err(AnswerError::Model(bad_answer(&format!("it holds more than {most} values"), body)));
    }
    let value: Value = serde_json::from_slice(body).map_err(|error| {
        AnswerError::Model(if error.is_eof() {
            ModelError::Cut { problem: "the JSON text ends in the middle".to_owned() }
        } else {
            bad_answer("it is not JSON", body)
        })
    })?;
    match value.get("error") {
        Some(error @ (Value::Object(_) | Value::String(_))) => {
            Err(AnswerError::Rejected(Rejection::of_error(error)))
        }
        _ => Ok(value),
    }
}

/// The reason for which a body of status 200 is no answer.
#[derive(Debug)]
pub(crate) enum AnswerError {
    /// It is damaged or something else.
    Model(ModelError),
    /// It holds an error of the service.
    Rejected(Rejection),
}

fn bad_answer(problem: &str, body: &[u8]) -> ModelError {
    ModelError::BadAnswer { problem: problem.to_owned(), excerpt: excerpt(&String::from_utf8_lossy(body)) }
}

/// The beginning of `text` on one line.
pub(crate) fn excerpt(text: &str) -> String {
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > EXCERPT_BYTES {
            line.truncate(line.floor_char_boundary(EXCERPT_BYTES));
            line.push('…');
            break;
        }
    }
    line
}

/// The text of `value[key]`, where there is one.
fn text_of<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

/// The count `value[key]`; 0 where it is missing or null.
fn count_of(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_of_too_many_values_is_not_read() {
        for times in [1, 10] {
            let odd = "{\"\":0},".repeat(times * MOST_VALUES / 2);
            let body = format!(
                r#"{{"choices":[{{"message":{{"content":"x"}},"finish_reason":"stop"}}],"odd":[{odd}0]}}"#
            );
            let Err(AnswerError::Model(error)) = WireFormat::OpenAi.read("m", body.as_bytes()) else {
                unreachable!("it was read")
            };
            assert!(error.to_string().contains("more than 262144 values"), "{error}");
        }
    }

    #[test]
    fn excerpts_are_short_single_lines() {
        let check = |text: &str, expect: &str| assert_eq!(excerpt(text), expect);
        check("", "");
        check(" a\n\tb\u{1b}[0m ", "a b [0m");
        let long = excerpt(&"ä".repeat(1000));
        assert!(long.len() < EXCERPT_BYTES + 4 && long.ends_with('…'), "{}", long.len());
    }
}
