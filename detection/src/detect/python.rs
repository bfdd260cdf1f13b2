//! Python: pytest or unittest.

use std::collections::{BTreeMap, BTreeSet};

use patchwright_protocol::ResultsFormat;
use patchwright_syntax::Language;
use patchwright_syntax::pattern::{Pattern, pattern};

use super::interpreters::Interpreter;
use super::pytest_settings::{PytestPlaces, PytestSettings};
use super::survey::{Survey, folder_of, test_places};
use super::{DetectError, DetectedProject, PythonEnvironment, RUN_BY, Toolchain};
use crate::shell::shell_word;
use crate::spec::{AdapterKind, ProjectSpec};

static IMPORTS_PYTEST: Pattern = pattern!(r"(?m)^\s*(?:import|from) pytest\b");
static IMPORTS_UNITTEST: Pattern = pattern!(r"(?m)^\s*(?:import|from) unittest\b");
static IMPORTS_DJANGO: Pattern = pattern!(r"(?m)^\s*(?:import|from) django\.test\b");
/// Functions and classes which only pytest takes for tests.
static PLAIN_TEST: Pattern = pattern!(r"(?m)^(?:async )?def test|^class Test\w*(?:\(\))?:");
/// The name of a package at the beginning of a requirement; an address has none.
static REQUIRED: Pattern = pattern!(r"^\s*([A-Za-z0-9][\w.-]*)\s*(?:$|[\[<>=!~@#(,\\]|--)");
static REQUIREMENT: Pattern = pattern!(r"(?mi)^\s*pytest\b");
/// Where packages begin: `where` of setuptools, the empty name in `package-dir`, and the same in setup.cfg.
static WHERE: Pattern =
    pattern!(r#"(?m)\bwhere\s*=\s*\[?\s*["']?([\w./-]+)|""\s*=\s*["']([\w./-]+)|^\s+=\s*([\w./-]+)\s*$"#);

/// Options of ours that change nothing about what is tested: all outcomes are told, in full, and nothing is kept.
pub const PYTEST_OPTIONS: &str = "-vv -p patchwright_pytest -p no:cacheprovider --rootdir=. --color=no --tb=short --maxfail=0 \
                              --continue-on-collection-errors";

/// Where pytest is asked for, best told first.
const REQUIREMENTS: &[&str] = &[
    "requirements.txt",
    "requirements-dev.txt",
    "dev-requirements.txt",
    "requirements_dev.txt",
    "test-requirements.txt",
    "requirements-test.txt",
    "requirements/dev.txt",
    "requirements/test.txt",
    "requirements/tests.txt",
    "Pipfile",
    "environment.yml",
];

/// The facts known of a project's Python tests.
pub(crate) struct PythonTests {
    pub(super) files: Vec<String>,
    /// Where the settings have pytest look for tests.
    places: PytestPlaces,
    /// The file that names pytest, and how.
    configured: Option<String>,
    /// A test file that needs pytest.
    needs_pytest: Option<String>,
    django: bool,
}

impl PythonTests {
    pub(crate) fn count(&self) -> usize {
        self.files.len()
    }

    /// Whether they use `django.test` and no other test tool is configured.
    pub(crate) fn are_of_django(&self) -> bool {
        self.django && self.configured.is_none()
    }
}

/// Looks for tests. `None` when there are none.
pub(crate) fn tests(survey: &Survey) -> Option<PythonTests> {
    let settings = PytestSettings::of(survey);
    let is_named = |path: &str| settings.as_ref().is_some_and(|settings| settings.names(path));
    let files = survey.of_language("python").filter(|path| is_test_file(path) || is_named(path));
    let files: Vec<String> = files.map(str::to_owned).collect();
    let configured = configuration(survey, settings.as_ref());
    if files.is_empty() && (configured.is_none() || survey.count("python") == 0) {
        return None;
    }
    let places = settings.map_or_else(PytestPlaces::usual, |settings| settings.places);
    let mut found = PythonTests { files, places, configured, needs_pytest: None, django: false };
    for file in &found.files {
        let text = survey.text(file);
        let unittest_only = IMPORTS_UNITTEST.is_match(&text) && !IMPORTS_PYTEST.is_match(&text);
        if IMPORTS_PYTEST.is_match(&text) || (PLAIN_TEST.is_match(&text) && !unittest_only) {
            found.needs_pytest.get_or_insert_with(|| file.clone());
        }
        found.django |= IMPORTS_DJANGO.is_match(&text);
    }
    Some(found)
}

/// Where the settings have pytest look for tests.
pub(crate) fn places(survey: &Survey) -> PytestPlaces {
    PytestSettings::of(survey).map_or_else(PytestPlaces::usual, |settings| settings.places)
}

/// Is true if test tools for Python take a file of this name for tests.
pub(crate) fn is_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some(stem) = name.strip_suffix(".py") else { return false };
    ["test_", "unittest_"].iter().any(|prefix| stem.starts_with(prefix))
        || stem.ends_with("_test")
        || stem == "tests"
        || stem == "test"
}

