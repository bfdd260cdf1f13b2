//! Tests that reproduce an issue: drawn, run on the original, kept where they show the bug there.

mod bench;

use std::collections::BTreeMap;

use futures_util::stream::{self, StreamExt};
use patchwright_detection::ProjectSpec;
use patchwright_edits::{Edit, EditRules};
use patchwright_prompts::StageQuestion;
use patchwright_protocol::{Excerpt, ReproductionOutcome, ReproductionRecord, ReproductionVerdict};
use patchwright_replies::answer;
use patchwright_session::{Sampling, Stages, Stop};
use patchwright_syntax::normal_form;
use serde::{Deserialize, Serialize};

pub(crate) use self::bench::Bench;
pub use self::bench::ScriptOutcome;
use self::bench::{Kind, TestRun};
use crate::repair::Shown;
use crate::settings::PipelineSettings;

/// A test that shows the bug in the original code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReproductionTest {
    /// The file that it is put into.
    pub path: String,
    /// Its text.
    pub text: String,
    /// Samples that are this test in normal form.
    pub votes: usize,
}

/// What drawing tests came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reproduction {
    /// The tests that are kept, the one that most samples agree on first.
    pub tests: Vec<ReproductionTest>,
    /// Samples that were drawn.
    pub drawn: usize,
    /// Of them those that differ in normal form; each of these was run.
    pub distinct: usize,
    /// Of those the ones that show the bug.
    pub reproducing: usize,
    /// Of those the ones that do not run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<BrokenTest>,
}

/// A test that does not run on the original code, so that it says nothing of the bug.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BrokenTest {
    /// Its output, or the end of it.
    pub output: String,
    /// Samples that are this test in normal form.
    pub votes: usize,
}

impl BrokenTest {
    /// The last line of the output: `ModuleNotFoundError: No module named 'yaml'`.
    pub fn why(&self) -> &str {
        self.output.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it said nothing")
    }
}

/// How errors begin that a test ends with before it reaches the code under test.
const BEFORE_THE_CODE: [&str; 4] = ["ModuleNotFoundError: ", "ImportError: ", "SyntaxError: ", "package "];

impl Reproduction {
    /// The tests that are kept, as a trajectory holds them.
    pub(crate) fn records(&self) -> impl Iterator<Item = ReproductionRecord> {
        (1..).zip(&self.tests).map(|(id, test)| ReproductionRecord {
            id,
            path: test.path.clone(),
            text: test.text.clone(),
            verdict: ReproductionVerdict::Fails,
            tests: Vec::new(),
            failure: None,
            replaces: None,
        })
    }

    /// Why none of the tests runs, where that is so and all say the same.
    pub fn why_none_runs(&self) -> Option<&str> {
        let why = self.broken.first()?.why();
        let is_alike = self.broken.len() == self.distinct && self.broken.iter().all(|test| test.why() == why);
        is_alike.then_some(why)
    }

    /// Why the environment of the tests, and not what is tested, keeps all of them from running, where that is so: they end alike before
    /// they reach the code.
    pub fn environment_fault(&self) -> Option<&str> {
        self.why_none_runs().filter(|why| BEFORE_THE_CODE.iter().any(|start| why.starts_with(start)))
    }

    /// What drawing came to, for people.
    pub(crate) fn summary(&self) -> String {
        let mut text = format!(
            "{} tests drawn, {} different, {} show the bug in the original, {} kept",
            self.drawn,
            self.distinct,
            self.reproducing,
            self.tests.len()
        );
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for test in &self.broken {
            *reasons.entry(test.why()).or_default() += 1;
        }
        for (why, count) in reasons {
            text.push_str(&format!("\n{count} do not run: {why}"));
        }
        text
    }
}

/// Draws tests for the bug in the places that are `shown`, with `tests` to look at, runs those that differ on the original and keeps the best that show the bug there.
pub(crate) async fn draw(
    stages: &mut Stages,
    bench: Bench<'_>,
    (shown, tests): (&Shown, &[Excerpt]),
    settings: &PipelineSettings,
) -> Result<Reproduction, Stop> {
    let kind = bench.kind.question(bench.harness.spec());
    let (thoughts, files) = (shown.thoughts.as_deref(), shown.excerpts.as_slice());
    let prompt = stages.prompt(&StageQuestion::Reproduce { kind, thoughts, files, tests }, None)?;
    let room = stages.context.answer_tokens();
    let greedy = Sampling { count: 1, temperature: 0.0 };
    let mut answers = stages.sample(&prompt, greedy, room).await?;
    if settings.tests > 1 {
        let more = Sampling { count: settings.tests - 1, temperature: settings.temperature };
        match stages.sample(&prompt, more, room).await {
            Ok(more) => answers.extend(more),
            // The first alone is better than none.
            Err(Stop::Budget(_)) => {}
            Err(stop) => return Err(stop),
        }
    }
    let texts: Vec<String> =
        answers.iter().map(|answer| answer::block(&answer.reply.text).to_owned()).collect();
    let (drawn, kind, spec) = (texts.len(), bench.kind, bench.harness.spec().clone());
    let tests = patchwright_blocking::spawn(move |_| distinct(kind, &spec, &texts)).await?;
    let mut found = Reproduction { drawn, distinct: tests.len(), ..Reproduction::default() };
    for (test, run) in run_all(stages, bench, &[], tests).await? {
        match run.outcome {
            ScriptOutcome::Reproduced => found.tests.push(test),
            ScriptOutcome::DoesNotRun => {
                found.broken.push(BrokenTest { output: run.output, votes: test.votes });
            }
            ScriptOutcome::Resolved | ScriptOutcome::Other => {}
        }
    }
    found.reproducing = found.tests.len();
    found.tests.sort_by_key(|test| std::cmp::Reverse(test.votes));
    found.tests.truncate(settings.kept_tests);
    Ok(found)
}

