//! Python.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use patchwright_protocol::{ResultsFormat, TestId};
use patchwright_syntax::has_extension;
use patchwright_syntax::{Project, ProjectPath};

use super::SNIPPET;
use super::{
    Claim, Ecosystem, EcosystemFacts, Folders, GivenTests, ProgramFacts, Script, TestWriting, ToolFacts,
    Understood, no_tests,
};
use crate::adapters::python_environment;
use crate::detect::{
    DetectError, DetectedProject, HostEnvironments, Survey, Toolchain, django, python, side_by_side,
    test_places,
};
use crate::python_command;
use crate::spec::adapter::CommandContext;
use crate::spec::{AdapterKind, ProjectSpec};

/// The module that runs unittest's tests, before the places that it searches.
const RUNNER: &str = "-m patchwright_unittest ";

static FACTS: EcosystemFacts = EcosystemFacts {
    languages: &["python"],
    looked_for: "test_*.py and *_test.py, a pytest configuration",
    build_files: &[
        "**/pyproject.toml",
        "**/setup.cfg",
        "**/setup.py",
        "**/pytest.ini",
        "**/.pytest.ini",
        "**/pytest.toml",
        "**/.pytest.toml",
        "**/tox.toml",
        "**/.coveragerc",
        "**/unittest.cfg",
        "**/nose2.cfg",
        "**/.noserc",
        "**/nose.cfg",
        "**/hatch.toml",
        "**/*.pth",
        "**/tox.ini",
        "**/noxfile.py",
        "**/conftest.py",
        "**/sitecustomize.py",
        "**/usercustomize.py",
        // New files that would stand in for a test framework.
        "pytest.py",
        "pytest/**",
        "unittest.py",
        "unittest/**",
    ],
    programs: ProgramFacts {
        language: "python",
        words: "a Python script",
        // Python is there wherever our own tools are.
        run_everywhere: true,
    },
    tools: &[
        ToolFacts { name: "python3", asked: &["python3", "--version"], package: "python3" },
        ToolFacts {
            name: "pytest",
            asked: &["python3", "-c", "import pytest; print('pytest', pytest.__version__)"],
            package: "python3-pytest",
        },
    ],
};

pub(super) struct Python;

#[async_trait]
impl Ecosystem for Python {
    fn facts(&self) -> &'static EcosystemFacts {
        &FACTS
    }

    fn claim(&self, survey: &Survey) -> Option<Claim> {
        let tests = python::tests(survey)?;
        Some(Claim { files: survey.count("python"), tests: tests.count(), has_build_file: false })
    }

    async fn detect(
        &self,
        survey: &Survey,
        _by_build_file: bool,
        host: &HostEnvironments,
        toolchain: &dyn Toolchain,
    ) -> Result<DetectedProject, DetectError> {
        let Some(tests) = python::tests(survey) else { return Err(no_tests(survey)) };
        side_by_side::check(survey, &tests)?;
        if django::runs(survey, &tests) {
            return django::detect(survey, &tests, &host.python, toolchain).await;
        }
        python::detect(survey, tests, &host.python, toolchain).await
    }

    async fn as_detected(&self, given: &GivenTests<'_>) -> Result<Understood, DetectError> {
        python_command::as_detected(given).await
    }

    fn folders(&self, survey: &Survey) -> Folders {
        let files = survey.of_language("python").filter(|path| python::is_test_file(path));
        Folders { source: python::sources(survey), tests: test_places(files) }
    }

    fn environment(&self, context: &CommandContext<'_>) -> BTreeMap<String, String> {
        python_environment(context)
    }

    fn writing(&self) -> Option<&dyn TestWriting> {
        Some(self)
    }
}