/// A sentence on what names pytest.
fn configuration(survey: &Survey, settings: Option<&PytestSettings>) -> Option<String> {
    if let Some(PytestSettings { file, .. }) = settings {
        return Some(format!("{file} configures pytest"));
    }
    for file in ["conftest.py", "tests/conftest.py", "test/conftest.py"] {
        if survey.has(file) {
            return Some(format!("there is a {file}"));
        }
    }
    let pyproject = survey.text("pyproject.toml");
    if pyproject
        .lines()
        .any(|line| line.contains("\"pytest") || line.contains("'pytest") || REQUIREMENT.is_match(line))
    {
        return Some("pyproject.toml names pytest".to_owned());
    }
    let named = REQUIREMENTS.iter().find(|file| REQUIREMENT.is_match(&survey.text(file)));
    named.map(|file| format!("{file} names pytest"))
}

pub(crate) async fn detect(
    survey: &Survey,
    tests: PythonTests,
    environments: &[PythonEnvironment],
    toolchain: &dyn Toolchain,
) -> Result<DetectedProject, DetectError> {
    let mut reasons = Vec::new();
    let wanted = requirements(survey);
    let interpreters = interpreters(survey, &wanted, environments, toolchain, &mut reasons).await?;
    let with_pytest = interpreters.iter().find(|found| found.pytest.is_some());
    let named = tests
        .configured
        .clone()
        .or(tests.needs_pytest.as_ref().map(|file| format!("{file} is written for pytest")));
    let Some(first) = interpreters.first() else {
        let cure = "install Python (Debian: apt install python3), or give --test CMD";
        return Err(DetectError::missing("python3", "the project is written in Python", cure));
    };
    let (interpreter, kind) = match (with_pytest, named) {
        (Some(interpreter), Some(why)) => {
            reasons.push(why);
            (interpreter, AdapterKind::Pytest)
        }
        (None, Some(why)) if tests.needs_pytest.is_some() || tests.files.is_empty() => {
            let name = &first.name;
            let cure =
                format!("install it: {name} -m pip install pytest (Debian: apt install python3-pytest)");
            return Err(DetectError::missing(format!("the module pytest of {name}"), why, cure));
        }
        (None, Some(why)) => {
            reasons.push(format!("{why}, but it cannot be imported; the tests import only unittest"));
            (first, AdapterKind::Unittest)
        }
        (_, None) => {
            reasons.push("the tests import only unittest".to_owned());
            (first, AdapterKind::Unittest)
        }
    };
    let by_pytest = kind == AdapterKind::Pytest;
    let pytest = interpreter.pytest.as_ref().filter(|_| by_pytest);
    let pytest = pytest.map_or_else(String::new, |version| format!(", pytest {version}"));
    reasons.push(format!("{RUN_BY}{} (Python {}{pytest})", interpreter.name, interpreter.version));
    if !interpreter.missing.is_empty() {
        reasons.push(format!("not installed there: {}", interpreter.missing.join(", ")));
    }
    // Environments of the project's own that another one was better than.
    for passed_over in
        interpreters.iter().filter(|other| other.env.is_some() && other.name != interpreter.name)
    {
        let pytest = (by_pytest && passed_over.pytest.is_none()).then_some("pytest");
        let missing = passed_over.missing.iter().map(String::as_str);
        let lacking: BTreeSet<&str> = pytest.into_iter().chain(missing).collect();
        if !lacking.is_empty() {
            let lacking = lacking.into_iter().collect::<Vec<_>>().join(", ");
            reasons.push(format!("{} is not used: it lacks {lacking}", passed_over.name));
        }
    }
    let (test, test_one) = if by_pytest {
        pytest_commands(survey, interpreter)
    } else {
        unittest_commands(survey, &tests, interpreter)
    };
    let places = if by_pytest { tests.places } else { PytestPlaces::default() };
    let spec = ProjectSpec {
        test_one: Some(test_one),
        source: sources(survey),
        tests: test_places(tests.files.iter().map(String::as_str)),
        test_paths: places.paths,
        test_files: places.files,
        env: interpreter.env.iter().cloned().collect(),
        ..ProjectSpec::new(kind, Language::by_name("python"), test, ResultsFormat::Lines)
    };
    Ok(DetectedProject { spec, reasons })
}

