//! Tests run on the original code, and what is kept of each.

use std::time::Instant;

use patchwright_protocol::{Excerpt, ReproductionRecord, ReproductionVerdict};
use patchwright_session::Stop;
use patchwright_syntax::decoded;
use patchwright_trajectory::Event;
use patchwright_validation::{ReproductionRun, ReproductionTest, TestHarnessError};

use crate::draft::Draft;
use crate::writer::TestWriter;

/// Bytes of what a run said that are kept.
const REPORT_BYTES: usize = 4_000;

/// A test that was written and has run on the original code.
#[derive(Clone, Debug)]
pub(crate) struct TriedTest {
    pub(crate) test: ReproductionTest,
    pub(crate) record: ReproductionRecord,
    /// What the run said.
    pub(crate) report: String,
    /// Why it may fail for another reason than the issue tells.
    pub(crate) doubt: Option<String>,
    pub(crate) left_out: Vec<String>,
    /// Whether its failure is the issue's, where somebody was asked and said so.
    pub(crate) matches: Option<bool>,
}

impl TriedTest {
    /// Is true if it fails on the original code, for what may be the issue's reason.
    pub(crate) fn fails(&self) -> bool {
        self.record.verdict == ReproductionVerdict::Fails
    }

    /// How it fails, or why it does not run; the first line.
    pub(crate) fn failure(&self) -> &str {
        self.record.failure.as_deref().and_then(|text| text.lines().next()).unwrap_or_default()
    }

    /// What it adds to each file: of a new one the text, of others the change.
    pub(crate) fn excerpts(&self) -> Vec<Excerpt> {
        let Some(added) = self.test.added() else { return Vec::new() };
        let text = |file: &patchwright_edits::FileChange| match (&file.before, &file.after) {
            (None, Some(after)) => decoded(after).into_owned(),
            (Some(_), _) | (None, None) => patchwright_edits::Applied {
                files: vec![file.clone()],
                notes: Vec::new(),
                comment_only: false,
            }
            .diff(),
        };
        let excerpt = |file| Excerpt { path: file_path(file), text: text(file) };
        added.files.iter().map(excerpt).collect()
    }
}

fn file_path(file: &patchwright_edits::FileChange) -> String {
    file.path.to_string()
}

impl TestWriter<'_> {
    /// The number of the next test.
    pub(crate) fn next_id(&self) -> u32 {
        u32::try_from(self.tried.len() + 1).unwrap_or(u32::MAX)
    }

    /// Runs a test on the original code and keeps it; its place among those that were tried.
    pub(crate) async fn try_out(&mut self, draft: Draft) -> Result<usize, Stop> {
        let began = Instant::now();
        let run = self.harness.reproduce(&draft.test, None, None).await?;
        self.stages.context.budget.spent_mut().test_seconds += began.elapsed().as_secs_f64();
        self.keep(draft, &run)
    }

    /// Runs tests in all lanes, and keeps them in their order.
    pub(crate) async fn try_all(&mut self, drafts: Vec<Draft>) -> Result<Vec<usize>, Stop> {
        use futures_util::stream::{self, StreamExt};
        let (began, harness) = (Instant::now(), self.harness);
        let runs = stream::iter(drafts).map(|draft| async move {
            let run = harness.reproduce(&draft.test, None, None).await;
            run.map(|run| (draft, run))
        });
        let runs: Vec<Result<_, TestHarnessError>> = runs.buffered(harness.lanes().max(1)).collect().await;
        self.stages.context.budget.spent_mut().test_seconds += began.elapsed().as_secs_f64();
        let mut places = Vec::new();
        for run in runs {
            let (draft, run) = run?;
            places.push(self.keep(draft, &run)?);
        }
        Ok(places)
    }

    fn keep(&mut self, draft: Draft, run: &ReproductionRun) -> Result<usize, Stop> {
        let Draft { mut test, left_out } = draft;
        let issue = self.stages.context.task.issue.as_deref().unwrap_or_default();
        let record = test.record(run, issue);
        let doubt = run.doubt(issue);
        let cycle = self.stages.context.cycle;
        self.stages.context.journal.record(Event::Reproduction { cycle, test: record.clone() })?;
        test.failing.clone_from(&record.tests);
        let report = run.report.render(REPORT_BYTES);
        self.tried.push(TriedTest { test, record, report, doubt, left_out, matches: None });
        Ok(self.tried.len() - 1)
    }

    /// Runs a test once more: is true if it fails again, and alike.
    pub(crate) async fn fails_again(&mut self, place: usize) -> Result<bool, Stop> {
        let began = Instant::now();
        let tried = &self.tried[place];
        let run = self.harness.reproduce(&tried.test, None, None).await?;
        self.stages.context.budget.spent_mut().test_seconds += began.elapsed().as_secs_f64();
        let issue = self.stages.context.task.issue.as_deref().unwrap_or_default();
        let again = tried.test.record(&run, issue);
        Ok(again.verdict == tried.record.verdict && again.tests == tried.record.tests)
    }
}
