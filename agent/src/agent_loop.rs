//! One attempt at one bug by the loop. It is [`AgentLoop::cycle`]: prompt → reply → call → gate → tool → record.

mod asking;
mod reviewing;
mod written;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use futures_util::future::{BoxFuture, maybe_done};
use patchwright_edits::Edit;
use patchwright_prompts::PatternText;
use patchwright_protocol::{
    BugEvidence, ChatReply, Failure, FinishReason, Goal, PartialFix, SessionResult, Status, ToolOutcome,
    ToolSchema,
};
use patchwright_session::{
    Answer, Decision, Driver, Journal, Memory, Reviewer, Session, SessionContext, SessionOutcome, Spent,
    Stop, WaitCategory,
};
use patchwright_state_machine::State;
use patchwright_tools::interpretation::{self, InterpretedCall, Refusal, ReplyText, ToolShape};
use patchwright_tools::{
    CallContext, Candidates, Observation, Reproductions, SessionServices, Tool, ToolContext,
};
use patchwright_trajectory::{Event, RefusalReason, TrajectoryWriteError};
use patchwright_validation::Baseline;

use self::asking::{parts, reasoned_alone};
use crate::admission::{self, RejectedCall, STUCK_AFTER};
use crate::answers::ranked;
use crate::confirming::{Confirming, confirmation};
use crate::loop_setup::LoopSetup;
use crate::nearest;
use crate::pattern_texts::pattern_texts;

/// The tool that writes tests to reproduce the bug.
const WRITE_TEST: &str = "write_test";
/// The tool that ends a session with a candidate.
const FINISH: &str = "goal_accomplished";

/// One attempt at one bug.
pub struct AgentLoop<'a> {
    setup: LoopSetup<'a>,
    tools: Vec<Arc<dyn Tool>>,
    schemas: Arc<[ToolSchema]>,
    patterns: Vec<PatternText>,
    context: SessionContext,
    reviewer: Box<dyn Reviewer>,
    candidates: Candidates,
    reproductions: Reproductions,
    /// What candidates are measured by, once a call needed the tests before any change.
    known_tests: Option<Arc<Baseline>>,
    /// A candidate that passed so far and is being confirmed while somebody thinks about the next command.
    confirming: Option<Confirming<'a>>,
    /// What is waited for: it is booked when it ends, or the session before it.
    waiting: Option<Waiting>,
}

/// Something that a session waits for.
struct Waiting {
    /// What is waited for; `None` for an answer, of which the driver tells.
    category: Option<WaitCategory>,
    since: Instant,
    /// What was spent before.
    before: Spent,
}

impl<'a> AgentLoop<'a> {
    /// A session about to begin; `journal` already holds what happened before the first cycle, since `started`.
    pub fn new(
        setup: LoopSetup<'a>,
        driver: Box<dyn Driver>,
        reviewer: Box<dyn Reviewer>,
        journal: Journal,
        started: Instant,
    ) -> Self {
        let tools = patchwright_tools::of_goal(setup.tools.goal);
        let schemas = tools
            .iter()
            .filter(|tool| setup.machine.offers(tool.name()))
            .map(|tool| ToolSchema {
                name: tool.name().to_owned(),
                description: tool.description().to_owned(),
                parameters: tool.schema(setup.session.harness.spec().language),
                only_reads: tool.only_reads(),
            })
            .collect();
        let known_tests = setup.session.baseline.known().map(|known| Arc::new(known.baseline.clone()));
        let mut context = setup.session.begin(driver, journal, started);
        context.budget.spent_mut().test_seconds =
            setup.session.baseline.so_far().map_or(0.0, |tests| tests.seconds);
        context.offers_tests = setup.machine.offers(WRITE_TEST);
        let patterns = pattern_texts(&setup.session.task);
        let candidates = Candidates::default();
        Self {
            setup,
            tools,
            schemas,
            patterns,
            context,
            reviewer,
            candidates,
            reproductions: Reproductions::default(),
            known_tests,
            confirming: None,
            waiting: None,
        }
    }

    async fn cycles(&mut self) -> Stop {
        loop {
            if let Err(stop) = self.cycle().await {
                if stop.status() == Status::Cancelled {
                    return stop;
                }
                // What was found is not lost because nobody can be asked any more.
                self.wait_for(Some(WaitCategory::Tests));
                confirmation(&mut self.confirming).await;
                return self.conclude().err().unwrap_or(stop);
            }
        }
    }

