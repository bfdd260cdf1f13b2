//! Benchmarks: loading, preparing and grading cases; batch runs; reports.
//!
//! A [`Suite`] gives [`Case`]s, each with its ground truth, and makes of a case the [`Bug`] that a session may see.
//! [`run`] lets sessions work on many cases and survives being killed; [`report`] tells what came of it.

mod case;
pub mod report;
pub mod run;
mod suite;

pub use case::{Bug, Case, Truth};
pub use suite::{LoadError, PrepareError, Suite};
