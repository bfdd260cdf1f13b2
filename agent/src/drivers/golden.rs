//! The developer's fix as the driver: whether a benchmark's own answer is accepted here.

use async_trait::async_trait;
use patchwright_edits::Edit;
use patchwright_prompts::TriedCandidate;
use patchwright_protocol::Usage;
use patchwright_session::{Answer, Driver, DriverError, Memory, Question};
use patchwright_trajectory::Purpose;
use serde_json::{Value, json};

use super::command;

/// The name in options and reports.
pub const NAME: &str = "golden";

/// Writes one known fix and finishes if it is plausible.
pub struct GoldenDriver {
    edits: Vec<Edit>,
}

impl GoldenDriver {
    /// A driver that knows this fix.
    pub fn new(edits: Vec<Edit>) -> Self {
        Self { edits }
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
                let verdict = memory
                    .tried_candidates
                    .last()
                    .map_or_else(|| "not tried".to_owned(), TriedCandidate::verdict);
                Err(DriverError::UsedUp(format!("the golden patch is not accepted: {verdict}")))
            }
            Some(_) => {
                Ok(command("goal_accomplished", "", json!({ "reason": "The golden patch is accepted." })))
            }
        }
    }
}

#[async_trait]
impl Driver for GoldenDriver {
    fn name(&self) -> &'static str {
        NAME
    }

    async fn answer(&mut self, question: &Question<'_>) -> Result<Option<Answer>, DriverError> {
        let text = match question.purpose {
            Purpose::Command => self.next(question.memory)?.to_string(),
            Purpose::Variants | Purpose::MethodBody | Purpose::Stage => return Ok(None),
        };
        Ok(Some(Answer::free(text, NAME)))
    }

    fn worst_cost(&self, _worst: &Usage) -> Option<f64> {
        Some(0.0)
    }
}
