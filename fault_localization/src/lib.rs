//! Where a bug may be.
//!
//! [`spectrum`] runs tests under coverage and ranks lines by a [`Formula`]; [`by_stack_traces`] ranks without running anything; a
//! [`Localization`] is what a session is told, by a spectrum or by lines that were given.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod formula;
mod hints;
#[allow(clippy::disallowed_methods, reason = "what is installed")]
mod jacoco;
mod localization;
mod near_tests;
mod neighbours;
mod production;
mod rank;
mod ranking;
mod record;
mod recording;
mod recording_commands;
mod spectrum;
mod test_coverage;

pub use formula::{Counts, Formula};
pub use localization::{FaultyLine, Localization, LocalizationError};
pub use near_tests::tests_near;
pub use ranking::{Basis, RankedFile, RankedLine, RankedMethod, Ranking, Reason};
pub use record::recorded;
pub use spectrum::{by_stack_traces, executable_lines, methods_of_failures, spectrum};
pub use test_coverage::{FileLines, coverage_of};
