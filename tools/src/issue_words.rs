//! What the words of an issue lead to, where no test tells of the bug: production code, and tests.

use std::collections::BTreeSet;

use patchwright_index::{ElementKind, Index, Query, Retrieval, RetrievalOptions, near_tests};
use patchwright_protocol::Failure;
use patchwright_syntax::ProjectPath;
use patchwright_testbed::{TestBed, blocking};

/// Files that are ranked, and tests that are shown.
const FILES: usize = 10;
const TESTS: usize = 3;

/// A file, with the lines of it that the words fit best.
pub(crate) struct RankedFile {
    pub(crate) path: ProjectPath,
    pub(crate) lines: (u32, u32),
}

/// The files of production code that the words of an issue fit best, the best first.
pub(crate) async fn files(bed: &TestBed, issue: &str) -> Result<Vec<RankedFile>, Failure> {
    let (project, rules, issue) = (bed.project().clone(), bed.rules(), issue.to_owned());
    blocking::spawn(move |_| {
        let files = project.files().map_err(Failure::environment)?;
        let editable: BTreeSet<ProjectPath> =
            rules.allowed(files).map_err(Failure::environment)?.into_iter().collect();
        let index = Index::build(project.root()).map_err(Failure::environment)?;
        let found = Retrieval::build(&index, RetrievalOptions::default()).search(&Query::of_text(&issue));
        let best = |path: &ProjectPath| {
            let chunk = found.chunks.iter().map(|(chunk, _)| chunk).find(|chunk| chunk.path == *path)?;
            Some(RankedFile { path: path.clone(), lines: (chunk.lines.first, chunk.lines.last) })
        };
        let ranked = found.files.iter().map(|(path, _)| path).filter(|path| editable.contains(*path));
        Ok(ranked.filter_map(best).take(FILES).collect())
    })
    .await?
}

/// The names of the tests that the words of an issue lead to, the nearest first. They are read from the code: nobody waits for a run.
pub(crate) async fn tests(bed: &TestBed, issue: &str) -> Result<Vec<String>, Failure> {
    let (project, issue) = (bed.project().clone(), issue.to_owned());
    blocking::spawn(move |_| {
        let index = Index::build(project.root()).map_err(Failure::environment)?;
        let near = near_tests(&index, &test_names(&index), &[], &issue);
        Ok(near.into_iter().filter_map(|test| test.tests.into_iter().next()).take(TESTS).collect())
    })
    .await?
}

/// The names of all tests of a project, read from its code.
pub(crate) fn test_names(index: &Index) -> Vec<String> {
    let names = index.files().filter(|file| file.test).flat_map(|file| {
        let functions = file.elements().iter().filter(|element| {
            matches!(element.kind, ElementKind::Function | ElementKind::Method)
                && element.name().to_lowercase().starts_with("test")
        });
        functions.map(move |test| format!("{}::{}", file.path, test.qualified.replace('.', "::")))
    });
    names.collect()
}
