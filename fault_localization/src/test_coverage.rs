//! The production code that a test which was written executes.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::atomic::AtomicBool;

use patchwright_protocol::TestCoverage;
use patchwright_syntax::{ProjectPath, statements};
use patchwright_validation::{ReproductionTest, TestHarness, TestHarnessError};

use crate::recording::record_added;

/// Lines of a file.
pub type FileLines = (String, RangeInclusive<u32>);

/// Runs a test on the original code once more while it is recorded which lines it executes; of those that are `suspicious` it is said
/// how many. None where our own runners do not run the project's tests, where nothing that records is installed, or the run told
/// nothing.
///
/// # Errors
/// The sandbox or the disk.
pub async fn coverage_of(
    harness: &TestHarness,
    test: &ReproductionTest,
    suspicious: &[FileLines],
) -> Result<Option<TestCoverage>, TestHarnessError> {
    let (Some(added), Some(selection)) = (test.added(), test.selection()) else { return Ok(None) };
    let step = harness.activity().begin("recording which lines the test executes");
    let recorded = record_added(harness, added, selection).await?;
    drop(step);
    let Some(coverage) = recorded else { return Ok(None) };
    let (project, rules, suspicious) = (harness.project().clone(), harness.rules(), suspicious.to_vec());
    let count = move |_: &AtomicBool| -> Result<TestCoverage, TestHarnessError> {
        let files = rules.allowed(project.files()?).map_err(patchwright_protocol::Failure::defect)?;
        let is_production = |path: &str| files.iter().any(|file| file.as_str() == path);
        let executed = |path: &str| coverage.lines(path).map(|(line, _)| line).collect::<BTreeSet<u32>>();
        let all = coverage.paths().filter(|path| is_production(path)).map(|path| executed(path).len() as u64);
        let mut told = TestCoverage { executed: all.sum(), suspicious: 0, suspicious_executed: 0 };
        let paths: BTreeSet<&str> = suspicious.iter().map(|(path, _)| path.as_str()).collect();
        for path in paths {
            let ran = executed(path);
            // What is suspicious for several reasons counts once.
            let is_suspicious =
                |line: &u32| suspicious.iter().any(|(of, lines)| of == path && lines.contains(line));
            let within: Vec<u32> = running_lines(&project, path).into_iter().filter(is_suspicious).collect();
            told.suspicious += within.len() as u64;
            told.suspicious_executed += within.iter().filter(|line| ran.contains(line)).count() as u64;
        }
        Ok(told)
    };
    patchwright_blocking::spawn(count).await?.map(Some)
}

/// The lines of a file at which a statement begins.
fn running_lines(project: &patchwright_syntax::Project, path: &str) -> BTreeSet<u32> {
    let source = ProjectPath::new(path).ok().and_then(|path| project.read(&path).ok());
    let language = patchwright_syntax::Language::of_path(std::path::Path::new(path));
    let (Some(source), Some(language)) = (source, language) else { return BTreeSet::new() };
    statements(language, &source).running().map(|statement| statement.lines.first).collect()
}
