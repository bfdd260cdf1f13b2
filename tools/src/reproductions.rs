//! The tests that a session has written to reproduce its bug.

use patchwright_protocol::{ReproductionRecord, ReproductionVerdict};
use patchwright_validation::{Baseline, ReproductionTest};

/// The tests that were written, in their order, and whether that was given up.
#[derive(Debug, Default)]
pub struct Reproductions {
    tests: Vec<ReproductionTest>,
    /// The code of each, as it was given.
    codes: Vec<String>,
    /// What is recorded of each of them.
    records: Vec<ReproductionRecord>,
    given_up: Option<String>,
}

impl Reproductions {
    /// The number of the next test.
    pub(crate) fn next(&self) -> u32 {
        u32::try_from(self.tests.len() + 1).unwrap_or(u32::MAX)
    }

    /// Keeps a test that has run on the original code.
    pub(crate) fn add(&mut self, test: ReproductionTest, record: ReproductionRecord, code: &str) {
        self.tests.push(test);
        self.codes.push(code.trim().to_owned());
        self.records.push(record);
    }

    /// Is true if a test was written, whatever came of it.
    pub(crate) fn were_tried(&self) -> bool {
        !self.tests.is_empty()
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
        let standing: Vec<u32> =
            ReproductionRecord::standing(&self.records).map(|record| record.id).collect();
        self.tests.iter().filter(move |test| standing.contains(&test.id))
    }

    /// The test of this number, if it stands.
    pub(crate) fn stands(&self, id: u32) -> bool {
        self.standing().any(|test| test.id == id)
    }

    /// Is true if the test of this number was written and never showed the bug.
    pub(crate) fn showed_nothing(&self, id: u32) -> bool {
        self.records.iter().any(|record| record.id == id && record.verdict != ReproductionVerdict::Fails)
    }

    /// The code of the test of this number, if it stands.
    pub(crate) fn code(&self, id: u32) -> Option<&str> {
        let mut all = self.tests.iter().zip(&self.codes);
        all.find(|(test, _)| test.id == id && self.stands(id)).map(|(_, code)| code.as_str())
    }

    /// The number of the test that stands and has this code.
    pub(crate) fn standing_with(&self, code: &str) -> Option<u32> {
        let mut same = self.tests.iter().zip(&self.codes).filter(|(_, known)| *known == code.trim());
        same.find_map(|(test, _)| self.stands(test.id).then_some(test.id))
    }

    /// The number of the test that stands in the new file that another one is written to.
    pub(crate) fn standing_in_file_of(&self, other: &ReproductionTest) -> Option<u32> {
        let mut standing = self.standing().filter(|test| test.makes_file() && other.makes_file());
        standing.find_map(|test| (test.path == other.path).then_some(test.id))
    }

    /// What candidates are measured by: the tests before any change, and those that were written since. Failing tests that are only supposed
    /// to show the bug count no longer once a test was written for it.
    pub fn measure(&self, baseline: &Baseline) -> Baseline {
        let reproductions: Vec<ReproductionTest> = self.standing().cloned().collect();
        let mut measure = baseline.clone();
        if measure.supposed && !reproductions.is_empty() {
            let supposed: Vec<String> = measure.failing.iter().map(ToString::to_string).collect();
            measure.ignore(&supposed);
        }
        Baseline { reproductions, ..measure }
    }
}
