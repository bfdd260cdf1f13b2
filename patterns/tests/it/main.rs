//! The generators from the outside: bugs that they repair, and what holds for all that they propose.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bed;
mod bugs;
mod classes;
mod examples;
mod pairs;
mod plan;
mod properties;
