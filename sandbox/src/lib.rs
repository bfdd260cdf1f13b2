//! Where untrusted commands run: Docker, namespaces, host; with limits.
//!
//! A [`Command`] runs in a lane through a [`Sandbox`]. It has a time limit, a memory and a process limit and an
//! output cap; the network is off unless it says otherwise; when it ends, nothing of it keeps running.
//!
//! [`choose`] gives the best sandbox that works on this machine. Failures of a sandbox are [`SandboxError`]s, for
//! the user or the infrastructure; what a command does, however badly, is a [`CommandOutcome`].

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

#[cfg(not(target_os = "linux"))]
compile_error!("the sandboxes rest on Linux: namespaces, Landlock and /proc");

mod choose;
mod command;
mod disk;
mod docker;
mod environment;
mod error;
mod kind;
mod local;
mod open_files;
mod outcome;
mod owner;
mod probe;
mod request;
mod sandbox;
mod scratch;
mod seccomp;
mod secrets;
mod toolchain;
mod volume;

pub use choose::{ChosenSandbox, choose, probe, sweep};
pub use command::{Command, CommandLimits};
pub use docker::{Images, LocalImage};
pub use error::SandboxError;
pub use kind::SandboxKind;
pub use outcome::{Captured, CommandOutcome};
pub use owner::Owner;
pub use patchwright_protocol::Exit;
pub use probe::SandboxProbe;
pub use request::{ProjectPlace, RequestedSandbox, SandboxRequest, SandboxSetup};
pub use sandbox::Sandbox;
pub use scratch::{bases as work_folders, create as scratch_folder};
pub use secrets::{Secrets, secrets_among};
pub use volume::{Volume, Volumes, keep_mounts_apart};
