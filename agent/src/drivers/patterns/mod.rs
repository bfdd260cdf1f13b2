//! The built-in fix patterns as the driver: it needs no model, no key and no network.
//!
//! It goes the way that a model is asked to go: it reads the localisation, states a hypothesis for each suspicious method,
//! tries the edits that the patterns propose there, discards the hypothesis when they are used up, and finishes once a
//! plausible candidate exists. The first edit of a hypothesis is its fix, the next ones are that fix's variants, so that they are
//! validated in all lanes at once.

mod planner;

use async_trait::async_trait;
use patchwright_edits::{Edit, EditRules};
use patchwright_patterns::{Proposal, SuspiciousLine};
use patchwright_protocol::{BY_PATTERNS, Remark};
use patchwright_session::{Answer, Driver, DriverError, DriverProfile, Memory, Question, WaitCategory};
use patchwright_syntax::Project;
use patchwright_trajectory::{Purpose, RefusalReason};
use serde::Deserialize;
use serde_json::{Value, json};

use super::command;
use planner::{Hypothesis, IngredientGatherer, Planner};

/// Hypotheses that are tried after the first plausible candidate of a kind that often fits the tests and nothing else, in the
/// hope of a better one.
const PATIENCE: usize = 12;

/// Edits that are tried before all tests are asked where the bug is, if only some were at first.
const BEFORE_ALL_TESTS: usize = 288;

/// Asks for what the fix patterns propose.
pub struct PatternDriver {
    profile: DriverProfile,
    /// Variants of a fix, at most.
    variants: usize,
    gatherer: Option<IngredientGatherer>,
    planner: Option<Planner>,
    hypothesis: Option<Hypothesis>,
    /// What was proposed, by its edits, for [`Driver::remark`].
    proposed: Vec<(Vec<Edit>, Remark)>,
    /// Hypotheses since the first plausible candidate.
    waited: usize,
    /// Is true if there is more to know of where the bug is.
    partial: bool,
}

/// What this driver reads of the typed result of `run_fault_localization`.
#[derive(Default, Deserialize)]
struct Localized {
    lines: Vec<SuspiciousLine>,
    #[serde(default)]
    partial: bool,
}

impl PatternDriver {
    /// A driver that gives `variants` variants of a fix at most.
    pub fn new(variants: u32) -> Self {
        Self {
            profile: DriverProfile::free(BY_PATTERNS, WaitCategory::Planning),
            variants: variants as usize,
            gatherer: None,
            planner: None,
            hypothesis: None,
            proposed: Vec::new(),
            waited: 0,
            partial: false,
        }
    }

    /// The next command, by what ran last.
    async fn command(&mut self, memory: &Memory) -> Result<Value, DriverError> {
        // What a person stopped is passed over.
        let refused = memory.refusals.last().is_some_and(|last| last.reason != RefusalReason::Person);
        if let Some(refusal) = memory.notices.last().filter(|_| refused) {
            let reason =
                format!("the fix patterns cannot go on, because a command of theirs was refused: {refusal}");
            return Err(DriverError::UsedUp(reason));
        }
        match memory.calls.last().map(|call| call.tool.as_str()) {
            None => Ok(locate()),
            Some("run_fault_localization") => {
                self.set_out(&memory.last_data)?;
                self.express().await
            }
            Some("express_hypothesis") => self.write_fix(),
            Some("write_fix") => {
                if let Some(good) = memory.plausible.iter().find(|id| !is_marked(memory, **id)) {
                    return Ok(finish(memory, *good));
                }
                if self.hypothesis.as_ref().is_some_and(|hypothesis| !hypothesis.proposals.is_empty()) {
                    return self.write_fix();
                }
                let marked = memory.plausible.first();
                if let Some(marked) = marked
                    && (self.waited >= PATIENCE || self.is_over().await?)
                {
                    return Ok(finish(memory, *marked));
                }
                self.waited += usize::from(marked.is_some());
                Ok(self.discard())
            }
            Some(_) => self.express().await,
        }
    }

    async fn is_over(&mut self) -> Result<bool, DriverError> {
        match &mut self.planner {
            Some(planner) => planner.is_over().await,
            None => Ok(true),
        }
    }

    /// Begins to plan by the localisation.
    fn set_out(&mut self, data: &Value) -> Result<(), DriverError> {
        let Localized { lines, partial } = Localized::deserialize(data).unwrap_or_default();
        self.partial = partial;
        let Some(gatherer) = &self.gatherer else {
            return Err(DriverError::UsedUp("the fix patterns were not told of a project".to_owned()));
        };
        if lines.is_empty() {
            return Err(DriverError::UsedUp(
                "no line is suspected, so the fix patterns have no place to begin at".to_owned(),
            ));
        }
        let tried = self.proposed.iter().flat_map(|(edits, _)| edits.clone()).collect();
        let stated = self.planner.take().map_or(0, |planner| planner.stated());
        self.planner = Some(Planner::start(gatherer, lines, tried, stated));
        Ok(())
    }

