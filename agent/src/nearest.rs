//! What candidates are measured by: all tests or, where these take too long, those nearest to the change.

use std::time::{Duration, Instant};

use patchwright_edits::Edit;
use patchwright_session::{MeasuredBaseline, SessionContext, Stop};
use patchwright_testbed::Baseline;
use patchwright_tools::near_test_files;
use serde::Deserialize;
use serde_json::Value;

use crate::agent_loop::{LoopSetup, WholeSuite};

/// What the nearest tests may take; where they take longer, fewer are run.
const MOST_TIME: Duration = Duration::from_secs(45);

/// The tests before any change for a call, where they are not `known` or do not suffice for its edits: of all tests as long as these are
/// waited for, else of those nearest to what the call changes. Where they are not `needed`, but would be good to know, only the former.
pub(crate) async fn known_tests(
    context: &mut SessionContext,
    setup: &LoopSetup<'_>,
    known: Option<&Baseline>,
    arguments: &Value,
    needed: bool,
) -> Result<Option<Baseline>, Stop> {
    let is_near = match (known, setup.whole_suite) {
        (Some(known), _) if known.nearest.is_empty() => return Ok(None),
        (Some(_), _) | (None, WholeSuite::Skip) => true,
        (None, WholeSuite::Wait) => false,
        (None, WholeSuite::Until(deadline)) => {
            tokio::time::timeout_at(deadline.into(), setup.baseline.wait()).await.is_err()
        }
    };
    let edits = arguments.get("edits").and_then(|edits| Vec::<Edit>::deserialize(edits).ok());
    if is_near && !needed || known.is_some() && edits.is_none() {
        return Ok(None);
    }
    if is_near && let Some(near) = nearest(context, setup, known, edits.unwrap_or_default()).await? {
        return Ok(near);
    }
    if known.is_some() {
        return Ok(None);
    }
    Ok(Some(context.join(setup.baseline).await?.clone()))
}

/// The tests nearest to some edits, with those that are `known`; `Some(None)` where there is none among them that is not. `None` where none
/// can be run.
async fn nearest(
    context: &mut SessionContext,
    setup: &LoopSetup<'_>,
    known: Option<&Baseline>,
    edits: Vec<Edit>,
) -> Result<Option<Option<Baseline>>, Stop> {
    let began = Instant::now();
    let issue = setup.task.issue.clone().unwrap_or_default();
    let files = near_test_files(setup.bed, edits, &issue).await?;
    let names = setup.bed.tests_of_files(&files);
    let before = known.map_or(&[][..], |known| &known.nearest);
    if known.is_some() && names.iter().all(|name| before.contains(name)) {
        return Ok(Some(None));
    }
    let mut all: Vec<_> =
        before.iter().chain(names.iter().filter(|name| !before.contains(name))).cloned().collect();
    let baseline = loop {
        match setup.bed.baseline_of(&all, MOST_TIME).await? {
            Some(baseline) => break baseline,
            // Those farther off are let go.
            None if all.len() > 1 => all.truncate(all.len() / 2),
            None => return Ok(None),
        }
    };
    // The processor is free for what is waited for.
    setup.baseline.abandon();
    let seconds = began.elapsed().as_secs_f64();
    let measured = MeasuredBaseline { baseline, is_tested: true, seconds, warnings: Vec::new() };
    measured.record(&mut context.journal)?;
    Ok(Some(Some(measured.baseline)))
}
