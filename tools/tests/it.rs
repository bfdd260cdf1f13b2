//! The tools through their front door: erased, with JSON arguments, on a small project with real tests.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "it/bench.rs"]
mod bench;
#[path = "it/fixes.rs"]
mod fixes;
#[path = "it/history.rs"]
mod history;
#[path = "it/looking.rs"]
mod looking;
#[path = "it/registry.rs"]
mod registry;
#[path = "it/reproducing.rs"]
mod reproducing;
#[path = "it/running.rs"]
mod running;
