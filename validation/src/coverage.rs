//! Coverage: the tests that execute each line, and what of it is known in a test harness.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use patchwright_protocol::TestId;
use serde::Serialize;
use tokio::sync::OnceCell;

/// The tests whose coverage is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoverageScope {
    /// All where that takes a few seconds; else the quickest of the failing ones and the nearest to them of the passing ones, as far as
    /// a few seconds go.
    Nearest,
    /// All.
    All,
}

/// The coverage that a run recorded.
#[derive(Clone, Debug)]
pub struct RecordedCoverage {
    /// The coverage and the name of the tool that recorded it; else why there is none, and how to get it.
    pub coverage: Result<(Coverage, String), String>,
    /// The tests that passed, where the baseline does not name them.
    pub passing: Option<Vec<TestId>>,
    /// Tests that were not run, to save time.
    pub left_out: BTreeSet<TestId>,
    /// Notes on the run, each a sentence.
    pub notes: Vec<String>,
}

impl RecordedCoverage {
    /// No coverage, for this reason.
    pub fn without(why: String) -> Self {
        Self { coverage: Err(why), passing: None, left_out: BTreeSet::new(), notes: Vec::new() }
    }

    /// The coverage, where there is one.
    pub fn coverage(&self) -> Option<&Coverage> {
        self.coverage.as_ref().ok().map(|(coverage, _)| coverage)
    }
}

/// A recording that is made once.
pub type CoverageCell = OnceCell<Arc<RecordedCoverage>>;

/// The coverage that is known in a test harness. Who localizes faults records it; who orders tests uses it.
#[derive(Debug, Default)]
pub struct KnownCoverage {
    nearest: CoverageCell,
    all: CoverageCell,
}

impl KnownCoverage {
    /// The recordings of the tests nearest to the failing ones, and of all.
    pub fn cells(&self) -> (&CoverageCell, &CoverageCell) {
        (&self.nearest, &self.all)
    }

    /// Whether only the tests nearest to the failing ones were recorded so far.
    pub fn is_partial(&self) -> bool {
        self.nearest.initialized() && !self.all.initialized()
    }

    /// What was recorded of most tests, if any recording succeeded.
    pub fn known(&self) -> Option<Arc<RecordedCoverage>> {
        let recorded = self.all.get().or(self.nearest.get());
        recorded.filter(|recorded| recorded.coverage.is_ok()).cloned()
    }
}

/// The tests that execute each line of the project's own files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// The tests, sorted.
    tests: Vec<TestId>,
    /// Path → line → the tests that execute it, as places in `tests`, sorted.
    files: BTreeMap<String, BTreeMap<u32, Vec<u32>>>,
}

impl Coverage {
    /// From the lines of each test.
    pub fn new(executed: BTreeMap<TestId, BTreeMap<String, BTreeSet<u32>>>) -> Self {
        let mut coverage = Self::default();
        for (index, (test, files)) in executed.into_iter().enumerate() {
            coverage.tests.push(test);
            for (path, lines) in files {
                let file = coverage.files.entry(path).or_default();
                for line in lines {
                    file.entry(line).or_default().push(index as u32);
                }
            }
        }
        coverage
    }

    /// The same for some of the files only.
    pub fn of_files(mut self, wanted: impl Fn(&str) -> bool) -> Self {
        self.files.retain(|path, _| wanted(path));
        self
    }

    /// The files of which one of these tests executes something.
    pub fn files_of(&self, tests: &[TestId]) -> BTreeSet<String> {
        let wanted: BTreeSet<u32> =
            tests.iter().filter_map(|test| self.tests.binary_search(test).ok()).map(|at| at as u32).collect();
        let executes =
            |lines: &BTreeMap<u32, Vec<u32>>| lines.values().flatten().any(|test| wanted.contains(test));
        self.files.iter().filter(|(_, lines)| executes(lines)).map(|(path, _)| path.clone()).collect()
    }

    /// The tests that told what they execute, sorted.
    pub fn tests(&self) -> &[TestId] {
        &self.tests
    }

    /// The files of which a test executes something, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The lines of a file that a test executes, with the tests, in the order of the file.
    pub fn lines(&self, path: &str) -> impl Iterator<Item = (u32, impl Iterator<Item = &TestId>)> {
        let file = self.files.get(path).into_iter().flatten();
        file.map(|(line, tests)| (*line, tests.iter().filter_map(|test| self.tests.get(*test as usize))))
    }

    /// The tests that execute one of these lines, then those that execute anything else of the file; each once, sorted
    /// in both parts. A change of these lines is best tried with them in this order.
    pub fn tests_covering(&self, path: &str, lines: &[u32]) -> Vec<&TestId> {
        let Some(file) = self.files.get(path) else { return Vec::new() };
        let near: BTreeSet<u32> = lines.iter().filter_map(|line| file.get(line)).flatten().copied().collect();
        let far: BTreeSet<u32> =
            file.values().flatten().copied().filter(|test| !near.contains(test)).collect();
        near.iter().chain(&far).filter_map(|test| self.tests.get(*test as usize)).collect()
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn coverage() -> Coverage {
        let one = |test: &str, path: &str, lines: &[u32]| {
            let files = BTreeMap::from([(path.to_owned(), lines.iter().copied().collect())]);
            (TestId::new(test), files)
        };
        Coverage::new(BTreeMap::from([
            one("z", "a.py", &[1, 2]),
            one("b", "a.py", &[7]),
            one("a", "a.py", &[2, 3]),
            one("c", "c.py", &[2]),
        ]))
    }

    #[test]
    fn tests_of_the_lines_come_before_those_of_the_file() {
        let coverage = coverage();
        let check = |path: &str, lines: &[u32], expect: &[&str]| {
            let found: Vec<&str> =
                coverage.tests_covering(path, lines).into_iter().map(TestId::as_str).collect();
            assert_eq!(found, expect, "{path} {lines:?}");
        };
        check("a.py", &[2], &["a", "z", "b"]);
        check("a.py", &[1, 7], &["b", "z", "a"]);
        check("a.py", &[], &["a", "b", "z"]);
        check("c.py", &[9], &["c"]);
        check("d.py", &[2], &[]);
    }

    #[test]
    fn only_wanted_files_are_kept() {
        let coverage = coverage().of_files(|path| path == "c.py");
        assert_eq!(coverage.paths().collect::<Vec<_>>(), ["c.py"]);
        assert_eq!(coverage.tests().len(), 4);
        let lines: Vec<_> = coverage.lines("c.py").map(|(line, tests)| (line, tests.count())).collect();
        assert_eq!(lines, [(2, 1)]);
    }
}