impl TestWriting for Python {
    fn framework(&self, _project: &Project, spec: &ProjectSpec) -> &'static str {
        if is_unittest(spec) { "unittest" } else { "pytest" }
    }

    fn name(&self, spec: &ProjectSpec, path: &str, _code: &str, parts: &[&str]) -> TestId {
        let (file, joint) =
            if is_unittest(spec) { (module(spec, path), ".") } else { (path.to_owned(), "::") };
        TestId::new([&[file.as_str()], parts].concat().join(joint))
    }

    /// pytest imports a file under its name with those of the packages around it, unless it is told otherwise.
    fn namesake(&self, project: &Project, spec: &ProjectSpec, path: &str) -> Option<ProjectPath> {
        let files = project.files().ok().filter(|_| !is_unittest(spec))?;
        let has = |path: &str| files.iter().any(|file| file.as_str() == path);
        let imported = |path: &ProjectPath| {
            let mut folders: Vec<&str> = path.parts().collect();
            let mut name = folders.split_off(folders.len() - 1);
            while !folders.is_empty() && has(&format!("{}/__init__.py", folders.join("/"))) {
                name.extend(folders.pop());
            }
            name.into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let own = imported(&ProjectPath::new(path).ok()?);
        let tests: Vec<&ProjectPath> =
            files.iter().filter(|file| python::is_test_file(file.as_str())).collect();
        let names: BTreeSet<Vec<String>> = tests.iter().map(|file| imported(file)).collect();
        // Where some have one name already, it is told otherwise.
        let are_apart = names.len() == tests.len();
        tests.into_iter().find(|file| are_apart && imported(file) == own).cloned()
    }

    fn program(&self, spec: &ProjectSpec, file: &str) -> Option<String> {
        Some(format!("{} {file}", spec.python()))
    }

    fn script(&self, spec: &ProjectSpec, _code: &str) -> Option<Script> {
        let file = format!("{SNIPPET}.py");
        let line = format!("{} \"$PATCHWRIGHT_OUT/{file}\"", spec.python());
        Some(Script { file, line })
    }
}

fn is_unittest(spec: &ProjectSpec) -> bool {
    spec.kind == AdapterKind::Unittest || spec.results == ResultsFormat::UnittestText
}

/// The name of a Python file's module, from the folder in which the tool's names begin.
fn module(spec: &ProjectSpec, path: &str) -> String {
    let path = spec.from_folder(path);
    let tops: Vec<&str> = match spec.test.line().rsplit_once(RUNNER) {
        Some((_, places)) => places
            .split_whitespace()
            .filter(|place| path.starts_with(&format!("{}/", start_of(place))) || start_of(place) == ".")
            .map(|place| place.split_once(':').map_or(place, |(_, top)| top))
            .collect(),
        // A script that runs tests names them from its own folder on.
        None => spec
            .test
            .line()
            .split_whitespace()
            .find(|word| has_extension(word, "py"))
            .and_then(|script| script.trim_start_matches("./").rsplit_once('/'))
            .map(|(folder, _)| folder)
            .into_iter()
            .collect(),
    };
    let from_top =
        |top: &&str| path.strip_prefix(&format!("{}/", top.trim_end_matches('/'))).map(str::to_owned);
    let relative =
        tops.iter().filter(|top| **top != ".").find_map(from_top).unwrap_or_else(|| path.to_owned());
    relative.trim_end_matches(".py").replace('/', ".")
}

/// The folder that is searched, of a place that the runner takes: `START` or `START:TOP`.
fn start_of(place: &str) -> &str {
    place.split_once(':').map_or(place, |(start, _)| start).trim_end_matches('/')
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used)]
mod tests {
    use patchwright_syntax::Language;

    use super::*;

    #[test]
    fn files_of_one_name_are_one_module_unless_packages_tell_them_apart() {
        let check = |files: &[&str], path: &str, expect: Option<&str>| {
            let folder = tempfile::tempdir().unwrap();
            for file in files {
                let file = folder.path().join(file);
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(file, "").unwrap();
            }
            let project = Project::open(folder.path()).unwrap();
            let spec = |kind, results| {
                ProjectSpec::new(kind, Language::by_name("python"), "python3 -m pytest".to_owned(), results)
            };
            let pytest = spec(AdapterKind::Pytest, ResultsFormat::Lines);
            let found = Python.namesake(&project, &pytest, path);
            assert_eq!(found.as_ref().map(ProjectPath::as_str), expect, "{files:?} {path}");
            let unittest = spec(AdapterKind::Unittest, ResultsFormat::Lines);
            assert_eq!(Python.namesake(&project, &unittest, path), None);
        };
        let apart = ["tests/unit/test_all.py", "tests/unit/test_b.py"];
        check(&apart, "tests/test_all.py", Some("tests/unit/test_all.py"));
        check(&apart, "tests/test_c.py", None);
        let package = ["tests/unit/__init__.py", "tests/unit/test_all.py"];
        check(&package, "tests/test_all.py", None);
        let two = ["tests/a/test_all.py", "tests/b/test_all.py"];
        check(&two, "tests/test_all.py", None);
    }
}
