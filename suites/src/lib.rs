//! Benchmarks: loading and preparing their cases.
//!
//! A [`Suite`] gives [`Case`]s, each with its ground truth, and makes of a case the [`Bug`](patchwright_protocol::Bug) that a session may see. Besides the adapters
//! of benchmarks here is what adapters elsewhere are made of.

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
#[cfg(test)]
mod script;
mod suite;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use patchwright_protocol::Failure;

pub use case::{Case, Truth};
pub use correct::{ComparisonError, equals_fix};
pub use defects4j::{Defects4j, Defects4jOptions};
pub use gitbug_java::{GitBugJava, GitBugJavaOptions};
pub use lines::{placed, without_mark};
pub use manifest::Manifest;
pub use patch::PatchError;
pub use suite::{LeftOut, LoadError, Ready, Suite};

/// A suite that is read from a file or a folder, as `--suite WORD:PLACE` names it.
#[derive(Clone, Copy, Debug)]
pub struct SuiteKind {
    /// The word.
    pub word: &'static str,
    /// What stands behind it: `FILE` or `DIR`.
    pub place: &'static str,
    /// Is true if its bugs may come with issues, for which tests are written.
    pub has_issues: bool,
    /// Reads it; its settings come from the environment.
    pub load: fn(&Path) -> Result<Arc<dyn Suite>, LoadError>,
}

/// The suites that need nothing but their file or folder.
pub const SUITES: [SuiteKind; 3] = [
    SuiteKind {
        word: "manifest",
        place: "FILE",
        has_issues: true,
        load: |file| Ok(Arc::new(Manifest::load(file)?)),
    },
    SuiteKind {
        word: "defects4j",
        place: "DIR",
        has_issues: false,
        load: |dir| Ok(Arc::new(Defects4j::load(dir, Defects4jOptions::from_environment())?)),
    },
    SuiteKind {
        word: "gitbug-java",
        place: "DIR",
        has_issues: false,
        load: |dir| Ok(Arc::new(GitBugJava::load(dir, GitBugJavaOptions::from_environment())?)),
    },
];

/// Runs work that waits for the disk where it holds up nothing else. The work is given a flag that is set when nobody waits any more.
///
/// # Errors
/// That of the work, and [`Failure::defect`] where it panicked.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce(&AtomicBool) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    patchwright_blocking::spawn(work).await?
}

/// A program that the PATH leads to.
fn on_path(name: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}
