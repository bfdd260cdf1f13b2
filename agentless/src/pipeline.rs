//! The pipeline: locate → repair → reproduce → validate → select, each stage once; where failing tests show the bug, validate comes before
//! reproduce.

mod judging;
mod known_tests;

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use patchwright_edits::Edit;
use patchwright_protocol::{Excerpt, PartialFix, RankedPatch, SessionResult, Verdict, decimal};
use patchwright_session::{
    Driver, DriverError, Journal, PendingBaseline, RecordedStages, Session, SessionOutcome, SessionSetup,
    Stages, Stop, WholeSuite,
};
use patchwright_test_results::TEST_COMMAND;
use patchwright_trajectory::TrajectoryWriteError;
use patchwright_validation::{Baseline, TestHarness};
use serde_json::json;

use crate::context::PipelineContext;
use crate::locate::{self, EmbeddingRanker, Located};
use crate::regression_choice::Regressions;
use crate::regressions::ExcludedTests;
use crate::repair::{self, Sample};
use crate::reproduce::Reproduction;
use crate::select::{self, CandidateScore};
use crate::settings::PipelineSettings;
use crate::validate::{self, SampledCandidate};

/// Bytes of tests that are shown beside the code to repair, and to whoever writes a reproduction test; and beside failing tests,
/// which show forms too.
const EXAMPLE_BYTES: usize = 6_000;
const FURTHER_EXAMPLE_BYTES: usize = 3_000;

/// What a session works on, and with what.
pub struct PipelineSetup<'a> {
    /// What every mode is given. The tests before any change may still run while the bug is located.
    pub session: SessionSetup<'a>,
    /// The numbers of the pipeline.
    pub settings: PipelineSettings,
    /// Who ranks files by meaning.
    pub meaning: EmbeddingRanker,
    /// Who says which tests each candidate is tried with.
    pub regressions: Regressions,
    /// What the stages of an earlier session found, to go on from there.
    pub earlier: RecordedStages,
}

/// One attempt at one bug by the fixed pipeline.
pub struct Pipeline<'a> {
    harness: &'a TestHarness,
    pending: &'a PendingBaseline,
    /// How long all tests are waited for.
    whole_suite: WholeSuite,
    /// The tests before any change, as far as they are known.
    baseline: Arc<Baseline>,
    settings: PipelineSettings,
    meaning: EmbeddingRanker,
    regressions: Regressions,
    stages: Stages,
    samples: Vec<Sample>,
    candidates: Vec<SampledCandidate>,
    excluded: ExcludedTests,
    reproduction: Reproduction,
}

impl<'a> Pipeline<'a> {
    /// A session about to begin; `journal` already holds what happened before the first stage, since `started`.
    pub fn new(
        setup: PipelineSetup<'a>,
        driver: Box<dyn Driver>,
        journal: Journal,
        started: Instant,
    ) -> Self {
        let mut context = setup.session.begin(driver, journal, started);
        let SessionSetup { harness, baseline: pending, whole_suite, .. } = setup.session;
        let known = pending.known();
        context.budget.spent_mut().test_seconds = known.map_or(0.0, |known| known.seconds);
        let baseline = Arc::new(known.map_or(Baseline::unknown(), |known| &known.baseline).clone());
        Self {
            harness,
            pending,
            whole_suite,
            baseline,
            settings: setup.settings,
            meaning: setup.meaning,
            regressions: setup.regressions,
            stages: Stages::new(context, setup.earlier),
            samples: Vec::new(),
            candidates: Vec::new(),
            excluded: ExcludedTests::default(),
            reproduction: Reproduction::default(),
        }
    }

