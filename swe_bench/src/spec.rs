//! Commands that install and test a version of a project, for rows that do not say it themselves.
//!
//! The facts are those of version 4.1.0 of the official program, for the 12 repositories of Lite and Verified
//! and the 6 of Lite's split `dev`.

use std::collections::HashMap;
use std::path::Path;

use patchwright_folder::{LONGEST_FILE, read_text_file};
use patchwright_suites::LoadError;
use serde_json::Value;

use super::rows::Row;

/// Commands that install and test a version of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spec {
    /// The version of Python: `3.9`.
    pub python: String,
    /// Commands before the installation, when an image is made. Only a file of specs has them.
    pub pre_install: Vec<String>,
    /// The command that installs; it runs again before the tests.
    pub install: Option<String>,
    /// Commands before the tests.
    pub eval_commands: Vec<String>,
    /// The command that tests; directives are appended.
    pub test_cmd: String,
}

/// The specs that are known.
#[derive(Clone, Debug, Default)]
pub struct Specs {
    /// By repository and version; looked at first.
    read: HashMap<(String, String), Spec>,
}

impl Specs {
    /// Those of the table in this crate.
    pub fn builtin() -> Self {
        Self::default()
    }

    /// Those of a file, and those of the table for what the file does not have. The file is JSON: `{"specs":
    /// {repository: {version: {"python", "install", "test_cmd", "eval_commands", "pre_install"}}}}`, perhaps
    /// without the outer object.
    ///
    /// # Errors
    /// A file that cannot be read or has another form.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let wrong =
            |place: &str, message: String| LoadError { place: format!("{}{place}", path.display()), message };
        let text = read_text_file(path, LONGEST_FILE)
            .map_err(|error| wrong("", format!("it cannot be read: {error}")))?;
        let whole: Value =
            serde_json::from_str(&text).map_err(|error| wrong("", format!("it is no JSON: {error}")))?;
        let repositories = whole.get("specs").unwrap_or(&whole);
        let mut read = HashMap::new();
        for (repository, versions) in repositories
            .as_object()
            .ok_or_else(|| wrong("", "an object from repository to versions is expected".to_owned()))?
        {
            let place = format!(", `{repository}`");
            let versions = versions
                .as_object()
                .ok_or_else(|| wrong(&place, "an object from version to commands is expected".to_owned()))?;
            for (version, commands) in versions {
                let spec = spec(commands).map_err(|(field, expected)| {
                    let place = format!(", `{repository}` {version}, field `{field}`");
                    wrong(&place, format!("{expected} is expected"))
                })?;
                if let Some(spec) = spec {
                    read.insert((repository.clone(), version.clone()), spec);
                }
            }
        }
        Ok(Self { read })
    }

    /// The spec of a version of a repository.
    pub fn get(&self, repository: &str, version: &str) -> Option<Spec> {
        let read = self.read.get(&(repository.to_owned(), version.to_owned()));
        read.cloned().or_else(|| builtin(repository, version))
    }

    /// The spec for a row.
    ///
    /// # Errors
    /// None is known.
    pub fn of(&self, row: &Row) -> Result<Spec, LoadError> {
        self.get(&row.repo, &row.version).ok_or_else(|| LoadError {
            place: format!("{}, field `version`", row.instance_id),
            message: format!(
                "no commands are known for {} {}; name a file of specs that has them, or give the row an `eval_script`",
                row.repo, row.version
            ),
        })
    }

    /// All repositories and versions of the file that was read.
    pub fn read(&self) -> impl Iterator<Item = (&str, &str, &Spec)> {
        self.read.iter().map(|((repository, version), spec)| (repository.as_str(), version.as_str(), spec))
    }
}