    /// One cycle.
    async fn cycle(&mut self) -> Result<(), Stop> {
        self.context.cycle = self.context.budget.begin_cycle()?;
        let prompt = self.next_prompt().map_err(Failure::from)?;
        let answer = match self.ask(prompt).await {
            Ok(Some(answer)) => answer,
            Ok(None) => return self.pause(None).await,
            Err(stop) => return self.refuse(self.lost(stop)?),
        };
        self.carry_out_all(answer).await
    }

    /// Runs what a reply asks for. Of several native calls those that only read run in their order; the first that changes something is the
    /// last, as those behind it were written without knowing what comes of it.
    async fn carry_out_all(&mut self, answer: Answer) -> Result<(), Stop> {
        let mut parts = parts(answer);
        while let Some(part) = parts.pop_front() {
            let call = match self.read(part).await? {
                Ok(call) => call,
                Err(refused) => return self.refuse(refused),
            };
            let goes_on = self.tool(&call.tool).is_some_and(|tool| tool.only_reads());
            let tool = call.tool.clone();
            self.carry_out(call).await?;
            if parts.is_empty() || !self.context.journal.memory().refusals.is_empty() {
                break;
            }
            if !goes_on {
                let left = parts.iter().flat_map(|part| &part.reply.tool_calls).map(|call| call.name.clone());
                return self.refuse(RejectedCall::behind(&tool, left.collect()));
            }
        }
        Ok(())
    }

    /// Runs a call that was admitted, and what it asks to be done after it.
    async fn carry_out(&mut self, call: InterpretedCall) -> Result<(), Stop> {
        let mut next = Some(call);
        while let Some(call) = next.take() {
            let Some(call) = self.review(call).await? else { return Ok(()) };
            let Some((observation, seconds)) = self.call(&call).await? else {
                return self.pause(Some(call.tool)).await;
            };
            let finish = Self::finish(&observation.outcome);
            self.advance(&call, observation, seconds)?;
            next = finish.filter(|_| self.state().allows(FINISH));
            if let Some(call) = &next {
                self.record_call(call)?;
            }
        }
        Ok(())
    }

    /// The call by which a session ends, where the result of another asks for it.
    fn finish(outcome: &ToolOutcome) -> Option<InterpretedCall> {
        let ToolOutcome::Finish { reason, outdated_tests } = outcome else { return None };
        let mut arguments = serde_json::json!({ "reason": reason });
        if !outdated_tests.is_empty() {
            arguments["outdated_tests"] = outdated_tests.as_slice().into();
        }
        Some(InterpretedCall { tool: FINISH.to_owned(), arguments, thoughts: None })
    }

