//! The files in which a test tool looks for tests by itself.

use globset::{Glob, GlobSet, GlobSetBuilder};

/// Some folders, files or globs; all files where there is none.
#[derive(Clone, Debug)]
pub struct TestPaths(GlobSet);

impl TestPaths {
    /// What is no glob holds nothing, as it does for pytest.
    pub(super) fn of(entries: &[String]) -> Self {
        let mut globs = GlobSetBuilder::new();
        for entry in entries {
            let entry = entry.trim_start_matches("./").trim_end_matches('/');
            let entry = if matches!(entry, "" | ".") { "**" } else { entry };
            for glob in [entry.to_owned(), format!("{entry}/**")] {
                if let Ok(glob) = Glob::new(&glob) {
                    globs.add(glob);
                }
            }
        }
        Self(globs.build().unwrap_or_default())
    }

    /// Is true if tests are looked for in a file, by its path relative to the project.
    pub fn hold(&self, path: &str) -> bool {
        self.0.is_empty() || self.0.is_match(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_files_and_globs_hold_files() {
        let check = |entries: &[&str], path: &str, expect: bool| {
            let entries: Vec<String> = entries.iter().map(|entry| (*entry).to_owned()).collect();
            assert_eq!(TestPaths::of(&entries).hold(path), expect, "{entries:?} {path}");
        };
        check(&[], "smoke/test_a.py", true);
        check(&["."], "smoke/test_a.py", true);
        check(&["t/unit/"], "t/unit/app/test_a.py", true);
        check(&["t/unit/"], "t/smoke/test_a.py", false);
        check(&["t/unit"], "t/unittest/test_a.py", false);
        check(&["./tests", "docs/test_a.py"], "docs/test_a.py", true);
        check(&["packages/*/tests"], "packages/shop/tests/test_a.py", true);
        check(&["packages/*/tests"], "packages/shop/test_a.py", false);
    }
}
