//! Finding out how a project is built and tested.
//!
//! Only files are read; no code of the project runs. What has to be known of the tool chain is asked through a
//! [`Toolchain`], because only the sandbox knows what its commands will find.

mod custom;
#[cfg(test)]
mod tests;

use std::path::Path;

use patchwright_edits::EditRules;
use patchwright_folder::{SHOWN_OF_GLOB, read_glob};
use patchwright_protocol::{Overrides, TestCommand};
use patchwright_syntax::shorten;

use crate::detect::{DetectError, DetectedProject, HostEnvironments, Survey, Toolchain, maven};
use crate::ecosystems;
use crate::spec::DEFAULT_TIMEOUT;

/// What `make` looks for, in any language.
const MAKEFILES: &[&str] = &["**/Makefile", "**/makefile", "**/GNUmakefile"];

/// Globs of the files that decide how a project is built and tested.
fn build_files() -> Vec<String> {
    let known = ecosystems::all().flat_map(|ecosystem| ecosystem.facts().build_files);
    known.chain(MAKEFILES).map(|glob| (*glob).to_owned()).collect()
}

/// Finds out how the project at `root` is built and tested. What is given in `overrides` stands; the rest is detected.
///
/// # Errors
/// Nothing fits, a tool is missing, or what was given cannot be meant; the message says what to give by hand.
pub async fn detect(
    root: &Path,
    overrides: &Overrides,
    host: &HostEnvironments,
    toolchain: &dyn Toolchain,
) -> Result<DetectedProject, DetectError> {
    let folder = root.to_owned();
    let survey = patchwright_blocking::spawn(move |_| Survey::of(&folder)).await??;
    for (name, line) in [("--test", overrides.test_line()), ("--build", overrides.build.as_deref())] {
        if line.is_some_and(|line| line.trim().is_empty()) {
            let hint = format!("leave {name} out to have it detected");
            return Err(DetectError::Given { what: format!("{name} is empty"), hint });
        }
    }
    if let Some(line) =
        overrides.test_one.as_ref().filter(|line| !line.contains("{test}") && !line.contains("{tests}"))
    {
        return Err(DetectError::Given {
            what: format!("the command for single tests names none: `{line}`"),
            hint: "write {tests} where all names go, or {test} where one name goes".to_owned(),
        });
    }
    let mut detected = match &overrides.test {
        Some(test) => {
            let mut detected = custom::detect(&survey, test, overrides);
            if let Some(folder) = host.maven_repository.as_ref().filter(|_| custom::runs_maven(test.line())) {
                let option = format!("-Dmaven.repo.local={}", folder.display());
                detected.spec.env.insert("MAVEN_OPTS".to_owned(), option);
            }
            custom::check_program(&survey, detected.spec.test.line(), overrides, toolchain).await?;
            // Who says how outcomes are read, or single tests run, wants his own command.
            if overrides.results.is_none() && overrides.test_one.is_none() {
                let network = overrides.network.unwrap_or(false);
                detected = ecosystems::as_detected(&survey, detected, network, toolchain).await?;
            }
            detected
        }
        None => recognize(&survey, host, toolchain).await?,
    };
    let spec = &mut detected.spec;
    for (slot, value, what) in [
        (&mut spec.build, &overrides.build, "build command"),
        (&mut spec.test_one, &overrides.test_one, "command for single tests"),
    ] {
        if let Some(value) = value {
            detected.reasons.push(format!("the {what} is given"));
            *slot = Some(value.clone());
        }
    }
    if let (Some(build), Some(after)) = (&mut spec.build, &overrides.after_build) {
        build.push_str(" && ");
        build.push_str(after);
    }
    if let Some(results) = &overrides.results {
        detected.reasons.push(format!("outcomes are read as {results}, as given"));
        spec.results = results.clone();
    }
    for (slot, value) in [(&mut spec.source, &overrides.source), (&mut spec.tests, &overrides.tests)] {
        if let Some(value) = value {
            slot.clone_from(value);
        }
    }
    if overrides.tests.is_some() {
        check_globs(&spec.rules(root))?;
    }
    spec.env.extend(overrides.env.clone().unwrap_or_default());
    spec.timeout = overrides.timeout.unwrap_or(DEFAULT_TIMEOUT);
    spec.network = overrides.network.unwrap_or(false);
    spec.build_files = build_files();
    Ok(detected)
}

/// Refuses what was given of tests and cannot be read.
fn check_globs(rules: &EditRules) -> Result<(), DetectError> {
    rules.forbidden.iter().try_for_each(|rule| {
        let wrong = |reason| DetectError::Given {
            what: format!(
                "tests: the pattern {:?} is not valid: {reason}",
                shorten(&rule.glob, SHOWN_OF_GLOB)
            ),
            hint: "give folders or globs relative to the project, such as tests or src/**/*.spec.js"
                .to_owned(),
        };
        read_glob(&rule.glob, true).map(drop).map_err(wrong)
    })
}

/// The rules for what a fix of the project at `root` may not change, as far as its files say by themselves: tests, and what decides how it is
/// built and tested. A session knows more where the user said more.
///
/// # Errors
/// The folder cannot be listed.
pub fn fix_rules(root: &Path) -> Result<EditRules, DetectError> {
    let survey = Survey::of(root)?;
    let mut spec = custom::detect(&survey, &TestCommand::None, &Overrides::default()).spec;
    spec.tests.extend(maven::folders(&survey, "src/test"));
    spec.build_files = build_files();
    Ok(spec.rules(root))
}

/// Asks the ecosystem that most speaks for.
async fn recognize(
    survey: &Survey,
    host: &HostEnvironments,
    toolchain: &dyn Toolchain,
) -> Result<DetectedProject, DetectError> {
    match ecosystems::chosen(survey) {
        Some((ecosystem, by_build_file)) => ecosystem.detect(survey, by_build_file, host, toolchain).await,
        None => Err(ecosystems::no_tests(survey)),
    }
}
