//! The errors that are special to Python: a file that cannot be parsed shows when it is imported, in whichever test does so.

use std::collections::BTreeSet;

use patchwright_edits::Applied;
use patchwright_test_results::{CompilerError, TestOutcome, syntax_errors};

/// The syntax errors in files that a change touched, as the failing tests tell them, or the log where no test was
/// reached; each once.
pub(crate) fn broken_by(applied: &Applied, outcomes: &[TestOutcome], log: &str) -> Vec<CompilerError> {
    let changed: BTreeSet<&str> = applied.files.iter().map(|file| file.path.as_str()).collect();
    let failing = outcomes.iter().filter(|outcome| outcome.status.is_failing());
    let mut errors: Vec<CompilerError> = failing
        .filter_map(|outcome| outcome.trace.as_deref())
        .chain(outcomes.is_empty().then_some(log))
        .flat_map(syntax_errors)
        .filter(|error| changed.contains(error.file.as_str()))
        .collect();
    errors.sort();
    errors.dedup();
    errors
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use patchwright_edits::FileChange;
    use patchwright_syntax::ProjectPath;

    use super::*;
    use patchwright_test_results::TestStatus;

    #[test]
    fn only_changed_files_count() {
        let path = ProjectPath::new("shop/basket.py").unwrap();
        let files = vec![FileChange { path, before: None, after: Some(Vec::new()) }];
        let applied = Applied { files, notes: Vec::new(), comment_only: false };
        let trace = |file: &str| {
            format!("  File \"{file}\", line 3\n    x = (\n        ^\nSyntaxError: '(' was never closed\n")
        };
        let check = |outcomes: &[TestOutcome], log: &str, expect: usize| {
            assert_eq!(broken_by(&applied, outcomes, log).len(), expect, "{outcomes:?} {log}");
        };
        let failing = |file: &str| TestOutcome::new("a", TestStatus::Error).with_trace(trace(file));
        check(&[failing("shop/basket.py"), failing("shop/basket.py")], "", 1);
        check(&[failing("shop/other.py")], "", 0);
        // What a test prints is no trace of its own; where none was reached the log is all there is.
        check(&[TestOutcome::new("a", TestStatus::Passed)], &trace("shop/basket.py"), 0);
        check(&[], &trace("shop/basket.py"), 1);
        check(&[], "", 0);
    }
}
