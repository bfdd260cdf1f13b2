//! The seam between the loop and whoever decides: a model, a recording, a person.

use async_trait::async_trait;
use patchwright_edits::{Edit, EditRules};
use patchwright_llm::{ModelError, Prices};
use patchwright_prompts::Prompt;
use patchwright_protocol::{
    ChatReply, Effort, Failure, FinishReason, Remark, Status, ToolCall, ToolSchema, Usage,
};
use patchwright_syntax::Project;
use patchwright_trajectory::Purpose;

use crate::memory::Memory;

/// What a driver is asked: a prompt, and what for.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The cycle in which it is asked, from 1.
    pub cycle: u32,
    /// What the answer is for.
    pub purpose: Purpose,
    /// The prompt.
    pub prompt: &'a Prompt,
    /// What the session knows: what the prompt was made from.
    pub memory: &'a Memory,
    /// Tools for native calls; empty where a text is wanted.
    pub tools: &'a [ToolSchema],
    /// Tokens the answer may have.
    pub max_output_tokens: u32,
    /// How much a model is to reason; `None` = as its service does by itself.
    pub effort: Option<Effort>,
    /// How several answers are drawn; `None` for one, as the driver is set up.
    pub sampling: Option<Sampling>,
}

impl Question<'_> {
    /// How many answers are wanted.
    pub fn count(&self) -> usize {
        self.sampling.map_or(1, |sampling| sampling.count)
    }
}

/// How several answers to a question are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// How many.
    pub count: usize,
    /// The temperature; 0 for the likeliest answer.
    pub temperature: f32,
}

/// What a driver answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What came.
    pub reply: ChatReply,
    /// Cost in US dollars; `None` where the price is unknown.
    pub cost_usd: Option<f64>,
    /// Seconds it took, where that is not to be measured here (a recording keeps the recorded time).
    pub seconds: Option<f64>,
}

/// Bytes of an answer that are taken, its calls included: more than any model writes in one.
pub const LONGEST_ANSWER: usize = 1 << 20;
/// Native calls of an answer that are taken. One is wanted.
pub const MOST_CALLS: usize = 100;

impl Answer {
    /// As much of the answer as is taken. What is longer counts as cut off, and the model is told so.
    pub(crate) fn bounded(mut self) -> Self {
        let mut room = LONGEST_ANSWER;
        let reply = &mut self.reply;
        let mut is_cut = cut(&mut reply.text, &mut room);
        is_cut |= reply.tool_calls.len() > MOST_CALLS;
        reply.tool_calls.truncate(MOST_CALLS);
        for ToolCall { name, arguments, .. } in &mut reply.tool_calls {
            is_cut |= cut(name, &mut room);
            is_cut |= cut(arguments, &mut room);
        }
        cut(&mut reply.reasoning, &mut room);
        if is_cut {
            reply.stop = FinishReason::Length;
        }
        self
    }

    /// An answer that cost nothing, because no service was asked.
    pub fn free(text: String, who: &str) -> Self {
        Self {
            reply: ChatReply {
                text,
                usage: Some(Usage::default()),
                model: who.to_owned(),
                ..ChatReply::default()
            },
            cost_usd: Some(0.0),
            seconds: None,
        }
    }
}

/// Cuts a text to the room that is left, which it takes up; says whether it was longer.
fn cut(text: &mut String, room: &mut usize) -> bool {
    let end = text.floor_char_boundary(*room);
    let is_longer = end < text.len();
    text.truncate(end);
    *room -= end;
    is_longer
}

/// What a session waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitCategory {
    /// A model's answer.
    Model,
    /// A plan of our own.
    Planning,
    /// Tests.
    Tests,
    /// A tool.
    Tools,
}

/// What is known of a driver before it is asked.
#[derive(Clone, Debug)]
pub struct DriverProfile {
    /// The name that reports show, such as `openai/gpt-4.1`.
    pub name: String,
    /// What the time until an answer is booked as.
    pub wait_category: WaitCategory,
    /// The prices of its answers; `None` if they cost nothing.
    pub prices: Option<Prices>,
}

impl DriverProfile {
    /// The profile of a driver whose answers cost nothing.
    pub fn free(name: &str, wait_category: WaitCategory) -> Self {
        Self { name: name.to_owned(), wait_category, prices: None }
    }

