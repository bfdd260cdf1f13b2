//! The program from the outside: what a user types, what comes back, what is left on disk.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]
#![allow(clippy::needless_pass_by_value, reason = "`json!(…)` reads best as it is")]

mod agentless;
mod apply;
mod bad_input;
mod bench;
mod bounds;
mod containers;
mod counts;
mod defects4j;
mod doctor;
mod faults;
mod grading_tests;
mod hostile;
mod interruption;
mod issues;
mod kit;
mod kubernetes;
mod localize;
mod long_suites;
mod models;
mod parts;
mod patterns;
mod people;
#[cfg(feature = "postgres")]
mod postgres;
mod reply;
mod repositories;
mod samples;
#[path = "../../llm/tests/scripted/mod.rs"]
#[allow(dead_code, reason = "the tests of the client ask for more")]
mod scripted;
mod secrets;
mod sessions;
mod slurm;
mod swe_bench;
mod test_runs;
mod tools;
mod trust;
mod writing_java;
mod writing_limits;
mod writing_tests;