    /// The state in which the session stands.
    fn state(&self) -> &'a State {
        let machine = self.setup.machine;
        let name = self.context.journal.memory().state.as_deref();
        name.and_then(|name| machine.state(name)).unwrap_or_else(|| machine.start())
    }

    /// Lets a person say how to go on after an interruption; a tool that was running has not run.
    async fn pause(&mut self, tool: Option<String>) -> Result<(), Stop> {
        let decision = self.reviewer.resume().await;
        if let Some(event) = decision.event(self.context.cycle) {
            self.context.journal.record(event)?;
        }
        let what = tool.as_deref().unwrap_or("thinking about the next command");
        let message = match decision {
            Decision::Quit => return Err(Failure::cancelled().into()),
            Decision::Refuse(reason) => format!("The user interrupted {what}: {reason}"),
            Decision::Run | Decision::RunAlone | Decision::Edit(_) | Decision::Hint(_) => {
                format!("The user interrupted {what}; it has not run to its end.")
            }
        };
        self.refuse(RejectedCall { reason: RefusalReason::Person, tool, message })
    }

    /// Reads a reply as a call and decides whether it may run. The call is recorded either way.
    async fn read(&mut self, answer: Answer) -> Result<Result<InterpretedCall, RejectedCall>, Stop> {
        let cut = answer.reply.stop == FinishReason::Length;
        let reasoned = reasoned_alone(&answer.reply).then(|| answer.reply.reasoning.clone());
        let (schemas, matching) = (Arc::clone(&self.schemas), self.setup.matching);
        let project = self.setup.session.harness.project().clone();
        let read = patchwright_blocking::spawn(move |_| {
            let ChatReply { text, reasoning, tool_calls, .. } = &answer.reply;
            let text = if reasoned_alone(&answer.reply) { reasoning } else { text };
            let reply = ReplyText { text, tool_calls, cut };
            let shapes: Vec<_> =
                schemas.iter().map(|tool| ToolShape { name: &tool.name, schema: &tool.parameters }).collect();
            interpretation::interpret(&reply, &shapes, &matching, Some(&project))
        });
        let read = match read.await? {
            Ok(read) => read,
            Err(refusal) => {
                return Ok(Err(match (refusal, reasoned) {
                    (Refusal::NoCall, Some(reasoning)) => RejectedCall::only_reasoned(&reasoning),
                    (refusal, _) => RejectedCall::unread(&refusal, self.state()),
                }));
            }
        };
        let (tool, arguments) = (&read.call.tool, &read.call.arguments);
        let admitted = admission::admit(
            tool,
            arguments,
            self.state(),
            self.setup.machine,
            self.context.journal.memory(),
        );
        self.context.journal.record(Event::Call {
            cycle: self.context.cycle,
            tool: tool.clone(),
            arguments: arguments.clone(),
            thoughts: read.call.thoughts.clone(),
            repairs: read.repairs.iter().map(ToString::to_string).collect(),
        })?;
        Ok(admitted.map(|()| read.call))
    }

    /// Tells the model in the next prompt why nothing ran; too many refusals in a row end the session.
    fn refuse(&mut self, mut refused: RejectedCall) -> Result<(), Stop> {
        if let Some(words) = admission::repeated_refusal_notice(self.state(), self.context.journal.memory()) {
            refused.message = format!("{}\n{words}", refused.message);
        }
        let first_line = refused.message.lines().next().unwrap_or_default().to_owned();
        self.context.journal.record(Event::Refusal {
            cycle: self.context.cycle,
            reason: refused.reason,
            tool: refused.tool,
            message: refused.message,
        })?;
        match self.context.journal.memory().refusals.len() {
            count if count >= STUCK_AFTER => Err(Stop::Stuck(count, first_line)),
            _ => Ok(()),
        }
    }

    /// Records a call that no reply holds as it stands here.
    fn record_call(&mut self, call: &InterpretedCall) -> Result<(), TrajectoryWriteError> {
        self.context.journal.record(Event::Call {
            cycle: self.context.cycle,
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            thoughts: None,
            repairs: Vec::new(),
        })
    }

    fn tool(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.name() == name).map(Arc::clone)
    }

    /// Runs the tool; `None` when a person interrupted it.
    async fn call(&mut self, call: &InterpretedCall) -> Result<Option<(Observation, f64)>, Stop> {
        let Some(tool) = self.tool(&call.tool) else {
            let what = format!("the tool {} passed the gate but does not exist", call.tool);
            return Err(Failure::defect(what).into());
        };
        let started = Instant::now();
        if let Some(text) = new_hypothesis(call, self.context.journal.memory()) {
            self.context.journal.record(Event::Hypothesis { cycle: self.context.cycle, text })?;
        }
        self.wait_for(Some(WaitCategory::Tests));
        let memory = self.context.journal.memory();
        let evidence = memory.evidence();
        // The next state depends on whether a test shows the bug.
        let decides = !self.setup.issue_only
            && evidence != BugEvidence::FailingTests
            && self.setup.machine.depends_on_evidence(&self.state().name, &call.tool);
        let context = CallContext { spec: self.setup.session.harness.spec(), evidence };
        let needed = tool.needs_baseline(&call.arguments, &context);
        if needed || (decides && self.known_tests.is_none()) {
            let known = self.known_tests.clone();
            let known = tokio::select! {
                biased;
                () = self.reviewer.interrupted() => return Ok(None),
                known = Box::pin(nearest::known_tests(
                    &mut self.context,
                    &self.setup,
                    known.as_deref(),
                    &call.arguments,
                    needed,
                )) => known?,
            };
            if let Some(known) = known {
                self.known_tests = Some(Arc::new(self.reproductions.measure(&known)));
            }
        }
        self.wait_for(Some(WaitCategory::Tests));
        tokio::select! {
            biased;
            () = self.reviewer.interrupted() => return Ok(None),
            () = confirmation(&mut self.confirming) => {}
        }
        let refuted = self.conclude()?;
        self.wait_for(Some(if tool.runs_tests() { WaitCategory::Tests } else { WaitCategory::Tools }));
        let mut context = ToolContext {
            harness: self.setup.session.harness,
            known_tests: self.known_tests.clone(),
            candidates: &mut self.candidates,
            reproductions: &mut self.reproductions,
            session: &mut self.context,
            settings: &self.setup.tools,
            localization: self.setup.localization,
            origin: self.setup.origin,
        };
        let result = tokio::select! {
            biased;
            () = self.reviewer.interrupted() => None,
            result = tool.run(call.arguments.clone(), &mut context) => Some(result),
        };
        self.known_tests = context.known_tests;
        let seconds = started.elapsed().as_secs_f64();
        self.confirm_later();
        self.book();
        if let Some(stop) = self.context.stop.take() {
            return Err(stop);
        }
        let Some(result) = result else { return Ok(None) };
        let mut observation = result?;
        if let Some(refuted) = refuted {
            observation.text = format!("{refuted}\n{}", observation.text);
        }
        Ok(Some((observation, seconds)))
    }

    /// Begins to confirm the candidate that a tool left to be confirmed.
    fn confirm_later(&mut self) {
        let Some(baseline) = self.known_tests.clone() else { return };
        let Some((candidate, unconfirmed)) = self.candidates.take_unconfirmed() else { return };
        self.context.budget.spent_mut().test_seconds += unconfirmed.seconds();
        let harness = self.setup.session.harness;
        let measure = Arc::clone(&baseline);
        let work: BoxFuture<'a, _> = Box::pin(async move { harness.confirm(&measure, unconfirmed).await });
        self.confirming = Some(Confirming { candidate, baseline, validation: maybe_done(work) });
    }

    /// Takes in what the confirmation of a candidate came to; what a model has to be told if it failed. A verdict becomes known before a
    /// call and never before a prompt, so that prompts do not depend on how long the tests take.
    fn conclude(&mut self) -> Result<Option<String>, Stop> {
        let Some(Confirming { candidate, baseline, mut validation }) = self.confirming.take() else {
            return Ok(None);
        };
        let validation = Pin::new(&mut validation).take_output();
        let validation = validation.ok_or_else(|| Failure::defect("a confirmation was not waited for"))??;
        let concluded = self.candidates.conclude(candidate, &validation, &baseline, &self.setup.tools);
        let unknown = || Failure::defect(format!("candidate {candidate} was confirmed and is not known"));
        let (candidate, refuted) = concluded.ok_or_else(unknown)?;
        self.context.verdict(candidate)?;
        self.book();
        Ok(refuted)
    }

    /// Books what was waited for, and notes that something else is from now on.
    fn wait_for(&mut self, category: Option<WaitCategory>) {
        self.book();
        let before = *self.context.budget.spent();
        self.waiting = Some(Waiting { category, since: Instant::now(), before });
    }

    /// Books the seconds that were waited for something, less those that were booked for the model and the tests in the meantime.
    fn book(&mut self) {
        let Some(Waiting { category, since, before }) = self.waiting.take() else { return };
        let category = category.unwrap_or_else(|| self.context.driver.profile().wait_category);
        let spent = *self.context.budget.spent();
        let seconds = (since.elapsed().as_secs_f64() - (spent.waited() - before.waited())).max(0.0);
        // Candidates are tried side by side: what was waited for them is less than what each of them took.
        let tests = (spent.test_seconds - before.test_seconds).min(seconds);
        let own = seconds - tests;
        self.context.budget.spent_mut().test_seconds = before.test_seconds + tests;
        self.context.budget.wait(category, own);
    }

    /// Records what a call did, and moves the state machine by the tool's typed result.
    fn advance(
        &mut self,
        call: &InterpretedCall,
        observation: Observation,
        seconds: f64,
    ) -> Result<(), Stop> {
        let cycle = self.context.cycle;
        let from = self.state();
        let journal = &mut self.context.journal;
        journal.record(Event::Observation {
            cycle,
            tool: call.tool.clone(),
            text: observation.text,
            data: observation.data,
            outcome: observation.outcome.clone(),
            advance: observation.outcome.advances(),
            seconds,
        })?;
        if !observation.outcome.advances() {
            return Ok(());
        }
        if let ToolOutcome::HypothesisDiscarded { reason } = observation.outcome {
            journal.record(Event::HypothesisDiscarded { cycle, reason })?;
        }
        let evidence = journal.memory().evidence();
        let Some(to) = self.setup.machine.next(&from.name, &call.tool, evidence) else { return Ok(()) };
        if to.name != from.name {
            journal.record(Event::Transition { cycle, from: from.name.clone(), to: to.name.clone() })?;
        }
        if to.terminal { Err(Stop::Done) } else { Ok(()) }
    }

    /// Records where warm workers were wrong, and why they did not judge all candidates.
    fn note_workers(&mut self) -> Result<(), TrajectoryWriteError> {
        if self.candidates.all().is_empty() {
            return Ok(());
        }
        let report = self.setup.session.harness.worker_report();
        let journal = &mut self.context.journal;
        for wrong in &report.disagreements {
            journal.record(Event::warning(wrong.to_string()))?;
        }
        match report.why_off {
            Some(why) => journal.record(Event::info(format!("no warm workers: {why}"))),
            None => Ok(()),
        }
    }
}

