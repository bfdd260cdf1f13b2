//! The script of a run of TDD-Bench in a container, in the order of the official steps.

use patchwright_detection::adapters::shell_word;
use patchwright_edits::diff::{FilePatch, Patch};
use patchwright_suites::LoadError;
use patchwright_swe_bench::{Row, Specs, directives_of};

use crate::script::{DELIMITER, traced_files};

/// What counts lines where the image has no coverage.py and cannot get it; ours.
pub(crate) const COUNTER: &str = include_str!("../../runners/patchwright_coverage.py");
/// Where it lies in a container, beside the tracer.
pub(crate) const COUNTER_PATH: &str = "/root/patchwright_coverage.py";
/// The project that is tested by tox, which measures coverage by a plug-in of pytest.
const SPHINX: &str = "sphinx-doc/sphinx";

/// The script of a run: the predicted tests are applied, the test functions are run under coverage.py, its table is printed, and test
/// files are brought back. Without functions the whole test files are run. The golden patch is applied before, and outside of it.
///
/// coverage.py is installed where the image has none and `network` is there; else lines are counted by our own tracer, which knows no
/// branches and prints the same table.
///
/// # Errors
/// No commands are known for the version of the project.
///
/// Official place: `make_eval_script_list` in `tddbench/harness/test_spec.py`, `modify_eval` in `tddbench/harness/run_evaluation.py`. There
/// a prediction of new files alone checks out the base commit as a whole; here nothing is brought back then.
pub fn script(
    row: &Row,
    specs: &Specs,
    predicted: &str,
    functions: &[String],
    network: bool,
) -> Result<String, LoadError> {
    let spec = specs.of(row)?;
    let activate = ["source /opt/miniconda3/bin/activate", "conda activate testbed"].map(str::to_owned);
    let mut lines = vec!["#!/bin/bash".to_owned(), "set -uxo pipefail".to_owned()];
    lines.extend(activate.clone());
    lines.push("cd /testbed".to_owned());
    lines.extend(spec.eval_commands);
    lines.push("git config --global --add safe.directory /testbed".to_owned());
    lines.extend(["cd /testbed", "git status", "git show"].map(str::to_owned));
    lines.push(format!("git diff {}", row.base_commit));
    lines.extend(activate);
    lines.extend(spec.install);
    let reset = reset(row, predicted);
    lines.extend(reset.clone());
    lines.push(applied(predicted));
    lines.extend(coverage(row, network));
    lines.extend(commands(&covered(&spec.test_cmd), row, predicted, functions));
    let option = if row.repo == SPHINX { "-m" } else { "--show-missing" };
    lines.push(format!("coverage report {option}"));
    lines.extend(reset);
    Ok(lines.join("\n") + "\n")
}

/// The line that applies the prediction.
pub(super) fn applied(predicted: &str) -> String {
    format!("git apply -v - <<'{DELIMITER}'\n{predicted}\n{DELIMITER}")
}

/// The command that brings back the test files that were there.
fn reset(row: &Row, predicted: &str) -> Option<String> {
    let files = Patch::readable(predicted.as_bytes()).files;
    let paths: Vec<String> = files.iter().filter_map(FilePatch::old_path).map(shell_word).collect();
    (!paths.is_empty()).then(|| format!("git checkout {} {}", row.base_commit, paths.join(" ")))
}

/// Makes `coverage` a command of the tests' Python.
fn coverage(row: &Row, network: bool) -> Vec<String> {
    let is_tox = row.repo == SPHINX;
    let (modules, packages) =
        if is_tox { ("coverage, pytest_cov", "coverage pytest-cov") } else { ("coverage", "coverage") };
    let found = format!("python3 -c 'import {modules}'");
    let install = network.then(|| format!("{found} || python3 -m pip install {packages}"));
    let options = is_tox.then_some("\n    export PYTEST_ADDOPTS=\"--cov=sphinx --cov-report=term-missing\"");
    let tox = is_tox.then(|| format!("\n    tox() {{ python3 {COUNTER_PATH} run --branch -m tox \"$@\"; }}"));
    let own = format!(
        "if {found}; then\n    coverage() {{ python3 -m coverage \"$@\"; }}{}\nelse\n    export PATCHWRIGHT_COVERED={}\n    \
         coverage() {{ python3 {COUNTER_PATH} \"$@\"; }}{}\nfi",
        options.unwrap_or_default(),
        shell_word(&traced_files(row)),
        tox.unwrap_or_default(),
    );
    install.into_iter().chain([own]).collect()
}

