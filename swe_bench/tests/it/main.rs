//! SWE-bench from the outside: what needs no container.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod conformance;
mod folders;
mod grading;
mod predictions;
mod rows;
mod scripts;
mod support;
