//! Batch runs: many sessions over the cases of a suite, which survive being killed.
//!
//! A run is a folder ([`Places`]): `run.toml` ([`RunFile`]), `events.jsonl` (the truth, [`Event`]) and a folder for each
//! attempt. `predictions.jsonl` and `report.json` are derived and can be made anew at any time. The [`Runner`] prepares
//! cases, lets a [`Repairer`] work on them, and writes what came of it; the [`Ledger`] is what the events say; [`report`]
//! tells what came of it.

mod attempt;
mod board;
mod breaker;
mod budget;
mod disk;
mod error;
mod event;
mod fingerprint;
mod folder;
mod ledger;
mod lines;
mod located;
mod log;
mod names;
mod options;
mod predictions;
mod recover;
mod recovered;
pub mod report;
mod runner;
mod selection;
mod session;
mod settings;
mod shared;
mod status;

pub use attempt::{Attempt, Progress, Repairer};
pub use board::{Board, Live, Running, Stage};
pub use budget::Most;
pub use disk::{Disk, Probe, free};
pub use error::RunError;
pub use event::{EndReason, Event, FORMAT, Grade, Record, VERSION};
pub use fingerprint::Fingerprint;
pub use folder::{Places, RunFolder, RunRecord};
pub use ledger::{Ledger, Spent, Tried};
pub use lines::{Plain, counted, ended_line, lines, summary};
pub use located::{Located, Shape, Touched};
pub use log::{Listener, LogError};
pub use names::escape;
pub use options::{Options, Pauses};
pub use recover::recovered;
pub use runner::{Runner, Summary};
pub use selection::{Selection, SelectionError, grouped};
pub use settings::{Difference, RunFile};
pub use shared::{Concurrency, Permit, Shared};
pub use status::{Redo, Statuses, UnknownStatus};

pub(crate) use folder::write_derived;
pub(crate) use lines::{REASON, clock, shortened, thousands};
