//! A recorded trajectory as the driver: its replies drive the loop again, with real tools and tests.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use patchwright_edits::{Edit, EditRules};
use patchwright_llm::ModelError;
use patchwright_protocol::{Remark, Status};
use patchwright_session::{Answer, Driver, DriverError, DriverProfile, Question, WaitCategory};
use patchwright_syntax::Project;
use patchwright_trajectory::{Change, Event, Log, Purpose, RefusalReason, TrajectoryReadError};

use serde_json::Value;

/// Why a trajectory cannot drive a session.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] TrajectoryReadError),
    /// There is nothing to replay.
    #[error("{0}: the trajectory holds no reply of a model, so it cannot drive a session")]
    NoReplies(PathBuf),
}

/// Answers each question with the reply that was recorded for it.
pub struct RecordedDriver {
    profile: DriverProfile,
    replies: VecDeque<Recorded>,
    /// What was said of candidates, with their edits.
    remarks: Vec<(Value, Remark)>,
    /// Cycles whose answer was lost, with what the model was told of it.
    lost: BTreeMap<u32, String>,
    /// What the service refused before it answered, by the cycle and the purpose of the question: the session asked in another form then.
    refused: Vec<(u32, Purpose, ModelError)>,
    /// How a session ends that has no further answer: as the recorded one, where a service, a limit or a person ended that.
    ended: Status,
}

struct Recorded {
    cycle: u32,
    purpose: Purpose,
    answer: Answer,
}

impl RecordedDriver {
    /// Reads the replies of `log`, which was read from `path`.
    pub fn new(log: &Log, path: &Path) -> Result<Self, RecordingError> {
        let replies: VecDeque<_> = log.records.iter().filter_map(|record| recorded(&record.event)).collect();
        if replies.is_empty() {
            return Err(RecordingError::NoReplies(path.to_owned()));
        }
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let remarks = log.records.iter().filter_map(|record| remarked(&record.event)).collect();
        // Replies are not paid for twice.
        let profile = DriverProfile::free(&format!("replay:{file}"), WaitCategory::Model);
        let lost = log.records.iter().filter_map(|record| lost(&record.event)).collect();
        let refused = refused(log);
        let ended = match log.records.last().map(|record| &record.event) {
            Some(Event::SessionEnded(result)) => ended_by(result.status),
            _ => Status::Stuck,
        };
        Ok(Self { profile, replies, remarks, lost, refused, ended })
    }

    /// The next reply, if it answers the question.
    fn next(&mut self, question: &Question<'_>) -> Option<Answer> {
        let fits =
            |recorded: &Recorded| recorded.cycle == question.cycle && recorded.purpose == question.purpose;
        self.replies.pop_front_if(|recorded| fits(recorded)).map(|recorded| recorded.answer)
    }
}

fn ended_by(status: Status) -> Status {
    match status {
        Status::Model | Status::Budget | Status::Cancelled => status,
        _ => Status::Stuck,
    }
}

fn refused(log: &Log) -> Vec<(u32, Purpose, ModelError)> {
    let refused = |event: &Event| {
        let Event::AskedAgain { cycle, purpose, error: message, change } = event else { return None };
        let message = message.clone();
        let error = match change {
            Change::Shortening { window, .. } => ModelError::ContextTooLong { message, window: *window },
            Change::LeavingTools { status } => ModelError::Refused { status: *status, message },
            // The answer that came at last is the recorded one.
            Change::Waiting { .. } | Change::Extending { .. } => return None,
        };
        Some((*cycle, *purpose, error))
    };
    log.records.iter().filter_map(|record| refused(&record.event)).collect()
}

fn lost(event: &Event) -> Option<(u32, String)> {
    match event {
        Event::Refusal { cycle, reason: RefusalReason::Service, message, .. } => {
            Some((*cycle, message.clone()))
        }
        _ => None,
    }
}

fn remarked(event: &Event) -> Option<(Value, Remark)> {
    let Event::Candidate { candidate, .. } = event else { return None };
    Some((candidate.edits.clone(), candidate.remark.clone()?))
}

fn recorded(event: &Event) -> Option<Recorded> {
    let Event::Reply { cycle, purpose, .. } = event else { return None };
    Some(Recorded { cycle: *cycle, purpose: *purpose, answer: recorded_answer(event)? })
}

/// The answer that an event records.
pub(super) fn recorded_answer(event: &Event) -> Option<Answer> {
    let Event::Reply { reply, cost_usd, seconds, .. } = event else { return None };
    Some(Answer { reply: reply.clone(), cost_usd: *cost_usd, seconds: Some(*seconds) })
}

#[async_trait]
impl Driver for RecordedDriver {
    fn profile(&self) -> &DriverProfile {
        &self.profile
    }

    fn begin(&mut self, _project: &Project, _rules: &EditRules) {}

    async fn answer(&mut self, question: &Question<'_>) -> Result<Vec<Answer>, DriverError> {
        let is_of = |(cycle, purpose, _): &(u32, Purpose, ModelError)| {
            *cycle == question.cycle && *purpose == question.purpose
        };
        if let Some(at) = self.refused.iter().position(is_of) {
            return Err(DriverError::Model(self.refused.remove(at).2));
        }
        // Some may have failed when it was recorded: those that came are all there are.
        let answers: Vec<Answer> =
            std::iter::from_fn(|| self.next(question)).take(question.count()).collect();
        match question.purpose {
            Purpose::Command if answers.is_empty() && self.lost.contains_key(&question.cycle) => {
                Err(DriverError::Lost(self.lost.remove(&question.cycle).unwrap_or_default()))
            }
            Purpose::Command | Purpose::Stage if answers.is_empty() => {
                Err(DriverError::RecordingEnded { cycle: question.cycle, status: self.ended })
            }
            // Where there is none, the recorded driver declined, or the session took another way.
            Purpose::Command | Purpose::Stage | Purpose::Variants | Purpose::MethodBody => Ok(answers),
        }
    }

    fn notices(&mut self) -> Vec<String> {
        Vec::new()
    }

    fn remark(&self, edits: &[Edit]) -> Option<Remark> {
        let edits = serde_json::to_value(edits).ok()?;
        self.remarks.iter().find(|(recorded, _)| *recorded == edits).map(|(_, remark)| remark.clone())
    }
}
