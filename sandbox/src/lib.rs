//! Where untrusted commands run: Docker, namespaces, host; with limits.
//!
//! A [`Command`] runs in a lane through a [`Sandbox`]. It has a time limit, a memory and a process limit and an
//! output cap; the network is off unless it says otherwise; when it ends, nothing of it keeps running.

mod command;
mod error;
mod outcome;
mod sandbox;

pub use command::{Command, Limits};
pub use error::SandboxError;
pub use outcome::{Captured, Exit, Outcome};
pub use sandbox::{Kind, Sandbox};
