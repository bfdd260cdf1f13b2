//! Tests that show the bug of an issue, written by fixed methods. No method is shown a fix, and none tries one.
//!
//! A [`TestWriter`] is one attempt at one issue by one [`TestMethod`](patchwright_protocol::TestMethod): `direct`, `zero-shot` and
//! `zero-shot-plus` ask one question; `libro` draws several answers, groups the tests by how they fail and asks which failure is the
//! issue's; `assert-flip` has a passing test written first and its assertion turned over then. Each stage is a cycle of the trajectory
//! whose observation holds what was found. Every test runs on the original code before anything is said of it.
//!
//! The method `agent` is none of them: there the loop of `patchwright-agent` writes the test.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod assert_flip;
mod cluster;
mod draft;
mod example_names;
mod judge;
mod language;
mod libro;
mod settings;
mod single;
mod surroundings;
mod trial;
mod tried_test;
mod writer;

pub use example_names::with_example_names;
pub use language::check_language;
pub use settings::WritingSettings;
pub use writer::{TestWriter, WriterSetup};
