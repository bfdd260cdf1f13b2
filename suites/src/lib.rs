//! Benchmarks: loading and preparing their cases.
//!
//! A [`Suite`] gives [`Case`]s, each with its ground truth, and makes of a case the [`Bug`] that a session may see. Besides the adapters
//! of benchmarks here is what adapters elsewhere are made of.

pub mod atomic;
mod case;
pub mod checkout;
pub mod container;
mod correct;
mod defects4j;
#[cfg(test)]
#[path = "../tests/fixture/mod.rs"]
mod fixture;
mod folder;
mod gitbug_java;
mod lines;
mod manifest;
mod patch;
pub mod python_json;
mod suite;

use std::sync::atomic::AtomicBool;

use patchwright_protocol::Failure;

pub use case::{Bug, BugInput, Case, Truth};
pub use correct::{ComparisonError, equals_fix};
pub use defects4j::{Defects4j, Defects4jOptions};
pub use gitbug_java::{GitBugJava, GitBugJavaOptions};
pub use lines::{placed, without_mark};
pub use manifest::Manifest;
pub use patch::PatchError;
pub use suite::{LeftOut, LoadError, Ready, Suite};

/// Runs work that waits for the disk where it holds up nothing else. The work is given a flag that is set when nobody waits any more.
///
/// # Errors
/// That of the work, and [`Failure::defect`] where it panicked.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce(&AtomicBool) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    patchwright_testbed::blocking::spawn(work).await?
}

/// A program that the PATH leads to.
fn on_path(name: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}
