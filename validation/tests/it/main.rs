//! Real projects, really built and tested, in copies and through a sandbox.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr
)]

mod custom;
mod forged;
mod forged_javascript;
mod given;
mod java;
mod lanes;
mod node;
mod own_tool;
mod persistent;
mod persistent_commands;
mod persistent_java;
mod pytest;
mod pytest_parts;
mod slow_runs;
mod spectrum;
mod support;
mod unittest;
