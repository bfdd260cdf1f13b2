//! The developer's fix as the driver: whether a benchmark's own answer is accepted here.

use async_trait::async_trait;
use patchwright_edits::{Edit, EditRules};
use patchwright_protocol::{Candidate, Remark, TestId};
use patchwright_session::{Answer, Driver, DriverError, DriverProfile, Memory, Question, WaitCategory};
use patchwright_syntax::Project;
use patchwright_trajectory::Purpose;
use serde_json::{Value, json};

use super::command;

/// The name in options and reports.
pub const NAME: &str = "golden";
/// Tests that are named where the fix is not accepted, at most.
const TESTS_NAMED: usize = 3;

/// Writes one known fix and finishes if it is plausible.
pub struct GoldenDriver {
    profile: DriverProfile,
    edits: Vec<Edit>,
}

impl GoldenDriver {
    /// A driver that knows this fix.
    pub fn new(edits: Vec<Edit>) -> Self {
        Self { profile: DriverProfile::free(NAME, WaitCategory::Model), edits }
    }

    fn next(&self, memory: &Memory) -> Result<Value, DriverError> {
        if let Some(refusal) = memory.notices.last().filter(|_| !memory.refusals.is_empty()) {
            return Err(DriverError::UsedUp(format!("the golden patch was refused: {refusal}")));
        }
        match memory.calls.last().map(|call| call.tool.as_str()) {
            None => Ok(command(
                "express_hypothesis",
                "",
                json!({ "hypothesis": "The developer's fix repairs the bug." }),
            )),
            Some("express_hypothesis") => Ok(command("write_fix", "", json!({ "edits": self.edits }))),
            Some(_) if memory.plausible.is_empty() => {
                let why = memory.tried_candidates.last().map_or_else(|| "not tried".to_owned(), refusal);
                Err(DriverError::UsedUp(format!("the golden patch is not accepted: {why}")))
            }
            Some(_) => {
                Ok(command("goal_accomplished", "", json!({ "reason": "The golden patch is accepted." })))
            }
        }
    }
}

/// The verdict, with the first tests that fail.
fn refusal(tried: &Candidate) -> String {
    let failing = tried.still_failing().iter().chain(tried.newly_failing());
    let failing: Vec<TestId> = failing.take(TESTS_NAMED).cloned().collect();
    let named = if failing.is_empty() { String::new() } else { format!(": {}", TestId::listed(&failing)) };
    tried.told() + &named
}

#[async_trait]
impl Driver for GoldenDriver {
    fn profile(&self) -> &DriverProfile {
        &self.profile
    }

    fn begin(&mut self, _project: &Project, _rules: &EditRules) {}

    async fn answer(&mut self, question: &Question<'_>) -> Result<Vec<Answer>, DriverError> {
        let text = match question.purpose {
            Purpose::Command => self.next(question.memory)?.to_string(),
            Purpose::Variants | Purpose::MethodBody | Purpose::Stage => return Ok(Vec::new()),
        };
        Ok(vec![Answer::free(text, NAME)])
    }

    fn notices(&mut self) -> Vec<String> {
        Vec::new()
    }

    fn remark(&self, _edits: &[Edit]) -> Option<Remark> {
        None
    }
}
