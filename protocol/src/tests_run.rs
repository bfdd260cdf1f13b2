//! What of a project's tests ran with a candidate: counted, and in words.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::listing::listed;
use crate::test::TestId;

/// Test files that the words name where only some were run.
const NEAREST_NAMED: usize = 3;

/// The tests of the project that ran with a candidate.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(untagged)]
pub enum TestsRun {
    /// The counts of the run that decided.
    Counted(Box<RunCounts>),
    /// Whether any other test ran than those that show the bug. Recordings of earlier versions have no counts.
    Uncounted(bool),
}

/// The counts of the run that decided about a candidate. Each test is counted once.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct RunCounts {
    /// The project's tests that show the bug: they fail before any change.
    pub showing: Tally,
    /// The tests that passed before any change.
    pub others: Tally,
    /// Whether the ending of the test command stands for all tests, because its output names none: it is counted as one test.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_command: bool,
    /// The files, modules or classes whose tests alone are counted, because all tests take too long. Empty where all are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<TestId>,
    /// The number of all tests, where only some are counted and their tool tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_tests: Option<u64>,
    /// Tests that ran, failed before any change and do not show the bug.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ignored: u64,
    /// Tests that failed in one run and passed in the next one without another change.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub flaky: u64,
    /// Tests that fail with the candidate and count for nothing, because the same run says nothing about them without it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub excused: u64,
    /// Tests that passed before any change and count for nothing, because they check what the issue calls wrong.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub set_aside: u64,
    /// Tests that are not run with any candidate: to save time, or because they do not end.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

/// How many tests of a kind passed, failed and did not run.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Tally {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// Tests that have no outcome, or were skipped.
    pub not_run: u64,
}

impl Tally {
    /// The number of tests with an outcome.
    pub fn run(self) -> u64 {
        self.passed + self.failed
    }

    /// The number of all tests of the kind.
    pub fn total(self) -> u64 {
        self.run() + self.not_run
    }

    /// How many of the tests of a kind pass, as a clause; `kind` follows the word "tests".
    fn passing(self, kind: &str) -> String {
        match (self.passed, self.total()) {
            (1, 1) => format!("the one test{kind} passes"),
            (2, 2) => format!("both tests{kind} pass"),
            (passed, total) if passed == total => format!("all {total} tests{kind} pass"),
            (1, total) => format!("1 of the {total} tests{kind} passes"),
            (passed, total) => format!("{passed} of the {total} tests{kind} pass"),
        }
    }
}

impl TestsRun {
    /// Whether a test that passed before ran, or there is none.
    pub fn others_ran(&self) -> bool {
        match self {
            Self::Counted(counts) => counts.others.total() == 0 || counts.others.run() > 0,
            Self::Uncounted(others_ran) => *others_ran,
        }
    }

    /// Is true if only some of the project's tests are run with candidates, because all take too long.
    pub fn is_partial(&self) -> bool {
        matches!(self, Self::Counted(counts) if !counts.nearest.is_empty())
    }

    /// What a candidate passes, as a clause: so many written tests that reproduce the bug, and the project's own.
    pub fn told(&self, reproductions: usize) -> String {
        let written = match reproductions {
            0 => None,
            1 => Some("the test that reproduces the bug passes".to_owned()),
            count => Some(format!("the {count} tests that reproduce the bug pass")),
        };
        let failing = match self {
            Self::Counted(counts) if counts.showing.total() > 0 && !counts.by_command => {
                Some(counts.showing.passing(" that failed"))
            }
            Self::Counted(_) | Self::Uncounted(_) => None,
        };
        let showing: String = written.into_iter().chain(failing).map(|clause| clause + ", ").collect();
        let and = if showing.is_empty() { "" } else { "and " };
        format!("{showing}{and}{}", self.others_told())
    }

    /// How many of the tests that passed before ran, as a clause after a comma; empty where that was not counted.
    pub fn share_told(&self) -> String {
        match self {
            Self::Counted(counts) if counts.others.total() > 0 && !counts.by_command => {
                format!(", {} of the {} others ran", counts.others.run(), counts.others.total())
            }
            Self::Counted(_) | Self::Uncounted(_) => String::new(),
        }
    }

    /// What is known of the tests that passed before, as a clause with what was not counted.
    pub fn others_told(&self) -> String {
        match self {
            Self::Counted(counts) => counts.others_told(),
            Self::Uncounted(true) => "the tests that passed before were run and not counted".to_owned(),
            Self::Uncounted(false) => "the tests that passed before were not run".to_owned(),
        }
    }
}

impl RunCounts {
    fn others_told(&self) -> String {
        if self.by_command {
            let passes = self.showing.passed + self.others.passed > 0;
            let passes = if passes { "passes" } else { "does not pass" };
            return format!(
                "the project's test command {passes}; it names no tests, so they are not counted"
            );
        }
        let Self { showing, others, nearest, ignored, flaky, excused, set_aside, left_out, .. } = self;
        let of_project = showing.run() + others.run() + ignored + flaky + excused + set_aside;
        let mut clauses = vec![match others.total() {
            0 if of_project == 0 => "none of the project's own tests ran".to_owned(),
            0 => "no other test passed before".to_owned(),
            1 if others.run() == 0 => "the one test that passed before was not run".to_owned(),
            total if others.run() == 0 => format!("the {total} tests that passed before were not run"),
            _ if !nearest.is_empty() => self.part_told(),
            _ => others.passing(" that passed before"),
        }];
        if others.run() > 0 && nearest.is_empty() {
            let unsaid = [(others.failed, "failed"), (others.not_run, "without an outcome")];
            clauses.extend(remarks(&unsaid));
        }
        let uncounted = [
            (*ignored, "failing before as well and ignored"),
            (*flaky, "flaky and not counted"),
            (
                *excused,
                "failing and not counted, since the run says nothing of them without the change either",
            ),
            (*set_aside, "set aside, since they check what the issue calls wrong"),
            (*left_out, "left out and not run"),
        ];
        clauses.extend(remarks(&uncounted));
        clauses.join("; ")
    }