    async fn all_stages(&mut self) -> Result<(), Stop> {
        let rules = self.harness.rules();
        let (harness, settings, known) = (self.harness, self.settings.clone(), Arc::clone(&self.baseline));
        let context = PipelineContext { harness, baseline: &known, rules: &rules, settings: &settings };
        let Located { sets, surroundings } =
            locate::locate(&mut self.stages, &context, &self.meaning).await?;
        let Some(likeliest) = sets.iter().rev().max_by_key(|set| set.votes) else {
            return Err(nothing("no place was found at which the bug could be"));
        };
        self.wait_for_tests().await?;
        let known = Arc::clone(&self.baseline);
        let context = PipelineContext { baseline: &known, ..context };
        let tests = surroundings.tests(&self.baseline.passing).await?;
        let bytes = if self.is_shown_by_tests() { FURTHER_EXAMPLE_BYTES } else { EXAMPLE_BYTES };
        let examples = tests.code(bytes).await?.excerpts;
        self.repair(&context, &sets, &examples).await?;
        if self.samples.iter().all(|sample| sample.edits.is_empty()) {
            return Err(nothing("none of the repairs that were drawn can be applied"));
        }
        let (candidates, repeated) = validate::distinct(&context, &self.samples).await?;
        self.candidates = candidates;
        self.measure_by_near().await?;
        let known = Arc::clone(&self.baseline);
        let context = PipelineContext { baseline: &known, ..context };
        self.exclude(&tests).await?;
        let shown = (likeliest, examples.as_slice());
        if self.is_shown_by_tests() {
            self.validate(&context, &repeated).await?;
            self.reproduce(shown).await?;
        } else {
            // Here a reproduction test says in a second what all tests take long to leave open.
            self.reproduce(shown).await?;
            validate::best_first(&mut self.candidates);
            self.validate(&context, &repeated).await?;
        }
        self.confirm().await?;
        self.select()
    }

    /// Is true if tests of the project's own show the bug.
    fn is_shown_by_tests(&self) -> bool {
        !self.baseline.failing.is_empty()
    }

    async fn repair(
        &mut self,
        context: &PipelineContext<'_>,
        sets: &[repair::Shown],
        tests: &[Excerpt],
    ) -> Result<(), Stop> {
        let arguments = json!({
            "sets": sets.len(),
            "samples": sets.iter().map(|set| set.votes * self.settings.repairs).sum::<usize>(),
            "temperature": decimal(self.settings.temperature),
        });
        let stage = self.stages.begin("repair", arguments)?;
        self.samples = match self.stages.earlier(&stage)? {
            Some(samples) => samples,
            None => repair::draw(&mut self.stages, context, sets, tests).await?,
        };
        let usable = self.samples.iter().filter(|sample| !sample.edits.is_empty()).count();
        let again = self.samples.iter().filter(|sample| sample.again).count();
        let text =
            format!("{} repairs drawn, {usable} can be applied, {again} asked for twice", self.samples.len());
        self.stages.finish(&stage, text, &self.samples)
    }

    fn select(&mut self) -> Result<(), Stop> {
        let stage = self.stages.begin("select", json!({ "candidates": self.candidates.len() }))?;
        let ranked = select::ranked(&self.scores());
        let first = ranked.first().map(|score| score.candidate);
        let why = first.zip(self.why(&ranked)).map(|(first, why)| format!("candidate {first}: {why}"));
        self.stages.finish(&stage, why.unwrap_or_default(), &ranked)?;
        if ranked.iter().any(|score| self.convinces(score)) {
            Ok(())
        } else if ranked.is_empty() || ranked.iter().any(|score| score.verdict.passes()) {
            Err(nothing("no candidate resolves what the issue tells of, as far as any test can show it"))
        } else {
            Err(nothing(&format!("none of {} different candidates passes the tests", ranked.len())))
        }
    }

    /// Is true if a candidate may be the answer.
    fn convinces(&self, score: &CandidateScore) -> bool {
        self.is_shown(score)
            && self.candidate(score.candidate).is_some_and(|candidate| candidate.fully_tested)
    }

    /// Is true if nothing speaks against a candidate: where reproduction tests show the bug, one of them has to speak for it.
    fn is_shown(&self, score: &CandidateScore) -> bool {
        let is_asked = !self.is_shown_by_tests() && !self.reproduction.tests.is_empty();
        score.verdict == Verdict::Plausible || (score.verdict == Verdict::Unverified && !is_asked)
    }