/// The files by which a project chooses the Python that a shim leads to.
const VERSION_FILES: [&str; 4] = [".python-version", ".tool-versions", "mise.toml", ".mise.toml"];

/// The interpreters that answer: the project's own environments first. The search ends with one that has all that is asked for.
pub(super) async fn interpreters(
    survey: &Survey,
    wanted: &BTreeSet<String>,
    environments: &[PythonEnvironment],
    toolchain: &dyn Toolchain,
    reasons: &mut Vec<String>,
) -> Result<Vec<Interpreter>, DetectError> {
    let mut found: Vec<Interpreter> = Vec::new();
    for environment in environments {
        let path = environment.interpreter().to_string_lossy().into_owned();
        match Interpreter::ask(&shell_word(&path), wanted, toolchain).await? {
            Some(answered) => found.push(answered.of_environment(&environment.name, path)),
            None => {
                reasons.push(format!("{} does not run in the sandbox, so it is not used", environment.name));
            }
        }
        if found.last().is_some_and(|last| last.pytest.is_some() && last.missing.is_empty()) {
            break;
        }
    }
    for name in ["python3", "python"] {
        if let Some(answered) = Interpreter::ask(name, wanted, toolchain).await? {
            // Where the project chooses its version, the shim obeys.
            let is_chosen = VERSION_FILES.iter().any(|file| survey.has(file));
            found.push(if is_chosen { answered } else { answered.past_shim() });
            break;
        }
    }
    // Python 2 cannot run what we bring along.
    found.retain(|interpreter| interpreter.version.starts_with('3'));
    found.sort_by_key(|interpreter| interpreter.missing.len());
    Ok(found)
}

/// The names of the packages that the project needs wherever it runs, as far as its files tell.
pub(crate) fn requirements(survey: &Survey) -> BTreeSet<String> {
    let pyproject: toml::Table = survey.text("pyproject.toml").parse().unwrap_or_default();
    let project = pyproject.get("project").and_then(|project| project.get("dependencies"));
    let project = project.and_then(toml::Value::as_array).into_iter().flatten();
    let mut lines: Vec<String> = project.filter_map(|line| line.as_str().map(str::to_owned)).collect();
    let poetry = pyproject.get("tool").and_then(|tool| tool.get("poetry")?.get("dependencies")?.as_table());
    let always = |(_, version): &(&String, &toml::Value)| version.is_str();
    lines.extend(poetry.into_iter().flatten().filter(always).map(|(name, _)| name.clone()));
    lines.extend(survey.text("requirements.txt").lines().map(str::to_owned));
    let name = |line: &String| Some(REQUIRED.captures(line)?[1].to_owned());
    let names = lines.iter().filter(|line| !line.contains(';')).filter_map(name);
    names.filter(|name| name != "python").collect()
}

