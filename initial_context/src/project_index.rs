//! The index of a project, built on a blocking thread.

use std::collections::BTreeSet;

use patchwright_index::Index;
use patchwright_protocol::Failure;
use patchwright_syntax::ProjectPath;
use patchwright_validation::TestHarness;

/// Calls `look` with the index of the harness's project and the files that candidates may edit.
///
/// # Errors
/// The project cannot be read, or `look` fails.
pub(crate) async fn with_index<T: Send + 'static>(
    harness: &TestHarness,
    look: impl FnOnce(&Index, &BTreeSet<ProjectPath>) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (project, rules) = (harness.project().clone(), harness.rules());
    patchwright_blocking::spawn(move |_| {
        let files = project.files().map_err(Failure::environment)?;
        let editable = rules.allowed(files).map_err(Failure::environment)?;
        let index = Index::build(project.root()).map_err(Failure::environment)?;
        look(&index, &editable.into_iter().collect())
    })
    .await?
}
