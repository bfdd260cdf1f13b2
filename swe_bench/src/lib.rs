//! SWE-bench: its datasets, predictions, scripts, logs, rules and reports, and its containers.
//!
//! ```no_run
//! use std::path::Path;
//! use patchwright_swe_bench::{Dataset, Logs, Predictions, Rules, grade_logs};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let dataset = Dataset::load(Path::new("lite.jsonl"))?;
//! let predictions = Predictions::load(Path::new("preds.json"), &dataset)?;
//! let logs = Logs::find(Path::new("logs"), &dataset)?;
//! let report = grade_logs(&dataset, &predictions, &logs, Rules::V5, |_done, _total| {})?;
//! report.write(Path::new("."))?;
//! # Ok(())
//! # }
//! ```
//!
//! A log becomes a verdict in four steps, each a function of its own: `log` cuts out the output of the tests, a
//! [`Parser`] finds the status of each test in it, `judge` compares them with the required tests, and `report` writes
//! what came of it. What the generations of the official program do differently is data: see [`Book`].

mod cache;
mod container;
mod evaluate;
#[cfg(test)]
#[path = "../../suites/tests/fixture/mod.rs"]
mod fixture;
mod grade;
mod images;
mod log;
mod logs;
mod parquet;
mod parsers;
pub mod pattern;
mod predictions;
mod report;
mod repository;
mod rows;
mod rules;
mod script;
mod signs;
mod spec;
mod status;
mod suite;
pub mod text;

pub use cache::{VerdictCache, VerdictInputs, VerdictKey};
pub use container::{ContainerScript, ScriptOutput, TrialError};
pub use evaluate::{Evaluated, Evaluation};
pub use grade::{Graded, Judged, RequiredTests, Resolution, grade, parser};
pub use images::{ImageNames, ImageStore};
pub use log::NoResult;
pub use logs::{Logs, grade_logs};
pub use parsers::Parser;
pub use predictions::{PredictedPatch, Prediction, Predictions, folder_of, is_test};
pub use report::{CaseReport, EvaluationClass, RunReport, case_json};
pub use repository::project_of;
pub use rows::{Dataset, EvalType, Row, TestLists};
pub use rules::{Book, FailOnly, Rules, SWT_BENCH, TDD_BENCH};
pub use script::{Reset, classic, directives, directives_of, eval_script, image, with_exit_code};
pub use signs::{Sign, Tier};
pub use spec::{Spec, Specs};
pub use status::{LoggedStatus, StatusMap};
pub use suite::{OwnTests, SweBench, SweBenchOptions};
