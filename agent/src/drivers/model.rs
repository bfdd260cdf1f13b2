//! A language model as the driver.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use patchwright_llm::{ChatModel, ChatRequest, Message, Prices, Role, Usage};
use patchwright_prompts::{Prompt, Role as PromptRole};

use crate::driver::{Answer, Driver, DriverError, Question};

/// Asks a chat model and prices its replies.
pub struct ModelDriver {
    model: Arc<dyn ChatModel>,
    prices: Prices,
    temperature: Option<f32>,
    notices: Mutex<Receiver<String>>,
}

impl ModelDriver {
    /// A driver that asks `model` and prices replies by `prices`. What the client has to tell (retries) comes
    /// through `notices`.
    pub fn new(
        model: Arc<dyn ChatModel>,
        prices: Prices,
        temperature: Option<f32>,
        notices: Receiver<String>,
    ) -> Self {
        Self { model, prices, temperature, notices: Mutex::new(notices) }
    }
}

#[async_trait]
impl Driver for ModelDriver {
    fn name(&self) -> &str {
        self.model.name()
    }

    async fn answer(&mut self, question: &Question<'_>) -> Result<Option<Answer>, DriverError> {
        let request = ChatRequest {
            messages: messages(question.prompt),
            tools: question.tools.to_vec(),
            max_output_tokens: question.max_output_tokens,
            temperature: self.temperature,
        };
        let reply = self.model.complete(&request).await?;
        let cost_usd = reply.usage.as_ref().and_then(|usage| self.prices.cost(self.model.name(), usage));
        Ok(Some(Answer {
            text: reply.text,
            tool_calls: reply.tool_calls,
            stop: reply.stop,
            usage: reply.usage,
            cost_usd,
            model: reply.model,
            seconds: None,
        }))
    }

    fn notices(&mut self) -> Vec<String> {
        self.notices.lock().map(|notices| notices.try_iter().collect()).unwrap_or_default()
    }

    fn worst_cost(&self, worst: &Usage) -> Option<f64> {
        self.prices.cost(self.model.name(), worst)
    }
}

fn messages(prompt: &Prompt) -> Vec<Message> {
    prompt
        .messages
        .iter()
        .map(|message| Message {
            role: match message.role {
                PromptRole::System => Role::System,
                PromptRole::User => Role::User,
                PromptRole::Assistant => Role::Assistant,
            },
            text: message.text.clone(),
            cache_here: message.cache_here,
        })
        .collect()
}
