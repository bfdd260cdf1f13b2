//! JavaScript and TypeScript, as packages of npm's kind are tested: by node's own runner, mocha and jest, which code of ours watches, and by
//! vitest, which writes JUnit XML.

mod alone;
mod commands;
mod given;
mod package;
mod tools;

use async_trait::async_trait;
use commands::PackagePlace;
use package::{Called, Package, called};
use patchwright_protocol::TestId;
use patchwright_syntax::{Language, Project, ProjectPath, is_test};
use tools::NODE;

use super::SNIPPET;
use super::{
    Claim, Ecosystem, EcosystemFacts, Folders, GivenTests, ProgramFacts, Script, TestWriting, ToolFacts,
    Understood, no_tests,
};
use crate::detect::{DetectError, DetectedProject, HostEnvironments, RUN_BY, Survey, Toolchain, test_places};
use crate::shell::shell_word;
use crate::spec::{AdapterKind, ProjectSpec};
pub use package::packages_in;

/// The part between the file, the groups and the title of a test in its name.
const JOINT: &str = "::";

/// The runner and reporter, in the folder `tools`.
const RUNNER: &str = "patchwright_node.cjs";

static FACTS: EcosystemFacts = EcosystemFacts {
    languages: &["javascript", "typescript"],
    looked_for: "a package.json with tests",
    build_files: &[
        "**/package.json",
        "**/package-lock.json",
        "**/yarn.lock",
        "**/.npmrc",
        "**/tsconfig*.json",
        "**/.mocharc*",
        "**/.nycrc*",
        "**/nyc.config.*",
        "**/.c8rc*",
        "**/.taprc",
        "**/ava.config.*",
        "**/karma.conf.*",
        "**/playwright.config.*",
        "**/cypress.config.*",
        "**/.swcrc",
        "**/jest.config.*",
        "**/vitest.workspace.*",
        "**/vitest.config.*",
        "**/vite.config.*",
        "**/babel.config.*",
        "**/.babelrc*",
        "node_modules/**",
    ],
    programs: ProgramFacts {
        language: "javascript",
        words: "a JavaScript program for node",
        run_everywhere: false,
    },
    tools: &[
        ToolFacts { name: "node", asked: &["node", "--version"], package: "nodejs" },
        ToolFacts { name: "mocha", asked: &["mocha", "--version"], package: "mocha" },
        ToolFacts { name: "jest", asked: &["jest", "--version"], package: "jest" },
    ],
};

pub(super) struct JavaScript;

#[async_trait]
impl Ecosystem for JavaScript {
    fn facts(&self) -> &'static EcosystemFacts {
        &FACTS
    }

    fn claim(&self, survey: &Survey) -> Option<Claim> {
        let package = Package::of(survey)?;
        let tests = test_files(survey).len();
        let claim = Claim { files: files(survey).count(), tests, has_build_file: false };
        (tests > 0 || package.is_ok_and(|package| package.tests().is_some())).then_some(claim)
    }

    async fn detect(
        &self,
        survey: &Survey,
        _by_build_file: bool,
        _host: &HostEnvironments,
        toolchain: &dyn Toolchain,
    ) -> Result<DetectedProject, DetectError> {
        let Some(package) = Package::of(survey) else { return Err(no_tests(survey)) };
        let package = package.map_err(|error| {
            let cure = "correct it, or say how tests are run (--test CMD) and how outcomes are read (--results FORMAT)";
            DetectError::not_supported(format!("package.json is not what it has to be: {error}"), cure)
        })?;
        let Some(version) = toolchain.ask("node --version").await? else {
            let cure = "install Node.js (Debian: apt install nodejs), or give --test CMD";
            return Err(DetectError::missing("node", "there is a package.json", cure));
        };
        let mut reasons = vec!["there is a package.json".to_owned()];
        let called = called(survey, &package, &mut reasons)?;
        let place = PackagePlace { survey, above: 0 };
        let tests = commands::of(place, &called, &version, toolchain, &mut reasons).await?;
        reasons.push(run_by(&called, &version));
        let build = build(survey, &package, &mut reasons);
        let Folders { source, tests: places } = self.folders(survey);
        let kind = AdapterKind::Tool(*called.tool.known());
        let spec = ProjectSpec {
            build: build.map(|build| format!("{}{build}", place.path())),
            test_one: Some(tests.some),
            source,
            tests: places,
            ..ProjectSpec::new(kind, language(survey), tests.all, tests.results)
        };
        Ok(DetectedProject { spec, reasons })
    }

    async fn as_detected(&self, given: &GivenTests<'_>) -> Result<Understood, DetectError> {
        given::as_detected(given).await
    }

    fn folders(&self, survey: &Survey) -> Folders {
        let tests = test_files(survey);
        Folders { source: vec![".".to_owned()], tests: test_places(tests.iter().map(String::as_str)) }
    }

    fn is_at_home(&self, survey: &Survey) -> bool {
        survey.has("package.json")
    }

    fn writing(&self) -> Option<&dyn TestWriting> {
        Some(self)
    }
}