/// Whether the tests call the issue resolved with a change in the project, one after the other.
pub(crate) async fn resolved(
    stages: &mut Stages,
    bench: Bench<'_>,
    edits: &[Edit],
    tests: &[ReproductionTest],
) -> Result<Vec<ReproductionOutcome>, Stop> {
    let runs = run_all(stages, bench, edits, tests.to_vec()).await?;
    let passes = runs.iter().map(|(_, run)| run.outcome == ScriptOutcome::Resolved);
    Ok((1..).zip(passes).map(|(test, passes)| ReproductionOutcome { test, passes }).collect())
}

/// Runs tests with some edits in the project, in all lanes.
async fn run_all(
    stages: &mut Stages,
    bench: Bench<'_>,
    edits: &[Edit],
    tests: Vec<ReproductionTest>,
) -> Result<Vec<(ReproductionTest, TestRun)>, Stop> {
    let began = std::time::Instant::now();
    let runs = stream::iter(tests).map(|test| async move {
        let new = Edit { file_path: test.path.clone(), content: Some(test.text.clone()), ..Edit::default() };
        let together: Vec<Edit> = edits.iter().cloned().chain([new]).collect();
        // A test that is no source, or whose file is there already, cannot be run.
        let project = bench.harness.project().clone();
        let applying = patchwright_blocking::spawn(move |_| {
            patchwright_edits::apply(&project, &together, &EditRules::default())
        });
        let run = match applying.await? {
            Ok(applied) => bench.run(&test, &applied).await?,
            Err(error) => TestRun::broken(&error.to_string()),
        };
        Ok((test, run))
    });
    let runs: Vec<Result<_, Stop>> = runs.buffered(bench.harness.lanes().max(1)).collect().await;
    stages.context.budget.spent_mut().test_seconds += began.elapsed().as_secs_f64();
    runs.into_iter().collect()
}

/// The tests that differ in normal form, in the order of their first samples.
fn distinct(kind: Kind, spec: &ProjectSpec, texts: &[String]) -> Vec<ReproductionTest> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut tests: Vec<ReproductionTest> = Vec::new();
    for text in texts {
        let Some(path) = kind.place(spec, text) else { continue };
        if text.trim().is_empty() {
            continue;
        }
        let next = tests.len();
        let place = *places.entry(normal_form(spec.language, text.as_bytes())).or_insert(next);
        match tests.get_mut(place) {
            Some(test) => test.votes += 1,
            None => tests.push(ReproductionTest { path, text: text.clone(), votes: 1 }),
        }
    }
    tests
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn where_no_test_reaches_the_code_the_environment_is_at_fault() {
        let check = |outputs: &[&str], distinct: usize, why: Option<&str>, fault: Option<&str>| {
            let broken = outputs.iter().map(|output| BrokenTest { output: (*output).to_owned(), votes: 1 });
            let found = Reproduction { distinct, broken: broken.collect(), ..Reproduction::default() };
            assert_eq!((found.why_none_runs(), found.environment_fault()), (why, fault), "{outputs:?}");
        };
        let lacks = "ModuleNotFoundError: No module named 'yaml'";
        let (first, second) = (format!("line 1\n{lacks}\n"), format!("line 9\n{lacks}\n\n"));
        check(&[&first, &second], 2, Some(lacks), Some(lacks));
        check(&[&first], 2, None, None);
        check(&[&first, "ModuleNotFoundError: No module named 'shop'"], 2, None, None);
        check(&["KeyError: 'tax'"], 1, Some("KeyError: 'tax'"), None);
        check(&[""], 1, Some("it said nothing"), None);
        check(&[], 0, None, None);
    }

    #[test]
    fn tests_that_do_not_run_are_counted_by_their_reasons() {
        let broken = |output: &str| BrokenTest { output: output.to_owned(), votes: 1 };
        let found = Reproduction {
            drawn: 5,
            distinct: 4,
            broken: vec![broken("x\nKeyError: 1"), broken("y\nKeyError: 1"), broken("ended after 10 s")],
            ..Reproduction::default()
        };
        assert_eq!(
            found.summary(),
            "5 tests drawn, 4 different, 0 show the bug in the original, 0 kept\n2 do not run: KeyError: 1\n1 do not run: ended \
             after 10 s"
        );
    }
}
