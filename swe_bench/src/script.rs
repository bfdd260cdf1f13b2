//! The script that tests a case in its container.

use patchwright_detection::adapters::shell_word;
use patchwright_edits::diff::{FilePatch, Patch};
use patchwright_suites::LoadError;

use super::log::{END, EXIT_CODE, START};
use super::rows::Row;
use super::spec::Specs;
use super::text::lines as split_lines;

/// The way in which test files are brought back to the state before any change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reset {
    /// One `git checkout` of all files, as in the official scripts. Where only files are added it moves to
    /// another commit, and where one of them does not exist in the base commit it does nothing at all.
    Official,
    /// Each file that existed on its own; files that the tests add are removed.
    #[default]
    Repaired,
}

/// Variable in which the script keeps the status of the tests' command.
const EXIT_VARIABLE: &str = "SWEBENCH_TEST_EXIT_CODE";
const DELIMITER: &str = "EOF_114329324912";
/// Endings of files that are no tests. `csv` has no dot in the official list either.
const NO_TESTS: &[&str] =
    &[".json", ".png", "csv", ".txt", ".md", ".jpg", ".jpeg", ".pkl", ".yml", ".yaml", ".toml"];

/// The script for a row: its own, or one made by the rules of v4.
///
/// # Errors
/// The row has no script, and no commands are known for its version.
pub fn eval_script(row: &Row, specs: &Specs, reset: Reset) -> Result<String, LoadError> {
    match &row.eval_script {
        Some(script) => Ok(with_reset(script, row, reset)),
        None => classic(row, specs, reset),
    }
}

/// The script that the rules of v4 make of a row.
///
/// # Errors
/// No commands are known for its version.
pub fn classic(row: &Row, specs: &Specs, reset: Reset) -> Result<String, LoadError> {
    let spec = specs.of(row)?;
    let Row { base_commit, test_patch, .. } = row;
    let activate = ["source /opt/miniconda3/bin/activate", "conda activate testbed"].map(str::to_owned);
    let command: Vec<String> = std::iter::once(spec.test_cmd).chain(directives(row)).collect();
    let resets = resets(row, reset);
    let mut lines = vec!["#!/bin/bash".to_owned(), "set -uxo pipefail".to_owned()];
    lines.extend(activate.clone());
    lines.push("cd /testbed".to_owned());
    lines.extend(spec.eval_commands);
    lines.push("git config --global --add safe.directory /testbed".to_owned());
    lines.push("cd /testbed".to_owned());
    lines.push("git status".to_owned());
    lines.push("git show".to_owned());
    lines.push(format!("git -c core.fileMode=false diff {base_commit}"));
    lines.extend(activate);
    lines.extend(spec.install);
    lines.extend(resets.clone());
    lines.push(format!("git apply -v - <<'{DELIMITER}'\n{test_patch}\n{DELIMITER}"));
    lines.push(format!(": '{START}'"));
    lines.push(command.join(" "));
    lines.push(format!(": '{END}'"));
    lines.extend(resets);
    Ok(lines.join("\n") + "\n")
}

/// The arguments of the test command: the files of the test patch, as modules for Django.
pub fn directives(row: &Row) -> Vec<String> {
    directives_of(&row.test_patch, &row.repo)
}

/// The files that a patch names in its lines `diff --git`, but for those that are no tests by their endings; modules for Django.
pub fn directives_of(test_patch: &str, repository: &str) -> Vec<String> {
    const HEADER: &str = "diff --git a/";
    let file = |line: &str| {
        let rest = &line[line.find(HEADER)? + HEADER.len()..];
        Some(rest[rest.rfind(" b/")? + " b/".len()..].to_owned())
    };
    let is_test = |path: &String| !NO_TESTS.iter().any(|ending| path.ends_with(ending));
    let tests = test_patch.split('\n').filter_map(file).filter(is_test);
    if repository != "django/django" {
        return tests.collect();
    }
    let module = |path: String| {
        let path = path.strip_suffix(".py").unwrap_or(&path);
        path.strip_prefix("tests/").unwrap_or(path).replace('/', ".")
    };
    tests.map(module).collect()
}

/// The commands that reset the test files.
fn resets(row: &Row, reset: Reset) -> Vec<String> {
    let Patch { files } = Patch::readable(row.test_patch.as_bytes());
    let existing = files.iter().filter_map(FilePatch::old_path);
    match reset {
        Reset::Official => {
            let files: Vec<&str> = existing.collect();
            vec![format!("git checkout {} {}", row.base_commit, files.join(" "))]
        }
        Reset::Repaired => {
            let existing: Vec<&str> = existing.collect();
            let added: Vec<String> = files
                .iter()
                .filter_map(FilePatch::new_path)
                .filter(|path| !existing.contains(path))
                .map(|path| format!("rm -f -- {}", shell_word(path)))
                .collect();
            let checkout = |path: &&str| format!("git checkout {} -- {}", row.base_commit, shell_word(path));
            existing.iter().map(checkout).chain(added).collect()
        }
    }
}

/// A row's own script, with its resets repaired if that is asked for.
fn with_reset(script: &str, row: &Row, reset: Reset) -> String {
    match reset {
        Reset::Official => script.to_owned(),
        Reset::Repaired => {
            let is_reset = format!("git checkout {}", row.base_commit);
            let resets = resets(row, reset);
            let mut lines: Vec<&str> = Vec::new();
            let mut in_patch = false;
            for line in script.split('\n') {
                if !in_patch && (line == is_reset || line.starts_with(&format!("{is_reset} "))) {
                    lines.extend(resets.iter().map(String::as_str));
                    continue;
                }
                in_patch = (in_patch || line.contains(&format!("<<'{DELIMITER}'"))) && line != DELIMITER;
                lines.push(line);
            }
            lines.join("\n")
        }
    }
}

/// The script as v5 runs it: it tells the status of the tests' command after the end of their output. A
/// script without the mark for that end stays as it is, but for its first lines, which are made anew.
pub fn with_exit_code(script: &str) -> String {
    let mut lines = vec!["#!/bin/bash".to_owned(), "set -uxo pipefail".to_owned()];
    let mut told = false;
    for line in split_lines(script.trim()) {
        if line == "#!/bin/bash" || line == "set -uxo pipefail" {
            continue;
        }
        let ends = !told && line.contains(END);
        if ends {
            lines.push(format!("{EXIT_VARIABLE}=$?"));
        }
        lines.push(line.to_owned());
        if ends {
            told = true;
            lines.push(format!("echo \"{EXIT_CODE}: ${EXIT_VARIABLE}\""));
        }
    }
    lines.join("\n") + "\n"
}

/// The official name of a row's image: of a registry's namespace, or as it is called when it was built here.
pub fn image(row: &Row, namespace: Option<&str>) -> String {
    let local = format!("sweb.eval.x86_64.{}:latest", row.instance_id.to_lowercase());
    match namespace {
        Some(namespace) => format!("{namespace}/{}", local.replace("__", "_1776_")),
        None => local,
    }
}
