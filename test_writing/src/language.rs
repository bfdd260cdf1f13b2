//! Whether a test can be written and run in a project at all.

use std::collections::BTreeMap;
use std::path::Path;

use patchwright_detection::ecosystems::written_languages;
use patchwright_protocol::{Failure, TestMethod};
use patchwright_syntax::Language;
use patchwright_validation::TestHarness;

/// Endings of files that say nothing of a project's language.
const OF_TEXTS: [&str; 11] = ["md", "txt", "rst", "json", "toml", "yml", "yaml", "xml", "lock", "mod", "sum"];

/// What to do where it is not known how tests are run.
const COMMANDS: &str = "give the command that runs the tests with --test, how it names single ones with --test-one, and --results";

/// Refuses a project in which no new test can be run, by any method: to be asked before the first question.
///
/// # Errors
/// Its language is none in which tests are written, or no test tool is known that runs a single new test; the hint is what to do.
pub fn check_language(harness: &TestHarness, method: TestMethod) -> Result<(), Failure> {
    let layout = harness.test_layout();
    let Some(language) = layout.language else { return Err(unwritten(harness, method)) };
    if layout.framework.is_none() {
        let message =
            format!("no test framework is known here that runs a single new test in {}", language.title());
        let hint = match language.name() {
            "python" => {
                "give the command, such as --test 'python3 -m pytest' or --test 'python3 -m unittest', with --results and --test-one where it is another tool"
            }
            _ => COMMANDS,
        };
        return Err(Failure::user(message).hint(hint));
    }
    Ok(())
}

/// The error where no test can be written in the project's language.
fn unwritten(harness: &TestHarness, method: TestMethod) -> Failure {
    let known = written_languages();
    let files = harness.project().files().unwrap_or_default();
    let endings = files.iter().filter_map(|file| Path::new(file.as_str()).extension()?.to_str());
    let ending = commonest(endings.filter(|ending| !OF_TEXTS.contains(ending)));
    let by_files = || Language::of_path(Path::new(&format!("file.{}", ending?)));
    if let Some(language) = harness.spec().language.or_else(by_files) {
        let name = language.title();
        return Failure::user(format!(
            "--method {method} writes tests in {known}, and nothing here says how tests in {name} are run"
        ))
        .hint(COMMANDS);
    }
    let shown = ending.map(|ending| format!(" (most of its files end in `.{ending}`)")).unwrap_or_default();
    Failure::user(format!(
        "--method {method} writes tests in {known}, and this project is in none of them{shown}"
    ))
    .hint(
        "no other method knows another language: where a folder of the project is in one of these, give that as DIR; \
         `patchwright repair --issue FILE --test CMD` looks for a fix in any language",
    )
}

/// The one of which there are most; of several the first in their order.
fn commonest<T: Ord + Copy>(all: impl Iterator<Item = T>) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    for one in all {
        *counts.entry(one).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    counts.into_iter().find(|(_, count)| *count == most).map(|(one, _)| one)
}
