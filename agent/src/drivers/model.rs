//! A language model as the driver.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use patchwright_llm::{ChatModel, ChatReply, ChatRequest, Prices};
use patchwright_protocol::Usage;
use patchwright_session::{Answer, Driver, DriverError, Question, Sampling};

/// Asks a chat model and prices its replies.
pub struct ModelDriver {
    model: Arc<dyn ChatModel>,
    prices: Prices,
    temperature: Option<f32>,
    seed: Option<u64>,
    notices: Mutex<Receiver<String>>,
    /// Samples that did not come.
    missing: Vec<String>,
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
        Self { model, prices, temperature, seed, notices: Mutex::new(notices), missing: Vec::new() }
    }
}

impl ModelDriver {
    fn request(&self, question: &Question<'_>) -> ChatRequest {
        ChatRequest {
            messages: question.prompt.messages.clone(),
            tools: question.tools.to_vec(),
            max_output_tokens: question.max_output_tokens,
            temperature: self.temperature,
            seed: self.seed,
        }
    }

    fn answer_of(&self, reply: ChatReply) -> Answer {
        let cost_usd = reply.usage.as_ref().and_then(|usage| self.prices.cost(self.model.name(), usage));
        Answer {
            text: reply.text,
            tool_calls: reply.tool_calls,
            stop: reply.stop,
            usage: reply.usage,
            cost_usd,
            model: reply.model,
            seconds: None,
        }
    }
}

#[async_trait]
impl Driver for ModelDriver {
    fn name(&self) -> &str {
        self.model.name()
    }

    async fn check(&mut self) -> Result<(), DriverError> {
        Ok(self.model.check_key().await?)
    }

    async fn answer(&mut self, question: &Question<'_>) -> Result<Option<Answer>, DriverError> {
        let request = self.request(question);
        let reply = self.model.complete(&request).await?;
        Ok(Some(self.answer_of(reply)))
    }

    async fn sample(
        &mut self,
        question: &Question<'_>,
        sampling: Sampling,
    ) -> Result<Vec<Answer>, DriverError> {
        let request = ChatRequest { temperature: Some(sampling.temperature), ..self.request(question) };
        let (mut answers, mut errors) = (Vec::new(), Vec::new());
        for reply in self.model.sample(&request, sampling.count).await {
            match reply {
                Ok(reply) => answers.push(self.answer_of(reply)),
                Err(error) => errors.push(error),
            }
        }
        match errors.pop() {
            Some(error) if answers.is_empty() => return Err(error.into()),
            Some(error) => {
                let missing = sampling.count - answers.len();
                self.missing.push(format!("{missing} of {} samples did not come: {error}", sampling.count));
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

    fn worst_cost(&self, worst: &Usage) -> Option<f64> {
        self.prices.cost(self.model.name(), worst)
    }
}