    /// The cost of an answer in US dollars; `None` if the price is unknown.
    pub fn cost(&self, usage: &Usage) -> Option<f64> {
        match &self.prices {
            Some(prices) => prices.cost(&self.name, usage),
            None => Some(0.0),
        }
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// The model's provider failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A recording holds no further answer of this kind.
    #[error(
        "the recording holds no reply for cycle {cycle}: it ended before, or this session took another way"
    )]
    RecordingEnded {
        /// The cycle that asked.
        cycle: u32,
        /// How the recorded session ended, where something outside of it did that; else stuck.
        status: Status,
    },
    /// The answer was lost, as a recording tells it: what the model was told of it.
    #[error("{0}")]
    Lost(String),
    /// There is nothing more to try.
    #[error("{0}")]
    UsedUp(String),
    /// Our own mistake.
    #[error(transparent)]
    Defect(#[from] Failure),
    /// The person at the terminal left.
    #[error("the person left the session")]
    Left,
}

/// Who decides the next command.
///
/// No method has a default: a driver that wraps another one forwards all of them.
/// ```
/// use patchwright_edits::{Edit, EditRules};
/// use patchwright_prompts::Prompt;
/// use patchwright_protocol::Remark;
/// use patchwright_session::{Answer, Driver, DriverError, DriverProfile, Memory, Question, Sampling, WaitCategory};
/// use patchwright_syntax::Project;
/// use patchwright_trajectory::Purpose;
///
/// /// Gives the replies that it was made with, the last one first.
/// struct Rehearsed(DriverProfile, Vec<String>);
///
/// #[async_trait::async_trait]
/// impl Driver for Rehearsed {
///     fn profile(&self) -> &DriverProfile {
///         &self.0
///     }
///
///     fn begin(&mut self, _project: &Project, _rules: &EditRules) {}
///
///     async fn answer(&mut self, question: &Question<'_>) -> Result<Vec<Answer>, DriverError> {
///         let replies = std::iter::from_fn(|| self.1.pop()).take(question.count());
///         Ok(replies.map(|text| Answer::free(text, "rehearsed")).collect())
///     }
///
///     fn notices(&mut self) -> Vec<String> {
///         Vec::new()
///     }
///
///     fn remark(&self, _edits: &[Edit]) -> Option<Remark> {
///         None
///     }
/// }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), DriverError> {
/// let question = Question {
///     cycle: 1,
///     purpose: Purpose::Command,
///     prompt: &Prompt { messages: Vec::new(), tokens: 0 },
///     memory: &Memory::default(),
///     tools: &[],
///     max_output_tokens: 100,
///     effort: None,
///     sampling: Some(Sampling { count: 3, temperature: 0.0 }),
/// };
/// let profile = DriverProfile::free("rehearsed", WaitCategory::Model);
/// let mut driver = Rehearsed(profile, vec!["second".to_owned(), "first".to_owned()]);
/// let answers = driver.answer(&question).await?;
/// assert_eq!(answers.iter().map(|answer| answer.reply.text.as_str()).collect::<Vec<_>>(), ["first", "second"]);
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait Driver: Send {
    /// Name, prices and wait category.
    fn profile(&self) -> &DriverProfile;

    /// Called once, before the first question: the project, and what may not be changed in it.
    fn begin(&mut self, project: &Project, rules: &EditRules);

    /// Answers a question [`Question::count`] times; fewer answers where there are no more, and none where the driver
    /// never answers questions of that purpose.
    async fn answer(&mut self, question: &Question<'_>) -> Result<Vec<Answer>, DriverError>;

    /// Takes what happened during the last question and is worth recording, such as retries.
    fn notices(&mut self) -> Vec<String>;

    /// What there is to say of a candidate with these edits, beyond the edits.
    fn remark(&self, edits: &[Edit]) -> Option<Remark>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_taken_up_to_a_length() {
        let check = |text: usize, calls: usize, arguments: usize, is_cut: bool| {
            let call = ToolCall::new("f", "ä".repeat(arguments / 2));
            let mut answer = Answer::free("ä".repeat(text / 2), "a model");
            answer.reply.tool_calls = vec![call; calls];
            let bounded = answer.clone().bounded();
            assert_eq!(bounded.reply.stop == FinishReason::Length, is_cut, "{text} {calls} {arguments}");
            assert_eq!(bounded == answer, !is_cut);
            let of_calls = bounded.reply.tool_calls.iter().map(|call| call.name.len() + call.arguments.len());
            assert!(bounded.reply.text.len() + of_calls.sum::<usize>() <= LONGEST_ANSWER);
            assert!(bounded.reply.tool_calls.len() <= MOST_CALLS);
        };
        check(0, 0, 0, false);
        check(LONGEST_ANSWER, 0, 0, false);
        check(LONGEST_ANSWER * 10, 0, 0, true);
        check(100, MOST_CALLS, 1_000, false);
        check(100, MOST_CALLS * 10, 10, true);
        check(0, 3, LONGEST_ANSWER * 10, true);
    }
}
