//! A command of the user's.

use std::collections::BTreeMap;
use std::path::Path;

use patchwright_protocol::{Overrides, ResultsFormat, TestCommand};
use patchwright_syntax::Language;

use crate::detect::environments::host_path;
use crate::detect::{DetectError, DetectedProject, Survey, Toolchain, ant, gradle, maven};
use crate::ecosystems::{self, Folders, GIVEN};
use crate::shell::{QUOTES, shell_word};
use crate::spec::{AdapterKind, ProjectSpec};

/// Characters that make a command more than one program with its arguments.
const SHELL: &[char] =
    &['|', '&', ';', '<', '>', '(', ')', '$', '`', '\\', '"', '\'', '*', '?', '[', '{', '\n'];

pub(super) fn detect(survey: &Survey, given: &TestCommand, overrides: &Overrides) -> DetectedProject {
    let mut reasons = vec![GIVEN.to_owned()];
    let test = with_environment(survey, given.line(), &mut reasons);
    let results = results(survey, &test);
    if overrides.results.is_none() {
        reasons.push(if results == ResultsFormat::ExitStatus {
            "how single outcomes are read is not known (--results FORMAT), so the whole command counts as one test"
                .to_owned()
        } else {
            format!("outcomes are read as {results}, by the words of the command")
        });
    }
    let test_one = single(survey, &test, overrides.results.as_ref().unwrap_or(&results));
    if let Some(line) = test_one.as_ref().filter(|_| overrides.test_one.is_none()) {
        reasons.push(format!("single tests are run by `{line}`"));
    }
    let language = language(survey);
    let Folders { source, tests } = match ecosystems::of(language) {
        Some(ecosystem) => ecosystem.folders(survey),
        None => Folders { source: vec![".".to_owned()], tests: Vec::new() },
    };
    let command = match given {
        TestCommand::None => TestCommand::None,
        TestCommand::Shell(_) => test.into(),
    };
    let spec = ProjectSpec {
        test_one,
        source,
        tests,
        ..ProjectSpec::new(AdapterKind::Custom, language, command, results)
    };
    DetectedProject { spec, reasons }
}

/// The command with what lies outside of the project's copies by its absolute path: environments, and what is in the user's home.
fn with_environment(survey: &Survey, given: &str, reasons: &mut Vec<String>) -> String {
    let mut words: Vec<String> = given.split(' ').map(str::to_owned).collect();
    for word in &mut words {
        // What stands within quotes may begin in another word, as in `sh -c "~/x/bin/pytest -q"`.
        let bare = word.trim_matches(QUOTES);
        let path = host_path(survey.root(), bare).filter(|path| path.exists());
        if let Some(path) = path.filter(|path| path != Path::new(bare)) {
            reasons.push(format!("`{bare}` is used where it is"));
            let path = path.to_string_lossy();
            let is_quoted = bare.len() < word.len();
            *word = word.replace(bare, &if is_quoted { path } else { shell_word(&path).into() });
        }
    }
    reasons.dedup();
    words.join(" ")
}

/// Refuses a command whose program is not there where it would run, as far as its first word tells.
pub(super) async fn check_program(
    survey: &Survey,
    test: &str,
    overrides: &Overrides,
    toolchain: &dyn Toolchain,
) -> Result<(), DetectError> {
    let Some(program) = program(test).filter(|word| !word.contains(SHELL)) else {
        return Ok(());
    };
    let in_project = program.contains('/') && !program.starts_with('/');
    let is_there = if in_project {
        survey.root().join(program).exists()
    } else {
        toolchain.ask(&format!("command -v {program}")).await?.is_some()
    };
    // What a build would make is not known here, nor what another PATH leads to.
    if is_there || in_project && overrides.build.is_some() || test.starts_with("PATH=") {
        return Ok(());
    }
    let on_host = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|folder| folder.join(program).is_file());
    Err(if on_host {
        DetectError::not_supported(
            format!("`{program}` is on this machine, but not where tests run: the sandbox does not show it"),
            "give it by a path outside of the folders that hold secrets, or name an --image that has it",
        )
    } else {
        DetectError::missing(
            format!("`{program}`"),
            format!("the tests are to be run by `{test}`"),
            "give a command that works in the project's folder; environments outside of it by their path",
        )
    })
}

