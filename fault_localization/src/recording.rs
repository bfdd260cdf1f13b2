//! Running the tests once while it is recorded which lines they execute.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use patchwright_detection::adapters;
use patchwright_detection::{AdapterKind, ProjectSpec};
use patchwright_edits::Applied;
use patchwright_lanes::Tools;
use patchwright_protocol::{ResultsFormat, TestId};
use patchwright_test_results::TestReport;
use patchwright_validation::execution::{Selection, settle};
use patchwright_validation::{Baseline, Coverage, RecordedCoverage, TestHarness, TestHarnessError};

use crate::recording_commands::{FILE, recording, with_variable};
use crate::{jacoco, record};

/// Recording slows tests down: they get this many times the time of the baseline, and something to start with.
const TIMES: u32 = 20;
const START: Duration = Duration::from_mins(1);
/// The time for a test that never ends to show where it is, and the most such tests that are asked.
const HANGING: Duration = Duration::from_secs(5);
const MOST_HANGING: usize = 3;

/// Files for the folder `tools`, and the project with commands that record, where our own runners run the tests; else why there are none.
fn recording_setup(spec: &ProjectSpec, is_built: bool) -> Result<(Tools, ProjectSpec), String> {
    match spec.kind {
        _ if spec.results != ResultsFormat::Lines => {
            Err("coverage is recorded only where our own runners run the tests".to_owned())
        }
        AdapterKind::Pytest | AdapterKind::Unittest => {
            let recorder = include_bytes!("../runners/patchwright_coverage.py");
            let tools = Tools::from([("patchwright_coverage.py".to_owned(), recorder.to_vec())]);
            Ok((tools, recording(spec)))
        }
        AdapterKind::PlainJava => jacoco::setup(spec, is_built),
        AdapterKind::Django
        | AdapterKind::Maven
        | AdapterKind::Gradle
        | AdapterKind::Ant
        | AdapterKind::Tool(_)
        | AdapterKind::Custom => Err(format!("coverage is not recorded for {}", spec.kind.name())),
    }
}

/// Runs tests once and reads what they execute: all, or those that are `chosen`.
pub(crate) async fn record_coverage(
    harness: &TestHarness,
    baseline: &Baseline,
    chosen: Option<BTreeSet<TestId>>,
) -> Result<Arc<RecordedCoverage>, TestHarnessError> {
    let without = |why: String| Ok(Arc::new(RecordedCoverage::without(why)));
    let _step = harness.activity().begin("recording which lines the tests execute");
    let instrumented = match harness.instrumented(baseline).await? {
        Ok(instrumented) => instrumented,
        Err(why) => {
            return without(format!("coverage is recorded only where our own runners run the tests: {why}"));
        }
    };
    let (tools, spec) = match recording_setup(&instrumented.spec, harness.built().is_known()) {
        Ok(setup) => setup,
        Err(why) => return without(why),
    };
    let seconds = Duration::from_secs_f64(baseline.report.seconds.max(0.0));
    let limit = (seconds * TIMES + START).min(spec.timeout);
    let hanging = baseline.hanging();
    let own = with_variable(&spec, "PATCHWRIGHT_COVERAGE_OWN=1");
    // The failing ones first: they are what counts, if the time ends.
    let tests = baseline.failing.iter().chain(&baseline.passing).filter(|test| !hanging.contains(test));
    let (wanted, left_out): (Option<Vec<TestId>>, Vec<TestId>) = match &chosen {
        Some(chosen) => {
            let (wanted, left_out) = tests.cloned().partition(|test| chosen.contains(test));
            (Some(wanted), left_out)
        }
        None => (None, Vec::new()),
    };
    let left_out: BTreeSet<TestId> = left_out.into_iter().collect();
    let selection = wanted.as_deref().map_or(Selection::AllBut(&hanging), Selection::Only);
    let mut runs = vec![(&spec, selection, limit)];
    for test in baseline.failing.iter().filter(|test| hanging.contains(test)).take(MOST_HANGING) {
        runs.push((&own, Selection::Only(std::slice::from_ref(test)), HANGING.min(limit)));
    }
    let (reports, text) = harness.run_recorded(instrumented.adapter(), &runs, tools, FILE).await?;
    let record = patchwright_blocking::spawn(move |_| record::read(&text)).await?;
    let Some(tool) = record.tool.filter(|_| !record.coverage.tests().is_empty()) else {
        return without(nothing(reports.first()));
    };
    let mut notes = Vec::new();
    if let Some(report) = reports.first().filter(|report| !report.complete) {
        let what = if report.timed_out {
            format!("did not end within {} s", limit.as_secs())
        } else {
            format!("ended with {}", report.ending)
        };
        notes.push(format!("the run that records coverage {what}; what it recorded until then counts"));
    }
    let tells = |test: &&TestId| left_out.contains(*test) || record.coverage.tests().contains(*test);
    let silent = baseline.failing.iter().filter(|test| !tells(test)).count();
    if silent > 0 {
        notes.push(format!("{silent} of the failing tests did not tell what they execute"));
    }
    // The project's own command may not name them.
    let passing = reports.first().filter(|_| baseline.report.unlisted_passed > 0).map(TestReport::passing);
    Ok(Arc::new(RecordedCoverage { coverage: Ok((record.coverage, tool)), passing, left_out, notes }))
}

/// The lines that some tests execute which a change adds to the project; none where nothing can be recorded, or was.
pub(crate) async fn record_added(
    harness: &TestHarness,
    added: &Applied,
    tests: &[TestId],
) -> Result<Option<Coverage>, TestHarnessError> {
    let instrumented = harness.instrumented_unseen();
    let Ok((tools, spec)) = recording_setup(&instrumented.spec, false) else { return Ok(None) };
    harness.compile_tools().await?;
    harness.pool().add_tools(tools);
    let lease = harness.pool().take().await?;
    let execution = harness.execution(spec.timeout).by(&spec, adapters::of(spec.kind));
    let run = async {
        lease.lane().change(added).await?;
        execution.run(lease.lane(), Selection::Only(tests), Some(added), false).await?;
        Ok(lease.lane().recorded(FILE)?)
    }
    .await;
    settle(lease, &run);
    let text = run?;
    let record = patchwright_blocking::spawn(move |_| record::read(&text)).await?;
    Ok(record.tool.map(|_| record.coverage))
}

/// Why a run recorded nothing.
fn nothing(report: Option<&TestReport>) -> String {
    match report {
        Some(report) if report.timed_out => {
            "the run that records coverage did not end in time and recorded nothing; a longer --timeout may help".to_owned()
        }
        Some(report) if report.build_failed() => "the build failed in the run that records coverage".to_owned(),
        Some(_) | None => "the run that records coverage recorded nothing".to_owned(),
    }
}