impl TestWriting for JavaScript {
    fn framework(&self, _project: &Project, spec: &ProjectSpec) -> &'static str {
        match spec.kind {
            AdapterKind::Tool(tool) if tool == NODE => "node:test",
            AdapterKind::Tool(tool) => tool.name,
            _ => "the project's test tool",
        }
    }

    fn name(&self, _spec: &ProjectSpec, path: &str, _code: &str, parts: &[&str]) -> TestId {
        TestId::new([&[path], parts].concat().join(JOINT))
    }

    fn program(&self, _spec: &ProjectSpec, file: &str) -> Option<String> {
        Some(format!("node {}", shell_word(file)))
    }

    /// What is read from standard input finds modules as a file in the project's folder does.
    fn script(&self, _spec: &ProjectSpec, code: &str) -> Option<Script> {
        let imports = code.lines().any(|line| line.starts_with("import ") || line.starts_with("export "));
        let kind = if imports { "module" } else { "commonjs" };
        let file = format!("{SNIPPET}.js");
        let line = format!("node --input-type={kind} - < \"$PATCHWRIGHT_OUT/{file}\"");
        Some(Script { file, line })
    }
}

/// The sentence on what runs the tests.
fn run_by(called: &Called, version: &str) -> String {
    format!("{RUN_BY}{} (node {})", called.tool.known().name, version.trim_start_matches('v'))
}

/// How the package is built before its tests, where it says so.
fn build(survey: &Survey, package: &Package, reasons: &mut Vec<String>) -> Option<&'static str> {
    let built_for = if survey.has("tsconfig.json") {
        Some("a tsconfig.json")
    } else {
        let builds = package.script("pretest").is_some_and(|script| script.contains("build"));
        builds.then_some("a script before tests that builds")
    };
    let what = built_for.filter(|_| package.script("build").is_some())?;
    reasons.push(format!("there is {what}, and the package says how it is built"));
    Some("npm run build")
}

/// The files in the languages, sorted.
fn files(survey: &Survey) -> impl Iterator<Item = &str> {
    let is_own = |language: Language| FACTS.languages.contains(&language.name());
    survey.files().filter(move |path| Language::of_path(path.as_ref()).is_some_and(is_own))
}

/// The files that hold tests, but for what helps them.
fn test_files(survey: &Survey) -> Vec<String> {
    const HELPERS: &[&str] =
        &["fixture", "fixtures", "helper", "helpers", "support", "mocks", "__mocks__", "node_modules"];
    let holds_tests = |path: &&str| {
        let Ok(place) = ProjectPath::new(path) else { return false };
        let is_helper = place.folder().split('/').any(|part| HELPERS.contains(&part));
        !is_helper
            && Language::of_path(place.as_path())
                .is_some_and(|language| !language.is_stub(&place) && is_test(language, &place))
    };
    files(survey).filter(holds_tests).map(str::to_owned).collect()
}

/// The language that most of the files are written in.
fn language(survey: &Survey) -> Option<Language> {
    let count = |name: &&&str| survey.count(name);
    // On a draw the first.
    let name = FACTS.languages.iter().rev().max_by_key(count)?;
    Language::by_name(name)
}

/// A text as a regular expression of JavaScript that it alone fits.
fn quoted(text: &str) -> String {
    let is_special = |letter: char| r"\^$.*+?()[]{}|/".contains(letter);
    text.chars().fold(String::new(), |mut quoted, letter| {
        if is_special(letter) {
            quoted.push('\\');
        }
        quoted.push(letter);
        quoted
    })
}
