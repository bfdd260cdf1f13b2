//! Folders of logs in the official layouts, made up, graded through the front door.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod containers;
mod support;
mod swt;
mod tdd;
