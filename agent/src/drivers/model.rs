//! A language model as the driver.

use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use patchwright_edits::{Edit, EditRules};
use patchwright_llm::{ChatModel, ChatRequest, ModelError, Prices};
use patchwright_protocol::{ChatReply, Remark};
use patchwright_session::{Answer, Driver, DriverError, DriverProfile, Question, Sampling, WaitCategory};
use patchwright_syntax::Project;
use patchwright_trajectory::{Event, Log, Purpose};

/// Asks a chat model and prices its replies.
pub struct ModelDriver {
    profile: DriverProfile,
    model: Arc<dyn ChatModel>,
    temperature: Option<f32>,
    seed: Option<u64>,
    notices: Mutex<Receiver<String>>,
    /// Samples that did not come.
    missing: Vec<String>,
    /// Replies with native calls, by cycle: prompts name them, and their service wants them back in its own form.
    replies: BTreeMap<u32, Arc<ChatReply>>,
}

impl ModelDriver {
    /// A driver that asks `model` and prices replies by `prices`. What the client has to tell (retries) comes
    /// through `notices`.
    pub fn new(
        model: Arc<dyn ChatModel>,
        prices: Prices,
        temperature: Option<f32>,
        seed: Option<u64>,
        notices: Receiver<String>,
    ) -> Self {
        let profile = DriverProfile {
            name: model.name().to_owned(),
            wait_category: WaitCategory::Model,
            prices: Some(prices),
        };
        Self {
            profile,
            model,
            temperature,
            seed,
            notices: Mutex::new(notices),
            missing: Vec::new(),
            replies: BTreeMap::new(),
        }
    }

    /// The same for a session that was interrupted: native calls of its replies go back to the service in its own form.
    #[must_use]
    pub fn with_replies(mut self, log: &Log) -> Self {
        let replies = log.records.iter().filter_map(|record| match &record.event {
            Event::Reply { cycle, purpose: Purpose::Command, reply, .. } if !reply.tool_calls.is_empty() => {
                Some((*cycle, Arc::new(reply.clone())))
            }
            _ => None,
        });
        self.replies.extend(replies);
        self
    }

    /// Looks whether the service knows the key, as far as that costs nothing.
    ///
    /// # Errors
    /// The service refuses the key, or cannot be asked.
    pub async fn check_key(&self) -> Result<(), ModelError> {
        self.model.check_key().await
    }

    fn request(&self, question: &Question<'_>) -> ChatRequest {
        ChatRequest {
            messages: question.prompt.messages.clone(),
            replies: self.replies.clone(),
            tools: question.tools.to_vec(),
            max_output_tokens: question.max_output_tokens,
            effort: question.effort,
            temperature: self.temperature,
            seed: self.seed,
            whole: false,
        }
    }

    fn answer_of(&self, reply: ChatReply) -> Answer {
        let cost_usd = reply.usage.as_ref().and_then(|usage| self.profile.cost(usage));
        Answer { reply, cost_usd, seconds: None }
    }
}

#[async_trait]
impl Driver for ModelDriver {
    fn profile(&self) -> &DriverProfile {
        &self.profile
    }

    fn begin(&mut self, _project: &Project, _rules: &EditRules) {}

    async fn answer(&mut self, question: &Question<'_>) -> Result<Vec<Answer>, DriverError> {
        let request = self.request(question);
        let Some(Sampling { count, temperature }) = question.sampling else {
            let reply = self.model.complete(&request).await?;
            if !reply.tool_calls.is_empty() {
                self.replies.insert(question.cycle, Arc::new(reply.clone()));
            }
            return Ok(vec![self.answer_of(reply)]);
        };
        let request = ChatRequest { temperature: Some(temperature), ..request };
        let (mut answers, mut errors) = (Vec::new(), Vec::new());
        for reply in self.model.sample(&request, count).await {
            match reply {
                Ok(reply) => answers.push(self.answer_of(reply)),
                Err(error) => errors.push(error),
            }
        }
        match errors.pop() {
            Some(error) if answers.is_empty() => return Err(error.into()),
            Some(error) => {
                let missing = count - answers.len();
                self.missing.push(format!("{missing} of {count} samples did not come: {error}"));
            }
            None => {}
        }
        Ok(answers)
    }

    fn notices(&mut self) -> Vec<String> {
        let mut notices: Vec<String> =
            self.notices.lock().map(|notices| notices.try_iter().collect()).unwrap_or_default();
        notices.append(&mut self.missing);
        notices
    }

    fn remark(&self, _edits: &[Edit]) -> Option<Remark> {
        None
    }
}
