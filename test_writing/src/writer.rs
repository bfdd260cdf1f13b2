//! One attempt at one issue by one of the fixed methods.

use std::fmt;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use patchwright_edits::Edit;
use patchwright_fault_localization::Localization;
use patchwright_prompts::{Prompt, TestQuestion, TestSurroundings, UnusableTest, test_prompt};
use patchwright_protocol::{Failure, ReproductionVerdict, SessionResult, TestMethod};
use patchwright_session::{
    Driver, DriverError, EXECUTES_NOTHING, Journal, RecordedStages, Session, SessionSetup, Stages, Stop,
    TestSolution,
};
use patchwright_trajectory::{Event, TrajectoryWriteError};
use patchwright_validation::TestHarness;
use serde::Serialize;

use crate::draft::AnswerForm;
use crate::settings::WritingSettings;
use crate::surroundings::{Breadth, Surroundings};
use crate::tried_test::TriedTest;

/// Files of tests that are run before anything is asked, and the time that they have.
const SHOWN_TESTS: usize = 3;
const SHOWN_TESTS_TIME: Duration = Duration::from_mins(1);

/// What a test is written for, and with what. That it can be run is asked before, by [`check_language`](crate::check_language).
pub struct WriterSetup<'a> {
    /// What every mode is given.
    pub session: SessionSetup<'a>,
    /// The method and its numbers.
    pub settings: WritingSettings,
    /// Suspicious lines that the user gave; may be empty.
    pub localization: &'a Localization,
}

/// One attempt at one issue.
pub struct TestWriter<'a> {
    pub(crate) harness: &'a TestHarness,
    pub(crate) settings: WritingSettings,
    localization: &'a Localization,
    pub(crate) stages: Stages,
    surroundings: Surroundings,
    /// Files of tests that cannot be loaded here, each with the reason.
    unloadable: Vec<String>,
    /// The reasons alone.
    load_failures: Vec<String>,
    /// The tests that were written and have run, in their order.
    pub(crate) tried: Vec<TriedTest>,
    answer: Option<TestSolution>,
}

/// What became of one test, as its stage records it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct WrittenStage {
    /// The number of the test; none where nothing could be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<ReproductionVerdict>,
    /// How it fails, why it does not run, why it could not be run.
    #[serde(skip_serializing_if = "String::is_empty")]
    why: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
}

impl WrittenStage {
    pub(crate) fn of(tried: &TriedTest) -> Self {
        Self {
            test: Some(tried.test.id),
            verdict: Some(tried.record.verdict),
            why: tried.failure().to_owned(),
            left_out: tried.left_out.clone(),
        }
    }

    pub(crate) fn problem(why: String) -> Self {
        Self { test: None, verdict: None, why, left_out: Vec::new() }
    }
}

impl fmt::Display for WrittenStage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.test, self.verdict) {
            (Some(test), Some(verdict)) => write!(formatter, "test {test} {verdict} on the original code")?,
            (_, _) => write!(formatter, "no test")?,
        }
        if !self.why.is_empty() {
            write!(formatter, ": {}", self.why)?;
        }
        if !self.left_out.is_empty() {
            write!(formatter, " (left out, as these are no tests: {})", self.left_out.join(", "))?;
        }
        Ok(())
    }
}

/// The end of a session in which there is nothing to go on with.
pub(crate) fn nothing(why: &str) -> Stop {
    Stop::Driver(DriverError::UsedUp(why.to_owned()))
}

impl<'a> TestWriter<'a> {
    /// A session about to begin; `journal` already holds what happened before the first stage, since `started`.
    pub fn new(setup: WriterSetup<'a>, driver: Box<dyn Driver>, journal: Journal, started: Instant) -> Self {
        let context = setup.session.begin(driver, journal, started);
        Self {
            harness: setup.session.harness,
            settings: setup.settings,
            localization: setup.localization,
            stages: Stages::new(context, RecordedStages::default()),
            surroundings: Surroundings::default(),
            unloadable: Vec::new(),
            load_failures: Vec::new(),
            tried: Vec::new(),
            answer: None,
        }
    }

    async fn write(&mut self) -> Result<(), Stop> {
        match self.settings.method {
            TestMethod::Direct => {
                self.look_around(Breadth::Narrow).await?;
                self.single(TestQuestion::Direct, AnswerForm::File).await
            }
            TestMethod::ZeroShot => {
                self.look_around(Breadth::Wide).await?;
                self.single(TestQuestion::Diff, AnswerForm::Diff).await
            }
            TestMethod::ZeroShotPlus => {
                self.look_around(Breadth::Wide).await?;
                self.single(TestQuestion::Blocks, AnswerForm::Blocks).await
            }
            TestMethod::Libro => {
                self.look_around(Breadth::Wide).await?;
                self.libro().await
            }
            TestMethod::AssertFlip => {
                self.look_around(Breadth::Narrow).await?;
                self.assert_flip().await
            }
            TestMethod::Agent => Err(Failure::defect("the method agent is the loop's").into()),
        }
    }

    async fn look_around(&mut self, breadth: Breadth) -> Result<(), Stop> {
        let issue = self.stages.context.task.issue.clone().unwrap_or_default();
        let stage = self.stages.begin("retrieve", serde_json::json!({ "breadth": breadth.word() }))?;
        self.surroundings = Surroundings::find(self.harness, &issue, self.localization, breadth).await?;
        let found = self.surroundings.paths();
        self.stages.finish(&stage, found.to_string(), &found)?;
        self.try_shown_tests(&found.tests).await
    }

