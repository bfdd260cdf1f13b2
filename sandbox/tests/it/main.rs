//! What the sandboxes promise, tried for real.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod local;
mod support;
