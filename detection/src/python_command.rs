//! Commands of the user's own that are pytest or unittest: taken apart, and run as our runners run them.

mod pytest_options;

use std::path::Path;

use patchwright_protocol::ResultsFormat;
use patchwright_syntax::pattern::{Pattern, pattern};
use pytest_options::{TOLD, WITH_VALUE};

use crate::detect::interpreters::Interpreter;
use crate::detect::pytest_settings::PytestPlaces;
use crate::detect::{DetectError, DetectedProject, PYTEST_OPTIONS, RUN_BY, python};
use crate::ecosystems::{GIVEN, GivenTests, Understood};
use crate::given_command::{GivenCommand, enter, joined};
use crate::interpreter::{OWN_PYTHON, PYTHON_VARIABLE, of_script};
use crate::shell::QUOTES;
use crate::spec::{AdapterKind, ProjectSpec};

static PYTHON: Pattern = pattern!(r"^(?:\S*/)?python[0-9.]*$");
static PYTEST: Pattern = pattern!(r"^(?:\S*/)?(?:pytest|py\.test)$");

/// A command that is pytest or unittest.
struct PythonCommand<'g, 'c> {
    given: &'g GivenCommand<'c>,
    /// The text that sets its variables.
    exports: String,
    /// The interpreter, as a word of the shell.
    interpreter: String,
    /// The module that is run.
    module: &'c str,
    arguments: &'g [&'c str],
}

impl<'g, 'c> PythonCommand<'g, 'c> {
    fn of(given: &'g GivenCommand<'c>) -> Option<Self> {
        let (interpreter, module, arguments) = match given.words.as_slice() {
            [python, dash_m, module, arguments @ ..] if PYTHON.is_match(python) && *dash_m == "-m" => {
                ((*python).to_owned(), *module, arguments)
            }
            [pytest, arguments @ ..] if PYTEST.is_match(pytest) => (of_script(pytest), "pytest", arguments),
            _ => return None,
        };
        // The tests would otherwise not find what watches them.
        let exports = given.exports(|name| if name == "PYTHONPATH" { ":\"$PATCHWRIGHT_TOOLS\"" } else { "" });
        Some(Self { given, exports, interpreter, module, arguments })
    }

    /// The kind of the project with the commands for all and for some tests, run by this `interpreter` with these `options` for pytest; or
    /// why our runners cannot run them. `root` is the project's folder.
    fn commands(
        &self,
        (interpreter, options): (&str, &str),
        results: &ResultsFormat,
        root: &Path,
    ) -> Result<Commands, String> {
        let start = format!("{}{}{interpreter} -m", enter(self.given.folder), self.exports);
        match (self.module, results) {
            ("pytest", ResultsFormat::PytestText) => {
                let Arguments { kept, searched, named, paths } =
                    Arguments::of(self.arguments, &root.join(self.given.folder))?;
                let start = format!("{start} pytest {options}{kept}");
                // Where tests are named they are all of them.
                let test =
                    if named.is_empty() { format!("{start}{searched}") } else { format!("{start}{named}") };
                let test_one = format!("{} {{tests}}", if named.is_empty() { &test } else { &start });
                let path = |path: &&str| {
                    let file = path.split("::").next().unwrap_or(path).trim_matches(QUOTES);
                    joined(self.given.folder, file)
                };
                let test_paths = paths.iter().filter_map(path).collect();
                Ok(Commands { kind: AdapterKind::Pytest, test, test_one, test_paths })
            }
            ("unittest", ResultsFormat::UnittestText) => {
                let test = format!("{start} patchwright_unittest {}", discovered(self.arguments)?);
                let test_one = format!("{test} -- {{tests}}");
                Ok(Commands { kind: AdapterKind::Unittest, test, test_one, test_paths: Vec::new() })
            }
            _ => Err(UNKNOWN.to_owned()),
        }
    }
}

/// The beginnings of pytest's options that change its settings.
const OTHER_SETTINGS: [&str; 5] = ["-c", "--config-file", "-o", "--override-ini", "--rootdir"];
const UNKNOWN: &str = "the test command is not one that our runners know";

/// The project with commands that call our runner as the tests were called, or why there are none.
///
/// # Errors
/// The command is not one that our runners know, or says something to its tool that they do not know.
pub fn instrumented(spec: &ProjectSpec, pristine: &Path) -> Result<ProjectSpec, String> {
    let given = GivenCommand::parse(spec.test.line()).ok_or(UNKNOWN)?;
    let command = PythonCommand::of(&given).ok_or(UNKNOWN)?;
    let by = (command.interpreter.as_str(), PYTEST_OPTIONS);
    let commands = command.commands(by, &spec.results, pristine)?;
    Ok(commands.of(spec.clone()))
}