/// A spec of the file; `None` where it does not say how to test.
fn spec(commands: &Value) -> Result<Option<Spec>, (&'static str, &'static str)> {
    let text = |field: &'static str| match commands.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err((field, "a text")),
    };
    let list = |field: &'static str| match commands.get(field) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned).ok_or((field, "a list of texts")))
            .collect(),
        Some(_) => Err((field, "a list of texts")),
    };
    let spec = Spec {
        python: text("python")?.unwrap_or_default(),
        pre_install: list("pre_install")?,
        install: text("install")?,
        eval_commands: list("eval_commands")?,
        test_cmd: match text("test_cmd")? {
            Some(command) => command,
            None => return Ok(None),
        },
    };
    Ok(Some(spec))
}

const EDITABLE: &str = "python -m pip install -e .";
const PYTEST: &str = "pytest -rA";
const LOCALE_OLD: &[&str] = &[
    "export LANG=en_US.UTF-8",
    "export LC_ALL=en_US.UTF-8",
    "export PYTHONIOENCODING=utf8",
    "export LANGUAGE=en_US:en",
];
const LOCALE: &[&str] = &[
    "sed -i '/en_US.UTF-8/s/^# //g' /etc/locale.gen && locale-gen",
    "export LANG=en_US.UTF-8",
    "export LANGUAGE=en_US:en",
    "export LC_ALL=en_US.UTF-8",
];
const DJANGO: &str = "./tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1";
const SYMPY: &str = "PYTHONWARNINGS='ignore::UserWarning,ignore::SyntaxWarning' bin/test -C --verbose";
const SPHINX: &str = "tox --current-env -epy39 -v --";
const SCIKIT: &str = "python -m pip install -v --no-use-pep517 --no-build-isolation -e .";

