//! The session as a tool sees it: whoever decides can be asked, the budget is held, events are recorded.

mod asking;

use std::time::Instant;

use async_trait::async_trait;
use patchwright_prompts::{MethodBodyView, Recall, Task, VariantsView};
use patchwright_protocol::{
    BugEvidence, Candidate, Effort, Failure, PartialFix, RankedPatch, ReproducedBug, ReproductionOutcome,
    ReproductionRecord, Seconds, SessionResult, Status, StatusClass, TestCounts, TestId, listed,
};
use patchwright_tools::{MethodBodyRequest, SessionServices, TestedCandidate, VariantBasis};
use patchwright_trajectory::{Event, Purpose};
use patchwright_validation::Baseline;

use crate::answers::AnswerSettings;
use crate::baseline::PendingBaseline;
use crate::budget::Budget;
use crate::driver::Driver;
use crate::journal::Journal;
use crate::silent_cut::ShortCounts;
use crate::stop::Stop;

/// Tokens that a method body may have, as in the paper.
const METHOD_BODY_TOKENS: u32 = 4_000;
/// Tokens that one variant needs, of the diffs of single bugs.
const TOKENS_PER_VARIANT: u32 = 250;

/// Driver, budget and journal of a session.
pub struct SessionContext {
    /// Who answers.
    pub driver: Box<dyn Driver>,
    /// Where every event goes.
    pub journal: Journal,
    /// What may be spent, and what is.
    pub budget: Budget,
    /// How prompts are made.
    pub prompts: patchwright_prompts::PromptSettings,
    /// What replies may have.
    pub answers: AnswerSettings,
    /// How much a model is to reason before its next reply; `None` = as its service does by itself.
    pub effort: Option<Effort>,
    /// The driver has answered before, so that an address or a key cannot be what is wrong.
    pub(crate) is_answered: bool,
    /// Prompts that the service counted as much shorter than they are.
    pub(crate) short_counts: ShortCounts,
    /// The cycle that is under way, from 1; 0 before the first.
    pub cycle: u32,
    /// The bug as prompts tell of it.
    pub task: Task,
    /// Whether the driver can call `write_test`.
    pub offers_tests: bool,
    /// A reason to stop that came up while a tool was running.
    pub stop: Option<Stop>,
}

/// Outdated tests that the words of a result name; its field names all.
const OUTDATED_NAMED: usize = 5;
/// Options that a hint spells out, at most.
const OPTIONS: usize = 20;

/// What a session has found when it ends.
#[derive(Debug, Default)]
pub struct SessionOutcome {
    /// The hypothesis behind the answer; where there is none, that which stood at the end.
    pub hypothesis: Option<String>,
    /// The plausible candidates or, where there is none, the unverified ones; the answer first.
    pub patches: Vec<RankedPatch>,
    /// Is true if no test has shown that the first of them repairs the bug.
    pub is_unverified: bool,
    /// Why the first of them is the answer, or what is uncertain about it.
    pub why: Option<String>,
    /// Where there is no plausible candidate, the one that repairs the most.
    pub partial: Option<PartialFix>,
    /// Why no change of the project repairs all tests that show the bug, where that is so.
    pub out_of_reach: Option<String>,
    /// Tests that showed the bug.
    pub failing_before: u64,
}

impl SessionContext {
    /// Whether the driver has answered in this session, and not a recording for it: then an address or a key cannot be what is wrong.
    pub fn was_answered(&self) -> bool {
        self.is_answered
    }

    /// Tokens that the next reply may have.
    pub fn answer_tokens(&self) -> u32 {
        self.answers.tokens(self.effort)
    }

