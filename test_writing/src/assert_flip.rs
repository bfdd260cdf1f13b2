//! `assert-flip`: a test that passes because it asserts the wrong behaviour, then the same test with its assertion turned over.

use patchwright_prompts::{TestQuestion, UnusableTest};
use patchwright_protocol::{Excerpt, Failure, ReproductionVerdict};
use patchwright_session::{Sampling, Stop};
use serde_json::json;

use crate::draft::{self, AnswerForm};
use crate::tried_test::TriedTest;
use crate::writer::{TestWriter, WrittenStage, nothing};

/// What a test has to do on the original code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Passing,
    Failing,
}

impl Wanted {
    /// The name of the stage.
    fn stage(self) -> &'static str {
        match self {
            Self::Passing => "passing",
            Self::Failing => "turn_over",
        }
    }

    fn verdict(self) -> ReproductionVerdict {
        match self {
            Self::Passing => ReproductionVerdict::Passes,
            Self::Failing => ReproductionVerdict::Fails,
        }
    }

    /// What is wrong with a test of another verdict.
    fn problem(self, tried: &TriedTest) -> String {
        match (self, tried.record.verdict) {
            (_, ReproductionVerdict::DoesNotRun) => {
                format!("The test does not run, so that it says nothing: {}", tried.failure())
            }
            (Self::Passing, _) => {
                "The test fails on the code as it is, and it has to pass there: assert what the code does now.".to_owned()
            }
            (Self::Failing, _) => {
                "The test passes on the code as it is, and it has to fail as long as the bug is there: assert what the issue asks for."
                    .to_owned()
            }
        }
    }
}

/// The end of a session in whose environment tests do not run.
fn cannot_run(why: &str) -> Stop {
    let message =
        format!("tests that are written end as the project's own do, before they reach the code: {why}");
    Failure::environment(message)
        .hint("install the project and what its tests import where they run, or name another environment with --test")
        .into()
}

impl TestWriter<'_> {
    /// Plans, writes and turns over, as often as it takes.
    pub(crate) async fn assert_flip(&mut self) -> Result<(), Stop> {
        let mut attempts: Vec<String> = Vec::new();
        for round in 0..self.settings.regenerations {
            let temperature = if round == 0 { 0.0 } else { self.settings.temperature };
            let plan = self.plan(&attempts, temperature).await?;
            let question = TestQuestion::Passing { plan: &plan };
            let passing = match self.insist(&question, Wanted::Passing, temperature).await? {
                Ok(passing) => passing,
                Err(problem) => {
                    attempts.push(format!("No test could be written that passes: {problem}"));
                    continue;
                }
            };
            let shown = self.tried[passing].excerpts();
            let Some(test) = shown.first() else { continue };
            let turned = self.turn_over(test, temperature).await?;
            let turned = match turned {
                Ok(turned) => turned,
                Err(problem) => {
                    let id = self.tried[passing].test.id;
                    attempts.push(format!("Test {id} passes, but could not be turned over: {problem}"));
                    continue;
                }
            };
            let judgement = self.judge(turned).await?;
            let why = format!(
                "a test that passed and asserted the wrong behaviour was turned over; {}",
                judgement.reason
            );
            if judgement.matches == Some(true) {
                match self.conclude(turned, &why, None).await {
                    Err(Stop::Driver(_)) => attempts.push("The test does not fail each time.".to_owned()),
                    ended => return ended,
                }
            } else {
                let tried = &self.tried[turned];
                let (id, failure) = (tried.test.id, tried.failure().to_owned());
                attempts.push(format!(
                    "Test {id} fails ({failure}), but not as the issue says: {}",
                    judgement.reason
                ));
            }
        }
        self.best_doubted().await
    }

    /// The last test that fails, where no failure was taken for the issue's.
    async fn best_doubted(&mut self) -> Result<(), Stop> {
        let fails = |test: &TriedTest| test.fails() && test.matches != Some(true);
        let unsaid = self.tried.iter().rposition(|test| fails(test) && test.matches.is_none());
        let Some(place) = unsaid.or_else(|| self.tried.iter().rposition(fails)) else {
            return Err(nothing("no test was written that fails on the original code"));
        };
        let doubt = match self.tried[place].matches {
            Some(_) => "the model does not take that for the issue's failure",
            None => "nobody could say whether that is the issue's failure",
        };
        self.conclude(place, "", Some(doubt.to_owned())).await
    }

    async fn plan(&mut self, attempts: &[String], temperature: f32) -> Result<String, Stop> {
        let stage = self.stages.begin("plan", json!({ "attempt": attempts.len() + 1 }))?;
        let prompt = self.prompt(&TestQuestion::Plan { tried: attempts }, None)?;
        let sampling = Sampling { count: 1, temperature };
        let answers = self.stages.sample(&prompt, sampling, self.settings.short_answer_tokens).await?;
        let plan = answers.first().map(|answer| answer.reply.text.trim().to_owned()).unwrap_or_default();
        self.stages.finish(&stage, plan.clone(), &plan)?;
        Ok(plan)
    }

    async fn turn_over(&mut self, test: &Excerpt, temperature: f32) -> Result<Result<usize, String>, Stop> {
        self.insist(&TestQuestion::TurnOver { test }, Wanted::Failing, temperature).await
    }

    /// Has a test written until it does what is wanted on the original code, each time with what the last one's run said; the place of the
    /// test, or what was wrong with the last.
    async fn insist(
        &mut self,
        question: &TestQuestion<'_>,
        wanted: Wanted,
        temperature: f32,
    ) -> Result<Result<usize, String>, Stop> {
        let mut last: Option<(String, String, String)> = None;
        let mut is_at_fault = false;
        for attempt in 0..=self.settings.refinements {
            let stage = self.stages.begin(wanted.stage(), json!({ "attempt": attempt + 1 }))?;
            let again =
                last.as_ref().map(|(answer, problem, output)| UnusableTest { answer, problem, output });
            let prompt = self.prompt(question, again)?;
            let sampling = Sampling { count: 1, temperature };
            let answers = self.stages.sample(&prompt, sampling, self.max_output_tokens()).await?;
            let text = answers.first().map(|answer| answer.reply.text.clone()).unwrap_or_default();
            let found = draft::read(self.harness, self.next_id(), AnswerForm::File, &text).await?;
            let (found, problem, output) = match found {
                Err(problem) => (WrittenStage::problem(problem.clone()), problem, String::new()),
                Ok(draft) => {
                    let place = self.try_out(draft).await?;
                    let tried = &self.tried[place];
                    let found = WrittenStage::of(tried);
                    if tried.record.verdict == wanted.verdict() {
                        self.stages.finish(&stage, found.to_string(), &found)?;
                        return Ok(Ok(place));
                    }
                    if let Some(why) = self.environment_fault(place) {
                        if is_at_fault {
                            return Err(cannot_run(why));
                        }
                        is_at_fault = true;
                    }
                    (found, wanted.problem(tried), tried.report.clone())
                }
            };
            self.stages.finish(&stage, found.to_string(), &found)?;
            last = Some((text, problem, output));
        }
        Ok(Err(last.map(|(_, problem, _)| problem).unwrap_or_default()))
    }
}
