//! The pipeline: locate → repair → validate → reproduce → select, each stage once.

use std::time::Instant;

use async_trait::async_trait;
use patchwright_edits::Edit;
use patchwright_llm::decimal;
use patchwright_prompts::{Excerpt, Task};
use patchwright_protocol::{PartialFix, RankedPatch, SessionResult, Verdict};
use patchwright_session::{
    Budget, Driver, DriverError, Journal, Limits, Session, SessionContext, SessionOutcome, Stop,
};
use patchwright_testbed::{Baseline, TEST_COMMAND, TestBed};
use patchwright_trajectory::{Event, TrajectoryWriteError};
use serde_json::json;

use crate::context::PipelineContext;
use crate::locate::{self, EmbeddingRanker, Located};
use crate::regression_choice::{self, Regressions};
use crate::regressions::{self, ExcludedTests};
use crate::repair::{self, Sample};
use crate::reproduce::{self, Bench, Reproduction};
use crate::select::{self, CandidateScore};
use crate::settings::PipelineSettings;
use crate::stage::{RecordedStages, Stages};
use crate::validate::{self, Candidate};

/// What a session works on, and with what.
pub struct PipelineSetup<'a> {
    /// The test bed, with the project in it.
    pub bed: &'a TestBed,
    /// The tests before any change.
    pub baseline: &'a Baseline,
    /// The seconds that they took.
    pub baseline_seconds: f64,
    /// The bug as prompts tell of it.
    pub task: Task,
    /// The numbers of the pipeline.
    pub settings: PipelineSettings,
    /// Who ranks files by meaning.
    pub meaning: EmbeddingRanker,
    /// Who says which tests each candidate is tried with.
    pub regressions: Regressions,
    /// How prompts are made.
    pub prompts: patchwright_prompts::PromptSettings,
    /// Tokens a repair or a test may have.
    pub max_output_tokens: u32,
    /// What may be spent.
    pub limits: Limits,
    /// What the stages of an earlier session found, to go on from there.
    pub earlier: RecordedStages,
}

/// One attempt at one bug by the fixed pipeline.
pub struct Pipeline<'a> {
    bed: &'a TestBed,
    baseline: &'a Baseline,
    settings: PipelineSettings,
    meaning: EmbeddingRanker,
    regressions: Regressions,
    stages: Stages,
    samples: Vec<Sample>,
    candidates: Vec<Candidate>,
    excluded: ExcludedTests,
    reproduction: Reproduction,
}

