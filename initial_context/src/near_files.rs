//! The test files nearest to a change.

use std::collections::{BTreeMap, BTreeSet};

use patchwright_detection::TestPaths;
use patchwright_edits::{Applied, Edit, EditRules, apply};
use patchwright_index::{ElementKind, Index, TestSubject, is_named_for, near_tests, tests_outward};
use patchwright_protocol::Failure;
use patchwright_validation::TestHarness;

use crate::code::{in_production, pieces_of_issue};
use crate::issue_words::{subjects, test_names};
use crate::project_index::with_index;

/// Files that are taken.
const FILES: usize = 6;
/// A file is near if it is so by this share of the nearest.
const LEAST_SHARE: f64 = 0.2;

/// Pieces of code that a fix will most probably change, and files whose tests name these.
const PREDICTED_PIECES: usize = 5;
const PREDICTED_FILES: usize = 12;

/// Tests that are taken by themselves.
const TESTS: usize = 40;
/// Files that are taken beyond these.
const OUTWARD: usize = 200;

/// Test files, those first that most probably tell of a change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NearTestFiles {
    /// Their nearest tests, by the names that pytest has for them: where files take long, these say most.
    pub tests: Vec<String>,
    /// Those whose tests name what is changed, or words of the issue.
    pub near: Vec<String>,
    /// The others, as far as imports lead from them to what is changed, the fewest imports first.
    pub outward: Vec<String>,
}

/// The test files of a project.
///
/// # Errors
/// The project cannot be read.
pub async fn test_files(harness: &TestHarness) -> Result<Vec<String>, Failure> {
    let searched = harness.detected().searched();
    with_index(harness, move |index| {
        let paths = index.files().filter(|file| file.test).map(|file| file.path.to_string());
        Ok(paths.filter(|path| searched.take(path)).collect())
    })
    .await
}

/// The test files nearest to what some changes touch, each of edits of its own, the nearest first; the words of the issue count too.
///
/// # Errors
/// The project cannot be read.
pub async fn near_test_files(
    harness: &TestHarness,
    changes: Vec<Vec<Edit>>,
    issue: &str,
) -> Result<NearTestFiles, Failure> {
    let issue = issue.to_owned();
    let searched = harness.detected().searched();
    with_index(harness, move |index| {
        let subjects = touched(index, &changes);
        let run = |path: &str| is_run(index, &searched, path);
        let found = near(index, &subjects, &issue, FILES, run);
        let changed: BTreeSet<&String> = subjects.iter().map(|subject| &subject.path).collect();
        let changed: Vec<String> = changed.into_iter().cloned().collect();
        let outward = if changed.is_empty() { Vec::new() } else { tests_outward(index, &changed) };
        let outward = outward.iter().map(ToString::to_string);
        let outward = outward.filter(|path| !found.near.contains(path) && run(path));
        Ok(NearTestFiles { outward: outward.take(OUTWARD).collect(), ..found })
    })
    .await
}

/// The test files that will most probably be the nearest to a fix, before there is one: those nearest to the code that its issue leads to.
///
/// # Errors
/// The project cannot be read.
pub async fn predicted_test_files(harness: &TestHarness, issue: &str) -> Result<NearTestFiles, Failure> {
    let issue = issue.to_owned();
    let searched = harness.detected().searched();
    in_production(harness, move |index, wanted| {
        let mut pieces = pieces_of_issue(index, &issue, wanted);
        pieces.truncate(PREDICTED_PIECES);
        Ok(near(index, &subjects(index, &pieces), &issue, PREDICTED_FILES, |path| {
            is_run(index, &searched, path)
        }))
    })
    .await
}

/// What some changes touch: definitions, and their files.
fn touched(index: &Index, changes: &[Vec<Edit>]) -> Vec<TestSubject> {
    // What cannot be applied says nothing of where it belongs; then the issue alone does.
    let applied = |edits: &Vec<Edit>| apply(index.project(), edits, &EditRules::default()).ok();
    let applied: Vec<Applied> = changes.iter().filter_map(applied).collect();
    let changed = applied.iter().flat_map(|applied| &applied.files);
    let subjects: BTreeSet<TestSubject> = changed
        .flat_map(|file| {
            let path = file.path.to_string();
            let touched = file.touched();
            let is_touched = |first: u32, last: u32| touched.iter().any(|line| (first..=last).contains(line));
            let elements = index.elements(&path).iter().filter(|element| {
                element.kind != ElementKind::Variable && is_touched(element.lines.first, element.lines.last)
            });
            let mut definitions: Vec<Option<String>> =
                elements.map(|element| Some(element.qualified.clone())).collect();
            definitions.push(None);
            definitions.into_iter().map(move |definition| TestSubject { path: path.clone(), definition })
        })
        .collect();
    subjects.into_iter().collect()
}

/// The test files nearest to some code, at most so many of those that are run.
fn near(
    index: &Index,
    subjects: &[TestSubject],
    issue: &str,
    most: usize,
    is_run: impl Fn(&str) -> bool,
) -> NearTestFiles {
    let (mut nearness, mut tests): (BTreeMap<String, f64>, Vec<String>) = Default::default();
    for test in near_tests(index, &test_names(index), subjects, issue) {
        if !is_run(test.path.as_str()) {
            continue;
        }
        let best = nearness.entry(test.path.to_string()).or_default();
        *best = best.max(test.nearness);
        tests.extend(test.tests.into_iter().take(TESTS.saturating_sub(tests.len())));
    }
    let mut files: Vec<(String, f64)> = nearness.into_iter().collect();
    files.sort_by(|one, other| other.1.total_cmp(&one.1));
    let nearest = files.first().map_or(0.0, |(_, nearness)| *nearness);
    // A file that is named for a changed one tells of it, whatever its tests name.
    let is_own = |path: &str| subjects.iter().any(|subject| is_named_for(path, &subject.path));
    files.retain(|(path, nearness)| *nearness >= nearest * LEAST_SHARE || is_own(path));
    let (mut near, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| is_own(path));
    near.extend(others);
    let near = near.into_iter().take(most).map(|(path, _)| path).collect();
    NearTestFiles { tests, near, outward: Vec::new() }
}

/// Whether the tests of a file are among those that the test command runs. Others may need what is not there, such as services, or are
/// scripts that tests run. Examples in production code are tests, too.
fn is_run(index: &Index, searched: &TestPaths, path: &str) -> bool {
    let is_code = || index.file(path).is_some_and(|file| !file.test);
    searched.take(path) || searched.hold(path) && is_code()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_of_the_code_that_an_issue_leads_to_are_predicted() {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [
            (
                "quay.py",
                "class Quay:\n    def fee(self, days):\n        \"\"\"The toll of a ferry.\"\"\"\n        return days\n",
            ),
            ("tide.py", "def tide(hour):\n    return hour\n"),
            ("tests/test_quay.py", "def test_days():\n    assert Quay().fee(2) == 2\n"),
            ("tests/test_tide.py", "def test_tide():\n    assert tide(1) == 1\n"),
        ] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let index = Index::build(folder.path()).unwrap();
        let issue = "The toll of a ferry is never zero.";
        let near_to = |subjects: &[TestSubject]| near(&index, subjects, issue, FILES, |_| true).near;
        assert!(near_to(&[]).is_empty(), "no test has a word of it");
        let pieces = pieces_of_issue(&index, issue, &|file| !file.test);
        assert_eq!(near_to(&subjects(&index, &pieces)), ["tests/test_quay.py"]);
    }
}
