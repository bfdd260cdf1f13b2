//! A chat model behind an address: ask, and adapt to what it refuses.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use patchwright_protocol::ChatReply;

use crate::events::{Events, is_event_stream};
use crate::limits::ModelLimits;
use crate::service::{RequestFailure, Service};
use crate::transport::HttpAnswer;
use crate::wire::{AnswerError, Parameters, StreamAccumulator, WireFormat, event_of};
use crate::{
    AnswerProgress, ChatModel, ChatRequest, KeySource, ModelError, ModelName, ModelNotice, Provider,
    RetryPolicy, ServiceFacts,
};

/// The last event of a stream in OpenAI's older form.
const DONE: &str = "[DONE]";
/// The least time between two progress notices.
const BETWEEN_NOTICES: Duration = Duration::from_millis(200);
/// How much of an answer that broke off is kept, in bytes.
const KEPT_BYTES: usize = 16 << 10;
/// Answers that one request may ask for; the others are asked for one by one.
const MOST_ANSWERS: usize = 128;

/// Prepares a model for questions; nothing is sent yet.
///
/// `base_url` replaces the provider's own address (`compatible` has none). `notify` is called for every request that is
/// sent again, before the wait, and while an answer comes.
///
/// # Errors
/// `NoKey`, `BadKey`, `BadBaseUrl`: all that can be known without the network. A service on this machine and
/// `compatible` ones may do without a key.
pub fn connect(
    name: &ModelName,
    base_url: Option<&str>,
    keys: &KeySource,
    retry: RetryPolicy,
    notify: impl Fn(ModelNotice) + Send + Sync + 'static,
) -> Result<Arc<dyn ChatModel>, ModelError> {
    let asks_chat = base_url.is_some_and(|url| url.trim().ends_with(WireFormat::ChatCompletions.path()));
    Ok(Arc::new(Client {
        service: Service::new(name, base_url, keys, retry, Box::new(notify))?,
        provider: name.provider,
        limits: ModelLimits::of(name),
        has_no_responses: AtomicBool::new(asks_chat),
        longest_answer: AtomicU32::new(u32::MAX),
        refused: AtomicU16::new(0),
    }))
}

struct Client {
    service: Service,
    provider: Provider,
    limits: ModelLimits,
    /// The service speaks chat completions alone.
    has_no_responses: AtomicBool,
    /// The longest answer that the service gives, in tokens, as far as it has said so.
    longest_answer: AtomicU32,
    /// The parameters that the model has refused so far, as [`Parameters::bits`].
    refused: AtomicU16,
}

/// A question in the form in which it is sent.
#[derive(Clone, Copy)]
struct Form {
    format: WireFormat,
    sent: Parameters,
}

#[async_trait]
impl ChatModel for Client {
    fn name(&self) -> &str {
        &self.service.full_name
    }

    async fn check_key(&self) -> Result<(), ModelError> {
        self.service.check_key().await
    }

    fn facts(&self) -> ServiceFacts {
        let refused = Parameters::of_bits(self.refused.load(Ordering::Relaxed));
        ServiceFacts {
            wire_format: self.form(&ChatRequest::default(), 1).format.name(),
            is_local: self.service.is_local(),
            refuses_effort: refused.contains(Parameters::EFFORT),
            refuses_streams: refused.contains(Parameters::STREAM),
        }
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let replies = self.ask_until_answered(request, 1).await?;
        replies.into_iter().next().ok_or_else(|| ModelError::BadAnswer {
            problem: "it holds no answer".to_owned(),
            excerpt: String::new(),
        })
    }

    async fn sample(&self, request: &ChatRequest, count: usize) -> Vec<Result<ChatReply, ModelError>> {
        let mut replies = Vec::new();
        if self.form(request, count).sent.contains(Parameters::SEVERAL) {
            let wanted = count.min(MOST_ANSWERS);
            match self.ask_until_answered(request, wanted).await {
                Ok(several) => replies.extend(several.into_iter().take(wanted).map(Ok)),
                Err(error) => return vec![Err(error)],
            }
            if replies.len() < wanted {
                self.refuse(Parameters::SEVERAL);
                tracing::debug!(
                    model = self.service.full_name,
                    "fewer answers than asked for; asking for each"
                );
            }
        }
        let missing = replies.len() as u64..count as u64;
        replies.extend(crate::chat::one_by_one(self, request, missing).await);
        replies
    }
}

impl Client {
    /// Asks for `count` answers, adapts to what the model refuses, and waits where waiting helps.
    async fn ask_until_answered(
        &self,
        request: &ChatRequest,
        count: usize,
    ) -> Result<Vec<ChatReply>, ModelError> {
        let ask = move || async move {
            let form = self.form(request, count);
            let asked = self.ask(request, count, form).await;
            asked.map_err(|failure| RequestFailure { change: self.adapt(form, &failure), ..failure })
        };
        self.service.patiently(ask).await
    }

    /// The form of a question, by what the service is known to take.
    fn form(&self, request: &ChatRequest, count: usize) -> Form {
        let own = WireFormat::of(self.provider);
        // Seeds, and several answers for the price of one prompt, are known to the older form alone.
        let is_older = self.has_no_responses.load(Ordering::Relaxed)
            || request.seed.is_some()
            || (request.tools.is_empty() && count > 1);
        let format = match own {
            WireFormat::Responses if is_older => WireFormat::ChatCompletions,
            own => own,
        };
        let refused = Parameters::of_bits(self.refused.load(Ordering::Relaxed));
        Form { format, sent: format.parameters(request, count, &self.limits).without(refused) }
    }