/// Repository, first and last version, Python, installation, commands before the tests, test command. The
/// first range that holds the version counts.
type Range =
    (&'static str, (u32, u32), (u32, u32), &'static str, &'static str, &'static [&'static str], &'static str);
const ANY: ((u32, u32), (u32, u32)) = ((0, 0), (u32::MAX, u32::MAX));
const TESTED_ASTROPY: &str = "python -m pip install -e .[test] --verbose";
const CLASSIC_ASTROPY: &str = "pytest -rA -vv -o console_output_style=classic --tb=no";

#[rustfmt::skip] // a table
static RANGES: &[Range] = &[
    ("astropy/astropy", ANY.0, (1, 3), "3.6", TESTED_ASTROPY, &[], CLASSIC_ASTROPY),
    ("astropy/astropy", (3, 0), (5, 2), "3.9", TESTED_ASTROPY, &[], PYTEST),
    ("astropy/astropy", (5, 3), ANY.1, "3.10", TESTED_ASTROPY, &[], PYTEST),
    ("django/django", ANY.0, (1, 6), "3.5", "python setup.py install", &[], DJANGO),
    ("django/django", (1, 9), (1, 9), "3.5", "python setup.py install", LOCALE_OLD, "./tests/runtests.py --verbosity 2"),
    ("django/django", (1, 7), (2, 2), "3.5", "python setup.py install", LOCALE_OLD, DJANGO),
    ("django/django", (3, 0), (3, 2), "3.6", EDITABLE, LOCALE, DJANGO),
    ("django/django", (4, 0), (4, 0), "3.8", EDITABLE, &[], DJANGO),
    ("django/django", (4, 1), (4, 2), "3.9", EDITABLE, &[], DJANGO),
    ("django/django", (5, 0), ANY.1, "3.11", EDITABLE, &[], DJANGO),
    ("marshmallow-code/marshmallow", ANY.0, ANY.1, "3.9", "python -m pip install -e '.[dev]'", &[], PYTEST),
    ("matplotlib/matplotlib", ANY.0, (2, 2), "3.5", "python setup.py build; python setup.py install", &[], PYTEST),
    ("matplotlib/matplotlib", (3, 0), (3, 0), "3.7", EDITABLE, &[], PYTEST),
    ("matplotlib/matplotlib", (3, 1), (3, 4), "3.8", EDITABLE, &[], PYTEST),
    ("matplotlib/matplotlib", (3, 5), (3, 7), "3.11", EDITABLE, &[], PYTEST),
    ("matplotlib/matplotlib", (3, 8), ANY.1, "3.11", "python -m pip install --no-build-isolation -e \".[dev]\"", &[], PYTEST),
    ("mwaskom/seaborn", ANY.0, (0, 11), "3.9", EDITABLE, &[], "pytest --no-header -rA"),
    ("mwaskom/seaborn", (0, 12), ANY.1, "3.9", "python -m pip install -e .[dev]", &[], "pytest --no-header -rA"),
    ("pallets/flask", ANY.0, (2, 0), "3.9", EDITABLE, &[], PYTEST),
    ("pallets/flask", (2, 1), (2, 1), "3.10", EDITABLE, &[], PYTEST),
    ("pallets/flask", (2, 2), ANY.1, "3.11", EDITABLE, &[], PYTEST),
    ("psf/requests", ANY.0, ANY.1, "3.9", "python -m pip install .", &[], PYTEST),
    ("pvlib/pvlib-python", ANY.0, ANY.1, "3.9", "python -m pip install -e .[all]", &[], PYTEST),
    ("pydata/xarray", ANY.0, ANY.1, "3.10", EDITABLE, &[], PYTEST),
    ("pydicom/pydicom", ANY.0, (1, 3), "3.6", EDITABLE, &[], PYTEST),
    ("pydicom/pydicom", (1, 4), (2, 0), "3.8", EDITABLE, &[], PYTEST),
    ("pydicom/pydicom", (2, 1), (2, 2), "3.9", EDITABLE, &[], PYTEST),
    ("pydicom/pydicom", (2, 3), (2, 3), "3.10", EDITABLE, &[], PYTEST),
    ("pydicom/pydicom", (2, 4), ANY.1, "3.11", EDITABLE, &[], PYTEST),
    ("pylint-dev/astroid", ANY.0, ANY.1, "3.9", EDITABLE, &[], PYTEST),
    ("pylint-dev/pylint", ANY.0, ANY.1, "3.9", EDITABLE, &[], PYTEST),
    ("pytest-dev/pytest", ANY.0, ANY.1, "3.9", EDITABLE, &[], PYTEST),
    ("pyvista/pyvista", ANY.0, ANY.1, "3.9", EDITABLE, &[], PYTEST),
    ("scikit-learn/scikit-learn", ANY.0, (0, 22), "3.6", SCIKIT, &[], PYTEST),
    ("scikit-learn/scikit-learn", (1, 0), ANY.1, "3.9", SCIKIT, &[], PYTEST),
    ("sphinx-doc/sphinx", ANY.0, (7, 4), "3.9", "python -m pip install -e .[test]", &[], SPHINX),
    ("sphinx-doc/sphinx", (8, 0), ANY.1, "3.10", "python -m pip install -e .[test]", &[], SPHINX),
    ("sqlfluff/sqlfluff", ANY.0, ANY.1, "3.9", EDITABLE, &[], PYTEST),
    ("sympy/sympy", ANY.0, ANY.1, "3.9", EDITABLE, &[], SYMPY),
];

fn builtin(repository: &str, version: &str) -> Option<Spec> {
    let number = number(version)?;
    let (_, _, _, python, install, eval_commands, test_cmd) =
        RANGES.iter().find(|(name, from, to, ..)| *name == repository && (*from..=*to).contains(&number))?;
    Some(Spec {
        python: (*python).to_owned(),
        pre_install: Vec::new(),
        install: Some((*install).to_owned()),
        eval_commands: eval_commands.iter().map(|command| (*command).to_owned()).collect(),
        test_cmd: (*test_cmd).to_owned(),
    })
}

/// `v5.3` and `5.3` are 5 and 3.
fn number(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.trim_start_matches('v').split('.');
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next().map_or(Some(0), |part| part.parse().ok())?;
    Some((major, minor))
}