fn pytest_commands(survey: &Survey, interpreter: &Interpreter) -> (String, String) {
    let test = format!("{} -m pytest {}", interpreter.command, pytest_options(survey, interpreter, ""));
    let test_one = format!("{test} {{tests}}");
    (test, test_one)
}

/// Our options for pytest in a project whose command has these `arguments` of its own.
pub(crate) fn pytest_options(survey: &Survey, interpreter: &Interpreter, arguments: &str) -> String {
    let settings =
        ["pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini"].map(|file| survey.text(file)).concat();
    // The order of tests is to be the same in every run; options for the plugin that changes it would be unknown then.
    let is_random = settings.contains("random") || arguments.contains("random");
    let order = if is_random { "" } else { " -p no:randomly" };
    // What the project measures of its coverage only takes time here: often more than the tests.
    let coverage = if interpreter.covers { " --no-cov" } else { "" };
    format!("{PYTEST_OPTIONS}{order}{coverage}")
}

fn unittest_commands(survey: &Survey, tests: &PythonTests, interpreter: &Interpreter) -> (String, String) {
    let places = unittest_places(survey, &tests.files);
    let words: Vec<String> =
        places.iter().map(|(start, top)| shell_word(&format!("{start}:{top}"))).collect();
    let test = format!("{} -m patchwright_unittest {}", interpreter.command, words.join(" "));
    let test_one = format!("{test} -- {{tests}}");
    (test, test_one)
}

/// The folders to search, each with the folder in which the names of its modules begin: the first above that is no
/// package.
fn unittest_places(survey: &Survey, files: &[String]) -> BTreeSet<(String, String)> {
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for file in files {
        let folder = folder_of(file);
        let mut top = folder;
        while top != "." && survey.has(&format!("{top}/__init__.py")) {
            top = folder_of(top);
        }
        groups.entry(top.to_owned()).or_default().push(folder);
    }
    groups.into_iter().map(|(top, folders)| (common(&folders), top)).collect()
}

/// The deepest folder that holds all of some folders.
fn common<'f>(folders: &[&'f str]) -> String {
    let parts = |folder: &&'f str| folder.split('/').filter(|part| *part != ".").collect();
    let shared = |one: Vec<&'f str>, other: Vec<&'f str>| {
        one.into_iter().zip(other).take_while(|(one, other)| one == other).map(|(one, _)| one).collect()
    };
    let parts: Vec<&str> = folders.iter().map(parts).reduce(shared).unwrap_or_default();
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

/// The folders of production code: where the packaging says, `src`, packages in the root, or the root itself.
pub(crate) fn sources(survey: &Survey) -> Vec<String> {
    let mut found = BTreeSet::new();
    for file in ["pyproject.toml", "setup.cfg"] {
        let text = survey.text(file);
        if text.contains("package-dir") || text.contains("package_dir") || text.contains("packages.find") {
            let folders =
                WHERE.captures_iter(&text).filter_map(|found| found.iter().skip(1).flatten().next());
            let folders = folders.map(|folder| folder.as_str().trim_end_matches('/').to_owned());
            found.extend(folders.filter(|folder| folder != "." && survey.has_folder(folder)));
        }
    }
    if found.is_empty() && survey.of_language("python").any(|path| path.starts_with("src/")) {
        found.insert("src".to_owned());
    }
    if found.is_empty() {
        let aside = |folder: &str| {
            matches!(
                folder,
                "test"
                    | "tests"
                    | "testing"
                    | "docs"
                    | "doc"
                    | "examples"
                    | "example"
                    | "benchmarks"
                    | "tools"
                    | "scripts"
            )
        };
        let top =
            survey.of_language("python").filter_map(|path| path.split_once('/')).map(|(folder, _)| folder);
        let packages = top.filter(|folder| !aside(folder) && survey.has(&format!("{folder}/__init__.py")));
        found.extend(packages.map(str::to_owned));
        let beside = survey.of_language("python").any(|path| {
            !path.contains('/')
                && !is_test_file(path)
                && !matches!(path, "setup.py" | "conftest.py" | "noxfile.py")
        });
        if beside || found.is_empty() {
            found.insert(".".to_owned());
        }
    }
    found.into_iter().collect()
}
