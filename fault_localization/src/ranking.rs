//! The result of fault localisation.

use std::fmt;

use patchwright_protocol::TestId;
use patchwright_syntax::Span;
use patchwright_validation::Coverage;
use serde::Serialize;

use crate::formula::Counts;

/// Where the bug may be: lines, methods and files, most suspicious first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking {
    /// The lines at which statements begin.
    pub lines: Vec<RankedLine>,
    /// The methods, each as suspicious as its most suspicious line.
    pub methods: Vec<RankedMethod>,
    /// The files, likewise.
    pub files: Vec<RankedFile>,
    /// The basis of the ranking.
    pub basis: Basis,
    /// The number of tests that were not run with coverage, to save time.
    pub left_out: usize,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// The tests that execute each line, where that was measured.
    #[serde(skip)]
    pub coverage: Option<Coverage>,
}

/// A line at which a statement begins.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedLine {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// From 0 to 1.
    pub suspiciousness: f64,
    /// Why it is suspicious.
    pub why: Vec<Reason>,
}

/// A method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedMethod {
    /// The file.
    pub path: String,
    /// The name with those of the classes around it.
    pub name: String,
    /// Its lines.
    pub lines: Span,
    /// That of its most suspicious line.
    pub suspiciousness: f64,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedFile {
    /// The file.
    pub path: String,
    /// That of its most suspicious line.
    pub suspiciousness: f64,
}

/// The basis of a ranking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Basis {
    /// The lines that each test executes.
    Coverage {
        /// The tool that told them.
        tool: String,
    },
    /// The stack traces of the failing tests, and what these tests call.
    StackTraces {
        /// Why there is no coverage, and how to get it.
        why: String,
    },
}

/// Why a line is suspicious.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reason {
    /// Tests execute it.
    Executed {
        /// Their numbers.
        #[serde(flatten)]
        tests: Counts,
    },
    /// It is in the stack trace of a failing test.
    Trace {
        /// The test.
        test: TestId,
        /// The number of frames of production code that are nearer to the failure.
        depth: usize,
    },
    /// A failing test calls the method.
    Called {
        /// The test.
        test: TestId,
    },
    /// The message of a failing test names the method.
    Named {
        /// The test.
        test: TestId,
    },
}

impl fmt::Display for Basis {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Coverage { tool } => write!(formatter, "coverage by {tool}"),
            Self::StackTraces { why } => write!(formatter, "stack traces only: {why}"),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Executed { tests } => {
                write!(formatter, "executed by {} failing and {} passing", tests.failing, tests.passing)
            }
            Self::Trace { test, depth: 0 } => write!(formatter, "where {test} fails"),
            Self::Trace { test, depth } => {
                write!(formatter, "in the trace of {test}, {depth} from the failure")
            }
            Self::Called { test } => write!(formatter, "called by {test}"),
            Self::Named { test } => write!(formatter, "named in the message of {test}"),
        }
    }
}
