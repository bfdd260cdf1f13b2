//! The formats in which test tools tell of the outcomes of tests.

use std::fmt;
use std::str::FromStr;

use patchwright_folder::{SHOWN_OF_GLOB, read_glob};
use patchwright_syntax::shorten;

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
#[allow(clippy::unwrap_used)]
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