    /// The result of a session that was stopped like this. Whatever stopped it, a plausible patch that was found is the answer.
    pub fn result(&self, stop: &Stop, hint: Option<String>, outcome: SessionOutcome) -> SessionResult {
        let memory = self.journal.memory();
        let spent = self.budget.spent();
        let answer = outcome.patches.first();
        let outdated = answer
            .and_then(|answer| memory.candidate(answer.candidate)?.validation.as_ref())
            .map(|found| found.outdated.clone())
            .unwrap_or_default();
        let (status, reason) = if let Some(answer) = answer {
            let candidate = answer.candidate;
            let passes = answer.tests_run.as_ref().map(|ran| ran.told(self.reproduced_by(candidate)));
            let passes = passes.map(|told| format!(": {told}")).unwrap_or_default();
            let status = if outcome.is_unverified { Status::Unverified } else { Status::Plausible };
            let message = memory
                .candidate(candidate)
                .and_then(|candidate| candidate.validation.as_ref()?.message.as_deref());
            let doubt = match (outcome.is_unverified, outdated.as_slice()) {
                (false, _) => String::new(),
                (true, []) => {
                    let why = message.map(|why| format!(" ({why})")).unwrap_or_default();
                    format!("; no test has shown that it repairs the bug{why}")
                }
                (true, outdated) => format!(
                    "; what fails is {}, said to be outdated: only a person can tell whether the issue overrules what they ask for",
                    listed(outdated, OUTDATED_NAMED)
                ),
            };
            let why = outcome.why.map(|why| format!("; {why}")).unwrap_or_default();
            let ended =
                if stop.is_in_order() { String::new() } else { format!("; the session ended early: {stop}") };
            (status, format!("candidate {candidate}{passes}{doubt}{why}{ended}"))
        } else {
            let why = outcome.out_of_reach.map(|why| format!("; {why}"));
            (stop.status(), format!("{stop}{}", why.unwrap_or_default()))
        };
        let failing_after = match answer {
            Some(_) => outdated.len() as u64,
            None => memory.fewest_failing.unwrap_or(outcome.failing_before),
        };
        let partial = outcome.partial.filter(|_| answer.is_none()).map(Box::new);
        let written: Vec<TestId> =
            self.reproductions().into_iter().flat_map(|written| written.test.tests).collect();
        let is_separable = |partial: &&PartialFix| {
            let is_whole =
                partial.others_ran() && partial.broken.is_empty() && !partial.still_failing.is_empty();
            is_whole && !partial.repaired.iter().any(|test| written.contains(test))
        };
        let separable = partial.as_deref().filter(is_separable);
        let of_partial = separable.filter(|_| status.class() == StatusClass::Unfixed).map(|partial| {
            let candidate = partial.candidate;
            if partial.repaired.len() > OPTIONS {
                return format!("the tests that candidate {candidate} repairs stand in result.json: --failing takes them for the bug's");
            }
            let options = partial.options();
            format!("{options} takes the tests that candidate {candidate} repairs for those that show the bug")
        });
        SessionResult {
            status,
            reason,
            // What a limit is to be raised for is found; what is wrong with a provider stays so.
            hint: of_partial.or(hint.filter(|_| answer.is_none() || stop.status() == Status::Model)),
            partial,
            model: self.driver.profile().name.clone(),
            hypothesis: outcome.hypothesis,
            candidate: answer.map(|answer| answer.candidate),
            patch: answer.map(|answer| answer.patch.clone()),
            cycles: spent.cycles,
            candidates: memory.counts,
            tests: TestCounts { failing_before: outcome.failing_before, failing_after },
            tokens: spent.usage,
            cost_usd: spent.cost(),
            seconds: Seconds {
                total: self.budget.elapsed().as_secs_f64(),
                model: spent.model_seconds,
                planning: spent.planning_seconds,
                tests: spent.test_seconds,
                tools: spent.tool_seconds,
            },
            patches: outcome.patches,
            reproductions: self.reproductions(),
            outdated,
            written: None,
        }
    }

    /// The number of tests that reproduce the bug and pass with a candidate.
    fn reproduced_by(&self, candidate: u32) -> usize {
        self.reproductions().iter().filter(|test| test.passed_by.contains(&candidate)).count()
    }

    /// The tests that reproduce the bug and stand, with what they say of the candidates.
    fn reproductions(&self) -> Vec<ReproducedBug> {
        let memory = self.journal.memory();
        let with = |test: u32, passes: bool| {
            let outcome = ReproductionOutcome { test, passes };
            let said = |one: &&Candidate| one.reproductions().contains(&outcome);
            memory.tried_candidates.iter().filter(said).map(Candidate::id).collect()
        };
        memory
            .standing_reproductions()
            .map(|test| ReproducedBug {
                test: test.clone(),
                passed_by: with(test.id, true),
                failed_by: with(test.id, false),
            })
            .collect()
    }

