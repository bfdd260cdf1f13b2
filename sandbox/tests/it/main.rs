//! What the sandboxes promise, tried for real.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod checks;
mod docker;
mod local;
mod private;
mod registry;
mod support;
