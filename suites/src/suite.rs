//! The seam between runs and benchmarks.

use std::path::Path;

use async_trait::async_trait;

use crate::case::{Bug, Case};

/// A set of cases.
#[async_trait]
pub trait Suite: Send + Sync {
    /// `defects4j`, `swe-bench`, `gitbug-java` or `manifest`.
    fn name(&self) -> &'static str;

    /// The cases, in the order of the suite; their ids differ.
    fn cases(&self) -> &[Case];

    /// What of the benchmark was left out or read otherwise than it is written, and why: a sentence each.
    fn warnings(&self) -> &[String] {
        &[]
    }

    /// Makes what a session needs in `folder`, which exists and is empty. Nothing of the case's truth may be found there.
    ///
    /// # Errors
    /// See [`PrepareError`].
    async fn prepare(&self, case: &Case, folder: &Path) -> Result<Bug, PrepareError>;
}

/// A benchmark that cannot be read. The message names the file, the case, the field and the cure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct LoadError {
    /// The file, with the line or the case and the field where they are known.
    pub place: String,
    /// What is wrong, and what to do.
    pub message: String,
}

/// A case that cannot be prepared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// Disk, network, registry, engine or a missing program stands in the way: it may work later.
    #[error("{0}")]
    Infrastructure(String),
    /// The data of the case cannot be used: it will not work later either.
    #[error("{0}")]
    Data(String),
}