    /// Waits for the tests before any change and, the first time, writes down what they came to. The time that is waited is the tests'.
    ///
    /// # Errors
    /// They could not be run, or the trajectory cannot be written.
    pub async fn join<'b>(&mut self, pending: &'b PendingBaseline) -> Result<&'b Baseline, Stop> {
        let waiting = Instant::now();
        let measured = pending.wait().await?;
        if !self.journal.memory().knows_tests {
            self.budget.spent_mut().test_seconds += waiting.elapsed().as_secs_f64();
            measured.record(&mut self.journal)?;
        }
        Ok(&measured.baseline)
    }
}

/// What stands above the declaration of a method: its comment and annotations.
fn documentation(request: &MethodBodyRequest) -> Option<String> {
    let declares = |line: &str| {
        let words = line.trim().trim_end_matches(['{', ':']).trim();
        !words.is_empty() && request.signature.contains(words)
    };
    let lines: Vec<_> =
        request.head.iter().map(|(_, line)| line.as_str()).take_while(|line| !declares(line)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[async_trait]
impl SessionServices for SessionContext {
    async fn variants(&mut self, basis: &VariantBasis, count: u32) -> Result<Option<String>, Failure> {
        let memory = self.journal.memory();
        let told = match self.prompts.recall {
            Recall::All => memory.tried_candidates.as_slice(),
            Recall::LastCycle => &[],
        };
        let others: Vec<_> =
            told.iter().filter(|candidate| candidate.id() != basis.candidate).cloned().collect();
        let view = VariantsView {
            task: &self.task,
            hypothesis: memory.hypothesis(),
            diff: &basis.diff,
            result: &basis.report,
            sources: &basis.original,
            tried: &others,
            count,
        };
        let prompt = patchwright_prompts::variants_prompt(&view, &self.prompts)?;
        let room = self.answer_tokens().max(count.saturating_mul(TOKENS_PER_VARIANT));
        self.ask_for_tool(Purpose::Variants, &prompt, room).await
    }

    async fn method_body(&mut self, request: &MethodBodyRequest) -> Result<Option<String>, Failure> {
        let text = |lines: &[(u32, String)]| {
            lines.iter().map(|(_, line)| line.as_str()).collect::<Vec<_>>().join("\n")
        };
        let documentation = documentation(request);
        let view = MethodBodyView {
            language: &request.language,
            path: &request.file_path,
            before: &text(&request.before),
            signature: &request.signature,
            documentation: documentation.as_deref(),
        };
        let prompt = patchwright_prompts::method_body_prompt(&view, &self.prompts)?;
        let room = self.answer_tokens().max(METHOD_BODY_TOKENS);
        self.ask_for_tool(Purpose::MethodBody, &prompt, room).await
    }

    fn candidate(&mut self, tested: &mut TestedCandidate) -> Result<(), Failure> {
        let TestedCandidate { candidate: Candidate { record, .. }, edits, .. } = tested;
        record.remark = self.driver.remark(edits);
        self.journal.record(Event::Candidate { cycle: self.cycle, candidate: record.clone() })?;
        Ok(())
    }

    fn verdict(&mut self, candidate: &TestedCandidate) -> Result<(), Failure> {
        let Some(result) = candidate.validation.clone() else {
            return Err(Failure::defect(format!("candidate {} has no verdict to record", candidate.id())));
        };
        self.budget.spent_mut().test_seconds += result.seconds;
        self.journal.record(Event::Verdict { cycle: self.cycle, candidate: candidate.id(), result })?;
        Ok(())
    }

    fn reproduction(&mut self, test: &ReproductionRecord) -> Result<(), Failure> {
        self.journal.record(Event::Reproduction { cycle: self.cycle, test: test.clone() })?;
        Ok(())
    }

    fn issue(&self) -> &str {
        self.task.issue.as_deref().unwrap_or_default()
    }

    fn evidence(&self) -> BugEvidence {
        self.journal.memory().evidence()
    }

    fn offers_tests(&self) -> bool {
        self.offers_tests
    }

    fn may_go_on(&self) -> bool {
        self.stop.is_none() && self.budget.deadline().is_none_or(|deadline| Instant::now() < deadline)
    }
}
