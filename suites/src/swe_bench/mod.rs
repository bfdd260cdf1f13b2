//! SWE-bench: its datasets, predictions, scripts, logs, rules and reports; all of it that needs no container.

mod cache;
mod grade;
mod log;
mod logs;
mod parallel;
mod parquet;
mod parsers;
mod patch;
mod pattern;
mod predictions;
mod python_json;
mod report;
mod rows;
mod rules;
mod script;
mod signs;
mod spec;
mod status;
mod text;

pub use cache::{Cache, Key};
pub use grade::{Graded, Judged, Resolution, Tests, grade, judge, parser, statuses};
pub use log::NoResult;
pub use logs::{Logs, grade_logs};
pub use parsers::Parser;
pub use patch::{Touched, touched};
pub use predictions::{Patch, Prediction, Predictions, folder_of};
pub use report::{CaseReport, Class, RunReport, case_json};
pub use rows::{Dataset, EvalType, Row};
pub use rules::{Book, FailOnly, Rules};
pub use script::{Reset, classic, directives, eval_script, image, with_exit_code};
pub use signs::{Sign, Tier};
pub use spec::{Spec, Specs};
pub use status::{Status, Statuses};
