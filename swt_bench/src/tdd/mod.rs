//! TDD-Bench-Verified (arXiv 2412.02883): predicted tests alone are run before and after the golden patch, and the coverage of what the
//! patch changes is a factor of the score.
//!
//! An error counts as a failure here, other than in SWT-Bench: a test whose import fails before and which passes after succeeds in both,
//! but a test that breaks off after the golden patch fails only here.

mod coverage;
mod functions;
mod grade;
mod logs;
mod report;
mod runs;
mod script;

pub use coverage::{ChangeCount, CoverageProblem};
pub use functions::{Functions, contributing, written};
pub use grade::{TddVerdict, score};
pub use logs::{TddLog, TddLogs, grade_logs};
pub use report::{TddCase, TddOutcome, TddReport, table};
pub use script::script;
