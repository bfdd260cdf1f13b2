//! Building and testing a project, reading results, lanes, validating candidates.
//!
//! [`detect`] finds out how a project is built and tested; a [`TestBed`] does it, in copies of the project and inside of
//! a sandbox. [`TestBed::baseline`] tells what fails before any change, [`TestBed::validate`] what a change does, and
//! [`TestBed::spectrum`] where the bug may be.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod adapters;
mod alone;
mod baseline;
mod bed;
mod compare;
mod coverage;
#[allow(clippy::disallowed_methods, reason = "the user's project and machine")]
mod detect;
#[allow(clippy::disallowed_methods, reason = "the user's project and machine")]
mod ecosystems;
mod environment_faults;
mod error;
mod execution;
mod guarded;
#[allow(clippy::disallowed_methods, reason = "the machine")]
mod heap;
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
mod spec;
mod spectrum;
mod validate;
mod verdict_cache;

pub use adapters::{package_of, shell_word};
pub use baseline::Baseline;
pub use bed::TestBed;
pub use compare::MISSING_TESTS;
pub use coverage::Coverage;
pub use detect::{
    DetectError, DetectedProject, HostEnvironments, PythonEnvironment, SandboxToolchain, Toolchain, detect,
    fix_rules,
};
pub use ecosystems::{ProgramLanguage, ToolFacts, program_languages, test_tools, written_languages};
pub use environment_faults::EnvironmentFault;
pub use error::TestBedError;
pub use localization::{FaultyLine, Localization, LocalizationError};
pub use optimizations::{Optimizations, ValidationDepth};
pub use patchwright_sandbox::blocking;
pub use persistent::{Disagreement, WorkerReport};
pub use probe::{Probe, ProbeOutput};
pub use reproduction::{
    AlteredTests, EditedTest, FileLines, ReproductionRun, ReproductionTest, TestLayout, UnloadableTests,
    repeated_test,
};
pub use scheduler::{Progress, Scheduler};
pub use snippet::SnippetOutput;
pub use spec::{AdapterKind, DEFAULT_TIMEOUT, NO_TESTS, Overrides, ProjectSpec};
pub use spectrum::{
    Basis, Counts, CoverageScope, Formula, RankedFile, RankedLine, RankedMethod, Ranking, Reason,
};
pub use validate::{Judgement, Unconfirmed, Validation};