    /// Is true if there are passing tests with names; a command that counts as one test tells nothing by itself.
    fn has_tests(&self) -> bool {
        self.baseline.passing.iter().any(|test| test.as_str() != TEST_COMMAND)
    }

    /// The candidates that were judged: they stand before all others.
    fn judged(&self) -> impl Iterator<Item = &SampledCandidate> {
        self.candidates.iter().take_while(|candidate| candidate.is_judged())
    }

    fn scores(&self) -> Vec<CandidateScore> {
        self.judged().map(|candidate| candidate.score.clone()).collect()
    }

    /// See [`select::why`].
    fn why(&self, ranked: &[CandidateScore]) -> Option<String> {
        select::why(ranked, self.reproduction.tests.len(), self.candidates.len() - self.judged().count())
    }

    fn candidate(&self, number: u32) -> Option<&SampledCandidate> {
        self.candidates.iter().find(|candidate| candidate.score.candidate == number)
    }

    /// Why the answer is the answer, and what speaks for it.
    fn reason(&self, ranked: &[CandidateScore]) -> Option<String> {
        let mut reason = self.why(ranked)?;
        if !self.is_shown_by_tests() {
            let shown = match self.reproduction.why_none_runs() {
                Some(why) => format!("; no reproduction test runs ({why})"),
                None if self.reproduction.tests.is_empty() => "; no test shows the bug".to_owned(),
                None => String::new(),
            };
            reason.push_str(&shown);
        }
        Some(reason)
    }
}

/// The end of a session in which there is nothing to go on with.
fn nothing(why: &str) -> Stop {
    Stop::Driver(DriverError::UsedUp(why.to_owned()))
}

#[async_trait]
impl Session for Pipeline<'_> {
    async fn run(&mut self) -> Stop {
        let clock = self.stages.context.budget.clock();
        match Box::pin(clock.hold(self.all_stages())).await {
            Ok(ended) => ended.err().unwrap_or(Stop::Done),
            Err(over) => Stop::Budget(over),
        }
    }

    fn end(
        self: Box<Self>,
        stop: &Stop,
        hint: Option<String>,
    ) -> Result<(SessionResult, Vec<Edit>), TrajectoryWriteError> {
        let mut ranked = select::ranked(&self.scores());
        ranked.retain(|score| self.convinces(score));
        let tampers = |score: &CandidateScore| {
            self.candidate(score.candidate).is_some_and(|candidate| !candidate.tampering().is_empty())
        };
        ranked.sort_by_cached_key(tampers);
        let memory = self.stages.context.journal.memory();
        let known = |one: &SampledCandidate| memory.candidate(one.score.candidate);
        let patch = |one: &SampledCandidate| {
            let tampering = one.tampering().iter().map(ToString::to_string).collect();
            Some(RankedPatch::new(known(one)?, tampering))
        };
        let ranked_candidates = ranked.iter().filter_map(|score| self.candidate(score.candidate));
        let patches: Vec<RankedPatch> = ranked_candidates.filter_map(patch).collect();
        let winner = ranked.first().and_then(|first| self.candidate(first.candidate));
        let hypothesis = winner
            .and_then(|winner| self.samples.get(winner.score.first))
            .and_then(|sample| sample.why.clone());
        let edits = winner.map(|winner| winner.change.edits.clone()).unwrap_or_default();
        let outcome = SessionOutcome {
            hypothesis,
            is_unverified: ranked.first().is_some_and(|first| first.verdict == Verdict::Unverified),
            patches,
            why: self.reason(&ranked),
            partial: PartialFix::best(&self.baseline.failing, self.judged().filter_map(known)),
            out_of_reach: self.baseline.out_of_reach(),
            failing_before: self.baseline.failing.len() as u64,
        };
        let result = self.stages.context.result(stop, hint, outcome);
        Ok((self.stages.context.journal.end(result)?, edits))
    }
}
