//! The tests that a session has written to reproduce its bug.

use patchwright_protocol::{ReproductionRecord, ReproductionVerdict};
use patchwright_testbed::{Baseline, ReproductionTest};

/// The tests that were written, in their order, and whether that was given up.
#[derive(Debug, Default)]
pub struct Reproductions {
    written: Vec<WrittenTest>,
    given_up: Option<String>,
}

/// A test with what is recorded of it.
#[derive(Debug)]
struct WrittenTest {
    test: ReproductionTest,
    record: ReproductionRecord,
}

impl Reproductions {
    /// The number of the next test.
    pub(crate) fn next(&self) -> u32 {
        u32::try_from(self.written.len() + 1).unwrap_or(u32::MAX)
    }

    /// Keeps a test that has run on the original code.
    pub(crate) fn add(&mut self, test: ReproductionTest, record: ReproductionRecord) {
        self.written.push(WrittenTest { test, record });
    }

    /// Is true if a test was written, whatever came of it.
    pub(crate) fn were_tried(&self) -> bool {
        !self.written.is_empty()
    }

    /// Why no test can show the bug, if that was said.
    pub fn given_up(&self) -> Option<&str> {
        self.given_up.as_deref()
    }

    /// Keeps why no test can show the bug.
    pub(crate) fn give_up(&mut self, why: &str) {
        self.given_up = Some(why.to_owned());
    }

    /// The tests that show the bug and that no later one has taken the place of.
    pub fn standing(&self) -> impl Iterator<Item = &ReproductionTest> {
        self.records().map(|written| &written.test)
    }

    /// What is recorded of these.
    pub fn standing_records(&self) -> impl Iterator<Item = &ReproductionRecord> {
        self.records().map(|written| &written.record)
    }

    fn records(&self) -> impl Iterator<Item = &WrittenTest> {
        let is_replaced = |id: u32| self.written.iter().any(|later| later.record.replaces == Some(id));
        self.written.iter().filter(move |written| {
            written.record.verdict == ReproductionVerdict::Fails && !is_replaced(written.record.id)
        })
    }

    /// The test of this number, if it stands.
    pub(crate) fn stands(&self, id: u32) -> bool {
        self.standing().any(|test| test.id == id)
    }

    /// What candidates are measured by: the tests before any change, and those that were written since.
    pub fn measure(&self, baseline: &Baseline) -> Baseline {
        Baseline { reproductions: self.standing().cloned().collect(), ..baseline.clone() }
    }
}
