//! The way in which a project is built and tested.

pub(crate) mod adapter;
mod test_paths;

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::iter::repeat;
use std::path::Path;
use std::time::Duration;

use patchwright_edits::{EditRules, Rule};
use patchwright_protocol::{ResultsFormat, TestCommand};
use patchwright_syntax::Language;

use self::adapter::Adapter;
pub(crate) use self::test_paths::FileNames;
pub use self::test_paths::TestPaths;
use crate::interpreter;

/// Time limit of one command when nothing else is said: ten minutes.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_mins(10);

/// The test tool that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AdapterKind {
    /// pytest, watched by a plugin of ours.
    Pytest,
    /// unittest, run by a runner of ours.
    Unittest,
    /// Django's test runner.
    Django,
    /// Maven with Surefire.
    Maven,
    /// Gradle with its test tasks.
    Gradle,
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
            Self::Django => "Django",
            Self::Maven => "Maven",
            Self::Gradle => "Gradle",
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
    pub test: TestCommand,
    /// The command that runs some tests: `{tests}` stands for all names, `{test}` for one (it is run once for each).
    pub test_one: Option<String>,
    /// The format of the outcomes.
    pub results: ResultsFormat,
    /// Folders of production code, relative to the root; `.` is the root.
    pub source: Vec<String>,
    /// Folders, files or globs of test code. A candidate may not change them.
    pub tests: Vec<String>,
    /// Folders, files or globs in which the test tool looks for tests by itself; none where it looks everywhere.
    pub test_paths: Vec<String>,
    /// Names or globs of the files that it takes for tests; none where these are not known.
    pub test_files: Vec<String>,
    /// Variables for every command.
    pub env: BTreeMap<String, String>,
    /// The folder of the project in which the commands call the test tool, relative to the root; `.` is the root. Names of tests that begin
    /// with files begin at the root all the same.
    pub folder: String,
    /// Time limit of one command.
    pub timeout: Duration,
    /// Files that decide how the project is built and tested. A candidate may not change them.
    pub build_files: Vec<String>,
    /// Is true if the commands may reach the network.
    pub network: bool,
}

impl ProjectSpec {
    /// A project in a language, which is tested by a command whose outcomes are read so; nothing else is known of it.
    pub fn new(
        kind: AdapterKind,
        language: Option<Language>,
        test: impl Into<TestCommand>,
        results: ResultsFormat,
    ) -> Self {
        Self {
            language,
            kind,
            build: None,
            test: test.into(),
            test_one: None,
            results,
            source: Vec::new(),
            tests: Vec::new(),
            test_paths: Vec::new(),
            test_files: Vec::new(),
            env: BTreeMap::new(),
            folder: ".".to_owned(),
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

    /// The files that the test tool takes for tests by itself.
    pub fn searched(&self) -> TestPaths {
        TestPaths::of(&self.test_paths, FileNames::of(&self.test_files))
    }

    /// The Python that the test command runs, with the variables that are set for it; `python3` where that cannot be told.
    pub fn python(&self) -> String {
        interpreter::of_command(self.test.line())
    }

    /// The folder in which the test tool is called, as the beginning of the paths in it; empty for the root.
    pub(crate) fn inside(&self) -> String {
        if self.folder == "." { String::new() } else { format!("{}/", self.folder) }
    }

    /// The way from that folder to the root, as the beginning of paths.
    pub(crate) fn up(&self) -> String {
        "../".repeat(self.inside().matches('/').count())
    }

    /// The name of a file or a test as the test tool knows it in the folder in which it is called.
    pub fn from_folder<'n>(&self, name: &'n str) -> &'n str {
        name.strip_prefix(&self.inside()).unwrap_or(name)
    }

    /// Whether a Java snippet can only run after a test run was observed. The baseline has to be known then.
    pub fn observes_java(&self) -> bool {
        self.language.is_some_and(|language| language.name() == "java") && self.kind != AdapterKind::PlainJava
    }
}

/// A folder stands for all that is in it.
#[allow(clippy::disallowed_methods, reason = "the pristine copy, where no command runs")]
fn glob_of(root: &Path, entry: &str) -> String {
    let entry = entry.trim_end_matches('/').trim_start_matches("./");
    if root.join(entry).is_dir() { format!("{}/**", globset::escape(entry)) } else { entry.to_owned() }
}
