//! What is special about Python: a file that cannot be parsed shows when it is imported, in whichever test does so.

use std::collections::BTreeSet;

use patchwright_code::Applied;

use crate::compilers::syntax_errors;
use crate::outcome::TestOutcome;
use crate::report::CompilerError;

/// The syntax errors in files that a change touched, as the failing tests tell them; each once.
pub(crate) fn broken_by(applied: &Applied, outcomes: &[TestOutcome]) -> Vec<CompilerError> {
    let changed: BTreeSet<&str> = applied.files.iter().map(|file| file.path.as_str()).collect();
    let failing = outcomes.iter().filter(|outcome| outcome.status.is_failing());
    let mut errors: Vec<CompilerError> = failing
        .filter_map(|outcome| outcome.trace.as_deref())
        .flat_map(syntax_errors)
        .filter(|error| changed.contains(error.file.as_str()))
        .collect();
    errors.sort();
    errors.dedup();
    errors
}
