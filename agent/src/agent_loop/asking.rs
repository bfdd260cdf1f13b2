//! Asking for a command: the prompt, what helps where a service cannot answer it, and the reply as it came.

use std::collections::VecDeque;

use patchwright_llm::ModelError;
use patchwright_prompts::{BudgetLine, Prompt, PromptError, PromptView, Protocol};
use patchwright_protocol::{ChatReply, Failure, ToolCall};
use patchwright_session::{Answer, DriverError, Stop, beside};
use patchwright_trajectory::{Change, Purpose, RefusalReason};

use super::AgentLoop;
use crate::admission::RejectedCall;
use crate::confirming::confirmation;

/// Native calls of one reply that are run.
const CALLS_OF_REPLY: usize = 8;
/// Answers in a row that are lost before the service is given up.
const LOST_AFTER: usize = 3;

impl AgentLoop<'_> {
    /// The prompt of this cycle. In a window that turned out to be small, instructions come first: they cannot be cut, and the service has
    /// the last word.
    pub(super) fn next_prompt(&mut self) -> Result<Prompt, PromptError> {
        match self.prompt() {
            Err(PromptError::LimitTooSmall { needed, .. }) if self.context.prompts.is_compact => {
                self.context.prompts.prompt_tokens = needed;
                self.prompt()
            }
            rendered => rendered,
        }
    }

    /// The prompt by the settings of now: a pure function of task, memory, state and settings.
    fn prompt(&self) -> Result<Prompt, PromptError> {
        let memory = self.context.journal.memory();
        let spent = self.context.budget.spent();
        let view = PromptView {
            task: &self.setup.session.task,
            findings: &memory.findings,
            turns: memory.turns.all(),
            hypotheses: &memory.hypotheses,
            candidates: &memory.tried_candidates,
            state: self.state(),
            machine: self.setup.machine,
            evidence: memory.evidence(),
            tools: &self.schemas,
            patterns: &self.patterns,
            last: memory.last.as_ref(),
            notices: &memory.notices,
            budget: BudgetLine {
                used: self.context.cycle - 1,
                limit: self.setup.session.limits.cycles,
                tokens_used: spent.tokens(),
                tokens_limit: self.setup.session.limits.tokens,
            },
        };
        patchwright_prompts::render(&view, &self.context.prompts)
    }

    /// Asks for a command; `None` when a person interrupted it. A prompt that is too long for the model is made shorter.
    pub(super) async fn ask(&mut self, mut prompt: Prompt) -> Result<Option<Answer>, Stop> {
        let answers = self.setup.session.answers;
        // The option wins over the state. A state's effort is sent only to models that are known to reason.
        let of_state = self.state().effort.filter(|_| answers.model.reasons == Some(true));
        let effort = answers.effort.or(of_state);
        loop {
            self.context.effort = effort;
            match self.ask_once(&prompt).await {
                Err(Stop::Driver(DriverError::Model(error @ ModelError::ContextTooLong { window, .. }))) => {
                    let Some(shorter) = self.shortened(&prompt, window) else {
                        return Err(DriverError::Model(error).into());
                    };
                    let (prompt_tokens, reply_tokens) = (shorter.tokens as u64, self.context.answer_tokens());
                    let change = Change::Shortening { prompt_tokens, reply_tokens, window };
                    self.context.asked_again(Purpose::Command, &error, change)?;
                    prompt = shorter;
                }
                Err(Stop::Driver(DriverError::Model(error @ ModelError::Refused { status, .. })))
                    if self.context.prompts.protocol == Protocol::Native && error.refuses_tools() =>
                {
                    self.context.prompts.protocol = Protocol::Json;
                    self.context.asked_again(Purpose::Command, &error, Change::LeavingTools { status })?;
                    prompt = self.next_prompt().map_err(Failure::from)?;
                }
                answer => return answer,
            }
        }
    }

    /// A prompt that fits a model's window better than the one that was sent, with less room for the reply or less of what was gathered; `None`
    /// where neither can become less.
    fn shortened(&mut self, sent: &Prompt, window: Option<u32>) -> Option<Prompt> {
        let (room, effort) = (self.context.answer_tokens(), self.context.effort);
        let (_, fits) = self.context.answers.lower(sent.tokens, room, window, effort);
        if fits {
            return Some(sent.clone());
        }
        self.context.prompts = self.context.prompts.shorter(sent, window);
        self.next_prompt().ok().filter(|shorter| shorter.tokens < sent.tokens)
    }

    /// Turns a lost answer into a refusal that costs one cycle and tells the model why. Other errors, and [`LOST_AFTER`] losses in a row, end
    /// the session.
    pub(super) fn lost(&self, stop: Stop) -> Result<RejectedCall, Stop> {
        let lost = |message: String| RejectedCall { reason: RefusalReason::Service, tool: None, message };
        let error = match stop {
            Stop::Driver(DriverError::Model(error)) => error,
            Stop::Driver(DriverError::Lost(message)) => return Ok(lost(message)),
            stop => return Err(stop),
        };
        let refusals = &self.context.journal.memory().refusals;
        let in_a_row =
            refusals.iter().rev().take_while(|refusal| refusal.reason == RefusalReason::Service).count();
        if !error.is_about_one_answer() {
            return Err(DriverError::Model(error).into());
        }
        if in_a_row + 1 >= LOST_AFTER {
            let is_known = self.context.was_answered();
            return Err(if is_known { Stop::Paused(error) } else { DriverError::Model(error).into() });
        }
        let message = match error {
            ModelError::BrokenCall { message } => {
                format!(
                    "Your last call could not be read, so nothing ran: {message}. Send it again as valid JSON."
                )
            }
            _ => "Your last reply was lost on its way, so nothing ran. Send it again.".to_owned(),
        };
        Ok(lost(message))
    }

    async fn ask_once(&mut self, prompt: &Prompt) -> Result<Option<Answer>, Stop> {
        self.wait_for(None);
        let native = match self.context.prompts.protocol {
            Protocol::Json => &[],
            Protocol::Native => &*self.schemas,
        };
        let room = self.context.answer_tokens();
        let confirming = confirmation(&mut self.confirming);
        let answer = tokio::select! {
            biased;
            () = self.reviewer.interrupted() => None,
            answer = beside(confirming, self.context.ask(Purpose::Command, prompt, native, room)) => Some(answer),
        };
        self.book();
        let Some(answer) = answer.transpose()? else { return Ok(None) };
        let silent = || Failure::defect("the driver does not answer the question for a command");
        Ok(Some(answer.ok_or_else(silent)?))
    }
}

/// A reply as its native calls, one each and none twice; a reply with one or none is itself.
pub(super) fn parts(answer: Answer) -> VecDeque<Answer> {
    let mut calls: Vec<ToolCall> = Vec::new();
    for call in &answer.reply.tool_calls {
        if !calls.iter().any(|earlier| earlier.name == call.name && earlier.arguments == call.arguments) {
            calls.push(call.clone());
        }
    }
    if calls.len() < 2 {
        return VecDeque::from([answer]);
    }
    let text = |index: usize| if index == 0 { answer.reply.text.clone() } else { String::new() };
    let part = |(index, call): (usize, ToolCall)| Answer {
        reply: ChatReply {
            text: text(index),
            tool_calls: vec![call],
            stop: answer.reply.stop.clone(),
            ..ChatReply::default()
        },
        ..Answer::free(String::new(), "")
    };
    calls.into_iter().take(CALLS_OF_REPLY).enumerate().map(part).collect()
}

/// Whether a reply holds reasoning and nothing else. Some services send the answer in the reasoning field.
pub(super) fn reasoned_alone(reply: &ChatReply) -> bool {
    reply.is_silent() && !reply.reasoning.trim().is_empty()
}
