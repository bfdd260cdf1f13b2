//! What candidates are measured by: all tests or, where these take too long, those nearest to the change.

use std::time::{Duration, Instant};

use patchwright_edits::Edit;
use patchwright_protocol::TestId;
use patchwright_session::{MeasuredBaseline, SessionContext, Stop};
use patchwright_testbed::Baseline;
use patchwright_tools::near_test_files;
use serde::Deserialize;
use serde_json::Value;

use crate::agent_loop::LoopSetup;

/// How long a session waits for all tests before any change, where an issue tells of the bug: then those nearest to a change may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WholeSuite {
    /// Until they are through.
    Wait,
    /// Until then, and for the nearest after that.
    Until(Instant),
    /// Not at all: a recording ran the nearest.
    Skip,
}

/// What the nearest tests may take; where they take longer, those count that ended.
const MOST_TIME: Duration = Duration::from_secs(20);

/// The tests before any change for a call, where they are not `known` or do not suffice for its edits: of all tests as long as these are
/// waited for, else of those nearest to what the call changes. Where they are not `needed`, but would be good to know, only the former.
pub(crate) async fn known_tests(
    context: &mut SessionContext,
    setup: &LoopSetup<'_>,
    known: Option<&Baseline>,
    arguments: &Value,
    needed: bool,
) -> Result<Option<Baseline>, Stop> {
    let edits = arguments.get("edits").and_then(|edits| Vec::<Edit>::deserialize(edits).ok());
    if let Some(known) = known {
        let edits = edits.filter(|_| !known.nearest.is_empty());
        let Some(edits) = edits else { return Ok(None) };
        return nearest(context, setup, &known.nearest, edits).await;
    }
    let all_are_waited_for = match setup.whole_suite {
        WholeSuite::Wait => true,
        WholeSuite::Skip => false,
        WholeSuite::Until(deadline) => {
            tokio::time::timeout_at(deadline.into(), setup.baseline.wait()).await.is_ok()
        }
    };
    if !all_are_waited_for {
        if !needed {
            return Ok(None);
        }
        if let Some(near) = nearest(context, setup, &[], edits.unwrap_or_default()).await? {
            return Ok(Some(near));
        }
    }
    Ok(Some(context.join(setup.baseline).await?.clone()))
}

/// The tests nearest to some edits, with those that are `known`. `None` where the nearest is among these, or none can be run.
async fn nearest(
    context: &mut SessionContext,
    setup: &LoopSetup<'_>,
    known: &[TestId],
    edits: Vec<Edit>,
) -> Result<Option<Baseline>, Stop> {
    let began = Instant::now();
    let issue = setup.task.issue.clone().unwrap_or_default();
    let files = near_test_files(setup.bed, edits, &issue).await?;
    let names = setup.bed.tests_of_files(&files);
    // Others may have been let go before, for the time that they take, or some tests of the nearest.
    let is_known = |file: &TestId| known.iter().any(|test| test.as_str().starts_with(file.as_str()));
    if names.first().is_some_and(is_known) {
        return Ok(None);
    }
    let new = names.iter().filter(|name| !known.contains(name));
    let tests: Vec<TestId> = known.iter().chain(new).cloned().collect();
    let Some(baseline) = setup.bed.baseline_of(&tests, MOST_TIME).await? else { return Ok(None) };
    // The processor is free for what is waited for.
    setup.baseline.abandon();
    let seconds = began.elapsed().as_secs_f64();
    let measured = MeasuredBaseline { baseline, is_tested: true, seconds, warnings: Vec::new() };
    measured.record(&mut context.journal)?;
    Ok(Some(measured.baseline))
}