/// The program that a command runs first, as it is written: the word behind the variables that are set for it.
fn program(test: &str) -> Option<&str> {
    test.split_whitespace().find(|word| !word.contains('='))
}

/// The name of that program, without its folder.
fn program_name(test: &str) -> &str {
    program(test).and_then(|program| program.rsplit('/').next()).unwrap_or_default()
}

/// Is true if a command runs Maven.
pub(super) fn runs_maven(test: &str) -> bool {
    matches!(program_name(test), "mvn" | "mvnw")
}

fn results(survey: &Survey, test: &str) -> ResultsFormat {
    let xml = |glob: &str| ResultsFormat::JunitXml { glob: glob.to_owned() };
    match program_name(test) {
        "mvn" | "mvnw" => xml(maven::REPORTS),
        "gradle" | "gradlew" => xml(gradle::REPORTS),
        "ant" => ant::results(&survey.text("build.xml")),
        "defects4j" => ResultsFormat::Defects4j,
        _ if test.contains("pytest") || test.contains("py.test") => ResultsFormat::PytestText,
        _ if test.contains("unittest") || test.contains("manage.py test") => ResultsFormat::UnittestText,
        _ if test.contains("junit.runner.JUnitCore") || test.contains("junit.textui") => {
            ResultsFormat::JunitText
        }
        _ => ResultsFormat::ExitStatus,
    }
}

/// The command for single tests, where the given one is a single program whose arguments are known.
fn single(survey: &Survey, test: &str, results: &ResultsFormat) -> Option<String> {
    if test.contains(SHELL) {
        return None;
    }
    let words: Vec<&str> = test.split_whitespace().collect();
    match results {
        ResultsFormat::PytestText => {
            // Files and folders that the command names would be run beside the selected tests.
            let is_path = |word: &&str| {
                let path = word.split("::").next().unwrap_or(word);
                !word.starts_with('-') && survey.root().join(path).exists() && !path.starts_with('/')
            };
            let start =
                words.iter().position(|word| word.ends_with("pytest") || word.ends_with("py.test"))? + 1;
            let (program, arguments) = words.split_at(start);
            let kept = program.iter().copied().chain(arguments.iter().copied().filter(|word| !is_path(word)));
            Some(format!("{} {{tests}}", kept.collect::<Vec<_>>().join(" ")))
        }
        ResultsFormat::UnittestText => {
            let end = words.iter().position(|word| *word == "unittest")? + 1;
            Some(format!("{} -v {{tests}}", words[..end].join(" ")))
        }
        ResultsFormat::JunitXml { .. }
            if words.first().is_some_and(|word| word.ends_with("mvn") || word.ends_with("mvnw")) =>
        {
            Some(format!(
                "{test} -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false -Dtest={{tests}}"
            ))
        }
        ResultsFormat::Lines
        | ResultsFormat::JunitXml { .. }
        | ResultsFormat::JunitText
        | ResultsFormat::ExitStatus
        | ResultsFormat::ToolReports(_)
        | ResultsFormat::Defects4j => None,
    }
}

/// The language that most of the files are written in, of those that make up the project.
fn language(survey: &Survey) -> Option<Language> {
    let is_at_home =
        |language: &Language| ecosystems::of(Some(*language)).is_none_or(|found| found.is_at_home(survey));
    let languages = survey.files().filter_map(|path| Language::of_path(Path::new(path)));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for language in languages.filter(is_at_home) {
        *counts.entry(language.name()).or_default() += 1;
    }
    // On a draw the first by name, so that the answer is always the same.
    let (name, _) = counts.into_iter().rev().max_by_key(|(_, count)| *count)?;
    Language::by_name(name)
}
