//! Building and testing a project, reading results, lanes, validating candidates.
//!
//! A project is built and tested by its [`ProjectSpec`](patchwright_detection::ProjectSpec); a [`TestBed`] does it, in copies of the project and inside of
//! a sandbox. [`TestBed::baseline`] tells what fails before any change, [`TestBed::validate`] what a change does, and
//! [`TestBed::spectrum`] where the bug may be.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod alone;
mod baseline;
mod bed;
mod compare;
mod coverage;
mod environment_faults;
mod error;
mod execution;
mod guarded;
mod interception;
mod localization;
mod optimizations;
mod order;
mod order_dependence;
mod persistent;
mod probe;
mod python;
mod reproduction;
mod scheduler;
mod shards;
mod snippet;
mod spectrum;
mod validate;
mod verdict_cache;

pub use baseline::Baseline;
pub use bed::TestBed;
pub use compare::MISSING_TESTS;
pub use coverage::Coverage;
pub use environment_faults::EnvironmentFault;
pub use error::TestBedError;
pub use localization::{FaultyLine, Localization, LocalizationError};
pub use optimizations::{Optimizations, ValidationDepth};
pub use persistent::{Disagreement, WorkerReport};
pub use probe::{Probe, ProbeOutput};
pub use reproduction::{
    AlteredTests, EditedTest, FileLines, ReproductionRun, ReproductionTest, TestLayout, UnloadableTests,
    repeated_test,
};
pub use scheduler::{Progress, Scheduler};
pub use snippet::SnippetOutput;
pub use spectrum::{
    Basis, Counts, CoverageScope, Formula, RankedFile, RankedLine, RankedMethod, Ranking, Reason,
};
pub use validate::{Judgement, Unconfirmed, Validation};