    async fn express(&mut self) -> Result<Value, DriverError> {
        let Some(planner) = &mut self.planner else {
            return Err(DriverError::UsedUp("there is no plan to go on with".to_owned()));
        };
        if self.partial && self.proposed.len() >= BEFORE_ALL_TESTS {
            return Ok(locate());
        }
        let Some(hypothesis) = planner.next().await? else {
            return Err(DriverError::UsedUp(planner.farewell()));
        };
        let command =
            command("express_hypothesis", &hypothesis.why, json!({ "hypothesis": hypothesis.text }));
        self.hypothesis = Some(hypothesis);
        Ok(command)
    }

    fn write_fix(&mut self) -> Result<Value, DriverError> {
        let next = self.hypothesis.as_mut().and_then(|hypothesis| hypothesis.proposals.pop_front());
        let Some(proposal) = next else {
            return Err(DriverError::UsedUp("a hypothesis without proposals was stated".to_owned()));
        };
        let thoughts = format!("{}: {}.", proposal.pattern.name, proposal.what);
        let edits = self.note(proposal);
        Ok(command("write_fix", &thoughts, json!({ "edits": edits })))
    }

    /// The variants of a fix: the next proposals of the hypothesis.
    fn variants(&mut self) -> Value {
        let Some(hypothesis) = &mut self.hypothesis else { return json!([]) };
        let count = self.variants.min(hypothesis.proposals.len());
        let proposals: Vec<Proposal> = hypothesis.proposals.drain(..count).collect();
        proposals.into_iter().map(|proposal| json!({ "edits": self.note(proposal) })).collect()
    }

    /// Keeps what there is to say of a proposal; gives its edits.
    fn note(&mut self, proposal: Proposal) -> Vec<Edit> {
        let remark = Remark {
            pattern: proposal.pattern.name.to_owned(),
            what: proposal.what,
            place: format!("{}:{}", proposal.path, proposal.line),
            overfit: proposal.overfit.map(|overfit| overfit.name().to_owned()),
        };
        let edits = vec![proposal.edit];
        self.proposed.push((edits.clone(), remark));
        edits
    }

    fn discard(&mut self) -> Value {
        let tried = self.hypothesis.take().map_or(0, |hypothesis| hypothesis.count);
        let reason = format!("None of the {tried} edits that the patterns propose there repairs the bug.");
        command("discard_hypothesis", "", json!({ "reason": reason }))
    }
}

fn locate() -> Value {
    command("run_fault_localization", "Where is the bug likely to be?", json!({}))
}

fn finish(memory: &Memory, candidate: u32) -> Value {
    let what = remark_on(memory, candidate).map_or_else(String::new, |remark| {
        format!(" It is the pattern `{}` at {}: {}.", remark.pattern, remark.place, remark.what)
    });
    let reason = format!("Candidate {candidate} is plausible.{what}");
    command("goal_accomplished", "", json!({ "reason": reason, "candidate": candidate }))
}

fn remark_on(memory: &Memory, candidate: u32) -> Option<&Remark> {
    memory.candidate(candidate)?.record.remark.as_ref()
}

fn is_marked(memory: &Memory, candidate: u32) -> bool {
    remark_on(memory, candidate).is_some_and(|remark| remark.overfit.is_some())
}

#[async_trait]
impl Driver for PatternDriver {
    fn profile(&self) -> &DriverProfile {
        &self.profile
    }

    fn begin(&mut self, project: &Project, rules: &EditRules) {
        self.gatherer = Some(IngredientGatherer::open(project, rules));
    }

    async fn answer(&mut self, question: &Question<'_>) -> Result<Vec<Answer>, DriverError> {
        let reply = match question.purpose {
            Purpose::Command => self.command(question.memory).await?,
            Purpose::Variants => self.variants(),
            Purpose::MethodBody | Purpose::Stage => return Ok(Vec::new()),
        };
        Ok(vec![Answer::free(reply.to_string(), BY_PATTERNS)])
    }

    fn notices(&mut self) -> Vec<String> {
        Vec::new()
    }

    fn remark(&self, edits: &[Edit]) -> Option<Remark> {
        self.proposed.iter().rev().find(|(proposed, _)| proposed == edits).map(|(_, remark)| remark.clone())
    }
}
