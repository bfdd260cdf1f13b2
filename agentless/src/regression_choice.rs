//! Which of the tests that passed before are run for each candidate, where all of them take too long.

use std::collections::BTreeSet;

use patchwright_protocol::TestId;
use patchwright_session::{Stop, recorded_finding};
use patchwright_trajectory::Log;
use patchwright_validation::Baseline;
use serde::{Deserialize, Serialize};

use crate::context::PipelineContext;
use crate::validate::SampledCandidate;

/// The stage's name in trajectories.
pub(crate) const STAGE: &str = "choose_tests";

/// Who says which tests are run for each candidate.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Regressions {
    /// The time that all of them take.
    #[default]
    ByTime,
    /// A recorded session; `None` where all were run.
    Recorded(Option<ChosenTests>),
}

impl Regressions {
    /// What a recorded session chose: how long tests take differs from run to run.
    pub fn of(log: &Log) -> Self {
        Self::Recorded(recorded_finding(log, STAGE))
    }

    /// Is true if tests are chosen, rather than all run.
    pub(crate) fn chooses(&self, context: &PipelineContext<'_>, baseline: &Baseline) -> bool {
        match self {
            Self::Recorded(chosen) => chosen.is_some(),
            Self::ByTime => {
                baseline.report.seconds > context.settings.regression_time.as_secs_f64()
                    && baseline.passing.len() > 1
                    && !baseline.order_matters
            }
        }
    }

    /// The tests that candidates are tried with.
    pub(crate) async fn choose(
        &self,
        context: &PipelineContext<'_>,
        baseline: &Baseline,
        candidates: &[SampledCandidate],
    ) -> Result<ChosenTests, Stop> {
        if let Self::Recorded(Some(chosen)) = self {
            return Ok(chosen.clone());
        }
        let changes: Vec<_> = candidates.iter().map(|candidate| &candidate.change.applied).collect();
        let near = patchwright_fault_localization::tests_near(context.harness, baseline, &changes).await;
        let near = near?;
        let each = baseline.report.seconds / baseline.report.outcomes.len().max(1) as f64;
        let most = context.settings.regression_time.as_secs_f64();
        let fits = |count: &usize| *count == 0 || (*count + 1) as f64 * each <= most;
        let fitting = near.iter().enumerate().take_while(|(count, _)| fits(count));
        let tests: Vec<String> = fitting.map(|(_, test)| test.to_string()).collect();
        let left_out = baseline.passing.len().saturating_sub(tests.len());
        Ok(ChosenTests { tests, left_out })
    }
}

/// The tests that are run for each candidate.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct ChosenTests {
    /// Their names, those likeliest to tell a candidate from another first.
    pub tests: Vec<String>,
    /// How many other passing tests are run for the answer alone.
    pub left_out: usize,
}

impl ChosenTests {
    /// The baseline in which only these tests are run.
    pub(crate) fn from(&self, baseline: &Baseline) -> Baseline {
        let chosen: BTreeSet<&str> = self.tests.iter().map(String::as_str).collect();
        let left_out = |test: &&TestId| !chosen.contains(test.as_str());
        let left_out = baseline.passing.iter().filter(left_out).chain(&baseline.left_out);
        Baseline { left_out: left_out.cloned().collect(), ..baseline.clone() }
    }
}
