//! Asking the driver within the budget, and what helps where a service cannot answer.

use std::borrow::Cow;
use std::fmt::Display;
use std::time::Instant;

use patchwright_llm::ModelError;
use patchwright_prompts::Prompt;
use patchwright_protocol::{Failure, ToolSchema, Usage};
use patchwright_trajectory::{Change, Event, Purpose, TrajectoryWriteError};

use super::SessionContext;
use crate::answers::LEAST_ANSWER;
use crate::budget::Exhausted;
use crate::driver::{Answer, DriverError, Question, Sampling};
use crate::outage::Outage;
use crate::stop::Stop;

impl SessionContext {
    /// Draws answers to the same question, as many as the budget holds; prompt and replies are recorded.
    ///
    /// # Errors
    /// Not even one answer fits the budget, or the driver has none.
    pub async fn sample(
        &mut self,
        prompt: &Prompt,
        sampling: Sampling,
        max_output_tokens: u32,
    ) -> Result<Vec<Answer>, Stop> {
        let max_output_tokens = self.answers.at_least(max_output_tokens, self.effort);
        let mut count = sampling.count;
        while let Err(exhausted) = self.holds(prompt, max_output_tokens, count) {
            if count <= 1 {
                return Err(exhausted.into());
            }
            count /= 2;
        }
        if count < sampling.count {
            let text = format!("the budget holds {count} of {} samples", sampling.count);
            self.journal.record(Event::warning(text))?;
        }
        let purpose = Purpose::Stage;
        let prompt = self.journal.prompt(self.cycle, purpose, prompt)?;
        self.draw(purpose, &prompt, &[], max_output_tokens, Some(Sampling { count, ..sampling })).await
    }

    /// Records a reply and books it.
    fn take(&mut self, purpose: Purpose, answer: &Answer, prompt: &Prompt, seconds: f64) -> Result<(), Stop> {
        let (cycle, reply, effort) = (self.cycle, answer.reply.clone(), self.effort);
        self.journal.record(Event::Reply {
            cycle,
            purpose,
            reply,
            cost_usd: answer.cost_usd,
            seconds,
            effort,
        })?;
        // A service that does not count is booked with the estimate: a limit must hold all the same.
        let usage = answer.reply.usage.unwrap_or(Usage {
            input: prompt.tokens as u64,
            output: patchwright_prompts::estimate_tokens(&answer.reply.text) as u64,
            ..Usage::default()
        });
        self.budget.book(&usage, answer.cost_usd);
        self.budget.wait(self.driver.profile().wait_category, seconds);
        Ok(())
    }

    /// The answers of a driver and the seconds that were waited for them, after recording what happened on the way; the wait for
    /// an error is booked at once.
    fn book_wait(
        &mut self,
        given: Result<Vec<Answer>, DriverError>,
        asked: Instant,
    ) -> Result<(Vec<Answer>, f64), Stop> {
        for notice in self.driver.notices() {
            self.journal.record(Event::retry(notice))?;
        }
        let waited = asked.elapsed().as_secs_f64();
        if given.is_err() {
            self.budget.wait(self.driver.profile().wait_category, waited);
        }
        Ok((given?, waited))
    }

    /// Asks the driver, within the budget; prompt and reply are recorded.
    ///
    /// # Errors
    /// The answer does not fit the budget, or the driver fails.
    pub async fn ask(
        &mut self,
        purpose: Purpose,
        prompt: &Prompt,
        tools: &[ToolSchema],
        max_output_tokens: u32,
    ) -> Result<Option<Answer>, Stop> {
        let room = self.reserve(prompt, max_output_tokens)?;
        let prompt = self.journal.prompt(self.cycle, purpose, prompt)?;
        let wanted = self.effort;
        let mut answers = self.draw(purpose, &prompt, tools, room, None).await;
        if let Ok([cut]) = answers.as_deref()
            && cut.reply.is_cut_while_reasoning()
        {
            let (more, effort) = self.answers.after_cut(room, wanted);
            self.effort = effort;
            if let Ok(room) = self.reserve(&prompt, more) {
                let change = Change::Extending { reply_tokens: room, effort };
                self.asked_again(purpose, &"the reply was cut off while the model was reasoning", change)?;
                answers = self.draw(purpose, &prompt, tools, room, None).await;
            }
        }
        self.effort = wanted;
        Ok(answers?.pop())
    }

    /// Records that a question is asked again.
    ///
    /// # Errors
    /// The trajectory cannot be written.
    pub fn asked_again(
        &mut self,
        purpose: Purpose,
        error: &dyn Display,
        change: Change,
    ) -> Result<(), TrajectoryWriteError> {
        let error = error.to_string();
        self.journal.record(Event::AskedAgain { cycle: self.cycle, purpose, error, change })
    }

