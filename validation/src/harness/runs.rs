//! Runs of tests in lanes of a harness.

use std::time::Duration;

use patchwright_detection::ProjectSpec;
use patchwright_detection::adapters::{Adapter, RUNNER_CLASSES};
use patchwright_edits::Applied;
use patchwright_lanes::{Lane, LaneError, TOOLS, Tools, files_in};
use patchwright_protocol::{Failure, TestId};
use patchwright_sandbox::Exit;
use patchwright_test_results::TestReport;

use super::{TOOLS_TIME, TestHarness};
use crate::error::TestHarnessError;
use crate::execution::{ALL, Execution, Selection, settle};

impl TestHarness {
    /// Runs some tests, or all, after writing a change into a lane.
    ///
    /// # Errors
    /// The sandbox or the disk; [`TestHarnessError::Write`] when the change does not fit the files.
    pub async fn run_tests(
        &self,
        tests: Option<&[TestId]>,
        applied: Option<&Applied>,
    ) -> Result<TestReport, TestHarnessError> {
        self.run(tests.map_or(ALL, Selection::Only), applied, self.spec().timeout).await
    }

    /// Runs tests in a lane of the pool.
    pub(crate) async fn run(
        &self,
        selection: Selection<'_>,
        applied: Option<&Applied>,
        limit: Duration,
    ) -> Result<TestReport, TestHarnessError> {
        last(self.run_in(self.optimizations.keep_lanes, &[selection], applied, limit, |_| false).await?)
    }

    /// Runs tests in a copy that nothing ran in before, and removes it.
    pub(crate) async fn run_fresh(
        &self,
        selection: Selection<'_>,
        applied: Option<&Applied>,
        limit: Duration,
    ) -> Result<TestReport, TestHarnessError> {
        last(self.run_in(false, &[selection], applied, limit, |_| false).await?)
    }

    /// The same by commands that need nothing of ours: none of our tools lies beside the project.
    pub(crate) async fn run_fresh_by(
        &self,
        execution: Execution<'_>,
        selection: Selection<'_>,
        applied: Option<&Applied>,
    ) -> Result<TestReport, TestHarnessError> {
        let lease = self.lanes.fresh().await?;
        let lane = lease.lane();
        let cleared = lane.root().remove(TOOLS, &|| false).and_then(|()| lane.root().make(TOOLS));
        cleared.map_err(LaneError::from)?;
        let run = self.run_in_lane(lease.lane(), execution, &[selection], applied, |_| false).await;
        let removed = lease.remove().await;
        let report = last(run?)?;
        removed.map(|()| report).map_err(TestHarnessError::from)
    }

    /// Runs one selection of tests after the other in the same lane, which is built once, as long as the reports let it
    /// `go_on`. There is a report for each run that took place. The lane is used again if it is to be `kept`, else nothing ran in it before.
    pub(crate) async fn run_in(
        &self,
        kept: bool,
        selections: &[Selection<'_>],
        applied: Option<&Applied>,
        limit: Duration,
        go_on: impl Fn(&TestReport) -> bool + Send,
    ) -> Result<Vec<TestReport>, TestHarnessError> {
        self.compile_tools().await?;
        let lease = if kept { self.lanes.take().await? } else { self.lanes.fresh().await? };
        let run = self.run_in_lane(lease.lane(), self.execution(limit), selections, applied, go_on).await;
        if !kept {
            let removed = lease.remove().await;
            let reports = run?;
            return removed.map(|()| reports).map_err(TestHarnessError::from);
        }
        settle(lease, &run);
        run
    }

    async fn run_in_lane(
        &self,
        lane: &Lane,
        execution: Execution<'_>,
        selections: &[Selection<'_>],
        applied: Option<&Applied>,
        go_on: impl Fn(&TestReport) -> bool + Send,
    ) -> Result<Vec<TestReport>, TestHarnessError> {
        if let Some(applied) = applied {
            lane.change(applied).await?;
        }
        let mut reports = Vec::new();
        for selection in selections {
            let report = execution.run(lane, *selection, applied, !reports.is_empty()).await?;
            let stop = !go_on(&report);
            reports.push(report);
            if stop {
                break;
            }
        }
        Ok(reports)
    }

    /// Runs selections of tests one after the other in a lane with more `tools`, each with commands and a time limit of
    /// its own. There is a report for each, and the text that they left in a file of the folder `out`.
    pub async fn run_recorded(
        &self,
        adapter: &dyn Adapter,
        runs: &[(&ProjectSpec, Selection<'_>, Duration)],
        tools: Tools,
        file: &str,
    ) -> Result<(Vec<TestReport>, String), TestHarnessError> {
        self.compile_tools().await?;
        self.lanes.add_tools(tools);
        let lease = self.lanes.take().await?;
        self.built.put_into(lease.lane())?;
        let mut reports = Vec::new();
        for (spec, selection, limit) in runs {
            let execution = self.execution(*limit).by(spec, adapter);
            reports.push(execution.run(lease.lane(), *selection, None, !reports.is_empty()).await?);
        }
        let recorded = lease.lane().recorded(file)?;
        lease.give_back();
        Ok((reports, recorded))
    }

    /// Compiles our own runner, once; its classes are put into every lane from then on.
    pub async fn compile_tools(&self) -> Result<(), TestHarnessError> {
        // The limit for the project's commands is not about ours.
        let compiled = self.tools.get_or_try_init(|| self.compile(self.execution(TOOLS_TIME))).await;
        compiled.copied()
    }

    /// Compiles the runner of an adapter, whose sources are in every lane.
    pub(crate) async fn compile(&self, execution: Execution<'_>) -> Result<(), TestHarnessError> {
        let Some(line) = execution.adapter.compile_tools() else { return Ok(()) };
        let _step = self.activity.begin("compiling the runner of tests");
        let lease = self.lanes.take().await?;
        let lane = lease.lane();
        let outcome = execution.command(lane, &line, &[]).await?;
        if !outcome.exit.success() {
            let normalizer = execution.normalizer(lane, None);
            let mut log = normalizer.log(&format!("{}\n{}", outcome.stdout.text(), outcome.stderr.text()));
            if outcome.exit == Exit::TimedOut {
                log.push_str(&format!("it was not compiled within {} s", TOOLS_TIME.as_secs()));
            }
            return Err(TestHarnessError::Runner { log });
        }
        self.lanes.add_tools(files_in(&lane.tools()?, RUNNER_CLASSES)?);
        lease.give_back();
        Ok(())
    }
}

/// The report of the last run.
pub(crate) fn last(mut reports: Vec<TestReport>) -> Result<TestReport, TestHarnessError> {
    reports.pop().ok_or_else(|| Failure::defect("nothing was run").into())
}
