//! Batch runs: many sessions over the cases of a suite, which survive being killed.
//!
//! A run is a folder ([`Places`]): `run.toml` ([`RunFile`]), `events.jsonl` (the truth, [`RunEvent`]) and a folder for each
//! attempt. `predictions.jsonl` and `report.json` are derived and can be made anew at any time. The [`Runner`] prepares
//! cases, lets a [`Repairer`] work on them, and writes what came of it; the [`Ledger`] is what the events say; [`report`]
//! tells what came of it.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod attempt;
mod board;
mod breaker;
mod budget;
mod difference;
mod disk;
mod error;
mod event;
#[allow(clippy::disallowed_methods, reason = "this module touches files, and `owner` that of a lock")]
mod files;
mod fingerprint;
mod fix_coverage;
mod folder;
mod forecast;
mod grading;
mod ledger;
mod lines;
mod log;
mod memory;
mod merge;
mod names;
mod options;
mod overview;
#[allow(clippy::disallowed_methods, reason = "it opens one file")]
mod owner;
mod part;
mod parts;
mod predictions;
mod recover;
mod recovered;
pub mod report;
mod runner;
mod selection;
mod session;
mod settings;
mod shared;
#[cfg(test)]
#[path = "../../trajectory/tests/small_disk/mod.rs"]
mod small_disk;
mod stage;
mod status;
mod words;

#[cfg(test)]
use patchwright_trajectory::Storage;

pub use attempt::{AttemptContext, Repairer};
pub use board::{Board, Live, Running};
pub use budget::SpendingCap;
pub use difference::Difference;
pub use disk::{Disk, DiskProbe, free};
pub use error::RunError;
pub use event::{
    EndReason, EventRecord, FORMAT, FixCoverage, Grade, GradedTests, RunEvent, TestGrade, VERSION,
};
pub use fingerprint::Fingerprint;
pub use fix_coverage::Shape;
pub use folder::{Places, RunFolder, RunRecord, is_owned};
pub use forecast::{Estimate, Forecast, MemoryForecast, Planned};
pub use grading::{GradedAttempt, add_grades, check_gradable};
pub use ledger::{Ledger, RunCosts, Tried};
pub use lines::{PlainProgress, ended_line, lines};
pub use log::{LogError, RunListener};
pub use memory::PeakMemory;
pub use merge::{Merged, merge};
pub use names::escape;
pub use options::{Pauses, RunOptions};
pub use overview::{Overview, PartOverview, PartState, Progress, RunningAttempt, WaitingCase};
pub use owner::SILENT;
pub use part::{FoundParts, NoPart, Part, folders as part_folders, is_run};
pub use parts::{check_part, check_same};
pub use predictions::RunPrediction;
pub use recover::recovered;
pub use runner::{Runner, Summary};
pub use selection::{Selection, SelectionError, grouped};
pub use settings::RunFile;
pub use shared::{Concurrency, Permit, RequestLimit, Shared};
pub use stage::{Stage, StageReader};
pub use status::{Redo, StatusSelection, UnknownStatus};
pub use words::{clock_of, plain, thousands};

pub(crate) use files::write_derived;
pub(crate) use fix_coverage::TouchedLines;
