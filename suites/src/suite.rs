//! The seam between runs and benchmarks.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use patchwright_protocol::{Bug, Failure};

use crate::case::Case;

/// The needs of a suite on a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// Every bug has a container image of its own, so that no other sandbox is used.
    pub in_images: bool,
    /// Folders besides the run's own whose disk fills up while cases are prepared, such as that of container images.
    pub folders: Vec<PathBuf>,
}

/// A set of cases.
/// ```
/// use std::path::Path;
///
/// use patchwright_protocol::{Bug, Failure};
/// use patchwright_suites::{Case, Suite, Truth};
///
/// struct OneBug([Case; 1]);
///
/// #[async_trait::async_trait]
/// impl Suite for OneBug {
///     fn cases(&self) -> &[Case] {
///         &self.0
///     }
///
///     async fn prepare(&self, _case: &Case, folder: &Path) -> Result<Bug, Failure> {
///         std::fs::write(folder.join("half.py"), "def half(x):\n    return x / 3\n")
///             .map_err(Failure::environment)?;
///         Ok(Bug { dir: folder.to_owned(), ..Bug::default() })
///     }
/// }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let truth = Truth { lines: vec!["half.py#2".to_owned()], ..Truth::default() };
/// let suite = OneBug([Case { id: "half-1".to_owned(), project: "half".to_owned(), truth }]);
/// let folder = tempfile::tempdir()?;
/// let bug = suite.prepare(&suite.cases()[0], folder.path()).await?;
/// assert!(bug.dir.join("half.py").exists());
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait Suite: Send + Sync {
    /// The cases, in the order of the suite; their ids differ.
    fn cases(&self) -> &[Case];

    /// Is true if the benchmark once had a case of this id, and has taken it back.
    fn is_withdrawn(&self, _id: &str) -> bool {
        false
    }

    /// Parts of the benchmark that were left out or read otherwise than it is written, and why: a sentence each.
    fn warnings(&self) -> &[String] {
        &[]
    }

    /// Makes what a session needs in `folder`, which exists and is empty. Nothing of the case's truth may be found there.
    ///
    /// # Errors
    /// [`Failure::case`] where the data of the case cannot be used, and will not be by another try; [`Failure::environment`] where disk,
    /// network, registry, engine or a missing program stands in the way.
    async fn prepare(&self, case: &Case, folder: &Path) -> Result<Bug, Failure>;

    /// Checks that cases can be prepared on this machine at all, and tells what a run has to know of that; asked once before it begins.
    ///
    /// # Errors
    /// As for [`Suite::prepare`].
    async fn ready(&self) -> Result<Ready, Failure> {
        Ok(Ready::default())
    }

    /// The container image in which a case is tested, where it needs one.
    fn image(&self, _case: &Case) -> Option<String> {
        None
    }

    /// Says that an attempt at a case which was prepared has ended, whatever came of it: what is held for it, such as an image, may
    /// go. Where preparing failed, nothing is held.
    async fn release(&self, _case: &Case) {}
}

/// A benchmark that cannot be read. The message names the file, the case, the field and the cure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct LoadError {
    /// The file, with the line or the case and the field where they are known.
    pub place: String,
    /// The mistake, and what to do.
    pub message: String,
}

/// A failure of the disk at a path.
pub(crate) fn disk(path: &Path, error: &std::io::Error) -> Failure {
    Failure::environment(format!("`{}`: {error}", path.display()))
}

/// The parts of a benchmark that are left out, and the reasons.
#[derive(Debug, Default)]
pub struct LeftOut {
    warnings: Vec<String>,
    first: Option<LoadError>,
}

impl LeftOut {
    /// Leaves out what the error is about.
    pub fn add(&mut self, error: LoadError) {
        self.warnings.push(format!("{error}; it is left out"));
        self.first.get_or_insert(error);
    }

    /// Only tells something.
    pub fn warn(&mut self, text: String) {
        self.warnings.push(text);
    }

    /// The warnings about what is left.
    ///
    /// # Errors
    /// The first reason, where nothing is left.
    pub fn warnings(self, nothing_left: bool) -> Result<Vec<String>, LoadError> {
        match self.first {
            Some(error) if nothing_left => Err(error),
            Some(_) | None => Ok(self.warnings),
        }
    }
}
