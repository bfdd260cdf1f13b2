//! The script of a run in a container, in the order of the official steps.

use patchwright_detection::adapters::shell_word;
use patchwright_edits::diff::Patch;
use patchwright_suites::LoadError;
use patchwright_swe_bench::{Row, Specs};

use crate::grade::RunKind;
use crate::layout::tests_of;

/// The tracer, which is ours; it takes the options of the official one and prints what that prints.
pub(crate) const TRACER: &str = include_str!("../runners/patchwright_trace.py");
/// Where it lies in a container.
pub(crate) const TRACER_PATH: &str = "/root/trace.py";
pub(crate) const DELIMITER: &str = "EOF_114329324912";
/// The command for projects that are tested with pytest: without a cache, which would be a change of the repository.
const PYTEST: &str = "pytest --no-header -rA -p no:cacheprovider";

/// The script of a run: patches are applied one after the other, the tests are run under the tracer, its trace is printed, and the
/// repository is brought back. With `reproduction`, the path of a script that the prediction adds, that is run in place of the tests:
/// once under the tracer and once more for its exit status, as officially.
///
/// # Errors
/// No commands are known for the version of the project.
///
/// Official place: `eval_script_list` and `test_command` in `src/exec_spec.py`. There a run without new tests feeds the word `None` to
/// `git apply`, which refuses it; here nothing is applied. Options are not cut off test files of SymPy as they are there.
pub fn script(
    row: &Row,
    specs: &Specs,
    kind: RunKind,
    predicted: &str,
    reproduction: Option<&str>,
) -> Result<String, LoadError> {
    let spec = specs.of(row)?;
    let Row { base_commit, repo, .. } = row;
    let activate = ["source /opt/miniconda3/bin/activate", "conda activate testbed"].map(str::to_owned);
    let mut lines = vec!["#!/bin/bash".to_owned(), "set -uxo pipefail".to_owned()];
    lines.extend(activate.clone());
    lines.push("cd /testbed".to_owned());
    lines.push("git config --global --add safe.directory /testbed".to_owned());
    lines.push(format!("git diff HEAD {base_commit} >> /root/pre_state.patch"));
    lines.extend(spec.eval_commands);
    lines.extend(["cd /testbed", "git status", "git show"].map(str::to_owned));
    lines.push(format!("git diff {base_commit}"));
    lines.extend(activate);
    lines.extend(spec.install);
    let fix = kind.has_fix().then_some(row.patch.as_str());
    let tests = match kind {
        RunKind::PredPre | RunKind::PredPost => Some(predicted),
        RunKind::GoldPre | RunKind::GoldPost => Some(row.test_patch.as_str()),
        RunKind::BasePre | RunKind::BasePost => None,
    };
    lines.extend(
        fix.into_iter()
            .chain(tests)
            .map(|patch| format!("git apply -v - <<'{DELIMITER}'\n{patch}\n{DELIMITER}")),
    );
    match reproduction {
        None => lines.push(traced(&spec.test_cmd, row, &tests_of(kind, repo, predicted, &row.test_patch))),
        Some(path) => {
            let path = shell_word(&format!("/testbed/{path}"));
            lines.push(format!("{} {path} && python3 {path}", tracer(row)));
            lines.push("echo $?".to_owned());
        }
    }
    lines.push("cat coverage.cover".to_owned());
    lines.push(format!("git checkout {base_commit}"));
    lines.push("git apply /root/pre_state.patch".to_owned());
    Ok(lines.join("\n") + "\n")
}

/// The pattern of the files that the golden patch changes, as they lie in a container.
pub(crate) fn traced_files(row: &Row) -> String {
    let files = Patch::readable(row.patch.as_bytes()).files;
    let mut paths: Vec<String> = files
        .iter()
        .flat_map(|file| [file.old_path(), file.new_path()])
        .flatten()
        .map(regex::escape)
        .collect();
    paths.sort();
    paths.dedup();
    format!("/testbed/({})", paths.join("|"))
}

fn tracer(row: &Row) -> String {
    let pattern = shell_word(&traced_files(row));
    format!("python3 {TRACER_PATH} --count -C coverage.cover --include-pattern {pattern}")
}

/// The test command under the tracer. What stands before it for the environment stays before it.
fn traced(command: &str, row: &Row, tests: &[String]) -> String {
    let tracer = tracer(row);
    let tests: Vec<String> = tests.iter().map(|test| shell_word(test)).collect();
    let command = if command.starts_with("pytest") { PYTEST } else { command };
    let command = command.replace("--tb=no", "");
    let (environment, command) = match command.split_once(' ') {
        Some((first, rest)) if first.contains('=') => (format!("{first} "), rest),
        Some(_) | None => (String::new(), command.as_str()),
    };
    let module = ["pytest", "tox", "unittest"].iter().any(|tool| command.starts_with(tool));
    let module = if module { "-m " } else { "" };
    format!("{environment}{tracer} {module}{command} {}", tests.join(" "))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const PATCH: &str = "diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-a\n+b\n";

    #[test]
    fn commands_run_under_the_tracer() {
        let check = |repo: &str, version: &str, expect: &str| {
            let row = Row {
                repo: repo.to_owned(),
                version: version.to_owned(),
                patch: PATCH.to_owned(),
                ..Row::default()
            };
            let predicted = PATCH.replace("m.py", "tests/test_m.py");
            let text = script(&row, &Specs::builtin(), RunKind::PredPost, &predicted, None).unwrap();
            let line = text.lines().find(|line| line.contains("trace.py")).unwrap();
            let start =
                "python3 /root/trace.py --count -C coverage.cover --include-pattern '/testbed/(m\\.py)'";
            assert_eq!(line, expect.replace("TRACE", start));
            assert_eq!(text.matches("git apply -v -").count(), 2);
        };
        check(
            "pydata/xarray",
            "2022.06",
            "TRACE -m pytest --no-header -rA -p no:cacheprovider tests/test_m.py",
        );
        check(
            "django/django",
            "4.1",
            "TRACE ./tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1 test_m",
        );
        check(
            "sympy/sympy",
            "1.1",
            "PYTHONWARNINGS='ignore::UserWarning,ignore::SyntaxWarning' TRACE bin/test -C --verbose tests/test_m.py",
        );
    }

    #[test]
    fn a_script_runs_twice_and_its_status_is_printed() {
        let row = Row {
            repo: "pydata/xarray".to_owned(),
            version: "2022.06".to_owned(),
            patch: PATCH.to_owned(),
            ..Row::default()
        };
        let predicted = PATCH.replace("m.py", "show it.py");
        let text = script(&row, &Specs::builtin(), RunKind::BasePre, &predicted, Some("show it.py")).unwrap();
        let traced = "python3 /root/trace.py --count -C coverage.cover --include-pattern '/testbed/(m\\.py)' '/testbed/show it.py' \
                      && python3 '/testbed/show it.py'\necho $?\ncat coverage.cover\n";
        assert!(text.contains(traced), "{text}");
        assert_eq!(text.matches("git apply -v -").count(), 0);
    }
}
