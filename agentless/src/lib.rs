//! Repair by a fixed pipeline without an agent, after Agentless (arXiv 2407.01489): the model is asked where the bug is, how
//! the code has to change and how a test shows the bug; what happens next never depends on a choice of its own.
//!
//! A [`Pipeline`] runs the stages once, in this order: `locate_files`, `locate_elements` and `locate_lines` narrow
//! the place down; `repair` draws changes and reduces them to those that differ; `regressions` asks which passing tests
//! check the wrong behaviour; `reproduce` draws tests that show the issue; `validate` judges the changes by the project's own
//! tests, and comes before `reproduce` where failing tests of these show the bug; `select` puts the changes in order. Each stage is a cycle of the trajectory whose observation holds what
//! was found, so that [`RecordedStages`](patchwright_session::RecordedStages) can take a session up after any of them.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod context;
mod locate;
mod pipeline;
mod regression_choice;
mod regressions;
mod repair;
mod reproduce;
pub mod select;
mod settings;
mod validate;

pub use locate::EmbeddingRanker;
pub use pipeline::{Pipeline, PipelineSetup};
pub use regression_choice::{ChosenTests, Regressions};
pub use regressions::ExcludedTests;
pub use repair::Sample;
pub use reproduce::{BrokenTest, Reproduction, ReproductionTest, ScriptOutcome};
pub use settings::{PipelineSettings, Weights};
