//! Tests that must go on to pass: those that pass before any change, less those that check the wrong behaviour.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use patchwright_initial_context::NearTests;
use patchwright_prompts::{StageQuestion, one_line};
use patchwright_protocol::TestId;
use patchwright_replies::answer;
use patchwright_session::{Sampling, Stages, Stop};
use patchwright_validation::Baseline;
use serde::{Deserialize, Serialize};

use crate::settings::PipelineSettings;

/// Tests that a right repair makes fail.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ExcludedTests {
    /// Their names.
    pub tests: Vec<String>,
    /// Names that no passing test has.
    pub invented: Vec<String>,
    /// Tests that were named and must go on to pass all the same, because they are most of all.
    #[serde(default)]
    pub refused: usize,
    /// Tests whose names the question had no room for; they must go on to pass.
    pub not_shown: usize,
}

impl ExcludedTests {
    /// The baseline in which these tests count for nothing.
    pub(crate) fn from(&self, baseline: &Baseline) -> Baseline {
        let excluded: BTreeSet<&str> = self.tests.iter().map(String::as_str).collect();
        let mut baseline = baseline.clone();
        let (excluded, passing): (Vec<TestId>, Vec<TestId>) =
            baseline.passing.into_iter().partition(|test| excluded.contains(test.as_str()));
        baseline.passing = passing;
        baseline.set_aside.extend(excluded);
        baseline
    }
}

/// Bytes of names that the question shows; the others are not up for choice.
const NAMES_BYTES: usize = 6_000;
/// Bytes of the source of the nearest tests.
const CODE_BYTES: usize = 8_000;

/// Asks which of the passing tests a right repair makes fail.
pub(crate) async fn ask(
    stages: &mut Stages,
    baseline: &Baseline,
    near: &NearTests,
    settings: &PipelineSettings,
) -> Result<ExcludedTests, Stop> {
    let mut bytes = 0;
    let mut names = near.names(&baseline.passing);
    let fits = |name: &&String| {
        bytes += name.len() + 1;
        bytes <= NAMES_BYTES
    };
    names.truncate(names.iter().take_while(fits).count());
    let not_shown = baseline.passing.len() - names.len();
    let code = near.code(CODE_BYTES).await?;
    let question = StageQuestion::Regressions {
        code: &code.excerpts,
        code_left_out: code.left_out,
        tests: &names,
        left_out: not_shown,
    };
    let prompt = stages.prompt(&question, None)?;
    let sampling = Sampling { count: 1, temperature: 0.0 };
    let answers = stages.sample(&prompt, sampling, settings.location_tokens).await?;
    // The question shows names on one line each, whatever they hold.
    let known: BTreeMap<Cow<str>, &String> = names.iter().map(|name| (one_line(name), name)).collect();
    let named: BTreeSet<&str> =
        answers.first().map(|answer| answer::list(&answer.reply.text).collect()).unwrap_or_default();
    let (mut tests, mut invented) = (Vec::new(), Vec::new());
    for name in named {
        match known.get(name) {
            Some(test) => tests.push((*test).clone()),
            None => invented.push(name.to_owned()),
        }
    }
    // Where most tests are said to be wrong, the answer is.
    let too_many = tests.len() * 2 > baseline.passing.len();
    let (tests, refused) = if too_many { (Vec::new(), tests.len()) } else { (tests, 0) };
    Ok(ExcludedTests { tests, invented, refused, not_shown })
}
