//! The result of a session that was to write a test: the patch that adds it, and what speaks for it.

use patchwright_edits::formats::{EditFormat, read_edits};
use patchwright_edits::{Applied, Edit};
use patchwright_protocol::{ReproductionRecord, SessionResult, Status, TestMethod, WrittenTest};
use patchwright_validation::{AlteredTests, ReproductionTest};

use crate::context::{SessionContext, SessionOutcome};
use crate::stop::Stop;

/// The test that a session has written.
#[derive(Clone, Debug, PartialEq)]
pub struct TestSolution {
    /// The numbers of the tests that make it up.
    pub numbers: Vec<u32>,
    /// What they add to the project.
    pub added: Applied,
    /// What is told of them.
    pub written: WrittenTest,
    /// Is true if nobody can tell that they fail for the issue's reason.
    pub is_doubted: bool,
    /// Why they are believed, or doubted: words for people.
    pub why: String,
}

/// Why a test is doubted that is known to execute nothing of what it should test.
pub const EXECUTES_NOTHING: &str = "it executes none of the project's code, as far as that is recorded";

impl TestSolution {
    /// The tests that stand, as the product of a session; none where none of them is a part of the project. Of two that touch the same
    /// file the later one counts.
    pub fn from_standing(
        standing: &[ReproductionTest],
        records: &[ReproductionRecord],
        method: TestMethod,
    ) -> Option<Self> {
        let mut numbers = Vec::new();
        let mut together: Option<Applied> = None;
        for test in standing.iter().rev() {
            let Some(added) = test.added() else { continue };
            let touches = |known: &Applied| {
                added.files.iter().any(|file| known.files.iter().any(|other| other.path == file.path))
            };
            if together.as_ref().is_some_and(touches) {
                continue;
            }
            together = Some(together.map_or_else(|| added.clone(), |known| known.with(added)));
            numbers.insert(0, test.id);
        }
        let added = together?;
        let own: Vec<&ReproductionRecord> =
            records.iter().filter(|record| numbers.contains(&record.id)).collect();
        let failure = own.first().and_then(|record| record.failure.clone()).unwrap_or_default();
        let written = WrittenTest {
            method,
            files: added.files.iter().map(|file| file.path.to_string()).collect(),
            tests: own.iter().flat_map(|record| record.tests.clone()).collect(),
            failure,
            matches_issue: None,
            coverage: None,
            left_out: Vec::new(),
            changed: AlteredTests::of(&added).changed,
        };
        Some(Self { numbers, added, written, is_doubted: false, why: String::new() })
    }

    /// The edits that add the test to the project. Whoever applies them compares what comes out with the patch.
    pub fn edits(&self) -> Vec<Edit> {
        read_edits(&self.added.diff(), Some(EditFormat::Diff))
            .map(|reading| reading.edits)
            .unwrap_or_default()
    }

    /// Is true if it is known to execute nothing of what it should test.
    pub fn executes_nothing(&self) -> bool {
        self.written.coverage.as_ref().is_some_and(|coverage| coverage.executed == 0)
    }

    /// What speaks for the test beside `why`: its failure, and what it executes.
    fn told(&self) -> String {
        let WrittenTest { failure, coverage, left_out, changed, .. } = &self.written;
        let first = failure.lines().next().unwrap_or_default();
        let mut text = format!("it fails on the original code ({first})");
        if let Some(coverage) = coverage {
            text.push_str(&format!(" and executes {} lines of production code", coverage.executed));
            if coverage.suspicious > 0 {
                let (ran, all) = (coverage.suspicious_executed, coverage.suspicious);
                text.push_str(&format!(", {ran} of the {all} that are suspected"));
            }
        }
        if !left_out.is_empty() {
            text.push_str(&format!(
                "; changes of {} were left out, as these are no tests",
                left_out.join(", ")
            ));
        }
        if !changed.is_empty() {
            text.push_str(&format!(
                "; it changes what the project's tests check so far: {}",
                changed.join(", ")
            ));
        }
        text
    }
}

impl SessionContext {
    /// The result of a session that was to write a test and was stopped like this. Whatever stopped it, a test that stands is the answer.
    pub fn test_result(
        &self,
        stop: &Stop,
        hint: Option<String>,
        outcome: Option<&TestSolution>,
    ) -> SessionResult {
        let base = self.result(stop, hint, SessionOutcome::default());
        let Some(outcome) = outcome else { return SessionResult { reproductions: Vec::new(), ..base } };
        let ended =
            if stop.is_in_order() { String::new() } else { format!("; the session ended early: {stop}") };
        let why = if outcome.why.is_empty() { String::new() } else { format!("; {}", outcome.why) };
        let mut reproductions = base.reproductions;
        reproductions.retain(|test| outcome.numbers.contains(&test.test.id));
        SessionResult {
            status: if outcome.is_doubted { Status::Unverified } else { Status::Reproduced },
            reason: format!("{}{why}{ended}", outcome.told()),
            hint: base.hint.filter(|_| outcome.is_doubted || stop.status() == Status::Model),
            patch: Some(outcome.added.diff()),
            reproductions,
            written: Some(Box::new(outcome.written.clone())),
            ..base
        }
    }
}