    /// Runs the tests that are shown: what cannot be loaded here is said, to the user too.
    async fn try_shown_tests(&mut self, tests: &[String]) -> Result<(), Stop> {
        let files = tests.get(..SHOWN_TESTS.min(tests.len())).unwrap_or_default();
        let began = Instant::now();
        let unloadable = self.harness.unloadable_tests(files, SHOWN_TESTS_TIME).await?;
        self.stages.context.budget.spent_mut().test_seconds += began.elapsed().as_secs_f64();
        for file in unloadable {
            let told = format!("{}: {}", file.path, file.why);
            let warning = Event::warning(format!("tests cannot be loaded here: {told}"));
            self.stages.context.journal.record(warning)?;
            self.unloadable.push(told);
            self.load_failures.push(file.why);
        }
        Ok(())
    }

    /// Why a test does not run, if the project's own tests do not for the same reason: then the environment is at fault.
    pub(crate) fn environment_fault(&self, place: usize) -> Option<&str> {
        let tried = &self.tried[place];
        let is_same = |why: &&String| !why.is_empty() && tried.report.contains(why.as_str());
        let is_unrun = tried.record.verdict == ReproductionVerdict::DoesNotRun;
        self.load_failures.iter().find(is_same).filter(|_| is_unrun).map(String::as_str)
    }

    /// The prompt of a question; `again` where an answer to it will not do.
    pub(crate) fn prompt(
        &self,
        question: &TestQuestion<'_>,
        again: Option<UnusableTest<'_>>,
    ) -> Result<Prompt, Stop> {
        let around = TestSurroundings {
            files: &self.surroundings.files,
            tests: &self.surroundings.tests,
            numbered: self.surroundings.numbered,
            example: &self.surroundings.example,
            unloadable: &self.unloadable,
        };
        let context = &self.stages.context;
        test_prompt(&context.task, question, &around, again, &context.prompts)
            .map_err(|error| Failure::from(error).into())
    }

    pub(crate) fn max_output_tokens(&self) -> u32 {
        self.stages.context.answer_tokens()
    }

    /// Makes a test the answer, if it fails when it is run again; `doubt` says why it may not show the issue's bug.
    pub(crate) async fn conclude(
        &mut self,
        place: usize,
        why: &str,
        doubt: Option<String>,
    ) -> Result<(), Stop> {
        let stage = self.stages.begin("confirm", serde_json::json!({ "test": self.tried[place].test.id }))?;
        let is_stable = self.fails_again(place).await?;
        let tried = self.tried[place].clone();
        let id = tried.test.id;
        if !is_stable {
            // It shows nothing.
            self.tried[place].record.verdict = ReproductionVerdict::Passes;
            let why = format!("test {id} fails the first time, and not when it is run again");
            self.stages.finish(&stage, why.clone(), &serde_json::json!({ "stable": false }))?;
            return Err(nothing(&why));
        }
        let began = Instant::now();
        let coverage = patchwright_fault_localization::coverage_of(
            self.harness,
            &tried.test,
            &self.surroundings.suspicious,
        )
        .await?;
        self.stages.context.budget.spent_mut().test_seconds += began.elapsed().as_secs_f64();
        let records = std::slice::from_ref(&tried.record);
        let outcome =
            TestSolution::from_standing(std::slice::from_ref(&tried.test), records, self.settings.method);
        let Some(mut outcome) = outcome else {
            return Err(Failure::defect("a test that is no part of the project was run").into());
        };
        outcome.written.coverage = coverage;
        let unused = outcome.executes_nothing() && tried.matches != Some(true);
        let doubt = doubt.or(unused.then(|| EXECUTES_NOTHING.to_owned()));
        outcome.is_doubted = doubt.is_some();
        outcome.why = [Some(why.to_owned()), doubt, Some("it fails alike when it is run again".to_owned())]
            .into_iter()
            .flatten()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("; ");
        outcome.written.matches_issue = tried.matches;
        outcome.written.left_out = tried.left_out;
        let text = format!("test {id} is the answer: {}", outcome.why);
        self.stages.finish(&stage, text, &outcome.written)?;
        self.answer = Some(outcome);
        Ok(())
    }
}

#[async_trait]
impl Session for TestWriter<'_> {
    async fn run(&mut self) -> Stop {
        let clock = self.stages.context.budget.clock();
        match clock.hold(self.write()).await {
            Ok(ended) => ended.err().unwrap_or(Stop::Done),
            Err(over) => Stop::Budget(over),
        }
    }

    fn end(
        mut self: Box<Self>,
        stop: &Stop,
        hint: Option<String>,
    ) -> Result<(SessionResult, Vec<Edit>), TrajectoryWriteError> {
        if self.answer.is_none() {
            self.answer = self.unfinished();
        }
        let answer = self.answer.as_ref();
        let result = self.stages.context.test_result(stop, hint, answer);
        let edits = answer.map(TestSolution::edits).unwrap_or_default();
        Ok((self.stages.context.journal.end(result)?, edits))
    }
}

impl TestWriter<'_> {
    /// The best of the tests that fail, where the session ended before one was chosen.
    fn unfinished(&self) -> Option<TestSolution> {
        let failing = self.tried.iter().filter(|test| test.fails());
        let best = failing.min_by_key(|test| crate::cluster::rank(test.matches))?;
        let records = std::slice::from_ref(&best.record);
        let mut outcome =
            TestSolution::from_standing(std::slice::from_ref(&best.test), records, self.settings.method)?;
        outcome.is_doubted = true;
        "it was not looked at any further".clone_into(&mut outcome.why);
        outcome.written.matches_issue = best.matches;
        outcome.written.left_out.clone_from(&best.left_out);
        Some(outcome)
    }
}