    /// Checks that the budget holds `count` replies of `room` tokens each to a prompt.
    fn holds(&self, prompt: &Prompt, room: u32, count: usize) -> Result<(), Exhausted> {
        let times = count as u64;
        let input = (prompt.tokens as u64).saturating_mul(times);
        let worst = Usage { input, output: u64::from(room) * times, ..Usage::default() };
        self.budget.reserve(worst, self.driver.profile().cost(&worst))
    }

    /// The tokens that a reply may have within the budget: fewer than wanted, where it does not hold as many.
    fn reserve(&self, prompt: &Prompt, wanted: u32) -> Result<u32, Exhausted> {
        let mut room = wanted;
        while let Err(exhausted) = self.holds(prompt, room, 1) {
            if room <= LEAST_ANSWER {
                return Err(exhausted);
            }
            room = (room / 2).max(LEAST_ANSWER);
        }
        Ok(room)
    }

    /// Asks the driver with a recorded prompt, and records the answers. Waits for a service that answered earlier in the session and is
    /// unavailable now.
    async fn draw(
        &mut self,
        purpose: Purpose,
        prompt: &Prompt,
        tools: &[ToolSchema],
        mut max_output_tokens: u32,
        sampling: Option<Sampling>,
    ) -> Result<Vec<Answer>, Stop> {
        let mut prompt = Cow::Borrowed(prompt);
        let mut outage = Outage::default();
        let (answers, waited) = loop {
            let (cycle, effort, memory) = (self.cycle, self.effort, self.journal.memory());
            let question = Question {
                cycle,
                purpose,
                prompt: &prompt,
                memory,
                tools,
                max_output_tokens,
                effort,
                sampling,
            };
            let started = Instant::now();
            let answers = self.driver.answer(&question).await;
            match self.book_wait(answers, started) {
                Err(Stop::Driver(DriverError::Model(error)))
                    if self.is_answered && (error.is_outage() || error.is_about_access()) =>
                {
                    let left = self
                        .budget
                        .deadline()
                        .map(|deadline| deadline.saturating_duration_since(Instant::now()));
                    let wait = outage.wait(&error).filter(|wait| left.is_none_or(|left| *wait < left));
                    let Some(wait) = wait else { return Err(Stop::Paused(error)) };
                    self.asked_again(purpose, &error, Change::Waiting { seconds: wait.as_secs() })?;
                    tokio::time::sleep(wait).await;
                }
                // The loop makes its prompts anew from less.
                Err(Stop::Driver(DriverError::Model(error @ ModelError::ContextTooLong { window, .. })))
                    if purpose != Purpose::Command =>
                {
                    let (less, fits) = self.answers.lower(prompt.tokens, max_output_tokens, window, effort);
                    max_output_tokens = less;
                    let shorter = if fits { Some(prompt.into_owned()) } else { prompt.shortened(window) };
                    let Some(shorter) = shorter else { return Err(DriverError::Model(error).into()) };
                    let change = Change::Shortening {
                        prompt_tokens: shorter.tokens as u64,
                        reply_tokens: max_output_tokens,
                        window,
                    };
                    self.asked_again(purpose, &error, change)?;
                    prompt = Cow::Owned(self.journal.prompt(cycle, purpose, &shorter)?);
                }
                answered => break answered?,
            }
        };
        // What a recording answers says nothing of the service of now.
        self.is_answered |= answers.iter().any(|answer| answer.seconds.is_none());
        // A service may send more than it was asked for.
        let count = sampling.map_or(1, |sampling| sampling.count);
        let answers: Vec<Answer> = answers.into_iter().take(count).map(Answer::bounded).collect();
        for (index, answer) in answers.iter().enumerate() {
            // All were waited for together.
            let seconds = answer.seconds.unwrap_or(if index == 0 { waited } else { 0.0 });
            self.take(purpose, answer, &prompt, seconds)?;
        }
        // What a recording holds was counted by another service, or by this one before it got a longer context.
        let mut counts =
            answers.iter().filter(|answer| answer.seconds.is_none()).filter_map(|answer| answer.reply.usage);
        if let Some(usage) = counts.find(|usage| usage.input > 0) {
            self.short_counts.note(&prompt, usage)?;
        }
        Ok(answers)
    }

    /// As [`SessionContext::ask`], for a tool: a used-up budget means no answer, and the loop learns of it afterwards.
    pub(super) async fn ask_for_tool(
        &mut self,
        purpose: Purpose,
        prompt: &Prompt,
        max_output_tokens: u32,
    ) -> Result<Option<String>, Failure> {
        match self.ask(purpose, prompt, &[], max_output_tokens).await {
            Ok(answer) => Ok(answer.map(|answer| answer.reply.text)),
            Err(Stop::Budget(_)) => Ok(None),
            Err(stop) => {
                let failure = Failure::environment(&stop);
                self.stop = Some(stop);
                Err(failure)
            }
        }
    }
}
