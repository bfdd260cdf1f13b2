//! Commands of the user's own that are pytest or unittest, as runners of ours run them.

use std::path::Path;

use patchwright_detection::PYTEST_OPTIONS;
use patchwright_detection::{AdapterKind, ProjectSpec};
use patchwright_protocol::ResultsFormat;
use patchwright_syntax::pattern::{Pattern, pattern};

static CD: Pattern = pattern!(r"^cd\s+([\w./+-]+)\s*&&\s*");
static VARIABLE: Pattern = pattern!(r"^([A-Za-z_]\w*)=(.*)$");
static PYTHON: Pattern = pattern!(r"^(?:\S*/)?python[0-9.]*$");
static PYTEST: Pattern = pattern!(r"^(?:\S*/)?(?:pytest|py\.test)$");

/// Options of pytest whose value is the next word.
const WITH_VALUE: &[&str] = &[
    "-c",
    "-k",
    "-m",
    "-n",
    "-o",
    "-p",
    "-r",
    "-W",
    "--confcutdir",
    "--cov",
    "--cov-report",
    "--deselect",
    "--durations",
    "--ignore",
    "--ignore-glob",
    "--junitxml",
    "--log-level",
    "--maxfail",
    "--rootdir",
    "--tb",
    "--timeout",
];

/// The project with commands that call our runner as the tests were called, or why there are none.
pub(super) fn instrumented(spec: &ProjectSpec, pristine: &Path) -> Result<ProjectSpec, String> {
    let unknown = || "the test command is not one that our runners know".to_owned();
    let mut rest = spec.test.line().trim();
    let mut before = String::new();
    let mut folder = pristine.to_owned();
    if let Some(found) = CD.captures(rest) {
        folder.push(&found[1]);
        before = format!("cd {} && ", &found[1]);
        rest = &rest[found[0].len()..];
    }
    let words = words(rest).ok_or_else(unknown)?;
    let mut words = words.as_slice();
    while let Some(found) = words.first().and_then(|word| VARIABLE.captures(word)) {
        // The tests would otherwise not find what watches them.
        let tools = if &found[1] == "PYTHONPATH" { ":\"$PATCHWRIGHT_TOOLS\"" } else { "" };
        before.push_str(&format!("export {}{tools} && ", &found[0]));
        words = &words[1..];
    }
    let (interpreter, module, arguments) = match words {
        [python, dash_m, module, arguments @ ..] if PYTHON.is_match(python) && *dash_m == "-m" => {
            ((*python).to_owned(), *module, arguments)
        }
        [pytest, arguments @ ..] if PYTEST.is_match(pytest) => {
            (patchwright_detection::of_script(pytest), "pytest", arguments)
        }
        _ => return Err(unknown()),
    };
    let start = format!("{before}{interpreter} -m");
    let (kind, test, between) = match module {
        "pytest" if spec.results == ResultsFormat::PytestText => {
            let arguments = pytest(arguments, &folder)?;
            (AdapterKind::Pytest, format!("{start} pytest {PYTEST_OPTIONS}{arguments}"), " ")
        }
        "unittest" if spec.results == ResultsFormat::UnittestText => {
            let place = discovered(arguments)?;
            (AdapterKind::Unittest, format!("{start} patchwright_unittest {place}"), " -- ")
        }
        _ => return Err(unknown()),
    };
    let test_one = Some(format!("{test}{between}{{tests}}"));
    Ok(ProjectSpec { kind, test: test.into(), test_one, results: ResultsFormat::Lines, ..spec.clone() })
}

/// The words of a command as they are written; `None` where it is more than one program with its arguments.
fn words(line: &str) -> Option<Vec<&str>> {
    let mut words = Vec::new();
    let mut start = None;
    let mut quote = None;
    for (index, character) in line.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some('\''), _) => {}
            (_, '`' | '\\') => return None,
            (_, '(') if line[..index].ends_with('$') => return None,
            (Some(_), _) => {}
            (None, '|' | '&' | ';' | '<' | '>' | '(' | ')' | '\n') => return None,
            (None, ' ' | '\t') => words.extend(start.take().map(|start| &line[start..index])),
            (None, _) => {
                start.get_or_insert(index);
                quote = Some(character).filter(|character| "'\"".contains(*character));
            }
        }
    }
    words.extend(start.map(|start| &line[start..]));
    quote.is_none().then_some(words)
}

/// The arguments for all tests, to which the names of single ones can be added: what is searched by default is then not.
#[allow(clippy::disallowed_methods, reason = "the pristine copy, where no command runs")]
fn pytest(arguments: &[&str], folder: &Path) -> Result<String, String> {
    let mut kept = String::new();
    let mut searched: Vec<&str> = Vec::new();
    let mut is_value = false;
    for word in arguments {
        if !is_value && !word.starts_with('-') {
            if word.contains("::") || !folder.join(word).exists() {
                return Err(format!(
                    "the test command names `{word}`, which is no folder or file of the project"
                ));
            }
            searched.push(word);
        } else {
            kept.push_str(&format!(" {word}"));
        }
        is_value = !is_value && WITH_VALUE.contains(word);
    }
    if !searched.is_empty() {
        kept.push_str(&format!(" -o 'testpaths={}'", searched.join(" ")));
    }
    Ok(kept)
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
        ProjectSpec {
            language: None,
            kind: AdapterKind::Custom,
            build: None,
            test: test.into(),
            test_one: None,
            results,
            source: Vec::new(),
            tests: Vec::new(),
            env: std::collections::BTreeMap::new(),
            timeout: patchwright_detection::DEFAULT_TIMEOUT,
            build_files: Vec::new(),
            network: false,
        }
    }

    #[test]
    fn commands_that_are_known() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("x/tests")).unwrap();
        std::fs::create_dir_all(folder.path().join("tests")).unwrap();
        let check = |test: &str, results: ResultsFormat, expect: &str| {
            let found = instrumented(&spec(test, results), folder.path()).unwrap();
            assert_eq!(found.test.line().replace(PYTEST_OPTIONS, "OURS"), expect);
        };
        let pytest = |test: &str, expect: &str| check(test, ResultsFormat::PytestText, expect);
        pytest("python -m pytest -q tests", "python -m pytest OURS -q -o 'testpaths=tests'");
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
            "pytest tests/test_a.py::test_b",
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
