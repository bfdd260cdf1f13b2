//! The test files nearest to a change.

use std::collections::{BTreeMap, BTreeSet};

use patchwright_edits::{Applied, Edit, EditRules, apply};
use patchwright_index::{ElementKind, TestSubject, is_named_for, near_tests, tests_outward};
use patchwright_protocol::Failure;
use patchwright_validation::TestHarness;

use crate::issue_words::test_names;
use crate::project_index::with_index;

/// Files that are taken.
const FILES: usize = 6;
/// A file is near if it is so by this share of the nearest.
const LEAST_SHARE: f64 = 0.2;

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
        // What cannot be applied says nothing of where it belongs; then the issue alone does.
        let applied = |edits: &Vec<Edit>| apply(index.project(), edits, &EditRules::default()).ok();
        let applied: Vec<Applied> = changes.iter().filter_map(applied).collect();
        let changed = applied.iter().flat_map(|applied| &applied.files);
        let subjects: BTreeSet<TestSubject> = changed
            .flat_map(|file| {
                let path = file.path.to_string();
                let touched = file.touched();
                let is_touched =
                    |first: u32, last: u32| touched.iter().any(|line| (first..=last).contains(line));
                let elements = index.elements(&path).iter().filter(|element| {
                    element.kind != ElementKind::Variable
                        && is_touched(element.lines.first, element.lines.last)
                });
                let mut definitions: Vec<Option<String>> =
                    elements.map(|element| Some(element.qualified.clone())).collect();
                definitions.push(None);
                definitions.into_iter().map(move |definition| TestSubject { path: path.clone(), definition })
            })
            .collect();
        let subjects: Vec<TestSubject> = subjects.into_iter().collect();
        // Others may need what is not there, such as services, or are scripts that tests run. Examples in production code are tests, too.
        let is_code = |path: &str| index.file(path).is_some_and(|file| !file.test);
        let is_run = |path: &str| searched.take(path) || searched.hold(path) && is_code(path);
        let (mut nearness, mut tests): (BTreeMap<String, f64>, Vec<String>) = Default::default();
        for test in near_tests(index, &test_names(index), &subjects, &issue) {
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
        let changed: BTreeSet<String> = subjects.into_iter().map(|subject| subject.path).collect();
        let changed: Vec<String> = changed.into_iter().collect();
        // A file that is named for a changed one tells of it, whatever its tests name.
        let is_own = |path: &str| changed.iter().any(|file| is_named_for(path, file));
        files.retain(|(path, nearness)| *nearness >= nearest * LEAST_SHARE || is_own(path));
        let (mut near, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| is_own(path));
        near.extend(others);
        let near: Vec<String> = near.into_iter().take(FILES).map(|(path, _)| path).collect();
        let outward = if changed.is_empty() { Vec::new() } else { tests_outward(index, &changed) };
        let outward = outward.iter().map(ToString::to_string);
        let outward = outward.filter(|path| !near.contains(path) && is_run(path));
        Ok(NearTestFiles { tests, outward: outward.take(OUTWARD).collect(), near })
    })
    .await
}
