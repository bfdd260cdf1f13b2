//! Stages: each is a cycle with a record of what it found, so that a session can be taken up after any of them.

use std::collections::VecDeque;
use std::time::Instant;

use patchwright_prompts::{Prompt, StageQuestion, UnusableAnswer};
use patchwright_protocol::{Failure, ToolOutcome};
use patchwright_trajectory::{Event, Log};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::context::SessionContext;
use crate::driver::{Answer, Sampling};
use crate::stop::Stop;

/// What the stages of an earlier session found, in their order.
#[derive(Clone, Debug, Default)]
pub struct RecordedStages(VecDeque<(String, Value)>);

impl RecordedStages {
    /// Reads what the stages of a recorded session found.
    pub fn of(log: &Log) -> Self {
        let of = |event: &Event| match event {
            Event::Observation { tool, data, advance: true, .. } => Some((tool.clone(), data.clone())),
            _ => None,
        };
        Self(log.records.iter().filter_map(|record| of(&record.event)).collect())
    }

    /// What this stage found, if it was reached and says what is expected of it. Stages before it that nobody asked for
    /// are left behind: they are done anew.
    fn take<T: DeserializeOwned>(&mut self, stage: &str) -> Option<T> {
        let at = self.0.iter().position(|(name, _)| name == stage);
        let found = at.and_then(|at| {
            self.0.drain(..at);
            serde_json::from_value(self.0.pop_front()?.1).ok()
        });
        if found.is_none() {
            // What follows was built on something else.
            self.0.clear();
        }
        found
    }
}

/// What a stage of a recorded session found, if it ran and says what is expected of it.
pub fn recorded_finding<T: DeserializeOwned>(log: &Log, stage: &str) -> Option<T> {
    log.records.iter().find_map(|record| match &record.event {
        Event::Observation { tool, data, .. } if tool == stage => serde_json::from_value(data.clone()).ok(),
        _ => None,
    })
}

/// A stage that is under way.
pub struct Stage {
    name: &'static str,
    began: Instant,
    /// Seconds that were booked for the model and the tests before it.
    booked: f64,
}

/// Begins the stages of a session, asks their questions and records what they find.
pub struct Stages {
    /// Driver, budget and journal.
    pub context: SessionContext,
    found: RecordedStages,
    /// The questions that were answered greedy, with the answers.
    greedy: Vec<(Prompt, Answer)>,
}

impl Stages {
    /// The stages of a session, before the first; `found` is what an earlier session found in them.
    pub fn new(context: SessionContext, found: RecordedStages) -> Self {
        Self { context, found, greedy: Vec::new() }
    }

    /// Begins a stage.
    pub fn begin(&mut self, name: &'static str, arguments: Value) -> Result<Stage, Stop> {
        self.context.cycle = self.context.budget.begin_cycle()?;
        let cycle = self.context.cycle;
        let (tool, thoughts, repairs) = (name.to_owned(), None, Vec::new());
        self.context.journal.record(Event::Call { cycle, tool, arguments, thoughts, repairs })?;
        Ok(Stage { name, began: Instant::now(), booked: self.booked() })
    }

    /// What an earlier session found in this stage, if this one goes on from there.
    pub fn earlier<T: DeserializeOwned>(&mut self, stage: &Stage) -> Result<Option<T>, Stop> {
        let found = self.found.take(stage.name);
        if found.is_some() {
            self.context
                .journal
                .record(Event::info(format!("{}: taken from the recorded session", stage.name)))?;
        }
        Ok(found)
    }

    /// Records what a stage found, and a few words about it.
    pub fn finish<T: Serialize>(&mut self, stage: &Stage, text: String, found: &T) -> Result<(), Stop> {
        let data = serde_json::to_value(found).map_err(Failure::defect)?;
        let seconds = stage.began.elapsed().as_secs_f64();
        let own = seconds - (self.booked() - stage.booked);
        self.context.budget.spent_mut().tool_seconds += own.max(0.0);
        self.context.journal.record(Event::Observation {
            cycle: self.context.cycle,
            tool: stage.name.to_owned(),
            text,
            data,
            outcome: ToolOutcome::Done,
            advance: true,
            seconds,
        })?;
        Ok(())
    }

    /// The prompt of a question; `again` where an answer to it could not be used.
    pub fn prompt(
        &self,
        question: &StageQuestion<'_>,
        again: Option<UnusableAnswer<'_>>,
    ) -> Result<Prompt, Stop> {
        patchwright_prompts::stage_prompt(&self.context.task, question, again, &self.context.prompts)
            .map_err(|error| Failure::defect(error).into())
    }

    /// Draws answers to the same question, as [`SessionContext::sample`] does. The greedy answer to a question that was asked before is known.
    pub async fn sample(
        &mut self,
        prompt: &Prompt,
        sampling: Sampling,
        max_output_tokens: u32,
    ) -> Result<Vec<Answer>, Stop> {
        let is_greedy = sampling.temperature <= 0.0;
        if is_greedy && let Some((_, answer)) = self.greedy.iter().find(|(asked, _)| asked == prompt) {
            return Ok(vec![answer.clone(); sampling.count]);
        }
        let answers = self.context.sample(prompt, sampling, max_output_tokens).await?;
        if is_greedy {
            self.greedy.extend(answers.first().map(|answer| (prompt.clone(), answer.clone())));
        }
        Ok(answers)
    }

    fn booked(&self) -> f64 {
        let spent = self.context.budget.spent();
        spent.waited() + spent.test_seconds
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_session_goes_on_after_the_stages_that_are_taken_over() {
        let reached = ["repair", "validate", "reproduce", "select"];
        let mut earlier =
            RecordedStages(reached.iter().map(|name| ((*name).to_owned(), json!(name.len()))).collect());
        assert_eq!(earlier.take::<usize>("repair"), Some(6));
        assert_eq!(earlier.take::<usize>("reproduce"), Some(9), "validating is always done anew");
        assert_eq!(earlier.take::<String>("select"), None, "it does not say what is expected");
        assert_eq!(earlier.take::<usize>("select"), None);
    }

    #[test]
    fn what_was_built_on_a_stage_that_was_not_reached_is_not_taken_over() {
        let mut earlier = RecordedStages([("select".to_owned(), json!(1))].into());
        assert_eq!(earlier.take::<usize>("repair"), None);
        assert_eq!(earlier.take::<usize>("select"), None);
    }
}
