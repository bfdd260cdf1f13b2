//! Python projects that lie side by side in a folder which is none itself.

use std::collections::BTreeSet;

use super::DetectError;
use super::python::PythonTests;
use super::survey::{Survey, folder_of};

/// Files by which a folder is a project of its own.
const PACKAGING: [&str; 7] =
    ["pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "pytest.ini", "pytest.toml", "conftest.py"];

/// Refuses tests that belong to several projects in a folder which is none itself.
pub(crate) fn check(survey: &Survey, tests: &PythonTests) -> Result<(), DetectError> {
    let Some(projects) = projects(survey, tests) else { return Ok(()) };
    let one = survey.root().join(projects.first().copied().unwrap_or_default());
    Err(DetectError::not_supported(
        format!(
            "the tests belong to projects side by side, each with its own settings: {}",
            projects.join(", ")
        ),
        format!("give the folder of one of them: {}", one.display()),
    ))
}

/// The folders of the projects that tests belong to, where these are several and the folder above them is none.
fn projects<'s>(survey: &'s Survey, tests: &'s PythonTests) -> Option<Vec<&'s str>> {
    let is_project = |folder: &str| {
        PACKAGING[..PACKAGING.len() - 1].iter().any(|file| survey.has(&format!("{folder}/{file}")))
    };
    if PACKAGING.iter().any(|file| survey.has(file)) {
        return None;
    }
    let home = |file: &'s String| {
        let mut folder = folder_of(file);
        while folder != "." && !is_project(folder) {
            folder = folder_of(folder);
        }
        Some(folder).filter(|folder| *folder != ".")
    };
    let homes: Option<BTreeSet<&str>> = tests.files.iter().map(home).collect();
    homes.filter(|homes| homes.len() > 1).map(|homes| homes.into_iter().collect())
}
