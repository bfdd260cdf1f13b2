//! The formats in which test tools tell of the outcomes of tests.

use std::fmt;

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
    pub const FOLDER: &str = ".test-results";

    /// The files, as a glob relative to the root of the project.
    pub fn files(self) -> &'static str {
        match self {
            Self::NodeTap => ".test-results/**/*.tap",
            Self::MochaJson | Self::JestJson => ".test-results/results.json",
            Self::UnittestText => ".test-results/*.txt",
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
