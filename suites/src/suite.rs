//! The seam between runs and benchmarks.

use std::path::{Path, PathBuf};

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

    /// Whether cases can be prepared on this machine at all, asked once before a run; gives folders outside of the run's whose
    /// disk fills up while cases are prepared, such as that of container images.
    ///
    /// # Errors
    /// See [`PrepareError`].
    async fn ready(&self) -> Result<Vec<PathBuf>, PrepareError> {
        Ok(Vec::new())
    }

    /// Says that an attempt at a case has ended, whatever came of it: what was held for it, such as an image, may go.
    async fn release(&self, _case: &Case) {}
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

/// What of a benchmark is left out, and why.
#[derive(Debug, Default)]
pub(crate) struct LeftOut {
    warnings: Vec<String>,
    first: Option<LoadError>,
}

impl LeftOut {
    /// Leaves out what the error is about.
    pub(crate) fn add(&mut self, error: LoadError) {
        self.warnings.push(format!("{error}; it is left out"));
        self.first.get_or_insert(error);
    }

    /// Only tells something.
    pub(crate) fn warn(&mut self, text: String) {
        self.warnings.push(text);
    }

    /// The warnings about what is left.
    ///
    /// # Errors
    /// The first reason, where nothing is left.
    pub(crate) fn warnings(self, nothing_left: bool) -> Result<Vec<String>, LoadError> {
        match self.first {
            Some(error) if nothing_left => Err(error),
            Some(_) | None => Ok(self.warnings),
        }
    }
}
