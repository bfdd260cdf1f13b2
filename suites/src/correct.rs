//! Comparison of patches with the developer's fix.

use std::path::Path;

use patchwright_folder::{LONGEST_FILE, read_file};
use patchwright_syntax::{Language, normal_form};

use patchwright_edits::diff::{Patch, PatchSyntaxError};

use crate::patch::{self, Changes, PatchError};

/// The reason why two patches cannot be compared. The message says which of them is meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComparisonError {
    /// A patch is no unified diff.
    #[error("{which} cannot be read: {error}")]
    Syntax {
        /// The patch that is meant.
        which: &'static str,
        /// The reason.
        error: PatchSyntaxError,
    },
    /// A patch does not apply to the buggy code.
    #[error("{which} does not apply: {error}")]
    DoesNotApply {
        /// The patch that is meant.
        which: &'static str,
        /// The reason.
        error: PatchError,
    },
}

/// Is true if two patches of the buggy project in `dir` lead to files of the same normal form: comments, white space and formatting do not
/// count. Nothing is written.
///
/// # Errors
/// One of them cannot be read or does not apply.
pub fn equals_fix(dir: &Path, truth_patch: &str, patch: &str) -> Result<bool, ComparisonError> {
    let truth = changes(dir, truth_patch, "the developer's fix")?;
    let found = changes(dir, patch, "the patch")?;
    let names = truth.keys().chain(found.keys().filter(|name| !truth.contains_key(*name)));
    Ok(names.into_iter().all(|name| {
        let form = |changes: &Changes| match changes.get(name) {
            Some(bytes) => bytes.as_deref().map(|bytes| normal(name, bytes)),
            None => read_file(&dir.join(name), LONGEST_FILE).ok().map(|bytes| normal(name, &bytes)),
        };
        form(&truth) == form(&found)
    }))
}

fn normal(name: &str, bytes: &[u8]) -> String {
    normal_form(Language::of_path(Path::new(name)), bytes)
}

fn changes(dir: &Path, text: &str, which: &'static str) -> Result<Changes, ComparisonError> {
    let patch = Patch::parse(text.as_bytes()).map_err(|error| ComparisonError::Syntax { which, error })?;
    patch::changes(&patch, dir).map_err(|error| ComparisonError::DoesNotApply { which, error })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use std::fs;

    use super::*;

    const BUGGY: &str = "class A {\n    int f(int a) {\n        return a;\n    }\n}\n";
    const TRUTH: &str =
        "--- a/A.java\n+++ b/A.java\n@@ -3 +3 @@\n-        return a;\n+        return a + 1;\n";

    #[test]
    fn what_does_the_same_is_the_same_fix() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("A.java"), BUGGY).unwrap();
        let check = |hunk: &str, expect: bool| {
            let patch = format!("--- a/A.java\n+++ b/A.java\n{hunk}");
            assert_eq!(equals_fix(folder.path(), TRUTH, &patch).unwrap(), expect, "{hunk}");
        };
        check("@@ -3 +3 @@\n-        return a;\n+        return a + 1;\n", true);
        check("@@ -3 +3,2 @@\n-        return a;\n+        // One more.\n+        return a+1;\n", true);
        check("@@ -3 +3 @@\n-        return a;\n+        return 1 + a;\n", false);
        check("@@ -3 +3 @@\n-        return a;\n+        // return a + 1;\n", false);
        let more = "--- /dev/null\n+++ b/B.java\n@@ -0,0 +1 @@\n+class B {}\n";
        assert!(!equals_fix(folder.path(), TRUTH, &format!("{TRUTH}{more}")).unwrap());
        assert!(!equals_fix(folder.path(), TRUTH, "").unwrap());
        assert!(!folder.path().join("B.java").exists());
        assert_eq!(fs::read_to_string(folder.path().join("A.java")).unwrap(), BUGGY);
    }

    #[test]
    fn a_patch_that_does_not_apply_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("A.java"), BUGGY).unwrap();
        let other = TRUTH.replace("return a;", "return b;");
        let check = |truth: &str, patch: &str, expect: &str| {
            let error = equals_fix(folder.path(), truth, patch).unwrap_err().to_string();
            assert!(error.starts_with(expect), "{error}");
        };
        check(TRUTH, &other, "the patch does not apply: `A.java`");
        check(&other, TRUTH, "the developer's fix does not apply: `A.java`");
        check(TRUTH, "--- a/A.java\n+++ b/A.java\n@@ -3 +3 @@\n", "the patch cannot be read: line 4");
    }
}
