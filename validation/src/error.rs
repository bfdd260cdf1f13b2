//! Errors of building and testing, split by who must act.

use std::time::Duration;

use patchwright_edits::ProjectWriteError;
use patchwright_lanes::{ChangeError, LaneError};
use patchwright_protocol::{Actionable, Actor, Failure, TestId};
use patchwright_sandbox::SandboxError;
use patchwright_syntax::ProjectError;
use patchwright_syntax::pattern::{Pattern, pattern};
use patchwright_test_results::{CompilerError, TestReport};

use crate::environment_faults::EnvironmentFault;

static BROKEN_CONFTEST: Pattern = pattern!(r"(?m)^ImportError while loading conftest '([^']+)'\.$");

/// A test harness could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum TestHarnessError {
    /// The project cannot be opened. For the user.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// The copies of the project. For the user where the disk is full, else infrastructure.
    #[error(transparent)]
    Lane(#[from] LaneError),
    /// The sandbox did not work. Infrastructure.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// A change could not be written into a lane. Infrastructure.
    #[error(transparent)]
    Write(#[from] ProjectWriteError),
    /// The runner that belongs to us could not be compiled. For the user: the tool chain is not fit.
    #[error(
        "the runner for the tests cannot be compiled here\n{log}\nhint: a JDK and JUnit 4.5 or later are needed"
    )]
    Runner {
        /// The output of the compiler.
        log: String,
    },
    /// The test command ran, and no test was found in what it said. For the user.
    #[error("no tests were found: `{command}` ended with {exit} and reported none{}", quoted(.log))]
    NoTests {
        /// The command.
        command: String,
        /// Its ending, in words.
        exit: String,
        /// The end of what it said.
        log: String,
    },
    /// The test command ran, and its results are not read. For the user.
    #[error("the results of the tests are not read: {reason}, after `{command}`")]
    ResultsNotRead {
        /// The command.
        command: String,
        /// The reason, as a sentence without end.
        reason: String,
    },
    /// The project does not build as it is. For the user.
    #[error("the build fails before any change{}", shown(.errors, .log))]
    BuildFailsBeforeAnyChange {
        /// The errors that could be read.
        errors: Vec<CompilerError>,
        /// The output of the build.
        log: String,
    },
    /// The tests would not test the project. For the user.
    #[error(
        "the tests would not test the project: they import `{module}` from {path}, and not from the project's copy"
    )]
    Elsewhere {
        /// The module.
        module: String,
        /// The file that is imported in its place.
        path: String,
    },
    /// The tests hang as they are. For the user.
    #[error(
        "the tests did not end within {} s{}", .limit.as_secs(), was_running("; ", .running.as_ref())
    )]
    TimedOut {
        /// The limit.
        limit: Duration,
        /// The test that was running, where it is known.
        running: Option<TestId>,
        /// The report until then.
        report: Box<TestReport>,
    },
    /// There was no more time for the tests. For the user.
    #[error("there was no more time for the tests before any change: {}", came_through(.report))]
    OutOfTime {
        /// The report until then.
        report: Box<TestReport>,
    },
    /// The run of the tests before any change was ended, and no test had by then. For whoever ended it.
    #[error("the run of the tests before any change was ended before any of them had ended")]
    Cut,
    /// The tests break off as they are, so that nobody knows what the rest would say. For the user.
    #[error(
        "the tests broke off before any change: the command ended with {ending} after {came} test{}{}; no candidate can be \
         compared with that{}",
        if *.came == 1 { "" } else { "s" },
        was_running(", while ", .running.as_ref()),
        quoted(.log)
    )]
    BrokeOff {
        /// The ending of the command, in words.
        ending: String,
        /// The test that was running, where it is known.
        running: Option<TestId>,
        /// The number of tests that had come to their end.
        came: usize,
        /// Is true if there was not enough memory.
        no_memory: bool,
        /// The end of what it said.
        log: String,
    },
    /// Tests that were given as failing pass. For the user.
    #[error("{} given as failing, but {}: {}", were(.tests), passes(.tests), list(.tests))]
    GivenTestPasses {
        /// The tests.
        tests: Vec<TestId>,
    },
    /// A test that was given does not exist. For the user.
    #[error("there is no test `{given}` among the {known} that ran{}", nearest_names(.nearest))]
    GivenTestUnknown {
        /// As it was given.
        given: String,
        /// Tests with similar names.
        nearest: Vec<TestId>,
        /// The number of tests.
        known: usize,
    },
    /// Tests that were given fail in one run and pass in the next. For the user.
    #[error("{} given as failing, but the outcome is another when run again, without the other tests where they can be chosen: {}", were(.tests), list(.tests))]
    GivenTestFlaky {
        /// The tests.
        tests: Vec<TestId>,
    },
    /// A defect of ours.
    #[error(transparent)]
    Defect(#[from] Failure),
}

