//! Python interpreters, and what they can import.

use std::collections::BTreeSet;

use patchwright_sandbox::SandboxError;

use super::toolchain::Toolchain;
use crate::interpreter::{OWN_PYTHON, PYTHON_VARIABLE};
use crate::shell::shell_word;

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
    /// Whether pytest-cov is installed.
    pub(crate) covers: bool,
    /// Packages that the project needs and that are not installed.
    pub(crate) missing: Vec<String>,
    /// Its path, where it tells one.
    pub(crate) path: Option<String>,
    /// Whether its name leads to a shim: the script that pyenv, asdf or mise put in the place of each program.
    is_shim: bool,
}

impl Interpreter {
    /// Asks the interpreter that a command names for its version, for pytest, and for the `wanted` packages; `None` where it does not answer.
    pub(crate) async fn ask(
        command: &str,
        wanted: &BTreeSet<String>,
        toolchain: &dyn Toolchain,
    ) -> Result<Option<Self>, SandboxError> {
        let wanted: Vec<_> = wanted.iter().map(|name| shell_word(name)).collect();
        let is_name = command.chars().all(char::is_alphanumeric);
        let found = if is_name { format!(" && command -v {command}") } else { String::new() };
        let question = format!("{command} {QUESTION} {}{found}", wanted.join(" "));
        let Some(answer) = toolchain.ask(&question).await? else { return Ok(None) };
        let mut lines = answer.lines();
        let mut line = || lines.next().unwrap_or_default().to_owned();
        let [version, pytest, covers, missing, path, found] = std::array::from_fn(|_| line());
        Ok(Some(Self {
            command: command.to_owned(),
            env: None,
            name: command.to_owned(),
            version,
            pytest: Some(pytest).filter(|version| !version.is_empty()),
            covers: covers == "cov",
            missing: missing.split_whitespace().map(str::to_owned).collect(),
            path: Some(path).filter(|path| path.starts_with('/')),
            is_shim: found.contains("/shims/"),
        }))
    }

    /// It with its own folder in front of the others, where its name leads to a shim, which looks for the version to run each time: that
    /// takes longer than many tests.
    pub(crate) fn past_shim(self) -> Self {
        let path = self.path.clone().filter(|_| self.is_shim);
        Self { env: path.map(|path| (PYTHON_VARIABLE.to_owned(), path)), ..self }
    }

    /// The same as that of an environment, by its path.
    pub(crate) fn of_environment(self, name: &str, path: String) -> Self {
        let env = Some((PYTHON_VARIABLE.to_owned(), path));
        Self { command: OWN_PYTHON.to_owned(), env, name: name.to_owned(), ..self }
    }
}