#[async_trait]
impl Session for AgentLoop<'_> {
    async fn run(&mut self) -> Stop {
        let clock = self.context.budget.clock();
        let (harness, baseline) = (self.setup.session.harness, self.setup.session.baseline);
        let warmed_up = async {
            if let Ok(known) = baseline.wait().await {
                harness.start_worker(&known.baseline).await;
            }
            std::future::pending().await
        };
        let cycles = async {
            tokio::select! {
                biased;
                stop = self.cycles() => stop,
                stop = warmed_up => stop,
            }
        };
        Box::pin(clock.hold(cycles)).await.unwrap_or_else(Stop::Budget)
    }

    fn end(
        mut self: Box<Self>,
        stop: &Stop,
        hint: Option<String>,
    ) -> Result<(SessionResult, Vec<Edit>), TrajectoryWriteError> {
        self.book();
        self.note_workers()?;
        match self.setup.tools.goal {
            Goal::Fix => {}
            Goal::Test => return self.end_with_test(stop, hint),
        }
        let memory = self.context.journal.memory();
        let patches = ranked(&self.candidates);
        let hypothesis = match patches.first() {
            Some(answer) => memory.hypothesis_of(answer.candidate),
            None => memory.hypothesis(),
        };
        let known = self.known_tests.as_deref();
        let mut failing = known.map(|known| known.failing.clone()).unwrap_or_default();
        failing.extend(self.reproductions.standing().flat_map(|test| test.failing.iter().cloned()));
        let standing: Vec<u32> = self.reproductions.standing().map(|test| test.id).collect();
        let of_project = known.map_or(self.setup.session.task.failing.len(), |known| known.failing.len());
        let failing_before = of_project + self.reproductions.standing().count();
        let unconfirmed = self.confirming.as_ref().map(|Confirming { candidate, .. }| {
            format!("candidate {candidate} passes so far, but all tests were not through in a clean copy")
        });
        // Where a written test shows the bug, those of the project that were only supposed to have given way.
        let supposed = known.is_some_and(|known| known.supposed && !known.failing.is_empty());
        let why = supposed.then(|| {
            "that the tests which failed show what the issue tells of is supposed, since it names none of them".to_owned()
        });
        let outcome = SessionOutcome {
            hypothesis: hypothesis.map(str::to_owned),
            is_unverified: self.candidates.plausible().is_none(),
            patches,
            why,
            partial: PartialFix::best(&failing, self.candidates.judged_by(&standing)),
            out_of_reach: unconfirmed.or_else(|| known.and_then(Baseline::out_of_reach)),
            failing_before: failing_before as u64,
        };
        let plausible = outcome.patches.first().and_then(|first| self.candidates.get(first.candidate));
        let edits = plausible.map(|candidate| candidate.edits.clone()).unwrap_or_default();
        let result = self.context.result(stop, hint, outcome);
        Ok((self.context.journal.end(result)?, edits))
    }
}

/// The hypothesis that a call states, and that did not stand before.
fn new_hypothesis(call: &InterpretedCall, memory: &Memory) -> Option<String> {
    let text = call.arguments.get("hypothesis")?.as_str()?.trim();
    (!text.is_empty() && memory.hypothesis() != Some(text)).then(|| text.to_owned())
}
