//! How a project is built and tested.
//!
//! [`detect`] finds it out and gives a [`ProjectSpec`]: commands, the format of their outcomes, folders, variables. The [`ecosystems`] know
//! what families of languages need, the [`adapters`] what test tools need around their commands: files beside the project, variables, names
//! of tests.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod adapters;
#[allow(clippy::disallowed_methods, reason = "the user's project and machine")]
mod detect;
#[allow(clippy::disallowed_methods, reason = "the user's project and machine")]
pub mod ecosystems;
mod given_command;
#[allow(clippy::disallowed_methods, reason = "the machine")]
pub mod heap;
mod interpreter;
#[allow(clippy::disallowed_methods, reason = "the user's project")]
mod python_command;
#[allow(clippy::disallowed_methods, reason = "the user's project and machine")]
mod recognize;
mod shell;
mod spec;

pub use detect::{
    DetectError, DetectedProject, HostEnvironments, PYTEST_OPTIONS, PythonEnvironment, SandboxToolchain,
    Toolchain, refuse_original,
};
pub use interpreter::PYTHON_VARIABLE;
pub use python_command::instrumented;
pub use recognize::{detect, fix_rules};
pub use spec::{AdapterKind, DEFAULT_TIMEOUT, ProjectSpec, TestPaths, TestTool};
