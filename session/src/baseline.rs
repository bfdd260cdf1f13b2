//! The tests before any change, which may still run while the session goes on.

use std::sync::OnceLock;

use patchwright_protocol::{FailingTest, Failure};
use patchwright_trajectory::{Event, TrajectoryWriteError};
use patchwright_validation::Baseline;
use tokio::sync::SetOnce;

use crate::journal::Journal;
use crate::memory::tests_text;

/// Bytes of the test report that a prompt shows.
const REPORT_BYTES: usize = 12_000;

/// The tests before any change, with what is to be recorded of them.
#[derive(Debug)]
pub struct MeasuredBaseline {
    /// The tests before any change.
    pub baseline: Baseline,
    /// Is false if none of the project's tests are run, so that nothing is known of them.
    pub is_tested: bool,
    /// Wall-clock seconds that building and testing took.
    pub seconds: f64,
    /// What a user should know of them, each a sentence.
    pub warnings: Vec<String>,
}

impl MeasuredBaseline {
    /// The failing tests with their messages.
    pub fn failing_tests(&self) -> Vec<FailingTest> {
        let message = |id| self.baseline.report.outcome(id).and_then(|outcome| outcome.message.clone());
        let failing = self.baseline.failing.iter();
        failing.map(|id| FailingTest { id: id.clone(), message: message(id) }).collect()
    }

    /// What the tests said, in as many bytes as a prompt shows; nothing where none ran.
    pub fn report(&self) -> String {
        if self.is_tested { self.baseline.report.render(REPORT_BYTES) } else { String::new() }
    }

    /// What a prompt says of the tests: the report of those that show the bug, without the others that fail; where none does, how many
    /// pass and fail.
    pub fn report_for_prompts(&self) -> String {
        let Baseline { report, failing, known_failing, .. } = &self.baseline;
        if failing.is_empty() {
            return tests_text(self.passed(), &[], known_failing, (&[], ""));
        }
        if !self.is_tested {
            return String::new();
        }
        report.render_those(|test| failing.contains(test), REPORT_BYTES)
    }

    /// The number of tests that pass.
    fn passed(&self) -> u64 {
        if self.is_tested { self.baseline.passing.len() as u64 } else { 0 }
    }

    /// Writes down what is known of tests that were named, before the others are through.
    ///
    /// # Errors
    /// The trajectory cannot be written.
    pub fn record_named(&self, journal: &mut Journal) -> Result<(), TrajectoryWriteError> {
        journal.record(Event::NamedTests {
            failing: self.failing_tests(),
            report: self.report(),
            seconds: self.seconds,
        })
    }

    /// Writes down what is known of the tests.
    ///
    /// # Errors
    /// The trajectory cannot be written.
    pub fn record(&self, journal: &mut Journal) -> Result<(), TrajectoryWriteError> {
        let Baseline { report, known_failing, flaky, nearest, all_tests, notes, .. } = &self.baseline;
        for note in notes.iter().chain(&self.warnings) {
            journal.record(Event::warning(note))?;
        }
        journal.record(Event::Baseline {
            total: if self.is_tested { report.outcomes.len() as u64 } else { 0 },
            passed: self.passed(),
            failing: self.failing_tests(),
            known_failing: known_failing.clone(),
            flaky: flaky.clone(),
            nearest: nearest.clone(),
            all_tests: *all_tests,
            report: self.report(),
            seconds: self.seconds,
            suite_seconds: Some(self.baseline.seconds()),
            traced: self.baseline.tests_to_trace(),
        })
    }
}

/// The tests before any change, once they are known: one part of a session runs them, others wait for what they came to.
///
/// ```
/// # #[tokio::main]
/// # async fn main() {
/// use patchwright_protocol::Failure;
/// use patchwright_session::PendingBaseline;
///
/// let pending = PendingBaseline::default();
/// let measuring = async { pending.set(Err(Failure::environment("the disk is full"))) };
/// let (known, ()) = tokio::join!(pending.wait(), measuring);
/// assert_eq!(known.unwrap_err().message, "the disk is full");
/// # }
/// ```
#[derive(Debug, Default)]
pub struct PendingBaseline {
    all: SetOnce<Result<MeasuredBaseline, Failure>>,
    named: OnceLock<MeasuredBaseline>,
    near: SetOnce<Option<Baseline>>,
    abandoned: SetOnce<()>,
}

impl PendingBaseline {
    /// Says what the tests came to. What was said first stands.
    pub fn set(&self, measured: Result<MeasuredBaseline, Failure>) {
        let _ = self.all.set(measured);
    }

    /// Says what tests came to that were named as those that show the bug, and run without the others.
    pub fn set_named(&self, measured: MeasuredBaseline) {
        let _ = self.named.set(measured);
    }

    /// Says what the tests came to that are nearest to an issue, which run beside all; `None` where none of them is known. What was said
    /// first stands.
    pub fn set_near(&self, near: Option<Baseline>) {
        let _ = self.near.set(near);
    }

    /// What the tests came to that are nearest to an issue, once they are through.
    pub async fn near(&self) -> Option<&Baseline> {
        self.near.wait().await.as_ref()
    }

    /// Says that nobody waits for the tests any more: whoever runs them may stop.
    pub fn abandon(&self) {
        let _ = self.abandoned.set(());
    }

    /// Waits until nobody waits for the tests any more.
    pub async fn abandoned(&self) {
        self.abandoned.wait().await;
    }

    /// What the tests came to, where that is known already.
    pub fn known(&self) -> Option<&MeasuredBaseline> {
        self.all.get()?.as_ref().ok()
    }

    /// What a prompt can tell of the tests by now: of all or, while they run, of those that were named.
    pub fn so_far(&self) -> Option<&MeasuredBaseline> {
        self.known().or_else(|| self.named.get())
    }

    /// Waits until the tests are through.
    ///
    /// # Errors
    /// They could not be run.
    pub async fn wait(&self) -> Result<&MeasuredBaseline, Failure> {
        self.all.wait().await.as_ref().map_err(Failure::clone)
    }
}
