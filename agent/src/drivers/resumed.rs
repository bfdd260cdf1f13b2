//! A session that was interrupted, taken up again: what was asked and answered in it already is not asked anew.

use std::collections::VecDeque;

use async_trait::async_trait;
use patchwright_edits::{Edit, EditRules};
use patchwright_prompts::without_budget;
use patchwright_protocol::{ChatReply, Message, Remark, Usage, counted};
use patchwright_session::{Answer, Driver, DriverError, DriverProfile, Question, Sampling};
use patchwright_syntax::Project;
use patchwright_trajectory::{Event, Log, Purpose, RefusalReason, TrajectoryReadError};

use super::recording::recorded_answer;

/// Answers questions that an earlier session has asked with what it was answered, as long as the prompts are the same, and asks the driver
/// behind it everything else.
pub struct ResumedDriver {
    questions: VecDeque<AskedBefore>,
    behind: Box<dyn Driver>,
    notices: Vec<String>,
    /// Whether it was told that the session takes another way.
    is_told: bool,
}

/// Whether two prompts are the same but for what they say of the budget: a session may be resumed with another one.
fn are_same(one: &[Message], other: &[Message]) -> bool {
    let is_same = |(one, other): (&Message, &Message)| {
        (one.role, &one.turn, without_budget(&one.text))
            == (other.role, &other.turn, without_budget(&other.text))
    };
    one.len() == other.len() && one.iter().zip(other).all(is_same)
}

struct AskedBefore {
    purpose: Purpose,
    messages: Vec<Message>,
    answers: VecDeque<Answer>,
    /// What the model was told of an answer that was lost.
    lost: Option<String>,
}

impl ResumedDriver {
    /// Reads what `log` has asked and was answered.
    ///
    /// # Errors
    /// A prompt in it cannot be restored.
    pub fn new(log: &Log, behind: Box<dyn Driver>) -> Result<Self, TrajectoryReadError> {
        let mut questions: VecDeque<AskedBefore> = VecDeque::new();
        let mut prompts = log.prompts()?.into_iter();
        for record in &log.records {
            if let Event::Prompt { .. } = record.event
                && let Some(prompt) = prompts.next()
            {
                let (purpose, messages) = (prompt.purpose, prompt.messages);
                questions.push_back(AskedBefore { purpose, messages, answers: VecDeque::new(), lost: None });
            } else if let Some(answer) = recorded_answer(&record.event)
                && let Some(asked) = questions.back_mut()
            {
                // They were paid for then.
                let reply = ChatReply { usage: Some(Usage::default()), ..answer.reply };
                let free = Answer { reply, cost_usd: Some(0.0), seconds: Some(0.0) };
                asked.answers.push_back(free);
            } else if let Event::Refusal { reason: RefusalReason::Service, message, .. } = &record.event
                && let Some(asked) = questions.back_mut()
            {
                asked.lost = Some(message.clone());
            }
        }
        questions.retain(|asked| !asked.answers.is_empty() || asked.lost.is_some());
        Ok(Self { questions, behind, notices: Vec::new(), is_told: false })
    }

    /// The number of answers that are known.
    pub fn known(&self) -> usize {
        self.questions.iter().map(|asked| asked.answers.len()).sum()
    }

    /// Takes the recorded answers to a question.
    ///
    /// # Errors
    /// The answer was lost.
    fn take(&mut self, question: &Question<'_>) -> Result<Vec<Answer>, DriverError> {
        let is_same = |asked: &AskedBefore| {
            asked.purpose == question.purpose && are_same(&asked.messages, &question.prompt.messages)
        };
        let Some(at) = self.questions.iter().position(is_same) else {
            let left = self.known();
            if left > 0 && !self.is_told {
                self.is_told = true;
                let (cycle, left) = (question.cycle, counted(left, "answer"));
                self.notices.push(format!("cycle {cycle} asks something else than the recorded session: {left} of it may be of no use"));
            }
            return Ok(Vec::new());
        };
        let Some(mut asked) = self.questions.remove(at) else { return Ok(Vec::new()) };
        if asked.answers.is_empty()
            && let Some(message) = asked.lost.take()
        {
            return Err(DriverError::Lost(message));
        }
        let answers = asked.answers.drain(..question.count().min(asked.answers.len())).collect();
        // The same prompt was asked again after a reply that was cut off.
        if !asked.answers.is_empty() {
            self.questions.insert(at, asked);
        }
        Ok(answers)
    }
}

#[async_trait]
impl Driver for ResumedDriver {
    fn profile(&self) -> &DriverProfile {
        self.behind.profile()
    }

    fn begin(&mut self, project: &Project, rules: &EditRules) {
        self.behind.begin(project, rules);
    }

    async fn answer(&mut self, question: &Question<'_>) -> Result<Vec<Answer>, DriverError> {
        let mut answers = self.take(question)?;
        let count = question.count() - answers.len();
        if count > 0 {
            let sampling = question.sampling.map(|sampling| Sampling { count, ..sampling });
            answers.extend(self.behind.answer(&Question { sampling, ..*question }).await?);
        }
        Ok(answers)
    }

    fn notices(&mut self) -> Vec<String> {
        let mut notices = std::mem::take(&mut self.notices);
        notices.append(&mut self.behind.notices());
        notices
    }

    fn remark(&self, edits: &[Edit]) -> Option<Remark> {
        self.behind.remark(edits)
    }
}