    /// Sends a question once and reads the answer, whole or piece by piece, as it comes.
    async fn ask(
        &self,
        request: &ChatRequest,
        count: usize,
        form: Form,
    ) -> Result<Vec<ChatReply>, RequestFailure> {
        let Form { format, sent } = form;
        let model = self.service.model.clone();
        let longest = self.longest_answer.load(Ordering::Relaxed);
        let shorter;
        let request = if request.max_output_tokens > longest {
            shorter = ChatRequest { max_output_tokens: longest, ..request.clone() };
            &shorter
        } else {
            request
        };
        let body = format.body(&model, request, count, sent, self.limits.thinking);
        let asked = Instant::now();
        let mut answer = self.service.open(format.path(), &body).await?;
        let clean = |error| RequestFailure::from(self.service.clean(error));
        let first = answer.body.next().await.map_err(clean)?.unwrap_or_default();
        if let Some(encoding) = answer.encoding() {
            let problem = format!("it is encoded as {encoding}, which was not asked for");
            return Err(clean(ModelError::BadAnswer { problem, excerpt: String::new() }));
        }
        if !is_event_stream(answer.content_type(), &first) {
            let body = answer.body.rest(first).await.map_err(clean)?;
            return self.service.read(&answer.headers, body, move |body| format.read(&model, body)).await;
        }
        let HttpAnswer { headers, body, .. } = answer;
        let failed = |error| self.service.failed(error, &headers);
        let mut accumulator = format.accumulator();
        let mut events = Events::new(first, body);
        let progress = self.assemble(accumulator.as_mut(), &mut events, asked).await;
        let is_whole = accumulator.is_whole();
        let read = format.read_value(&model, accumulator.value());
        match progress {
            Ok(first_piece) => {
                let replies = read.map_err(failed)?.into_iter();
                Ok(replies.map(|reply| ChatReply { first_piece_seconds: first_piece, ..reply }).collect())
            }
            // What ends after its last event has said all.
            Err(AnswerError::Model(ModelError::Cut { .. } | ModelError::Timeout { .. })) if is_whole => {
                read.map_err(failed)
            }
            Err(AnswerError::Model(ModelError::Cut { problem, .. })) => {
                // A key is taken out before anything is cut off.
                let mut received =
                    self.service.scrubbed(&read.map(|replies| received(&replies)).unwrap_or_default());
                received.truncate(received.floor_char_boundary(KEPT_BYTES));
                Err(clean(ModelError::Cut { problem, received }))
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// Reads a stream of events to its end; the time to its first piece.
    async fn assemble(
        &self,
        accumulator: &mut dyn StreamAccumulator,
        events: &mut Events,
        asked: Instant,
    ) -> Result<Option<f64>, AnswerError> {
        let (mut told, mut first_piece) = (asked, None);
        while let Some(data) = events.next().await.map_err(AnswerError::Model)? {
            if data.trim() == DONE {
                return Ok(first_piece);
            }
            accumulator.take(event_of(&data)?);
            let progress = accumulator.arrived();
            if progress != AnswerProgress::default() {
                if first_piece.is_none() || told.elapsed() >= BETWEEN_NOTICES {
                    told = Instant::now();
                    (self.service.notify)(ModelNotice::Progress(progress));
                }
                first_piece.get_or_insert_with(|| asked.elapsed().as_secs_f64());
            }
        }
        if accumulator.is_whole() {
            return Ok(first_piece);
        }
        Err(AnswerError::Model(ModelError::cut("the stream ended in the middle".to_owned())))
    }

    /// Remembers what the model refuses. `Some` says what is changed: the request differs from the one refused, so
    /// that it can be sent again; each parameter gives that once.
    fn adapt(&self, form: Form, failure: &RequestFailure) -> Option<&'static str> {
        let has_no_such_path = match &failure.error {
            ModelError::Refused { status, .. } => matches!(status, 404 | 405 | 501),
            ModelError::ModelNotFound { message, .. } => message.contains(WireFormat::ChatCompletions.path()),
            _ => false,
        };
        if form.format == WireFormat::Responses && has_no_such_path {
            self.has_no_responses.store(true, Ordering::Relaxed);
            return Some("the service does not know /responses; asking by /chat/completions");
        }
        if !matches!(failure.error, ModelError::Refused { .. }) || failure.error.refuses_tools() {
            return None;
        }
        let refusal = failure.refusal.as_ref()?;
        let longest = refusal.longest_answer();
        if longest.is_some_and(|longest| self.longest_answer.fetch_min(longest, Ordering::Relaxed) > longest)
        {
            return Some("the model gives shorter answers; asking for as long a one as it gives");
        }
        let refused = Parameters::refused(refusal, form.sent);
        self.refuse(refused);
        refused.change()
    }

    fn refuse(&self, parameters: Parameters) {
        self.refused.fetch_or(parameters.bits(), Ordering::Relaxed);
    }
}

/// What had come of answers that broke off, as text.
fn received(replies: &[ChatReply]) -> String {
    let mut text = String::new();
    for ChatReply { reasoning, text: said, tool_calls, .. } in replies {
        let calls = tool_calls.iter().flat_map(|call| [call.name.as_str(), call.arguments.as_str()]);
        for part in
            [reasoning.as_str(), said.as_str()].into_iter().chain(calls).filter(|part| !part.is_empty())
        {
            text.push_str(part);
            text.push('\n');
        }
    }
    text
}
