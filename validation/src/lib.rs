//! The tests of a project before any change, and the verdicts on candidates.
//!
//! A project is built and tested by its [`ProjectSpec`](patchwright_detection::ProjectSpec); a [`TestHarness`] does it, in copies of the project and inside of
//! a sandbox. [`TestHarness::baseline`] tells what fails before any change, [`TestHarness::validate`] what a change does.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod alone;
mod baseline;
mod compare;
mod coverage;
mod environment_faults;
mod error;
pub mod execution;
mod guarded;
mod harness;
mod instrumented_tests;
mod interception;
mod judgement;
mod measure_baseline;
mod optimizations;
mod order;
mod order_dependence;
mod probe;
mod python;
mod reproduction;
mod reproduction_test;
mod scheduler;
mod shards;
mod snippet;
mod test_times;
mod validate;
mod validation;
mod verdict_cache;
mod warm_workers;

#[cfg(any(test, feature = "testing"))]
pub use baseline::testing;
pub use baseline::{Baseline, Expected, RecordedTiming};
pub use coverage::{Coverage, CoverageCell, CoverageScope, KnownCoverage, RecordedCoverage};
pub use environment_faults::EnvironmentFault;
pub use error::TestHarnessError;
pub use harness::TestHarness;
pub use instrumented_tests::InstrumentedTests;
pub use judgement::{Judgement, Unconfirmed};
pub use optimizations::{Optimizations, ValidationDepth};
pub use probe::{Probe, ProbeOutput};
pub use reproduction::{
    AlteredTests, EditedTest, ReproductionRun, TestLayout, UnloadableTests, repeated_test,
};
pub use reproduction_test::ReproductionTest;
pub use scheduler::{Progress, Scheduler};
pub use snippet::SnippetOutput;
pub use test_times::{TestTimes, WholeRun};
pub use validation::{Extent, Validation, evaluate_report};
pub use warm_workers::{Disagreement, WarmWorkers, WorkerReport};