    /// How many tests ran where these are only some, of all, where, and how many of them the candidate breaks.
    fn part_told(&self) -> String {
        let Self { others, nearest, .. } = self;
        let all = self.all_tests.map(|all| format!(" of {}", grouped(all))).unwrap_or_default();
        // Of a file that takes too long single tests are run.
        let mut files: Vec<&str> = Vec::new();
        for file in nearest.iter().filter_map(|place| place.as_str().split("::").next()) {
            if !files.contains(&file) {
                files.push(file);
            }
        }
        let is_path = files
            .iter()
            .all(|file| Path::new(file).extension().is_some_and(|found| found == "py") || file.contains('/'));
        let what = if is_path { "files" } else { "modules or classes" };
        let places = match files.as_slice() {
            [one] => (*one).to_owned(),
            files => format!("{} {what} ({})", files.len(), listed(files, NEAREST_NAMED)),
        };
        let tests = if others.run() == 1 && self.all_tests.is_none() { "test" } else { "tests" };
        let silent = match others.not_run {
            0 => String::new(),
            count => format!("; {count} without an outcome"),
        };
        format!("{}{all} {tests} ran, in {places}; {} broken{silent}", grouped(others.run()), others.failed)
    }
}

/// A number with a comma between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// The clauses on numbers of tests that are not 0.
fn remarks<'a>(counts: &'a [(u64, &'a str)]) -> impl Iterator<Item = String> + 'a {
    counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands on references")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn tally(passed: u64, failed: u64, not_run: u64) -> Tally {
        Tally { passed, failed, not_run }
    }

    fn told(reproductions: usize, counts: RunCounts) -> String {
        TestsRun::Counted(Box::new(counts)).told(reproductions)
    }

    #[test]
    fn words_claim_no_more_than_what_ran() {
        let all = RunCounts { showing: tally(1, 0, 0), others: tally(412, 0, 0), ..RunCounts::default() };
        assert_eq!(
            told(0, all.clone()),
            "the one test that failed passes, and all 412 tests that passed before pass"
        );
        let none = RunCounts::default();
        assert_eq!(
            told(1, none.clone()),
            "the test that reproduces the bug passes, and none of the project's own tests ran"
        );
        let unrun = RunCounts { others: tally(0, 0, 30), ..none.clone() };
        assert_eq!(
            told(2, unrun),
            "the 2 tests that reproduce the bug pass, and the 30 tests that passed before were not run"
        );
        let alone = RunCounts { showing: tally(3, 0, 0), ..none.clone() };
        assert_eq!(told(0, alone), "all 3 tests that failed pass, and no other test passed before");
        let nearest = RunCounts {
            others: tally(37, 0, 0),
            nearest: vec![TestId::new("a.py"), TestId::new("b.py")],
            ..none.clone()
        };
        assert_eq!(told(0, nearest), "37 tests ran, in 2 files (a.py, b.py); 0 broken");
        let of_many = RunCounts {
            showing: tally(1, 0, 0),
            others: tally(1212, 2, 0),
            nearest: vec![TestId::new("tests/test_a.py")],
            all_tests: Some(13_912),
            ..none.clone()
        };
        assert_eq!(
            told(0, of_many),
            "the one test that failed passes, and 1,214 of 13,912 tests ran, in tests/test_a.py; 2 broken"
        );
        let mixed =
            RunCounts { others: tally(7, 2, 1), ignored: 4, flaky: 1, excused: 2, left_out: 3, ..all };
        assert_eq!(
            told(0, mixed),
            "the one test that failed passes, and 7 of the 10 tests that passed before pass; 2 failed; 1 without an outcome; 4 failing before \
             as well and ignored; 1 flaky and not counted; 2 failing and not counted, since the run says nothing of them without the change \
             either; 3 left out and not run"
        );
        let by_command = RunCounts { showing: tally(1, 0, 0), by_command: true, ..none.clone() };
        assert_eq!(
            told(0, by_command),
            "the project's test command passes; it names no tests, so they are not counted"
        );
        let ignored = RunCounts { ignored: 2, ..none };
        assert_eq!(told(0, ignored), "no other test passed before; 2 failing before as well and ignored");
    }

    #[test]
    fn recordings_without_counts_are_read() {
        let old: TestsRun = serde_json::from_str("true").unwrap();
        assert_eq!((&old, old.others_ran()), (&TestsRun::Uncounted(true), true));
        let counted =
            TestsRun::Counted(Box::new(RunCounts { others: tally(0, 0, 2), ..RunCounts::default() }));
        let text = serde_json::to_string(&counted).unwrap();
        assert_eq!(
            text,
            r#"{"showing":{"passed":0,"failed":0,"not_run":0},"others":{"passed":0,"failed":0,"not_run":2}}"#
        );
        assert_eq!(serde_json::from_str::<TestsRun>(&text).unwrap(), counted);
        assert!(!counted.others_ran(), "there are others, and none ran");
        assert!(TestsRun::Counted(Box::default()).others_ran(), "there are none");
    }
}
