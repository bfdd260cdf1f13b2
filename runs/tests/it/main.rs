//! Runs from the outside: their folders, and what becomes of them when things go wrong.
#![allow(clippy::disallowed_methods, reason = "tests make files")]

#[path = "../scripted/mod.rs"]
mod scripted;

mod limits;
mod merge;
mod reports;
mod resume;
mod runs;
