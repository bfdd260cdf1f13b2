//! The stages that judge: which tests count, what they say of the candidates, and what tests that reproduce the issue say.

use std::time::Instant;

use patchwright_initial_context::NearTests;
use patchwright_protocol::{Excerpt, Verdict, decimal};
use patchwright_session::Stop;
use patchwright_trajectory::Event;
use patchwright_validation::Baseline;
use serde_json::json;

use super::Pipeline;
use crate::context::PipelineContext;
use crate::regression_choice;
use crate::regressions;
use crate::repair::Shown;
use crate::reproduce::{self, Bench, Reproduction};
use crate::select;
use crate::validate;

impl Pipeline<'_> {
    /// Which passing tests need not go on to pass. Where failing tests show the bug, all must.
    pub(super) async fn exclude(&mut self, near: &NearTests) -> Result<(), Stop> {
        if self.is_shown_by_tests() || !self.has_tests() {
            return Ok(());
        }
        let stage = self.stages.begin("regressions", json!({ "tests": self.baseline.passing.len() }))?;
        self.excluded = match self.stages.earlier(&stage)? {
            Some(excluded) => excluded,
            None => regressions::ask(&mut self.stages, &self.baseline, near, &self.settings).await?,
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

    /// What the first `count` candidates are measured by: where all tests take too long for each of them, those that they may break.
    async fn choose(&mut self, context: &PipelineContext<'_>, count: usize) -> Result<Baseline, Stop> {
        let baseline = self.excluded.from(&self.baseline);
        if !self.regressions.chooses(context, &baseline) {
            return Ok(baseline);
        }
        let seconds = self.settings.regression_time.as_secs();
        let arguments = json!({ "tests": baseline.passing.len(), "seconds": seconds });
        let stage = self.stages.begin(regression_choice::STAGE, arguments)?;
        let chosen = self.regressions.choose(context, &baseline, &self.candidates[..count]).await?;
        let text = format!(
            "{} tests for each candidate, those likeliest to break first; {} others for the answer alone",
            chosen.tests.len(),
            chosen.left_out
        );
        self.stages.finish(&stage, text, &chosen)?;
        Ok(chosen.from(&baseline))
    }

    /// Where candidates were tried with some of the tests, the answer has to pass all.
    pub(super) async fn confirm(&mut self) -> Result<(), Stop> {
        if self.judged().all(|candidate| candidate.fully_tested) {
            return Ok(());
        }
        let baseline = self.excluded.from(&self.baseline);
        let stage = self.stages.begin("confirm", json!({ "tests": baseline.passing.len() }))?;
        let (cycle, mut tried) = (self.stages.context.cycle, 0);
        while let Some(place) = self.first_in_doubt() {
            let began = Instant::now();
            let journal = &mut self.stages.context.journal;
            let candidate = &mut self.candidates[place];
            let judged = validate::confirm(journal, cycle, self.harness, &baseline, candidate).await;
            self.stages.context.budget.spent_mut().test_seconds += began.elapsed().as_secs_f64();
            judged?;
            tried += 1;
        }
        let text = format!("{tried} of {} candidates tried with all tests", self.judged().count());
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

    /// How many candidates may be the answer, from the first on: where reproduction tests show the bug, those that resolve one.
    fn promising(&self) -> usize {
        if self.is_shown_by_tests() || self.reproduction.tests.is_empty() {
            return self.candidates.len();
        }
        self.candidates.partition_point(|candidate| candidate.score.resolved.unwrap_or(0) > 0)
    }

    pub(super) async fn validate(
        &mut self,
        context: &PipelineContext<'_>,
        repeated: &[validate::Repeated],
    ) -> Result<(), Stop> {
        let promising = self.promising();
        if promising == 0 {
            return Ok(());
        }
        let baseline = self.choose(context, promising).await?;
        let stage = self.stages.begin("validate", json!({ "lanes": self.harness.lanes() }))?;
        let (began, cycle, first_alone) =
            (Instant::now(), self.stages.context.cycle, !self.is_shown_by_tests());
        let journal = &mut self.stages.context.journal;
        let tried = &mut self.candidates[..promising];
        let judged = validate::validate(journal, cycle, self.harness, &baseline, tried, first_alone).await;
        self.stages.context.budget.spent_mut().test_seconds += began.elapsed().as_secs_f64();
        judged?;
        let scores = self.scores();
        validate::record_repeated(&mut self.stages.context.journal, cycle, &scores, repeated)?;
        let plausible = scores.iter().filter(|score| score.verdict == Verdict::Plausible).count();
        let usable = self.samples.iter().filter(|sample| !sample.edits.is_empty()).count();
        let untried = match self.candidates.len() - scores.len() {
            0 => String::new(),
            count => format!(", {count} not tried"),
        };
        let text =
            format!("{usable} repairs, {} different{untried}, {plausible} plausible", self.candidates.len());
        self.stages.finish(&stage, text, &scores)
    }

    /// Tests that show what the issue says, and what candidates make of them: those that the project's own tests like best, all where these
    /// have not been asked.
    pub(super) async fn reproduce(&mut self, shown: (&Shown, &[Excerpt])) -> Result<(), Stop> {
        let best = if self.is_shown_by_tests() {
            select::best_tested(&self.scores())
        } else {
            (0..self.candidates.len()).collect()
        };
        if self.stages.context.task.issue.is_none() || self.settings.tests == 0 || best.is_empty() {
            return Ok(());
        }
        let bench = match Bench::of(self.harness, &self.baseline, &self.settings) {
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
            None => match reproduce::draw(&mut self.stages, bench, shown, &self.settings).await {
                // A candidate that passes the project's own tests is an answer without them.
                Err(Stop::Budget(why)) => {
                    let text = format!("no reproduction tests: {why}");
                    self.stages.context.journal.record(Event::warning(text))?;
                    Reproduction::default()
                }
                found => found?,
            },
        };
        let cycle = self.stages.context.cycle;
        for test in self.reproduction.records() {
            self.stages.context.journal.record(Event::Reproduction { cycle, test })?;
        }
        let tests = &self.reproduction.tests;
        if !tests.is_empty() {
            for place in best {
                let candidate = &mut self.candidates[place];
                let outcomes =
                    reproduce::resolved(&mut self.stages, bench, &candidate.change.edits, tests).await?;
                candidate.score.resolved = Some(outcomes.iter().filter(|outcome| outcome.passes).count());
                candidate.reproductions = outcomes;
            }
        }
        let found = &self.reproduction;
        if let Some(why) = found.environment_fault() {
            let text = format!(
                "none of {} different reproduction tests reaches the code: {why}; the environment of the tests lacks what they need, so \
                 that they say nothing of the bug",
                found.distinct
            );
            self.stages.context.journal.record(Event::warning(text))?;
        }
        self.stages.finish(&stage, found.summary(), found)
    }
}
