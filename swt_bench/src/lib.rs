//! SWT-Bench and TDD-Bench: tests that reproduce an issue, judged by what they do before and after the fix.
//!
//! ```no_run
//! use std::path::Path;
//! use patchwright_swt_bench::{Benchmark, GradeOptions, Layout, TableForm, dataset, grade_logs, table};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (dataset, _warnings) = dataset::load(Path::new("lite.jsonl"), None, Benchmark::Swt)?;
//! let layout = Layout::find(Path::new("run_instance_swt_logs"))?;
//! let reports = grade_logs(&dataset, None, &layout, GradeOptions::default(), &|_done, _total| {})?;
//! print!("{}", table(&reports, TableForm::Markdown));
//! # Ok(())
//! # }
//! ```
//!
//! The logs of a case become a verdict in four steps, each a function of its own that says which place of the official program has its
//! rule: [`RunLog`] reads a log, [`Transitions`] compares two runs, [`ChangeCoverage`] counts lines of the golden patch, and [`grade`]
//! puts them together. [`RunReport::aggregates`] makes the measures of the papers' tables of them. TDD-Bench, in [`tdd`], judges
//! otherwise: an error before counts as a failure there, and coverage is a factor of the score.

mod changes;
pub mod dataset;
mod evaluate;
mod excluded;
mod failure_reasons;
mod filter;
mod gold;
mod grade;
mod head;
mod layout;
mod log;
mod logged;
mod parsers;
pub mod predictions;
mod report;
mod runs;
mod script;
mod strict;
mod table;
pub mod tdd;
mod trace;
mod transitions;

pub use changes::{ChangeCoverage, ChangedLines, Traces};
pub use dataset::Benchmark;
pub use evaluate::{Applied, CaseRuns, RunPlan, TestRuns};
pub use excluded::{Subset, counts};
pub use failure_reasons::FailureReasons;
pub use filter::{
    FILTER_COLUMNS, FILTER_RUNS, FilterCounts, FilterReport, FilterVerdict, FilteredFix, filter_row,
    filter_table, resolved_ids, with_fixes,
};
pub use gold::{gold_problem, tdd_gold_problem};
pub use grade::{RunKind, Verdict, grade};
pub use head::{GivenPatch, RefusedPatch};
pub use layout::{Layout, ModelRun};
pub use log::{LogNote, Reasons, RunLog};
pub use parsers::{LogParser, SCRIPT, counted};
pub use predictions::{NoTests, TestPatch};
pub use report::{CaseOutcome, CaseReport, RunReport};
pub use runs::{GradeOptions, grade_logs};
pub use script::script;
pub use strict::{BeforeFix, StrictVerdict};
pub use table::{Aggregates, TableForm, table};
pub use trace::Trace;
pub use transitions::{Added, Transitions};
