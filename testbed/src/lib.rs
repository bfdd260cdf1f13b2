//! Building and testing a project, reading results, lanes, validating candidates.

mod clean;
mod compilers;
mod outcome;
mod pattern;
mod report;
pub mod results;
mod spec;
mod verdict;

pub use outcome::{Outcomes, Status, TestId, TestOutcome};
pub use report::{Build, CompilerError, TestReport};
pub use spec::{AdapterKind, DEFAULT_TIMEOUT, Overrides, ProjectSpec, ResultsFormat, UnknownResultsFormat};
pub use verdict::Verdict;
