//! The way in which a project is built and tested.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::iter::repeat;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use patchwright_edits::{EditRules, Rule, SHOWN_OF_GLOB, read_glob};
use patchwright_syntax::{Language, shorten};

use crate::adapters::Adapter;

/// Time limit of one command when nothing else is said: ten minutes.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_mins(10);

/// The command that stands for the tests where none of the project's are run; it counts as one test, which passes.
pub const NO_TESTS: &str = "true";

/// The test tool that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AdapterKind {
    /// pytest, watched by a plugin of ours.
    Pytest,
    /// unittest, run by a runner of ours.
    Unittest,
    /// Maven with Surefire.
    Maven,
    /// Ant with its junit task.
    Ant,
    /// javac and JUnit 4, run by a runner of ours.
    PlainJava,
    /// A tool that an ecosystem brings along.
    Tool(TestTool),
    /// The user's own commands.
    Custom,
}

impl AdapterKind {
    /// The word for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pytest => "pytest",
            Self::Unittest => "unittest",
            Self::Maven => "Maven",
            Self::Ant => "Ant",
            Self::PlainJava => "javac and JUnit 4",
            Self::Tool(tool) => tool.name,
            Self::Custom => "custom command",
        }
    }
}

/// A test tool with all that is known of it: how it is called, and its adapter.
#[derive(Clone, Copy)]
pub struct TestTool {
    /// The word for people, which tells it from others.
    pub(crate) name: &'static str,
    pub(crate) adapter: &'static dyn Adapter,
}

impl PartialEq for TestTool {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for TestTool {}

impl Hash for TestTool {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Debug for TestTool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// The way in which a project is built and tested. All commands are run by `sh -c` in the root of a lane.
#[derive(Clone, Debug)]
pub struct ProjectSpec {
    /// The language, where it is known.
    pub language: Option<Language>,
    /// The adapter that runs it.
    pub kind: AdapterKind,
    /// The command that compiles, where it is apart from the tests.
    pub build: Option<String>,
    /// The command that runs all tests.
    pub test: String,
    /// The command that runs some tests: `{tests}` stands for all names, `{test}` for one (it is run once for each).
    pub test_one: Option<String>,
    /// The format of the outcomes.
    pub results: ResultsFormat,
    /// Folders of production code, relative to the root; `.` is the root.
    pub source: Vec<String>,
    /// Folders, files or globs of test code. A candidate may not change them.
    pub tests: Vec<String>,
    /// Variables for every command.
    pub env: BTreeMap<String, String>,
    /// Time limit of one command.
    pub timeout: Duration,
    /// Files that decide how the project is built and tested. A candidate may not change them.
    pub build_files: Vec<String>,
    /// Is true if the commands may reach the network.
    pub network: bool,
}

impl ProjectSpec {
    /// A project in a language, which is tested by a command whose outcomes are read so; nothing else is known of it.
    pub(crate) fn new(
        kind: AdapterKind,
        language: Option<Language>,
        test: String,
        results: ResultsFormat,
    ) -> Self {
        Self {
            language,
            kind,
            build: None,
            test,
            test_one: None,
            results,
            source: Vec::new(),
            tests: Vec::new(),
            env: BTreeMap::new(),
            timeout: DEFAULT_TIMEOUT,
            build_files: Vec::new(),
            network: false,
        }
    }

    /// The rules for what a candidate may not change in the project at `root`, where nothing is known of the bug in words.
    pub fn rules(&self, root: &Path) -> EditRules {
        let rule =
            |(entry, reason): (&String, &str)| Rule { glob: glob_of(root, entry), reason: reason.to_owned() };
        let tests = self.tests.iter().zip(repeat("it belongs to the tests; repair the code that they test"));
        let build = self.build_files.iter().zip(repeat("it decides how the project is built and tested"));
        EditRules { forbidden: tests.chain(build).map(rule).collect(), bug: Some(String::new()) }
    }
}

/// A folder stands for all that is in it.
#[allow(clippy::disallowed_methods, reason = "the pristine copy, where no command runs")]
fn glob_of(root: &Path, entry: &str) -> String {
    let entry = entry.trim_end_matches('/').trim_start_matches("./");
    if root.join(entry).is_dir() { format!("{}/**", globset::escape(entry)) } else { entry.to_owned() }
}

/// The settings of a user for building and testing; what is `None` is detected.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// The command that runs all tests.
    pub test: Option<String>,
    /// The command that runs some tests, with `{tests}` or `{test}`.
    pub test_one: Option<String>,
    /// The command that compiles.
    pub build: Option<String>,
    /// What is done after the command that compiles, given or detected, as a part of it.
    pub after_build: Option<String>,
    /// The format of the outcomes.
    pub results: Option<ResultsFormat>,
    /// Folders of production code.
    pub source: Option<Vec<String>>,
    /// Folders of test code.
    pub tests: Option<Vec<String>>,
    /// Variables for every command.
    pub env: Option<BTreeMap<String, String>>,
    /// Time limit of one command.
    pub timeout: Option<Duration>,
    /// Is true if the commands may reach the network.
    pub network: Option<bool>,
}

/// The format in which the outcomes of the tests are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultsFormat {
    /// The lines that our own runners write to the file named by the variable `PATCHWRIGHT_RESULTS`; any command may do
    /// so. Each is a JSON object: `{"event":"started","id":…}`, `{"event":"finished","id":…,"status":…,"message":…,"trace":…}`
    /// with the status `passed`, `failed`, `error` or `skipped`, and in the end `{"event":"end"}`. What a test took may stand
    /// beside its status, as `"seconds":…`.
    Lines,
    /// The text of `pytest -rA`.
    PytestText,
    /// JUnit XML files.
    JunitXml {
        /// The files, relative to the root of the lane.
        glob: String,
    },
    /// The text of JUnit's or Ant's console.
    JunitText,
    /// The text of unittest.
    UnittestText,
    /// One test, which passes when the command returns 0.
    ExitStatus,
    /// The output and the files of `defects4j test`.
    Defects4j,
    /// The files that a test tool writes for us where nothing of ours runs with it.
    ToolReports(ToolReport),
}