/// The commands by which our runners test what a command of the user's tests.
struct Commands {
    kind: AdapterKind,
    test: String,
    test_one: String,
    /// The folders and files that the command names, relative to the project.
    test_paths: Vec<String>,
}

impl Commands {
    /// The project with them.
    fn of(self, spec: ProjectSpec) -> ProjectSpec {
        let Self { kind, test, test_one, test_paths } = self;
        let (test, test_one, results) = (test.into(), Some(test_one), ResultsFormat::Lines);
        ProjectSpec { kind, test, test_one, results, test_paths, ..spec }
    }
}

/// A project whose given command is pytest or unittest, as if that had been detected: single tests are told and chosen, and runs that are
/// ended tell of the tests that had come to their end.
///
/// # Errors
/// The sandbox does not work.
pub(crate) async fn as_detected(given: &GivenTests<'_>) -> Result<Understood, DetectError> {
    let Some(command) = PythonCommand::of(given.command) else { return Ok(Understood::No) };
    let kept = |why: &str| Ok(Understood::Kept(why.to_owned()));
    let survey = given.survey;
    let Some(folder) = given.command.place().filter(|folder| survey.has_folder(folder)) else {
        return kept("it changes into a folder that is none of the project's");
    };
    let asked = format!("{}{}", command.exports, command.interpreter);
    let Some(interpreter) = Interpreter::ask(&asked, &python::requirements(survey), given.toolchain).await?
    else {
        return kept("its interpreter does not answer");
    };
    if command.module == "pytest" && interpreter.pytest.is_none() {
        return kept("its interpreter has no pytest");
    }
    // By its path, its programs are found first, too.
    let path = interpreter.path.clone().filter(|_| command.interpreter.contains(['/', '$']));
    let word = path.as_ref().map_or(command.interpreter.as_str(), |_| OWN_PYTHON);
    let options = python::pytest_options(survey, &interpreter, &command.arguments.join(" "));
    let commands = match command.commands((word, &options), &given.spec.results, survey.root()) {
        Ok(commands) => commands,
        Err(why) => return Ok(Understood::Kept(why)),
    };
    let tool = commands.kind.name();
    let version = interpreter.pytest.filter(|_| tool == "pytest").unwrap_or_default();
    let told = format!("{RUN_BY}{tool} {version}").trim_end().to_owned();
    let mut spec = ProjectSpec { folder, ..commands.of(given.spec.clone()) };
    if spec.kind == AdapterKind::Pytest && spec.folder == "." {
        let PytestPlaces { paths, files } = python::places(survey);
        // Other settings than those of the project may name other files.
        if !command
            .arguments
            .iter()
            .any(|argument| OTHER_SETTINGS.iter().any(|name| argument.starts_with(name)))
        {
            spec.test_files = files;
        }
        if spec.test_paths.is_empty() {
            spec.test_paths = paths;
        }
    }
    spec.env.extend(path.map(|path| (PYTHON_VARIABLE.to_owned(), path)));
    let reasons = vec![
        GIVEN.to_owned(),
        format!("{told} (Python {}), with options by which single tests are told", interpreter.version),
    ];
    Ok(Understood::As(Box::new(DetectedProject { spec, reasons })))
}

/// The arguments of pytest, each with a blank before it.
struct Arguments<'a> {
    /// Those that say how tests are run.
    kept: String,
    /// The folders and files that are searched, as a setting: names of single tests can be added to it, and nothing else is searched then.
    searched: String,
    /// The tests that are named, with the files beside them; empty where none is.
    named: String,
    /// All of these as they are written.
    paths: Vec<&'a str>,
}

impl<'a> Arguments<'a> {
    #[allow(
        clippy::disallowed_methods,
        reason = "the pristine copy, where no command runs, or the user's project"
    )]
    fn of(arguments: &[&'a str], folder: &Path) -> Result<Self, String> {
        let (mut kept, mut paths) = (String::new(), Vec::new());
        let mut words = arguments.iter().copied();
        while let Some(word) = words.next() {
            let option = word.split_once('=').map_or(word, |(option, _)| option);
            // `-n4` and its like, whose value is part of the word, are kept as they are.
            let value = if WITH_VALUE.contains(&word) { words.next() } else { None };
            if !word.starts_with('-') {
                let file = word.split_once("::").map_or(word, |(file, _)| file);
                if !folder.join(file.trim_matches(QUOTES)).exists() {
                    return Err(format!(
                        "the test command names `{word}`, which is no folder or file of the project"
                    ));
                }
                paths.push(word);
            } else if !TOLD.contains(&option) {
                kept.extend([word].into_iter().chain(value).flat_map(|word| [" ", word]));
            }
        }
        let all = paths.join(" ");
        let (mut searched, mut named) = (String::new(), String::new());
        if paths.iter().any(|path| path.contains("::")) {
            named = format!(" {all}");
        } else if !paths.is_empty() {
            searched = format!(" -o 'testpaths={all}'");
        }
        Ok(Self { kept, searched, named, paths })
    }
}

