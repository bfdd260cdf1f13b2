//! The wire formats: how a request is written and an answer read, whole or in pieces. No network here.

mod accumulator;
mod chat_completions;
mod chat_stream;
mod conversation;
pub(crate) mod embeddings;
mod message_stream;
mod messages;
mod parameters;
mod rejections;
mod responses;
mod surrogates;
mod wordings;

use std::collections::HashSet;

use patchwright_protocol::{ChatReply, Usage, json_values};
use serde_json::{Value, json};

use crate::limits::{ModelLimits, Thinking};
use crate::{ChatRequest, ModelError, Provider};

pub(crate) use accumulator::StreamAccumulator;
use conversation::{Entry, call_id, entries, is_letter, tool_name, whole_object};
pub(crate) use parameters::Parameters;
pub(crate) use rejections::{Rejection, RequestContext, classify};

/// The longest piece of a service's text that goes into an error, in bytes.
const EXCERPT_BYTES: usize = 400;

/// Values of an answer that are read (texts, numbers, lists, objects): each takes up to a hundred times its bytes in memory.
const MOST_VALUES: usize = 1 << 18;

/// Values of a reply's own form that are kept, to be sent back and recorded.
const MOST_KEPT_VALUES: usize = 1 << 16;

/// The format of requests and answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum WireFormat {
    /// OpenAI's Responses: `POST …/responses`.
    Responses,
    /// OpenAI's chat completions: `POST …/chat/completions`.
    ChatCompletions,
    /// Anthropic's messages: `POST …/messages`.
    Messages,
}

/// Gives an id by position to calls whose id is missing or a duplicate. Drops the items of a reply that are too large to be kept.
fn with_ids(mut reply: ChatReply) -> ChatReply {
    let mut seen = HashSet::new();
    for (place, call) in reply.tool_calls.iter_mut().enumerate() {
        let own = call.id.take().filter(|id| !id.is_empty() && !seen.contains(id));
        let id = own.unwrap_or_else(|| format!("call_{place}"));
        seen.insert(id.clone());
        call.id = Some(id);
    }
    // Text and calls stand beside the items, so a reply can be sent back without them.
    let items = Value::Array(std::mem::take(&mut reply.items));
    if json_values(items.to_string().as_bytes()) <= MOST_KEPT_VALUES
        && let Value::Array(items) = items
    {
        reply.items = items;
    }
    reply
}

impl WireFormat {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Responses, Self::ChatCompletions, Self::Messages];

    /// The format that a provider speaks by itself.
    pub fn of(provider: Provider) -> Self {
        match provider {
            Provider::OpenAi => Self::Responses,
            Provider::Compatible => Self::ChatCompletions,
            Provider::Anthropic => Self::Messages,
        }
    }

    /// Its name, for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Responses => "Responses",
            Self::ChatCompletions => "chat completions",
            Self::Messages => "messages",
        }
    }

    /// The path behind the base URL.
    pub fn path(self) -> &'static str {
        match self {
            Self::Responses => "/responses",
            Self::ChatCompletions => "/chat/completions",
            Self::Messages => "/messages",
        }
    }

    /// The header that carries the key, and what stands before the key in it.
    pub fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Self::Responses | Self::ChatCompletions => ("authorization", "Bearer "),
            Self::Messages => ("x-api-key", ""),
        }
    }

    /// Further headers that the service demands.
    pub fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Responses | Self::ChatCompletions => &[],
            Self::Messages => &[("anthropic-version", "2023-06-01")],
        }
    }

    /// The parameters that a request for `count` answers of a model with these limits has, where nothing was refused yet.
    pub fn parameters(self, request: &ChatRequest, count: usize, limits: &ModelLimits) -> Parameters {
        let when = |holds: bool, parameter: Parameters| if holds { parameter } else { Parameters::default() };
        let reasons = limits.reasons != Some(false);
        let effort = request.effort.is_some() && limits.takes_effort();
        let common = when(!request.whole, Parameters::STREAM)
            | when(request.temperature.is_some() && limits.takes_temperature(), Parameters::TEMPERATURE)
            | when(effort, Parameters::EFFORT);
        let earlier = when(!request.replies.is_empty(), Parameters::EARLIER_REASONING);
        common
            | match self {
                Self::Responses => {
                    let encrypted = Parameters::SUMMARY | Parameters::ENCRYPTED_REASONING;
                    let own = Parameters::CACHE_KEY | Parameters::STORE | Parameters::ANSWER_LIMIT;
                    own | earlier | when(reasons, encrypted)
                }
                Self::ChatCompletions => {
                    let named_so = limits.reasons != Some(true) || !limits.is_of_openai;
                    when(!request.whole, Parameters::STREAM_USAGE)
                        | when(named_so, Parameters::MAX_TOKENS)
                        | when(request.seed.is_some(), Parameters::SEED)
                        | when(count > 1, Parameters::SEVERAL)
                        | earlier
                }
                Self::Messages => {
                    let thinks = request.effort.is_some() && limits.thinking != Thinking::None;
                    let marks = request.messages.iter().any(|message| message.cache_here);
                    earlier | when(marks, Parameters::CACHE_MARKS) | when(thinks, Parameters::THINKING)
                }
            }
    }

    /// The body of a request for `count` answers with the parameters `sent`.
    pub fn body(
        self,
        model: &str,
        request: &ChatRequest,
        count: usize,
        sent: Parameters,
        thinking: Thinking,
    ) -> Value {
        let mut body = match self {
            Self::Responses => responses::body(model, request, sent),
            Self::ChatCompletions => chat_completions::body(model, request, sent),
            Self::Messages => messages::body(model, request, sent, thinking),
        };
        // Who is asked to reason may not be given a temperature.
        let thinks = body.get("thinking").is_some();
        if let Some(value) = request.temperature.filter(|_| sent.contains(Parameters::TEMPERATURE) && !thinks)
        {
            body["temperature"] = patchwright_protocol::decimal(value);
        }
        if let Some(seed) = request.seed.filter(|_| sent.contains(Parameters::SEED)) {
            // The format's numbers have a sign.
            body["seed"] = (seed & i64::MAX as u64).into();
        }
        if !request.tools.is_empty() {
            let tool = match self {
                Self::Responses => responses::tool,
                Self::ChatCompletions => chat_completions::tool,
                Self::Messages => messages::tool,
            };
            body["tools"] = request.tools.iter().map(tool).collect();
        }
        if sent.contains(Parameters::SEVERAL) {
            body["n"] = count.into();
        }
        if sent.contains(Parameters::CACHE_KEY) {
            body["prompt_cache_key"] = cache_key(request).into();
        }
        if sent.contains(Parameters::STREAM) {
            body["stream"] = true.into();
            if sent.contains(Parameters::STREAM_USAGE) {
                body["stream_options"] = json!({ "include_usage": true });
            }
        }
        body
    }

    /// Puts an answer together that comes in pieces.
    pub fn accumulator(self) -> Box<dyn StreamAccumulator> {
        match self {
            Self::Responses => Box::<responses::Stream>::default(),
            Self::ChatCompletions => Box::<chat_stream::Stream>::default(),
            Self::Messages => Box::<message_stream::Stream>::default(),
        }
    }

    /// Reads the body of a successful answer to a request for `model`: one reply or, where several were asked for, as many
    /// as came.
    ///
    /// # Errors
    /// `Cut` where the JSON text ends too early, `BadAnswer` where it is not an answer; or what an error object inside
    /// says (some services send status 200 with an error).
    pub fn read(self, model: &str, body: &[u8]) -> Result<Vec<ChatReply>, AnswerError> {
        self.read_value(model, value_of(body, MOST_VALUES)?)
    }

    /// The same for an answer whose JSON has been read.
    ///
    /// # Errors
    /// `BadAnswer` where it is not an answer.
    pub fn read_value(self, model: &str, mut value: Value) -> Result<Vec<ChatReply>, AnswerError> {
        surrogates::settle(&mut value);
        let value = &value;
        let read = match self {
            Self::Responses => responses::read(value, model).map(|reply| vec![reply]),
            Self::ChatCompletions => chat_completions::read_all(value, model),
            Self::Messages => messages::read(value, model).map(|reply| vec![reply]),
        };
        let nameless = |reply: &ChatReply| reply.tool_calls.iter().any(|call| call.name.is_empty());
        let read = match read {
            Ok(replies) if replies.iter().any(nameless) => Err("a tool call has no name".to_owned()),
            read => read,
        };
        let read = read.map(|replies| replies.into_iter().map(with_ids).collect());
        read.map_err(|problem| AnswerError::Model(bad_answer(&problem, value.to_string().as_bytes())))
    }
}