/// The test command under coverage.py, with branches where the official one has them. SymPy's runner is not measured; tox measures by
/// itself.
fn covered(command: &str) -> String {
    if command.contains("coverage run") || command.starts_with("tox") {
        return command.to_owned();
    }
    if let Some((environment, runner)) = command.split_once(" bin/test ") {
        return format!("{environment} ./bin/test {runner}");
    }
    let bare = ["python -m ", "python3 -m "].iter().find_map(|start| command.strip_prefix(start));
    let bare = bare.unwrap_or(command);
    let is_module = ["pytest", "unittest"].iter().any(|tool| bare.starts_with(tool));
    if is_module { format!("coverage run --branch -m {bare}") } else { format!("coverage run {bare}") }
}

/// The commands that run the functions, each `file::Class::function`; SymPy's runner takes one at a time.
fn commands(command: &str, row: &Row, predicted: &str, functions: &[String]) -> Vec<String> {
    let line = |tests: Vec<String>| {
        let tests: Vec<String> = tests.iter().map(|test| shell_word(test)).collect();
        format!("{command} {}", tests.join(" "))
    };
    if functions.is_empty() {
        return vec![line(directives_of(predicted, &row.repo))];
    }
    if row.repo == "sympy/sympy" {
        let single = |function: &String| {
            let (file, _) = function.split_once("::")?;
            let name = function.rsplit("::").next()?;
            Some(format!("{command} -k '{name}' {}", shell_word(file)))
        };
        return functions.iter().filter_map(single).collect();
    }
    if row.repo == "django/django" {
        let dotted = |function: &String| {
            let name = function.strip_prefix("tests/").unwrap_or(function).replace(".py", "");
            name.replace("::", ".").replace('/', ".")
        };
        return vec![line(functions.iter().map(dotted).collect())];
    }
    vec![line(functions.to_vec())]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::tdd::functions::{contributing, written};

    const FIX: &str = "diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-a\n+b\n";
    const TESTS: &str = "diff --git a/tests/test_m.py b/tests/test_m.py\n--- a/tests/test_m.py\n+++ b/tests/test_m.py\n@@ -1 +1,3 @@\n a\n+def test_a():\n+    assert 0\n";

    #[test]
    fn functions_are_run_as_each_project_names_them() {
        let check = |repo: &str, version: &str, functions: &[&str], expect: &str, told: &[&str]| {
            let row = Row {
                repo: repo.to_owned(),
                version: version.to_owned(),
                base_commit: "abc".to_owned(),
                patch: FIX.to_owned(),
                ..Row::default()
            };
            let functions: Vec<String> = functions.iter().map(|name| (*name).to_owned()).collect();
            let text = script(&row, &Specs::builtin(), TESTS, &functions, false).unwrap();
            assert!(text.contains(&format!("\n{expect}\n")), "{expect}: {text}");
            assert_eq!(text.matches("git checkout abc tests/test_m.py").count(), 2);
            // What the report names is read back from the command.
            assert_eq!(written(&contributing(TESTS), &format!("+ {expect}\n")), told);
        };
        let one = "tests/test_m.py::test_a";
        let pytest = "coverage run --branch -m pytest -rA";
        check("pydata/xarray", "2022.06", &[one], &format!("{pytest} {one}"), &[one]);
        check("pydata/xarray", "2022.06", &[], &format!("{pytest} tests/test_m.py"), &[]);
        check(
            "astropy/astropy",
            "1.3",
            &["tests/test_m.py::T::test_a"],
            "coverage run --branch -m pytest -rA -vv -o console_output_style=classic --tb=no tests/test_m.py::T::test_a",
            &["tests/test_m.py::T::test_a"],
        );
        check(
            "django/django",
            "4.1",
            &["tests/test_m.py::T::test_a"],
            "coverage run ./tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1 test_m.T.test_a",
            &["tests/test_m.py::T::test_a"],
        );
        check(
            "sympy/sympy",
            "1.1",
            &[one],
            "PYTHONWARNINGS='ignore::UserWarning,ignore::SyntaxWarning' ./bin/test -C --verbose -k 'test_a' tests/test_m.py",
            &[one],
        );
    }

    #[test]
    fn coverage_is_installed_where_there_is_a_network_alone() {
        let check = |repo: &str, network: bool, there: &[&str], absent: &[&str]| {
            let row = Row { repo: repo.to_owned(), patch: FIX.to_owned(), ..Row::default() };
            let text = coverage(&row, network).join("\n");
            for part in there {
                assert!(text.contains(part), "{part}: {text}");
            }
            for part in absent {
                assert!(!text.contains(part), "{part}: {text}");
            }
        };
        let pattern = r"PATCHWRIGHT_COVERED='/testbed/(m\.py)'";
        check("pydata/xarray", true, &["pip install coverage", pattern], &["tox", "PYTEST_ADDOPTS"]);
        check("pydata/xarray", false, &[pattern], &["pip install"]);
        check(
            "sphinx-doc/sphinx",
            true,
            &["pip install coverage pytest-cov", "PYTEST_ADDOPTS", "tox()"],
            &[],
        );
    }
}
