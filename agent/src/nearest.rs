//! The tests that a call needs: all or, where these take too long, those nearest to what it changes.

use std::time::Instant;

use patchwright_edits::Edit;
use patchwright_session::{
    SessionContext, SessionSetup, Stop, TestsOfChanges, WholeSuite, record_part, run_recorded,
};
use patchwright_validation::Baseline;
use serde::Deserialize;
use serde_json::Value;

use crate::loop_setup::LoopSetup;

/// The tests before any change for a call, where they are not `known` or do not suffice for its edits: of all tests as long as these are
/// waited for, else of those that had ended by then and of those nearest to what the call changes. Where they are not `needed`, but would
/// be good to know, they are only waited for.
pub(crate) async fn known_tests(
    context: &mut SessionContext,
    setup: &LoopSetup<'_>,
    known: Option<&Baseline>,
    arguments: &Value,
    needed: bool,
) -> Result<Option<Baseline>, Stop> {
    match &setup.session.whole_suite {
        WholeSuite::Wait if known.is_some() => Ok(None),
        WholeSuite::Wait => Ok(Some(context.join(setup.session.baseline).await?.clone())),
        WholeSuite::Recorded(by_cycle) => {
            let tests = by_cycle
                .get(&context.cycle)
                .filter(|tests| known.is_none_or(|known| known.nearest != **tests));
            let Some(tests) = tests else { return Ok(None) };
            run_recorded(context, setup.session.harness, tests).await
        }
        WholeSuite::Until { deadline, patience } => {
            let SessionSetup { harness, baseline: pending, .. } = setup.session;
            let issue = setup.session.task.issue.as_deref().unwrap_or_default();
            let test_file = arguments.get("test_file").and_then(Value::as_str);
            let tests = TestsOfChanges { harness, pending, issue, test_file, patience: *patience };
            let edits = arguments.get("edits").and_then(|edits| Vec::<Edit>::deserialize(edits).ok());
            let Some(known) = known else {
                let ended =
                    tokio::time::timeout_at((*deadline).into(), setup.session.baseline.wait()).await.is_ok();
                return if ended || needed {
                    tests.first(context, edits.into_iter().collect()).await.map(Some)
                } else {
                    Ok(None)
                };
            };
            let Some(edits) = edits.filter(|_| !known.nearest.is_empty()) else { return Ok(None) };
            let began = Instant::now();
            match tests.further(known, vec![edits]).await? {
                Some(baseline) => record_part(context, baseline, began).map(Some),
                None => Ok(None),
            }
        }
    }
}
