//! The index of a project, read on a blocking thread.

use std::collections::BTreeSet;

use patchwright_index::Index;
use patchwright_protocol::Failure;
use patchwright_syntax::ProjectPath;
use patchwright_validation::TestHarness;

/// Calls `look` with the index of the harness's project.
///
/// # Errors
/// The project cannot be read, or `look` fails.
pub(crate) async fn with_index<T: Send + 'static>(
    harness: &TestHarness,
    look: impl FnOnce(&Index) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let index = harness.index().await?;
    patchwright_blocking::spawn(move |_| look(&index)).await?
}

/// Calls `look` with the index of the harness's project and the files that candidates may edit.
///
/// # Errors
/// The project cannot be read, or `look` fails.
pub(crate) async fn with_editable<T: Send + 'static>(
    harness: &TestHarness,
    look: impl FnOnce(&Index, &BTreeSet<ProjectPath>) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let rules = harness.rules();
    with_index(harness, move |index| {
        let files = index.project().files().map_err(Failure::environment)?;
        let editable = rules.allowed(files).map_err(Failure::environment)?;
        look(index, &editable.into_iter().collect())
    })
    .await
}
