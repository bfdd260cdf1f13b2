//! Tells test code from other files, by the names of files and folders.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::language::Language;
use crate::path::ProjectPath;
use crate::pattern::compiled;

/// Names of files that test tools take for tests, by language.
static RUNNABLE: LazyLock<Vec<(Language, Regex)>> = LazyLock::new(|| {
    Language::all().map(|language| (language, compiled(language.entry().tests.runnable))).collect()
});

/// Folders that hold tests wherever they are.
const ANYWHERE: &[&str] = &["tests", "_tests", "unittests", "__tests__"];

/// Folders that hold tests in the root or beside sources: deeper they may be packages that help with testing.
const OUTSIDE: &[&str] = &["test", "testing", "src/test", "src/testing"];

/// Is true if a file is test code.
pub fn is_test(language: Language, path: &ProjectPath) -> bool {
    let folder = path.folder();
    let outside = OUTSIDE.iter().any(|own| {
        let below = folder.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        // A module of a build of several.
        below || (own.contains('/') && format!("/{folder}/").contains(&format!("/{own}/")))
    });
    if outside || folder.split('/').any(|part| ANYWHERE.contains(&part)) {
        return true;
    }
    let rules = &language.entry().tests;
    let stem = path.without_extension().rsplit('/').next().unwrap_or_default();
    // `Testament` and `Contest` are no tests: a word must end where the prefix does.
    let begins = |prefix: &&str| {
        let rest = stem.strip_prefix(prefix);
        rest.is_some_and(|rest| prefix.ends_with('_') || rest.starts_with(char::is_uppercase))
    };
    let ends = |suffix: &&str| {
        let rest = stem.strip_suffix(suffix);
        rest.is_some_and(|rest| suffix.starts_with('_') || rest.ends_with(|last: char| !last.is_uppercase()))
    };
    rules.file_names.contains(&stem)
        || rules.file_prefixes.iter().any(begins)
        || rules.file_suffixes.iter().any(ends)
}

/// Is true if test tools take a file of this name for tests.
pub fn is_runnable(path: &str) -> bool {
    let language = Language::of_path(Path::new(path));
    let pattern = RUNNABLE.iter().find(|(known, _)| Some(*known) == language).map(|(_, pattern)| pattern);
    pattern.is_some_and(|pattern| pattern.is_match(path.rsplit('/').next().unwrap_or(path)))
}

/// Is true if a path ends in this extension.
pub fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == extension)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_their_names_and_folders() {
        let check = |path: &str, expect: bool| {
            let path = ProjectPath::new(path).unwrap();
            let language = Language::of_path(path.as_path()).unwrap();
            assert_eq!(is_test(language, &path), expect, "{path}");
        };
        check("tests/helpers.py", true);
        check("pkg/tests/a.py", true);
        check("src/pkg/_tests/tools.py", true);
        check("test/a.py", true);
        check("testing/a.py", true);
        check("pkg/test_a.py", true);
        check("pkg/a_test.py", true);
        check("pkg/unittest_a.py", true);
        check("conftest.py", true);
        check("django/test/client.py", false);
        check("sympy/testing/runtests.py", false);
        check("pkg/testing.py", false);
        check("pkg/contest.py", false);
        check("pkg/latest.py", false);
        check("src/test/java/a/Helper.java", true);
        check("core/src/test/java/a/Helper.java", true);
        check("src/main/java/a/BoxTest.java", true);
        check("src/main/java/a/TestBox.java", true);
        check("src/main/java/a/BoxIT.java", true);
        check("src/main/java/a/Testament.java", false);
        check("src/main/java/a/AWAIT.java", false);
        check("src/main/java/org/a/test/Kit.java", false);
    }
}