impl TestHarnessError {
    /// Is true if what lies in a lane is at fault, and so whatever ran there.
    pub(crate) fn is_of_the_lane(&self) -> bool {
        matches!(self, Self::Lane(error) if error.is_of_the_lane())
            || matches!(self, Self::Sandbox(SandboxError::Left { .. }))
    }
}

impl From<ChangeError> for TestHarnessError {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Write(error) => Self::Write(error),
            ChangeError::Lane(error) => Self::Lane(error),
        }
    }
}

impl Actionable for TestHarnessError {
    fn actor(&self) -> Actor {
        match self {
            Self::NoTests { .. }
            | Self::ResultsNotRead { .. }
            | Self::BuildFailsBeforeAnyChange { .. }
            | Self::GivenTestPasses { .. }
            | Self::GivenTestUnknown { .. }
            | Self::GivenTestFlaky { .. } => Actor::Case,
            Self::Project(_)
            | Self::Lane(_)
            | Self::Write(_)
            | Self::Runner { .. }
            | Self::TimedOut { .. }
            | Self::OutOfTime { .. }
            | Self::Elsewhere { .. }
            | Self::Cut
            | Self::BrokeOff { .. } => Actor::Environment,
            Self::Sandbox(error) => error.actor(),
            Self::Defect(_) => Actor::Defect,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoTests { log, .. } if let Some(fault) = EnvironmentFault::told_by(log) => {
                return Some(format!("{}: {}", fault.what, fault.cure));
            }
            Self::NoTests { log, .. } | Self::BuildFailsBeforeAnyChange { log, .. }
                if let Some(fault) = EnvironmentFault::of_build(log) =>
            {
                return Some(format!("{}: {}", fault.what, fault.cure));
            }
            Self::NoTests { log, .. } if let Some(hint) = broken_conftest(log) => return Some(hint),
            Self::NoTests { exit, .. } if exit == "status 127" => {
                "a command that the tests need is not there where they run: install it, or give --test a path to it"
            }
            Self::NoTests { .. } => {
                "say how the tests are run: --test CMD (and --results FORMAT, where the output is not recognized)"
            }
            Self::ResultsNotRead { .. } => {
                "let the tests write regular files below that size: run fewer of them, or with shorter names and messages, with --test CMD"
            }
            Self::BuildFailsBeforeAnyChange { .. } => {
                "make the project build first, or say how it is built: --build CMD"
            }
            Self::Elsewhere { .. } => {
                "uninstall what is found there, or install it from the project's folder (`pip install -e .`), and take away settings that put another \
                 folder first (`pythonpath`, `sys.path`); or give --test CMD with the interpreter of another environment"
            }
            Self::TimedOut { .. } => {
                "raise the limit with --timeout TIME; if the hang is the bug, name the test with --failing TEST"
            }
            Self::OutOfTime { .. } => "give more time with --time-limit",
            Self::Cut => "give the tests more time with --baseline-time",
            Self::Lane(error) if error.is_of_the_lane() => {
                "the project's own tests make their folder unusable; leave out those that do, with --test CMD"
            }
            Self::BrokeOff { no_memory: true, .. } => {
                "let the tests use less memory (a smaller heap, fewer processes), or leave out those that need more with --test CMD"
            }
            Self::BrokeOff { .. } => {
                "leave out what ends the run, with --test CMD; if that is the bug, name its test with --failing TEST"
            }
            Self::GivenTestPasses { .. } => {
                "name a test that fails now, or leave --failing out to take all that fail"
            }
            Self::GivenTestUnknown { .. } => {
                "give the name as the test tool prints it: path/test_a.py::test_b, or package.Class::method"
            }
            Self::GivenTestFlaky { .. } => "name a test that fails every time, alone and among the others",
            Self::Lane(_)
            | Self::Runner { .. }
            | Self::Project(_)
            | Self::Sandbox(_)
            | Self::Write(_)
            | Self::Defect(_) => return None,
        };
        Some(hint.to_owned())
    }
}