/// The folder that unittest searches, and the one in which the names of modules begin.
fn discovered(arguments: &[&str]) -> Result<String, String> {
    let mut words = arguments
        .iter()
        .copied()
        .filter(|word| !matches!(*word, "-v" | "--verbose" | "-q" | "--quiet" | "-b" | "--buffer"));
    let other = |word: &str| format!("our runner does not know what `{word}` means to unittest");
    let (mut places, mut named) = ([None, None], 0);
    match words.next() {
        None | Some("discover") => {}
        Some(word) => return Err(other(word)),
    }
    while let Some(word) = words.next() {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None if word.starts_with('-') => (word, words.next()),
            None => {
                named += 1;
                (["-s", "-p", "-t"].get(named - 1).copied().unwrap_or(word), Some(word))
            }
        };
        match (option, value) {
            ("-s" | "--start-directory", Some(value)) => places[0] = Some(value),
            ("-t" | "--top-level-directory", Some(value)) => places[1] = Some(value),
            ("-p" | "--pattern", Some("test*.py" | "'test*.py'" | "\"test*.py\"")) => {}
            _ => return Err(other(word)),
        }
    }
    let start = places[0].unwrap_or(".");
    Ok(format!("{start}:{}", places[1].unwrap_or(start)))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn spec(test: &str, results: ResultsFormat) -> ProjectSpec {
        ProjectSpec::new(AdapterKind::Custom, None, test, results)
    }

    #[test]
    fn commands_that_are_known() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("x/tests")).unwrap();
        std::fs::create_dir_all(folder.path().join("tests")).unwrap();
        std::fs::write(folder.path().join("tests/test_a.py"), "").unwrap();
        let check = |test: &str, results: ResultsFormat, expect: &str| {
            let found = instrumented(&spec(test, results), folder.path()).unwrap();
            assert_eq!(found.test.line().replace(PYTEST_OPTIONS, "OURS"), expect);
        };
        let pytest = |test: &str, expect: &str| check(test, ResultsFormat::PytestText, expect);
        pytest("python -m pytest -q tests", "python -m pytest OURS -o 'testpaths=tests'");
        pytest(
            "python -m pytest -x --tb=no --maxfail 1 --cov=x --lf -n4 -m slow",
            "python -m pytest OURS -n4 -m slow",
        );
        pytest(
            "pytest -q tests/test_a.py::test_b",
            "$(sed -n '1s/^#! *//p' \"$(command -v pytest)\") -m pytest OURS tests/test_a.py::test_b",
        );
        pytest(
            "cd x && PYTHONPATH=src A='b c' ../v/bin/python3.11 -m pytest tests -k 'not slow'",
            "cd x && export PYTHONPATH=src:\"$PATCHWRIGHT_TOOLS\" && export A='b c' && ../v/bin/python3.11 -m pytest OURS \
             -k 'not slow' -o 'testpaths=tests'",
        );
        pytest("pytest", "$(sed -n '1s/^#! *//p' \"$(command -v pytest)\") -m pytest OURS");
        let unittest = |test: &str, expect: &str| check(test, ResultsFormat::UnittestText, expect);
        unittest("python3 -m unittest", "python3 -m patchwright_unittest .:.");
        unittest("python3 -m unittest discover -v -s tests", "python3 -m patchwright_unittest tests:tests");
        unittest(
            "python3 -m unittest discover -t . -s tests -p 'test*.py'",
            "python3 -m patchwright_unittest tests:.",
        );
        unittest("python3 -m unittest discover tests", "python3 -m patchwright_unittest tests:tests");
    }

    #[test]
    fn commands_that_are_not() {
        let refused = |test: &str, results: ResultsFormat| {
            assert!(instrumented(&spec(test, results), Path::new("/nowhere")).is_err(), "{test}");
        };
        for test in [
            "pytest | tee log",
            "pytest; true",
            "pytest $(cat names)",
            "pytest `cat names`",
            "pytest 'a",
            "tox -e py",
            "pytest nowhere",
            "python -c 'import pytest; pytest.main()'",
            "cd x; pytest",
        ] {
            refused(test, ResultsFormat::PytestText);
        }
        for test in [
            "python -m unittest tests.test_a",
            "python -m unittest discover -p 'check*.py'",
            "python -m unittest -f",
        ] {
            refused(test, ResultsFormat::UnittestText);
        }
    }
}
