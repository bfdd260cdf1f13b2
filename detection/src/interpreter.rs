//! The Python that a test command runs, and what it can import.

use std::collections::BTreeSet;

use patchwright_sandbox::SandboxError;

use crate::detect::Toolchain;
use crate::shell::shell_word;

/// The interpreter of an environment of the project's own, in a command that was detected.
pub(crate) const OWN_PYTHON: &str = "\"$PYTHON\"";

/// The variable that holds the path of an environment's interpreter.
pub const PYTHON_VARIABLE: &str = "PYTHON";

/// What an interpreter is asked: its version, pytest's, whether pytest measures coverage, which of some packages are not installed, and its path.
/// Packages that are installed in place lead to the project, which is not to be seen yet: what is known of them is their metadata.
const QUESTION: &str = r#"-c 'import sys; print(sys.version.split()[0])
import importlib.util as u
def version(name):
    try: import importlib.metadata as m
    except ImportError: return "?"
    try: return m.version(name)
    except m.PackageNotFoundError: return ""
try: import pytest; print(pytest.__version__)
except ImportError: print(version("pytest").strip("?"))
print(u.find_spec("pytest_cov") and "cov" or "")
print(*[name for name in sys.argv[1:] if not version(name)])
print(sys.executable)'"#;

/// An interpreter, and the tools that it can import.
pub(crate) struct Interpreter {
    /// Its name in commands.
    pub(crate) command: String,
    /// The variables that this needs.
    pub(crate) env: Option<(String, String)>,
    /// For people.
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) pytest: Option<String>,
    /// Is true if pytest measures coverage where the project's settings ask for it.
    pub(crate) covers: bool,
    /// Packages that the project needs and that are not installed.
    pub(crate) missing: Vec<String>,
    /// Its path, where it tells one.
    pub(crate) path: Option<String>,
}

impl Interpreter {
    /// Asks the interpreter that a command names for its version, for pytest, and for the `wanted` packages; `None` where it does not answer.
    pub(crate) async fn ask(
        command: &str,
        wanted: &BTreeSet<String>,
        toolchain: &dyn Toolchain,
    ) -> Result<Option<Self>, SandboxError> {
        let wanted: Vec<_> = wanted.iter().map(|name| shell_word(name)).collect();
        let question = format!("{command} {QUESTION} {}", wanted.join(" "));
        let Some(answer) = toolchain.ask(&question).await? else { return Ok(None) };
        let mut lines = answer.lines();
        let mut line = || lines.next().unwrap_or_default().to_owned();
        let [version, pytest, covers, missing, path] = std::array::from_fn(|_| line());
        Ok(Some(Self {
            command: command.to_owned(),
            env: None,
            name: command.to_owned(),
            version,
            pytest: Some(pytest).filter(|version| !version.is_empty()),
            covers: covers == "cov",
            missing: missing.split_whitespace().map(str::to_owned).collect(),
            path: Some(path).filter(|path| path.starts_with('/')),
        }))
    }

    /// The same as that of an environment, by its path.
    pub(crate) fn of_environment(self, name: &str, path: String) -> Self {
        let env = Some((PYTHON_VARIABLE.to_owned(), path));
        Self { command: OWN_PYTHON.to_owned(), env, name: name.to_owned(), ..self }
    }
}

/// The Python of a test command (see [`ProjectSpec::python`](crate::ProjectSpec::python)).
pub(crate) fn of_command(test: &str) -> String {
    let is_variable = |word: &str| {
        word.split_once('=')
            .is_some_and(|(name, _)| name.chars().all(|letter| letter.is_alphanumeric() || letter == '_'))
    };
    let name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let is_python = |word: &str| {
        word == OWN_PYTHON
            || name(word)
                .strip_prefix("python")
                .is_some_and(|version| version.chars().all(|letter| letter.is_ascii_digit() || letter == '.'))
    };
    let words: Vec<&str> = test.split_whitespace().collect();
    let start = words.iter().take_while(|word| is_variable(word)).count();
    let (variables, program) = words.split_at(start);
    let interpreter = match program {
        [python, "-m", ..] if is_python(python) => (*python).to_owned(),
        [pytest, ..] if ["pytest", "py.test"].contains(&name(pytest).as_str()) => of_script(pytest),
        _ => return "python3".to_owned(),
    };
    [variables, &[interpreter.as_str()]].concat().join(" ")
}

/// The interpreter that the first line of a script names, as a part of a command.
pub fn of_script(script: &str) -> String {
    format!("$(sed -n '1s/^#! *//p' \"$(command -v {script})\")")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_run_as_the_tests_do() {
        let check = |test: &str, expect: &str| assert_eq!(of_command(test), expect, "{test}");
        check("python3 -m unittest", "python3");
        check(".venv/bin/python3.11 -m pytest -q -m slow", ".venv/bin/python3.11");
        check("PYTHONPATH=src A=b /opt/x/bin/python -m pytest tests", "PYTHONPATH=src A=b /opt/x/bin/python");
        check("cd x && python3.9 -m pytest", "python3");
        check("A='b c' python3.9 -m pytest", "python3");
        check("\"$PYTHON\" -m pytest -q", "\"$PYTHON\"");
        check("A=b bin/pytest -m slow", "A=b $(sed -n '1s/^#! *//p' \"$(command -v bin/pytest)\")");
        check("make test", "python3");
    }
}