/// What to do where pytest ends at a `conftest.py` that cannot be loaded.
fn broken_conftest(log: &str) -> Option<String> {
    let found = BROKEN_CONFTEST.captures(log)?;
    let (file, trace) = (&found[1], &log[found.get(0)?.end()..]);
    let error = trace.lines().filter_map(|line| line.strip_prefix("E ")).next_back()?.trim();
    Some(format!(
        "pytest cannot load `{file}`: {error}; repair that file, or install what it needs where the tests run"
    ))
}

/// The progress of a run, and what took its time.
fn came_through(report: &TestReport) -> String {
    if report.build_failed() {
        return format!("after {:.0} s the build was under way", report.seconds);
    }
    let running = report.interrupted_in.as_ref();
    let came = report.passed() + report.skipped() + report.failing().len() - usize::from(running.is_some());
    let tests: f64 = report.test_seconds.values().sum();
    let tests = if came > 0 && tests > 0.0 { format!(", which took {tests:.0} s") } else { String::new() };
    let plural = if came == 1 { "" } else { "s" };
    format!(
        "after {:.0} s of building and testing {came} test{plural} had come through{tests}{}",
        report.seconds,
        was_running("; ", running)
    )
}

fn was_running(before: &str, test: Option<&TestId>) -> String {
    test.map_or_else(String::new, |test| format!("{before}`{test}` was running"))
}

fn were(tests: &[TestId]) -> &'static str {
    if tests.len() == 1 { "a test was" } else { "tests were" }
}

fn passes(tests: &[TestId]) -> &'static str {
    if tests.len() == 1 { "it passes" } else { "they pass" }
}

fn list(tests: &[TestId]) -> String {
    const SHOWN: usize = 10;
    let mut names: Vec<String> = tests.iter().take(SHOWN).map(ToString::to_string).collect();
    if tests.len() > SHOWN {
        names.push(format!("and {} more", tests.len() - SHOWN));
    }
    names.join(", ")
}

fn nearest_names(nearest: &[TestId]) -> String {
    if nearest.is_empty() { String::new() } else { format!("; the nearest are: {}", list(nearest)) }
}

fn quoted(log: &str) -> String {
    if log.trim().is_empty() { String::new() } else { format!("\n{}", log.trim_end()) }
}

fn shown(errors: &[CompilerError], log: &str) -> String {
    if errors.is_empty() {
        return quoted(log);
    }
    let errors: Vec<String> = errors.iter().map(CompilerError::render).collect();
    format!("\n{}", errors.join("\n"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_conftest_that_cannot_be_loaded_is_named_with_its_error() {
        let check = |log: &str, parts: &[&str]| {
            let (command, exit) = ("python -m pytest".to_owned(), "status 4".to_owned());
            let hint = TestHarnessError::NoTests { command, exit, log: log.to_owned() }.hint().unwrap();
            assert!(parts.iter().all(|part| hint.contains(part)), "{hint}");
        };
        check(
            "ImportError while loading conftest 'tests/conftest.py'.\ntests/conftest.py:1: in <module>\n    \
             import shelves\nE   ModuleNotFoundError: No module named 'shelves'\n",
            &["`tests/conftest.py`: ModuleNotFoundError: No module named 'shelves'", "repair that file"],
        );
        check(
            "ImportError while loading conftest 'conftest.py'.\n/usr/lib/python3/ast.py:50: in parse\n    return \
             compile(source)\nE     File \"conftest.py\", line 1\nE       def f(:\nE   SyntaxError: invalid syntax\n",
            &["`conftest.py`: SyntaxError: invalid syntax"],
        );
        check("no tests ran in 0.01s", &["--test CMD"]);
    }
}
