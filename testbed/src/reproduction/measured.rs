//! The production code that a test which was written executes.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::atomic::AtomicBool;

use patchwright_edits::Applied;
use patchwright_protocol::{TestCoverage, TestId};
use patchwright_syntax::{ProjectPath, statements};

use super::{Form, ReproductionTest};
use crate::bed::TestBed;
use crate::coverage::Coverage;
use crate::error::TestBedError;

/// Lines of a file.
pub type FileLines = (String, RangeInclusive<u32>);

impl TestBed {
    /// Runs a test on the original code once more while it is recorded which lines it executes; of those that are `suspicious` it is said
    /// how many. None where our own runners do not run the project's tests, where nothing that records is installed, or the run told
    /// nothing.
    ///
    /// # Errors
    /// The sandbox or the disk.
    pub async fn coverage_of(
        &self,
        test: &ReproductionTest,
        suspicious: &[FileLines],
    ) -> Result<Option<TestCoverage>, TestBedError> {
        let Form::Project { added, selection } = &test.form else { return Ok(None) };
        let Some(coverage) = self.recorded_with(added, selection).await? else { return Ok(None) };
        let (project, rules, suspicious) = (self.project().clone(), self.rules(), suspicious.to_vec());
        let count = move |_: &AtomicBool| -> Result<TestCoverage, TestBedError> {
            let files = rules.allowed(project.files()?).map_err(patchwright_protocol::Failure::defect)?;
            let is_production = |path: &str| files.iter().any(|file| file.as_str() == path);
            let executed = |path: &str| coverage.lines(path).map(|(line, _)| line).collect::<BTreeSet<u32>>();
            let all =
                coverage.paths().filter(|path| is_production(path)).map(|path| executed(path).len() as u64);
            let mut told = TestCoverage { executed: all.sum(), suspicious: 0, suspicious_executed: 0 };
            let paths: BTreeSet<&str> = suspicious.iter().map(|(path, _)| path.as_str()).collect();
            for path in paths {
                let ran = executed(path);
                // What is suspicious for several reasons counts once.
                let is_suspicious =
                    |line: &u32| suspicious.iter().any(|(of, lines)| of == path && lines.contains(line));
                let within: Vec<u32> =
                    running_lines(&project, path).into_iter().filter(is_suspicious).collect();
                told.suspicious += within.len() as u64;
                told.suspicious_executed += within.iter().filter(|line| ran.contains(line)).count() as u64;
            }
            Ok(told)
        };
        patchwright_blocking::spawn(count).await?.map(Some)
    }

    /// The lines that some tests execute, which a change adds.
    async fn recorded_with(
        &self,
        added: &Applied,
        selection: &[TestId],
    ) -> Result<Option<Coverage>, TestBedError> {
        let _step = self.activity.begin("recording which lines the test executes");
        self.record_added(added, selection).await
    }
}

/// The lines of a file at which a statement begins.
fn running_lines(project: &patchwright_syntax::Project, path: &str) -> BTreeSet<u32> {
    let source = ProjectPath::new(path).ok().and_then(|path| project.read(&path).ok());
    let language = patchwright_syntax::Language::of_path(std::path::Path::new(path));
    let (Some(source), Some(language)) = (source, language) else { return BTreeSet::new() };
    statements(language, &source).running().map(|statement| statement.lines.first).collect()
}