/// A report that a test tool writes by itself, in the folder `.test-results` of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolReport {
    /// TAP of node's runner: a file for each file of tests, named after it, to whose end the status of its process is added.
    NodeTap,
    /// One file of JSON by mocha.
    MochaJson,
    /// One file of JSON by jest.
    JestJson,
    /// The text of unittest, a file for each run.
    UnittestText,
}

impl ToolReport {
    /// The folder, whose name says nothing of us.
    pub(crate) const FOLDER: &str = ".test-results";

    /// The files, as a glob relative to the root of the project.
    pub(crate) fn files(self) -> &'static str {
        match self {
            Self::NodeTap => ".test-results/**/*.tap",
            Self::MochaJson | Self::JestJson => ".test-results/results.json",
            Self::UnittestText => ".test-results/*.txt",
        }
    }
}

/// A results format that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownResultsFormat {
    /// No format is called so.
    #[error(
        "unknown results format `{given}`; known are pytest, junit-xml:GLOB, junit-text, unittest, defects4j, exit-status, lines"
    )]
    Name {
        /// The beginning of the text that was given.
        given: String,
    },
    /// The pattern for report files is none.
    #[error("the pattern {glob:?} of junit-xml:GLOB is not valid: {reason}")]
    Glob {
        /// The beginning of the pattern.
        glob: String,
        /// The reason.
        reason: String,
    },
}

impl FromStr for ResultsFormat {
    type Err = UnknownResultsFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownResultsFormat::Name { given: shorten(text, SHOWN_OF_GLOB) };
        match text.trim() {
            "lines" => Ok(Self::Lines),
            "pytest" => Ok(Self::PytestText),
            "junit-text" => Ok(Self::JunitText),
            "unittest" => Ok(Self::UnittestText),
            "exit-status" => Ok(Self::ExitStatus),
            "defects4j" => Ok(Self::Defects4j),
            other => match other.strip_prefix("junit-xml:") {
                Some(glob) if !glob.is_empty() => match read_glob(glob, false) {
                    Ok(_) => Ok(Self::JunitXml { glob: glob.to_owned() }),
                    Err(reason) => {
                        Err(UnknownResultsFormat::Glob { glob: shorten(glob, SHOWN_OF_GLOB), reason })
                    }
                },
                Some(_) | None => Err(unknown()),
            },
        }
    }
}

impl fmt::Display for ResultsFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines => formatter.write_str("lines"),
            Self::PytestText => formatter.write_str("pytest"),
            Self::JunitXml { glob } => write!(formatter, "junit-xml:{glob}"),
            Self::JunitText => formatter.write_str("junit-text"),
            Self::UnittestText => formatter.write_str("unittest"),
            Self::ExitStatus => formatter.write_str("exit-status"),
            Self::Defects4j => formatter.write_str("defects4j"),
            Self::ToolReports(report) => formatter.write_str(report.files()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use patchwright_folder::DEEPEST_GLOB;

    use super::*;

    #[test]
    fn results_formats_read_as_they_print() {
        for text in [
            "lines",
            "pytest",
            "junit-xml:**/target/surefire-reports/TEST-*.xml",
            "junit-text",
            "unittest",
            "exit-status",
            "defects4j",
        ] {
            assert_eq!(text.parse::<ResultsFormat>().unwrap().to_string(), text);
        }
        let deep = format!("junit-xml:{}", "{".repeat(10 * DEEPEST_GLOB));
        for text in ["", "junit-xml:", "junit-xml", "junit-xml:[", "tap", &deep] {
            let error = text.parse::<ResultsFormat>().unwrap_err();
            assert!(error.to_string().contains("junit-xml:GLOB"), "{error}");
        }
        let error = deep.parse::<ResultsFormat>().unwrap_err().to_string();
        assert!(error.contains("nested more than 16 deep"), "{error}");
    }
}