impl<'a> Pipeline<'a> {
    /// A session about to begin; `journal` already holds what happened before the first stage, since `started`.
    pub fn new(
        setup: PipelineSetup<'a>,
        mut driver: Box<dyn Driver>,
        journal: Journal,
        started: Instant,
    ) -> Self {
        driver.begin(setup.bed.project(), &setup.bed.rules());
        let mut budget = Budget::new(setup.limits, started);
        budget.spent_mut().test_seconds = setup.baseline_seconds;
        let context =
            SessionContext::new(driver, journal, budget, setup.prompts, setup.max_output_tokens, setup.task);
        Self {
            bed: setup.bed,
            baseline: setup.baseline,
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
        let rules = self.bed.rules();
        let (bed, baseline, settings) = (self.bed, self.baseline, self.settings.clone());
        let context = PipelineContext { bed, baseline, rules: &rules, settings: &settings };
        let Located { sets, skeletons } = locate::locate(&mut self.stages, &context, &self.meaning).await?;
        if sets.is_empty() {
            return Err(nothing("no place was found at which the bug could be"));
        }
        self.repair(&context, &sets).await?;
        if self.samples.iter().all(|sample| sample.edits.is_empty()) {
            return Err(nothing("none of the repairs that were drawn can be applied"));
        }
        self.exclude().await?;
        self.validate(&context).await?;
        self.reproduce(&skeletons).await?;
        self.confirm().await?;
        self.select()
    }

    async fn repair(&mut self, context: &PipelineContext<'_>, sets: &[repair::Shown]) -> Result<(), Stop> {
        let arguments = json!({
            "sets": sets.len(),
            "samples": sets.iter().map(|set| set.votes * self.settings.repairs).sum::<usize>(),
            "temperature": decimal(self.settings.temperature),
        });
        let stage = self.stages.begin("repair", arguments)?;
        self.samples = match self.stages.earlier(&stage)? {
            Some(samples) => samples,
            None => repair::draw(&mut self.stages, context, sets).await?,
        };
        let usable = self.samples.iter().filter(|sample| !sample.edits.is_empty()).count();
        let again = self.samples.iter().filter(|sample| sample.again).count();
        let text =
            format!("{} repairs drawn, {usable} can be applied, {again} asked for twice", self.samples.len());
        self.stages.finish(&stage, text, &self.samples)
    }

    /// Which passing tests need not go on to pass. Where failing tests show the bug, all must.
    async fn exclude(&mut self) -> Result<(), Stop> {
        if !self.baseline.failing.is_empty() || !self.has_tests() {
            return Ok(());
        }
        let stage = self.stages.begin("regressions", json!({ "tests": self.baseline.passing.len() }))?;
        self.excluded = match self.stages.earlier(&stage)? {
            Some(excluded) => excluded,
            None => regressions::ask(&mut self.stages, self.baseline, &self.settings).await?,
        };
        let text = format!(
            "{} of {} passing tests check the behaviour that is wrong{}",
            self.excluded.tests.len(),
            self.baseline.passing.len(),
            match (self.excluded.not_shown, self.excluded.refused) {
                (0, 0) => String::new(),
                (0, refused) => format!("; {refused} were named, which is too many, so all must pass"),
                (hidden, _) => format!("; {hidden} were not shown and must pass"),
            }
        );
        self.stages.finish(&stage, text, &self.excluded)
    }

    /// What candidates are measured by: where all tests take too long for each of them, those that they may break.
    async fn choose(
        &mut self,
        context: &PipelineContext<'_>,
        candidates: &[Candidate],
    ) -> Result<Baseline, Stop> {
        let baseline = self.excluded.from(self.baseline);
        if !self.regressions.chooses(context, &baseline) {
            return Ok(baseline);
        }
        let seconds = self.settings.regression_time.as_secs();
        let arguments = json!({ "tests": baseline.passing.len(), "seconds": seconds });
        let stage = self.stages.begin(regression_choice::STAGE, arguments)?;
        let chosen = self.regressions.choose(context, &baseline, candidates).await?;
        let text = format!(
            "{} tests for each candidate, those likeliest to break first; {} others for the answer alone",
            chosen.tests.len(),
            chosen.left_out
        );
        self.stages.finish(&stage, text, &chosen)?;
        Ok(chosen.from(&baseline))
    }

    /// Where candidates were tried with some of the tests, the answer has to pass all.
    async fn confirm(&mut self) -> Result<(), Stop> {
        if self.candidates.iter().all(|candidate| candidate.fully_tested) {
            return Ok(());
        }
        let baseline = self.excluded.from(self.baseline);
        let stage = self.stages.begin("confirm", json!({ "tests": baseline.passing.len() }))?;
        let (cycle, mut tried) = (self.stages.context.cycle, 0);
        while let Some(place) = self.first_in_doubt() {
            let began = Instant::now();
            let journal = &mut self.stages.context.journal;
            let candidate = &mut self.candidates[place];
            let judged = validate::confirm(journal, cycle, self.bed, &baseline, candidate).await;
            self.stages.context.budget.spent_mut().test_seconds += began.elapsed().as_secs_f64();
            judged?;
            tried += 1;
        }
        let text = format!("{tried} of {} candidates tried with all tests", self.candidates.len());
        self.stages.finish(&stage, text, &self.scores())
    }

    /// The place of the candidate that would be the answer, while not all tests have spoken for it.
    fn first_in_doubt(&self) -> Option<usize> {
        let ranked = select::ranked(&self.scores());
        let first = ranked.iter().find(|score| self.is_shown(score))?.candidate;
        self.candidates
            .iter()
            .position(|candidate| candidate.score.candidate == first && !candidate.fully_tested)
    }

    async fn validate(&mut self, context: &PipelineContext<'_>) -> Result<(), Stop> {
        let drawn = validate::distinct(context, &self.samples).await?;
        let baseline = self.choose(context, &drawn.0).await?;
        let stage = self.stages.begin("validate", json!({ "lanes": self.bed.lanes() }))?;
        let began = Instant::now();
        let cycle = self.stages.context.cycle;
        let journal = &mut self.stages.context.journal;
        let judged =
            validate::validate(journal, cycle, self.bed, &baseline, drawn, &mut self.candidates).await;
        self.stages.context.budget.spent_mut().test_seconds += began.elapsed().as_secs_f64();
        judged?;
        let scores = self.scores();
        let plausible = scores.iter().filter(|score| score.verdict == Verdict::Plausible).count();
        let usable = self.samples.iter().filter(|sample| !sample.edits.is_empty()).count();
        let text = format!("{usable} repairs, {} different, {plausible} plausible", scores.len());
        self.stages.finish(&stage, text, &scores)
    }

    /// Tests that show what the issue says, and what the best candidates make of them.
    async fn reproduce(&mut self, files: &[Excerpt]) -> Result<(), Stop> {
        let best = select::best_tested(&self.scores());
        if self.stages.context.task.issue.is_none() || self.settings.tests == 0 || best.is_empty() {
            return Ok(());
        }
        let bench = match Bench::of(self.bed, self.baseline, &self.settings) {
            Ok(bench) => bench,
            Err(why) => {
                let text = format!("no reproduction tests: {why}");
                return self.stages.context.journal.record(Event::info(text)).map_err(Stop::from);
            }
        };
        let arguments =
            json!({ "samples": self.settings.tests, "temperature": decimal(self.settings.temperature) });
        let stage = self.stages.begin("reproduce", arguments)?;
        self.reproduction = match self.stages.earlier(&stage)? {
            Some(found) => found,
            None => match reproduce::draw(&mut self.stages, bench, files, &self.settings).await {
                // A candidate that passes the project's own tests is an answer without them.
                Err(Stop::Budget(why)) => {
                    let text = format!("no reproduction tests: {why}");
                    self.stages.context.journal.record(Event::warning(text))?;
                    Reproduction::default()
                }
                found => found?,
            },
        };
        let tests = &self.reproduction.tests;
        if !tests.is_empty() {
            for place in best {
                let candidate = &mut self.candidates[place];
                let resolved =
                    reproduce::resolved(&mut self.stages, bench, &candidate.change.edits, tests).await?;
                candidate.score.resolved = Some(resolved);
            }
        }
        let found = &self.reproduction;
        let text = format!(
            "{} tests drawn, {} different, {} show the bug in the original, {} kept",
            found.drawn,
            found.distinct,
            found.reproducing,
            found.tests.len()
        );
        self.stages.finish(&stage, text, found)
    }

    fn select(&mut self) -> Result<(), Stop> {
        let stage = self.stages.begin("select", json!({ "candidates": self.candidates.len() }))?;
        let ranked = select::ranked(&self.scores());
        let why = select::why(&ranked, self.reproduction.tests.len()).unwrap_or_default();
        self.stages.finish(&stage, why, &ranked)?;
        if ranked.iter().any(|score| self.convinces(score)) {
            Ok(())
        } else if ranked.iter().any(|score| score.verdict == Verdict::Plausible) {
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

    /// Is true if a candidate is shown to repair the bug, as far as tests were run. Where no failing test shows it, a reproduction test must have, if
    /// there is one; and where there is none, some test of the project's own has to speak for it.
    fn is_shown(&self, score: &CandidateScore) -> bool {
        let shown = if !self.baseline.failing.is_empty() {
            true
        } else if self.reproduction.tests.is_empty() {
            self.has_tests()
        } else {
            score.resolved.is_some_and(|resolved| resolved > 0)
        };
        score.verdict == Verdict::Plausible && shown
    }

    /// Is true if there are passing tests with names; a command that counts as one test tells nothing by itself.
    fn has_tests(&self) -> bool {
        self.baseline.passing.iter().any(|test| test.as_str() != TEST_COMMAND)
    }

    fn scores(&self) -> Vec<CandidateScore> {
        self.candidates.iter().map(|candidate| candidate.score.clone()).collect()
    }

    fn candidate(&self, number: u32) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| candidate.score.candidate == number)
    }

    /// Why the answer is the answer, and what speaks for it.
    fn reason(&self, ranked: &[CandidateScore]) -> Option<String> {
        let mut reason = select::why(ranked, self.reproduction.tests.len())?;
        if self.baseline.failing.is_empty() {
            let shown = if self.reproduction.tests.is_empty() { "no test shows the bug; " } else { "" };
            let named = self.baseline.passing.iter().filter(|test| test.as_str() != TEST_COMMAND).count();
            let passing = named.saturating_sub(self.excluded.tests.len());
            reason.push_str(&format!("; {shown}{passing} tests that passed before go on to pass"));
            if !self.excluded.tests.is_empty() {
                reason.push_str(&format!(
                    ", {} that check the old behaviour are left out",
                    self.excluded.tests.len()
                ));
            }
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
        match clock.hold(self.all_stages()).await {
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
            self.candidate(score.candidate)
                .is_some_and(|candidate| !candidate.change.applied.tampering().is_empty())
        };
        ranked.sort_by_cached_key(tampers);
        let patches: Vec<RankedPatch> = ranked
            .iter()
            .filter_map(|score| self.candidate(score.candidate))
            .map(|candidate| RankedPatch {
                candidate: candidate.score.candidate,
                patch: candidate.change.applied.diff(),
                remark: None,
                tampering: candidate.change.applied.tampering().iter().map(ToString::to_string).collect(),
            })
            .collect();
        let winner = ranked.first().and_then(|first| self.candidate(first.candidate));
        let hypothesis = winner
            .and_then(|winner| self.samples.get(winner.score.first))
            .and_then(|sample| sample.why.clone());
        let edits = winner.map(|winner| winner.change.edits.clone()).unwrap_or_default();
        let outcome = SessionOutcome {
            hypothesis,
            patches,
            why: self.reason(&ranked),
            partial: PartialFix::best(
                &self.baseline.failing,
                self.candidates.iter().filter_map(Candidate::partial),
            ),
            out_of_reach: self.baseline.out_of_reach(),
            failing_before: self.baseline.failing.len() as u64,
        };
        let result = self.stages.context.result(stop, hint, outcome);
        Ok((self.stages.context.journal.end(result)?, edits))
    }
}