/// The key under which a service keeps a prompt: the same for all questions of a session, whose prompts begin alike.
fn cache_key(request: &ChatRequest) -> String {
    let mut hasher = blake3::Hasher::new();
    for message in request.messages.iter().take(2) {
        hasher.update(message.text.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// The JSON of an event of a stream.
///
/// # Errors
/// It is no JSON, of too many values, or tells of an error.
pub(crate) fn event_of(data: &str) -> Result<Value, AnswerError> {
    let value = value_of(data.as_bytes(), MOST_VALUES)?;
    let inner =
        value.get("response").and_then(|response| response.get("error")).filter(|error| error.is_object());
    let own = (text_of(&value, "type") == Some("error")).then_some(&value);
    match inner.or(own) {
        Some(error) => Err(AnswerError::Rejected(Rejection::of_error(error))),
        None => Ok(value),
    }
}

/// The JSON of a successful answer, if it holds no error and no more values than `most`.
fn value_of(body: &[u8], most: usize) -> Result<Value, AnswerError> {
    if json_values(body) > most {
        return Err(AnswerError::Model(bad_answer(&format!("it holds more than {most} values"), body)));
    }
    let value = surrogates::read(body).map_err(|error| {
        AnswerError::Model(if error.is_eof() {
            ModelError::cut("the JSON text ends in the middle".to_owned())
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

/// The model that an answer names, else the one that was asked for.
fn model_of(value: &Value, asked: &str) -> String {
    text_of(value, "model").filter(|model| !model.is_empty()).unwrap_or(asked).to_owned()
}

/// The tokens that an answer counts, as its format writes them.
fn usage_of(value: &Value, read: fn(&Value) -> Usage) -> Option<Usage> {
    value.get("usage").filter(|usage| usage.is_object()).map(read)
}

/// The text of `value[key]`, where there is one.
fn text_of<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

/// The count `value[key]`, which some services write as a float or a text; 0 where it is missing or none.
fn count_of(value: &Value, key: &str) -> u64 {
    match value.get(key) {
        // A float of JSON: 100.0.
        Some(Value::Number(number)) => {
            let whole = || number.to_string().split_once('.').and_then(|(whole, _)| whole.parse().ok());
            number.as_u64().or_else(whole).unwrap_or(0)
        }
        Some(Value::String(text)) => text.parse().unwrap_or(0),
        _ => 0,
    }
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
            let Err(AnswerError::Model(ModelError::BadAnswer { problem, .. })) =
                WireFormat::ChatCompletions.read("m", body.as_bytes())
            else {
                unreachable!("it was read")
            };
            assert!(problem.contains(&MOST_VALUES.to_string()), "{problem}");
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
